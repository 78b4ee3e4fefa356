"""How fast letters are written and verified, in letters of 7,000 characters per CPU-second.

    python benchmarks/letters.py [--letters N] [--json FILE]

The same texts are also written by plain string formatting: each letter's running text with
its values put in by `str.format`. The ratio says what sampling, inflection, labels and
verification cost on top of that. Processor time, one process; the parts add up to the whole.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from pathlib import Path

from mustermann.core.seeds import Seeds
from mustermann.documents.corpus import encode
from mustermann.letters.attributes.sampler import sample
from mustermann.letters.cases.library import CaseLibrary, case_ids, load_case
from mustermann.letters.config import LettersConfig
from mustermann.letters.filters import make_filters
from mustermann.letters.modes import apply_modes
from mustermann.letters.render import render
from mustermann.letters.verify.runner import verify_letter
from mustermann.letters.writers import CaseWriter

STANDARD = 7_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--letters", type=int, default=300)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    result = measure(arguments.letters)
    for name, value in result.items():
        print(f"{name:34} {value:,.4g}" if isinstance(value, float) else f"{name:34} {value}")
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


def measure(count: int) -> dict[str, float | int]:
    config, cases, writer = LettersConfig(), CaseLibrary(), CaseWriter()
    start = time.process_time()
    for name in case_ids():
        load_case(name)
    compiled = time.process_time() - start
    for number in range(20):  # fills pools
        sample(Seeds(1).child("warm", number), config=config, cases=cases)
    spent: Counter[str] = Counter()
    documents = []
    for number in range(count):
        seeds = Seeds(1).child("letters", number)
        clock = Clock(spent)
        attributes = sample(seeds, config=config, cases=cases)
        clock("sample")
        skeleton = writer.write(attributes, seeds=seeds)
        spoilt = apply_modes(skeleton, attributes, seeds.draws("modes"))
        clock("write")
        filters = make_filters(attributes.parameters.modes, seeds)
        document = render(spoilt.skeleton, attributes, id=str(number), filters=filters)
        clock("render")
        verify_letter(document)
        clock("verify")
        encode(document)
        clock("encode")
        documents.append(document)
    characters = sum(len(document.text) for document in documents)
    total = sum(spent.values())
    standard = characters / STANDARD
    return {
        "letters": count,
        "seconds_to_compile_all_cases": compiled,
        "mean_characters": characters / count,
        "letters_of_7000_per_cpu_second": standard / total,
        "ratio_to_plain_formatting": total / plain_formatting(documents),
        **{f"ms_{name}_per_7000": 1000 * value / standard for name, value in spent.items()},
    }


class Clock:
    """Adds the processor time since the last call to the named part."""

    def __init__(self, spent: Counter[str]) -> None:
        self._spent, self._last = spent, time.process_time()

    def __call__(self, name: str) -> None:
        now = time.process_time()
        self._spent[name] += now - self._last
        self._last = now


def plain_formatting(documents: list) -> float:
    """Returns the processor seconds that `str.format` takes to write the same texts."""
    templates = []
    for document in documents:
        parts, at = [], 0
        for span in document.spans:
            parts += [document.text[at : span.start].replace("{", "{{").replace("}", "}}"), "{}"]
            at = span.end
        parts.append(document.text[at:].replace("{", "{{").replace("}", "}}"))
        values = [document.surface(span) for span in document.spans]
        templates.append(("".join(parts), values))
    begun = time.process_time()
    for template, values in templates:
        template.format(*values)
    return time.process_time() - begun


if __name__ == "__main__":
    main()
