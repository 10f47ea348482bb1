"""CoNLL-2011/2012 files and their eight-column cross-document variant: files in, a corpus out, and back."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats.chains import chains_of, filled_gaps
from cdcoref.formats.conll_parsing import GLOBAL_IDS, Lines, begins_with_a_document, is_cross_document, read_conll_table
from cdcoref.formats.format import Format, ReadOptions, lost_of_documents
from cdcoref.formats.mention_table import (
    IdScope,
    MentionTable,
    beginning,
    document_ids,
    document_keys,
    escape,
    key_to_column,
    unescape,
)
from cdlm.output_file import output_file
from cdlm.printing import counted

Layout = Literal["cross-document", "2012"]
"""The default first: it puts all documents in one block, so that every scorer counts links between documents."""
BLOCK = "corpus"
"""The name after `#begin document` in the cross-document layout; other scorers need it equal in key and response."""
MOST_LOOKED_AT = 100
"""The token lines of a file by which its column of words is found."""
_NUMBER = re.compile(r"[A-Za-z]{0,2}[0-9]+(?:[-._:][0-9]+)*")
"""The number of a part, a sentence or a token, as files have it: 7, 1-2 (a word of several tokens), 3.1, s4."""
_TAG = re.compile(
    r"[BIESLUM]-\S+|[O*_-]|ADJ|ADP|ADV|AUX|CCONJ|CONJ|DET|INTJ|NOUN|NUM|PART|PRON|PROPN|PUNCT|SCONJ|SYM|VERB|X|"
    r"CC|CD|DT|EX|FW|IN|JJ[RS]?|LS|MD|NNP?S?|PDT|POS|PRP\$?|RBR?S?|RP|TO|UH|VB[DGNPZ]?|WDT|WP\$?|WRB|-[LR]RB-|HYPH|NFP|"
    r"[.,:$#]|''|``"
)
"""The tag of a name (B-PER, O), or of a part of speech in Universal Dependencies or the Penn Treebank."""
_REST_OF_2012 = "-\t*\t-\t-\t-\t-\t*"
"""The columns between word and coreference: part of speech, parse, lemma, frameset, sense, speaker, named entity."""


def read_conll(path: str | Path, options: ReadOptions | None = None) -> Corpus:
    """Read a CoNLL file, plain or gzipped, in either layout; `kind` of the options is that of all mentions.

    Cluster ids are ``"local"`` to a document or ``"global"`` to the file; None takes them as the file has them: local
    to a `#begin document` block, unless a comment at the top says that they are global. The name of a local cluster is
    its id after that of the block's first document. Sentences are separated by blank lines or, in eight columns, by the
    sentence number; the flag column marks the annotated ones. Words are looked for behind the token number, so that
    files of two, three, four or ten columns are read too. A document whose block has no name gets that of the file.
    """
    options = options or ReadOptions()
    own_name = options.id or Path(path).name
    lines: Lines = {}
    table = read_conll_table(path, lines, ids=options.ids)
    first = [line for _, line in next(iter(lines.values()), [])[:MOST_LOOKED_AT]]
    column = None if not first or is_cross_document(first[0]) else _word_column([_columns(line) for line in first])
    ids = document_ids((key if key.name else key._replace(name=own_name) for key in table.documents), str(path))
    documents = []
    for number, (id, (key, row)) in enumerate(zip(ids, table.documents.items(), strict=True)):
        sentences = _sentences(lines.get(number, ()), column)
        annotated = frozenset(n for n, sentence in enumerate(sentences) if sentence.annotated)
        document = Document.from_sentences(
            id,
            [sentence.words for sentence in sentences],
            topic=row.topic,
            subtopic=row.subtopic,
            part=key.part,
            path=str(path),
            annotated=None if len(annotated) == len(sentences) else annotated,
        )
        documents.append(document)
    # Other files that are read with it number their clusters too.
    of_file = f"{own_name}/" if options.several and options.ids != "global" and table.ids != "local" else ""
    mentions = tuple(_mentions(table, ids, options.kind, of_file))
    noted = options.with_clusters and options.ids is None and mentions and (options.several or table.ids is not None)
    note = f"{path}: {described_ids(table.ids, several=options.several)}"
    return Corpus(tuple(documents), mentions, (note,) if noted else ())


def write_conll(corpus: Corpus, path: str | Path, layout: str | None = None) -> tuple[str, ...]:
    """Write a corpus as CoNLL, gzipped if the name ends in `.gz`; a mention without a cluster gets one of its own.

    Layout ``"cross-document"``, the default, has eight columns and all documents in one block; ``"2012"`` has a block
    per document, in which other scorers count links within documents only, and a comment that says that cluster ids are
    shared. Returns a sentence for each kind of information that is lost.
    """
    corpus, filled = filled_gaps(corpus)
    notes = [*filled]
    empty = [document.id for document in corpus.documents if not document.tokens]
    if empty and layout != "2012":
        corpus = corpus.subset(document.id for document in corpus.documents if document.tokens)
        notes.append(
            f"omitted: {counted(len(empty), 'document')} without tokens, since the cross-document layout has none"
        )
    events, entities = ({(m.document, m.tokens) for m in corpus.of_kind(kind).mentions} for kind in KINDS)
    if both := len(events & entities):
        verb = "is" if both == 1 else "are"
        notes.append(
            f"{counted(both, 'span')} {verb} both an event and an entity, which scorers count once; "
            "`cdcoref export --kind` writes a single kind"
        )
    lines = _lines_of_2012(corpus) if layout == "2012" else _cross_document_lines(corpus)
    with output_file(path) as file:
        for line in lines:
            file.write(line + "\n")
    return (*notes, *(lost_of_documents(corpus, "the layout 2012") if layout == "2012" else ()))


@dataclass(slots=True)
class _Sentence:
    number: str | int
    words: list[str] = field(default_factory=list)
    annotated: bool = False


def _sentences(lines: Sequence[tuple[int, bytes]], column: int | None) -> list[_Sentence]:
    """The sentences of a document, whose words are in a column; None for the cross-document layout."""
    sentences: list[_Sentence] = []
    number: str | int
    for blanks, line in lines:
        columns = _columns(line)
        if column is None:
            number, word, flag = columns[3], columns[5], columns[6].lower() not in ("false", "0")
        else:
            number, word, flag = blanks, columns[column] if len(columns) > column + 1 else "_", True
        if not sentences or sentences[-1].number != number:
            sentences.append(_Sentence(number))
        sentences[-1].words.append(unescape(word))
        sentences[-1].annotated |= flag
    return sentences


def _columns(line: bytes) -> list[str]:
    # Bytes are split at white space of ASCII alone: a no-break space is a part of its word.
    return [column.decode() for column in (line.split(b"\t") if b"\t" in line else line.split())]


def _word_column(rows: list[list[str]]) -> int:
    """The first column, at most the fourth, that is not numbers, nor one name, nor tags if another holds words."""
    usual, _ = Counter(map(len, rows)).most_common(1)[0]
    rows = [row for row in rows if len(row) >= usual]
    last = max(min(usual - 2, 3), 0)
    columns = [{row[column] for row in rows} for column in range(last + 1)]
    possible = [
        column
        for column, values in enumerate(columns)
        if not (column == 0 and len(values) == 1) and not all(map(_NUMBER.fullmatch, values))
    ]
    words = (column for column in possible if not all(map(_TAG.fullmatch, columns[column])))
    return next(words, possible[0] if possible else last)


def _mentions(table: MentionTable, ids: list[str], kind: str | None, of_file: str) -> Iterator[Mention]:
    """The mentions; clusters that are local to a block, or to a file, have its name before their own."""
    blocks = [row.ids_of for row in table.documents.values()]
    prefixes = [f"{ids[of]}/" if table.ids == "local" and of is not None else of_file for of in blocks]
    columns = (table.document, table.start, table.end, table.order, table.cluster)
    for document, start, end, _, cluster in sorted(zip(*(column.tolist() for column in columns), strict=True)):
        name = f"{prefixes[document]}{table.names[cluster]}"
        yield Mention(ids[document], tuple(range(start, end)), kind, name)


def _lines_of_2012(corpus: Corpus) -> Iterator[str]:
    if len(corpus.documents) > 1:
        yield GLOBAL_IDS
    keys = document_keys(corpus.documents)
    for (name, part), (document, cells) in zip(keys, _cells(corpus), strict=True):
        escaped = escape(name)
        if name.strip():  # nothing but spaces would be no name
            escaped = escaped.replace(_ESCAPED_SPACE, " ")
        yield f"#begin document ({escaped}); part {part.zfill(3)}"
        first_column = _first_column(name)
        for start, end in document.sentences:
            for number, token in enumerate(range(start, end)):
                word = escape(document.tokens[token])
                yield f"{first_column}\t{part}\t{number}\t{word}\t{_REST_OF_2012}\t{cells.get(token, '-')}"
            if end > start:
                yield ""
        yield "#end document"


def _cross_document_lines(corpus: Corpus) -> Iterator[str]:
    if not corpus.documents:
        return  # an empty block would be an empty document of the other layout
    yield f"#begin document {BLOCK}"
    for key, (document, cells) in zip(document_keys(corpus.documents), _cells(corpus), strict=True):
        groups = "\t".join(
            "-" if group is None else _first_column(group) for group in (document.topic, document.subtopic)
        )
        column = key_to_column(key)
        for sentence, (start, end) in enumerate(document.sentences):
            flag = document.annotated is None or sentence in document.annotated
            for token in range(start, end):
                word = escape(document.tokens[token])
                yield f"{groups}\t{column}\t{sentence}\t{token}\t{word}\t{flag}\t{cells.get(token, '-')}"
    yield "#end document"


_ESCAPED_SPACE = escape(" ")


def _first_column(text: str) -> str:
    """A column that can begin a line ('#' would make it a comment) and is not mistaken for an empty one."""
    column = escape(text)
    return f"\\u{ord(column[0]):04x}{column[1:]}" if column[0] == "#" or column == "-" else column


def _cells(corpus: Corpus) -> Iterator[tuple[Document, dict[int, str]]]:
    """Each document with the cells of its coreference column that are not empty, by token."""
    numbers: dict[object, int] = {}
    by_document = corpus.by_document()
    for document in corpus.documents:
        placed: list[tuple[int, Mention]] = []
        mentions = sorted(by_document[document.id], key=beginning)
        for mention in mentions:
            name = object() if mention.cluster is None else (mention.kind, mention.cluster)
            placed.append((numbers.setdefault(name, len(numbers)), mention))
        for cluster in chains_of(mentions):
            # Their brackets would be paired differently on reading.
            if crossing := _crossing(dict(enumerate(cluster))):
                here, other = (_described(cluster[number], document) for number in crossing)
                raise InputError(
                    f"{here} crosses {other} of the same cluster, which CoNLL cannot express; use JSON lines",
                    document.path,
                )
        yield document, _brackets(placed)


def _crossing(mentions: Mapping[int, Mention]) -> tuple[int, int] | None:
    """The numbers of a mention and of an earlier one that it crosses, if there are any."""
    around: list[int] = []
    for number in sorted(mentions, key=lambda n: (mentions[n].start, -mentions[n].end)):
        mention = mentions[number]
        while around and mentions[around[-1]].end <= mention.start:
            around.pop()
        if around and mentions[around[-1]].end < mention.end:
            return number, around[-1]
        around.append(number)
    return None


def _brackets(mentions: Sequence[tuple[int, Mention]]) -> dict[int, str]:
    """The column: at each token first beginnings, the longest mention first, then whole mentions, then ends."""
    parts: dict[int, list[tuple[int, int, int, str]]] = {}
    for place, (number, mention) in enumerate(mentions):
        start, last = mention.start, mention.end - 1
        if start == last:
            parts.setdefault(start, []).append((1, 0, place, f"({number})"))
        else:
            parts.setdefault(start, []).append((0, -last, place, f"({number}"))
            parts.setdefault(last, []).append((2, -start, place, f"{number})"))
    return {token: "|".join(part[-1] for part in sorted(cell)) for token, cell in parts.items()}


def _described(mention: Mention, document: Document) -> str:
    text = " ".join(document.tokens[token] for token in mention.tokens)
    return f"mention {text[:60]!r} (tokens {mention.start}-{mention.end - 1} of document {document.id!r})"


def described_ids(ids: IdScope | None, *, several: bool = False) -> str:
    """How cluster ids were taken (None: one document), of one file or of `several`, and how to have it otherwise."""
    if several and ids != "local":
        within = "" if ids is None else "; --ids local takes them within documents"
        return f"cluster ids are local to the file; --ids global takes them across files{within}"
    if ids == "local":
        return "cluster ids are local to a #begin document block; --ids global takes them across documents"
    return "cluster ids are global to the file; --ids local takes them within documents"


CONLL = Format(
    name="CoNLL",
    suffixes=(".conll",),
    recognise=begins_with_a_document,
    read=read_conll,
    read_table=lambda path, options: read_conll_table(path, ids=options.ids),
    write=write_conll,
    layouts=get_args(Layout),
    omits=("kind", "confidence"),
)
