"""How a letter is to be written: difficulty, style, length, structure, density, modes."""

from __future__ import annotations

from typing import get_args

from mustermann.core.seeds import Seeds
from mustermann.letters.attributes.record import Difficulty, Length, Parameters, Structure, Style
from mustermann.letters.config import MODES, LettersConfig

DIFFICULTIES: tuple[Difficulty, ...] = get_args(Difficulty)
STYLES: tuple[Style, ...] = get_args(Style)
LENGTHS: tuple[Length, ...] = get_args(Length)


def sample_parameters(
    seeds: Seeds, *, config: LettersConfig, difficulty: Difficulty | None = None
) -> Parameters:
    """Returns the parameters of one letter, each from its own named draw.

    Args:
      seeds: The letter's node.
      config: Probabilities.
      difficulty: Fixes it; the draws of the others stay the same.
    """
    draws = seeds.draws("parameters")
    drawn = draws.weighted("difficulty", DIFFICULTIES, _weights(config.difficulty, DIFFICULTIES))
    level = drawn if difficulty is None else difficulty
    style = draws.weighted("style", STYLES, _weights(config.style, STYLES))
    length = draws.weighted("length", LENGTHS, _weights(config.lengths.at(level), LENGTHS))
    structured = draws.bernoulli("structure", config.structured.at(level))
    structure: Structure = "structured" if structured else "narrative"
    return Parameters(
        difficulty=level,
        style=style,
        length=length,
        structure=structure,
        density=_density(seeds, config, length, style),
        modes=_modes(seeds, config, level),
        has_meds=draws.bernoulli("has_meds", config.has_meds),
    )


def _weights(mix: object, names: tuple[str, ...]) -> list[float]:
    return [getattr(mix, name) for name in names]


def _density(seeds: Seeds, config: LettersConfig, length: Length, style: Style) -> float:
    mean = config.density.mean(length, style)
    total = config.density.concentration
    # Beta has values that round to 0, where nothing optional could ever go in.
    return max(1e-6, seeds.random("density").betavariate(mean * total, (1 - mean) * total))


def _modes(seeds: Seeds, config: LettersConfig, difficulty: Difficulty) -> frozenset[str]:
    """Returns the modes that are drawn; a mode that finds nothing to do is dropped later."""
    if difficulty in {"easy", "medium"}:
        return frozenset()
    draws = seeds.draws("modes")
    return frozenset(
        mode for mode in MODES if draws.bernoulli(mode, getattr(config.modes, mode).at(difficulty))
    )
