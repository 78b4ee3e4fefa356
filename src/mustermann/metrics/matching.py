"""One-to-one matching of predicted to gold spans by maximum overlap.

Source: METRICS, detectors against gold spans. A gold span and a predicted span count at
most once, and the order in which spans come plays no part.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mustermann.documents.spans import Span

Rule = Literal["exact", "partial", "overlap"]
PARTIAL_IOU = 0.5


@dataclasses.dataclass(frozen=True, slots=True)
class Pair:
    """A gold span and the predicted span that it is matched to.

    Attributes:
      gold: The annotated span.
      predicted: The detector's span.
    """

    gold: Span
    predicted: Span

    @property
    def overlap(self) -> int:
        """How many characters both cover."""
        return self.gold.overlap(self.predicted)

    @property
    def iou(self) -> float:
        """Shared characters over characters that either covers."""
        return self.overlap / (len(self.gold) + len(self.predicted) - self.overlap)


def match(
    gold: Sequence[Span], predicted: Sequence[Span], *, rule: Rule, labelled: bool = False
) -> list[Pair]:
    """Returns the one-to-one pairs whose overlap adds up to the most, by gold position.

    Args:
      gold: The annotated spans, in any order; they may overlap.
      predicted: The detector's spans, likewise.
      rule: "exact" pairs equal extents only, "partial" those with IoU >= 0.5, "overlap"
        any that share a character.
      labelled: Whether a pair must also agree on the label.
    """
    edges = list(_edges(gold, predicted, rule, labelled))
    pairs = [pair for group in _components(edges) for pair in _best(group)]
    return sorted(pairs, key=lambda pair: (pair.gold.start, pair.gold.end, pair.gold.label))


_Edge = tuple[int, int, Pair]


def _edges(
    gold: Sequence[Span], predicted: Sequence[Span], rule: Rule, labelled: bool
) -> Iterator[_Edge]:
    """Yields (gold index, predicted index, pair) for every pair that the rule admits."""
    order = sorted(range(len(predicted)), key=lambda index: predicted[index].start)
    waiting: list[int] = []
    position = 0
    for g in sorted(range(len(gold)), key=lambda index: gold[index].start):
        while position < len(order) and predicted[order[position]].start < gold[g].end:
            waiting.append(order[position])
            position += 1
        # Gold spans may overlap: keep what could still touch a later one.
        waiting = [p for p in waiting if predicted[p].end > gold[g].start]
        for p in waiting:
            pair = Pair(gold[g], predicted[p])
            if _admits(pair, rule) and (not labelled or pair.gold.label == pair.predicted.label):
                yield g, p, pair


def _admits(pair: Pair, rule: Rule) -> bool:
    if rule == "exact":
        return (pair.gold.start, pair.gold.end) == (pair.predicted.start, pair.predicted.end)
    if rule == "partial":
        return pair.iou >= PARTIAL_IOU
    return pair.overlap > 0


def _components(edges: list[_Edge]) -> list[list[_Edge]]:
    """Splits the pairs into groups that compete for the same spans."""
    owner: dict[tuple[str, int], list[_Edge]] = {}
    for edge in edges:
        left, right = owner.get(("gold", edge[0])), owner.get(("predicted", edge[1]))
        group = left if left is not None else right if right is not None else []
        if left is not None and right is not None and left is not right:
            left.extend(right)
            for other in right:
                owner["gold", other[0]] = owner["predicted", other[1]] = left
        group.append(edge)
        owner["gold", edge[0]] = owner["predicted", edge[1]] = group
    return list({id(group): group for group in owner.values()}.values())


def _best(group: list[_Edge]) -> list[Pair]:
    """Returns the assignment within one group whose total overlap is the greatest."""
    if len(group) == 1:
        return [group[0][2]]
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    rows = sorted({g for g, _, _ in group}, key=lambda index: index)
    columns = sorted({p for _, p, _ in group})
    weights = np.zeros((len(rows), len(columns)))
    pairs: dict[tuple[int, int], Pair] = {}
    for g, p, pair in group:
        at = rows.index(g), columns.index(p)
        weights[at] = pair.overlap
        pairs[at] = pair
    chosen = zip(*linear_sum_assignment(weights, maximize=True), strict=True)
    return [pairs[at] for at in ((int(r), int(c)) for r, c in chosen) if at in pairs]
