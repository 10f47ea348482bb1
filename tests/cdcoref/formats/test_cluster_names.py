"""Files that are read together are one corpus: which names of clusters they share, and which they cannot."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from cdcoref.formats import LoadedCorpus, ReadOptions, read_corpus


def document(id: str, clusters: Iterable[str | None], kind: str | None = "event") -> str:
    """A line of JSON with a mention of each of these clusters."""
    names = list(clusters)
    mentions = [{"tokens": [n], "kind": kind, "cluster": name} for n, name in enumerate(names)]
    return json.dumps({"id": id, "tokens": ["w"] * len(names), "mentions": mentions}) + "\n"


def read(folder: Path, *files: str) -> LoadedCorpus:
    for number, content in enumerate(files):
        (folder / f"{number}.jsonl").write_text(content)
    return read_corpus([folder / f"{number}.jsonl" for number in range(len(files))])


def test_an_equal_name_in_two_files_is_one_cluster(tmp_path: Path) -> None:
    loaded = read(tmp_path, document("a", ["c1", "c2", None]), document("b", ["c1", None]), document("c", ["c2"]))
    assert loaded.problems == ()
    clusters = [[m.document for m in cluster] for cluster in loaded.corpus.clusters()]
    assert clusters == [["a", "b"], ["a", "c"], ["a"], ["b"]]


def test_an_event_and_an_entity_of_one_name_are_two_clusters(tmp_path: Path) -> None:
    loaded = read(tmp_path, document("a", ["1"]), document("b", ["1"], "entity"), document("c", ["1"], "entity"))
    assert loaded.problems == ()
    assert [len(cluster) for cluster in loaded.corpus.clusters()] == [1, 2]


@pytest.mark.parametrize(("first", "second", "here"), [(None, "event", "a kind"), ("entity", None, "no kind")])
def test_a_name_with_and_without_kind(tmp_path: Path, first: str | None, second: str | None, here: str) -> None:
    loaded = read(tmp_path, document("a", ["x"], first), document("b", ["x"], second), document("c", ["y"], second))
    [problem] = loaded.problems
    assert problem.startswith(f"{tmp_path / '1.jsonl'}: cluster 'x' has {here} here and ")
    assert f"in {tmp_path / '0.jsonl'}" in problem
    assert [d.id for d in loaded.corpus.documents] == ["a", "c"]


CONLL = "#begin document ({name}); part 000\n{rows}#end document\n"


def conll(name: str, clusters: Iterable[int]) -> str:
    return CONLL.format(name=name, rows="".join(f"{name} 0 0 w ({cluster})\n" for cluster in clusters))


def test_a_kind_that_is_given_for_conll_is_the_kind(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text(conll("a", [7]))
    (tmp_path / "b.jsonl").write_text(document("b", ["7"]))
    files = [tmp_path / "a.conll", tmp_path / "b.jsonl"]
    assert len(read_corpus(files, ReadOptions(ids="global")).problems) == 1
    loaded = read_corpus(files, ReadOptions(kind="event", ids="global"))
    assert loaded.problems == ()
    assert len(loaded.corpus.clusters()) == 1
    assert len(read_corpus(files, ReadOptions(kind="event")).corpus.clusters()) == 2


@pytest.mark.parametrize(
    ("first", "second", "meant"),
    [
        (range(9), range(6), False),  # each file numbers its own
        (range(1, 9), range(5), False),
        (range(9), [0, 3, 7, 9, 10, 11], True),  # the second goes on where the first ended
        (range(9), range(9, 20), True),
        (range(9), range(4), True),  # too few to tell
        ([*range(9), 20], range(9), True),  # a gap: not numbered by the file
    ],
)
def test_numbers_that_begin_anew_are_refused(
    tmp_path: Path, first: Iterable[int], second: Iterable[int], meant: bool
) -> None:
    loaded = read(tmp_path, *(document(name, map(str, numbers)) for name, numbers in (("a", first), ("b", second))))
    assert (loaded.problems == ()) == meant
    if meant:
        shared = set(first) & set(second)
        assert sum(len(cluster) == 2 for cluster in loaded.corpus.clusters()) == len(shared)
    else:
        assert "clusters are numbered consecutively from" in loaded.problems[0]
        assert "equal numbers cannot be the same cluster" in loaded.problems[0]
        assert str(tmp_path / "0.jsonl") in loaded.problems[0]
    without = read_corpus([tmp_path / "0.jsonl", tmp_path / "1.jsonl"], ReadOptions(with_clusters=False))
    assert without.problems == ()
    assert all(mention.cluster is None for mention in without.corpus.mentions)


@pytest.mark.parametrize("numbers", [range(9), [1, 2]])
def test_conll_files_number_their_own_clusters(tmp_path: Path, numbers: Iterable[int]) -> None:
    for name in "ab":
        (tmp_path / f"{name}.conll").write_text(conll(name, numbers))
    for ids in (None, "local"):
        alone = read_corpus([tmp_path / "a.conll", tmp_path / "b.conll"], ReadOptions(ids=ids))
        assert alone.problems == ()
        assert all(len(cluster) == 1 for cluster in alone.corpus.clusters())
    joined = read_corpus([tmp_path / "a.conll", tmp_path / "b.conll"], ReadOptions(ids="global"))
    assert joined.problems == ()
    assert all(len(cluster) == 2 for cluster in joined.corpus.clusters())
    without = read_corpus([tmp_path / "a.conll", tmp_path / "b.conll"], ReadOptions(with_clusters=False))
    assert {m.key: m.cluster for m in without.corpus.mentions} == {m.key: None for m in alone.corpus.mentions}
