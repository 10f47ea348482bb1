"""Clusters in the order in which people want to see them, in lists and in what a search finds."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from cdcoref.circumstances import dateline_end
from cdcoref.corpus import EVENT, KINDS, Corpus, Document, Mention
from cdcoref.language import NUMERALS, TENS, head_word, is_date_name, lemma
from cdcoref.reading import Reading, Readings
from cdcoref.word_tables import rows, words_in

_DATE_OR_NUMBER = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days"
    r"|[-+$€£]?\d[\d.,:/–-]*(?:st|nd|rd|th|s|%|am|pm)?"
    rf"|zero|{'|'.join(NUMERALS)}|(?:{'|'.join(TENS)})(?:-\w+)?|hundreds?|thousands?|[mbtr]+illions?|dozens?"
    r"|today|yesterday|tomorrow|tonight|midnight|noon|(?:mid)?(?:morning|afternoon|evening|night)|(?:week(?:end)?|month|year|decade)s?"
    r"|ago|earlier|later"
    r"|[ap]\.?m\.?|o['’]clock|percent|pct|[%$€£]",
    re.IGNORECASE,
)
_BESIDE = words_in("label_words.tsv", "beside")
"""Words that leave a date a date and a number a number."""
_UNITS = frozenset(row["word"] for row in rows("units.tsv") if row["kind"] in ("money", "span"))
"""In the plural; "the dollar" may be a thing."""
_SAY_LITTLE = words_in("label_words.tsv", "little")
"""Dictionary forms of events that tell a reader nothing when they stand alone."""


def is_date_or_number(words: Sequence[str]) -> bool:
    """Whether words are a date, a time, a number or a unit of them and nothing else.

    >>> is_date_or_number(["last", "Friday"]), is_date_or_number(["1998"]), is_date_or_number(["19", "people"])
    (True, True, False)
    >>> is_date_or_number(["dollars"]), is_date_or_number(["the", "dollar"])
    (True, False)
    """
    rest = [word for word in words if word.casefold() not in _BESIDE and re.search(r"\w", word)]
    return bool(rest) and all(
        is_date_name(word) or _DATE_OR_NUMBER.fullmatch(word) or (word[-1] in "sS" and lemma(word) in _UNITS)
        for word in rest
    )


def ranked_clusters(
    corpus: Corpus, readings: Readings | None = None, *, singletons: bool = True
) -> Iterator[list[Mention]]:
    """The clusters in order, each with its mentions in the order of the text.

    Clusters across documents come first, then clusters within one document, then, on request, singletons. In each of
    these groups, events and entities take turns; each kind is ranked by the number of documents times the confidence,
    then by size. Clusters that only name dates or numbers, places in datelines, or events of reporting and the
    like come after all others of their group; with `readings` also entities that mostly complete longer names.
    """

    def is_minor(cluster: Sequence[Mention]) -> bool:
        completing = [readings is not None and is_within_name(m, readings[m.document]) for m in cluster]
        is_part = cluster[0].kind != EVENT and 2 * sum(completing) >= len(cluster)
        return is_part or all(says_little(mention, documents[mention.document]) for mention in cluster)

    order = {document.id: number for number, document in enumerate(corpus.documents)}
    documents = {document.id: document for document in corpus.documents}
    ranked: dict[tuple[bool, bool, bool], list[tuple[float, int, list[Mention]]]] = {}
    for cluster in corpus.clusters():
        if singletons or len(cluster) > 1:
            names = {mention.document for mention in cluster}
            group = len(names) < 2, len(cluster) < 2, is_minor(cluster)
            sure = mean_confidence(cluster)
            ranked.setdefault(group, []).append((len(names) * (1.0 if sure is None else sure), len(cluster), cluster))
    taking_turns = []
    for group in sorted(ranked):
        ranked[group].sort(key=lambda entry: entry[:2], reverse=True)
        turn: Counter[str | None] = Counter()
        for _, _, cluster in ranked[group]:
            kind = cluster[0].kind
            turn[kind] += 1
            taking_turns.append((group, turn[kind], KINDS.index(kind) if kind in KINDS else len(KINDS), cluster))
    taking_turns.sort(key=lambda entry: entry[:3])
    return (sorted(cluster, key=lambda m: (order[m.document], m.tokens)) for *_, cluster in taking_turns)


def mean_confidence(cluster: Sequence[Mention]) -> float | None:
    """The mean of the known confidences; None if none is known."""
    known = [mention.confidence for mention in cluster if mention.confidence is not None]
    return sum(known) / len(known) if known else None


def says_little(mention: Mention, document: Document) -> bool:
    """Whether a mention is a bare date or number, a verb of reporting or the like, or in the document's dateline."""
    words = [document.tokens[token] for token in mention.tokens]
    if is_date_or_number(words) or (mention.kind == EVENT and _is_small(head_word(words).casefold())):
        return True
    return is_in_dateline(document, mention.start)


