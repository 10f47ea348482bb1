"""Documents in, which of them are copies of others out: near-duplicates by shingles, with pairs from MinHash signatures
(Broder, 1997). Reports of two happenings in the same words, with other names, days or amounts, are none."""

from collections.abc import Callable, Collection, Mapping, Sequence
from difflib import SequenceMatcher
from hashlib import blake2b
from itertools import combinations, groupby, islice
from math import isnan
from typing import NamedTuple

import numpy as np

from cdcoref.circumstances import Place, dateline_end, day_of, places_in
from cdcoref.corpus import Document
from cdcoref.language import NUMERALS, date_name, is_common_word, is_legal_form
from cdcoref.stories.document_words import lines_of, report_of, without_boilerplate
from cdcoref.word_tables import words_in

SHINGLE = 4
MIN_RESEMBLANCE = 0.6
MIN_CONTAINMENT = 0.9
LARGEST_RATIO = 2.0
"""Chosen on the train and dev topics of ECB+, the dev set of GVC and news of Reuters: versions of one text are near
each other, reports that quote each other are not."""
MIN_SHINGLES = 12
"""A text with fewer is too short to tell a copy from another report of the same form."""
_BANDS, _ROWS = 42, 3
_PERMUTATIONS = _BANDS * _ROWS
"""Of pairs with a resemblance of 0.45 the index finds 98 %, with 0.6 all but one in 20,000."""
LEAD = 2
"""Sentences at the beginning in which facts are compared."""
MIN_SHARED = 0.5
"""The share of the sentences of the shorter text that the longer one has, from which they may be of one template."""
MIN_ALIKE = 0.6
"""The share of the words of the shorter text that the longer one has, in their order, from which they may be, too."""
WEEK, MONTH = 7, 28
"""Days between two texts from which one other name, or one other amount, makes them reports of two happenings."""
MIN_ALIKE_LEADS = 0.3
"""The share of the words at the beginning, in their order, below which nothing there stands for something else."""
_ENDS = frozenset({".", "!", "?", '"', "''", "”"})
_FACILITIES = words_in("place_words.tsv", "facility")
_TOWNS = ("city", "unknown")


def identical_documents(documents: Sequence[Document]) -> dict[str, str]:
    """By the id of every document with the words, the title and the day of another, the first id of these.

    A model reads such documents, and links their mentions, once for all. Documents without words are not identical.
    """
    by_words: dict[object, list[Document]] = {}
    for document in documents:
        if document.tokens:
            words = document.text, document.tokens, document.sentences, document.hidden
            by_words.setdefault(words, []).append(document)
    original_of = {}
    for group in by_words.values():
        first: dict[object, str] = {}
        for document in sorted(group, key=lambda document: document.id) if len(group) > 1 else ():
            stated = document.metadata.get("title") if "title" not in document.found else None
            id = first.setdefault((str(stated), day_of(document)), document.id)
            if id != document.id:
                original_of[document.id] = id
    return original_of


class _Group(NamedTuple):
    """An original with its copies, and the shingles of all of them."""

    original: str
    shingles: set[bytes]


def near_duplicates(documents: Sequence[Document], boilerplate: Collection[bytes] = ()) -> dict[str, str]:
    """By the id of every copy that of its original, which is itself no copy, whatever the order of the documents.

    Hidden sentences are ignored, and so are lines of `boilerplate`, by their keys (:func:`cdcoref.stories.line_key`).
    """
    index = _Index()
    shingles_of: dict[str, frozenset[bytes]] = {}
    group_of: dict[str, _Group] = {}
    text_of = {document.id: document for document in documents}
    for id, own in sorted(
        ((d.id, _shingles(d, boilerplate)) for d in documents), key=lambda one: (-len(one[1]), one[0])
    ):
        if len(own) < MIN_SHINGLES:
            continue
        near = sorted((-_resemblance(own, shingles_of[other]), other) for other in index.near_then_add(id, own))
        same = (other for _, other in near if _is_copy(own, shingles_of[other], group_of[other]))
        best = next((other for other in same if not other_facts(text_of[id], text_of[other])), None)
        group = _Group(id, set()) if best is None else group_of[best]
        group.shingles.update(own)
        shingles_of[id], group_of[id] = own, group
    return {id: group.original for id, group in group_of.items() if group.original != id}


