"""Times the text metrics on one core, in seconds of processor time.

    OMP_NUM_THREADS=1 python benchmarks/corpus.py DIR [--documents N]

DIR is a corpus; `mustermann letters generate -n 1000 --seed 1 --out DIR` makes one.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from itertools import islice
from pathlib import Path

from mustermann.core.seeds import Seeds
from mustermann.documents.corpus import load_corpus
from mustermann.metrics.bootstrap import resample
from mustermann.metrics.lexical import trigram_novelty
from mustermann.metrics.profile import corpus_profile
from mustermann.metrics.self_bleu import self_bleu, texygen_bleu


def timed(title, function):
    start = time.process_time()
    result = function()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sys.stdout.write(
        f"{title:40} {time.process_time() - start:8.2f} s CPU  {memory:8.0f} MB at most\n"
    )
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--documents", type=int, default=None)
    arguments = parser.parse_args()
    documents = islice(load_corpus(arguments.corpus), arguments.documents)
    profile = timed("reading, measures by document", lambda: corpus_profile(documents))
    chars = profile.measures["chars"]
    sys.stdout.write(f"{len(profile)} documents, {chars.mean():.0f} characters on average\n")
    timed("trigram novelty", lambda: trigram_novelty(profile.table))
    timed("Self-BLEU, pairwise", lambda: self_bleu(profile.table))
    timed("Self-BLEU, against all others", lambda: texygen_bleu(profile.table))
    counts = chars[:, None].repeat(12, axis=1)
    timed("bootstrap, 10,000 replicates", lambda: resample(counts, seeds=Seeds(0)))


if __name__ == "__main__":
    main()
