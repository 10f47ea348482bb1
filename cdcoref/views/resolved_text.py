"""Documents with clusters in, their texts out with pronouns replaced by the names of their clusters: "Tomas Vell was
held. He denied it." becomes "Tomas Vell was held. Tomas Vell denied it."."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from cdcoref.corpus import ENTITY, Corpus, Document, Mention, mention_text
from cdcoref.formats import file_names, write_folder
from cdcoref.language import is_common_word, lemma
from cdcoref.reading import Readings
from cdcoref.reports import Results, cluster_label
from cdcoref.word_tables import words_in

_PERSONAL = frozenset(("he", "him", "she", "it", "they", "them"))
_POSSESSIVE = frozenset(("his", "hers", "its", "their", "theirs"))
_NO_NAMES = words_in("replaced_words.tsv", "no name")
"""Words by which nothing is named."""
_ARTICLES = words_in("function_words.tsv", "article")
_OTHER_DETERMINERS = words_in("replaced_words.tsv", "determiner")
_AFTER_OBJECT = words_in("replaced_words.tsv", "after object")
"""Words before which "her" is an object and no possessor."""
_SHORTEST_PLURAL = 5
_POSSESSIVE_END = re.compile(r"['’]s?$")


def resolved_texts(source: Results | Corpus) -> dict[str, str]:
    """The texts of documents with pronouns of the third person replaced by the names of their clusters.

    Possessive ones get "'s" ("his crew": "Tomas Vell's crew"); reflexive and relative pronouns are kept. In quotations,
    what takes their place is in square brackets. An empty node of CorefUD without a form ("_") is left out.

    >>> from cdcoref.corpus import Document
    >>> document = Document.from_sentences("a", [["Ann", "left", "."], ["Her", "dog", "saw", "her", "."]])
    >>> mentions = tuple(Mention("a", (n,), "entity", "c") for n in (0, 3, 6))
    >>> resolved_texts(Corpus((document,), mentions))["a"]
    "Ann left .\\nAnn's dog saw Ann ."
    """
    results = Results.of(source)
    corpus = results.corpus
    readings = results.circumstances.readings
    names = _names(corpus, readings)
    mentions = corpus.by_document()
    return {d.id: _with_names(d, mentions[d.id], names, readings) for d in corpus.documents}


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
    if begins and (is_common_word(words.lower()) if not rest else first.lower() in _ARTICLES | _OTHER_DETERMINERS):
        return words[:1].lower() + words[1:]
    return words


def _definite(label: str, mentions: Sequence[Mention], readings: Readings) -> str:
    """A label as it can stand for a pronoun: "the ferry"; a name with the article that most of its mentions have."""
    first, _, rest = label.partition(" ")
    if first.lower() in ("a", "an") and rest:
        return f"the {rest}"
    if first.lower() in _ARTICLES | _OTHER_DETERMINERS:
        return label
    if not first[:1].isupper():
        return f"the {label}"
    articles = sum(m.start > 0 and readings[m.document].cased.tokens[m.start - 1].lower() == "the" for m in mentions)
    return f"the {label}" if 2 * articles > len(mentions) else label


def _with_names(document: Document, mentions: Sequence[Mention], names: Mapping[str, str], readings: Readings) -> str:
    text, quoted = document.text, readings[document.id].quotations
    layout = document.metadata.get("corefud")
    empty = layout.get("empty_nodes") if isinstance(layout, Mapping) else None
    pieces, begin = [], 0
    for mention in sorted(mentions, key=lambda m: (m.start, -m.end)):
        [word, *more] = [document.tokens[token].casefold() for token in mention.tokens]
        pronoun = not more and (word in _PERSONAL or word in _POSSESSIVE or word == "her")
        name = names.get(mention.cluster or "")
        start, end = document.offsets[mention.start]
        if not more and word == "_" and isinstance(empty, Mapping) and str(mention.start) in empty and start >= begin:
            pieces.append(text[begin:start].removesuffix(" " * (not text.startswith(" ", end))))
            begin = end + text.startswith(" ", end)
        if not pronoun or name is None or mention.kind not in (ENTITY, None):
            continue
        if word in _POSSESSIVE or (word == "her" and _possesses(document, mention)):
            name = _possessive(name)
        if start < begin:
            continue  # a mention of another cluster
        if text[start : start + 1].isupper():
            name = name[:1].upper() + name[1:]
        pieces += [text[begin:start], f"[{name}]" if quoted[mention.start] else name]
        begin = end
    return "".join([*pieces, text[begin:]])


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


def write_resolved(source: Results | Corpus, folder: str | Path) -> None:
    """Write the texts that :func:`resolved_texts` gives into a folder, a file for each document."""
    texts = resolved_texts(source)
    files = file_names(texts, ".txt")
    write_folder(folder, Results.of(source).corpus, files, ((files[id], text) for id, text in texts.items()))
