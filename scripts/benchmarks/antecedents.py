"""How often the antecedents that a model chooses for pronouns are right, and with what confidence.

    python scripts/benchmark.py antecedents ecb:DIR meantime:DIR gum-heads:DIR litbank:DIR invented:data/invented

For every corpus: the pronouns among the gold mentions, how many of them are given an antecedent, the share of these
that are wrong, the mean of their confidence, and its expected calibration error over 15 bins (Guo et al. 2017).
"""

from __future__ import annotations

import argparse

from cdcoref.corpora import AnnotatedCorpus, CorpusFolder
from cdcoref.linking import Comparison
from cdcoref.model import CorefModel
from cdcoref.predict import load
from cdcoref.reading import Readings
from cdcoref.training import calibration_error, same_cluster

BATCH_TOKENS = 8192


def row(model: CorefModel, part: AnnotatedCorpus) -> list[str]:
    """What is printed of a corpus."""
    options = model.settings.vectors
    readings = Readings(part.corpus)
    sought = int(readings.pronouns(options.with_antecedents).sum())
    evidence = Comparison(model, readings, []).evidence(batch_tokens=BATCH_TOKENS, read=False)
    chosen = evidence.antecedents
    if not chosen.any():
        return [str(sought), "0", "-", "-", "-"]
    confidence = evidence.combine(options).probabilities(model.settings.temperature)[chosen]
    right = same_cluster(part.corpus, evidence)[chosen]
    error = calibration_error(confidence, right)
    return [
        str(sought),
        str(len(right)),
        *(f"{100 * value:.1f}" for value in (1 - right.mean(), confidence.mean(), error)),
    ]


def main() -> None:
    """Parse the command line, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", metavar="NAME:DIR", help="annotated corpora")
    parser.add_argument("--model", default="default", help="default: %(default)s")
    parser.add_argument("--split", default="dev", help="default: %(default)s")
    arguments = parser.parse_args()
    model = load(arguments.model).model
    print("| corpus | pronouns | with an antecedent | wrong, % | mean confidence, % | calibration error, % |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name in arguments.corpora:
        part = CorpusFolder.parse(name).read(arguments.split)
        print(f"| {part.info.title} | {' | '.join(row(model, part))} |")


if __name__ == "__main__":
    main()
