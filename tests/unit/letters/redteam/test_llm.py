import json

from mustermann.documents.document import Document
from mustermann.documents.spans import Span
from mustermann.letters.redteam.llm import attack
from mustermann.llm.request import Reply

TEXT = "Frau Voß hat Morbus Parkinson. Ihr Nachbar Meier rief an. Kalium 41 mmol/l."


def at(piece, label):
    start = TEXT.index(piece)
    return Span(start, start + len(piece), label)


DOCUMENT = Document("1", TEXT, spans=(at("Voß", "PATIENT_NAME"), at("Parkinson", "EPONYM")))


class Attacker:
    model = "attacker"

    def __init__(self, identifiers=(), implausible=()):
        self.answer = {
            "identifiers": [{"text": text} for text in identifiers],
            "implausible": [{"text": text, "reason": "zu hoch"} for text in implausible],
        }

    def ask(self, request):
        assert TEXT in request.messages[1].text
        return Reply(text=json.dumps(self.answer))


def test_each_claim_is_checked_against_the_labels():
    report = attack(DOCUMENT, model=Attacker(["Frau Voß", "Parkinson", "Meier", "Schulze"],
                                             ["Kalium 41 mmol/l", "Natrium 3"]))  # fmt: skip
    assert (report.known, report.decoys, report.unlocated) == (1, 1, 2)
    assert [TEXT[c.start : c.end] for c in report.leaks] == ["Meier"]
    assert [(c.text, c.reason) for c in report.implausible] == [("Kalium 41 mmol/l", "zu hoch")]
    assert report.flagged and "Meier" in report.first
    assert report.counts() == {
        "attacked": 1, "attack_flagged": 1, "attack_known": 1, "attack_decoys": 1,
        "attack_leaks": 1, "attack_implausible": 1, "attack_unlocated": 2,
    }  # fmt: skip


def test_right_guesses_and_invented_quotes_flag_nothing():
    report = attack(DOCUMENT, model=Attacker(["Voß", "Schulze"], ["Natrium 3"]))
    assert not report.flagged and report.first == ""
