"""Which forms, cases and variants each slot's placeholder may ask for.

The kinds of slot stand in `slots`; here is what can be said about each of them.
"""

from __future__ import annotations

import dataclasses
import re
from functools import cache

from mustermann.german.inflection import CASES
from mustermann.letters.slots import SLOTS, Slot

PERSON_FORMS = (
    "first_last", "last_only", "first_only", "hon_last", "hon_first_last", "hon_abbrev",
    "hon_initial", "last_comma_first", "title_last", "full_titles", "initial_last", "initials",
    "salutation", "upper", "maiden", "diminutive", "typo",
)  # fmt: skip
UNINFLECTED = frozenset({"salutation", "last_comma_first", "initials", "hon_initial", "maiden"})
"""Forms whose name part never takes a genitive -s."""

NAME_VARIANTS = ("typo", "upper")
"""Spoils the name in any form; `form=typo` and `form=upper` are short for first_last with it."""

SALUTATIONS = (
    "name", "kollege", "kollege_name", "kollegin_kollege", "kollegen", "damen_herren", "werte",
)  # fmt: skip
"""Variants of form=salutation; the ones without a name write text without a label."""

FULL_DATES = (
    "dmy", "d_m_y", "dmy2", "d_m_y2", "d_month_y", "d_mon_y", "textual", "iso", "slash", "dm",
    "d_m", "dd", "d",
)  # fmt: skip
PARTIAL_DATES = ("my", "my2", "my1", "m_y", "m", "y", "quarter")
"""These are labelled DATE_PARTIAL."""

DATE_VARIANTS = (*FULL_DATES, *PARTIAL_DATES, "relative")

AGE_FORMS = ("number", "word", "joined", "vague")
SMALL_AGE_FORMS = ("months", "weeks", "days")
"""The patient's age in these units; another age is a fact of the case, in years."""

PHONE_FORMS = ("din", "slash", "brackets", "dash", "pairs", "intl", "intl_zero", "extension")
ID_FORMS = ("plain", "grouped")
PLACE_FORMS = ("plain", "upper")
STREET_FORMS = ("plain", "short", "upper")

CLINICAL_FORMS = {
    "diagnosis": ("title", "title_icd", "short", "icd"),
    "procedure": ("title", "title_ops", "ops"),
    "med": ("full", "name", "substance", "brand", "dose", "scheme", "line"),
    "lab": ("full", "value", "value_unit", "trend"),
    "vital": (),
    "los": (),
}
MED_VARIANTS = ("aufnahme", "entlassung")
WORD = re.compile(r"[a-z][a-z0-9_:]*")
"""What a free variant (a laboratory value's point in time) looks like."""

_BY_LABEL: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("PHONE", "MOBILE", "FAX"), PHONE_FORMS),
    **dict.fromkeys(("HOSPITAL", "CITY", "ORGANIZATION", "INSURER", "COUNTRY"), PLACE_FORMS),
    **dict.fromkeys(("IBAN", "KVNR", "TAX_ID", "RVNR", "LANR", "BSNR", "IK_NR"), ID_FORMS),
    "STREET": STREET_FORMS,
}


@dataclasses.dataclass(frozen=True, slots=True)
class Grammar:
    """What a placeholder of one slot may ask for.

    Attributes:
      forms: Allowed forms; empty if the slot has only one.
      cases: Allowed cases.
      variants: Allowed variants.
      free_variant: Whether any word is allowed as variant; the value decides.
    """

    forms: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    free_variant: bool = False


@cache
def grammar(slot: str) -> Grammar:
    """Returns the grammar of a slot in `SLOTS`."""
    found: Slot = SLOTS[slot]
    if found.kind == "person":
        return Grammar(PERSON_FORMS, CASES, (*NAME_VARIANTS, *SALUTATIONS))
    if found.kind == "date":
        return Grammar(variants=DATE_VARIANTS)
    if found.kind == "age":
        return Grammar(AGE_FORMS if found.argument else (*AGE_FORMS, *SMALL_AGE_FORMS))
    if found.kind == "clinical":
        variants = MED_VARIANTS if slot == "med" else ()
        return Grammar(CLINICAL_FORMS[slot], (), variants, slot in {"lab", "vital"})
    return Grammar(_BY_LABEL.get(found.label, ()))
