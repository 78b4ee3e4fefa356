"""A tiny encoder with random weights, made on the spot: it proves the plumbing."""

import pytest

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def save_encoder(directory, words, tags=("O", "B-NAME", "I-NAME"), positions=64):
    """Writes a BERT token classifier that knows `words` as whole pieces, and its tokenizer."""
    import torch
    from transformers import BertConfig, BertForTokenClassification, BertTokenizerFast

    directory.mkdir(parents=True, exist_ok=True)
    letters = sorted({c for word in words for c in word})
    vocabulary = list(dict.fromkeys([*SPECIAL, *words, *letters, *(f"##{c}" for c in letters)]))
    (directory / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    tokenizer = BertTokenizerFast(vocab=str(directory / "vocab.txt"), do_lower_case=False)
    tokenizer.model_max_length = positions
    with torch.random.fork_rng():
        torch.manual_seed(1)
        model = BertForTokenClassification(
            BertConfig(
                vocab_size=len(vocabulary), hidden_size=32, num_hidden_layers=1,
                num_attention_heads=2, intermediate_size=32, max_position_embeddings=positions,
                id2label=dict(enumerate(tags)), label2id={t: i for i, t in enumerate(tags)},
                hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
            )
        )  # fmt: skip
    model.save_pretrained(directory)
    tokenizer.save_pretrained(directory)
    return vocabulary, model, tokenizer


def save_name_spotter(directory, words, names, positions=64):
    """Writes a classifier whose weights are set by hand: it tags exactly the pieces in `names`."""
    import torch

    vocabulary, model, _ = save_encoder(directory, words, positions=positions)
    with torch.no_grad():
        # One dimension says "a name"; every layer hands it through unchanged.
        for parameter in model.parameters():
            parameter.zero_()
        for layer in model.bert.encoder.layer:
            layer.attention.output.LayerNorm.weight.fill_(1.0)
            layer.output.LayerNorm.weight.fill_(1.0)
        model.bert.embeddings.LayerNorm.weight.fill_(1.0)
        embedding = model.bert.embeddings.word_embeddings.weight
        for index, word in enumerate(vocabulary):
            embedding[index, 0 if word in names else 1] = 1.0
        model.classifier.weight[1, 0] = 1.0
        model.classifier.weight[0, 1] = 1.0
    model.save_pretrained(directory)
    return directory


@pytest.fixture(scope="session")
def encoder_writer():
    """Returns the function that writes an encoder with random weights."""
    return save_encoder


@pytest.fixture(scope="session")
def spotter_writer():
    """Returns the function that writes a classifier that finds given names."""
    return save_name_spotter
