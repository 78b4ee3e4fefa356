"""The published column for GraSCCo, on the 43 letters that may be passed on."""

from pathlib import Path

import pytest

from mustermann.documents.corpus import load_corpus
from mustermann.metrics.corpus import corpus_statistics

GRASCCO = Path(__file__).parents[3] / "shared" / "data" / "grascco" / "grascco_phi_open.jsonl"

GOLDEN = {
    "documents": 43, "mean_chars": 3909.6744, "std_chars": 2418.3859, "tokens": 22_470,
    "spans": 969, "spans_per_1k": 43.1242, "ttr": 0.6789, "mtld": 243.0119,
    "trigram_novelty": 0.8383, "self_bleu": 0.0127, "smog": 13.7502, "fkgl": 14.9528,
    "self_bleu_texygen": 0.2175, "wiener": 11.6760, "amstad": 37.7701,
}  # fmt: skip


@pytest.mark.reference
@pytest.mark.skipif(not GRASCCO.exists(), reason="needs GraSCCo_PHI beside the checkout")
def test_every_figure_holds_to_the_printed_precision():
    found = corpus_statistics(load_corpus(GRASCCO))
    assert {name: round(getattr(found, name), 4) for name in GOLDEN} == GOLDEN
