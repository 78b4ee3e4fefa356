import json
import math
import warnings

import numpy as np
import pytest

from mustermann.core.errors import PluginError
from mustermann.core.seeds import Seeds
from mustermann.documents.document import Document
from mustermann.documents.spans import Span
from mustermann.metrics.corpus import (
    NOT_BOOTSTRAPPED,
    by_difficulty,
    corpus_statistics,
    measured,
    profile_statistics,
    size_matched,
    statistics_intervals,
)
from mustermann.metrics.corpus_distance import Side, corpus_distance, distance_floor
from mustermann.metrics.embedding import CharacterEmbedding, embedding
from mustermann.metrics.lexical import mtld, tokens, trigram_novelty
from mustermann.metrics.profile import corpus_profile
from mustermann.metrics.readability import readability
from mustermann.metrics.self_bleu import self_bleu
from mustermann.metrics.token_table import Vocabulary, token_table

WORDS = "der die Patient Patientin wurde aufgenommen entlassen am und mit Herz EK's Röntgen-Thorax"


def letters(count, *, seed=0, words=WORDS, length=120):
    draws = Seeds(seed).random("letters")
    pool = words.split()
    made = []
    for number in range(count):
        chosen = [draws.choice(pool) for _ in range(length + draws.randrange(40))]
        text = "Anna Weber. " + " ".join(chosen) + "."
        spans = (Span(0, 10, "PATIENT_NAME"),) + ((Span(12, 15, "EPONYM"),) if number % 2 else ())
        difficulty = ("easy", "hard")[number % 2]
        made.append(Document(f"{number}", text, spans, meta={"difficulty": difficulty}))
    return made


def test_figures_are_those_of_the_documents():
    corpus = letters(6)
    found = corpus_statistics(corpus)
    words = [tokens(d.text) for d in corpus]
    assert found.documents == 6
    assert found.mean_chars == pytest.approx(np.mean([len(d.text) for d in corpus]))
    assert found.std_chars == pytest.approx(np.std([len(d.text) for d in corpus]))
    assert found.spans == 6
    assert found.spans_per_1k == pytest.approx(6_000 / sum(map(len, words)))
    assert found.decoys_per_1k == pytest.approx(3_000 / sum(map(len, words)))
    assert found.mtld == pytest.approx(np.mean([mtld(w) for w in words]))
    assert found.trigram_novelty == pytest.approx(np.mean(trigram_novelty(words)))
    assert found.self_bleu == pytest.approx(self_bleu(words))


def test_an_interval_holds_the_figure_and_shrinks_with_the_corpus():
    small, large = (corpus_profile(letters(count)) for count in (10, 160))
    for name, wide in statistics_intervals(small).items():
        assert wide.low <= getattr(profile_statistics(small), name) <= wide.high
    a, b = statistics_intervals(small)["mtld"], statistics_intervals(large)["mtld"]
    assert b.high - b.low < (a.high - a.low) / 2
    assert not set(statistics_intervals(small)) & set(NOT_BOOTSTRAPPED)


def test_the_interval_of_a_mean_is_the_normal_one():
    profile = corpus_profile(letters(400))
    chars = profile.measures["chars"]
    found = statistics_intervals(profile)["mean_chars"]
    half = 1.96 * chars.std() / math.sqrt(len(chars))
    assert found.high - found.low == pytest.approx(2 * half, rel=0.05)


def test_equal_seeds_give_equal_intervals_and_subsets():
    profile = corpus_profile(letters(12))
    assert statistics_intervals(profile, seed=3) == statistics_intervals(profile, seed=3)
    assert size_matched(profile, 5, seed=3) == size_matched(profile, 5, seed=3)
    assert size_matched(profile, 5, seed=3) != size_matched(profile, 5, seed=4)


def test_novelty_rises_as_a_corpus_shrinks_and_the_full_size_is_the_full_figure():
    profile = corpus_profile(letters(40))
    full = profile_statistics(profile)
    at_full, at_five = size_matched(profile, 40), size_matched(profile, 5)
    assert at_five.trigram_novelty > full.trigram_novelty
    assert at_five.self_bleu_texygen < full.self_bleu_texygen
    assert at_full.draws == 1
    assert at_full.trigram_novelty == pytest.approx(full.trigram_novelty)
    assert at_full.self_bleu == pytest.approx(full.self_bleu)
    assert at_five.self_bleu == pytest.approx(full.self_bleu, rel=0.1)


