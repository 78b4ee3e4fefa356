"""The lists of a letter: diagnoses, drugs, laboratory values, from the course."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mustermann.letters.attributes.record import Course, Diagnosis, Lab, Medication
from mustermann.letters.cases.grammar import Node
from mustermann.letters.cases.house import House
from mustermann.letters.cases.model import Case
from mustermann.letters.segments import Placeholder, Segment

Expand = Callable[[Node], list[Segment]]
Line = list[Segment]

_MARKS = {"brackets": " ({})", "dash": " – {}", "column": "\t{}"}


def joined(lines: Sequence[Line], separator: str) -> Line:
    """Returns the lines as one run of segments with `separator` between them."""
    out: Line = []
    for index, line in enumerate(lines):
        if index:
            out.append(separator)
        out.extend(line)
    return out


def itemised(lines: Sequence[Line], form: str) -> Line:
    """Returns lines as a list: plain, numbered or with bullets."""
    if form == "numbered":
        lines = [[f"{number}. ", *line] for number, line in enumerate(lines, start=1)]
    elif form == "bullets":
        lines = [["- ", *line] for line in lines]
    return joined(lines, "\n")


def diagnoses(
    case: Case, course: Course, house: House, expand: Expand, *, details: tuple[int, int]
) -> Line:
    """Returns the list of diagnoses.

    Args:
      case: For the details of each diagnosis.
      course: What the patient has.
      house: Layout.
      expand: Writes a grammar.
      details: How many lines of details a diagnosis gets at most, and how many diagnoses do.
    """
    lines = {line.spec.key: line for line in case.diagnoses}
    form = "title_icd" if house.icd else "title"
    written: list[Line] = []
    for index, diagnosis in enumerate(course.diagnoses):
        one: Line = [Placeholder("diagnosis", diagnosis.key, form)]
        if index < details[1]:
            for detail in lines[diagnosis.key].details[: details[0]]:
                more = expand(detail)
                if any(more):
                    one += ["\n   ", *more]
        written.append(one)
    main = sum(diagnosis.main for diagnosis in course.diagnoses) or 1
    if not house.split_diagnoses or main >= len(written):
        return itemised(written, house.diagnoses)
    top, rest = written[:main], written[main:]
    words = house.draws.choice("split words", (
        ("Hauptdiagnose:", "Nebendiagnosen:"), ("Hauptdiagnose:", "Weitere Diagnosen:"),
        ("Aktuell:", "Begleiterkrankungen:"), ("Behandlungsdiagnose:", "Nebendiagnosen:"),
    ))  # fmt: skip
    return [f"{words[0]}\n", *itemised(top, house.diagnoses), f"\n{words[1]}\n",
            *itemised(rest, house.diagnoses)]  # fmt: skip


def inline_diagnoses(diagnoses: Sequence[Diagnosis]) -> Line:
    """Returns the diagnoses one after the other, for a narrative letter."""
    return joined([[Placeholder("diagnosis", d.key, "title")] for d in diagnoses], "; ")


def drugs_before(course: Course, house: House, *, narrative: bool) -> Line:
    """Returns the drugs on admission, one a line or (always in a narrative) in a chain."""
    form = "line" if house.draws.bernoulli("drug forms", 0.3) else "full"
    lines: list[Line] = [
        [Placeholder("med", drug.key, form, variant="aufnahme")]
        for drug in course.medication_before
    ]
    chain = narrative or house.draws.bernoulli("drugs before in a chain", 0.6)
    return joined(lines, ", " if chain else "\n")


class DrugList:
    """Writes the drugs at discharge.

    Args:
      case: For reasons and ends.
      course: What the patient takes.
      house: How changes are marked.
      expand: Writes a grammar.
      reasons: 0 no reasons, 1 of what was changed, 2 of every drug.
    """

    def __init__(
        self, case: Case, course: Course, house: House, expand: Expand, *, reasons: int
    ) -> None:
        self._course, self._house, self._expand, self._reasons = course, house, expand, reasons
        self._specs = {drug.spec.key: drug for drug in case.drugs}
        self._rules = [rule for part in reversed(case.parts) for rule in part.changes]

    def lines(self) -> list[Line]:
        """Returns one line a drug; paused and stopped ones come last, with their word."""
        return [self._line(drug) for drug in self._course.medication]

    def _line(self, drug: Medication) -> Line:
        remark = self._remark(drug)
        if drug.status in {"pausiert", "abgesetzt"}:
            word = (
                drug.status.capitalize() if self._house.marks != "column" else drug.status.upper()
            )
            line: Line = [f"{word}: ", Placeholder("med", drug.key, "full", variant="entlassung")]
            return [*line, " (", *remark, ")"] if remark else line
        line = [Placeholder("med", drug.key, "full", variant="entlassung")]
        said: Line = list(remark)
        if drug.status != "unverändert":
            word = drug.status if self._house.marks != "column" else drug.status.upper()
            said = [word, ", ", *said] if said else [word]
        if not said:
            return line
        before, after = _MARKS[self._house.marks].split("{}")
        return [*line, before, *said, *([after] if after else [])]

    def _remark(self, drug: Medication) -> Line:
        """Reason and end; reasons of unchanged drugs only where there is room."""
        number = self._course.facts["changes"].get(drug.key)
        grammar = self._specs[drug.key] if number is None else self._rules[number]
        until = self._expand(grammar.until)
        reason: Line = []
        wanted = self._reasons >= (2 if drug.status == "unverändert" else 1)
        if drug.reason:
            reason = [drug.reason]
        elif wanted or drug.status in {"pausiert", "abgesetzt", "geändert"}:
            reason = self._expand(grammar.reason)
        parts = [part for part in (reason, until) if any(part)]
        return joined(parts, ", ")


def is_pathological(lab: Lab) -> bool:
    """Returns whether any value lies outside the reference range."""
    return any(_is_odd(lab, value) for value in lab.values.values())


def _is_odd(lab: Lab, value: float | None) -> bool:
    if value is None:
        return False
    return (lab.low is not None and value < lab.low) or (lab.high is not None and value > lab.high)


_LEADING = 20
"""Below this rank stand the values that the illness is about."""


def ranked_labs(
    case: Case, course: Course, count: int, *, random: Callable[[], float]
) -> tuple[list[Lab], list[Lab]]:
    """Returns pathological analytes and, up to `count` in all, normal ones; by panel rank.

    Args:
      case: For the ranks.
      course: For the values.
      count: Of analytes.
      random: Uniform floats: laboratories differ in the order of blood count, electrolytes and
        the like, each of which is a ten of ranks.
    """
    ranks: dict[str, float] = {}
    for key in course.labs:
        rank = _rank(case.labs[key])
        ranks[key] = rank if rank < _LEADING else rank // 10 * 10 + 10 * random()
    labs = sorted(course.labs.values(), key=lambda lab: ranks[lab.key])
    odd = [lab for lab in labs if is_pathological(lab)]
    normal = [lab for lab in labs if not is_pathological(lab)]
    return odd[:count], normal[: max(0, count - len(odd))]


def _rank(layers: Sequence[object]) -> int:
    ranks = [spec.panel for layer in layers if (spec := getattr(layer, "spec", None)) is not None]
    given = [rank for rank in ranks if rank is not None]
    return given[-1] if given else 500


def lab_table(labs: Sequence[Lab]) -> Line:
    """Returns the analytes as a table: name, unit, range, a column a point in time."""
    times = [time for time in ("aufnahme", "verlauf", "entlassung")
             if any(time in lab.values for lab in labs)]  # fmt: skip
    columns = [_COLUMNS[time] for time in times] if len(times) > 1 else ["Wert"]
    head = ["Parameter", "Einheit", "Referenz", *columns]
    rows: list[Line] = [["\t".join(head)]]
    for lab in labs:
        row: Line = [f"{lab.written}\t{lab.unit or '–'}\t{reference(lab)}"]
        for time in times:
            value = Placeholder("lab", lab.key, "value", variant=time)
            row += ["\t", value if time in lab.values else "–"]
        rows.append(row)
    return joined(rows, "\n")


_COLUMNS = {"aufnahme": "Aufnahme", "verlauf": "Verlauf", "entlassung": "Entlassung"}


def reference(lab: Lab) -> str:
    """Returns the reference range as laboratories print it."""

    def number(value: float) -> str:
        return f"{value:.{lab.decimals}f}".replace(".", ",")

    if lab.low is not None and lab.high is not None:
        return f"{number(lab.low)}–{number(lab.high)}"
    if lab.high is not None:
        return f"<{number(lab.high)}"
    return f">{number(lab.low)}" if lab.low is not None else "–"


def lab_chain(labs: Sequence[Lab], *, separator: str, trends: int, time: str = "aufnahme") -> Line:
    """Returns the analytes in a chain; the first `trends` with their course, the rest at `time`."""
    parts: list[Line] = []
    for index, lab in enumerate(labs):
        # A value that went wrong only later says nothing as it was on admission.
        later = (
            time == "aufnahme" and is_pathological(lab) and not _is_odd(lab, lab.values.get(time))
        )
        if (index < trends or later) and len(set(lab.values.values())) > 1:
            parts.append([Placeholder("lab", lab.key, "trend")])
        else:
            parts.append([Placeholder("lab", lab.key, "full", variant=time)])
    return joined(parts, separator)
