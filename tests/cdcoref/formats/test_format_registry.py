"""The one list of formats: told by content, refused by name, written and read back by every one that is written."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import DocBin

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats import (
    FORMATS,
    ReadOptions,
    first_bytes,
    format_of,
    output_format,
    read_corpus,
    read_file,
    read_mention_table,
    table_of_corpus,
    write_corpus,
)
from cdcoref.scoring import score

CONLL = b"#begin document (c); part 000\nc\t0\t0\tAnn\t-\t*\t-\t-\t-\t-\t*\t(7)\n\n#end document\n"
EIGHT_COLUMNS = b"#begin document x\nt\tt_0\td\t0\t0\tAnn\tTrue\t(7)\n#end document\n"
CONLLU = b"# newdoc id = d\n1\tAnn" + b"\t_" * 7 + b"\tEntity=(e1-person-1)\n\n"
JSONL = b'{"id": "j", "text": "Bob ran.", "mentions": [{"start": 0, "end": 3, "cluster": "7"}]}\n'
WRITTEN = [format for format in FORMATS if format.write is not None]


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a", b"Once upon a time.", "plain text"),
        ("a", b"", "plain text"),
        ("a.txt", b"#beginning of a document\n", "plain text"),
        ("a.txt", b"{ in braces } a text begins", "plain text"),
        ("a.txt", CONLL, "CoNLL"),
        ("a.txt", gzip.compress(EIGHT_COLUMNS, mtime=0), "CoNLL"),
        ("a.conll", CONLLU, "CorefUD"),
        ("a", b"# a comment\n# sent_id = 1\n", "CorefUD"),
        ("a", b"# global.Entity = eid-etype\r\n", "CorefUD"),
        ("a.txt", b"\xef\xbb\xbf\n" + JSONL, "JSON lines"),
        ("a.txt", b'{"id": "a", "text": "' + b"x" * 100_000 + b'"}', "JSON lines"),
        ("a.txt", DocBin().to_bytes(), "spaCy's DocBin"),
        ("a.txt", zlib.compress(b"Once upon a time."), "plain text"),
        # What the content does not say, the name says.
        ("a.jsonl", b"", "JSON lines"),
        ("a.json", b"[{}]", "JSON lines"),
        ("a.CONLL.gz", gzip.compress(b"", mtime=0), "CoNLL"),
        ("a.conll", b"1 2 3", "CoNLL"),
    ],
)
def test_formats_are_told_by_content_then_by_name(tmp_path: Path, name: str, content: bytes, expected: str) -> None:
    (tmp_path / name).write_bytes(content)
    assert format_of(tmp_path / name).name == expected


STRUCTURED = {
    "a table": 'id,title,text\n1,Ferry,"A ferry sank, and 21 drowned."\n2,Theft,A painting was stolen.\n3,Flood,Rain\n',
    "BibTeX": "% my library\n@article{hale2019,\n  title = {Ferries},\n  year = 2019,\n}\n",
    "a file of settings": "# deployment\nservices:\n  ferry:\n    image: ferry:1\n    ports:\n      - 80\n",
    "a log": "2024-03-05 10:00:00 INFO start\n2024-03-05 10:00:01 ERROR sank\n2024-03-05 10:00:02 INFO end\n",
    "a log, of a server": '10.0.0.1 - - [05/Mar/2024:10:00:00 +0100] "GET / HTTP/1.1" 200 12\n' * 3,
    "an annotation file of event nuggets": "#BeginOfDocument a\nx\ta\tE1\t0,3\tsank\tMovement\tActual\n",
    "a table of BookNLP": "quote_start\tquote_end\tmention_start\n1\t4\t7\n",
    "a file of addresses or dates": "BEGIN:VCARD\nN:Hale;Ann\nEND:VCARD\n",
    "an annotation file of WebAnno": "#Text=Ann left\n1-1\t0-3\tAnn\t_\n1-2\t4-8\tleft\t_\n",
    "a script": "#!/bin/sh\nset -e\nls | wc\n",
    "source code": "import os\n\n\ndef sink(ferry):\n    for mast in ferry.masts:\n        mast.fall()\n    return 1\n",
    "source code, C": '#include <stdio.h>\n\nint main(void) {\n    puts("A ferry sank.");\n    return 0;\n}\n',
    "a file of changes": "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
}
PROSE = {
    "a poem": "The ferry sank, the sea was high;\nThe crew was cold, the boats few;\nNo one heard the captain cry;\n",
    "lists": "Ann, Bob, Carl\nDora, Emil, Fay\nGina, Hugo, Ida\n",
    "a dialogue": "ANN: Where is it?\nBOB: It sank.\nANN: When?\nBOB: On Monday.\nANN: Oh.\n",
    "headings": "Summary:\nA ferry sank on Monday.\nWitnesses:\nAnn Hale saw it.\nCauses:\nNobody knows.\n",
    "a text about code": "To sink a ferry, write:\n\n    sink(ferry)\n\nThen wait.\nIt falls apart.\nAll leave.\n",
    "metadata before a text": "---\ntitle: A ferry sank\ndate: 2024-03-05\n---\nThe ferry Maren sank. Ann saw it.\n",
}


@pytest.mark.parametrize("what", STRUCTURED)
def test_what_is_clearly_no_prose_is_refused(tmp_path: Path, what: str) -> None:
    (tmp_path / "a.txt").write_text(STRUCTURED[what], encoding="utf-8")
    with pytest.raises(InputError, match=f"this is {what.partition(',')[0].removesuffix(' with tabs')}"):
        read_file(tmp_path / "a.txt")


@pytest.mark.parametrize("what", PROSE)
def test_what_may_be_prose_is_read(tmp_path: Path, what: str) -> None:
    (tmp_path / "a.txt").write_text(PROSE[what], encoding="utf-8")
    assert read_file(tmp_path / "a.txt").documents[0].tokens


def corpus_of(mentions: Iterable[Mention], topics: tuple[str | None, str | None] = (None, None)) -> Corpus:
    """Two documents of the same sentences."""
    sentences = [["Ann", "took", "it", "off"], ["-", "It", "fell"]]
    topic, subtopic = topics
    return Corpus(
        tuple(Document.from_sentences(id, sentences, topic=topic, subtopic=subtopic) for id in ("d", "e")),
        tuple(mentions),
    )


CORPUS = corpus_of(
    [
        Mention("d", (0,), "entity", "0"),
        Mention("d", (1, 3), "event", "0"),
        Mention("d", (5,), "entity"),
        Mention("e", (0, 1, 2), "entity", "0"),
        Mention("e", (0,), "event"),
        Mention("e", (1,), "event", "0"),
    ]
)


def partition(corpus: Corpus) -> set[frozenset]:
    return {frozenset(mention.place for mention in cluster) for cluster in corpus.clusters()}


@pytest.mark.parametrize("format", WRITTEN, ids=lambda format: format.name)
@pytest.mark.parametrize("packed", ["", ".gz"])
def test_what_is_written_is_read_back(tmp_path: Path, format, packed: str) -> None:
    path = tmp_path / f"c{format.suffixes[0].upper()}{packed}"
    for layout in (None, *format.layouts):
        write_corpus(CORPUS, path, layout=layout)
        assert format_of(path) is format
        back, expected = read_file(path), CORPUS
        if format.name == "CoNLL":  # which has no gaps
            filled = [Mention("d", (1, 2, 3), "event", "0") if m.tokens == (1, 3) else m for m in CORPUS.mentions]
            expected = corpus_of(filled)
        assert partition(back) == partition(expected)
        assert score(expected, back).conll_f1 == 1
        table = read_mention_table(path)
        assert sorted(table.start.tolist()) == sorted(table_of_corpus(expected, "x").start.tolist())


@pytest.mark.parametrize(
    ("name", "layout", "lost"),
    [
        ("c.conll", None, []),
        ("c.conll", "2012", ["topics", "lists of annotated sentences"]),
        ("c.conllu", None, ["topics", "lists of annotated sentences"]),
        ("c.jsonl", None, []),
        ("c.spacy", None, []),
    ],
)
def test_what_a_format_lacks_is_told(tmp_path: Path, name: str, layout: str | None, lost: list[str]) -> None:
    sentences = [["It", "sank", "."], ["It", "burnt", "."]]
    documents = [
        Document.from_sentences("d", sentences, topic="1", subtopic="1a", annotated=frozenset([0])),
        Document.from_sentences("e", sentences, subtopic="1b", annotated=frozenset([0])),
    ]
    notes = write_corpus(Corpus(tuple(documents)), tmp_path / name, layout=layout)
    assert [note.partition(" of 2 documents, since ")[0].removeprefix("omitted: the ") for note in notes] == lost
    back = read_file(tmp_path / name).documents
    topics = [(document.topic, document.subtopic) for document in back]
    assert topics == ([(None, None)] * 2 if "topics" in lost else [("1", "1a"), (None, "1b")])
    assert all((document.annotated is None) == bool(lost) for document in back)


@pytest.mark.parametrize("layout", [None, "2012"])
def test_spans_of_both_kinds_are_told_of_where_the_format_has_no_kinds(tmp_path: Path, layout: str | None) -> None:
    documents = (Document.from_sentences("d", [["The", "strike", "ended", "."]]),)
    places = [((1,), "event", "a"), ((1,), "entity", "b"), ((2,), "event", "a")]
    mentions = tuple(Mention("d", tokens, kind, name) for tokens, kind, name in places)
    note, lost = write_corpus(Corpus(documents, mentions), tmp_path / "c.conll", layout=layout)
    assert lost == "omitted: the kinds of mentions, since CoNLL has none"
    assert note.startswith("1 span is both an event and an entity, which scorers count once; ")
    twice = (*mentions, Mention("d", (2,), "entity", "b"))
    note, _ = write_corpus(Corpus(documents, twice), tmp_path / "c.conll", layout=layout)
    assert note.startswith("2 spans are both an event and an entity")
    unstated = Corpus(documents, tuple(replace(m, kind=None) for m in mentions))
    assert not write_corpus(unstated, tmp_path / "c.conll", layout=layout)
    for kind in ("event", "entity"):
        assert write_corpus(Corpus(documents, twice).of_kind(kind), tmp_path / "c.conll", layout=layout) == (lost,)
    assert write_corpus(Corpus(documents, twice), tmp_path / "c.jsonl") == ()


def test_other_names_and_layouts_are_refused(tmp_path: Path) -> None:
    for name in ("c.txt", "c", "c.gz", "c.json"):
        with pytest.raises(
            InputError, match=r"must end in \.conll, \.conllu, \.jsonl or \.spacy, optionally followed by \.gz"
        ):
            write_corpus(CORPUS, tmp_path / name)
    with pytest.raises(InputError, match="the format JSON lines has no layout '2012'"):
        output_format(tmp_path / "c.jsonl", "2012")
    with pytest.raises(InputError, match="the format CoNLL has no layout 'x'; choose cross-document or 2012"):
        output_format(tmp_path / "c.conll", "x")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"\n\n", "the file is empty"),
        (b"Some text.", "this is not a format with coreference; the supported formats are CoNLL, CorefUD, JSON lines"),
        (b"[]\n", "the file has no documents"),
    ],
)
def test_what_cannot_be_scored(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / ("x.jsonl" if content == b"[]\n" else "x")
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_mention_table(path)


def zip_of(*names: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in names:
            archive.writestr(name, "x" * 50 if name != "mimetype" else "application/epub+zip")
    return stream.getvalue()


def tar_of(name: str) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        archive.addfile(tarfile.TarInfo(name))
    return stream.getvalue()


def image(format: str) -> bytes:
    """A picture of one pixel."""
    from PIL import Image

    stream = io.BytesIO()
    Image.new("RGB", (1, 1)).save(stream, format)
    return stream.getvalue()


FILES = {
    **{f"a {name} image": (lambda name=name: image(name)) for name in ("JPEG", "PNG", "GIF", "TIFF", "BMP")},
    "a WebP image": lambda: image("WEBP"),
    "an RTF document": lambda: b"{\\rtf1 text}",
    "a ZIP archive": lambda: zip_of("news/1.txt", "news/2.txt"),
    "a tar archive": lambda: tar_of("a.txt"),
    "compressed with bzip2": lambda: bz2.compress(b"text"),
    "compressed with xz": lambda: lzma.compress(b"text"),
    "a WAV recording": lambda: b"RIFF" + struct.pack("<I", 36) + b"WAVEfmt ",
    "an MP3 recording": lambda: b"ID3\x04\x00\x00",
    "a password-protected or old Microsoft Office file": lambda: bytes.fromhex("d0cf11e0a1b11ae1") + bytes(16),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_refused_by_what_it_is(tmp_path: Path, name: str) -> None:
    data = FILES[name]()
    advice = "unpack it first" if "archive" in name or "compressed" in name else "give its text"
    if "Office" in name:
        advice = "save it as .docx or .csv without a password"
    (tmp_path / "scan.txt").write_bytes(data)
    (tmp_path / "scan.txt.gz").write_bytes(gzip.compress(data))
    for encoding in (None, "cp1252"):
        assert read_corpus([tmp_path], ReadOptions(encoding=encoding)).problems == tuple(
            f"{tmp_path / file}: this is {name}; {advice}" for file in ("scan.txt", "scan.txt.gz")
        )


@pytest.mark.parametrize(
    "text", ["BMW sold more cars.", "MZ is a brand.", "GIF images", "ID3 tags", "PAR1 is a gene.", "Rar!", "II*"]
)
def test_texts_that_begin_like_other_files(tmp_path: Path, text: str) -> None:
    (tmp_path / "scan.txt").write_text(text)
    assert format_of(tmp_path / "scan.txt").name == "plain text"


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"])))
def test_text_is_text(text: str) -> None:
    if not text.lstrip().startswith(("%PDF-", "%!PS-Adobe", "{\\rtf")):
        assert first_bytes(io.BytesIO(text.encode())) == text.removeprefix("\ufeff").encode()
