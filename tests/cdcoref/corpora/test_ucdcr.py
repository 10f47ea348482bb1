"""GVC and FCC-T as the uCDCR project lays them out: both layouts say the same, and what is refused."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cdcoref.corpora import CORPORA
from cdcoref.corpus import EVENT, Mention
from cdcoref.errors import InputError

GVC = CORPORA["gvc"]

DOCUMENTS = {
    "0/17/tug_a": (["2011-05-03"], ["Tug", "sinks", "."], ["It", "went", "down", ";", "nobody", "died", "."]),
    "0/17/tug_b": (["The", "sinking", "killed", "none", "."],),
    "0/18/keel": (["Keel", "laid", "."],),
}
MENTIONS = (("0/17/tug_a", 1, [1], "44"), ("0/17/tug_a", 2, [1, 2], "44"), ("0/17/tug_a", 2, [5], "45"),
            ("0/17/tug_b", 0, [1], "44"), ("0/18/keel", 0, [1], "46"))  # fmt: skip
GOLD = {
    Mention("tug_a", (2,), EVENT, "44", "m0", "EVENT"),
    Mention("tug_a", (5, 6), EVENT, "44", "m1", "EVENT"),
    Mention("tug_a", (9,), EVENT, "45", "m2", "EVENT"),
    Mention("tug_b", (1,), EVENT, "44", "m3", "EVENT"),
    Mention("keel", (1,), EVENT, "46", "m4", "EVENT"),
}


def cells(key: str, sentence: int, size: int) -> list[str]:
    """The coreference column of a sentence, several mentions of a word separated as uCDCR does it."""
    column = ["-"] * size
    for document, number, tokens, cluster in MENTIONS:
        if (document, number) == (key, sentence):
            if len(tokens) == 1:
                column[tokens[0]] = f"({cluster})"
            else:
                column[tokens[0]], column[tokens[-1]] = f"({cluster}| (9", f"{cluster})| 9)"
    return column


def five_columns() -> str:
    lines = []
    for key, sentences in DOCUMENTS.items():
        lines.append(f"#begin document ({key}); part 0")
        for number, words in enumerate(sentences):
            lines += [
                f"{key}\t{number}\t{place}\t{word}\t{cell}"
                for place, (word, cell) in enumerate(zip(words, cells(key, number, len(words)), strict=True))
            ]
            lines.append("")
        lines.append("#end document")
    return "\n".join([*lines, ""])


def eight_columns() -> str:
    lines = ["#begin document dev_events"]
    for key, sentences in DOCUMENTS.items():
        token = 0
        groups = key.replace("/", "\t")
        for number, words in enumerate(sentences):
            for word, cell in zip(words, cells(key, number, len(words)), strict=True):
                plain = cell.replace("| (9", "").replace("| 9)", "")
                lines.append(
                    f"{groups}\t{number}\t{(token := token + 1)}\t{word}\t{number > 0 or key != '0/17/tug_a'}\t{plain}"
                )
    return "\n".join([*lines, "#end document", ""])


def entry(number: int) -> dict[str, Any]:
    """A mention, with some of the fields that are not read."""
    key, sentence, tokens, cluster = MENTIONS[number]
    words = DOCUMENTS[key][sentence]
    return {
        "coref_chain": cluster, "mention_id": f"m{number}", "tokens_str": "x", "mention_full_type": "EVENT",
        "tokens_text": [words[t] for t in tokens], "tokens_number": tokens, "sent_id": sentence, "conll_doc_key": key,
        "is_singleton": False, "mention_context": ["..."],
    }  # fmt: skip


def entries() -> list[dict[str, Any]]:
    return [entry(number) for number in range(len(MENTIONS))]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "val").mkdir()
    (tmp_path / "val" / "dataset.conll").write_text(five_columns())
    (tmp_path / "val" / "event_mentions.json").write_text(json.dumps(entries()))
    (tmp_path / "val" / "entity_mentions.json").write_text("[]")
    return tmp_path


def read(folder: Path) -> Any:
    return GVC.read(folder, "dev")


def test_five_columns_with_mentions_beside_them(folder: Path) -> None:
    corpus = read(folder)
    assert [(d.id, d.topic, d.subtopic) for d in corpus.documents] == [
        ("tug_a", "0", "17"), ("tug_b", "0", "17"), ("keel", "0", "18")
    ]  # fmt: skip
    assert corpus.documents[0].tokens == tuple(word for words in DOCUMENTS["0/17/tug_a"] for word in words)
    assert corpus.documents[0].sentences == ((0, 1), (1, 4), (4, 11))
    assert set(corpus.mentions) == GOLD


def test_eight_columns_with_and_without_mentions_beside_them(folder: Path) -> None:
    (folder / "val" / "dataset.conll").unlink()
    with gzip.open(folder / "val" / "gold.conll.gz", "wt") as file:
        file.write(eight_columns())
    with_json = read(folder)
    assert set(with_json.mentions) == GOLD
    assert with_json.documents[0].annotated == {1, 2}
    (folder / "val" / "event_mentions.json").unlink()
    alone = read(folder)
    assert alone.documents == with_json.documents
    assert {(m.document, m.tokens, m.kind, m.cluster) for m in alone.mentions} == {
        (m.document, m.tokens, m.kind, m.cluster) for m in GOLD
    }


def test_names_of_files_and_folders(folder: Path) -> None:
    (folder / "val").rename(folder / "dev")
    inside = folder / "output_data"
    inside.mkdir()
    (folder / "dev").rename(inside / "dev")
    assert set(read(folder).mentions) == GOLD
    (folder / "gvc-train.conll").write_text(eight_columns())
    (inside / "dev").rename(folder / "dev")
    inside.rmdir()
    assert GVC.splits(folder) == ["train", "dev"]
    assert len(GVC.read(folder, "train").mentions) == len(GOLD)
    with pytest.raises(InputError, match="does not hold the test split of GVC, only train and dev; expected test/"):
        GVC.read(folder, "test")


def test_published_gold_files_are_read(shared: Path, tmp_path: Path) -> None:
    """Words are blotted out in them; documents and mentions are those that their authors scored."""
    from cdcoref.formats import read_conll

    for name in ("gvc", "fcct"):
        (tmp_path / name / "dev").mkdir(parents=True)
        path = shared / "conformance" / "published-scores" / name / "key.conll.gz"
        (tmp_path / name / "dev" / path.name).symlink_to(path)
        corpus = CORPORA[name].read(tmp_path / name, "dev")
        assert corpus.mentions == read_conll(path, kind=EVENT).mentions
        assert len(corpus.documents) > 50


Edit = Callable[[str], str]
CONLL_DAMAGE: dict[str, tuple[Edit, str]] = {
    "cut off": (
        lambda text: text[: text.index("died")] + "x\t-\n",
        r"line 13: the file ends within the document",
    ),
    "a column too few": (lambda text: text.replace("\tsinks", ""), "line 5: expected five columns"),
    "no numbers": (lambda text: text.replace("a\t1\t1", "a\tone\t1"), "line 5: expected five columns"),
    "a token twice": (lambda text: text.replace("a\t1\t1", "a\t1\t0"), "line 5: token 0 of sentence 1 is out of order"),
    "sentences in disorder": (
        lambda text: text.replace("a\t2\t6", "a\t1\t9"),
        "line 14: token 9 of sentence 1 is out of",
    ),
    "two documents mixed": (
        lambda text: text.replace("0/17/tug_b\t0\t4", "0/17/tug_a\t3\t0"),
        "line 22: document '0/17/tug",
    ),
    "no topic": (lambda text: text.replace("0/18/keel", "keel"), "line 26: 'keel' is not topic/subtopic/document"),
    "no text": (lambda text: "", "is not in the .conll file"),
}


@pytest.mark.parametrize("damage", CONLL_DAMAGE)
def test_damaged_documents_are_one_sentence(folder: Path, damage: str) -> None:
    edit, message = CONLL_DAMAGE[damage]
    path = folder / "val" / "dataset.conll"
    path.write_text(edit(five_columns()))
    with pytest.raises(InputError, match=message) as caught:
        read(folder)
    assert "\n" not in str(caught.value)


def changed(**values: object) -> Edit:
    """The mentions with the second one changed; a value None removes the field."""
    return lambda text: json.dumps(
        [entry(0), {name: value for name, value in {**entry(1), **values}.items() if value is not None}]
    )


JSON_DAMAGE: dict[str, tuple[Edit, str]] = {
    "cut off": (lambda text: text[:200], r"line \d: this is not JSON"),
    "not JSON, further down": (lambda text: "[\n\n{]", "line 3: this is not JSON"),
    "no list": (lambda text: "{}", "expected a list of mentions"),
    "too deep": (lambda text: "[" * 200_000, "cannot be read as JSON|is not JSON"),
    "no object": (lambda text: "[3]", "mention 1 of the list cannot be used: it is not a JSON object"),
    "no document": (changed(conll_doc_key=None), "mention 2 .* is null, which is not in the .conll file"),
    "another document": (changed(conll_doc_key="0/17/x"), 'is "0/17/x", which is not'),
    "a document of a wrong type": (changed(conll_doc_key=["0"]), "which is not in the .conll file"),
    "no cluster": (changed(coref_chain=None), "it has no cluster"),
    "a cluster of a wrong type": (changed(coref_chain=[1]), "it has no cluster"),
    "no sentence": (changed(sent_id=None), "it needs the numbers of its sentence"),
    "another sentence": (changed(sent_id=-1), "sentence -1 of its document has no tokens"),
    "no tokens": (changed(tokens_number=[]), r"has no tokens \[\]"),
    "tokens of a wrong type": (changed(tokens_number=["1"]), "it needs the numbers of its sentence"),
    "true is no number": (changed(tokens_number=[True]), "it needs the numbers of its sentence"),
    "tokens beyond the sentence": (changed(tokens_number=[6, 7]), r"has no tokens \[6, 7\]"),
    "other words": (changed(tokens_text=["went", "up"]), "the .conll is another version"),
}


@pytest.mark.parametrize("damage", JSON_DAMAGE)
def test_damaged_mentions_are_one_sentence(folder: Path, damage: str) -> None:
    edit, message = JSON_DAMAGE[damage]
    path = folder / "val" / "event_mentions.json"
    path.write_text(edit(json.dumps(entries())))
    with pytest.raises(InputError, match=message) as caught:
        read(folder)
    assert caught.value.path == str(path)
    assert "\n" not in str(caught.value)


def test_words_without_mentions_are_refused(folder: Path) -> None:
    (folder / "val" / "event_mentions.json").unlink()
    with pytest.raises(InputError, match="a file with 5 columns needs its mentions beside it, in event_mentions"):
        read(folder)


def test_a_document_of_two_files_is_refused(folder: Path) -> None:
    (folder / "val" / "more.conll").write_text(five_columns())
    with pytest.raises(InputError, match="document '0/17/tug_a' is also in another file of this split"):
        read(folder)
