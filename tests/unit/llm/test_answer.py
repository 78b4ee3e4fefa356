import dataclasses

import pytest

from mustermann.llm.answer import AnswerError, Shape, ask_typed, extract
from mustermann.llm.request import Message, Reply


@dataclasses.dataclass(frozen=True)
class Count:
    n: int


SHAPE = Shape(Count)


class Scripted:
    model = "scripted"

    def __init__(self, *texts):
        self.texts, self.requests = list(texts), []

    def ask(self, request):
        self.requests.append(request)
        return Reply(text=self.texts.pop(0))


@pytest.mark.parametrize(
    "text", ['{"n": 3}', 'Gern: {"n": 3}.', '```json\n{"n": 3}\n```', '\n {"n":3}\n']
)
def test_the_answer_is_found_with_words_around_it(text):
    assert SHAPE.read(Reply(text=text)) == Count(3)


@pytest.mark.parametrize("text", ["", "drei", '{"n": 3', '{"n": "drei"}', '{"m": 3}', "[3]", "{}"])
def test_what_does_not_fit_is_refused(text):
    with pytest.raises(AnswerError):
        SHAPE.read(Reply(text=text))


def test_an_answer_that_was_cut_says_so():
    with pytest.raises(AnswerError, match="cut off"):
        SHAPE.read(Reply(text='{"n": 3', cut=True))


def test_a_bad_answer_goes_back_with_what_was_wrong():
    model = Scripted("drei", '{"n": 3}')
    assert ask_typed(model, [Message("user", "Wie viele?")], SHAPE).value == Count(3)
    again = model.requests[1].messages
    assert [message.role for message in again] == ["user", "assistant", "user"]
    assert "Expected JSON" in again[-1].text


def test_after_the_last_try_the_fault_is_raised():
    model = Scripted("eins", "zwei", "drei")
    with pytest.raises(AnswerError):
        ask_typed(model, [Message("user", "?")], SHAPE, tries=3)
    assert not model.texts


def test_extract_leaves_a_text_without_braces():
    assert extract(" nichts ") == "nichts"
