"""Plain text in, a tokenised Document out, whose offsets point into the original text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from html import unescape
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from cdcoref.corpus import Corpus, Document
from cdcoref.errors import InputError, first_line
from cdcoref.formats.file_types import structure_of
from cdcoref.formats.format import Format, ReadOptions
from cdcoref.formats.lines import USUAL, EncodingError, line_chunks
from cdcoref.formats.metadata import found_metadata, with_stated
from cdcoref.language import day_in
from cdcoref.word_tables import words_in
from cdlm.printing import counted

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Token as SpacyToken

BLOCK_TAGS, INLINE_TAGS, _FLAGS = ("|".join(sorted(words_in("html_names.tsv", k))) for k in ("block", "inline", "flag"))
"""Names of HTML as alternatives of a pattern: tags that end a line, tags inside one, attributes without a value."""
_CUSTOM = r"[a-z][a-z0-9]{0,30}(?:-[a-z0-9]{1,30}){1,4}"
_NAME = rf"(?:(?P<line>{BLOCK_TAGS}|br)|{INLINE_TAGS}|{_CUSTOM})(?![\w:.-])"
_VALUE = r"[\w:-]+\s*=\s*(?:\"[^\"<]*\"|'[^'<]*'|[^\s\"'<>]+)"
_ATTRIBUTES = rf"(?:\s+(?:{_VALUE}|(?:{_FLAGS}|data-[\w-]+)(?![\w-])))*"
_MARKUP = re.compile(
    rf"(?:<|&lt;)/?{_NAME}{_ATTRIBUTES}\s*/?(?:>|&gt;)"
    rf"|</{_NAME.replace('<line>', '<cut>')}\s*\Z"
    r"|<!--(?:(?!-->).){0,1000}(?:-->|\Z)|<!\[CDATA\[|\]\]>"
    rf"|\A[^<>=\s]{{0,20}}(?:\s+{_VALUE})+\s*/?>"
    r"|(?P<entity>&(?:amp;)*(?:#[0-9]{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,30});)",
    re.IGNORECASE | re.DOTALL,
)
"""Tags of HTML, also of custom elements, whose brackets may be entities, or cut off at either end of the text;
comments; entities, which may be encoded twice."""


def without_markup(text: str) -> tuple[str, Sequence[int]]:
    """A text without tags and entities of HTML, and where its characters and its end are in the original.

    A tag is a space, or a blank line where it ends a line of HTML. An entity is the character that it stands for.

    >>> without_markup("A&amp;B<br>C")
    ('A&B\\n\\nC', [0, 1, 6, 7, 7, 11, 12])
    """
    pieces: list[str] = []
    positions: list[int] = []
    start = 0
    for found in _MARKUP.finditer(text):
        if found["entity"]:
            characters = unescape(unescape(found[0]))
            if len(characters) != 1:
                continue
        else:
            characters = "\n\n" if found["line"] or found["cut"] else " "
        pieces += (text[start : found.start()], characters)
        positions += range(start, found.start())
        positions += [found.start()] * len(characters)
        start = found.end()
    if not pieces:
        return text, range(len(text) + 1)
    return "".join((*pieces, text[start:])), [*positions, *range(start, len(text) + 1)]


LONGEST_SENTENCE = 200
"""In tokens; longer sentences (tables, text without punctuation) are split. The longest in ECB+ has 91."""
LONGEST_PIECE = 50_000
"""Characters tokenised at a time, so that time is linear in the text and memory is bounded."""
LONGEST_TEXT = 10_000_000
"""In characters; longer texts are refused, since what is known of their words would not fit into memory."""
LONGEST_RUN = 20_000
"""In characters; longer runs without a space, such as images in base64, have no words."""
LONGEST_WORD = 200
"""In characters; longer runs without a space are split (spaCy's rules take quadratic time on them)."""
WIDEST_PAGE = 120
"""In characters; a text with longer lines is not wrapped to a page width."""
NARROWEST_PAGE = 60

_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")
"""Characters that occur in images and programs, but not in text."""
_PARAGRAPH_BREAK = re.compile(r"\n[^\S\n]*\n\s*")
_FIRST_WORD = re.compile(r"\s*(\S{1,120})")
_LONG_RUN = re.compile(rf"\S{{{LONGEST_WORD},}}")
_ENDS = frozenset(".!?…。！？") | {"..."}
_CLOSERS = frozenset("\"'”’»)]}") | {"''"}
_PAUSES = frozenset(",;:—–-") | {"--"}
_ABBREVIATIONS, _STARTERS = (words_in("sentence_words.tsv", kind) for kind in ("abbreviation", "starter"))

Token = tuple[int, int, str]
"""Start, end and word."""


class Part(NamedTuple):
    """One of the documents of a file."""

    text: str
    stated: dict[str, Any]


def read_text(
    path: str | Path, pipeline: str | None = None, id: str | None = None, encoding: str | None = None
) -> Document:
    """Read a text file, plain or compressed with gzip; its id is the file name unless another is given.

    It is in UTF-8, in UTF-16 or UTF-32 with a byte order mark, or else in `encoding`. A missing line break at the end
    is added. `pipeline` is a spaCy pipeline that splits sentences; None for the rules.
    """
    path = Path(path)
    data = text_content(path, encoding)
    is_xml = path.name.lower().removesuffix(".gz").endswith(".xml")
    if (what := structure_of(data, is_xml=is_xml)) is not None:
        raise InputError(f"this is {what}", path)
    text = data.decode()
    return tokenise_text(text, id or path.name, pipeline, path=str(path))


def text_content(path: Path, encoding: str | None = None) -> bytes:
    """A whole text file in UTF-8, plain or compressed with gzip."""
    try:
        return b"".join(chunk for _, chunk in line_chunks(path))
    except EncodingError as error:
        if encoding is not None:
            return b"".join(chunk for _, chunk in line_chunks(path, encoding=encoding))
        try:
            may_be_usual = not any(_CONTROL.search(chunk) for _, chunk in line_chunks(path, encoding=USUAL))
        except InputError:
            may_be_usual = False
        if not may_be_usual:
            raise
        message = f"the line is not valid UTF-8; it may be {USUAL}: convert the file to UTF-8, or give its encoding"
        raise InputError(f"{message} (--encoding {USUAL}, or the field “Encoding”)", path, error.line) from None


def tokenise_text(text: str, id: str, pipeline: str | None = None, path: str | None = None) -> Document:
    """Split a text into tokens and sentences, and find what its beginning states about it (see `found_metadata`).

    Tags of HTML in the text are no tokens, and entities are the characters that they stand for. `pipeline` is a spaCy
    pipeline that splits sentences; None for the rules.
    """
    if len(text) > LONGEST_TEXT:
        raise InputError(f"the text has {len(text):,} characters; the limit is {LONGEST_TEXT:,}; split it", path)
    tokens: list[Token] = []
    sentences: list[tuple[int, int]] = []
    plain, positions = without_markup(text)
    for sentence in _sentences(loaded_pipeline(pipeline), plain):
        for start, end in _bounded(sentence):
            sentences.append((len(tokens), len(tokens) + end - start))
            tokens.extend(sentence[start:end])
    found = found_metadata(text, id)
    return Document(
        id,
        tuple(word for _, _, word in tokens),
        tuple(sentences),
        text,
        tuple((positions[start], positions[end]) for start, end, _ in tokens),
        path=path,
        metadata=found,
        found=frozenset(found),
    )


def documents_of(parts: Iterator[Part], path: Path, options: ReadOptions, what: str) -> Corpus:
    """A document for each part that has words; one alone has the name of the file, others also their number."""
    every = list(enumerate(parts, start=1))
    found = [(number, part) for number, part in every if re.search(r"\w", part.text)]
    alone = len(found) == 1
    documents = []
    seen = 0
    for number, part in found:
        id = options.id or path.name
        document = tokenise_text(
            part.text.strip(), id if alone else f"{id}:{number}", options.pipeline, path=str(path) if alone else None
        )
        plain = {name: " ".join(value.split()) for name, value in part.stated.items() if isinstance(value, str)}
        if day := day_in(plain.get("date", "")):
            plain["date"] = day
        documents.append(with_stated(document, {name: value for name, value in plain.items() if value}))
        seen = number
    if not documents:
        raise InputError(f"the file has no {what} with text", path)
    several = f"{what}s".replace("ys", "ies")
    notes = [f"{counted(len(documents), what, several)} read as documents"] if seen > 1 else []
    if len(found) < len(every):
        notes.append(f"{counted(len(every) - len(found), what, several)} without text left out")
    return Corpus(tuple(documents), notes=tuple(f"{path}: {note}" for note in notes))


@lru_cache(maxsize=2)
def loaded_pipeline(pipeline: str | None) -> Language:
    """The spaCy pipeline, loaded once per process, or that of the rules; refused if it cannot be loaded."""
    import spacy
    from spacy.lang.en import English

    if pipeline is None:
        nlp = English()
        # Words joined by a hyphen stay one token: the rule that matches "a-b" gives way to one for longer dashes.
        infixes = [rule for rule in nlp.Defaults.infixes or () if not re.search(rule, "a-b")]
        infixes.append(r"(?<=\w)(?:--+|[–—~]+)(?=\w)")
        nlp.tokenizer.rules = {word: rule for word, rule in nlp.tokenizer.rules.items() if word != "8)"}  # type: ignore[union-attr]
        for title in sorted(_ABBREVIATIONS):
            nlp.tokenizer.add_special_case(title, [{"ORTH": title}])  # type: ignore[union-attr]
        nlp.tokenizer.infix_finditer = spacy.util.compile_infix_regex(infixes).finditer  # type: ignore[union-attr]
        return nlp
    unneeded = ["ner", "tagger", "morphologizer", "attribute_ruler", "lemmatizer", "entity_linker", "textcat"]
    try:
        return spacy.load(pipeline, exclude=unneeded)
    except (OSError, ValueError, ImportError) as error:
        raise InputError(
            f"the spaCy pipeline {pipeline!r} cannot be loaded ({first_line(error)}); install it with "
            f"'python -m spacy download {pipeline}', or use the built-in rules"
        ) from error


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Character ranges that sentences do not cross."""
    lines = [line for line in text.split("\n") if " " in line.strip()]
    longest = max((len(line.rstrip()) for line in lines), default=0)
    # If lines are longer, each is a paragraph: the next word always "would have fitted".
    width = max(longest, NARROWEST_PAGE) if longest <= WIDEST_PAGE else len(text) + 1
    start = 0
    for gap in _PARAGRAPH_BREAK.finditer(text):
        yield from _lines_broken_on_purpose(text, start, gap.start(), width)
        start = gap.end()
    yield from _lines_broken_on_purpose(text, start, len(text), width)


def _lines_broken_on_purpose(text: str, start: int, end: int, width: int) -> Iterator[tuple[int, int]]:
    """Parts of a paragraph without blank lines, split at line breaks before a word that would have fitted."""
    line_start = start
    while (line_end := text.find("\n", line_start, end)) >= 0:
        word = _FIRST_WORD.match(text, line_end + 1, end)
        fits = len(text[line_start:line_end].rstrip()) + 1 + (len(word[1]) if word else 0) <= width
        if fits and not (word and word[1][0].islower()):
            yield start, line_end
            start = line_end + 1
        line_start = line_end + 1
    yield start, end


def _sentences(nlp: Language, text: str) -> Iterator[list[Token]]:
    pieces = [
        (start, end, n) for n, paragraph in enumerate(_paragraphs(text)) for start, end in _pieces(text, *paragraph)
    ]
    documents = zip(pieces, nlp.pipe(text[start:end] for start, end, _ in pieces), strict=True)
    for _, group in groupby(documents, key=lambda entry: entry[0][2]):
        parts = [(offset, document) for (offset, _, _), document in group]
        # Of a single token, spaCy always says that it begins a sentence.
        if any(len(document) > 1 and document.has_annotation("SENT_START") for _, document in parts):
            yield from filter(None, (_words(span, offset) for offset, document in parts for span in document.sents))
            continue
        tokens = [token for offset, document in parts for token in _words(document, offset)]
        start = 0
        for end in _sentence_ends(tokens):
            yield tokens[start:end]
            start = end


def _words(tokens: Iterable[SpacyToken], offset: int) -> list[Token]:
    """The tokens that are not white space, with offsets into the whole text."""
    words = []
    for token in tokens:
        if not (word := token.text).isspace():
            start = offset + token.idx
            words.append((start, start + len(word), word))
    return words


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Parts of a paragraph short enough to tokenise, split after a sentence if possible, otherwise at a space."""
    for run in _LONG_RUN.finditer(text, start, end):
        yield from _shorter_pieces(text, start, run.start())
        end_of_words = run.end() if len(run[0]) <= LONGEST_RUN else run.start()
        yield from ((at, min(at + LONGEST_WORD, end_of_words)) for at in range(run.start(), end_of_words, LONGEST_WORD))
        start = run.end()
    yield from _shorter_pieces(text, start, end)


def unreadable_runs(text: str) -> list[str]:
    """The runs without a space that are too long to have words."""
    return [run[0] for run in _LONG_RUN.finditer(text) if len(run[0]) > LONGEST_RUN]


def _shorter_pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > LONGEST_PIECE:
        limit = start + LONGEST_PIECE
        cut = max(text.rfind(". ", start, limit), text.rfind(".\n", start, limit)) + 1
        if cut == 0:
            cut = limit
            while not text[cut].isspace():  # within LONGEST_WORD characters, since longer runs were taken out
                cut -= 1
        yield start, cut
        start = cut
    if text[start:end].strip():
        yield start, end


def _sentence_ends(tokens: list[Token]) -> Iterator[int]:
    number = 0
    while number < len(tokens):
        word = tokens[number][2]
        number += 1
        after_abbreviation = len(word) > 1 and word[-1] == "." and word not in _ENDS
        if word not in _ENDS and not after_abbreviation:
            continue
        # More punctuation, and an adjacent quotation mark, belong to the full stop before them.
        while number < len(tokens) and (
            tokens[number][2] in _ENDS or (tokens[number][2] in _CLOSERS and tokens[number][0] == tokens[number - 1][1])
        ):
            number += 1
        if number == len(tokens):
            break
        following = tokens[number][2]
        if following in _STARTERS if after_abbreviation else not following[0].islower():
            yield number
    if tokens:
        yield len(tokens)


def _bounded(sentence: list[Token]) -> Iterator[tuple[int, int]]:
    """Parts of a sentence within the limit, split after the last pause in the second half of it, or at the limit."""
    start = 0
    while len(sentence) - start > LONGEST_SENTENCE:
        bound = start + LONGEST_SENTENCE
        pauses = (n for n in range(bound, bound - LONGEST_SENTENCE // 2, -1) if sentence[n - 1][2] in _PAUSES)
        end = next(pauses, bound)
        yield start, end
        start = end
    yield start, len(sentence)


TEXT = Format(
    "plain text",  # which is what no other format recognises
    (".txt",),
    lambda path, options: Corpus((read_text(path, options.pipeline, options.id, options.encoding),)),
)
