"""CorefUD: mentions of every shape, and input that is refused by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from cdcoref.errors import InputError
from cdcoref.formats import read_corefud
from cdcoref.formats.corefud_parsing import read_corefud_table

HEADER = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n"


def write(path: Path, *words: str, header: str = HEADER) -> Path:
    """A file of one sentence; each word is `form`, `form entity`, or `id=form entity`; "" ends the sentence."""
    lines = []
    number = 0
    for word in words:
        if not word:
            lines.append("")
            number = 0
            continue
        form, _, entity = word.partition(" ")
        place, _, form = form.rpartition("=")
        number += not place
        misc = f"Entity={entity}" if entity else "_"
        lines.append("\t".join([place or str(number), form, *["_"] * 7, misc]))
    path.write_text(header + "\n".join([*lines, "", ""]))
    return path


def mentions(path: Path) -> set[tuple[str | None, tuple[int, ...]]]:
    return {(mention.cluster, mention.tokens) for mention in read_corefud(path).mentions}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["The (e1-abstract-2-", "view", "of", "art (e2-abstract-1-)e1)"], {("e1", (0, 1, 2, 3)), ("e2", (3,))}),
        (["a (e1-person-1-)|SpaceAfter=No", "b (e1-person-1-)|Bridge=e2<e1:x"], {("e1", (0,)), ("e1", (1,))}),
        (["a (e1--1", "b (e1--1(e2--1)", "c e1)e1)"], {("e1", (0, 1, 2)), ("e1", (1, 2)), ("e2", (1,))}),
        (["a (e1[1/2]--1)", "b", "c (e1[2/2]--1", "d e1[2/2])"], {("e1", (0, 2, 3))}),
        (
            ["a (e1[1/3]--1", "b e1[1/3])(e2--1-)", "c (e1[2/3]--1)", "d", "e (e1[3/3]--1)"],
            {("e1", (0, 1, 2, 4)), ("e2", (1,))},
        ),
        (["a (e1)", "b (e1", "c e1)"], {("e1", (0,)), ("e1", (1, 2))}),
        # "2-3" is a multiword token, whose words follow; "3.1" is an empty node, which counts.
        (
            ["1=a (e1--1)", "2-3=bc", "2=b", "3=c (e2--1", "3.1=_ e2)(e3--1)"],
            {("e1", (0,)), ("e2", (2, 3)), ("e3", (3,))},
        ),
    ],
)
def test_brackets(tmp_path: Path, words: list[str], expected: set[tuple[str, tuple[int, ...]]]) -> None:
    found = mentions(write(tmp_path / "x.conllu", *words))
    assert found == {(f"d/{cluster}", tokens) for cluster, tokens in expected}


def test_the_cluster_is_where_the_header_says(tmp_path: Path) -> None:
    header = "# newdoc id = d\n# global.Entity = entity-GRP-infstat-MIN-coref_type-identity\n"
    path = write(tmp_path / "x", "a (person-1-new-1-coref", "b 1)(place-2-new-1-coref-Vienna)", header=header)
    assert mentions(path) == {("d/1", (0, 1)), ("d/2", (1,))}


def test_documents_and_sentences(tmp_path: Path) -> None:
    path = write(tmp_path / "x", "One (e1--1)", "two", "", "three (e1--1)")
    path.write_text(path.read_text() + "# newdoc\n" + "1\tfour\t" + "_\t" * 7 + "Entity=(e1--1)\r\n\n")
    corpus = read_corefud(path, kind="entity")
    assert [(d.id, d.tokens, d.sentences) for d in corpus.documents] == [
        ("d", ("One", "two", "three"), ((0, 2), (2, 3))),
        ("document 2", ("four",), ((0, 1),)),
    ]
    assert sorted(map(len, corpus.clusters())) == [1, 2]  # a name means something within one document
    assert {mention.kind for mention in corpus.mentions} == {"entity"}
    table = read_corefud_table(path)
    assert table.local_clusters
    assert [row.tokens for row in table.documents.values()] == [3, 1]


@pytest.mark.parametrize(
    ("words", "line", "message"),
    [
        (["a (e1--1", "b"], 3, "begins here and never ends"),
        (["a (e1[1/2]--1)", "b"], 3, "begins here and never ends"),
        (["a", "b e1)"], 4, "a mention of e1 ends here that has not begun"),
        (["a (e1[2/2]--1)"], 3, r"e1\[2/2\] continues a mention whose piece before was not found"),
        (["a e1"], 3, "Entity=e1 cannot be read"),
        (["a ()"], 3, r"Entity=\(\) cannot be read"),
    ],
)
def test_refused_by_line(tmp_path: Path, words: list[str], line: int, message: str) -> None:
    path = write(tmp_path / "x.conllu", *words)
    with pytest.raises(InputError, match=message) as caught:
        read_corefud_table(path)
    assert (caught.value.path, caught.value.line) == (str(path), line)


def test_other_columns_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.conllu"
    for line in ("1\ta\t_", "1\ta\t_\tEntity=(e1)", "word" + "\t_" * 9):
        path.write_text(HEADER + "1" + "\t_" * 9 + "\n" + line + "\n\n")
        with pytest.raises(InputError, match=r"line 4: the line has \d+ tab-separated columns.* CoNLL-U has 10"):
            read_corefud_table(path)


# -- types, heads, words that the text leaves out ----------------------------------------------------------------------


def test_types_are_tags_and_mentions_may_be_their_heads(tmp_path: Path) -> None:
    words = ["the (e1-person-2-", "old", "man e1)", "of (e2[1/2]-place-1-)", "it", "here (e2[2/2]-place-1-)", "x (e3)"]
    path = write(tmp_path / "x.conllu", *words[:-1])
    assert {(m.tag, m.tokens) for m in read_corefud(path).mentions} == {("person", (0, 1, 2)), ("place", (3, 5))}
    assert {m.tokens for m in read_corefud(path, heads=True).mentions} == {(1,), (3,)}
    path = write(tmp_path / "y.conllu", *words)
    assert read_corefud(path).mentions[-1].tag is None
    with pytest.raises(InputError, match="line 9: no minspan or head is given for the head of a mention of 1 word"):
        read_corefud(path, heads=True)


def test_empty_nodes_are_tokens_or_not(tmp_path: Path) -> None:
    path = write(tmp_path / "x.conllu", "1=a (e1-person-1-", "1.1=left", "2=b e1)")
    with_all, without = read_corefud(path), read_corefud(path, empty_nodes=False)
    assert (with_all.documents[0].tokens, without.documents[0].tokens) == (("a", "left", "b"), ("a", "b"))
    assert (with_all.mentions[0].tokens, without.mentions[0].tokens) == ((0, 1, 2), (0, 1))
    path = write(tmp_path / "y.conllu", "1=a", "1.1=left (e1-person-1-)")
    with pytest.raises(InputError, match="line 4: a mention begins or ends at an empty node"):
        read_corefud(path, empty_nodes=False)
