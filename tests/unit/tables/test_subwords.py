from __future__ import annotations

import json

import pytest

from mustermann.core.errors import ConfigError, DataError
from mustermann.tables.subwords import Subwords, read_lines

TEXTS = ["never married", "married", "divorced", "17", "18", "177", ""]


@pytest.mark.parametrize("algorithm", ["bpe", "unigram"])
def test_every_text_is_spelt_whatever_it_was_trained_on(algorithm):
    subwords = Subwords.train(algorithm, TEXTS, vocabulary=300)
    spelt = subwords.spell([*TEXTS, "日本", "ß \x00"])
    assert spelt[TEXTS.index("")] == ()
    assert all(
        pieces for pieces, text in zip(spelt, [*TEXTS, "日本", "ß \x00"], strict=True) if text
    )
    assert len(set(spelt)) == len(spelt)
    assert "".join(map(subwords.piece, spelt[1])) == "married"


def test_pieces_are_shared_by_texts_that_have_them_in_common():
    subwords = Subwords.train("bpe", TEXTS, vocabulary=265)
    married, never = subwords.spell(["married", "never married"])
    assert len(married) < len("married")
    assert never[-len(married) :] == married or set(never) & set(married)
    assert len(never) < len("never married")


def test_it_comes_back_from_json_and_from_a_file(tmp_path):
    subwords = Subwords.train("unigram", TEXTS, vocabulary=280)
    again = Subwords.from_json(subwords.to_json())
    assert again.spell(TEXTS) == subwords.spell(TEXTS)
    (tmp_path / "tokenizer.json").write_text(subwords.to_json(), encoding="utf-8")
    assert Subwords.read(tmp_path / "tokenizer.json").spell(TEXTS) == subwords.spell(TEXTS)


def test_padding_and_truncation_in_a_file_are_left_out(tmp_path):
    from tokenizers import Tokenizer

    plain = Subwords.train("bpe", TEXTS, vocabulary=257)
    tokenizer = Tokenizer.from_str(plain.to_json())
    tokenizer.enable_truncation(2)
    tokenizer.enable_padding(length=9)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    found = Subwords.read(tmp_path / "tokenizer.json").spell(TEXTS)
    assert found == plain.spell(TEXTS)
    assert max(map(len, found)) > 2


@pytest.mark.parametrize("content", [None, b"{}", b"\xff", b"[1]", json.dumps("x").encode()])
def test_files_that_hold_no_tokenizer_are_refused_in_one_line(tmp_path, content):
    path = tmp_path / "tokenizer.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DataError, match=r"tokenizer\.json") as caught:
        Subwords.read(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("vocabulary", [0, 256, 10**9])
def test_a_vocabulary_out_of_range_is_refused(vocabulary):
    with pytest.raises(ConfigError, match="vocabulary"):
        Subwords.train("bpe", TEXTS, vocabulary=vocabulary)


@pytest.mark.parametrize("content", [None, b"\xff\xfe", b"", b" \n\t\n"])
def test_texts_without_words_are_refused(tmp_path, content):
    path = tmp_path / "public.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DataError, match=r"public\.txt"):
        read_lines(path)


def test_lines_of_a_text_come_as_they_are(tmp_path):
    (tmp_path / "public.txt").write_text("one\n\ntwo\n", encoding="utf-8")
    assert read_lines(tmp_path / "public.txt") == ["one", "", "two"]
