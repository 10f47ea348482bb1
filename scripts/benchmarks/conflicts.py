"""Count clusters with contradictions: two different years, amounts, weekdays, countries or full names.

Stories are drawn from a file of related sets (one JSON object per line, ``{"documents": [{"id", "title", "text"},
...]}``, plain or gzipped). Nothing is annotated: what is counted needs no key. On annotated corpora, the share of the
pairs with a conflict that corefer is counted.

    python scripts/benchmark.py conflicts SETS.jsonl.gz --stories 50 --seed 0 --model default --model lemma
    python scripts/benchmark.py conflicts --annotated ecb:DIR --annotated meantime:DIR --annotated gum-heads:DIR
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np

from cdcoref.corpora import CorpusFolder
from cdcoref.corpus import ENTITY, Corpus, Mention
from cdcoref.formats import tokenise_text
from cdcoref.language import MentionFacts, MentionWords, different_names
from cdcoref.predict import PredictionOptions, load
from cdcoref.reading import Readings

COUNTRY_NAMES = """
argentina australia austria belgium bolivia brazil britain bulgaria canada chile china colombia cuba czechoslovakia
denmark ecuador egypt ethiopia finland france germany ghana greece hungary iceland india indonesia iran iraq ireland
israel italy jamaica japan jordan kenya kuwait lebanon libya malaysia mexico morocco netherlands nicaragua nigeria
norway pakistan panama peru philippines poland portugal romania singapore spain sudan sweden switzerland syria taiwan
tanzania thailand tunisia turkey uganda uruguay venezuela vietnam yugoslavia zaire zambia
"""
COUNTRIES = frozenset(COUNTRY_NAMES.split())


def _disjoint(of: Callable[[MentionWords], frozenset[str]]) -> Callable[[MentionWords, MentionWords], bool]:
    """Both have some, and none in common."""
    return lambda one, other: bool(of(one) and of(other) and not of(one) & of(other))


def _different_names(one: MentionWords, other: MentionWords) -> bool:
    """Full names, neither of which is part of the other, with different last words ("Africa" and "African" are one)."""
    names, others = one.stated.full_name, other.stated.full_name
    if not names or not others or set(names) <= set(others) or set(others) <= set(names):
        return False
    return not names[-1].startswith(others[-1]) and not others[-1].startswith(names[-1])


CONFLICTS: dict[str, Callable[[MentionWords, MentionWords], bool]] = {
    "years": _disjoint(lambda words: words.stated.years),
    "amounts": _disjoint(lambda words: words.stated.amounts),
    "weekdays": _disjoint(lambda words: words.stated.weekdays),
    "months": _disjoint(lambda words: words.stated.months),
    "countries": _disjoint(lambda words: words.lemmas & COUNTRIES),
    "unlike countries": _disjoint(lambda words: words.stated.countries),
    "full names": _different_names,
    "unlike names": lambda one, other: different_names(one.stated.full_name, other.stated.full_name),
}
ONE_CLAUSE = "in one clause"
"""Pairs of different nouns of one clause (:func:`cdcoref.facts.grammar.clause`)."""


def stories(path: Path, count: int, seed: int) -> list[Corpus]:
    """So many sets of at least two documents, drawn at random."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        sets = [line for line in file if len(json.loads(line)["documents"]) > 1]
    chosen = np.random.default_rng(seed).permutation(len(sets))[:count]
    made = []
    for number in sorted(chosen.tolist()):
        documents = [
            replace(
                tokenise_text(f"{document['title']}\n\n{document['text']}", f"{number}/{document['id']}"), topic="0"
            )
            for document in json.loads(sets[number])["documents"]
        ]
        made.append(Corpus(tuple(documents)))
    return made