class _Index:
    """Finds sets that probably resemble another, in bands of least hashes; importing datasketch takes longer."""

    def __init__(self) -> None:
        constants = np.random.default_rng(0).integers(0, 2**64, (2, _PERMUTATIONS), np.uint64)
        self._factors, self._offsets = constants[0] | np.uint64(1), constants[1]
        self._buckets: dict[tuple[int, bytes], list[str]] = {}

    def near_then_add(self, id: str, shingles: Collection[bytes]) -> set[str]:
        """The ids of earlier sets in a bucket of this one, which is then in the index."""
        hashes = np.frombuffer(b"".join(shingles), np.uint64)
        least = np.min(hashes[:, None] * self._factors + self._offsets, axis=0)
        near: set[str] = set()
        for number, band in enumerate(least.reshape(_BANDS, _ROWS)):
            bucket = self._buckets.setdefault((number, band.tobytes()), [])
            near.update(bucket)
            bucket.append(id)
        return near


def _is_copy(own: frozenset[bytes], near: frozenset[bytes], group: _Group) -> bool:
    if _resemblance(own, near) >= MIN_RESEMBLANCE:
        return True
    return len(own & group.shingles) >= MIN_CONTAINMENT * len(own) >= MIN_CONTAINMENT * len(near) / LARGEST_RATIO


def _shingles(document: Document, boilerplate: Collection[bytes] = ()) -> frozenset[bytes]:
    """Hashes of the runs of `SHINGLE` words of every visible sentence; a shorter sentence is one run."""
    found = set()
    for _, lines in groupby(lines_of(document, boilerplate), key=lambda line: line.sentence):
        tokens = (token for line in lines for token in document.tokens[line.start : line.end])
        words = [token.casefold() for token in tokens if any(map(str.isalnum, token))]
        for first in range(max(1, len(words) - SHINGLE + 1) if words else 0):
            text = " ".join(words[first : first + SHINGLE])
            found.add(blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest())
    return frozenset(found)


def _resemblance(one: frozenset[bytes], other: frozenset[bytes]) -> float:
    return len(one & other) / max(1, len(one | other))


def other_facts(one: Document, other: Document, sentences: int = LEAD) -> list[str]:
    """What differs at the beginning of two texts of the same words: ``"name"``, ``"day"`` or ``"amount"``, for each
    place. Different names before a shared one, such as first names before a surname, do not count."""
    mine, theirs = _lead(one, sentences), _lead(other, sentences)
    words = [frozenset(map(str.casefold, document.tokens)) for document in (one, other)]
    leads = SequenceMatcher(None, mine, theirs, autojunk=False)
    facts = []
    for operation, a, b, c, d in leads.get_opcodes() if leads.ratio() >= MIN_ALIKE_LEADS else ():
        if operation != "replace":
            continue
        left = [word for word in mine[a:b] if word.casefold() not in words[1]]
        right = [word for word in theirs[c:d] if word.casefold() not in words[0]]
        behind = [w for w in mine[b : b + 1] if not (is_legal_form(w) or w.casefold() in _FACILITIES)]  # "Ash County"
        for kind, is_of in (("day", date_name), ("amount", _is_amount), ("name", _is_name)):
            replaced = any(map(is_of, left)) and any(map(is_of, right))
            if replaced and not (kind == "name" and any(map(_is_name, behind))):
                facts.append(kind)
    return facts


def are_of_template(one: Document, other: Document) -> bool:
    """Whether two texts report two happenings in the same words: a name and another fact differ, or day and amount. A
    week between them counts as a fact; with a month, an amount is enough. The next sentence is compared as well."""
    mine, theirs = _sentences(one), _sentences(other)
    if len(mine & theirs) < MIN_SHARED * min(len(mine), len(theirs)):
        words = SequenceMatcher(None, one.tokens, other.tokens, autojunk=False)
        alike = MIN_ALIKE * min(len(one.tokens), len(other.tokens))
        total = (len(one.tokens) + len(other.tokens)) / 2
        if words.quick_ratio() * total < alike or sum(block.size for block in words.get_matching_blocks()) < alike:
            return False
    days = [day for day in (day_of(one), day_of(other)) if day is not None and day.has_year]
    gap = days[0].gap(days[1]) if len(days) > 1 else 0
    facts, longer = (other_facts(one, other, count) for count in (LEAD, LEAD + 1))
    if not facts and (gap < WEEK or len(longer) < 2):  # the next sentence of an update may have another day and amount
        return False
    if any("name" in found and len(found) + (gap >= WEEK) > 1 for found in (facts, longer)):
        return True
    return {"day", "amount"} <= set(facts) or ("amount" in facts and gap >= MONTH)


