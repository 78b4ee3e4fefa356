"""Any text with any disjoint spans goes through every format and comes back as it was."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mustermann.core import plugins
from mustermann.documents.document import Document
from mustermann.documents.formats.format import load_format
from mustermann.documents.spans import Span

LABELLED = [name for name in plugins.names("mustermann.formats") if name not in {"text", "pdf"}]
SIGNS = [
    *"aB1ß. \n\r\t\\|[]_;*<>&\"'#-üÇĐ😊", "u\u0308", "\u200b", "\ufeff", "\u00a0", "\u2028",
    "\u0085", "👩\u200d⚕", "\r\n", "T1\t", "#Text=", "-DOCSTART-", "]]>",
]  # fmt: skip


@st.composite
def documents(draw):
    text = "".join(draw(st.lists(st.sampled_from(SIGNS), max_size=60)))
    count = min(len(text) + 1, 2 * draw(st.integers(0, 5))) // 2 * 2
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), min_size=count, max_size=count)))
    labels = st.sampled_from(["PATIENT_NAME", "CITY", "a b", "X|[1]"])
    spans = tuple(Span(a, b, draw(labels)) for a, b in zip(cuts[::2], cuts[1::2], strict=True))
    return Document(draw(st.sampled_from(["a", "Ä/1", ".", "x y"])), text, spans)


@pytest.mark.parametrize("name", LABELLED)
@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@given(document=documents())
def test_round_trip(name, document):
    with tempfile.TemporaryDirectory() as folder:
        losses = load_format(name).write(iter([document]), Path(folder))
        (found,) = load_format(name).read(Path(folder))
    assert (found.id, found.text) == (document.id, document.text)
    if not losses["white space at an edge"]:
        assert found.spans == document.spans