def count(model: str, corpora: Sequence[Corpus]) -> tuple[int, dict[str, int]]:
    """Clusters of two mentions or more, and those with each conflict."""
    predictor = load(model)
    clusters, found = 0, dict.fromkeys(CONFLICTS, 0)
    for corpus in corpora:
        prediction = predictor.predict(corpus, PredictionOptions(topics="gold_topic"))
        readings = Readings(prediction.corpus)
        for cluster in prediction.corpus.clusters():
            if len(cluster) < 2:
                continue
            clusters += 1
            seen = {readings[m.document].facts(m).words for m in cluster}
            for name, conflict in CONFLICTS.items():
                found[name] += any(conflict(one, other) for one, other in combinations(seen, 2))
    return clusters, found


def count_pairs(folder: CorpusFolder, split: str) -> dict[str, tuple[int, int]]:
    """Pairs of mentions of one kind and group with each conflict, and how many of them corefer."""
    corpus = folder.read(split).corpus
    readings = Readings(corpus)
    group_of = {
        document.id: document.topic if folder.info.cross_document else document.id for document in corpus.documents
    }
    groups: dict[tuple[str | None, str | None], list[tuple[Mention, MentionWords]]] = defaultdict(list)
    for mention in corpus.mentions:
        words = readings[mention.document].facts(mention).words
        if any(words.stated) or words.lemmas & COUNTRIES:
            groups[group_of[mention.document], mention.kind].append((mention, words))
    pairs, coreferent = Counter[str](), Counter[str]()
    for mentions in groups.values():
        for (one, of_one), (other, of_other) in combinations(mentions, 2):
            same = one.cluster is not None and one.cluster == other.cluster
            for name, conflict in CONFLICTS.items():
                if conflict(of_one, of_other):
                    pairs[name] += 1
                    coreferent[name] += same
    for (one, facts), (other, other_facts) in _of_one_clause(readings):
        if facts.in_clause_with(other_facts):
            pairs[ONE_CLAUSE] += 1
            coreferent[ONE_CLAUSE] += one.cluster is not None and one.cluster == other.cluster
    return {name: (pairs[name], coreferent[name]) for name in (*CONFLICTS, ONE_CLAUSE)}


def _of_one_clause(readings: Readings) -> Iterator[tuple[tuple[Mention, MentionFacts], tuple[Mention, MentionFacts]]]:
    """All pairs of nouns of one clause, with their facts."""
    clauses: dict[tuple[str, int], list[tuple[Mention, MentionFacts]]] = defaultdict(list)
    for mention, facts in zip(readings.corpus.mentions, readings.facts.mentions, strict=True):
        if mention.kind == ENTITY and facts.clause >= 0:
            clauses[facts.document, facts.clause].append((mention, facts))
    for nouns in clauses.values():
        yield from combinations(nouns, 2)


def main() -> None:
    """Parse the command line, count and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", type=Path, nargs="?", help="file of related sets of documents")
    parser.add_argument("--stories", type=int, default=50, help="how many are drawn; default: %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="random seed; default: %(default)s")
    parser.add_argument("--model", action="append", help="default, lemma, or a model's folder; may be repeated")
    parser.add_argument(
        "--annotated",
        action="append",
        default=[],
        metavar="NAME:DIR",
        help="count coreferent pairs with conflicts in the train split of an annotated corpus; may be repeated",
    )
    arguments = parser.parse_args()
    if arguments.sets is None and not arguments.annotated:
        parser.error("give a file of sets, or --annotated NAME:DIR")
    if arguments.annotated:
        _print_row("train split: coreferent / all pairs", (*CONFLICTS, ONE_CLAUSE))
    for text in arguments.annotated:
        folder = CorpusFolder.parse(text)
        pairs = count_pairs(folder, "train")
        _print_row(folder.name, [f"{coreferent} / {of}" for of, coreferent in pairs.values()])
    if arguments.sets is None:
        return
    corpora = stories(arguments.sets, arguments.stories, arguments.seed)
    print(f"{len(corpora)} stories, {sum(len(corpus.documents) for corpus in corpora)} documents")
    _print_row("model", ["clusters", *CONFLICTS])
    for model in arguments.model or ["default"]:
        clusters, found = count(model, corpora)
        _print_row(model[-35:], [clusters, *found.values()])


def _print_row(name: str, cells: Iterable[object]) -> None:
    print(f"{name:<36}" + "".join(f"{cell:>16}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
