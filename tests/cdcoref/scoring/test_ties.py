"""What ties mentions: known answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.formats import write_jsonl
from cdcoref.scoring import report_errors


@pytest.mark.parametrize(
    ("some", "others", "tie"),
    [
        (["the old ferry"], ["a tug", "The old ferry"], "the same words"),
        (["the old ferry"], ["this ferry"], "the same head"),
        (["Anna Berg"], ["Mayor Berg"], "the same head"),
        (["Berg 's office"], ["the mayor of Berg"], "a name"),
        (["exploded"], ["the explosion"], "the stem of the heads"),
        (["the raid"], ["the raiders"], "the stem of the heads"),
        (["the war"], ["warming"], "nothing in common"),
        (["the steel bridge"], ["girders of steel"], "another word"),
        (["she"], ["Anna Berg"], "a pronoun"),
        (["she", "Anna Berg"], ["Berg"], "the same head"),
        (["Anna Berg"], ["the mayor"], "a name and a noun"),
        (["Anna Berg", "the clerk"], ["the mayor"], "nothing in common"),
        (["the tremor"], ["the quake"], "nothing in common"),
    ],
)
def test_the_strongest_tie(tmp_path: Path, some: list[str], others: list[str], tie: str) -> None:
    """Of two parts of a gold cluster, and of two gold clusters in one predicted cluster; whichever part comes first."""
    both = [*some, *others]
    whole, parts = ["all"] * len(both), ["some"] * len(some) + ["others"] * len(others)
    for order in (1, -1):
        sentences = [text.split() for text in both[::order]]
        document = Document.from_sentences("d", sentences)
        for name, clusters in (("whole", whole), ("parts", parts[::order])):
            mentions = [
                Mention("d", tuple(range(*sentence)), cluster=cluster)
                for sentence, cluster in zip(document.sentences, clusters, strict=True)
            ]
            write_jsonl(Corpus((document,), tuple(mentions)), tmp_path / f"{name}.jsonl")
        report = report_errors(tmp_path / "whole.jsonl", tmp_path / "parts.jsonl")
        assert (report.lacking_merges, report.wrong_merges) == ({tie: 1}, {})
        report = report_errors(tmp_path / "parts.jsonl", tmp_path / "whole.jsonl")
        assert (report.lacking_merges, report.wrong_merges) == ({}, {tie: 1})
