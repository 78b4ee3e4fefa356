"""Finds case files, compiles each once a process, and lists what a sampler must know of them."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from mustermann.core.config import read_toml, validate
from mustermann.core.errors import ConfigError
from mustermann.core.seeds import Seeds
from mustermann.german import pools
from mustermann.letters.attributes.clinical import CaseProfile, CourseRequest, SampledCourse
from mustermann.letters.cases.course import sample_course
from mustermann.letters.cases.format import CaseFile, ModuleFile
from mustermann.letters.cases.house import LIBRARY, house_rules
from mustermann.letters.cases.model import Case, Compiler, Part, link


@cache
def case_ids() -> tuple[str, ...]:
    """Returns the ids of all cases, sorted."""
    return tuple(sorted(path.stem for path in LIBRARY.glob("*.toml") if path.stem != "house"))


@cache
def content_digest() -> str:
    """Returns what names the authored content: cases, modules, house rules and German pools.

    Equal digests, equal texts to draw from; 16 hexadecimal digits.
    """
    found = hashlib.sha256()
    for folder in (LIBRARY, Path(pools.__file__).parent):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.suffix in {".toml", ".csv", ".txt"}:
                content = path.read_bytes()
                found.update(f"{path.relative_to(folder).as_posix()}\0{len(content)}\0".encode())
                found.update(content)
    return found.hexdigest()[:16]


class CaseLibrary:
    """The authored cases as a course sampler: `attributes.clinical.CourseSampler`."""

    @property
    def profiles(self) -> tuple[CaseProfile, ...]:
        """The profile of each case, in order of id."""
        return _profiles()

    def sample(self, seeds: Seeds, request: CourseRequest) -> SampledCourse:
        """Returns the course that the request asks for; a pure function of both arguments.

        Raises:
          ConfigError: The case is unknown, or never has the codes asked for.
        """
        return sample_course(load_case(request.case), seeds=seeds, request=request)


class SingleCase:
    """One case as a course sampler, whether it stands in the library or not."""

    def __init__(self, case: Case) -> None:
        self._case = case

    @property
    def profiles(self) -> tuple[CaseProfile, ...]:
        """The profile of the case."""
        return (profile(self._case.file),)

    def sample(self, seeds: Seeds, request: CourseRequest) -> SampledCourse:
        """Returns the course that the request asks for."""
        return sample_course(self._case, seeds=seeds, request=request)


@cache
def _profiles() -> tuple[CaseProfile, ...]:
    return tuple(profile(read_case(LIBRARY / f"{name}.toml")) for name in case_ids())


def profile(file: CaseFile) -> CaseProfile:
    """Returns what a sampler must know of a case."""
    main = [code for d in file.diagnoses if d.main for code in possible_codes(file, d.icd)]
    ops = [code for p in file.procedures for code in possible_codes(file, p.ops)]
    return CaseProfile(
        id=file.id, specialty=file.specialty, sexes=dict(file.fits.sex), ages=file.fits.age,
        stays=dict(file.fits.stays), weight=file.weight, elective=float(file.fits.elective),
        months=file.fits.months,
        icd=tuple(dict.fromkeys(main)), ops=tuple(dict.fromkeys(ops)),
    )  # fmt: skip


def possible_codes(file: CaseFile, code: str) -> list[str]:
    """Returns the codes that a code's grammar can give: itself, or a field of a picked record.

    Raises:
      ConfigError: An option of the record lacks the field.
    """
    if "$" not in code:
        return [code]
    name, _, field = code.strip("${}").partition(".")
    variable = file.let.get(name)
    options = variable.pick or [] if variable else []
    if not field:
        return [str(o["value"] if isinstance(o, dict) else o) for o in options]
    found = [option for option in options if isinstance(option, dict)]
    if without := [option for option in found if field not in option]:
        raise ConfigError(
            f"Expected {field!r} in each option of let.{name} of case {file.id!r}, which "
            f"{code!r} reads, found {without[0]} without."
        )
    return [str(option[field]) for option in found]


def read_case(path: Path) -> CaseFile:
    """Returns a case file, validated.

    Raises:
      ConfigError: It is missing, not TOML, has an unknown key or an id unlike its name.
    """
    file = validate(CaseFile, read_toml(path), where=str(path))
    if file.id != path.stem:
        raise ConfigError(f"Expected id {path.stem!r} in {path}, got {file.id!r}.")
    return file


@cache
def modules() -> tuple[tuple[ModuleFile, Part], ...]:
    """Returns the shared modules: shared and optional ones first, then comorbidities."""
    found = []
    for path in sorted((LIBRARY / "modules").glob("*.toml")):
        file = validate(ModuleFile, read_toml(path), where=str(path))
        if file.id != path.stem:
            raise ConfigError(f"Expected id {path.stem!r} in {path}, got {file.id!r}.")
        guard = file.id if file.kind == "comorbidity" else ""
        compiler = Compiler(lexicon=house_rules().lexicon, name=f"modules/{path.name}", guard=guard)
        found.append((file, compiler.part(file)))
    return tuple(sorted(found, key=lambda pair: pair[0].kind == "comorbidity"))


def compile_case(file: CaseFile) -> Case:
    """Returns a case ready to be drawn from and written.

    Raises:
      ConfigError: Grammar, an expression or a name is wrong; the message has the place.
    """
    known = {module.id for module, _ in modules()}
    known_text = {name for module, part in modules() for name in _texts(module.id, part)}
    for name in (*file.uses, *file.comorbidities):
        if name not in known:
            raise ConfigError(f"Unknown module {name!r} in case {file.id!r}.")
    for name in file.without:
        if name not in known and name not in known_text:
            raise ConfigError(
                f"Expected in without of case {file.id!r} a module, text.SECTION or "
                f"MODULE.text.SECTION, got {name!r}."
            )
    compiler = Compiler(lexicon=house_rules().lexicon, name=f"{file.id}.toml", own=True)
    codes = [code for d in file.diagnoses for code in possible_codes(file, d.icd)]
    return link(file, own=compiler.part(file), modules=modules(), codes=codes)


def _texts(module: str, part: Part) -> set[str]:
    sections = {said.section for said in part.said}
    return {name for s in sections for name in (f"text.{s}", f"{module}.text.{s}")}


@cache
def load_case(case: str) -> Case:
    """Returns the compiled case with this id.

    Raises:
      ConfigError: There is none.
    """
    if case not in case_ids():
        raise ConfigError(f"Expected one of the cases {', '.join(case_ids())}, got {case!r}.")
    return compile_case(read_case(LIBRARY / f"{case}.toml"))
