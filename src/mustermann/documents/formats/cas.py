"""UIMA CAS as JSON or XMI, by dkpro-cassis; loads in INCEpTION with GraSCCo's types.

PHI are `webanno.custom.PHI` with the feature `kind`, as in GraSCCo_PHI; sentences and tokens
are DKPro's. CAS counts UTF-16 units, cassis converts. What else is known of a span stands in
our own feature `record`, the clinical layer in `mustermann.Clinical`, the rest of the document
in `mustermann.Record`.
"""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from mustermann.core.errors import DataError, PluginError
from mustermann.core.manifest import MANIFEST
from mustermann.documents.formats.format import document_name, named
from mustermann.documents.formats.overlaps import disjoint_document
from mustermann.documents.formats.tokens import token_ranges

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from mustermann.documents.document import Document

PHI = "webanno.custom.PHI"
_CLINICAL, _RECORD = "mustermann.Clinical", "mustermann.Record"
_SEGMENTATION = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type."
_METADATA = "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData"
_SUFFIX = re.compile(r"(\.txt)?(_phi)?\.(json|xmi)$")


class CasJson:
    """A folder of `.json` files, one CAS each."""

    name: ClassVar[str] = "cas-json"
    suffix: ClassVar[str] = ".json"

    def write(self, documents: Iterable[Document], directory: Path) -> Counter[str]:
        """Writes a file a document; the type system stands in each."""
        for name, document in named(documents):
            _cas(document).to_json(directory / f"{name}{self.suffix}")
        return Counter()

    def read(self, path: Path) -> Iterator[Document]:
        """Yields the document of each file, in the order of their names."""
        cassis = _cassis()
        for file in _files(path, self.suffix):
            yield _document(
                file, lambda f=file: cassis.load_cas_from_json(io.BytesIO(f.read_bytes()))
            )

    def found_at(self, path: Path) -> bool:
        """Returns whether the folder has JSON files that begin with CAS types."""
        for file in _files(path, self.suffix)[:1]:
            with file.open("rb") as start:
                return b"%TYPES" in start.read(400)
        return False


class CasXmi:
    """A folder of `.xmi` files, with `TypeSystem.xml` beside them."""

    name: ClassVar[str] = "cas-xmi"
    suffix: ClassVar[str] = ".xmi"

    def write(self, documents: Iterable[Document], directory: Path) -> Counter[str]:
        """Writes a file a document, and the type system.

        Raises:
          DataError: A text has a character that XML can't hold.
        """
        _typesystem().to_xml(directory / "TypeSystem.xml")
        for name, document in named(documents):
            refuse_control(document)
            _cas(document).to_xmi(directory / f"{name}{self.suffix}")
        return Counter()

    def read(self, path: Path) -> Iterator[Document]:
        """Yields the document of each file, in the order of their names."""
        cassis = _cassis()
        types = None
        for file in _files(path, self.suffix):
            types = types or cassis.load_typesystem(io.BytesIO(_types_file(file).read_bytes()))
            yield _document(
                file,
                lambda f=file, t=types: cassis.load_cas_from_xmi(
                    io.BytesIO(f.read_bytes()), typesystem=t
                ),
            )

    def found_at(self, path: Path) -> bool:
        """Returns whether the folder has `.xmi` files."""
        return bool(_files(path, self.suffix))


def refuse_control(document: Document) -> None:
    """Raises DataError where a text has a character that XML 1.0 can't hold."""
    match = re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", document.text)
    if match:
        raise DataError(
            f"Expected text that XML can hold, found U+{ord(match.group()):04X} at "
            f"{match.start()} of document {document.id!r}. Choose another format."
        )


def _files(path: Path, suffix: str) -> list[Path]:
    if path.is_file():
        return [path] if path.suffix == suffix else []
    # An unpacked archive may hold its files in folders.
    found = [*path.glob(f"*{suffix}")] or [*path.rglob(f"*{suffix}")] if path.is_dir() else []
    return sorted(file for file in found if file.name != MANIFEST)


