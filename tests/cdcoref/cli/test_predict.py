"""`cdcoref predict` as it is run: what it reads, prints and writes, and that a bad file stops no other."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.formats import read_corpus, write_corpus
from cdcoref.predict import Predictor
from tests.cdcoref.predict.test_prediction import sightings
from tests.tables import cases

TEXTS = {
    "a.txt": "The ferry sank in the storm off Tresk.\nNineteen people died, police said on Friday.\n",
    "b.txt": "Storm sinks ferry\n\nA ferry carrying passengers sank on Friday off Tresk.\nPolice held the captain.\n",
    "c.txt": "Museum guards found the painting.\nThe museum closed early, the guards said.\n",
}

Run = Callable[..., Any]


@pytest.fixture
def predict(cdcoref: Run, tiny_model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command with the tiny model, in a folder with three texts."""
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return lambda *arguments, **options: cdcoref("predict", "--model", tiny_model_folder, *arguments, **options)


def rows(out: str) -> list[tuple[str, str, str, int, str]]:
    """Kind, words, file, line and confidence of every row of the table."""
    pattern = re.compile(r"^ *(event|entity)? +(\S.*?) +(\S+):(\d+) +([01]\.\d\d\+?)? *$")
    found = []
    kind = ""
    for line in out.splitlines():
        match = pattern.match(line)
        if match:
            kind = match[1] or kind
            found.append((kind, match[2], match[3], int(match[4]), match[5] or ""))
    return found


# -- the table -------------------------------------------------------------------------------------------------------


def test_a_table_of_clusters(predict: Run) -> None:
    done = predict("a.txt", "b.txt", "c.txt")
    assert done.code == 0, done.err
    table = rows(done.out)
    assert len(table) >= 2
    for _, words, name, line, confidence in table:
        assert words.split()[0] in TEXTS[name].split("\n")[line - 1]
        assert 0 <= float(confidence.rstrip("+")) <= 1
    assert done.out.split()[:4] == ["kind", "mention", "where", "confidence"]
    assert re.fullmatch(r"cdcoref: 3 documents in 2 stories; 1 pair of documents to compare\n", done.err)


def test_lines_written_story_by_story_are_those_of_the_whole(predict: Run, tmp_path: Path) -> None:
    """Also the label of a participant that another story about the subject calls otherwise."""
    seen = sightings()
    documents = [
        Document.from_sentences(d.id, [[*d.tokens, "."], ["A", "plea", "by", "Doctor", "Anna", "Berg", "failed", "."]])
        if d.id in ("b1", "b2")
        else d
        for d in seen.documents
    ]
    mentions = list(seen.mentions)
    for document in documents:
        mentions.append(Mention(document.id, (1,), "event"))
        if len(document.sentences) > 1:
            start = document.sentences[1][0]
            mentions.append(Mention(document.id, tuple(range(start + 3, start + 6)), "entity"))
    write_corpus(Corpus(tuple(documents), tuple(mentions)), tmp_path / "x.jsonl")
    for name, more in (("streamed.jsonl", ()), ("whole.jsonl", ("--pairs", "pairs.csv"))):
        assert predict("x.jsonl", "--threshold", "0", *more, "-o", name).code == 0
    streamed, whole = (
        {line["id"]: line for line in map(json.loads, (tmp_path / name).read_text(encoding="utf-8").splitlines())}
        for name in ("streamed.jsonl", "whole.jsonl")
    )
    assert streamed == whole
    assert {one["label"] for line in whole.values() for event in line["clusters"] for one in event["participants"]} == {
        "Anna Berg"
    }


def test_singletons_kinds_and_thresholds(predict: Run) -> None:
    alone = rows(predict("a.txt", "b.txt", "c.txt", "--threshold", "1", "--singletons", "--all").out)
    together = predict("a.txt", "b.txt", "c.txt", "--threshold", "0", "--topics", "none", "--singletons", "--all")
    everything = rows(together.out)
    assert sorted(row[1:4] for row in alone) == sorted(row[1:4] for row in everything)
    entities = rows(predict("a.txt", "b.txt", "c.txt", "--singletons", "--kind", "entity").out)
    assert {row[0] for row in entities} == {"entity"}
    assert 0 < len(entities) < len(alone)
    done = predict("a.txt", "b.txt", "c.txt", "--threshold", "1")
    assert (done.code, done.out) == (0, "")
    assert done.err.endswith("cdcoref: no coreferent mentions were found\n")


# -- what is read ----------------------------------------------------------------------------------------------------


