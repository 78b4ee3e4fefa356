"""The writer against scripted models: good ones, and ones that err in each way."""

import json
import re

import pytest

from mustermann.core.seeds import Seeds
from mustermann.letters.attributes.sampler import sample
from mustermann.letters.cases.library import CaseLibrary
from mustermann.letters.config import LettersConfig
from mustermann.letters.letter import NoLetterError, Workshop, make_letter
from mustermann.letters.llm_writer import Asking, LlmWriter
from mustermann.letters.placeholder import write
from mustermann.letters.verify.runner import verify_letter
from mustermann.letters.writers import RejectedError
from mustermann.llm.cache import CachedModel
from mustermann.llm.request import LlmError, Reply

CONFIG = LettersConfig()


class SomeCases(CaseLibrary):
    """A few cases, so that a new one in the library changes nothing here."""

    @property
    def profiles(self):
        return _SOME


_SOME = tuple(p for p in CaseLibrary().profiles if p.id in {"nstemi", "pneumonie", "schlaganfall"})
CASES = SomeCases()


def material(request):
    """Returns the sentences that a request asks to say otherwise."""
    text = request.messages[1].text.split("Vorlage:\n")[1]
    return ("\n" + text.split("\n\nDiese Platzhalter")[0]).split("\n- ")[1:]


class Good:
    """Says the same in the same words, each sentence with one word more where that is harmless."""

    model = "good"

    def __init__(self, spoil=lambda sentences, request: sentences, always=False):
        self.requests, self.spoil, self.always = [], spoil, always

    def ask(self, request):
        self.requests.append(request)
        sentences = [re.sub(r"\.$", " weiterhin.", text) for text in material(request)]
        if self.always or len(request.messages) == 2:
            sentences = self.spoil(sentences, request)
        text = sentences if isinstance(sentences, str) else json.dumps({"sentences": sentences})
        return Reply(text=text, prompt_tokens=100, completion_tokens=10)


def writer(model, **asking):
    return LlmWriter(model, asking=Asking(**{"concurrency": 1, "repairs": 1} | asking))


def attributes(number=0, difficulty="easy", seed=4):
    seeds = Seeds(seed, ("letters", number))
    return sample(seeds, config=CONFIG, cases=CASES, difficulty=difficulty), seeds


def workshop(model, drafts=3, **asking):
    return Workshop(
        seed=4, config=CONFIG, cases=CASES, writer=writer(model, **asking), drafts=drafts
    )


def test_with_a_good_model_letters_come_out_verified():
    for number in range(4):
        document = make_letter(workshop(Good()), number)
        assert not [f for f in verify_letter(document) if f.severity == "error"]
        assert "weiterhin" in document.text
        counts = document.meta["writer"]
        assert (
            counts["tries"] == counts["parts"] and counts["prompt_tokens"] == 100 * counts["tries"]
        )
        assert document.meta["skeleton"].count("[[") > 10


def values_of(one):
    """Returns every string that could tell who the letter is about."""
    people = [one.patient, *(one.people[slot] for slot in one.people)]
    names = {p for person in people for p in (*person.given, person.family, person.birth_name)}
    days = {d.strftime(form) for d in one.dates.values() for form in ("%d.%m.%Y", "%Y-%m-%d")}
    values = {one.values[slot] for slot in one.values}
    ages = {f"{one.age}-jähr", f"{one.age} Jahre", f"{one.age} J."}
    return {value for value in names | days | values | ages if len(value) > 3}


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_no_value_of_a_letter_is_ever_sent(difficulty):
    for number in range(5):
        one, seeds = attributes(number, difficulty)
        model = Good(spoil=lambda sentences, _: [*sentences, "Zu kurz."], always=True)
        with pytest.raises(RejectedError):
            writer(model).write(one, seeds=seeds)
        good = Good()
        writer(good).write(one, seeds=seeds)
        sent = "\n".join(m.text for r in model.requests + good.requests for m in r.messages)
        decoys = " ".join(re.findall(r"\[\[(?:eponym|lookalike|nonpii_id):([^\]]*)", sent))
        found = {v for v in values_of(one) if re.search(rf"(?<!\w){re.escape(v)}(?!\w)", sent)}
        assert not {value for value in found if value not in decoys}


