"""Documents in, which of them are copies of others out: the same text republished, with sentences left out or changed.

Two texts are near-duplicates if at least `MIN_RESEMBLANCE` of the shingles of both (runs of `SHINGLE` words inside a
sentence) are in both, or `MIN_CONTAINMENT` of those of the shorter one are in a longer one that is at most
`LARGEST_RATIO` times as long (resemblance and containment: Broder, 1997). Pairs worth comparing come from MinHash
signatures in a locality-sensitive index (datasketch); their shingles are then compared exactly. The longest text of a
group is the original, and the others are its copies: each of them is near to the original or to a copy, or its
shingles are in some text of the group.

Copies count as one text: for how rare words are, for the stories that they belong to, and for what a model reads.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from hashlib import blake2b
from itertools import groupby
from types import MappingProxyType

from cdcoref.corpus import Document
from cdcoref.stories.document_words import lines_of

SHINGLE = 4
MIN_RESEMBLANCE = 0.6
MIN_CONTAINMENT = 0.9
LARGEST_RATIO = 2.0
"""Chosen on the train and dev topics of ECB+, the dev set of GVC and news of Reuters: versions of one text are near
each other, reports that quote each other are not."""
MIN_SHINGLES = 12
"""A text with fewer is too short to tell a copy from another report of the same form."""
CONTEXT = 2
"""How many sentences before one that only a copy has are read again, as its context."""
_BANDS, _ROWS = 42, 3
_PERMUTATIONS = _BANDS * _ROWS
"""Of pairs with a resemblance of 0.45 the index finds 98 %, with 0.6 all but one in 20,000."""

Sources = Mapping[int, tuple[str, int]]
"""By sentence of a copy, a document that has the same sentence and is read, and the number of the sentence there."""


@dataclass(frozen=True, slots=True)
class _Group:
    """An original with its copies, and the shingles of all of them."""

    original: str
    shingles: set[bytes]


def near_duplicates(
    documents: Sequence[Document],
    known: Sequence[Document] = (),
    original_of: Mapping[str, str] = MappingProxyType({}),
    boilerplate: Collection[bytes] = (),
) -> dict[str, str]:
    """Find the documents that are copies of others.

    Parameters
    ----------
    documents
        The documents. Hidden sentences are ignored.
    known, original_of
        Further documents; and the originals among them, by copy. Documents without one are no copies.
    boilerplate
        Keys of lines to ignore too (see :func:`cdcoref.stories.line_key`).

    Returns
    -------
    dict
        By the id of every copy among `documents` that of its original, which is itself no copy. It does not depend on
        the order of the documents.
    """
    from datasketch import MinHash, MinHashLSH

    before = sorted(((d.id, _shingles(d, boilerplate)) for d in known), key=lambda one: (one[0] in original_of, one[0]))
    new = sorted(((d.id, _shingles(d, boilerplate)) for d in documents), key=lambda one: (-len(one[1]), one[0]))
    index = MinHashLSH(num_perm=_PERMUTATIONS, params=(_BANDS, _ROWS))
    shingles_of: dict[str, frozenset[bytes]] = {}
    group_of: dict[str, _Group] = {}
    for place, (id, own) in enumerate([*before, *new]):
        if len(own) < MIN_SHINGLES:
            continue
        signature = MinHash(num_perm=_PERMUTATIONS)
        signature.update_batch(own)
        best = original_of.get(id) if place < len(before) else None
        if place >= len(before):
            near = sorted((-_resemblance(own, shingles_of[other]), other) for other in index.query(signature))
            best = next((other for _, other in near if _is_copy(own, shingles_of[other], group_of[other])), None)
        group = _Group(id, set()) if best not in group_of else group_of[best]
        group.shingles.update(own)
        index.insert(id, signature)
        shingles_of[id], group_of[id] = own, group
    new_ids = {id for id, _ in new}
    return {id: group.original for id, group in group_of.items() if id in new_ids and group.original != id}


def resemblance(one: Document, other: Document, boilerplate: Collection[bytes] = ()) -> float:
    """The share of the shingles of two documents that both have; 0 without any."""
    return _resemblance(_shingles(one, boilerplate), _shingles(other, boilerplate))


def sentence_sources(
    documents: Mapping[str, Document], original_of: Mapping[str, str], stored: Sequence[str] = ()
) -> dict[str, Sources]:
    """Where the sentences of copies are read: in the original, or in the first copy that has them.

    Parameters
    ----------
    documents
        The copies and their originals, by id. An original that is missing here is not read.
    original_of
        By the id of every copy that of its original.
    stored
        Ids of the documents that have been read before, in order; the others share what these have.

    Returns
    -------
    dict
        By the id of every document that is read after another of its group. What it shares with no text before it is
        not among its sentences here.
    """
    place = {id: number for number, id in enumerate(stored)}
    groups: dict[str, list[str]] = {}
    for id in documents:
        groups.setdefault(original_of.get(id, id), []).append(id)
    found: dict[str, Sources] = {}
    for original, members in groups.items():
        order = {id: (place.get(id, len(place)), id != original, -len(documents[id].tokens), id) for id in members}
        before: list[str] = []
        for id in sorted(members, key=order.__getitem__):
            if id not in place and before:
                found[id] = _sources(documents[id], [(documents[other], found.get(other, {})) for other in before])
                if not own_sentences(documents[id], found[id]):
                    continue
            before.append(id)
    return found


def _sources(copy: Document, before: Sequence[tuple[Document, Sources]]) -> Sources:
    """Where the sentences of a copy are read: documents that are read before it, and the sources of those."""
    own: dict[int, tuple[str, int]] = {}
    for other, shared in before:
        for sentence, same in _same_sentences(copy, other).items():
            if sentence not in own and same not in shared:
                own[sentence] = other.id, same
        if not own_sentences(copy, own):
            break
    return own


def own_sentences(copy: Document, sources: Sources) -> list[int]:
    """The numbers of the visible sentences with words that no text before a copy has."""
    return [
        number
        for number, (start, end) in enumerate(copy.sentences)
        if number not in sources and number not in copy.hidden and any(map(_is_word, copy.tokens[start:end]))
    ]


def own_part(copy: Document, sources: Sources) -> Document | None:
    """What is to be read of a copy: its own sentences and their context, with the others hidden; None if nothing."""
    own = own_sentences(copy, sources)
    if not own:
        return None
    visible = {number for last in own for number in range(max(0, last - CONTEXT), last + 1)}
    return replace(copy, hidden=copy.hidden | (set(range(len(copy.sentences))) - visible))


def _is_copy(own: frozenset[bytes], near: frozenset[bytes], group: _Group) -> bool:
    if _resemblance(own, near) >= MIN_RESEMBLANCE:
        return True
    return len(own & group.shingles) >= MIN_CONTAINMENT * len(own) >= MIN_CONTAINMENT * len(near) / LARGEST_RATIO


def _same_sentences(copy: Document, other: Document) -> dict[int, int]:
    """The sentences that two documents share, word for word and in one order, without those hidden in either."""
    texts = [[document.tokens[start:end] for start, end in document.sentences] for document in (copy, other)]
    blocks = SequenceMatcher(None, texts[0], texts[1], autojunk=False).get_matching_blocks()
    pairs = ((block.a + n, block.b + n) for block in blocks for n in range(block.size))
    return {one: same for one, same in pairs if one not in copy.hidden and same not in other.hidden}


def _shingles(document: Document, boilerplate: Collection[bytes] = ()) -> frozenset[bytes]:
    """Hashes of the runs of `SHINGLE` words of every visible sentence; a shorter sentence is one run."""
    found = set()
    for _, lines in groupby(lines_of(document, boilerplate), key=lambda line: line.sentence):
        tokens = (token for line in lines for token in document.tokens[line.start : line.end])
        words = [token.casefold() for token in tokens if _is_word(token)]
        for first in range(max(1, len(words) - SHINGLE + 1) if words else 0):
            text = " ".join(words[first : first + SHINGLE])
            found.add(blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest())
    return frozenset(found)


def _is_word(token: str) -> bool:
    return any(map(str.isalnum, token))


def _resemblance(one: frozenset[bytes], other: frozenset[bytes]) -> float:
    return len(one & other) / max(1, len(one | other))
