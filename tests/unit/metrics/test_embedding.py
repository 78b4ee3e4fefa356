import string

import numpy as np
import pytest

from mustermann.metrics.embedding import CharacterEmbedding, embedding


@pytest.fixture
def model(tmp_path, monkeypatch):
    """A sentence-transformers model with random weights, made here."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    sentence_transformers = pytest.importorskip("sentence_transformers")
    from sentence_transformers import models

    transformers = pytest.importorskip("transformers")
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    base = tmp_path / "base"
    base.mkdir()
    signs = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *string.ascii_lowercase]
    signs += ["##" + letter for letter in string.ascii_lowercase]
    (base / "vocab.txt").write_text("\n".join(signs))
    transformers.BertTokenizerFast(vocab=str(base / "vocab.txt")).save_pretrained(base)
    config = transformers.BertConfig(
        vocab_size=len(signs), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=16,
    )  # fmt: skip
    transformers.BertModel(config).save_pretrained(base)
    words = models.Transformer(str(base))
    made = sentence_transformers.SentenceTransformer(
        modules=[words, models.Pooling(16)], device="cpu"
    )
    made.save(str(tmp_path / "model"))
    return tmp_path / "model"


def test_a_local_model_sees_the_whole_of_a_long_text(model):
    found = embedding(str(model))
    start = "der patient war wach und klagte nicht " * 100
    a, b = found.embed([start, start + "ganz anderer schluss " * 100], [start])
    assert np.allclose((a**2).sum(axis=1), 1)
    assert np.allclose(a[0], b[0])
    assert not np.allclose(a[0], a[1])
    assert found.signature.startswith("model|sha256-")


def test_equal_texts_have_equal_vectors_and_an_empty_one_has_none():
    a, b = CharacterEmbedding().embed(["Frau Weber", "Herr Meier", ""], ["Frau Weber"])
    assert np.allclose(a[0], b[0])
    assert not np.allclose(a[0], a[1])
    assert not a[2].any()
