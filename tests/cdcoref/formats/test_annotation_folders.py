"""brat and UIMA CAS XMI: out and in again equal; what people corrected is read; nonsense is refused."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cassis
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats import read_corpus, read_file, read_mention_table, tokenise_text, write_brat, write_xmi

WRITERS: dict[str, Callable[[Corpus, Path], tuple[str, ...]]] = {"brat": write_brat, "xmi": write_xmi}
ENDS = {"brat": ".ann", "xmi": ".xmi"}
TEXT = "Ann 🚢 left.\nShe fell; the [old|dog]_*->x saw her.\n\nBob\tsat."
letters = st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"], exclude_characters="\ufffe\uffff")
names = st.text(letters, min_size=1, max_size=6).map(lambda name: "".join(name.split())).filter(bool)


def example() -> Corpus:
    documents = (tokenise_text(TEXT, "news/a", path="a.txt"), tokenise_text("Ann\nLee swam.", "b.txt"))
    documents = (replace(documents[0], metadata={"source": "AP"}, topic="t", hidden=frozenset({1})), documents[1])
    mentions = (
        Mention("news/a", (0,), "entity", "ann|1 x", id="7", tag="PER", confidence=0.5),
        Mention("news/a", (2,), "event", "left"),
        Mention("news/a", (4,), "entity", "ann|1 x", confidence=0.25),
        Mention("news/a", (4, 5), "event", None),
        Mention("news/a", (5,), None, None),
        Mention("b.txt", (0, 1), "entity", "ann|1 x"),
        Mention("b.txt", (2,), "event", "swam\\n"),
    )
    return Corpus(documents, mentions, names={("entity", "ann|1 x"): "Ann Lee"})


def by_id(corpus: Corpus) -> dict[str, Document]:
    return {document.id: document for document in corpus.documents}


@pytest.mark.parametrize("name", WRITERS)
def test_out_and_in_again(tmp_path: Path, name: str) -> None:
    corpus = example()
    assert WRITERS[name](corpus, tmp_path / "x") == ()
    loaded = read_corpus([tmp_path / "x"])
    assert (loaded.problems, loaded.corpus.notes) == ((), ())
    assert by_id(loaded.corpus) == by_id(corpus)
    assert loaded.corpus.by_document() == corpus.by_document()
    assert loaded.corpus.names == corpus.names
    table = read_mention_table(next((tmp_path / "x").glob(f"*{ENDS[name]}")))
    assert len(table.start) in (2, 5)


@pytest.mark.parametrize("name", WRITERS)
def test_the_files_alone_have_the_mentions_and_their_clusters(tmp_path: Path, name: str) -> None:
    """As they are after another program has exported them."""
    corpus = example()
    WRITERS[name](corpus, tmp_path / "x")
    (tmp_path / "x" / ".cdcoref.jsonl").unlink()
    back = read_corpus([tmp_path / "x"]).corpus
    words = {document.id: document.tokens for document in back.documents}
    found = {(" ".join(words[m.document][t] for t in m.tokens), m.kind, m.cluster) for m in back.mentions}
    assert found == {
        ("Ann", "entity", "ann|1 x"), ("left", "event", "left"), ("She", "entity", "ann|1 x"),
        ("She fell", "event", None), ("fell", None, None), ("Ann Lee", "entity", "ann|1 x"),
        ("swam", "event", "swam\\n"),
    }  # fmt: skip


@pytest.mark.parametrize("name", WRITERS)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_corpus_comes_back(tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject) -> None:
    documents, mentions = [], []
    kind_of: dict[str, str | None] = {}
    for number in range(data.draw(st.integers(1, 3))):
        sentences = data.draw(st.lists(st.lists(names, min_size=1, max_size=5), max_size=3))
        document = Document.from_sentences(f"d{number}", sentences)
        documents.append(document)
        spans = st.tuples(st.integers(0, max(0, len(document.tokens) - 1)), st.integers(1, 3))
        chosen = data.draw(st.sets(spans, max_size=5)) if document.tokens else set()
        for start, length in sorted(chosen):
            tokens = tuple(range(start, min(start + length, len(document.tokens))))
            kind = data.draw(st.sampled_from(["event", "entity", None]))
            cluster = data.draw(st.none() | names)
            # A cluster of mentions with a kind and others without is unclear, and refused.
            if cluster is None or kind_of.setdefault(cluster, kind) == kind:
                mentions.append(Mention(document.id, tokens, kind, cluster))
    unique = {(m.document, m.tokens, m.kind, m.cluster): m for m in mentions}
    corpus = Corpus(tuple(documents), tuple(unique.values()))
    folder = tmp_path_factory.mktemp("any") / "x"
    WRITERS[name](corpus, folder)
    back = read_corpus([folder])
    assert back.problems == ()
    assert by_id(back.corpus) == by_id(corpus)
    keys = [sorted(map(repr, one.mentions)) for one in (back.corpus, corpus)]
    assert keys[0] == keys[1]


def test_discontinuous_mentions_keep_their_gaps(tmp_path: Path) -> None:
    document = Document.from_sentences("a", [["She", "rang", "him", "up", "."]])
    corpus = Corpus((document,), (Mention("a", (1, 3), "event", "call", confidence=0.5),))
    for name, write in WRITERS.items():
        notes = write(corpus, tmp_path / name)
        assert len(notes) == (0 if name == "brat" else 1)
        assert read_corpus([tmp_path / name]).corpus.mentions == corpus.mentions


TEXTS = {
    "entities and tags": "Smith &amp; Sons left. <b>She</b> fell.",
    "a byte order mark": "\ufeffThe &amp; ferry sank.",
    **{f"the end of a line, {gap!r}": f"The New{gap}York ferry sank." for gap in "\x0b\f\r\x1e\x85\u2028\u2029"},
}
"""Words that are not the characters of the file, and what Python takes for the end of a line."""


@pytest.mark.parametrize("case", TEXTS)
@pytest.mark.parametrize("name", WRITERS)
def test_odd_texts_come_back(tmp_path: Path, name: str, case: str) -> None:
    document = tokenise_text(TEXTS[case], "a.txt")
    cluster = document.text[slice(document.offsets[1][0], document.offsets[2][1])]
    corpus = Corpus((document,), (Mention("a.txt", (1, 2), "entity", cluster, id="7", tag="ORG", confidence=0.5),))
    if name == "xmi" and not {*"\x0b\f\x1e"}.isdisjoint(document.text):
        pytest.skip("XML has no such character")
    WRITERS[name](corpus, tmp_path / "x")
    loaded = read_corpus([tmp_path / "x"])
    assert loaded.problems == ()
    assert (loaded.corpus.documents, loaded.corpus.mentions) == (corpus.documents, corpus.mentions)


def test_files_of_one_name_in_two_folders_of_brat_are_two_documents(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.txt").write_text("Ann left.")
        (tmp_path / folder / "a.ann").write_text("T1\tentity 0 3\tAnn\n")
    loaded = read_corpus([*(tmp_path / "one").iterdir(), tmp_path / "two"])
    assert loaded.problems == ()
    assert [document.id for document in loaded.corpus.documents] == ["one/a.txt", "two/a.txt"]


def test_a_note_of_another_scheme_in_brat_is_no_name(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text("Ann left. She fell.")
        mentions = "T1\tThing 0 3\tAnn\nT2\tThing 10 13\tShe\n*\tSame T1 T2\nT3\tentity 0 3\tAnn\n"
        (tmp_path / f"{name}.ann").write_text(f"{mentions}#1\tAnnotatorNotes T1\tsure?\n#2\tAnnotatorNotes T3\tann\n")
    corpus = read_corpus([tmp_path]).corpus
    assert {mention.kind for mention in corpus.mentions} == {"entity"}
    assert "sure?" not in {mention.cluster for mention in corpus.mentions}
    assert sorted(len(cluster) for cluster in corpus.clusters()) == [2, 2, 2]


def people() -> Corpus:
    document = Document.from_sentences("a", [["Ann", "saw", "Bob", ".", "She", "left", "."]])
    other = Document.from_sentences("b", [["Ann", "swam"]])
    mentions = (
        Mention("a", (0,), "entity", "ann", confidence=0.5),
        Mention("a", (2,), "entity", "bob", confidence=0.5),
        Mention("a", (4,), "entity", "bob", confidence=0.5),
        Mention("b", (0,), "entity", "ann"),
    )
    return Corpus((document, other), mentions)


def clusters(folder: Path) -> dict[tuple[str, int], str | None]:
    return {(m.document, m.start): m.cluster for m in read_corpus([folder]).corpus.mentions}


def test_what_was_corrected_in_brat_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "x"
    write_brat(people(), folder)
    path = folder / "a.ann"
    lines = path.read_text().splitlines()
    assert "*\tCoref T2 T3" in lines
    kept = [line for line in lines if not line.startswith("*")]
    # Somebody joins "She" with "Ann", and adds a mention of an event.
    path.write_text("\n".join([*kept, "R1\tCoref Arg1:T3 Arg2:T1", "T9\tevent 18 22\tleft", "A1\tSure T1"]) + "\n")
    found = clusters(folder)
    assert found[("a", 0)] == found[("a", 4)] == found[("b", 0)] == "ann"
    assert found[("a", 2)] == "bob"
    back = read_corpus([folder]).corpus
    assert [(m.start, m.confidence) for m in back.mentions if m.document == "a"] == [
        (0, 0.5),
        (2, 0.5),
        (4, None),
        (5, None),
    ]


def test_what_was_corrected_in_inception_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "x"
    write_xmi(people(), folder)
    path = folder / "a.xmi"
    with (folder / "TypeSystem.xml").open("rb") as file:
        types = cassis.load_typesystem(file)
    with path.open("rb") as file:
        cas = cassis.load_cas_from_xmi(file, typesystem=types)
    chains = cas.select("de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceChain")
    by_words = {chain.first.get_covered_text(): chain.first for chain in chains}
    by_words["Bob"].next, by_words["Ann"].next = None, by_words["Bob"].next
    cas.to_xmi(path)
    assert clusters(folder) == {("a", 0): "ann", ("a", 2): "bob", ("a", 4): "ann", ("b", 0): "ann"}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.ann", "T1\tX 0 99\tAnn\n", "line 1: characters 0 to 99 go beyond"),
        ("a.ann", "T1\tX 0 3\tBob\n", "line 1: the text has 'Ann' there, not 'Bob'"),
        ("a.ann", "T1\tX 3 4\t \n", "line 1: the annotation overlaps no token"),
        ("a.ann", "T1\tX 0 3\tAnn\nwhat\n", "line 2: the line is not an annotation"),
        ("a.ann", "T1\tX 0 3\tAnn\n*\tCoref T1 T2\n", "'T2', which is not there"),
        ("alone.ann", "T1\tX 0 3\tAnn\n", "alone.txt, .* is not beside it"),
        ("a.xmi", '<xmi:XMI xmlns:xmi="http://www.omg.org/XMI"', "the XMI cannot be read"),
        ("a.xmi", "", "the XMI cannot be read"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / "a.txt").write_text("Ann left.")
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=message):
        read_file(tmp_path / name)


def test_what_cannot_be_written_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="control character"):
        write_xmi(Corpus((Document.from_sentences("a", [["\x01"]]),)), tmp_path / "x")
    with pytest.raises(InputError, match=r"cluster '\\x01' has a control character"):
        write_xmi(Corpus((Document.from_sentences("a", [["x"]]),), (Mention("a", (0,), None, "\x01"),)), tmp_path / "x")
    for write in WRITERS.values():
        with pytest.raises(InputError, match=r"document 'a' has a (NUL|control) character, which .* cannot have"):
            write(Corpus((tokenise_text("Ann\0 left.", "a"),)), tmp_path / "x")
        with pytest.raises(InputError, match=r"cluster 'c\\x00' has a (NUL|control) character"):
            write(Corpus((Document.from_sentences("a", [["x"]]),), (Mention("a", (0,), None, "c\0"),)), tmp_path / "x")
    assert not (tmp_path / "x").exists()
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "a.txt").touch()
    for write in WRITERS.values():
        with pytest.raises(InputError, match="did not write"):
            write(people(), tmp_path / "own")
    monkeypatch.setitem(sys.modules, "cassis", None)
    with pytest.raises(InputError, match="pip install"):
        write_xmi(people(), tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_events_of_brat_are_their_triggers(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The towns merge. The merger is done. It rained.\n")
    lines = ["T1\tMerge 10 15\tmerge", "E1\tMerge:T1", "T2\tMerge 21 27\tmerger", "E2\tMerge:T2 Party:T3"]
    lines += ["T3\tTown 4 9\ttowns", "T4\tRain 40 46\trained", "*\tSameEvent E1 E2", "R1\tBefore Arg1:E1 Arg2:T4"]
    (tmp_path / "a.ann").write_text("".join(f"{line}\n" for line in lines))
    corpus = read_file(tmp_path / "a.ann")
    towns, merge, merger, rained = corpus.mentions
    assert merge.cluster == merger.cluster is not None
    assert (towns.cluster, rained.cluster) == (None, None)
    assert [mention.kind for mention in corpus.mentions] == [None, "event", "event", None]
    assert "relation 'Before' is not used" in corpus.notes[0]
