"""``cdcoref add``, ``show``, ``correct``, ``remove`` and ``rebuild`` as a user calls them; collections as input."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cdcoref import predict
from cdcoref.collection import Collection
from cdcoref.errors import InputError
from cdcoref.formats import read_corpus

TEXTS = {
    "a.txt": "The ferry sank in the storm off Tresk.\nNineteen people died, police said on Friday.\n",
    "b.txt": "Storm sinks ferry\n\nA ferry carrying passengers sank on Friday off Tresk.\nPolice held the captain.\n",
    "c.txt": "Museum guards found the painting.\nThe museum closed early, the guards said.\n",
}
Run = Callable[..., Any]


@pytest.fixture
def run(cdcoref: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in a folder with three texts."""
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return cdcoref


@pytest.fixture
def news(run: Run, tiny_model_folder: Path) -> Run:
    """The same, and a collection of the texts."""
    done = run("add", "news.cdcoref", "a.txt", "b.txt", "c.txt", "--model", tiny_model_folder)
    assert done.code == 0, done.err
    return run


def test_adding_day_by_day(run: Run, tiny_model_folder: Path) -> None:
    done = run("add", "news.cdcoref", "a.txt", "--model", tiny_model_folder)
    assert (done.code, done.out) == (0, "")
    assert "cdcoref: documents: 1 added\n" in done.err
    done = run("add", "news.cdcoref", ".")
    assert done.code == 0, done.err
    assert "cdcoref: documents: 2 added, 1 already there\n" in done.err
    assert re.search(r"1 pair of documents compared", done.err)
    assert re.search(r"news.cdcoref: 3 documents in 2 stories, \d+ mentions: ", done.err)
    Path("a.txt").write_text("The ferry sank in the storm. Police said so on Friday.\n")
    assert "cdcoref: documents: 1 replaced\n" in run("add", "news.cdcoref", "a.txt").err
    Path("copy.txt").write_text(TEXTS["c.txt"])
    assert "cdcoref: copy.txt is already there as c.txt\n" in run("add", "news.cdcoref", "copy.txt").err


def test_other_options_than_the_collections_are_refused_before_files_are_read(run: Run, written: Any) -> None:
    with Collection.create("news.cdcoref", "lemma") as collection:
        collection.add(written.annotated("a", "The ferry sank ."))
    done = run("add", "news.cdcoref", "missing.txt", "--threshold", "0.7")
    assert (done.code, len(done.err.splitlines())) == (2, 1)
    assert (
        "made with threshold unset (not 0.7); leave out what differs, or rebuild the collection with it first"
        in done.err
    )


def test_stories_are_listed_and_shown(news: Run) -> None:
    listed = news("show", "news.cdcoref", "--stories")
    assert listed.code == 0, listed.err
    assert [line.split("(")[1] for line in listed.out.splitlines()] == ["2 documents; Tresk · Friday)", "1 document)"]
    shown = news("show", "news.cdcoref", "--story", "1")
    assert shown.out.startswith("Story 1: ")
    assert "documents:\n  The ferry sank in the storm off Tresk.  (a.txt)\n  Storm sinks ferry  (b.txt)\n" in shown.out
    plain = json.loads(news("show", "news.cdcoref", "--story", "1", "--json").out)
    assert plain["documents"] == ["a.txt", "b.txt"]
    assert json.loads(news("show", "news.cdcoref", "--stories", "--limit", "1", "--json").out) == [plain]
    missing = news("show", "news.cdcoref", "--story", "9")
    assert (missing.code, missing.out) == (2, "")
    assert "there is no story 9" in missing.err


KINDLESS = "#begin document (d1); part 000\nd1\t0\t0\tThe\t-\nd1\t0\t1\tferry\t(1)\n\n#end document\n"


