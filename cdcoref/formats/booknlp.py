"""BookNLP's tables in: the words of a ``.tokens`` file and the mentions of the ``.entities`` file beside it."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from cdcoref.corpus import ENTITY, EVENT, Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats.format import Format, ReadOptions, table_reader
from cdcoref.formats.plain_text import text_content

_HEADER = b"paragraph_ID\tsentence_ID\t"


def _rows(path: Path, *columns: str) -> Iterator[tuple[int, list[str]]]:
    """Some columns of a table, by row, with the number of the line."""
    rows = csv.reader(text_content(path).decode().splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    header = next(rows, [])
    missing = [name for name in columns if name not in header]
    if missing:
        raise InputError(f"the table has no column {missing[0]!r}, unlike BookNLP's", path, 1)
    places = [header.index(name) for name in columns]
    for line, row in enumerate(rows, start=2):
        if len(row) < len(header):
            raise InputError(f"the row has {len(row)} columns, and the header {len(header)}", path, line)
        yield line, [row[place] for place in places]


def read_booknlp(path: Path, options: ReadOptions) -> Corpus:
    """Read a ``.tokens`` file as one document (https://github.com/booknlp/booknlp); events have no clusters."""
    beside = path.with_name(f"{path.name.removesuffix('.gz').removesuffix('.tokens')}.entities")
    if not beside.exists():
        raise InputError(f"the mentions {beside.name}, which BookNLP writes with this table, are not beside it", path)
    id = (options.id or path.name).removesuffix(".gz").removesuffix(".tokens")
    sentences: dict[str, list[str]] = {}
    events: list[int] = []
    for number, (_, (sentence, word, event)) in enumerate(_rows(path, "sentence_ID", "word", "event")):
        sentences.setdefault(sentence, []).append(word or "_")
        events += [number] * (event == "EVENT")
    document = Document.from_sentences(id, list(sentences.values()), path=str(path))
    mentions = [Mention(id, (number,), EVENT) for number in events]
    for line, (name, start, last, prop, category) in _rows(beside, "COREF", "start_token", "end_token", "prop", "cat"):
        if not (start.isdecimal() and last.isdecimal() and int(start) <= int(last) < len(document.tokens)):
            raise InputError(f"the mention {start} to {last} is not in {path.name}", beside, line)
        tokens = tuple(range(int(start), int(last) + 1))
        mentions.append(Mention(id, tokens, ENTITY, f"{id}/{name}", tag=f"{prop}_{category}"))
    return Corpus((document,), tuple(sorted(mentions, key=lambda mention: mention.tokens)))


BOOKNLP = Format(
    name="BookNLP",
    suffixes=(".tokens",),
    recognise=lambda start: start.startswith(_HEADER),
    read=read_booknlp,
    read_table=table_reader(read_booknlp),
)
