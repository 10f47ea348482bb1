"""Building the default model: what its encoder is trained on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from cdcoref.corpora import AnnotatedCorpus, annotated_corpora
from cdcoref.formats import read_jsonl
from cdcoref.training import PRESETS

SAMPLE = Path(__file__).parents[2] / "data" / "sample"


@pytest.fixture(scope="module")
def script(load_script: Callable[[str], ModuleType]) -> ModuleType:
    return load_script("build_default_model")


@pytest.fixture(scope="module")
def learnt() -> list[AnnotatedCorpus]:
    """The sample as if it were two corpora."""
    (part,) = annotated_corpora(read_jsonl(SAMPLE / "train_tiny.jsonl"))
    return [replace(part, info=replace(part.info, name=name)) for name in ("ecb", "gum-heads", "litbank")]


def test_the_detector_of_the_encoder_sees_the_first_corpus_alone(
    script: ModuleType, learnt: list[AnnotatedCorpus], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(script, "train", lambda config, parts, *_, resume: seen.append((config, parts, resume)))
    script.train_encoder(PRESETS["small"], learnt, learnt[0], tmp_path, resume=True)
    ((config, parts, resume),) = seen
    assert config.sampling.weights == {name: script.SHARES[name] for name in ("gum-heads", "litbank")}
    assert config.model.vectors.layers == config.model.detector.word_layers == 0
    assert [part.info.name for part in parts] == ["ecb", "gum-heads", "litbank"]
    assert [bool(part.info.exhaustive) for part in parts] == [True, False, False]
    assert resume


def test_heads_learn_from_invented_texts_that_the_encoder_does_not_see(script: ModuleType) -> None:
    of_encoder, of_heads = ({d.topic for d in part.corpus.documents} for part in script.invented_texts())
    assert of_encoder
    assert of_heads == set((script.INVENTED.path / script.FOR_HEADS).read_text(encoding="utf-8").split())
    assert of_encoder.isdisjoint(of_heads)
    assert of_encoder | of_heads == {path.stem for path in (script.INVENTED.path / "train").glob("*.md")}