def is_within_name(mention: Mention, reading: Reading) -> bool:
    """Whether a mention only completes a longer name: "Birds" in "Royal Society for the Protection of Birds"."""
    name = reading.parse.longer_name(mention.tokens)
    return name is not None and reading.parse.head_of(name) not in mention.tokens


_LATEST = 100
"""The last token that may be in a dateline: headlines and bylines come before it."""


def is_in_dateline(document: Document, token: int) -> bool:
    """Whether a token says where and when a report was written, before its text: ``TRESK, March 5 (AP) -``."""
    if token > _LATEST:
        return False
    start, end = document.sentence_at(token)
    return token - start < dateline_end(document.tokens[start:end])


@lru_cache(maxsize=1 << 14)
def _is_small(head: str) -> bool:
    form = lemma(head)
    return form in _SAY_LITTLE or (head.endswith("est") and form != head)


TITLE, WORDING, SENTENCE = 6, 4, 2
"""Points for a word in the title, in the words of a mention, in its sentence."""
_WORD = re.compile(r"[^\W_]+")


def search_words(text: str) -> list[str]:
    """The words of a text, in lower case and without accents.

    >>> search_words("Olé, the Ferry's 2nd_trip")
    ['ole', 'the', 'ferry', 's', '2nd', 'trip']
    """
    if text.isascii():
        return _WORD.findall(text.lower())
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if unicodedata.category(c)[0] != "M")
    return _WORD.findall(plain.lower())


def searched(texts: Iterable[str]) -> str:
    """Texts as :func:`search_points` takes them: their words, each between spaces.

    >>> searched(["The ferry", "Maren."])
    ' the ferry maren '
    """
    return f" {' '.join(word for text in texts for word in search_words(text))} "


@lru_cache(maxsize=1 << 14)
def searched_title(title: str) -> str:
    """A title as :func:`search_points` takes it."""
    return searched([title])


def word_points(word: str, text: str, worth: int) -> int:
    """The points for a word in a text: `worth`, half of it for the beginning of a word, or 0."""
    if f" {word}" not in text:
        return 0
    return worth if f" {word} " in text else worth // 2


def search_points(query: Sequence[str], title: str, wordings: str, sentences: Iterable[str]) -> int:
    """The points of a cluster for the words of a query; 0 if it lacks one of them.

    `title`, `wordings` of all mentions and `sentences` are as :func:`searched` gives them; sentences are consulted only
    if a word is in neither of the others.

    >>> search_points(["greece", "fire"], " fire kalamata greece ", " fire blaze ", [])
    12
    >>> search_points(["fire"], " flight ", " fled ", [" they fled the fires "])
    1
    """
    total = 0
    known: list[str] | None = None
    for word in query:
        points = max(word_points(word, title, TITLE), word_points(word, wordings, WORDING))
        if not points:
            known = list(sentences) if known is None else known
            points = max((word_points(word, sentence, SENTENCE) for sentence in known), default=0)
        if not points:
            return 0
        total += points
    return total
