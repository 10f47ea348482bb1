"""The words (by lemma) that say what a document is about, and how much each weighs; and lines that are boilerplate."""

import re
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import blake2b
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from runpy import run_path
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, diags_array

from cdcoref.corpus import Document
from cdcoref.language import HEADER_LINES, day_in, in_sentence_case, is_date_line, is_header_line, lemma

NAME_WEIGHT = 2.0
LEAD_WEIGHT = 1.5
LEAD_WEIGHT_OF_FORMS = 2.0
"""As the shipped models were trained with."""
LEAD_SENTENCES = 2
PRIOR_DOCUMENTS = 200
PRIOR_RATE = 0.02
_BLOCK_CELLS = 2_000_000
"""Number of similarities held in memory at a time."""
_WORD = re.compile(r"[^\W_]+(?:[.,:'’&-][^\W_]+)*")
_POSSESSIVE = re.compile(r"['’]s$", re.IGNORECASE)
_ENDING = re.compile(r"(?:n't|'s|'re|'ve|'ll|'d|'m)$")
_SEPARATORS = frozenset({"|", "•", "·", "»", "–", "—", "-", "--"})
"""What parts of a line stand between ("Ferry sinks | The Herald", "WASHINGTON (AP) - A ferry sank.")."""
_DIGITS = str.maketrans("123456789", "0" * 9)


def words_of(document: Document, boilerplate: Collection[bytes] = (), *, forms: bool = False) -> dict[str, float]:
    """The words of a document's report, and how much each weighs before its rarity is known."""
    names: set[str] = set()
    lead: set[str] = set()
    words: dict[str, float] = {}
    tokens = in_sentence_case(document).tokens
    for number, lines in enumerate(report_of(document, boilerplate)):
        first = document.sentences[lines[0].sentence][0]
        for token in (token for line in lines for token in range(line.start, line.end)):
            for form, capitalised in _forms(tokens[token]):
                word = form if forms else lemma(form)
                words[word] = 1.0
                if (capitalised and token > first) or word[0].isdigit():
                    names.add(word)
                if number < LEAD_SENTENCES:
                    lead.add(word)
    for word in names:
        words[word] *= NAME_WEIGHT
    for word in lead:
        words[word] *= LEAD_WEIGHT_OF_FORMS if forms else LEAD_WEIGHT
    return words


class Line(NamedTuple):
    """What a web site may add to each of its articles: a sentence, or a part of one between separators."""

    sentence: int
    start: int
    end: int


def lines_of(document: Document, boilerplate: Collection[bytes] = ()) -> Iterator[Line]:
    """The lines that are neither hidden nor boilerplate, in the order of the text."""
    for number, (start, end) in enumerate(document.sentences):
        if number not in document.hidden:
            breaks = [token for token in range(start, end) if document.tokens[token] in _SEPARATORS]
            for first, last in zip([start, *(token + 1 for token in breaks)], [*breaks, end], strict=True):
                if first < last and not (boilerplate and line_key(document, first, last) in boilerplate):
                    yield Line(number, first, last)


def line_key(document: Document, start: int, end: int) -> bytes:
    """What the same tokens have in common in several documents: a hash of them in lower case, with numbers as zeros."""
    words = (word.translate(_DIGITS) if word[:1].isdigit() else word for word in document.tokens[start:end])
    return blake2b(" ".join(words).casefold().encode(errors="surrogatepass"), digest_size=8).digest()


def report_of(document: Document, boilerplate: Collection[bytes] = ()) -> list[list[Line]]:
    """The lines that are part of the report, by sentence."""
    sentences = [list(lines) for _, lines in groupby(lines_of(document, boilerplate), key=lambda line: line.sentence)]
    return [
        lines
        for place, lines in enumerate(sentences)
        if place >= HEADER_LINES or not is_header_line(" ".join(document.tokens[lines[0].start : lines[-1].end]))
    ]


@lru_cache(maxsize=1 << 18)
def _forms(token: str) -> tuple[tuple[str, bool], ...]:
    """The content words of a token, in lower case, and whether they were capitalised."""
    words = ((_POSSESSIVE.sub("", form.lower()), form[0].isupper()) for form in _WORD.findall(token))
    return tuple((word, upper) for word, upper in words if len(word) > 1 and not _is_stop_word(word))


def _is_stop_word(word: str) -> bool:
    """Whether a word, with or without its contraction, is a stop word."""
    word = word.replace("’", "'")
    return word in _stop_words() or _ENDING.sub("", word) in _stop_words()


@lru_cache(maxsize=1)
def _stop_words() -> frozenset[str]:
    """spaCy's English stop words, from their file alone: spaCy itself imports PyTorch, which takes seconds."""
    package = find_spec("spacy")
    assert package is not None, "spaCy is a dependency"
    assert package.origin is not None
    stop_words = run_path(str(Path(package.origin).with_name("lang") / "en" / "stop_words.py"))["STOP_WORDS"]
    return frozenset(stop_words)


def word_table(documents: Iterable[Mapping[str, float]]) -> csr_array:
    """What :func:`words_of` says of documents, as a table. *Shape:* (documents, words)"""
    column: dict[str, int] = {}
    columns, weights, ends = array("q"), array("d"), array("q", [0])
    for words in documents:
        for word, weight in words.items():
            columns.append(column.setdefault(word, len(column)))
            weights.append(weight)
        ends.append(len(columns))
    shape = (len(ends) - 1, max(1, len(column)))  # scikit-learn takes no table without columns
    table = csr_array((np.array(weights), np.array(columns), np.array(ends)), shape=shape)
    table.sort_indices()  # so that products are symmetric to the last digit
    return table