def test_difficulties_have_the_figures_of_their_documents():
    corpus = letters(8)
    found = by_difficulty(corpus_profile(corpus))
    assert list(found) == ["easy", "hard"]
    easy = [d for d in corpus if d.meta["difficulty"] == "easy"]
    assert found["easy"]["mean_chars"] == pytest.approx(np.mean([len(d.text) for d in easy]))
    assert found["easy"]["decoys_per_1k"] == 0 < found["hard"]["decoys_per_1k"]
    assert by_difficulty(corpus_profile([Document("a", "Text")])) == {}


def test_nothing_and_empty_texts_give_zeros_that_are_json():
    for corpus in ([], [Document("a", ""), Document("b", "")]):
        record = measured("x", corpus_profile(corpus), size=2 if corpus else None).to_record()
        assert "NaN" not in json.dumps(record)
        assert record["self_bleu"] == record["mtld"] == record["trigram_novelty"] == 0


def test_readability_agrees_with_textstat_to_the_last_digit():
    textstat = pytest.importorskip("textstat")
    textstat.set_lang("de")
    for document in letters(20):
        found = readability(document.text)
        assert found.smog == pytest.approx(textstat.smog_index(document.text), abs=1e-12)
        assert found.fkgl == pytest.approx(textstat.flesch_kincaid_grade(document.text), abs=1e-12)
        assert found.amstad == pytest.approx(textstat.flesch_reading_ease(document.text), abs=1e-12)
        wiener = textstat.wiener_sachtextformel(document.text, variant=1)
        assert found.wiener == pytest.approx(wiener, abs=1e-12)


def sides(left, right):
    vocabulary = Vocabulary()
    profiles = [corpus_profile(side, vocabulary=vocabulary) for side in (left, right)]
    vectors = CharacterEmbedding().embed([d.text for d in left], [d.text for d in right])
    a, b = (Side(v, p.table) for v, p in zip(vectors, profiles, strict=True))
    return a, b, len(vocabulary)


def test_one_source_is_at_its_floor_and_another_one_above_it():
    other = "Befund Niere Leber unauffällig Sonographie zeigte keinen Stau beidseits regelrecht"
    for words, far in ((WORDS, False), (other, True)):
        a, b, size = sides(letters(30), letters(30, seed=1, words=words))
        found = corpus_distance(a, b, words=size, embedding="x")
        floor = distance_floor(a, b, words=size)
        assert floor.size == 15
        assert (floor.between["frechet"] > 2 * floor.same["frechet"]) is far
        assert (floor.between["js"] > 2 * floor.same["js"]) is far
        assert (found.mmd_p < 0.01) is far
    assert distance_floor(a.part([0, 1, 2]), b, words=size) is None


def test_an_unknown_embedding_is_named():
    with pytest.raises(PluginError, match="characters"):
        embedding("words")


def test_a_folder_is_a_model_whose_signature_changes_with_its_files(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    first = embedding(str(tmp_path)).signature
    (tmp_path / "config.json").write_text("{ }")
    assert embedding(str(tmp_path)).signature != first


def test_a_model_that_cannot_be_loaded_is_a_foreseen_error(tmp_path):
    with warnings.catch_warnings(), pytest.raises(PluginError, match="sentence-transformers"):
        warnings.simplefilter("ignore")
        embedding(str(tmp_path)).embed(["a"], ["b"])


def test_a_subset_of_a_token_table_is_the_table_of_the_subset():
    documents = [list("abc"), [], list("cab"), list("a")]
    vocabulary = Vocabulary()
    table = token_table(documents, vocabulary=vocabulary).subset([2, 1])
    again = token_table([documents[2], documents[1]], vocabulary=vocabulary)
    assert table.words.tolist() == again.words.tolist()
    assert table.starts.tolist() == again.starts.tolist()
