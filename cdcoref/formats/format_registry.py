"""The list of formats: a file in, its format and content out; a corpus and a file name in, a file out."""

import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from cdcoref.corpus import KINDS, Corpus
from cdcoref.errors import InputError, shown_path
from cdcoref.formats.annotation_folders import BRAT, XMI
from cdcoref.formats.collection_file import COLLECTION
from cdcoref.formats.conll import CONLL
from cdcoref.formats.corefud import COREFUD
from cdcoref.formats.docbin import DOCBIN
from cdcoref.formats.document_files import DOCUMENTS, MARKDOWN, OWN_REPORT
from cdcoref.formats.file_types import unsuitable
from cdcoref.formats.format import Format, ReadOptions, check_corpus
from cdcoref.formats.jsonl import JSONL
from cdcoref.formats.lines import STANDARD_INPUT, first_bytes, readable_twice
from cdcoref.formats.many_documents import MANY_DOCUMENTS
from cdcoref.formats.mention_table import IdScope, MentionTable
from cdcoref.formats.plain_text import TEXT, unreadable_runs
from cdcoref.formats.text_table import BOOKNLP, CSV, EXCEL, is_own_table
from cdcoref.formats.web_page import HTML, is_own_page
from cdlm.printing import counted

FORMATS: tuple[Format, ...] = (
    *(CONLL, COREFUD, JSONL, DOCBIN, COLLECTION, BRAT, XMI, BOOKNLP),
    *(*DOCUMENTS, *MANY_DOCUMENTS, EXCEL, HTML, MARKDOWN, CSV, TEXT),
)


def format_of(path: str | Path) -> Format:
    """The format of a file, plain or gzipped: by content, otherwise by name, otherwise plain text."""
    start = first_bytes(path, any_type=True)
    suffix = _suffix(path)
    recognised = next((format for format in FORMATS if format.recognise(start)), None)
    named = next((format for format in FORMATS if suffix in format.suffixes), None)
    if recognised is HTML and named in (MARKDOWN, CSV):  # whose files may look like HTML
        return named
    if recognised is None and (what := unsuitable(start)) is not None:
        raise InputError(f"this is {what}", path)
    return recognised or named or TEXT


def read_file(path: str | Path, options: ReadOptions | None = None) -> Corpus:
    """Read one file of any format; ``"-"`` is standard input."""
    options = options or ReadOptions()
    if options.id is None:
        options = replace(options, id="stdin" if str(path) == STANDARD_INPUT else Path(path).name)
    with readable_twice(path) as file:
        format = format_of(file)
        corpus = format.read(file, options).with_kind(options.kind)
    if options.every_kind and any(mention.kind not in KINDS for mention in corpus.mentions):
        raise InputError(
            "the file does not state whether its mentions are events or entities, so it was skipped; if all are of one "
            "kind, `cdcoref predict --kind entity` links them, and `cdcoref export --kind entity -o NAME.jsonl` "
            "writes the kind into a file",
            path,
        )
    name = shown_path(str(path))
    # A path that is not valid UTF-8 could not be written to an output file.
    stored = os.fsencode(name).decode(errors="replace")
    documents = [replace(d, path=stored) if d.path in (str(file), str(path)) else d for d in corpus.documents]
    notes = [note.replace(str(file), name, 1) for note in corpus.notes]
    if left_out := sum(len(run) for document in documents for run in unreadable_runs(document.text)):
        notes.append(f"{name}: {counted(left_out, 'character')} without a space left out: no word is that long")
    texts = frozenset(document.id for document in documents) if format.read_table is None else frozenset()
    return replace(corpus, documents=tuple(documents), notes=tuple(notes), texts=texts)


