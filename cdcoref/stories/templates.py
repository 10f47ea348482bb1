"""Reports of two happenings in the same words: two court cases, quakes or results in which a reporter filled in blanks.

They share most of their sentences, but at the beginning, where one has a name, a day or an amount, the other one has
another, and neither text has that of the other anywhere. A copy that was cut, retitled or added to has no such pair.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from itertools import combinations

from cdcoref.circumstances import dateline_end
from cdcoref.corpus import Document
from cdcoref.language import date_name, is_common_word
from cdcoref.stories.document_words import report_of

LEAD = 2
"""Sentences at the beginning in which facts are compared."""
MIN_SHARED = 0.5
"""The share of the sentences of the shorter text that the longer one has, from which they may be of one template."""


def other_facts(one: Document, other: Document) -> list[str]:
    """What differs at the beginning of two texts of the same words: ``"name"``, ``"day"`` or ``"amount"``, for each
    place. A name beside a word that both have, as one first name beside a surname, is another form of it."""
    mine, theirs = _lead(one), _lead(other)
    words = [frozenset(map(str.casefold, document.tokens)) for document in (one, other)]
    facts = []
    for operation, a, b, c, d in SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes():
        if operation != "replace":
            continue
        left = [word for word in mine[a:b] if word.casefold() not in words[1]]
        right = [word for word in theirs[c:d] if word.casefold() not in words[0]]
        beside = [*mine[max(0, a - 1) : a], *mine[b : b + 1]]
        for kind, is_of in (("day", date_name), ("amount", _is_amount), ("name", _is_name)):
            replaced = any(map(is_of, left)) and any(map(is_of, right))
            if replaced and not (kind == "name" and any(map(_is_name, beside))):
                facts.append(kind)
    return facts


def are_of_template(one: Document, other: Document) -> bool:
    """Whether two texts report two happenings in the same words: another name and another fact, or day and amount."""
    mine, theirs = _sentences(one), _sentences(other)
    if len(mine & theirs) < MIN_SHARED * min(len(mine), len(theirs)):
        return False
    facts = other_facts(one, other)
    return len(facts) > 1 and ("name" in facts or {"day", "amount"} <= set(facts))


def divided(group: Sequence[Document], similarity: Callable[[str, str], float]) -> list[list[Document]]:
    """Documents of one story, without two of one template in a group: each is in the group that is most like it."""
    sentences = {document.id: _sentences(document) for document in group}
    conflicts = {
        frozenset((one.id, other.id))
        for one, other in combinations(group, 2)
        if sentences[one.id] & sentences[other.id] and are_of_template(one, other)
    }
    if not conflicts:
        return [list(group)]
    groups: list[list[Document]] = []
    # Those in conflict come first, so that the others can choose among all groups.
    in_conflict = frozenset[str]().union(*conflicts)
    for document in sorted(group, key=lambda document: (document.id not in in_conflict, document.id)):
        free = [g for g in groups if all(frozenset((document.id, member.id)) not in conflicts for member in g)]
        if free:
            best = max(free, key=lambda g: sum(similarity(document.id, member.id) for member in g) / len(g))
            best.append(document)
        else:
            groups.append([document])
    return groups


def _lead(document: Document) -> list[str]:
    """The words of the first sentences, without a dateline."""
    lead: list[str] = []
    for lines in report_of(document)[:LEAD]:
        sentence = document.tokens[lines[0].start : lines[-1].end]
        words = [word for word in sentence[dateline_end(sentence) :] if any(map(str.isalnum, word))]
        if words and is_common_word(words[0].casefold()):
            words[0] = words[0].casefold()
        lead += words
    return lead


def _sentences(document: Document) -> frozenset[str]:
    return frozenset(
        " ".join(document.tokens[start:end]).casefold()
        for number, (start, end) in enumerate(document.sentences)
        if number not in document.hidden and start < end
    )


def _is_amount(word: str) -> bool:
    return word[0].isdigit()


def _is_name(word: str) -> bool:
    return word[0].isupper() and not date_name(word)
