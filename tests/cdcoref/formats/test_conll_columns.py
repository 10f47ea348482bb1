"""Names and parts of documents, and the unique ids made of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cdcoref.corpus import Corpus, Document
from cdcoref.errors import InputError
from cdcoref.formats import read_conll, read_corefud, write_conll, write_corefud

names = st.text(min_size=1, max_size=6) | st.sampled_from(["x", "x; part 001", "x;\\u0020part\\u0020001", "a b", ";"])
parts = st.sampled_from(["0", "1"]) | st.integers(0, 2000).map(str)
ONE_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@given(st.lists(st.tuples(names, parts), unique=True, max_size=5))
@settings(ONE_FOLDER, max_examples=50)
def test_ids_of_parts_are_read_back_equal(tmp_path: Path, keys: list[tuple[str, str]]) -> None:
    ids: list[str] = []
    for name, part in keys:
        ids.append(name if name not in ids else f"{name}; part {part.zfill(3)}")
    if len(set(ids)) < len(ids):
        return  # as "x; part 001" and part 1 of "x", after part 0
    documents = (Document.from_sentences(id, [["w"]], part=part) for id, (_, part) in zip(ids, keys, strict=True))
    corpus = Corpus(tuple(documents))
    write_conll(corpus, tmp_path / "x.conll")
    write_corefud(corpus, tmp_path / "x.conllu")
    for back in (read_conll(tmp_path / "x.conll"), read_corefud(tmp_path / "x.conllu")):
        assert [(d.id, d.part) for d in back.documents] == [(d.id, d.part) for d in corpus.documents]


@pytest.mark.parametrize("part", ["", "b", "-1", "1.0", "٣", "9" * 10])
def test_parts_are_numbers(tmp_path: Path, part: str) -> None:
    with pytest.raises(InputError, match="must be a number"):
        write_corefud(Corpus((Document.from_sentences("d", [["w"]], part=part),)), tmp_path / "x.conllu")


def test_files_without_blocks(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text("-DOCSTART- -X- -\n\nAnn NNP (1)\nleft VBD -\n\n-DOCSTART- -X- -\n\nBo NNP (1)\n")
    corpus = read_conll(tmp_path / "a.conll")
    assert [document.tokens for document in corpus.documents] == [("Ann", "left"), ("Bo",)]
    assert len({mention.cluster for mention in corpus.mentions}) == 2
    (tmp_path / "b.conll").write_text("b\t0\t0\tAnn\t(1)\nb\t0\t1\tleft\t-\n\nb\t0\t0\tShe\t(1)\n")
    [document] = read_conll(tmp_path / "b.conll").documents
    assert (document.id, len(document.sentences)) == ("b.conll", 2)
