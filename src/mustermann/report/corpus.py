"""Sections about a corpus: what is in it, how varied it is, and how it stands beside others."""

from __future__ import annotations

import dataclasses
import tomllib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from mustermann.documents.labels import LABELS
from mustermann.report import charts
from mustermann.report.blocks import Block, Chart, Letter, Paragraph, Section, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mustermann.documents.document import Document
    from mustermann.metrics.corpus import MeasuredCorpus
    from mustermann.metrics.corpus_distance import CorpusDistance, DistanceFloor

_NAMES = {
    "documents": "documents", "mean_chars": "characters, mean",
    "std_chars": "characters, standard deviation", "tokens": "words",
    "spans_per_1k": "PHI spans per 1,000 words", "decoys_per_1k": "decoys per 1,000 words",
    "clinical_per_1k": "clinical spans per 1,000 words", "ttr": "type-token ratio",
    "mtld": "MTLD", "trigram_novelty": "trigram novelty", "self_bleu": "Self-BLEU, pairwise",
    "self_bleu_texygen": "Self-BLEU, against all others", "smog": "SMOG",
    "fkgl": "Flesch-Kincaid grade", "wiener": "Wiener Sachtextformel", "amstad": "Amstad",
}  # fmt: skip
_DECIMALS = {
    "documents": 0, "mean_chars": 0, "std_chars": 0, "tokens": 0, "mtld": 1, "ttr": 3,
    "trigram_novelty": 3, "self_bleu": 4, "self_bleu_texygen": 3, "frechet": 4, "mmd": 4,
    "js": 3, "jaccard": 3,
}  # fmt: skip
_SHORT = {
    "documents": "letters", "mean_chars": "chars", "std_chars": "std", "tokens": "words",
    "spans_per_1k": "PHI/1k", "decoys_per_1k": "decoys/1k", "clinical_per_1k": "clinical/1k",
    "ttr": "TTR", "mtld": "MTLD", "trigram_novelty": "novelty", "self_bleu": "Self-BLEU",
    "smog": "SMOG", "fkgl": "FKGL",
}  # fmt: skip
_PUBLISHED = ("documents", "mean_chars", "std_chars", "spans_per_1k", "ttr", "mtld",
              "trigram_novelty", "self_bleu", "smog", "fkgl")  # fmt: skip
_BY_DIFFICULTY = ("documents", "mean_chars", "spans_per_1k", "decoys_per_1k", "clinical_per_1k",
                  "ttr", "mtld", "trigram_novelty", "smog", "fkgl")  # fmt: skip
_DISTANCES = {"frechet": "Fréchet", "mmd": "MMD", "js": "Jensen-Shannon of words",
              "jaccard": "Jaccard of vocabularies"}  # fmt: skip
_LABELS = 30


@dataclasses.dataclass(frozen=True, slots=True)
class Reference:
    """Published figures of another corpus, by the names of `CorpusStatistics`."""

    name: str
    language: str
    figures: Mapping[str, float]


def corpus_sections(
    corpora: Sequence[MeasuredCorpus], *, examples: Sequence[Document] = (),
    distance: CorpusDistance | None = None, floor: DistanceFloor | None = None,
) -> list[Section]:  # fmt: skip
    """Returns the sections of a report on the first corpus; others stand beside it.

    Args:
      corpora: One or two, the reported one first.
      examples: Documents of the first corpus, shown with their labels.
      distance: From the first corpus to the second.
      floor: The same distances at equal size, and within the first corpus.
    """
    first = corpora[0]
    sections = [
        Section("Figures", [_figures(corpora), Paragraph(_NOT_RESAMPLED)]),
        Section("Lengths", _lengths(corpora)),
        Section("Labels", _labels(corpora)),
    ]
    if first.difficulties:
        sections.append(Section("By difficulty", _difficulties(first)))
    sections.append(Section("Beside published corpora", _beside(corpora)))
    if distance is not None:
        sections.append(Section("Distance", _distances(corpora, distance, floor)))
    if examples:
        sections.append(Section("Examples", [_example(document) for document in examples]))
    return [*sections, Section("Signatures", [_signatures(corpora, distance)])]


@cache
def reference_corpora() -> tuple[str, tuple[Reference, ...]]:
    """Returns where the published figures come from, and the figures."""
    file = resources.files("mustermann.report") / "reference_corpora.toml"
    found = tomllib.loads(file.read_text(encoding="utf-8"))
    return found["source"], tuple(
        Reference(one.pop("name"), one.pop("language"), one) for one in found["corpus"]
    )


_NOT_RESAMPLED = (
    "Brackets hold 95 % intervals from a bootstrap over documents with 10,000 replicates. "
    "Self-BLEU has none: it is a mean over pairs, and a document drawn twice would meet itself. "
    "A document's novelty is held as it is in the whole corpus."
)


def _figures(corpora: Sequence[MeasuredCorpus]) -> Table:
    rows = tuple(
        (label, *(_with_interval(corpus, name) for corpus in corpora))
        for name, label in _NAMES.items()
    )
    return Table(("figure", *(corpus.name for corpus in corpora)), rows)