def test_what_cannot_be_added_is_said_and_the_rest_is_added(run: Run, tiny_model_folder: Path) -> None:
    done = run("add", "news", "a.txt", "--model", tiny_model_folder)
    assert (done.code, Path("news").exists()) == (2, False)
    assert "the name of a new collection must end in .cdcoref" in done.err
    assert run("add", "x/news.cdcoref", "a.txt").code == 2
    done = run("add", "news.cdcoref", "absent.txt", "--model", tiny_model_folder)
    assert (done.code, Path("news.cdcoref").exists()) == (2, False)
    Path("k.conll").write_text(KINDLESS)
    done = run("add", "news.cdcoref", "absent.txt", "k.conll", "a.txt", "--model", tiny_model_folder)
    assert done.code == 2
    assert "documents: 1 added" in done.err
    assert "k.conll: the file does not state whether its mentions are events or entities, so it was skipped" in done.err
    assert run("add", "lemma.cdcoref", "k.conll", "--model", "lemma").code == 0
    done = run("add", "a.txt", "b.txt")
    assert (done.code, Path("a.txt").read_text()) == (2, TEXTS["a.txt"])
    assert done.err == "cdcoref: a.txt: this is not a collection; the first argument is the collection's file\n"
    Path("monday").mkdir()
    assert "monday: this is a folder; the first argument is the collection's file" in run("add", "monday", "b.txt").err
    assert run("show", "monday").err.endswith("monday: this is a folder, not a collection\n")
    done = run("add", "absent.txt", "b.txt")
    assert (done.code, Path("absent.txt").exists()) == (2, False)
    assert done.err.endswith("the first argument is the collection's file\n")
    done = run("add", "news.cdcoref", "b.txt", "--model", "lemma")
    assert done.code == 2
    assert "this collection was made with the model" in done.err


def test_a_first_addition_that_fails_leaves_no_collection(run: Run, tiny_model_folder: Path) -> None:
    Path("k.conll").write_text(KINDLESS)
    before = {path.name for path in Path().iterdir()}
    done = run("add", "news.cdcoref", "k.conll", "--model", tiny_model_folder)
    assert done.code == 2
    assert "does not state whether its mentions are events or entities" in done.err
    assert {path.name for path in Path().iterdir()} == before
    done = run("add", "news.cdcoref", "k.conll", "--model", tiny_model_folder, "--kind", "entity")
    assert done.code == 0, done.err
    stored = read_corpus(["news.cdcoref"]).corpus
    assert run("add", "news.cdcoref", "a.txt", "--kind", "event").code == 2
    assert read_corpus(["news.cdcoref"]).corpus == stored


