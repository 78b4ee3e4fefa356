"""The two lists of drugs: what was taken before, what is taken now, and what changed why.

Modules and the case bring drugs independently. Where two bring one of the same group
(two statins), the case's wins over a module's, and what the patient had before becomes
"geändert" or "abgesetzt" with the new drug as reason; nobody goes home on both.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Sequence

from mustermann.letters.attributes.record import Medication
from mustermann.letters.cases.expressions import Environment
from mustermann.letters.cases.format import Status
from mustermann.letters.cases.grammar import Node
from mustermann.letters.cases.model import Drug, DrugChange

Spell = Callable[[Node, str], str]
"""Writes a node without placeholders, from the stream of the given name."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Lists:
    """Drugs on admission and at discharge, with the rule that changed a drug by its key.

    Attributes:
      before: On admission.
      now: At discharge; what was paused or stopped stands last.
      changes: Index of the case's change rule by drug key.
    """

    before: tuple[Medication, ...]
    now: tuple[Medication, ...]
    changes: dict[str, int]


def reconcile(
    drugs: Sequence[Drug], rules: Sequence[DrugChange], env: Environment, spell: Spell
) -> Lists:
    """Returns both lists of drugs for the facts in `env`."""
    active = sorted((d for d in drugs if d.test(env)), key=lambda d: (d.spec.rank, d.spec.key))
    before: list[Medication] = []
    now: list[Medication] = []
    changes: dict[str, int] = {}
    for group in _grouped(active):
        winner = _winner(group)
        taken = next((d for d in group if d.spec.status != "neu"), None)
        if taken is not None:
            before.append(_before(taken, spell))
        now.extend(_discharge(winner, taken, spell))
    for index, drug in enumerate(now):
        number = _rule_for(drug, active, rules, env)
        if number is not None:
            changes[drug.key] = number
            now[index] = _changed(drug, rules[number], spell)
    now.sort(key=lambda drug: drug.status in {"pausiert", "abgesetzt"})
    return Lists(before=tuple(before), now=tuple(now), changes=changes)


def _grouped(drugs: Sequence[Drug]) -> list[list[Drug]]:
    groups: dict[str, list[Drug]] = {}
    for drug in drugs:
        groups.setdefault(drug.spec.group or drug.spec.key, []).append(drug)
    return list(groups.values())


def _winner(group: Sequence[Drug]) -> Drug:
    """The case's drug before a module's, then the one that stands first."""
    return max(group, key=lambda drug: drug.own)


def _before(drug: Drug, spell: Spell) -> Medication:
    now = dataclasses.replace(_medication(drug, spell), status="unverändert")
    if drug.before is None:
        return now
    strength, scheme = drug.before
    return dataclasses.replace(now, strength=spell(strength, f"{drug.spec.key} Stärke vor"),
                               scheme=spell(scheme, f"{drug.spec.key} Schema vor"))  # fmt: skip


def _medication(drug: Drug, spell: Spell) -> Medication:
    spec = drug.spec
    return Medication(
        key=spec.key, substance=spec.substance, brand=spec.brand, atc=spec.atc, form=spec.form,
        strength=spell(drug.strength, f"{spec.key} Stärke"),
        scheme=spell(drug.scheme, f"{spec.key} Schema"), status=spec.status,
    )  # fmt: skip


def _discharge(winner: Drug, taken: Drug | None, spell: Spell) -> list[Medication]:
    """The winner, and the drug it takes the place of."""
    drug = _medication(winner, spell)
    if taken is None or taken is winner:
        return [drug]
    if taken.spec.substance != winner.spec.substance:
        old = dataclasses.replace(_medication(taken, spell), status="abgesetzt",
                                  reason=f"Umstellung auf {winner.spec.substance}")  # fmt: skip
        return [drug, old]
    earlier = _before(taken, spell)
    if winner.spec.status == "neu" and _amount(earlier.strength) >= _amount(drug.strength):
        # The stay asks for the drug; who takes as much of it already, or more, goes on with that.
        return [dataclasses.replace(earlier, key=taken.spec.key)]
    same = (earlier.strength, earlier.scheme) == (drug.strength, drug.scheme)
    # On admission the drug stood under the module's key: the letter has one key for it.
    status: Status = "unverändert" if same and drug.status == "neu" else "geändert"
    return [dataclasses.replace(drug, key=taken.spec.key, status=status)]


def _amount(strength: str) -> float:
    """Returns the first number of a strength ("47,5 mg", "1.000 IE"), 0 where there is none."""
    found = re.search(r"\d+(?:\.\d{3})*(?:,\d+)?", strength)
    return float(found[0].replace(".", "").replace(",", ".")) if found else 0.0


def _rule_for(
    drug: Medication, active: Sequence[Drug], rules: Sequence[DrugChange], env: Environment
) -> int | None:
    """Index of the first rule that meets a drug which was taken before."""
    if drug.status in {"neu", "abgesetzt"}:
        return None
    groups = {d.spec.group for d in active if d.spec.key == drug.key} | {drug.key}
    for index, rule in enumerate(rules):
        if rule.spec.group in groups and rule.test(env):
            return index
    return None


def _changed(drug: Medication, rule: DrugChange, spell: Spell) -> Medication:
    strength = spell(rule.strength, f"{drug.key} Stärke neu") or drug.strength
    scheme = spell(rule.scheme, f"{drug.key} Schema neu") or drug.scheme
    return dataclasses.replace(drug, status=rule.spec.status, strength=strength, scheme=scheme)
