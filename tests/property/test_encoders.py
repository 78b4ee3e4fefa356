"""What holds for every column: a level's values encode to that level."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mustermann.tables.encoders import Bins, Levels, grid


@st.composite
def cut_columns(draw):
    low = draw(st.integers(-(10**6), 10**6))
    span = draw(st.integers(0, 10**6))
    count = draw(st.integers(1, 120))
    edges = tuple(np.linspace(low, low + span, count + 1).tolist()) if span else (low, low)
    step = draw(st.sampled_from([None, 1.0, 0.5, 0.1, 0.01]))
    kept = np.arange(len(edges) - 1)
    if step is not None:
        first, last = grid(edges, step)
        kept = kept[first <= last]
    missing = draw(st.booleans())
    return Bins(
        name="c", storage="float", edges=edges, kept=tuple(kept.tolist()), step=step,
        missing=missing,
    )  # fmt: skip


@given(cut_columns(), st.integers(0, 2**32 - 1))
def test_values_drawn_for_a_level_encode_to_that_level(bins, seed):
    codes = np.arange(bins.size)
    drawn = bins.decode(codes, np.random.default_rng(seed))
    assert bins.encode(drawn).tolist() == codes.tolist()
    present = drawn.values[~drawn.missing]
    assert present.min() >= bins.edges[0]
    assert present.max() <= bins.edges[-1]


@given(
    st.lists(st.text(), unique=True, min_size=1),
    st.booleans(),
    st.booleans(),
)
def test_levels_encode_to_themselves(texts, unknown, missing):
    label = None
    if unknown:
        label = "unknown"
        while label in texts:
            label += "*"
    levels = Levels(name="c", storage="string", values=tuple(texts), unknown=label, missing=missing)
    codes = np.arange(levels.size)
    assert levels.encode(levels.decode(codes, np.random.default_rng(0))).tolist() == codes.tolist()
