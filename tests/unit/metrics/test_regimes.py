"""Folds are added up before ratios; seeds give mean and deviation."""

import pytest

from mustermann.metrics.detection import Counts
from mustermann.metrics.regimes import REGIMES, summarise


def counts(hits, gold, predicted):
    return Counts(labelled_exact=hits, labelled_gold=gold, labelled_predicted=predicted)


def test_summary():
    outcomes = []
    for regime in REGIMES:
        for seed, folds in ((0, [(1, 2, 2), (9, 10, 10)]), (1, [(6, 12, 6)])):
            for fold in folds:
                both = {"public": counts(*fold), "holdout": counts(1, 1, 1)}
                outcomes.append(((regime, seed), both))
    result = summarise(outcomes)
    recall = result.public["both"]["span_recall"]
    assert recall.mean == pytest.approx((10 / 12 + 6 / 12) / 2)
    assert recall.std == pytest.approx(abs(10 / 12 - 6 / 12) / 2**0.5)
    assert result.public["public"]["char_f1"].mean is None
    record = result.to_record()
    assert record["synthetic_holdout"]["synthetic"]["span_f1"] == {"mean": 1.0, "std": 0.0}
    assert set(record["regimes"]) == {"synthetic", "public", "both"}
    assert record["by_seed"]["both"]["span_recall"] == pytest.approx([10 / 12, 6 / 12])
