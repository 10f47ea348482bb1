"""The JSON lines of end-to-end coreference models: read, scored, and refused where they are wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cdcoref.corpus import Corpus
from cdcoref.errors import InputError
from cdcoref.formats import read_corpus, read_file, read_mention_table
from cdcoref.scoring import score_files

LINE = {
    "doc_key": "nw/a_0",
    "sentences": [["Eve", "sold", "her", "car", "."], ["She", "misses", "it", "."]],
    "speakers": [["Eve"] * 5, ["Joe"] * 4],
    "clusters": [[[0, 0], [2, 2], [5, 5]], [[2, 3], [7, 7]]],
}


def read(tmp_path: Path, *lines: object) -> Corpus:
    path = tmp_path / "x.jsonlines"
    path.write_text("\n".join(map(json.dumps, lines)))
    return read_file(path)


def test_words_mentions_and_speakers_are_read(tmp_path: Path) -> None:
    corpus = read(tmp_path, LINE)
    [document] = corpus.documents
    assert (document.id, document.sentences) == ("nw/a_0", ((0, 5), (5, 9)))
    assert document.tokens == ("Eve", "sold", "her", "car", ".", "She", "misses", "it", ".")
    assert document.metadata == {"speakers": LINE["speakers"]}
    tokens = [sorted(mention.tokens for mention in cluster) for cluster in corpus.clusters()]
    assert tokens == [[(0,), (2,), (5,)], [(2, 3), (7,)]]
    assert {mention.kind for mention in corpus.mentions} == {None}


def test_it_is_recognised_whatever_its_name_and_the_order_of_its_fields(tmp_path: Path) -> None:
    reordered = {name: LINE[name] for name in ("sentences", "clusters", "doc_key")}
    for name, text in {
        "a.jsonl": json.dumps(LINE),
        "b.json": json.dumps([LINE], indent=1),
        "c.txt": json.dumps(reordered),
    }.items():
        (tmp_path / name).write_text(text)
        assert len(read_file(tmp_path / name).mentions) == 5


def test_clusters_of_two_files_stay_apart(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.jsonlines").write_text(json.dumps({**LINE, "doc_key": name}))
    loaded = read_corpus([tmp_path])
    assert loaded.problems == ()
    assert len(loaded.corpus.clusters()) == 4


def test_it_is_scored_within_documents(tmp_path: Path) -> None:
    read(tmp_path, LINE)
    assert read_mention_table(tmp_path / "x.jsonlines").local_clusters
    split = {**LINE, "clusters": [[[0, 0], [2, 2]], [[5, 5]], [[2, 3], [7, 7]]]}
    (tmp_path / "y.jsonlines").write_text(json.dumps(split))
    [result] = score_files(tmp_path / "x.jsonlines", [tmp_path / "y.jsonlines"])
    assert result.level == "document"
    # MUC: of the key's 2 + 1 links the response keeps 2, and both of its own are right.
    assert (result.scores["muc"].recall, result.scores["muc"].precision) == (2 / 3, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sentences": [["A", 1]]}, "number 2 of number 1 of 'sentences' should be a valid string"),
        ({"clusters": [[[0]]]}, "at least 2 items"),
        ({"clusters": [[[0, True]]]}, "should be a valid integer"),
        ({"clusters": [[[3, 2]]]}, "from 0 to 8"),
        ({"subtoken_map": [0, 0, 1]}, "word pieces"),
        ({"predicted_clusters": [[[0, 0], [2, 2]]]}, "both 'clusters' and 'predicted_clusters'"),
        ({"predicted_clusters": []}, "both 'clusters' and 'predicted_clusters'"),
    ],
)
def test_what_is_wrong_is_refused_by_line(tmp_path: Path, change: dict, message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        read(tmp_path, {**LINE, "doc_key": "first"}, LINE | change)
    assert error.value.line == 2


def test_what_a_model_predicts_may_have_a_field_of_its_own(tmp_path: Path) -> None:
    predicted = {**LINE, "predicted_clusters": LINE["clusters"]}
    expected = read(tmp_path, LINE).mentions
    assert read(tmp_path, predicted).mentions == expected
    assert read(tmp_path, {name: value for name, value in predicted.items() if name != "clusters"}).mentions == expected
    assert read(tmp_path, predicted).documents[0].metadata == {"speakers": LINE["speakers"]}
