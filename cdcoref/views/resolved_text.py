"""Documents with clusters in, their texts out with mentions of entities replaced by the names of their clusters: "Tomas
Vell was held. He denied it." becomes "Tomas Vell was held. Tomas Vell denied it."."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from cdcoref.corpus import ENTITY, Corpus, Document, Mention, character_parts, mention_text
from cdcoref.errors import InputError
from cdcoref.formats import file_names, write_folder
from cdcoref.language import is_common_word, lemma
from cdcoref.reading import Readings
from cdcoref.reports import Results, cluster_label
from cdcoref.word_tables import words_in

Replaced = Literal["pronouns", "all"]
"""What is replaced: pronouns of the third person alone, or also nouns and parts of names."""

_PERSONAL = frozenset(("he", "him", "she", "it", "they", "them"))
_POSSESSIVE = frozenset(("his", "hers", "its", "their", "theirs"))
_NO_NAMES = words_in("replaced_words.tsv", "no name")
"""Words by which nothing is named."""
_DETERMINERS = frozenset(("the", "a", "an"))
_OTHER_DETERMINERS = words_in("replaced_words.tsv", "determiner")
_AFTER_OBJECT = words_in("replaced_words.tsv", "after object")
"""Words before which "her" is an object and no possessor."""
_DEFINITE = frozenset({"the", "this", "that", "these", "those"})
_IN_APPOSITION = frozenset({",", "the", "a", "an", "of", "then", "former", "(", "-", "–", "—", "as"})
"""What stands between two mentions of one thing that describe each other ("Ida Rohm, the minister")."""
_PREDICATES = words_in("replaced_words.tsv", "predicate")
_COMPLEMENTS = words_in("replaced_words.tsv", "complement")
_SEVERAL = words_in("replaced_words.tsv", "several")
_SHORTEST_PLURAL = 5
_POSSESSIVE_END = re.compile(r"['’]s?$")


class _Edit(NamedTuple):
    """Characters of a text, and what takes their place."""

    start: int
    end: int
    text: str


def resolved_texts(source: Results | Corpus, replaced: Replaced = "pronouns") -> dict[str, str]:
    """The texts of documents with mentions replaced by the names of their clusters.

    ``"pronouns"``: those of the third person, possessive ones with "'s" ("his crew": "Tomas Vell's crew"); reflexive
    and relative pronouns are kept. ``"all"``: also parts of names, and definite nouns ("the ferry") that stand alone;
    of mentions that overlap, the longest. In quotations, what is replaced is in square brackets.

    >>> from cdcoref.corpus import Document
    >>> document = Document.from_sentences("a", [["Ann", "left", "."], ["Her", "dog", "saw", "her", "."]])
    >>> mentions = tuple(Mention("a", (n,), "entity", "c") for n in (0, 3, 6))
    >>> resolved_texts(Corpus((document,), mentions))["a"]
    "Ann left .\\nAnn's dog saw Ann ."
    """
    if replaced not in get_args(Replaced):
        raise InputError(f"{replaced!r} cannot be replaced; choose pronouns or all")
    results = Results.of(source)
    corpus = results.corpus
    readings = results.circumstances.readings
    names = _names(corpus, readings)
    mentions = corpus.by_document()
    return {d.id: _with_names(d, mentions[d.id], names, replaced, readings) for d in corpus.documents}


def _is_headline(mention: Mention, readings: Readings) -> bool:
    """Whether words stand in a headline, where capitals mark no names."""
    reading = readings[mention.document]
    return any(reading.cased.tokens[token] != reading.document.tokens[token] for token in mention.tokens)


def _names(corpus: Corpus, readings: Readings) -> dict[str, str]:
    """The names of clusters of several entities; those that have none are left out."""
    names = {}
    for members in corpus.clusters():
        cluster = members[0].cluster
        if cluster is None or members[0].kind not in (ENTITY, None) or len(members) < 2:
            continue
        given = corpus.name_of(members[0])
        known = [(_wording(mention, readings), mention) for mention in members if mention.contiguous]
        known = [(wording, mention) for wording, mention in known if wording.casefold() not in _NO_NAMES]
        if given:
            names[cluster] = given
        elif known:
            known = [one for one in known if not _is_headline(one[1], readings)] or known
            known = [one for one in known if one[0][:1].isupper()] or known
            label = _POSSESSIVE_END.sub("", cluster_label([wording for wording, _ in known])).rstrip()
            names[cluster] = _definite(label, [mention for wording, mention in known if wording == label], readings)
    return names


def _wording(mention: Mention, readings: Readings) -> str:
    """The words of a mention; a noun that has a capital only since it begins a sentence, or in a headline, has none."""
    document = readings[mention.document].document
    written = [readings[mention.document].cased.tokens[token] for token in mention.tokens]
    in_text = [document.tokens[token] for token in mention.tokens]
    words = mention_text(mention, document) if written == in_text else " ".join(written)
    begins = document.sentence_at(mention.start)[0] == mention.start
    first, _, rest = words.partition(" ")
    if begins and (is_common_word(words.lower()) if not rest else first.lower() in _DETERMINERS | _OTHER_DETERMINERS):
        return words[:1].lower() + words[1:]
    return words


def _definite(label: str, mentions: Sequence[Mention], readings: Readings) -> str:
    """A label as it can stand for a pronoun: "the ferry"; a name with the article that most of its mentions have."""
    first, _, rest = label.partition(" ")
    if first.lower() in ("a", "an") and rest:
        return f"the {rest}"
    if first.lower() in _DETERMINERS | _OTHER_DETERMINERS:
        return label
    if not first[:1].isupper():
        return f"the {label}"
    articles = sum(m.start > 0 and readings[m.document].cased.tokens[m.start - 1].lower() == "the" for m in mentions)
    return f"the {label}" if 2 * articles > len(mentions) else label


def _with_names(
    document: Document, mentions: Sequence[Mention], names: Mapping[str, str], replaced: Replaced, readings: Readings
) -> str:
    edits: list[_Edit] = []
    taken = -1
    ends = {(mention.cluster, mention.end) for mention in mentions}
    starts = {(mention.cluster, mention.start) for mention in mentions}
    for mention in sorted(mentions, key=lambda m: (m.start, -m.end)):
        name = names.get(mention.cluster or "")
        if name is None or not mention.contiguous or mention.kind not in (ENTITY, None) or mention.start <= taken:
            continue
        apposed = any(
            (mention.cluster, place) in marks
            for marks, places in (
                (ends, _reached(document, mention.start - 1, -1)),
                (starts, _reached(document, mention.end, 1)),
            )
            for place in places
        )
        edit = _edit(document, mention, name, replaced, apposed=apposed)
        if edit is not None:
            edits.append(
                edit._replace(text=f"[{edit.text}]") if readings[document.id].quotations[mention.start] else edit
            )
            taken = mention.end - 1
    text = document.text
    for edit in reversed(edits):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def _reached(document: Document, place: int, step: int) -> Iterator[int]:
    """Where mentions end (or begin) that stand in apposition: behind nothing but a comma, an article and the like."""
    first, last = document.sentence_at(min(max(place, 0), len(document.tokens) - 1))
    while first <= place < last:
        yield place + (step < 0)
        if document.tokens[place].lower() not in _IN_APPOSITION:
            return
        place += step
    yield place + (step < 0)


def _edit(document: Document, mention: Mention, name: str, replaced: Replaced, *, apposed: bool) -> _Edit | None:
    """What takes the place of a mention; None if it stays."""
    [(start, end)] = character_parts(mention, document)
    words = mention_text(mention, document)
    word = words.casefold()
    if len(mention.tokens) == 1 and (word in _PERSONAL or word in _POSSESSIVE or word == "her"):
        own = word in _POSSESSIVE or (word == "her" and _possesses(document, mention))
        text = _possessive(name) if own else name
    elif replaced == "pronouns" or word in _NO_NAMES or apposed:
        return None
    else:
        bare = _POSSESSIVE_END.sub("", words).rstrip()
        known = _without_article(name)
        if bare.casefold() in (name.casefold(), known.casefold()) or not _may_be_replaced(document, mention, name):
            return None
        text = _possessive(name) if bare != words else name
        before = document.tokens[mention.start - 1].lower() if mention.start else ""
        if before in _DETERMINERS and document.sentence_at(mention.start)[0] < mention.start:
            # "the captain": the name takes the place of the article too.
            start = document.offsets[mention.start - 1][0]
        elif before in _OTHER_DETERMINERS or _POSSESSIVE_END.search(before):
            text = _without_article(text)
    if document.text[start : start + 1].isupper():
        text = text[:1].upper() + text[1:]
    return _Edit(start, end, text)


def _may_be_replaced(document: Document, mention: Mention, name: str) -> bool:
    """Whether a part of a name that stands alone, or a definite noun without modifiers, can become a name."""
    words = [document.tokens[token] for token in mention.tokens]
    first, last = document.sentence_at(mention.start)
    before = [word.lower() for word in document.tokens[max(first, mention.start - 3) : mention.start]]
    after = [word.lower() for word in document.tokens[mention.end : min(last, mention.end + 1)]]
    known = _without_article(name).lower().split()
    own = [word for word in (_POSSESSIVE_END.sub("", word) for word in words) if word]
    named = [word.lower() for word in own if word.lower() not in _DETERMINERS]
    if not named or any(letter.isdigit() for letter in name):
        return False
    if own[-1][:1].isupper() and (len(own) > 1 or named[0] in known or not is_common_word(named[0])):
        rest = set(known) - set(named)
        return set(named) < set(known) and rest.isdisjoint((*before[-1:], *after))
    if own[0].lower() not in _DEFINITE:
        if not before or before[-1] not in _DEFINITE:
            return False
        before = before[:-1]
    singular = name[:1].isupper() or (name[:1].islower() and not _is_plural(known[-1]))
    if singular and (_is_plural(named[-1]) or named[-1] in _SEVERAL):
        return False
    return not (_PREDICATES.intersection(before[-1:]) or _COMPLEMENTS.intersection(after))


def _without_article(name: str) -> str:
    first, _, rest = name.partition(" ")
    return rest if first.lower() in _DETERMINERS and rest else name


def _possesses(document: Document, mention: Mention) -> bool:
    """Whether "her" is followed by the noun that belongs to her, as far as the next word tells."""
    following = mention.end
    if following >= document.sentence_at(mention.start)[1]:
        return False
    word = document.tokens[following]
    return word[:1].isalnum() and word.lower() not in _AFTER_OBJECT


def _possessive(name: str) -> str:
    """A name with "'s"; a plural noun with an apostrophe ("the passengers'")."""
    first, *_, last = (*name.split(), name.split()[-1])
    several = " " in name and (
        first.lower() == "the" or (len(last) >= _SHORTEST_PLURAL and _is_plural(last.casefold()))
    )
    plural = last.endswith("s") and not last.endswith("ss") and (last[:1].islower() or several)
    return f"{name}'" if plural else f"{name}'s"


def _is_plural(word: str) -> bool:
    """Whether a word in lower case ends in "s" and is the plural of one in the dictionary."""
    return (
        word.endswith("s")
        and not word.endswith("ss")
        and lemma(word) == word.removesuffix("s")
        and is_common_word(word)
    )


def write_resolved(source: Results | Corpus, folder: str | Path, replaced: Replaced = "pronouns") -> None:
    """Write the texts that :func:`resolved_texts` gives into a folder, a file for each document."""
    corpus = Results.of(source).corpus
    texts = resolved_texts(source, replaced)
    files = file_names(texts, ".txt")
    write_folder(folder, corpus, files, ((files[id], text) for id, text in texts.items()))
