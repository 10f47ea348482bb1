"""How often stories about one subject mean the same by the same name: links of entities across predicted stories.

Gold clusters of annotated corpora are divided by predicted story, and those that bear the same name are joined again
(:mod:`cdcoref.linking.names_across`). Printed are the right and the wrong joins, and the CoNLL F1 of the divided
clusters and of the joined ones, with and without singletons; no model is involved. Then, of pairs of mentions of two
documents of one annotated topic, the share that corefers: within a predicted story, and across.

    python scripts/benchmark.py links-across-stories ecb:DIR meantime:DIR --split train
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cdcoref.corpora import AnnotatedCorpus, CorpusFolder
from cdcoref.corpus import ENTITY, KINDS, Corpus
from cdcoref.linking import joined_across_stories
from cdcoref.scoring import score
from cdcoref.training import linkable_groups


def divided(gold: Corpus, stories: Sequence[Sequence[str]]) -> Corpus:
    """The gold clusters divided by story; mentions without one are clusters of their own."""
    story_of = {name: number for number, story in enumerate(stories) for name in story}
    mentions = [
        replace(m, cluster=f"{story_of[m.document]} {number if m.cluster is None else m.cluster!r}")
        for number, m in enumerate(gold.mentions)
    ]
    return replace(gold, mentions=tuple(mentions))


def links(before: Corpus, after: Corpus) -> tuple[int, int]:
    """How many clusters became part of others, rightly and wrongly."""
    label_of = {m.key: m.cluster or "" for m in after.mentions}
    changed = {(m.cluster or "", label_of[m.key]) for m in before.mentions if m.cluster != label_of[m.key]}
    right = sum(old.split(" ", 1)[1] == new.split(" ", 1)[1] for old, new in changed)
    return right, len(changed) - right


def row(part: AnnotatedCorpus) -> list[object]:
    """What is printed of a corpus."""
    stories = linkable_groups(part, "predicted")
    gold = part.corpus.of_kind(ENTITY)
    before = divided(gold, stories)
    after = joined_across_stories(before, stories)
    scores = [
        " / ".join(f"{100 * (score(gold, one, singletons=kept).conll_f1 or 0.0):.1f}" for kept in ("keep", "remove"))
        for one in (before, after)
    ]
    return [len(stories), *links(before, after), *scores]


def shares(part: AnnotatedCorpus, kind: str) -> tuple[str, str]:
    """The coreferent pairs of one topic and of two documents, in percent: within predicted stories, and across them."""
    corpus = part.corpus.of_kind(kind)
    topic_of = {document.id: document.topic for document in corpus.documents}
    story_of = {name: number for number, story in enumerate(linkable_groups(part, "predicted")) for name in story}
    clusters: dict[object, int] = {}
    columns = zip(
        *(
            (
                topic_of[m.document],
                m.document,
                story_of[m.document],
                clusters.setdefault(number if m.cluster is None else m.cluster, len(clusters)),
            )
            for number, m in enumerate(corpus.mentions)
        ),
        strict=True,
    )
    topic, document, story, cluster = (np.unique(np.array(column), return_inverse=True)[1] for column in columns)
    first, second = np.triu_indices(len(corpus.mentions), 1)
    counted = (topic[first] == topic[second]) & (document[first] != document[second])
    first, second = first[counted], second[counted]
    within, same = story[first] == story[second], cluster[first] == cluster[second]
    one, other = (f"{100 * same[chosen].mean():.2f} %" if chosen.any() else "-" for chosen in (within, ~within))
    return one, other


def main() -> None:
    """Parse the command line, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", metavar="NAME:DIR", help="annotated corpora")
    parser.add_argument("--split", default="train", help="default: %(default)s")
    arguments = parser.parse_args()
    folders = [CorpusFolder.parse(text) for text in arguments.corpora]
    parts = {folder.name: folder.read(arguments.split) for folder in folders}
    _print_row(["corpus", "stories", "right", "wrong", "divided", "joined"])
    for name, part in parts.items():
        _print_row([name, *row(part)])
    _print_row(["corpus", "kind", "one story", "other stories"])
    for name, part in parts.items():
        for kind in KINDS:
            if part.corpus.of_kind(kind).mentions:
                _print_row([name, kind, *shares(part, kind)])


def _print_row(cells: Sequence[object]) -> None:
    print("".join(f"{cell:>16}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