def _with_interval(corpus: MeasuredCorpus, name: str) -> str:
    value = _shown(name, getattr(corpus.statistics, name))
    found = corpus.intervals.get(name)
    return f"{value} [{_shown(name, found.low)}, {_shown(name, found.high)}]" if found else value


def _lengths(corpora: Sequence[MeasuredCorpus]) -> list[Block]:
    return [
        Chart(
            charts.histogram(
                corpus.profile.measures["chars"].tolist(),
                title=f"Length of the letters of {corpus.name}", axis="characters",
            ), "",
        )
        for corpus in corpora
    ]  # fmt: skip


def _labels(corpora: Sequence[MeasuredCorpus]) -> list[Block]:
    corpus = corpora[0]
    counts = corpus.profile.labels
    order = sorted(counts, key=lambda name: (-counts[name], name))
    total = max(1, sum(counts.values()))
    shares = {name: counts[name] / total for name in order[:_LABELS]}
    rows = tuple(
        (name, LABELS[name].meaning if name in LABELS else "–", f"{counts[name]:,}",
         f"{counts[name] / total:.1%}")
        for name in order
    )  # fmt: skip
    title = f"Share of the spans by label in {corpus.name}"
    return [
        Chart(charts.bars({corpus.name: shares}, title=title, axis=""), ""),
        Table(("label", "meaning", "spans", "share"), rows),
    ]


def _difficulties(corpus: MeasuredCorpus) -> list[Block]:
    rows = tuple(
        (name, *(_shown(figure, found[figure]) for figure in _BY_DIFFICULTY))
        for name, found in corpus.difficulties.items()
    )
    heads = ("difficulty", *(_SHORT[figure] for figure in _BY_DIFFICULTY))
    return [Table(heads, rows), Paragraph("Novelty is against the whole corpus.")]


def _beside(corpora: Sequence[MeasuredCorpus]) -> list[Block]:
    source, references = reference_corpora()
    rows = [
        (corpus.name, *(_shown(name, getattr(corpus.statistics, name)) for name in _PUBLISHED))
        for corpus in corpora
    ]
    rows += [
        (f"{one.name}, {one.language}",
         *(_published(name, one.figures.get(name)) for name in _PUBLISHED))
        for one in references
    ]  # fmt: skip
    blocks: list[Block] = [
        Table(("corpus", *(_SHORT[name] for name in _PUBLISHED)), tuple(rows)),
        Paragraph(f"The lines below ours are published figures: {source}."),
    ]
    matched = [(corpus.name, corpus.matched) for corpus in corpora if corpus.matched]
    if matched:
        blocks.append(_matched(matched))
    blocks.append(
        Chart(
            charts.bars(
                {"MTLD": {corpus.name: corpus.statistics.mtld for corpus in corpora}
                 | {one.name: one.figures["mtld"] for one in references}},
                title="MTLD: mean stretch of words above a type-token ratio of 0.72",
                axis="words", percent=False,
            ), "More is more varied. Texts of different languages do not compare in it.",
        )
    )  # fmt: skip
    return blocks


def _matched(found: Sequence[tuple[str, Any]]) -> Table:
    names = ("trigram_novelty", "self_bleu", "self_bleu_texygen")
    rows = tuple(
        (name, str(one.size), str(one.draws),
         *(f"{_shown(n, getattr(one, n))} ± {_shown(n, getattr(one, n + '_std'))}" for n in names))
        for name, one in found
    )  # fmt: skip
    return Table(
        ("corpus", "letters", "draws", *(_NAMES[name] for name in names)), rows,
        "The same at equal size: mean ± standard deviation over random subsets.",
    )  # fmt: skip


def _distances(
    corpora: Sequence[MeasuredCorpus], distance: CorpusDistance, floor: DistanceFloor | None
) -> list[Block]:
    left, right = (corpus.name for corpus in corpora)
    heads = ["distance", f"{left} – {right}"]
    if floor is not None:
        heads += [f"{floor.size} letters a side", f"within {left}"]
    rows = []
    for name, label in _DISTANCES.items():
        cells = [_shown(name, getattr(distance, name))]
        if floor is not None:
            cells += [_shown(name, floor.between[name]), _shown(name, floor.same[name])]
        rows.append((label, *cells))
    text = (
        "Two samples of one corpus differ too: the last column is the floor below which a "
        f"distance says nothing. MMD by permutation: p = {distance.mmd_p:.3f}."
    )
    return [Table(tuple(heads), tuple(rows)), Paragraph(text)]


def _example(document: Document) -> Letter:
    difficulty = document.meta.get("difficulty")
    about = f", {difficulty}" if difficulty else ""
    return Letter(
        document, f"{document.id}{about}: of median length, {len(document.text):,} characters."
    )


def _signatures(corpora: Sequence[MeasuredCorpus], distance: CorpusDistance | None) -> Table:
    rows = [(corpus.name, corpus.statistics.signature) for corpus in corpora]
    if distance is not None:
        rows.append(("distance", distance.signature))
    return Table(("figures", "signature"), tuple(rows), "Two figures compare if these agree.")


def _published(name: str, value: float | None) -> str:
    return "–" if value is None else _shown(name, value)


def _shown(name: str, value: float) -> str:
    return f"{value:,.{_DECIMALS.get(name, 2)}f}"