def _types_file(file: Path) -> Path:
    """Returns the TypeSystem.xml that is nearest to an XMI file: beside it, or one folder up."""
    for folder in (file.parent, file.parent.parent):
        if (folder / "TypeSystem.xml").is_file():
            return folder / "TypeSystem.xml"
    raise DataError(f"Expected TypeSystem.xml beside {file}, found none.")


def _cassis() -> Any:
    try:
        import cassis
    except ImportError as error:
        raise PluginError(
            "Expected dkpro-cassis for CAS files, found none. "
            "Install it: pip install 'mustermann[formats]'."
        ) from error
    return cassis


@cache
def _typesystem() -> Any:
    cassis = _cassis()
    types = cassis.load_dkpro_core_typesystem()
    for name, features in ((PHI, ("kind", "record")), (_CLINICAL, ("kind", "record"))):
        made = types.create_type(name=name, supertypeName="uima.tcas.Annotation")
        for feature in features:
            types.create_feature(made, name=feature, rangeType="uima.cas.String")
    if not types.contains_type(_METADATA):
        about = types.create_type(name=_METADATA, supertypeName="uima.tcas.DocumentAnnotation")
        for feature in ("documentTitle", "documentId", "documentUri", "collectionId"):
            types.create_feature(about, name=feature, rangeType="uima.cas.String")
    record = types.create_type(name=_RECORD, supertypeName="uima.tcas.Annotation")
    types.create_feature(record, name="json", rangeType="uima.cas.String")
    return types


def _cas(document: Document) -> Any:
    types = _typesystem()
    cas = _cassis().Cas(typesystem=types)
    cas.sofa_string, cas.sofa_mime = document.text, "text/plain"

    def add(name: str, start: int, end: int, **more: Any) -> None:
        cas.add(types.get_type(name)(begin=start, end=end, **more))

    add(_METADATA, 0, len(document.text), documentId=document.id, documentTitle=document.id)
    for line in re.finditer(r"[^\r\n]*\S[^\r\n]*", document.text):
        add(f"{_SEGMENTATION}Sentence", *line.span())
    for start, end in token_ranges(document.text):
        add(f"{_SEGMENTATION}Token", start, end)
    record = document.to_record()
    for layer, name in (("spans", PHI), ("clinical", _CLINICAL)):
        for span in record.pop(layer, ()):
            start, end, label = span.pop("start"), span.pop("end"), span.pop("label")
            more = json.dumps(span, ensure_ascii=False) if span else None
            add(name, start, end, kind=label, record=more)
    rest = {key: value for key, value in record.items() if key not in {"id", "text"}}
    add(_RECORD, 0, 0, json=json.dumps(rest, ensure_ascii=False))
    return cas


def _document(file: Path, load: Any) -> Document:
    try:
        cas = load()
        record: dict[str, Any] = {}
        for found in _select(cas, _RECORD):
            record |= json.loads(found.json or "{}")
        record |= {"id": _id(cas, file), "text": cas.sofa_string or ""}
        for layer, name in (("spans", PHI), ("clinical", _CLINICAL)):
            record[layer] = [
                {"start": a.begin, "end": a.end, "label": a.kind, **json.loads(_more(a))}
                for a in _select(cas, name)
            ]
    except DataError:
        raise
    except Exception as error:  # cassis raises whatever its parsers do
        raise DataError(f"Expected a CAS in {file}, but: {error!r}.") from error
    return disjoint_document(record)


def _select(cas: Any, name: str) -> list[Any]:
    return list(cas.select(name)) if cas.typesystem.contains_type(name) else []


def _more(annotation: Any) -> str:
    return getattr(annotation, "record", None) or "{}"


def _id(cas: Any, file: Path) -> str:
    """Returns the document's id: ours from its record, a foreign one from the file's name."""
    if _select(cas, _RECORD):
        return str(_select(cas, _METADATA)[0].documentId)
    return document_name(_SUFFIX.sub("", file.name))
