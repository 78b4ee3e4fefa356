from __future__ import annotations

import pytest
import torch
from torch import nn

from mustermann.core.errors import ConfigError
from mustermann.privacy.layers import ColumnEmbedding, ColumnHeads, Positions

SIZES = (4, 2, 3)


def draw(count):
    torch.manual_seed(0)
    return torch.stack([torch.randint(0, n, (count,)) for n in SIZES], 1)


def test_columns_have_tables_of_their_own():
    embedding, ids = ColumnEmbedding(SIZES, 5), draw(6)
    vectors = embedding(ids)
    assert vectors.shape == (6, 3, 5)
    for column in range(3):
        expected = embedding.weight[column][ids[:, column]]
        assert torch.equal(vectors[:, column], expected)


def test_heads_are_linear_maps_a_column_and_mask_what_is_not_there():
    heads = ColumnHeads(SIZES, 5)
    nn.init.normal_(heads.weight)
    nn.init.normal_(heads.bias)
    states = torch.randn(6, 3, 5)
    logits = heads(states)
    for column, levels in enumerate(SIZES):
        expected = states[:, column] @ heads.weight[column, :levels].t()
        torch.testing.assert_close(
            logits[:, column, :levels], expected + heads.bias[column, :levels]
        )
        chances = logits[:, column].softmax(-1)
        assert (chances[:, levels:] == 0).all()


def test_heads_start_with_equal_chances():
    chances = ColumnHeads(SIZES, 5)(torch.randn(2, 3, 5)).softmax(-1)
    torch.testing.assert_close(chances[:, 0], torch.full((2, 4), 0.25))
    torch.testing.assert_close(chances[:, 1, :2], torch.full((2, 2), 0.5))


@pytest.mark.parametrize("layer", [ColumnEmbedding, ColumnHeads])
def test_a_basis_stands_before_the_weights(layer):
    torch.manual_seed(0)
    basis = torch.randn(3, 4, 4)
    smooth, plain = layer(SIZES, 5, basis=basis), layer(SIZES, 5)
    nn.init.normal_(smooth.weight)
    with torch.no_grad():
        plain.weight.copy_(basis @ smooth.weight)
    given = draw(6) if layer is ColumnEmbedding else torch.randn(6, 3, 5)
    torch.testing.assert_close(smooth(given), plain(given))


@pytest.mark.parametrize("layer", [ColumnEmbedding, ColumnHeads])
def test_wrong_shapes_are_refused(layer):
    with pytest.raises(ConfigError, match=r"\(3, 4, 4\)"):
        layer(SIZES, 5, basis=torch.eye(4))
    with pytest.raises(ConfigError, match="at least one"):
        layer((), 5)
    with pytest.raises(ConfigError, match="at least one"):
        layer((3, 0), 5)


def test_only_weights_are_state():
    # A basis is a function of public things and is made anew when a model is loaded.
    names = set(ColumnHeads(SIZES, 5, basis=torch.zeros(3, 4, 4)).state_dict())
    assert names == {"weight", "bias"}


def test_positions_are_added():
    positions = Positions(4, 5)
    torch.testing.assert_close(
        positions(torch.zeros(2, 3, 5)), positions.weight[:3].expand(2, 3, 5)
    )
