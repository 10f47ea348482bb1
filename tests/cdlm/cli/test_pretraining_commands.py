"""``cdlm pretrain``, ``perplexity`` and ``align``: typed as a user would, one after the other."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cdlm import documents
from cdlm.documents import AnnotatedDocument, MentionSpan
from tests.commands import Finished

SETS = "".join(f"w{n} w{n + 1} w3 ||||| w{n} w5 w6 ||||| w{n + 1} w8\n" for n in range(12))


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    (tmp_path / "train.src").write_text(SETS + "w1 ||||| w2\n")
    return tmp_path / "train.src"


@pytest.fixture
def ecb(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two documents in place of ECB+."""

    def read(corpus: str, folder: Path, split: str) -> list[AnnotatedDocument]:
        assert (corpus, split) == ("ecb", "dev")
        words = tuple(f"w{n}" for n in range(8))
        spans = [MentionSpan((n,), kind, f"c{n}") for n in (1, 4) for kind in ("event", "entity")]
        return [AnnotatedDocument(name, "g", words, tuple(spans)) for name in ("a", "b")]

    monkeypatch.setattr(documents, "annotated_documents", read)


def test_pretrain_perplexity(cdlm: Callable[..., Finished], corpus: Path, word_encoder: Path, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text("sequences_at_once = 2\n[run]\nsteps = 9\nlog_steps = 1\n")
    small = (
        "--config",
        tmp_path / "small.toml",
        "--set",
        "max_length=64",
        "--set",
        "batch_size=2",
        "--set",
        "run.steps=2",
    )
    plain = (*small, "--encoder", word_encoder, "--set", "run.precision=fp32", "--device", "cpu", "--log", "none")
    for variant in ("cdlm", "local"):
        start = ("pretrain", "--corpus", corpus, "--dev", corpus, "-o", tmp_path / variant, "--variant", variant)
        code, out, err = cdlm(*start, *plain)
        assert (code, out) == (0, "")
        assert "12 sets of 36 documents, 96 tokens" in err
        assert "step 2 of 2" in err
        assert "dev perplexity" in err
        assert err.endswith("omitted from the dev corpus: sets with too few documents: 1\n")
    compare = ("perplexity", "--corpus", corpus, "--model", tmp_path / "local", "--model", tmp_path / "cdlm")
    code, out, err = cdlm(*compare, "--device", "cpu")
    assert code == 0
    assert err == "cdlm: omitted from the corpus: sets with too few documents: 1\n"
    assert "ratio to" in out
    assert "masked tokens of 12 sets" in " ".join(out.split())
    code, out, _ = cdlm(*compare, "--json")
    rows = json.loads(out)
    assert [row["variant"] for row in rows] == ["local", "cdlm"]
    written = json.loads((tmp_path / "local" / "training.json").read_text())["dev"]["value"]
    assert rows[0]["value"] == pytest.approx(written, rel=1e-4)


def test_align(cdlm: Callable[..., Finished], word_encoder: Path, tmp_path: Path, ecb: None) -> None:
    command = ("align", "--ecb-root", tmp_path, "--model", word_encoder, "--device", "cpu")
    code, out, err = cdlm(*command)
    assert (code, err) == (0, "")
    assert "fewer than 1,000" in " ".join(out.split())
    code, out, _ = cdlm(*command, "--json", "--pairs", 1)
    (result,) = json.loads(out).values()
    assert result["event positive"]["pairs"] == result["entity negative"]["pairs"] == 1
    assert result["left_out"] == 0


def test_wrong_input_is_said(cdlm: Callable[..., Finished], corpus: Path, word_encoder: Path, tmp_path: Path) -> None:
    code, _, err = cdlm("pretrain", "--corpus", tmp_path / "absent", "-o", tmp_path / "model")
    assert code == 2
    assert err.startswith(f"cdlm: {tmp_path / 'absent'}: there is no such file or folder")
    measure = ("perplexity", "--corpus", corpus, "--model", word_encoder)
    for wrong, message in {
        ("--max-length", 4): "max_length is 4 and should be at least 16",
        ("--max-length", 0): "max_length is 0 and should be at least 16",
        ("--masked", 7): "masked is 7.0 and should be below 1",
        ("--masked", "nan"): "masked is nan and should be a finite number",
    }.items():
        code, out, err = cdlm(*measure, *wrong)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert message in err
    start = ("pretrain", "--encoder", word_encoder, "--set", "max_length=64", "--log", "none", "-o", tmp_path / "model")
    for name in ("epochs", "accumulation", "evaluate_steps"):
        code, _, err = cdlm(*start, "--corpus", corpus, "--set", f"run.{name}=5")
        assert (code, err.partition(":")[2].partition(":")[0]) == (2, f" run.{name} has no effect")
