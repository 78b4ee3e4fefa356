"""Drafts that are dropped: by the checks, by a writer, by an attack; all are counted."""

import pickle

import pytest

from mustermann.core.config import resolve
from mustermann.core.seeds import Seeds
from mustermann.letters.cases.library import CaseLibrary
from mustermann.letters.census import Census
from mustermann.letters.config import LettersConfig
from mustermann.letters.letter import NoLetterError, Workshop, make_letter
from mustermann.letters.redteam.llm import Claim, Report
from mustermann.letters.segments import Skeleton
from mustermann.letters.verify import runner
from mustermann.letters.verify.fault import Fault
from mustermann.letters.writers import CaseWriter, RejectedError


class SomeCases(CaseLibrary):
    @property
    def profiles(self):
        return _SOME


_SOME = tuple(profile for profile in CaseLibrary().profiles if profile.id == "pneumonie")


def workshop(**changes):
    made = {"writer": CaseWriter(), "cases": SomeCases()} | changes
    return Workshop(seed=1, config=LettersConfig(), **made)


class Hesitant(CaseWriter):
    """Gives up the first `bad` drafts, counting two tries each."""

    def __init__(self, bad):
        super().__init__()
        self.bad = bad

    def write(self, attributes, *, seeds: Seeds) -> Skeleton:
        if self.bad:
            self.bad -= 1
            raise RejectedError("no", reasons=["llm_length"], counts={"tries": 2})
        return super().write(attributes, seeds=seeds)


def report(flagged):
    leaks = (Claim(0, 4, "Voß"),) if flagged else ()
    return Report(known=3, decoys=0, leaks=leaks, implausible=(), unlocated=0)


def test_what_a_writer_gives_up_is_counted_and_the_next_draft_taken():
    document = make_letter(workshop(writer=Hesitant(2)), 0)
    assert document.meta["dropped"] == {"llm_length": 2}
    assert document.meta["writer"] == {"tries": 4}
    assert "skeleton" not in document.meta


def test_a_flagged_letter_is_dropped_and_each_attack_counted():
    verdicts = iter([True, False])
    document = make_letter(workshop(attack=lambda _: report(next(verdicts))), 0)
    assert document.meta["dropped"] == {"attack": 1}
    counts = document.meta["writer"]
    assert (counts["attacked"], counts["attack_flagged"], counts["attack_known"]) == (2, 1, 6)


def test_after_the_last_draft_the_letter_is_given_up():
    with pytest.raises(NoLetterError, match=r"2 drafts.*Voß") as caught:
        make_letter(workshop(attack=lambda _: report(True), drafts=2), 0)
    assert caught.value.dropped == {"attack": 2}
    assert caught.value.wrote["attacked"] == 2


class Picky:
    """Finds something in the first `bad` letters that it sees."""

    def __init__(self, bad, severity="error"):
        self.name, self.severity, self.bad = "picky", severity, bad

    def faults(self, evidence):
        if self.bad:
            self.bad -= 1
            yield Fault(self.name, evidence.document.id, 0, 0, "No.")


def test_a_draft_with_a_fault_is_dropped_for_a_reason_and_the_number_of_letters_stays(monkeypatch):
    picky = Picky(3)
    monkeypatch.setattr(runner, "checks", lambda: (picky,))
    census = Census()
    for number in range(4):
        census.add(make_letter(workshop(), number))
    assert census.letters == 4
    assert census.dropped() == {"picky": 3}


def test_a_warning_drops_nothing_and_is_counted(monkeypatch):
    picky, census = Picky(1, "warning"), Census()
    monkeypatch.setattr(runner, "checks", lambda: (picky,))
    document = make_letter(workshop(), 0)
    assert document.meta["warnings"] == {"picky": 1}
    assert "dropped" not in document.meta
    census.add(document)
    assert census.to_record()["warnings"] == {"picky": 1}


def test_bands_of_the_settings_are_those_that_are_checked():
    mix = "lengths.{}={{kurz=1, mittel=0, ausfuehrlich=0, sehr_lang=0}}"
    fixed = [mix.format(name) for name in ("easy", "medium", "hard", "adversarial")]
    wide = resolve(LettersConfig, overrides=[*fixed, "bands.kurz=[3600, 5200]"])
    made = Workshop(seed=1, config=wide, cases=SomeCases(), writer=CaseWriter(bands=wide.bands))
    document = make_letter(made, 0)
    assert document.meta["band"] == [3600, 5200]
    assert 0.9 * 3600 <= len(document.text) <= 1.1 * 5200
    other = Workshop(seed=1, config=wide, cases=SomeCases(), writer=CaseWriter(), drafts=2)
    with pytest.raises(NoLetterError, match="Expected 3600 to 5200 characters"):
        make_letter(other, 0)


def test_both_errors_survive_the_way_out_of_a_worker():
    lost = NoLetterError("no", dropped={"length": 3}, wrote={"tries": 2})
    bad = RejectedError("no", reasons=["llm_length"], counts={"tries": 2})
    for error in (lost, bad):
        again = pickle.loads(pickle.dumps(error))
        assert (str(again), vars(again)) == (str(error), vars(error))