def test_texts_that_are_not_utf8(predict: Run, tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes("The ferry sank, José said on Friday.\n".encode("cp1252"))
    (tmp_path / "wide.txt").write_bytes("The ferry sank, José said on Friday.\n".encode("utf-16"))
    done = predict("latin.txt", "wide.txt", "--threshold", "1", "--singletons")
    assert done.code == 2
    assert "cdcoref: latin.txt, line 1: the line is not valid UTF-8; it may be cp1252: " in done.err
    assert "(--encoding cp1252, or the field “Encoding”)" in done.err
    assert {row[2] for row in rows(done.out)} == {"wide.txt"}
    done = predict("latin.txt", "wide.txt", "--threshold", "1", "--singletons", "--encoding", "cp1252")
    assert done.code == 0
    assert "--encoding" not in done.err
    assert {row[2] for row in rows(done.out)} == {"latin.txt", "wide.txt"}
    done = predict("a.txt", "--encoding", "klingon")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("cdcoref: there is no encoding 'klingon'; usual ones are cp1252")
    assert done.err.count("\n") == 1


def test_bad_files_stop_no_other(predict: Run, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "binary.txt").write_bytes(bytes(range(256)) * 40)
    (tmp_path / "latin.txt").write_bytes("Die Fähre sank.\n".encode("latin-1"))
    good = predict("a.txt", "b.txt")
    done = predict("a.txt", "missing.txt", "empty.txt", "binary.txt", "b.txt", "latin.txt", "a.txt", "-o", "out.jsonl")
    assert done.code == 2
    assert done.out == ""
    assert good.out != ""
    lines = done.err.splitlines()
    for name in ("missing.txt", "binary.txt", "latin.txt", "a.txt"):
        assert sum(line.startswith(f"cdcoref: {name}") for line in lines) == 1
    assert any("named twice" in line for line in lines)
    assert any(re.match(r"cdcoref: 3 documents in 1 story; .*; 1 empty document$", line) for line in lines)
    assert any(re.match(r"cdcoref: 3 documents in 1 story, .*; 1 empty document$", line) for line in lines)
    # Story by story, the stories in the order of their first documents.
    assert [d.id for d in read_corpus(["out.jsonl"]).corpus.documents] == ["a.txt", "b.txt", "empty.txt"]


def test_files_without_kinds_stop_no_other(predict: Run, tmp_path: Path) -> None:
    fields = {"doc_key": "k", "sentences": [["Ann", "left", "."], ["She", "ran", "."]], "clusters": [[[0, 0], [3, 3]]]}
    (tmp_path / "k.jsonlines").write_text(json.dumps(fields))
    done = predict("a.txt", "k.jsonlines", "-o", "out.jsonl")
    assert done.code == 2
    assert "k.jsonlines: the file does not state whether its mentions are events or entities, so it was" in done.err
    found = read_corpus(["out.jsonl"]).corpus
    assert [d.id for d in found.documents] == ["a.txt"]
    assert found.mentions  # those of a.txt are detected, since no document has annotated ones
    for options in (("--kind", "entity"), ("--find-mentions",)):
        done = predict("a.txt", "k.jsonlines", *options, "-o", "out.jsonl")
        assert done.code == 0, done.err
        assert [d.id for d in read_corpus(["out.jsonl"]).corpus.documents] == ["a.txt", "k"]


def test_folders_and_standard_input(predict: Run, tmp_path: Path) -> None:
    files = predict("a.txt", "b.txt", "c.txt")
    (tmp_path / "inner").mkdir()
    for name in TEXTS:
        (tmp_path / name).rename(tmp_path / "inner" / name)
    folder = predict("inner")
    assert [row[:2] for row in rows(folder.out)] == [row[:2] for row in rows(files.out)]
    assert {row[2] for row in rows(folder.out)} <= {f"inner/{name}" for name in TEXTS}
    piped = predict("-", "inner/b.txt", standard_input=TEXTS["a.txt"].encode())
    assert piped.code == 0, piped.err
    names = {row[2] for row in rows(predict("-", "inner/b.txt", "--threshold", 0, standard_input=b"A ferry sank.").out)}
    assert names == {"input", "inner/b.txt"}


@pytest.mark.parametrize("name", ["gold.conll", "gold.conll.gz", "gold.jsonl", "gold.jsonl.gz"])
def test_given_mentions(predict: Run, sample: Path, tmp_path: Path, name: str) -> None:
    given = read_corpus([sample / "dev_tiny.jsonl"]).corpus.of_kind("entity")
    write_corpus(given, tmp_path / name)
    if ".conll" in name:
        unnamed = predict(name)
        assert unnamed.code == 2
        assert "does not state whether its mentions are events or entities" in unnamed.err
    done = predict(name, "--kind", "entity", "-o", "out.jsonl")
    assert done.code == 0, done.err
    found = read_corpus(["out.jsonl"]).corpus
    assert sorted(m.key for m in found.mentions) == sorted(m.key for m in given.mentions)
    assert all(m.cluster for m in found.mentions)
    refound = predict(name, "--kind", "entity", "--find-mentions", "-o", "again.jsonl")
    assert refound.code == 0
    assert {m.key for m in read_corpus(["again.jsonl"]).corpus.mentions} != {m.key for m in found.mentions}


def test_annotated_topics(predict: Run, sample: Path, tmp_path: Path) -> None:
    given = read_corpus([sample / "train_tiny.jsonl"]).corpus
    assert {d.topic for d in given.documents} == {"fire", "strike"}
    done = predict(sample / "train_tiny.jsonl", "--topics", "gold_topic")
    assert "4 documents in 2 stories" in done.err
    assert "2 pairs of documents" in done.err
    missing = predict("a.txt", "--topics", "gold_subtopic")
    assert missing.code == 2
    assert missing.err.startswith("cdcoref: a.txt: document 'a.txt' has no annotated subtopic; group by 'predicted'")
    assert missing.err.count("\n") == 1


# -- what is written -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["out.jsonl", "out.conll", "out.conllu", "out.jsonl.gz", "out.conll.gz"])
def test_what_is_written_is_what_was_shown(predict: Run, tmp_path: Path, name: str) -> None:
    done = predict("a.txt", "b.txt", "c.txt", "-o", name)
    assert done.code == 0, done.err
    assert done.out == ""
    assert re.search(
        r"cdcoref: 3 documents in 2 stories, \d+ mentions: \d+ clusters? across documents, \d+ within one document, "
        rf"\d+ singletons?\ncdcoref: written to {re.escape(name)}\n",
        done.err,
    )
    whole = predict("a.txt", "b.txt", "c.txt", "--all")
    predict("a.txt", "b.txt", "c.txt", "-o", "reference.jsonl")
    expected = read_corpus(["reference.jsonl"]).corpus
    found = read_corpus([name]).corpus

    def links(corpus: Corpus) -> set[frozenset[object]]:
        return {frozenset((m.document, m.tokens) for m in cluster) for cluster in corpus.clusters()}

    assert links(found) == links(expected)
    assert [d.tokens for d in found.documents] == [d.tokens for d in expected.documents]
    assert sum(len(c) > 1 for c in links(found)) == len({c for c in links(expected) if len(c) > 1}) > 0
    assert len(rows(whole.out)) == sum(len(c) for c in links(expected) if len(c) > 1)
    if "jsonl" in name:
        assert found == expected
        assert {m.kind for m in found.mentions} == {"event", "entity"}
        assert all(0 <= (m.confidence or 0) <= 1 for m in found.mentions)
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted({*TEXTS, name, "reference.jsonl"})


def test_several_outputs_of_one_run(predict: Run, tmp_path: Path) -> None:
    """Each as it is written by itself, whether all grow story by story or one is written as a whole."""
    options = ("--layout", "2012", "--format", "brat")
    names = ("x.jsonl", "x.conll", "x.csv", "x")
    for chosen in (names[:2], names):
        outputs = [word for name in chosen for word in ("-o", name)]
        done = predict("a.txt", "b.txt", *outputs, *(options if chosen == names else options[:2]))
        assert done.code == 0, done.err
        assert done.err.endswith("".join(f"cdcoref: written to {name}\n" for name in chosen))
        for name in chosen:
            own = options[:2] if name == "x.conll" else options[2:] if name == "x" else ()
            single = Path("y", name)
            single.parent.mkdir(exist_ok=True)
            assert predict("a.txt", "b.txt", "-o", single, *own).code == 0
            for path in [single] if single.is_file() else single.iterdir():
                assert path.read_bytes() == Path(*path.parts[1:]).read_bytes()


def test_a_quiet_command_prints_results_and_errors_only(predict: Run, tmp_path: Path) -> None:
    loud = predict("a.txt", "b.txt")
    quiet = predict("a.txt", "b.txt", "--quiet")
    assert (quiet.code, quiet.out, quiet.err) == (0, loud.out, "")
    skipped = predict("a.txt", "missing.txt", "-q", "-o", "x.jsonl")
    assert (skipped.code, skipped.out) == (2, "")
    assert skipped.err == (
        "cdcoref: missing.txt: there is no such file or folder\ncdcoref: 1 unusable input skipped; see above\n"
    )
    assert predict("-q", "missing.txt").err.endswith("the input contains no documents\n")
    assert predict("a.txt", "b.txt").err == loud.err


def test_an_input_is_not_overwritten(predict: Run, cdcoref: Run, tmp_path: Path) -> None:
    """By whatever name it is called."""
    text = (
        '{"id": "a", "sentences": [["It", "sank"]], "mentions": [{"tokens": [1], "kind": "event", "cluster": "c"}]}\n'
    )
    Path("own.jsonl").write_text(text)
    Path("same.jsonl").symlink_to("own.jsonl")
    expected = "cdcoref: same.jsonl: the output is also an input and would be overwritten; choose another name\n"
    for done in (predict("own.jsonl", "-o", "same.jsonl"), cdcoref("export", "own.jsonl", "-o", "same.jsonl")):
        assert (done.code, done.err) == (2, expected)
    assert Path("own.jsonl").read_text() == text


def test_a_file_of_an_input_folder_is_not_overwritten(predict: Run, cdcoref: Run, tmp_path: Path) -> None:
    """Neither annotated documents nor earlier predictions, which would be read as documents; pages are not read."""
    Path("archive").mkdir()
    Path("archive/a.txt").write_text("A ferry sank.")
    assert predict("archive", "-o", "archive/out.jsonl").code == 0
    before = Path("archive/out.jsonl").read_text()
    done = predict("archive", "-o", "archive/out.jsonl")
    message = "the output exists already in archive, which is read as input, and would be overwritten; choose another"
    assert (done.code, done.err) == (2, f"cdcoref: archive/out.jsonl: {message} name, or remove it\n")
    assert Path("archive/out.jsonl").read_text() == before
    Path("archive/out.jsonl").unlink()
    for _ in range(2):
        assert predict("archive", "-o", "archive/out.html").code == 0


def test_written_documents_are_no_input_again(cdcoref: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is a folder replaced from which only some documents are read."""
    monkeypatch.chdir(tmp_path)
    Path("archive").mkdir()
    for id in "ab":
        line = f'{{"id": "{id}", "text": "It sank.", "mentions": [{{"start": 3, "end": 7, "kind": "event"}}]}}\n'
        Path(f"archive/{id}.jsonl").write_text(line)
    for options in ((), ("--format", "brat")):
        assert cdcoref("export", "archive", "-o", "archive/out", *options).code == 0
        done = cdcoref("export", "archive", "-o", "archive/out", *options)
        assert done.code == 2
        assert done.err.startswith("cdcoref: archive/out: the output exists already in archive, which is read as input")
        shutil.rmtree("archive/out")
    assert cdcoref("export", "archive", "-o", "brat", "--format", "brat").code == 0
    done = cdcoref("export", "brat/a.ann", "-o", "brat", "--format", "brat")
    message = "the folder holds the input brat/a.ann and would be replaced; choose another one"
    assert (done.code, done.err) == (2, f"cdcoref: brat: {message}\n")
    assert Path("brat/b.ann").exists()


@pytest.mark.parametrize(("name", "method"), [("out.jsonl", "stream_subjects"), ("out.conll", "predict")])
def test_an_interrupted_command_leaves_the_output_as_it_was(
    predict: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, method: str
) -> None:
    (tmp_path / name).write_text("as before")

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Predictor, method, interrupted)
    done = predict("a.txt", "-o", name)
    assert (done.code, done.out) == (130, "")
    assert "Traceback" not in done.err
    assert (tmp_path / name).read_text() == "as before"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*TEXTS, name])


def test_json_lines_grow_story_by_story(predict: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When a story is linked, those before it have been written, though the file is not there yet."""
    unfinished: list[list[str]] = []
    plain = Predictor.stream_subjects

    def watched(*arguments: Any, **options: Any) -> Iterator[object]:
        for stories in plain(*arguments, **options):
            unfinished.append([path.name for path in tmp_path.iterdir() if path.name.endswith(".part")])
            yield stories

    monkeypatch.setattr(Predictor, "stream_subjects", watched)
    done = predict("a.txt", "b.txt", "c.txt", "-o", "out.jsonl")
    assert done.code == 0, done.err
    assert [len(names) for names in unfinished] == [1, 1]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*TEXTS, "out.jsonl"])


# -- work ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("arguments", "message"), cases(__file__, "wrong_arguments.tsv"))
def test_wrong_arguments_are_one_sentence(predict: Run, tmp_path: Path, arguments: str, message: str) -> None:
    (tmp_path / "folder.html").mkdir()
    done = predict("a.txt", *arguments.split())
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert message in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*TEXTS, "folder.html"])


def test_pairs_are_written_beside_the_output(predict: Run, tmp_path: Path) -> None:
    assert predict("a.txt", "b.txt", "-o", "x.jsonl").code == 0
    done = predict("a.txt", "b.txt", "-o", "y.jsonl", "--pairs", "p.csv")
    assert (done.code, done.out) == (0, "")
    assert re.search(r"[0-9,]+ pairs written to p.csv", done.err)
    assert (tmp_path / "p.csv").read_bytes().startswith(b"\xef\xbb\xbfkind,relation,probability")
    assert (tmp_path / "x.jsonl").read_text() == (tmp_path / "y.jsonl").read_text()
