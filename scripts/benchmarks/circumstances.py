"""Precision and recall of the dates and places of event mentions.

A key is a table with columns separated by tabs: the id of a document, the first token of an event mention in it, when
it happened and where, as far as the document states it. `data/circumstances/` has keys for 100 event mentions each of
the dev splits of ECB+ and GVC, drawn at random.

* When: a day, month or year, or two with a slash between them (ISO 8601). What is found is right if it has a day in
  common with the key and is no longer than a week, or than the key.
* Where: names from the smallest place to the largest with bars between them, then the code of the country (ISO 3166).
  What is found is right if its name is one of them, or that of a region or country around them.
* ``-``: the document does not state it, so whatever is found is wrong. ``?``: not judged.

    python scripts/benchmark.py circumstances --corpus ecb:DIR --key data/circumstances/ecb.tsv
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from cdcoref.circumstances import Circumstances, Place
from cdcoref.corpora import CorpusFolder
from cdcoref.corpus import EVENT, Corpus
from cdcoref.facts import Period
from cdcoref.reading import Readings

WEEK = 7
UNSTATED, UNJUDGED = "-", "?"
_YEAR, _MONTH = len("2014"), len("2014-06")


@dataclass
class Counts:
    """How many values are right, found, and in the key."""

    right: int = 0
    found: int = 0
    stated: int = 0

    def add(self, *, found: bool, stated: bool, right: bool) -> None:
        """Count one mention."""
        self.right += right
        self.found += found
        self.stated += stated

    def __str__(self) -> str:
        precision, recall = self.right / max(1, self.found), self.right / max(1, self.stated)
        return f"{100 * precision:.1f} ({self.right} of {self.found}) | {100 * recall:.1f} (of {self.stated})"


@dataclass(frozen=True)
class Key:
    """When and where an event mention's event happened, as written in a key."""

    when: str
    where: str


def read_key(path: Path) -> dict[tuple[str, int], Key]:
    """The answers of a key, by document and first token."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t")
        return {(row["document"], int(row["token"])): Key(row["when"], row["where"]) for row in rows}


def period(written: str) -> Period:
    """The period that a key states.

    >>> str(period("2014-06")), str(period("2014-06-01/2014-06-03"))
    ('2014-06', '2014-06-01/2014-06-03')
    """
    first, _, last = written.partition("/")
    if last:
        return Period(period(first).first, period(last).last)
    if len(first) == _YEAR:
        return Period.of_year(int(first))
    if len(first) == _MONTH:
        return Period.of_month(int(first[:_YEAR]), int(first[_YEAR + 1 :]))
    return Period.of_day(date.fromisoformat(first))


def is_time_right(found: Period, key: str) -> bool:
    """Whether a time that was found is that of the key."""
    return found.gap(period(key)) == 0 and found.days <= max(WEEK, period(key).days)


def is_place_right(found: Place, key: str) -> bool:
    """Whether a place that was found is one of the key's, or contains them."""
    names, _, country = key.rpartition(", ")
    if not names:
        return found.name.casefold() == key.casefold()
    if found.country and found.country != country:
        return False
    if found.sort == "country":
        return True
    return found.name.casefold() in names.casefold().split("|")


def judge(corpus: Corpus, key: Mapping[tuple[str, int], Key]) -> tuple[dict[str, Counts], Iterator[str]]:
    """Counts for when and where, and a line for each mention of the key that is not right."""
    found = Readings(corpus).circumstances
    events = {
        (mention.document, mention.start): one
        for mention, one in zip(corpus.mentions, found, strict=True)
        if mention.kind == EVENT
    }
    counts = {"when": Counts(), "where": Counts()}
    missing = key.keys() - events.keys()
    if missing:
        raise SystemExit(f"the corpus has no event mention at token {min(missing)[1]} of {min(missing)[0]}")
    lines = []
    for place, answer in key.items():
        when, where = _first(events[place])
        for name, value, written in (("when", when, answer.when), ("where", where, answer.where)):
            if written == UNJUDGED:
                continue
            stated = written != UNSTATED
            right = stated and value is not None and _is_right(value, written)
            counts[name].add(found=value is not None, stated=stated, right=right)
            if (value is not None or stated) and not right:
                shown = "-" if value is None else value.shown()
                lines.append("\t".join((*map(str, place), name, f"found {shown}", f"key {written}")))
    return counts, iter(lines)


def _first(circumstances: Circumstances) -> tuple[Period | None, Place | None]:
    """The nearest time and place that words of the document state."""
    dated = (one for one in circumstances.when if one.tokens and one.period.weekday is None and str(one.period))
    when = next((one.period for one in dated), None)
    return when, next((one.place for one in circumstances.where if one.tokens), None)


def _is_right(found: Period | Place, written: str) -> bool:
    return is_time_right(found, written) if isinstance(found, Period) else is_place_right(found, written)


def main() -> None:
    """Judge the circumstances of the event mentions of a corpus by a key."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", required=True, metavar="NAME:DIR", help="an annotated corpus, as for evaluate")
    parser.add_argument("--split", default="dev", help="its split (default: dev)")
    parser.add_argument("--key", type=Path, required=True, metavar="FILE.tsv", help="the answers")
    parser.add_argument("--errors", action="store_true", help="also print every mention that is not right")
    arguments = parser.parse_args()
    corpus = CorpusFolder.parse(arguments.corpus).read(arguments.split).corpus
    counts, lines = judge(corpus, read_key(arguments.key))
    print("| | precision | recall |\n| --- | --- | --- |")
    for name, one in counts.items():
        print(f"| {name} | {one} |")
    if arguments.errors:
        print(*lines, sep="\n")


if __name__ == "__main__":
    main()
