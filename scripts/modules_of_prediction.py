#!/usr/bin/env python
"""Which modules of cdcoref a prediction of two short texts with `small` runs functions of, after the model is loaded.

python scripts/modules_of_prediction.py
"""

from __future__ import annotations

import sys
from collections import Counter
from inspect import CO_OPTIMIZED
from types import FrameType

import cdcoref
from cdcoref.corpus import Corpus
from cdcoref.formats import tokenise_text

TEXTS = (
    "A ferry sank off Tresk on Friday. Two men drowned, police said.",
    "Police said that two men died when the ferry sank near Tresk. The captain was arrested on Saturday.",
)


def main() -> None:
    """Print the number of calls by module, and the number of modules."""
    predictor = cdcoref.load("small")
    corpus = Corpus(tuple(tokenise_text(text, str(number)) for number, text in enumerate(TEXTS)))
    calls: Counter[str] = Counter()

    def count(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_flags & CO_OPTIMIZED:  # no body of a module or class that is imported
            calls[frame.f_globals.get("__name__", "")] += 1

    sys.setprofile(count)
    predictor.predict(corpus)
    sys.setprofile(None)
    ours = {name: number for name, number in calls.items() if name.split(".")[0] == "cdcoref"}
    for name, number in sorted(ours.items()):
        print(f"{number:>8} {name}")
    print(f"{len(ours)} modules")


if __name__ == "__main__":
    main()
