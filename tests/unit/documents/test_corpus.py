import json

import pytest

from mustermann.core.errors import ConfigError, DataError
from mustermann.documents.corpus import CorpusWriter, load_corpus, write_corpus
from mustermann.documents.document import Document
from mustermann.documents.spans import Span


def documents(count):
    return [Document(str(i), f"Frau Ä {i}", (Span(5, 6, "PATIENT_NAME"),)) for i in range(count)]


def test_what_is_written_is_read(tmp_path):
    corpus = write_corpus(documents(3), tmp_path / "c")
    assert list(corpus) == documents(3) == list(corpus)
    assert [p.name for p in corpus.shards] == ["corpus.jsonl"]
    assert list(load_corpus(tmp_path / "c" / "corpus.jsonl")) == documents(3)


def test_a_long_corpus_is_cut_in_shards(tmp_path):
    with CorpusWriter(tmp_path / "c", shard_size=4) as writer:
        for document in documents(10):
            writer.write(document)
    corpus = load_corpus(tmp_path / "c")
    assert [p.name for p in corpus.shards] == [f"corpus-0000{i}.jsonl" for i in range(3)]
    assert list(corpus) == documents(10)


@pytest.mark.parametrize("torn", [0, 1, 7])
@pytest.mark.parametrize("killed_at", [0, 3, 4, 9])
def test_resuming_after_a_kill_gives_the_unbroken_bytes(tmp_path, killed_at, torn):
    with pytest.raises(KeyboardInterrupt), CorpusWriter(tmp_path / "a", shard_size=4) as writer:
        for document in documents(killed_at):
            writer.write(document)
        raise KeyboardInterrupt
    partial = tmp_path / "a" / "corpus.partial"
    partial.write_bytes(partial.read_bytes() + b'{"id": "9'[:torn])
    with CorpusWriter(tmp_path / "a", shard_size=4, resume=True) as writer:
        assert writer.documents == killed_at
        for document in documents(10)[killed_at:]:
            writer.write(document)
    with CorpusWriter(tmp_path / "b", shard_size=4) as writer:
        for document in documents(10):
            writer.write(document)
    read = lambda name: {p.name: p.read_bytes() for p in (tmp_path / name).iterdir()}
    assert read("a") == read("b")


def test_nothing_existing_is_overwritten(tmp_path):
    write_corpus(documents(1), tmp_path / "c")
    with pytest.raises(ConfigError, match="exists"):
        write_corpus(documents(2), tmp_path / "c")
    with pytest.raises(ConfigError, match="exists"):
        CorpusWriter(tmp_path / "c")
    assert len(list(load_corpus(tmp_path / "c"))) == 1


@pytest.mark.parametrize(
    "line", [b"{", b"[1]", b'{"id":"1"}', b"\xff", b'{"id":"1","text":"a","spans":[{"start":0}]}']
)
def test_a_broken_line_is_named(tmp_path, line):
    good = json.dumps(documents(1)[0].to_record()).encode()
    (tmp_path / "x.jsonl").write_bytes(good + b"\n" + line + b"\n")
    with pytest.raises(DataError, match=r"x\.jsonl, line 2"):
        list(load_corpus(tmp_path / "x.jsonl"))


def test_a_missing_or_unfinished_corpus_is_named(tmp_path):
    with pytest.raises(DataError, match="found nothing"):
        load_corpus(tmp_path / "none")
    with pytest.raises(DataError, match="recognised none"):
        load_corpus(tmp_path)
    with pytest.raises(KeyboardInterrupt), CorpusWriter(tmp_path / "c"):
        raise KeyboardInterrupt
    with pytest.raises(DataError, match="--resume"):
        load_corpus(tmp_path / "c")


def test_a_byte_order_mark_before_the_first_line_is_read_over(tmp_path):
    line = json.dumps(documents(1)[0].to_record()).encode()
    (tmp_path / "x.jsonl").write_bytes(b"\xef\xbb\xbf" + line + b"\n")
    assert list(load_corpus(tmp_path / "x.jsonl")) == documents(1)