def test_known_documents_need_no_model(news: Run, tiny_model_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def unloadable(model: str, **options: object) -> None:
        asked.append((model, options))
        raise InputError("the model cannot be loaded")

    monkeypatch.setitem(vars(predict), "load", unloadable)
    known = ("a.txt", "c.txt", "--device", "cpu", "--precision", "fp32")
    done = news("add", "news.cdcoref", *known)
    assert (done.code, asked) == (0, []), done.err
    assert "cdcoref: documents: 2 already there\n" in done.err
    assert "clustered" not in done.err
    before = Path("news.cdcoref").read_bytes()
    Path("new.txt").write_text("The ferry sank.\n")
    done = news("add", "news.cdcoref", "new.txt", *known)
    assert (done.code, done.err) == (2, "cdcoref: the model cannot be loaded\n")
    assert asked == [(str(tiny_model_folder), {"device": "cpu", "precision": "fp32"})]
    assert Path("news.cdcoref").read_bytes() == before
    assert "made with the model" in news("add", "news.cdcoref", "new.txt", "--model", "default").err
    assert news("add", "other.cdcoref", "new.txt", "--model", tiny_model_folder).code == 2
    assert not Path("other.cdcoref").exists()
    assert len(asked) == 2


def test_clusters_are_listed_and_shown(news: Run) -> None:
    done = news("show", "news.cdcoref", "--singletons", "--limit", "1000")
    assert done.code == 0
    assert done.out.split()[:2] == ["id", "kind"]
    ids = re.findall(r"^ +(c\d+) ", done.out, re.MULTILINE)
    with Collection.open("news.cdcoref") as collection:
        assert ids == [c.id for c in collection.clusters(min_mentions=1, limit=1000)]
        (cluster,) = collection.clusters(limit=1)
        mention = collection.cluster(cluster.id).mentions[0]
    page = news("show", "news.cdcoref", "--cluster", cluster.id).out
    assert page.startswith(f"{cluster.id}  {cluster.kind}  ")
    assert f"[{mention.text}]" in page
    assert re.search(r"3 documents in 2 stories, \d+ mentions", done.err)
    assert json.loads(news("show", "news.cdcoref", "--json").out)["counts"]["documents"] == 3


def test_documents_and_what_words_find(news: Run) -> None:
    listed = news("show", "news.cdcoref", "--documents").out
    assert [line.split()[0] for line in listed.splitlines()] == ["document", "c.txt", "b.txt", "a.txt"]
    page = news("show", "news.cdcoref", "--document", "a.txt").out
    assert "in one story with: b.txt" in page
    assert "The ferry sank in the storm off Tresk." in page
    found = news("show", "news.cdcoref", "--query", "captain police").out
    assert "b.txt" in found
    assert "a.txt" not in found
    assert news("show", "news.cdcoref", "--query", "zebra").err == (
        "cdcoref: no document or cluster has all of these words\n"
    )
    answer = json.loads(news("show", "news.cdcoref", "--query", "captain", "--json").out)
    assert [d["id"] for d in answer["documents"]] == ["b.txt"]
    assert json.loads(news("show", "news.cdcoref", "--document", "b.txt", "--json").out)["summary"]["id"] == "b.txt"
    for wrong in (("--cluster", "c99999"), ("--document", "x"), ("--documents", "--least-sure")):
        assert news("show", "news.cdcoref", *wrong).code == 2
    assert news("show", "absent.cdcoref").code == 2


def test_corrections(news: Run) -> None:
    questions = json.loads(news("show", "news.cdcoref", "--least-sure", "--json").out)
    question = next(q for q in questions if not q["together"])
    one, other = question["first"]["id"], question["second"]["id"]
    assert f"{one} and {other}: in two clusters" in news("show", "news.cdcoref", "--least-sure", "--limit", "99").out
    done = news("correct", "news.cdcoref", "same", one, other)
    assert done.code == 0
    assert re.match(r"cdcoref: 1  \S+  same: '", done.err)
    assert re.search(r"^cdcoref: merged c\d+ '.*' into c\d+ '", done.err, re.MULTILINE)
    with Collection.open("news.cdcoref") as collection:
        assert collection.mention(one).cluster == collection.mention(other).cluster
        cluster = collection.mention(one).cluster
    assert "Missing argument 'NAME'" in news("correct", "news.cdcoref", "rename", cluster).err
    assert news("correct", "news.cdcoref", "rename", cluster, "The", "ferry").code == 0
    page = news("show", "news.cdcoref", "--cluster", cluster).out
    assert "The ferry" in page
    assert len(re.findall(rf"^m\d+ .*  {cluster}  checked$", page, re.MULTILINE)) == 2
    assert f" {cluster} " in next(line for line in news("show", "news.cdcoref").out.splitlines() if "checked" in line)
    for name in ("a.jsonl", "a.csv", "a.html"):
        assert news("export", "news.cdcoref", "-o", name).code == 0
        assert "The ferry" in Path(name).read_text(encoding="utf-8")
    assert read_corpus(["a.jsonl"]).corpus.names == read_corpus(["news.cdcoref"]).corpus.names
    assert "omitted: 1 cluster name, since CoNLL has none" in news("export", "news.cdcoref", "-o", "a.conll").err
    assert "undo correction 1 first" in news("correct", "news.cdcoref", "not-same", one, other).err
    assert news("correct", "news.cdcoref", "undo", "2").code == 0
    listed = news("correct", "news.cdcoref", "list").out.splitlines()
    assert [line.split()[2] for line in listed] == ["same:", "rename:"]
    assert "(undone" in listed[1]
    assert news("correct", "news.cdcoref", "redo", "2").code == 0
    assert "(undone" not in news("correct", "news.cdcoref", "list").out
    assert news("correct", "news.cdcoref", "redo", "2").err == "cdcoref: correction 2 has not been undone\n"
    assert news("correct", "news.cdcoref", "undo").code == 0
    assert news("correct", "news.cdcoref", "undo", "x").code == 2


def test_a_mention_is_moved_and_lists_say_that_they_are_cut(news: Run) -> None:
    with Collection.open("news.cdcoref") as collection:
        mentions = [mention for id in TEXTS for mention in collection.document(id).mentions]
        one, other = next((a, b) for a in mentions for b in mentions if a.kind == b.kind and a.cluster != b.cluster)
        total = collection.cluster_count(min_mentions=1)
    done = news("correct", "news.cdcoref", "move", one.id, other.cluster)
    assert done.code == 0, done.err
    assert f"  move: {one.text!r} in a.txt into {other.cluster}\n" in done.err
    # Where it was alone its cluster is no more; of two clusters that become one the older number stays.
    assert re.search(r"^cdcoref: (moved from|merged) c\d+ .* into c\d+ ", done.err, re.MULTILINE)
    assert news("correct", "news.cdcoref", "undo").err.count("\n") == 2
    assert news("correct", "news.cdcoref", "move", one.id).code == 2
    cut = news("show", "news.cdcoref", "--singletons", "--limit", "2").err
    assert f"cdcoref: 2 of {total} clusters; --limit N shows more\n" in cut
    assert "--limit" not in news("show", "news.cdcoref", "--singletons", "--limit", "1000").err
    assert "cdcoref: 2 of 3 documents; --limit N" in news("show", "news.cdcoref", "--documents", "--limit", "2").err
    asked = news("show", "news.cdcoref", "--least-sure", "--limit", "1")
    assert "cdcoref: the least certain decision; --limit N shows more\n" in asked.err
    assert "link probability 0." in asked.out


def test_removing_and_rebuilding(news: Run, tiny_model_folder: Path) -> None:
    done = news("remove", "news.cdcoref", "b.txt")
    assert done.code == 0
    assert "cdcoref: documents: 1 removed\n" in done.err
    assert news("remove", "news.cdcoref", "b.txt").code == 2
    assert news("remove", "news.cdcoref").code == 2
    done = news("rebuild", "news.cdcoref")
    assert done.code == 0, done.err
    assert "2 documents in 2 stories" in done.err
    assert news("predict", "a.txt", "c.txt", "--model", tiny_model_folder, "-o", "pred.jsonl").code == 0
    found = [read_corpus([file]).corpus for file in ("news.cdcoref", "pred.jsonl")]
    one, other = ({frozenset(m.key for m in c) for c in corpus.clusters()} for corpus in found)
    assert one == other
    assert news("rebuild", "news.cdcoref", "--kind", "entity").code == 0
    with Collection.open("news.cdcoref") as collection:
        assert {m.kind for m in collection.corpus().mentions} == {"entity"}


def test_only_what_was_corrected_is_exported(news: Run) -> None:
    done = news("export", "news.cdcoref", "--corrected", "-o", "a.jsonl")
    assert (done.code, Path("a.jsonl").exists()) == (2, False)
    assert done.err == "cdcoref: news.cdcoref: no document of the collection has a corrected mention\n"
    with Collection.open("news.cdcoref") as collection:
        mention = collection.document("a.txt").mentions[0].id
    assert news("correct", "news.cdcoref", "not-a-mention", mention).code == 0
    done = news("export", "news.cdcoref", "--corrected", "-o", "a.jsonl")
    assert "a.jsonl: 1 document, " in done.err
    assert [d.id for d in read_corpus(["a.jsonl"]).corpus.documents] == ["a.txt"]
    assert news("export", "a.jsonl", "--corrected", "-o", "b.jsonl").code == 2
    assert news("export", "news.cdcoref", "--split", "dev", "-o", "b.jsonl").code == 2
    assert news("export", "-o", "b.jsonl").code == 2
    assert news("export", "a.jsonl", "-o", "b.conll").code == 0


def test_folders_and_standard_input_are_exported(run: Run, written: Any) -> None:
    Path("folder").mkdir()
    Path("folder/k.conll").write_text(KINDLESS)
    with Collection.create("folder/a.cdcoref", "lemma") as collection:
        collection.add(written.annotated("a", "The ferry sank ."))
    done = run("export", "folder", "-o", "all.jsonl")
    assert done.code == 0
    assert done.err.endswith("cdcoref: all.jsonl: 2 documents, 3 mentions\n")
    assert [d.id for d in read_corpus(["all.jsonl"]).corpus.documents] == ["a", "d1"]
    done = run("export", "-", "-o", "in.jsonl", standard_input=Path("folder/k.conll").read_bytes())
    assert (done.code, done.err) == (0, "cdcoref: in.jsonl: 1 document, 1 mention\n")
    done = run("export", "absent.cdcoref", "-o", "absent.jsonl")
    assert (done.code, Path("absent.jsonl").exists()) == (2, False)
    assert done.err == "cdcoref: absent.cdcoref: there is no such file or folder\n"
    Path("folder/half.conll").write_text(KINDLESS.partition("#end")[0])
    Path("folder/z.jsonl").write_text("{")
    done = run("export", "folder", "-o", "rest.jsonl")
    assert done.code == 2
    assert [line.split(" ")[1].rstrip(",:") for line in done.err.splitlines() if "the whole file" in line] == [
        "folder/half.conll",
        "folder/z.jsonl",
    ]
    assert done.err.endswith("2 unusable inputs skipped; see above\n")
    assert [d.id for d in read_corpus(["rest.jsonl"]).corpus.documents] == ["a", "d1"]
    done = run("export", "folder/half.conll", "folder/z.jsonl", "-o", "absent.jsonl")
    assert (done.code, done.err.count("\n"), Path("absent.jsonl").exists()) == (2, 2, False)
    assert run("export", "folder", "--corrected", "-o", "absent.jsonl").code == 2


def test_a_collection_is_trained_on(news: Run, tiny_encoder: Path) -> None:
    few = ("--set", "teacher=", "--set", "vectors.scorer_steps=20", "--set", "max_length=128", "--epochs", "1")
    settings = ("--preset", "small", *few, "--set", "kind=entity", "--log", "none")
    files = ("--train", "news.cdcoref", "--dev", "news.cdcoref", "-o", "model", "--device", "cpu")
    refused = news("train", *files, "--encoder", tiny_encoder, *settings)
    assert refused.code == 2
    assert "nobody has corrected this collection, so the model would learn from its own predictions" in refused.err
    done = news("train", *files, "--encoder", tiny_encoder, *settings, "--uncorrected")
    assert done.code == 0, done.err
    assert Path("model/model.safetensors").exists()


def test_documents_are_chosen_by_day_and_source(run: Run, tiny_model_folder: Path) -> None:
    Path("d.csv").write_text(
        "id,date,source,text\nx,2024-03-05,AP,The ferry sank off Tresk.\ny,2024-03-07,Reuters,Police held him.\n"
    )
    model = ("--model", tiny_model_folder)
    done = run("add", "news.cdcoref", "d.csv", "a.txt", "--since", "2024-03-06", *model)
    assert done.code == 0, done.err
    assert "1 document of 3 chosen" in done.err
    assert "1 document without a known date left out" in done.err
    assert run("add", "news.cdcoref", "d.csv").code == 0
    assert run("export", "news.cdcoref", "-o", "y.jsonl", "--source", "Reuters").code == 0
    assert [document.id for document in read_corpus(["y.jsonl"]).corpus.documents] == ["y"]
    done = run("export", "news.cdcoref", "--since", "2050-01-01", "--source", "AP", "-o", "none.conll")
    assert (done.code, Path("none.conll").exists()) == (2, False)
    assert re.fullmatch(r"cdcoref: none of the \d documents? is chosen by --since and --source\n", done.err)
    nothing = run("predict", "d.csv", "--source", "Courier", *model)
    assert (nothing.code, nothing.err.count("\n")) == (2, 1)
    assert "none of the 2 documents is chosen by --source" in nothing.err
