"""The transformer over sentences: one vocabulary and one head for all columns.

    reads    BEGIN value END of each column, one token a position
    writes   logits over the vocabulary, of which the trie's children of the value so far stay

Under the trie only choices are scored: BEGIN is given, and what is forced has probability 1.
So the head is computed at choices alone. In random order, rows in training stand in an order
of their own each time they are seen; whatever is scored or sampled afterwards stands in the
table's order, so that likelihoods are those of one distribution.

Shape letters: B rows, k columns, T tokens, V vocabulary, P predicted tokens, d width.

Source: seed paper, arXiv 2306.04803; GPT-2, Radford et al. 2019.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from mustermann.core.errors import ConfigError
from mustermann.privacy.layers import MASKED, Positions
from mustermann.tables.sentences import FREE, IGNORED, Sentences
from mustermann.tables.transformer import Block, Shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from mustermann.tables.lexicon import Lexicon

LONGEST = 4096
"""Tokens of the longest row."""
_TIED_STD = 0.02
"""Of the first weights that a head shares; as GPT-2's."""


class SentenceTransformer(nn.Module):
    """A probability for every row of a domain, token by token.

    Attributes:
      shape: The size.
      sentences: How rows are laid out.
      order: Columns of the table as they stand in what is scored and sampled, shape (k,).
      random: Whether rows in training stand in orders drawn anew.
      guided: Whether the trie restricts the softmax in training, as it always does outside.
      tied: Whether the head and the embedding share their weights.
    """

    order: torch.Tensor

    def __init__(
        self,
        lexicon: Lexicon,
        shape: Shape,
        *,
        order: Sequence[int],
        random: bool = False,
        guided: bool = True,
        tied: bool = False,
        generator: torch.Generator,
    ) -> None:
        """Makes a model.

        Args:
          lexicon: How levels are spelt.
          shape: The size; `smooth` has no meaning here, as columns share their tables.
          order: A permutation of the columns; the table's own where `random`.
          random: See the class.
          guided: See the class.
          tied: See the class.
          generator: Draws the first weights.

        Raises:
          ConfigError: A row may have more than `LONGEST` tokens.
        """
        super().__init__()
        if lexicon.length > LONGEST:
            raise ConfigError(
                f"Expected rows of at most {LONGEST} tokens, found up to {lexicon.length}. "
                f"Raise the vocabulary, shorten the levels' names, or drop columns."
            )
        self.shape, self.random, self.guided, self.tied = shape, random, guided, tied
        self.sentences = Sentences(lexicon)
        # The layers draw first weights from torch's global stream; ours replace them.
        with torch.random.fork_rng(devices=[]):
            self.embedding = nn.Embedding(lexicon.vocabulary, shape.width)
            self.positions = Positions(lexicon.length, shape.width)
            self.blocks = nn.ModuleList([Block(shape) for _ in range(shape.layers)])
            self.head = nn.Linear(shape.width, lexicon.vocabulary)
        if tied:
            self.head.weight = self.embedding.weight
        self.register_buffer("order", torch.tensor(list(order)), persistent=False)
        self._draw_weights(generator)

    @property
    def lexicon(self) -> Lexicon:
        """Returns how levels are spelt."""
        return self.sentences.lexicon

    def losses(self, codes: torch.Tensor) -> torch.Tensor:
        """Returns the training loss of each row (B, k) in nats, shape (B,).

        In training mode in random order, orders come from torch's global stream.
        """
        if self.training and self.random:
            orders = torch.rand(codes.shape, device=codes.device).argsort(dim=1)
        else:
            orders = self.order.expand_as(codes)
        return -self.log_likelihood(codes, orders, guided=self.guided or not self.training)

    def log_likelihood(
        self, codes: torch.Tensor, orders: torch.Tensor, *, guided: bool = True
    ) -> torch.Tensor:
        """Returns the log-likelihood of each row in nats, shape (B,).

        Args:
          codes: Rows in the table's order, shape (B, k).
          orders: For each row the columns as they shall stand, shape (B, k).
          guided: Whether the trie restricts each softmax. Without it all tokens but BEGIN
            are predicted among the whole vocabulary, and rows sum to less than 1.
        """
        laid = self.sentences.lay(codes, orders)
        choices = laid.choices if guided else torch.full_like(laid.choices, FREE)
        counts = laid.choices != FREE if guided else laid.targets != IGNORED
        most = max(1, int(counts.sum(1).max()))
        # The places that count, from the left; where a row has fewer, others pad it.
        places = counts.byte().argsort(dim=1, descending=True, stable=True)[:, :most]  # (B, P)
        real = counts.gather(1, places)
        states = self.states(laid.inputs)
        states = states.gather(1, places.unsqueeze(2).expand(-1, -1, states.shape[2]))
        allowed = self.sentences.allowed[choices.gather(1, places)]  # (B, P, V)
        logits = self.write(states).masked_fill(~allowed, MASKED)
        targets = laid.targets.gather(1, places).masked_fill(~real, 0)
        losses = functional.cross_entropy(logits.transpose(1, 2), targets, reduction="none")
        return -torch.where(real, losses, 0.0).sum(1)

    def states(self, tokens: torch.Tensor) -> torch.Tensor:
        """Returns the last states (B, T, d) at tokens (B, T)."""
        states: torch.Tensor = self.positions(self.embedding(tokens))
        for block in self.blocks:
            states = block(states)
        return states

    def write(self, states: torch.Tensor) -> torch.Tensor:
        """Returns logits (B, P, V) from last states (B, P, d), before any restriction."""
        logits: torch.Tensor = self.head(functional.layer_norm(states, (self.shape.width,)))
        return logits

    @torch.no_grad()
    def start_from(self, marginals: Sequence[npt.NDArray[np.float64]]) -> None:
        """Makes columns independent with these probabilities, given in the table's order.

        Only where each level has a word of its own: words that columns share can't hold the
        marginals of one. There the model stays as it is.
        """
        lexicon = self.lexicon
        if not lexicon.one_word_a_level or self.tied:
            return
        self.head.weight.zero_()
        self.head.bias.zero_()
        for spellings, marginal in zip(lexicon.spellings, marginals, strict=True):
            words = torch.tensor([word for (word,) in spellings])
            self.head.bias[words] = torch.from_numpy(np.log(marginal)).to(self.head.bias.dtype)

    @torch.no_grad()
    def _draw_weights(self, generator: torch.Generator) -> None:
        def normal(weight: torch.Tensor, std: float) -> None:
            weight.copy_(torch.randn(weight.shape, generator=generator) * std)

        std = _TIED_STD if self.tied else 0.3
        normal(self.embedding.weight, std)
        normal(self.positions.weight, std)
        for name, layer in self.blocks.named_modules():
            if isinstance(layer, nn.Linear):
                residual = name.endswith(("outward", "down"))
                gain = 1 / math.sqrt(2 * self.shape.layers) if residual else 1.0
                normal(layer.weight, gain / math.sqrt(layer.in_features))
                layer.bias.zero_()
        self.head.bias.zero_()
        if not self.tied:
            self.head.weight.zero_()