def tf_idf(weights: csr_array, frequency: np.ndarray, total: float) -> csr_array:
    """Vectors of length 1, or 0 for no words: weights times inverse document frequency, smoothed.

    `frequency` of `total` documents have a word. *Shapes:* (documents, words), (words,)
    """
    rarity = np.log((total + PRIOR_DOCUMENTS) / (frequency + PRIOR_DOCUMENTS * PRIOR_RATE))
    return unit_length(csr_array(weights @ diags_array(rarity)))


def unit_length(vectors: csr_array) -> csr_array:
    """The rows scaled to length 1; rows of zeros stay."""
    lengths = np.sqrt(np.asarray(vectors.multiply(vectors).sum(axis=1)).ravel())
    lengths[lengths == 0] = 1.0
    scaled = vectors.copy()
    scaled.data = scaled.data / np.repeat(lengths, np.diff(scaled.indptr))
    return scaled


def blocks_of_products(left: csr_array, rows: np.ndarray, right: csr_array) -> Iterator[tuple[int, csr_array]]:
    """Products of some rows of one matrix with all rows of another, a bounded number at a time.

    The position in `rows` of a block's first row comes with each block. *Shape:* (rows of the block, rows of `right`)
    """
    step = max(1, _BLOCK_CELLS // max(1, right.shape[0]))
    columns = csr_array(right.T)
    for start in range(0, len(rows), step):
        yield start, left[rows[start : start + step]] @ columns


MIN_DOCUMENTS = 3
MIN_SHARE_OF_SENTENCE = 0.1
MIN_SIMILARITY = 0.08
"""The cosine below which two documents have little in common. Of the pairs of documents of one story of the train
topics of ECB+, 2 % are below it, and 97 % of the others."""
UNLIKE_PAIRS = 0.25
"""The share of such pairs above which a line is boilerplate."""
MIN_WORDS = 8
MIN_SHARE = 0.2
"""Different words, and the share of its words, that a document must have besides repeated lines to show what it has in
common with others. Reprints of one report have less, and each site's own lines around it are unlike the others'."""
MAX_COMPARED = 40
"""Of a line that more documents have, only these are compared, spread evenly over the documents."""
_ENDS = frozenset({".", "!", "?", '"', "”", "’", "'"})
"""Last words of sentences."""


def boilerplate_lines(documents: Sequence[Document]) -> frozenset[bytes]:
    """The keys of the lines (:func:`cdcoref.stories.line_key`) that are boilerplate, whatever the documents' order."""
    ordered = sorted(documents, key=lambda document: document.id)
    documents_with: dict[bytes, list[int]] = {}
    sentences: set[bytes] = set()
    for place, document in enumerate(ordered):
        found = {line_key(document, line.start, line.end): line for line in lines_of(document)}
        sentences.update(key for key, line in found.items() if document.tokens[line.end - 1] in _ENDS)
        for key in found:
            documents_with.setdefault(key, []).append(place)
    least = {True: max(MIN_DOCUMENTS, MIN_SHARE_OF_SENTENCE * len(documents)), False: MIN_DOCUMENTS}
    repeated = {key: places for key, places in documents_with.items() if len(places) >= least[key in sentences]}
    if not repeated:
        return frozenset()
    similar = _similarity_of_rest(ordered, repeated)
    return frozenset(key for key, places in repeated.items() if _is_boilerplate(similar, places))


def without_boilerplate(document: Document, boilerplate: Collection[bytes]) -> Document:
    """The document with the sentences hidden that consist of such lines, but for those that state its day."""
    if not boilerplate:
        return document
    left = {line.sentence for line in lines_of(document, boilerplate)}
    gone = {line.sentence for line in lines_of(document)} - left
    return replace(document, hidden=document.hidden | {number for number in gone if not _states_day(document, number)})


def _states_day(document: Document, sentence: int) -> bool:
    start, end = document.sentences[sentence]
    line = document.text[document.offsets[start][0] : document.offsets[end - 1][1]]
    return is_date_line(line) or day_in(line) is not None


def _similarity_of_rest(documents: Sequence[Document], repeated: Collection[bytes]) -> csr_array:
    """Vectors of what else the documents have, of length 1, or 0 for too few words. *Shape:* (documents, words)"""

    def rest(document: Document) -> dict[str, float]:
        words = words_of(document, repeated)
        enough = len(words) >= max(MIN_WORDS, MIN_SHARE * len(words_of(document)))
        return dict.fromkeys(words, 1.0) if enough else {}

    table = word_table(map(rest, documents))
    return tf_idf(table, np.bincount(table.indices, minlength=table.shape[1]), len(documents))


def _is_boilerplate(rest: csr_array, places: Sequence[int]) -> bool:
    chosen = np.array(places)[np.unique(np.linspace(0, len(places) - 1, MAX_COMPARED).round().astype(np.int64))]
    own = csr_array(rest[chosen])
    own = csr_array(own[np.diff(own.indptr) > 0])
    if own.shape[0] < MIN_DOCUMENTS:
        return False
    similarities = (own @ own.T).toarray()[np.triu_indices(own.shape[0], 1)]
    return bool((similarities < MIN_SIMILARITY).mean() > UNLIKE_PAIRS)