def happened_elsewhere(one: Document, other: Document) -> bool:
    """Whether two texts with no name in common begin with a town each, or with places that exclude each other."""
    here, there = _places(one), _places(other)
    return bool(here and there) and all(
        mine.excludes(theirs) or (mine.sort in _TOWNS and theirs.sort in _TOWNS and isnan(mine.distance(theirs)))
        for mine in here
        for theirs in there
    )


def _places(document: Document) -> list[Place]:
    sentences = (document.tokens[lines[0].start : lines[-1].end] for lines in report_of(document)[:LEAD])
    return [stated.place for words in sentences for stated in places_in(words)]


def _names(document: Document) -> frozenset[str]:
    shown = (document.tokens[slice(*b)] for n, b in enumerate(document.sentences) if n not in document.hidden)
    shown = (words[dateline_end(words) :] for words in shown)
    return frozenset(
        word.casefold()
        for words in shown
        for place, word in enumerate(words)
        if len(word) > 1 and _is_name(word) and (place or not is_common_word(word.casefold()))
    )


def _have_names_in_common(one: str, other: str, names: Mapping[str, frozenset[str]]) -> bool:
    """Whether two documents have a name in common, or each has one in common with a third."""
    return any(not (names[one].isdisjoint(own) or names[other].isdisjoint(own)) for own in names.values())


def of_two_happenings(group: Sequence[Document]) -> set[frozenset[str]]:
    """The pairs of documents, by id, that report two happenings in the same words, or at two places."""
    sentences = {document.id: _sentences(document) for document in group}
    names = {document.id: _names(document) for document in group}
    return {
        frozenset((one.id, other.id))
        for one, other in combinations(group, 2)
        if (sentences[one.id] & sentences[other.id] and are_of_template(one, other))
        or (not _have_names_in_common(one.id, other.id, names) and happened_elsewhere(one, other))
    }


def divided(
    group: Sequence[Document], similarity: Callable[[str, str], float], boilerplate: Collection[bytes] = ()
) -> list[list[Document]]:
    """Documents of one story, without two happenings in a group: each is in the group that is most like it."""
    conflicts = of_two_happenings([without_boilerplate(document, boilerplate) for document in group])
    if not conflicts:
        return [list(group)]
    groups: list[list[Document]] = []
    # Those in conflict come first, so that the others can choose among all groups.
    in_conflict = frozenset[str]().union(*conflicts)
    for document in sorted(group, key=lambda document: (document.id not in in_conflict, document.id)):
        apart = [m.id for g in groups for m in g if frozenset((document.id, m.id)) in conflicts]
        free = [g for g in groups if all(member.id not in apart for member in g)]

        def likeness(group: Sequence[Document], id: str = document.id) -> float:
            return sum(similarity(id, member.id) for member in group) / len(group)

        best = max(free, key=likeness, default=None)
        # A document that is more like one that it is separated from is about a third happening.
        if best is not None and likeness(best) >= max((similarity(document.id, other) for other in apart), default=0):
            best.append(document)
        else:
            groups.append([document])
    return groups


def _lead(document: Document, count: int) -> list[str]:
    """The words of the title and of the first full sentences, without a dateline."""
    lead: list[str] = []
    sentences = [document.tokens[lines[0].start : lines[-1].end] for lines in report_of(document)]
    behind = (sentence for sentence in sentences[1:] if sentence[-1] in _ENDS)
    for sentence in (*sentences[:1], *islice(behind, count - 1)):
        words = [word for word in sentence[dateline_end(sentence) :] if any(map(str.isalnum, word))]
        if words and is_common_word(words[0].casefold()):
            words[0] = words[0].casefold()
        lead += words
    return lead


def _sentences(document: Document) -> frozenset[str]:
    """The sentences, without the names, days and amounts in which those of one template differ."""
    return frozenset(
        " ".join(word for word in document.tokens[start:end] if word.islower() and word not in NUMERALS)
        for number, (start, end) in enumerate(document.sentences)
        if number not in document.hidden and start < end
    )


def _is_amount(word: str) -> bool:
    return (word[0].isdigit() and ":" not in word) or word.casefold() in NUMERALS


def _is_name(word: str) -> bool:
    return word[0].isupper() and not date_name(word)
