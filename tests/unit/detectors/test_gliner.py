"""GLiNER models: a tiny one, trained on the spot, through the real loading code."""

import importlib.util
import itertools
import re
import sys

import pytest

from mustermann.core.errors import PluginError
from mustermann.detectors.gliner import CONFIG, WEIGHTS, is_gliner, windows
from mustermann.detectors.label_map import load_label_map
from mustermann.detectors.prediction import clean
from mustermann.detectors.registry import load_detector

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
WORDS = ("Herr", "Frau", "kam", "mit", "Husten", "Quidde", "Voß", ".", ",", "Anna")


@pytest.mark.parametrize("text", [
    "", " \n", "ein Wort", "eins zwei drei", "a b\nc d\ne f\n\ng", "a b c d e f g\nh",
    "\n\na\nb\nc d",
])  # fmt: skip
def test_windows_hold_each_word_once_and_are_cut_at_line_breaks(text):
    made = list(windows(text, longest=3))
    words = [re.findall(r"\S+", text[start:end]) for start, end in made]
    assert list(itertools.chain(*words)) == text.split()
    assert all(len(found) <= 3 for found in words)
    for (_, end), (start, _) in itertools.pairwise(made):
        assert end == start


def test_a_line_is_not_cut_where_it_fits():
    assert [("a b\n", "c d\n", "e f")[i] for i in range(3)] == [
        "a b\nc d\ne f"[start:end] for start, end in windows("a b\nc d\ne f", longest=3)
    ]


def test_a_missing_library_names_the_extra(tmp_path, monkeypatch):
    (tmp_path / CONFIG).write_text("{}", encoding="utf-8")
    monkeypatch.setitem(sys.modules, "gliner", None)
    with pytest.raises(PluginError, match=r"mustermann\[gliner\]"):
        load_detector(f"hf:{tmp_path}")


def test_only_a_directory_with_its_config_is_one(tmp_path):
    assert not is_gliner(str(tmp_path))
    assert not is_gliner(str(tmp_path / "none"))
    (tmp_path / CONFIG).write_text("{}", encoding="utf-8")
    assert is_gliner(str(tmp_path))


def installed():
    return importlib.util.find_spec("gliner") is not None


def save_gliner(directory, names):
    """Trains a model to call `names` persons, whatever else it is asked for."""
    import torch
    from gliner.config import UniEncoderSpanConfig
    from gliner.data_processing.collator import UniEncoderSpanDataCollator
    from gliner.model import UniEncoderSpanGLiNER
    from transformers import BertTokenizerFast

    prompts = [label.lower().replace("_", " ") for label in load_label_map("gliner").labels]
    known = dict.fromkeys([*SPECIAL, *WORDS, *" ".join(prompts).split()])
    directory.mkdir()
    (directory / "vocab.txt").write_text("\n".join(known), encoding="utf-8")
    tokenizer = BertTokenizerFast(vocab=str(directory / "vocab.txt"), do_lower_case=False)
    config = UniEncoderSpanConfig(
        model_name=str(directory), max_width=2, hidden_size=32, dropout=0.0, max_len=24,
        num_rnn_layers=0, encoder_config={
            "model_type": "bert", "hidden_size": 32, "num_hidden_layers": 1,
            "num_attention_heads": 2, "intermediate_size": 32, "max_position_embeddings": 256,
            "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0,
        },
    )  # fmt: skip
    tokenizer.add_tokens([config.ent_token, config.sep_token], special_tokens=True)
    config.class_token_index = tokenizer.convert_tokens_to_ids(config.ent_token)
    config.vocab_size = config.encoder_config.vocab_size = len(tokenizer)
    with torch.random.fork_rng():
        torch.manual_seed(1)
        model = UniEncoderSpanGLiNER(config, tokenizer=tokenizer)
        cough = "Husten kam mit Husten ."
        letters = [{"tokenized_text": cough.split() * count, "ner": []} for count in (1, 2, 3, 4)]
        for name, before in itertools.product(names, range(4)):
            words = [*cough.split() * before, "Frau", name, "kam", "mit", "Husten", "."]
            at = 5 * before + 1
            letters.append({"tokenized_text": words, "ner": [[at, at, "person"]]})
        collate = UniEncoderSpanDataCollator(
            config, data_processor=model.data_processor, prepare_labels=True
        )
        optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
        model.train()
        for _ in range(120):
            optimizer.zero_grad()
            model(**collate(letters, entity_types=[prompts] * len(letters))).loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
    model.eval()
    model.save_pretrained(directory, safe_serialization=True)
    return directory


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    if not installed():
        pytest.skip("gliner is not installed: pip install 'mustermann[gliner]'")
    return save_gliner(tmp_path_factory.mktemp("gliner") / "model", ("Quidde", "Voß", "Anna"))


def test_what_it_is_asked_for_becomes_coarse_spans(model):
    detector = load_detector(f"hf:{model}")
    text = (
        "Frau Quidde kam mit Husten .\n\n"
        + "Husten kam mit Husten .\n" * 20
        + "Frau Voß kam mit Husten ."
    )
    assert [(text[s.start : s.end], s.label) for s in detector.detect(text)] == [
        ("Quidde", "NAME"), ("Voß", "NAME"),
    ]  # fmt: skip
    assert {"NAME", "DATE", "LOCATION", "CONTACT", "ID", "AGE", "ORG"} < detector.labels
    assert "gliner-" in detector.signature


def test_odd_texts_give_no_error(model):
    detector = load_detector(f"hf:{model}")
    for text in ("", " \n", "😊 Voß", "\x00", "A" * 500):
        assert not clean(detector.detect(text), length=len(text)).faults


def test_pickled_weights_are_refused(model, tmp_path):
    for file in model.iterdir():
        name = "pytorch_model.bin" if file.name == WEIGHTS else file.name
        (tmp_path / name).write_bytes(file.read_bytes())
    with pytest.raises(PluginError, match="can run code") as caught:
        load_detector(f"hf:{tmp_path}")
    assert "\n" not in str(caught.value)
