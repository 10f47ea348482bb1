"""CorefUD: mentions of every shape, and input that is refused by line."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats import (
    MentionTable,
    read_corefud,
    read_file,
    read_mention_table,
    tokenise_text,
    write_corefud,
    write_corpus,
)
from cdcoref.scoring import align, score_files
from tests.corpora import corpora

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
        ("x", ("four",), ((0, 1),)),
    ]
    assert sorted(map(len, corpus.clusters())) == [1, 2]  # a name means something within one document
    assert {mention.kind for mention in corpus.mentions} == {"entity"}
    table = read_mention_table(path)
    assert table.local_clusters
    assert [row.tokens for row in table.documents.values()] == [3, 1]


def test_numbers_of_groups_begin_anew_in_every_document(tmp_path: Path) -> None:
    header = "# global.Entity = GRP-etype\n"
    path = write(tmp_path / "x", "a (1-person)", "", header="# newdoc id = d\n" + header)
    path.write_text(path.read_text() + "# newdoc id = e\n1\tb" + "\t_" * 7 + "\tEntity=(1-place)\n\n")
    assert len(set(read_mention_table(path).cluster.tolist())) == 2
    assert [(m.cluster, m.tag) for m in read_corefud(path).mentions] == [("d/1", "person"), ("e/1", "place")]


def test_the_file_as_it_is_written(tmp_path: Path) -> None:
    first = tokenise_text("Ann-Marie didn't.", "d e")
    second = Document.from_sentences("e", [["She"], [], ["took", "it", "off"]])
    mentions = (
        Mention("d e", (0,), "entity", "a-b|c", tag="person"),
        Mention("e", (0,), "entity", "a-b|c", tag="HUMAN"),
        Mention("e", (1, 3), "event", "off"),
        Mention("e", (1, 2, 3), "event"),
        Mention("e", (2,), None, "x"),
    )
    write_corefud(Corpus((first, second), mentions), tmp_path / "x.conllu")
    assert (tmp_path / "x.conllu").read_text() == (Path(__file__).parent / "written.conllu").read_text("utf-8")
    back = read_corefud(tmp_path / "x.conllu")
    assert {(m.key, m.cluster) for m in back.mentions if m.cluster != "e/e3"} == {
        (m.key, m.cluster) for m in mentions if m.cluster is not None
    }
    assert not read_mention_table(tmp_path / "x.conllu").local_clusters


words = st.text(max_size=5) | st.sampled_from(["-", "_", "#", "Entity=(e1)", "|", "\\e", "1-2"])
names = st.text(max_size=5) | st.sampled_from(["e1", "e1[1/2]", "a-b", "%", "x; part 001", "#", " "])


def crossing(first: tuple[str, frozenset[int]], second: tuple[str, frozenset[int]]) -> bool:
    """Whether two mentions share words, or lie in each other's gaps.

    Not if one holds all words of the other, unless both have gaps, so that parts of one may be taken for the other's.
    """
    (document, one), (other_document, other) = first, second
    if document != other_document:
        return False
    if one <= other or other <= one:
        return one != other and all(len(words) <= max(words) - min(words) for words in (one, other))
    return max(min(one), min(other)) <= min(max(one), max(other))


@given(corpora(words, names.filter(bool), names, empty=False))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_written_is_read_back_equal_or_refused(tmp_path: Path, corpus: Corpus) -> None:
    path = tmp_path / "x.conllu.gz"
    path.unlink(missing_ok=True)
    try:
        write_corefud(corpus, path)
    except InputError:
        assert not path.exists()
        clusters = ({(m.document, frozenset(m.tokens)) for m in cluster} for cluster in corpus.clusters())
        assert any(crossing(a, b) for cluster in clusters for a, b in combinations(cluster, 2))
        return
    back = read_corefud(path)
    assert [(d.id, d.part, d.tokens, d.sentences) for d in back.documents] == [
        (d.id, d.part, d.tokens, d.sentences) for d in corpus.documents
    ]
    named = Counter((m.key, m.cluster) for m in corpus.mentions if m.cluster is not None)
    assert named <= Counter((m.key, m.cluster) for m in back.mentions)
    assert Counter(m.key for m in corpus.mentions) == Counter(m.key for m in back.mentions)
    assert sorted(map(len, back.clusters())) == sorted(map(len, corpus.clusters()))


# -- types, heads, words that the text leaves out ----------------------------------------------------------------------


def test_types_are_tags_and_mentions_may_be_their_heads(tmp_path: Path) -> None:
    words = ["the (e1-person-2-", "old", "man e1)", "of (e2[1/2]-place-1-)", "it", "here (e2[2/2]-place-1-)", "x (e3)"]
    path = write(tmp_path / "x.conllu", *words[:-1])
    assert {(m.tag, m.tokens) for m in read_corefud(path).mentions} == {("person", (0, 1, 2)), ("place", (3, 5))}
    assert {m.tokens for m in read_corefud(path, heads=True).mentions} == {(1,), (3,)}
    gum = write(tmp_path / "y.conllu", "the (1-1,3", "old", "man 1)", header="# global.Entity = GRP-minspan\n")
    assert [m.tokens for m in read_corefud(gum, heads=True).mentions] == [(0, 2)]
    path = write(tmp_path / "y.conllu", *words)
    assert read_corefud(path).mentions[-1].tag is None
    with pytest.raises(InputError, match="line 9: a mention of 1 word begins here with no minspan or head"):
        read_corefud(path, heads=True)


def test_empty_nodes_are_tokens_or_not(tmp_path: Path) -> None:
    path = write(tmp_path / "x.conllu", "1=a (e1-person-1-", "1.1=left", "2=b e1)")
    with_all, without = read_corefud(path), read_corefud(path, empty_nodes=False)
    assert (with_all.documents[0].tokens, without.documents[0].tokens) == (("a", "left", "b"), ("a", "b"))
    assert (with_all.mentions[0].tokens, without.mentions[0].tokens) == ((0, 1, 2), (0, 1))
    path = write(tmp_path / "y.conllu", "1=a", "1.1=left (e1-person-1-)")
    with pytest.raises(InputError, match="line 4: a mention begins or ends at an empty node"):
        read_corefud(path, empty_nodes=False)


@pytest.mark.parametrize("header", ["# newdoc id = a\n", "# newdoc id = a\n# global.Entity = etype-eid-infstat\n"])
@pytest.mark.parametrize("end", ["person-12", "12"])
def test_types_before_the_cluster_and_more_behind_it(tmp_path: Path, header: str, end: str) -> None:
    words = ("Ann (person-1-giv:act)", "met", "her (person-12-new(person-1-giv)", f"aunt {end})", "Bob (person-3-new)")
    path = write(tmp_path / "x.conllu", *words, header=header)
    assert mentions(path) == {("a/1", (0,)), ("a/1", (2,)), ("a/12", (2, 3)), ("a/3", (4,))}
    assert {mention.tag for mention in read_corefud(path).mentions} == {"person"}


def test_types_without_clusters_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "x.conllu", "Ann (person)", "met", "Bob (person)", header="# newdoc id = a\n")
    with pytest.raises(InputError, match=r"line 2: Entity=\(person\) has a type but no cluster; add a comment"):
        read_corefud(path)
    path = write(tmp_path / "y.conllu", "Ann (person)", "met", "Ann (person)", header="# global.Entity = eid\n")
    assert mentions(path) == {(f"{path.name}/person", (0,)), (f"{path.name}/person", (2,))}


DROPPED = (Path(__file__).parent / "dropped_words.conllu").read_text(encoding="utf-8")


def moved(text: str) -> str:
    """The empty node behind the verb."""
    lines = text.split("\n")
    at = next(number for number, line in enumerate(lines) if line.startswith("0.1"))
    lines[at : at + 2] = [lines[at + 1], "1.1" + lines[at].removeprefix("0.1")]
    return "\n".join(lines)


def without(text: str) -> str:
    """No empty node."""
    return "\n".join(line for line in text.split("\n") if not line.startswith("0.1"))


def kept(text: str) -> list[str]:
    """The lines, without what names clusters across documents and parts of speech."""
    return [re.sub(r"crossdoc:[^),|]*", "", line).replace("\tPRON\t", "\t_\t") for line in text.split("\n")]


def test_a_mention_at_a_multiword_token_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    rest = "\t_" * 7
    path.write_text(f"1-2\tdámelo{rest}\tEntity=(e1)\n1\tda{rest}\t_\n2\tmelo{rest}\t_\n\n", encoding="utf-8")
    for read in (read_corefud, read_mention_table):
        with pytest.raises(InputError, match=r"line 1: a mention begins or ends at a multiword token; put its bracket"):
            read(path)


@pytest.mark.parametrize("text", [DROPPED, moved(DROPPED), without(DROPPED)])
def test_empty_nodes_and_spaces_are_written_as_they_were(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.conllu").write_text(text)
    corpus = read_file(tmp_path / "x.conllu")
    for name in ("y.conllu", "y.jsonl", "z.conllu", "y.spacy", "z.conllu"):
        assert write_corpus(corpus, tmp_path / name) == ()
        corpus = read_file(tmp_path / name)
        if name.endswith(".conllu"):
            assert kept((tmp_path / name).read_text()) == kept(text), name


def test_the_text_has_its_own_spaces(tmp_path: Path) -> None:
    (tmp_path / "x.conllu").write_text(without(DROPPED))
    [document] = read_file(tmp_path / "x.conllu").documents
    assert document.text == "Ana llegó tarde.\nPerdió el tren."
    assert [document.text[start:end] for start, end in document.offsets] == list(document.tokens)
    # "del" is one word of the text, written over two lines: nothing follows it without a space.
    path = write(tmp_path / "y", "1-2=del|", "1=de", "2=el", "3=tren")
    path.write_text(path.read_text().replace("1-2\tdel|" + "\t_" * 8, "1-2\tdel" + "\t_" * 7 + "\tSpaceAfter=No"))
    assert read_file(path).documents[0].text == "de eltren"


Nodes = dict[str, str]
"""The dependencies of the empty nodes of a sentence, by id."""


def with_nodes(path: Path, sentences: list[Nodes]) -> MentionTable:
    """A document of sentences of three words and some empty nodes; each of these is a mention."""
    lines = [HEADER.strip()]
    for nodes in sentences:
        rows = {str(number): "_\t_" for number in (1, 2, 3)}
        rows |= {id: f"{dependencies or '_'}\tEntity=(e{len(lines)}{id}--1)" for id, dependencies in nodes.items()}
        lines += [f"{id}\tw" + "\t_" * 6 + f"\t{rows[id]}" for id in sorted(rows)] + [""]
    path.write_text("\n".join([*lines, ""]))
    return read_mention_table(path)


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        # The same dependencies, whatever the id; or else the same heads.
        ([{"1.1": "2:a", "1.2": "2:b"}], [{"1.1": "2:b", "1.2": "2:a"}], {"0 1.1": "0 1.2", "0 1.2": "0 1.1"}),
        ([{"1.1": "2:a|3:b"}], [{"1.1": "2:a", "1.2": "2:c|3:d", "1.3": "3:b|2:a"}], {"0 1.1": "0 1.3"}),
        ([{"1.1": "2:a|3:b"}], [{"1.1": "2:a", "1.2": "3:d|2:d"}], {"0 1.1": "0 1.2"}),
        ([{"1.1": "2:a", "1.2": "2:b"}], [{"1.1": "2:c", "1.2": "2:d"}], {"0 1.1": "0 1.1", "0 1.2": "0 1.2"}),
        ([{"1.1": "2:a"}], [{"1.1": "2:b:c"}], {"0 1.1": "0 1.1"}),  # a relation may have a subtype
        # Of those without dependencies nothing is known but their ids.
        ([{"1.1": ""}], [{"0.1": "", "1.1": ""}], {"0 1.1": "0 1.1"}),
        ([{"1.1": ""}], [{"0.1": "2:a"}], {}),
        # Those of another word or sentence are different ones.
        ([{"1.1": "2:a"}], [{"1.1": "3:a"}], {}),
        ([{"1.1": "2:a"}, {}], [{}, {"1.1": "2:a"}], {}),
        (
            [{"1.1": "2:a", "2.1": "1:b"}, {"0.1": "3:a"}],
            [{"0.1": "2:a"}, {"0.1": "3:a", "1.1": "9:a"}],
            {"0 1.1": "0 0.1", "1 0.1": "1 0.1"},
        ),
    ],
)  # fmt: skip
def test_equal_empty_nodes(tmp_path: Path, key: list[Nodes], response: list[Nodes], expected: dict[str, str]) -> None:
    tables = with_nodes(tmp_path / "key.conllu", key), with_nodes(tmp_path / "response.conllu", response)
    alignment = align(*tables)
    names: list[dict[int, str]] = []
    for table, side in zip(tables, (alignment.key, alignment.response), strict=True):
        [document] = table.documents.values()
        name_at = {node.token: f"{node.sentence} {node.id}" for node in document.empty_nodes}
        starts = table.start[side.row].tolist()
        names.append({mention: name_at[start] for mention, start in zip(side.mention.tolist(), starts, strict=True)})
    assert {name: names[1][mention] for mention, name in names[0].items() if mention in names[1]} == expected


@pytest.mark.parametrize(
    ("words", "same"),
    [
        (["a (e1--1", "1.1=_ (e2--1)", "b e1)"], ["a (e1--1", "b e1)"]),
        (["a (e1[1/2]--1)", "1.1=_ (e2--1)", "b (e1[2/2]--1)"], ["a (e1--1", "b e1)"]),
        (["0.1=_ (e1--1", "a", "b e1)"], ["a (e1--1", "b e1)"]),
        (["a (e1[1/2]--1)", "b", "2.1=_", "c (e1[2/2]--1)"], ["a (e1[1/2]--1)", "b", "c (e1[2/2]--1)"]),
        (["a (e1--1", "1.1=_", "b", "c e1)"], ["a (e1--1", "b", "c", "3.1=_ e1)"]),
        (["a", "1.1=_ (e1--1", "1.2=_ e1)", "b"], ["a", "1.1=_ (e1--1", "1.2=_ e1)", "b", "2.1=_ (e2--1)"]),
    ],
)
def test_a_mention_with_words_is_compared_by_its_words(tmp_path: Path, words: list[str], same: list[str]) -> None:
    key, response = write(tmp_path / "key.conllu", *words), write(tmp_path / "response.conllu", *same)
    for one, other in ((key, response), (response, key)):
        alignment = align(read_mention_table(one), read_mention_table(other))
        assert len({*alignment.key.mention.tolist()} & {*alignment.response.mention.tolist()}) == 1


def test_words_are_counted_without_empty_nodes_unless_the_other_file_has_these_as_words(tmp_path: Path) -> None:
    key = write(tmp_path / "key.conllu", "a", "1.1=_", "b")
    for words in (["a", "b"], ["a", "b", "2.1=_", "2.2=_"], ["a", "_", "b"]):
        response = write(tmp_path / "response.conllu", *words)
        assert [len(list(score_files(*pair))) for pair in ((key, [response]), (response, [key]))] == [1, 1]
    for words in (["a", "1.1=_", "1.2=_"], ["a", "b", "c", "d"], ["a"]):
        response = write(tmp_path / "response.conllu", *words)
        for one, other in ((key, response), (response, key)):
            with pytest.raises(InputError, match="same tokens"):
                next(score_files(one, [other]))


def test_bridging_and_split_antecedents_pass_through_other_formats(tmp_path: Path) -> None:
    words = (
        ("Ann", "Entity=(e7-person-1-)"),
        ("met", "_"),
        ("Bob", "Entity=(e9-person-1-)"),
        ("They", "Entity=(e2-person-1-)|SplitAnte=e7<e2,e9<e2"),
        ("sold", "_"),
        ("wheels", "Bridge=e7<e4:part,e0<e4|Entity=(e4-object-1-)"),
    )
    columns = "\t_" * 7 + "\t"
    lines = [f"{n}\t{word}{columns}{misc}" for n, (word, misc) in enumerate(words, 1)]
    (tmp_path / "a.conllu").write_text("\n".join(["# newdoc id = a", *lines, "", ""]))
    write_corpus(read_file(tmp_path / "a.conllu"), tmp_path / "b.jsonl")
    corpus = read_file(tmp_path / "b.jsonl")
    write_corpus(corpus, tmp_path / "c.conllu")
    written = (tmp_path / "c.conllu").read_text()
    assert "SplitAnte=e1<e3,e2<e3" in written
    assert "Bridge=e1<e4:part|" in written  # there is no e0
    assert read_file(tmp_path / "c.conllu").documents[0].metadata == corpus.documents[0].metadata
    without_bob = replace(corpus, mentions=tuple(m for m in corpus.mentions if m.cluster != "a/e9"))
    write_corpus(without_bob, tmp_path / "d.conllu")
    assert "SplitAnte=e1<e2\n" in (tmp_path / "d.conllu").read_text()