BAD = {
    "unreadable": lambda sentences, _: "Das kann ich nicht.",
    "missing_placeholder": lambda sentences, _: [
        re.sub(r"\[\[.*?\]\]|<<.*?>>", "", s) for s in sentences
    ],
    "unknown_placeholder": lambda sentences, _: [*sentences, "Es kam [[hausmeister]] dazu."],
    "grammar": lambda sentences, _: [*sentences, "Es kam [[patient nicht mehr dazu."],
    "literal": lambda sentences, _: [*sentences, "Wir sahen Herrn Meier am 03.04.2019 wieder."],
    "contradiction": lambda sentences, _: [*sentences, "Das Kalium betrug 7,77 mmol/l im Blut."],
    "language": lambda sentences, _: [*sentences, "The patient was seen in the ward and was well."],
    "length": lambda sentences, _: [*sentences, *["Der weitere Verlauf war ohne Befund."] * 60],
    "short_sentence": lambda sentences, _: [*sentences, "Ja."],
}


@pytest.mark.parametrize("kind", BAD)
def test_each_kind_of_bad_answer_is_caught_counted_and_repaired(kind):
    one, seeds = attributes()
    model = Good(spoil=BAD[kind])
    counts = writer(model).write(one, seeds=seeds).counts
    bad = counts[f"bad_{kind}"]
    assert bad and counts["tries"] == len(model.requests)
    assert counts["repaired"] == counts["tries"] - counts["parts"]
    told = [request.messages[-1].text for request in model.requests if len(request.messages) > 2]
    assert len(told) == counts["repaired"] and all("nicht richtig" in text for text in told)


@pytest.mark.parametrize("kind", BAD)
def test_what_is_never_mended_is_dropped_and_every_try_accounted_for(kind):
    model = Good(spoil=BAD[kind], always=True)
    with pytest.raises(NoLetterError) as caught:
        make_letter(workshop(model, drafts=2, repairs=2), 0)
    assert caught.value.dropped[f"llm_{kind}"] == 2
    assert caught.value.wrote["tries"] == len(model.requests)
    assert caught.value.wrote["given_up"] >= 2


def test_the_other_drug_side_and_sex_contradict_the_case():
    for wrong in ("Außerdem wurde Phenprocoumon neu angesetzt.", "Der Patient ist eine Patientin, "
                  "der Patient ist ein Patient."):  # fmt: skip
        one, seeds = attributes()
        model = Good(spoil=lambda sentences, _, wrong=wrong: [*sentences, wrong])
        assert writer(model).write(one, seeds=seeds).counts["bad_contradiction"]


def test_small_contexts_get_small_parts():
    one, seeds = attributes()
    sizes = {}
    for limit in (300, 3000):
        model = Good()
        writer(model, chunk_chars=limit).write(one, seeds=seeds)
        sizes[limit] = len(model.requests)
        longest = max(max(map(len, material(request))) for request in model.requests)
        assert all(
            sum(map(len, material(request))) <= max(limit, longest) for request in model.requests
        )
    assert sizes[300] > sizes[3000]


def test_threads_change_nothing():
    one, seeds = attributes()
    alone = writer(Good(), concurrency=1).write(one, seeds=seeds)
    assert writer(Good(), concurrency=4).write(one, seeds=seeds) == alone


def test_a_run_is_repeated_offline_from_its_answers(tmp_path):
    cache = tmp_path / "answers.jsonl"
    spoil = BAD["literal"]
    live = make_letter(workshop(CachedModel(cache, model="good", behind=Good(spoil=spoil))), 1)
    replayed = make_letter(workshop(CachedModel(cache, model="good")), 1)
    assert replayed == live
    with pytest.raises(LlmError, match="found none"):
        make_letter(workshop(CachedModel(cache, model="good")), 2)


def test_a_model_that_cannot_do_it_is_asked_no_more_than_once_per_draft_and_repair():
    model = Good(spoil=BAD["unreadable"], always=True)
    with pytest.raises(NoLetterError):
        make_letter(workshop(model, drafts=2, repairs=2), 0)
    assert len(model.requests) == 2 * 3


def test_the_models_words_stand_in_the_skeleton():
    one, seeds = attributes()
    text = write(writer(Good()).write(one, seeds=seeds).segments)
    assert text.count("weiterhin") > 5
