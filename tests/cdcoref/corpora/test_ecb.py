"""The ECB+ reader: which mentions count, their clusters, the published counts, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from cdcoref.corpora import corpus_statistics, read_ecb
from cdcoref.corpus import ENTITY, EVENT, Mention
from cdcoref.errors import InputError

SENTENCES_FILE = "ECBplus_coreference_sentences.csv"


def test_documents(mini_ecb: Path) -> None:
    corpus = read_ecb(mini_ecb, [2])
    assert [document.id for document in corpus.documents] == ["2_1ecb", "2_10ecb", "2_1ecbplus"]  # by number
    first, _, last = corpus.documents
    assert (first.topic, first.subtopic, last.subtopic) == ("2", "2_ecb", "2_ecbplus")
    assert first.tokens[:3] == ("Jackman", "will", "host")
    assert first.sentences == ((0, 6), (6, 11))
    assert all(first.text[start:end] == word for (start, end), word in zip(first.offsets, first.tokens, strict=True))
    assert (first.hidden, last.hidden) == (frozenset(), {0})
    assert (first.annotated, last.annotated) == ({0}, {0, 1})
    assert first.path == str(mini_ecb / "ECB+" / "2" / "2_1ecb.xml")


def test_mentions_and_their_clusters(mini_ecb: Path) -> None:
    mentions = read_ecb(mini_ecb, [2]).mentions
    assert mentions == (
        Mention("2_1ecb", (0,), ENTITY, "HUM1", "1", "HUMAN_PART_PER"),
        Mention("2_1ecb", (2,), EVENT, "ACT1", "2", "ACTION_OCCURRENCE"),
        Mention("2_1ecb", (3, 4), EVENT, None, "4", "ACTION_OCCURRENCE"),
        Mention("2_10ecb", (1, 3), EVENT, None, "1", "NEG_ACTION_OCCURRENCE"),
        Mention("2_1ecbplus", (6,), ENTITY, None, "4", "NON_HUMAN_PART_GENERIC"),
        Mention("2_1ecbplus", (7,), ENTITY, "HUM1", "1", "HUMAN_PART_PER"),
        Mention("2_1ecbplus", (10,), ENTITY, "2_1ecbplus_200", "2", "HUMAN_PART_PER"),
        Mention("2_1ecbplus", (12,), ENTITY, None, "5", "TIME_DATE"),
        Mention("2_1ecbplus", (14,), ENTITY, "2_1ecbplus_200", "3", "HUMAN_PART_PER"),
    )
    counts = corpus_statistics(read_ecb(mini_ecb, [2]))
    assert (counts.topics, counts.documents) == (1, 3)
    assert counts.mentions == {"event": 3, "entity": 6}
    assert counts.clusters == {"entity": 2}


def change(pattern: str, replacement: str) -> Callable[[str], str]:
    def edit(text: str) -> str:
        changed = re.sub(pattern, replacement, text, count=1, flags=re.DOTALL)
        assert changed != text
        return changed

    return edit


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda text: text[: len(text) // 2], r"line \d+: .*malformed or truncated"),
        (
            change('<token_anchor t_id="3"/>', '<token_anchor t_id="99"/>'),
            "mention 2 points to token 99, which does not",
        ),
        (change('<token t_id="3"', '<token t_id="2"'), "two tokens have the t_id 2"),
        (change('t_id="1" ', ""), "no t_id or no sentence number"),
        (change("<token .*</token>", ""), "no tokens"),
        (change('<target m_id="50"/>', ""), None),  # the relation's note names the instance
        (change('note="x">(.*?)<target m_id="50"/>', r">\1"), "no target instance"),
        (change("Jackman", "Jackm\udce4n"), r"2_1ecb\.xml"),
        (lambda text: text.replace("Document", "Text"), "root element is not <Document>"),
        (
            change(r"<Document", '<!DOCTYPE d [<!ENTITY e SYSTEM "file:///etc/hostname">]>\n<Document'),
            "declares a document type or entities",
        ),
    ],
)
def test_a_broken_document_is_refused(mini_ecb: Path, edit: Callable[[str], str], message: str | None) -> None:
    path = mini_ecb / "ECB+" / "2" / "2_1ecb.xml"
    path.write_text(edit(path.read_text(encoding="utf-8")), encoding="utf-8", errors="surrogateescape")
    if message is None:
        assert len(read_ecb(mini_ecb, [2]).mentions) == 9
        return
    with pytest.raises(InputError, match=message) as caught:
        read_ecb(mini_ecb, [2])
    assert caught.value.path == str(path)
    assert "\n" not in str(caught.value)


def test_a_missing_list_of_sentences_is_said(mini_ecb: Path) -> None:
    (mini_ecb / SENTENCES_FILE).unlink()
    with pytest.raises(InputError, match=f"{SENTENCES_FILE} is missing"):
        read_ecb(mini_ecb, [2])


@pytest.mark.parametrize(
    "line", ["2,1ecb", "2,1ecb,zero", "two,1ecb,0", "2,1ecb,0,0", "2,1ecb,-1", f"2,1ecb,{'9' * 5000}", "2,1ecb,²"]
)
def test_a_malformed_list_of_sentences_is_refused_with_its_line(mini_ecb: Path, line: str) -> None:
    with (mini_ecb / SENTENCES_FILE).open("a") as file:
        file.write(line + "\n")
    with pytest.raises(InputError, match="line 6: expected three cells"):
        read_ecb(mini_ecb, [2])