def read_mention_table(path: str | Path, *, ids: IdScope | None = None) -> MentionTable:
    """Read the mentions of a file in any format with coreference, for scoring; `ids` as in `read_corpus`."""
    with readable_twice(path) as file:
        format = format_of(file)
        empty = not first_bytes(file, any_type=True).strip()
        if format.read_table is None and not empty:
            known = [format.name for format in FORMATS if format.read_table is not None]
            raise InputError(
                f"this is not a format with coreference; the supported formats are {', '.join(known)}", file
            )
        table = MentionTable(str(file)) if format.read_table is None else format.read_table(file, ReadOptions(ids=ids))
        if not table.documents:
            raise InputError("the file is empty" if empty else "the file has no documents", file)
    table.path = shown_path(str(path))
    return table


def has_input_suffix(path: str | Path) -> bool:
    """Whether a file is read if its folder is given: its name ends in a format's suffix, maybe followed by ``.gz``.

    XML is also read if it is of a format, such as a feed or XMI, by its content.
    """
    suffix = _suffix(path)
    if suffix == ".xml":
        return any(format.recognise(_beginning(path)) for format in FORMATS)
    return any(suffix in format.suffixes for format in FORMATS)


def _beginning(path: str | Path) -> bytes:
    with suppress(InputError):
        return first_bytes(path, any_type=True)
    return b""


def is_own_result(path: str | Path) -> bool:
    """Whether a file is a page, a report or a table that cdcoref wrote, and so no document."""
    suffix = _suffix(path)
    if suffix in CSV.suffixes:
        return is_own_table(path)
    if suffix not in (*HTML.suffixes, *MARKDOWN.suffixes):
        return False
    start = _beginning(path)
    return is_own_page(start) if suffix in HTML.suffixes else start.startswith(OWN_REPORT.encode())


def is_document(path: str | Path) -> bool:
    """Whether a file's name says that it is the text of one document, optionally followed by ``.gz``."""
    return any(_suffix(path) in format.suffixes for format in (TEXT, MARKDOWN, HTML, *DOCUMENTS))


def output_suffixes() -> tuple[str, ...]:
    """The suffixes of output files, without ``.gz``."""
    return tuple(format.suffixes[0] for format in FORMATS if format.write is not None)


def output_format(path: str | Path, layout: str | None = None) -> Format:
    """The format of an output file, by its name; call it before long work."""
    suffix = _suffix(path)
    written = {format.suffixes[0]: format for format in FORMATS if format.write is not None}
    if suffix not in written:
        *most, last = output_suffixes()
        raise InputError(f"the name must end in {', '.join(most)} or {last}, optionally followed by .gz", path)
    format = written[suffix]
    if layout is not None and layout not in format.layouts:
        known = f"choose {' or '.join(format.layouts)}" if format.layouts else "choose none"
        raise InputError(f"the format {format.name} has no layout {layout!r}; {known}", path)
    return format


def write_corpus(corpus: Corpus, path: str | Path, *, layout: str | None = None) -> tuple[str, ...]:
    """Write a corpus in the format given by the file name, in one of its layouts; returns a sentence for each loss.

    Raises `InputError` if the name or the layout is unknown, the format cannot express the corpus, or the file cannot
    be written. An existing file is then left unchanged.
    """
    check_corpus(corpus)
    format = output_format(path, layout)
    assert format.write is not None
    notes = format.write(corpus, Path(path), layout) or ()
    omitted = [name for name in format.omits if any(getattr(m, name) is not None for m in corpus.mentions)]
    if omitted:
        what = " and ".join(f"{name}s" for name in omitted)
        notes += (f"omitted: the {what} of mentions, since {format.name} has none",)
    lost = {corpus.name_of(mention) for mention in corpus.mentions} - {None} if corpus.names else set()
    if lost and not format.names:
        notes += (f"omitted: {counted(len(lost), 'cluster name')}, since {format.name} has none",)
    kept = format.kept_metadata
    stated = sum(not document.metadata.keys() <= document.found | kept for document in corpus.documents)
    if stated and not format.metadata:
        notes += (f"omitted: metadata of {counted(stated, 'document')}, since {format.name} has none",)
    return notes


def _suffix(path: str | Path) -> str:
    return Path(Path(path).name.removesuffix(".gz")).suffix.lower()
