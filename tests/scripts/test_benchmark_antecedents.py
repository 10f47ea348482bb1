"""Counting antecedents: pronouns are told from other mentions, and shares are those of the chosen antecedents."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from torch import nn

from cdcoref.corpora import annotated_corpora
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.model import CorefConfig, CorefModel, VectorOptions


@pytest.fixture(scope="module")
def script(load_script: Callable[[str], ModuleType]) -> ModuleType:
    return load_script("benchmarks/antecedents")


@pytest.fixture(scope="module")
def model(tiny_encoder: Path) -> CorefModel:
    """A model that finds every pronoun an antecedent, with a logit of 2."""
    options = VectorOptions(layers=2, pair_features=("same_words",), vector_width=8, antecedents=4)
    made = CorefModel.from_encoder(tiny_encoder, CorefConfig(vectors=options)).eval()
    made.add_vectors(options)
    assert made.antecedent_scorer is not None
    last = made.antecedent_scorer.layers[-1]
    assert isinstance(last, nn.Linear)
    nn.init.zeros_(last.weight)
    nn.init.constant_(last.bias, 2.0)
    return made.eval()


def corpus(words: str, right: bool) -> Corpus:
    """A sentence of two mentions, which corefer or not, in five documents."""
    documents = tuple(Document.from_sentences(str(n), [["Anna", ",", words]]) for n in range(5))
    mentions = [
        Mention(d.id, (token,), "entity", cluster=d.id if right or not token else f"{d.id}*")
        for d in documents
        for token in (0, 2)
    ]
    return Corpus(documents, tuple(mentions))


@pytest.mark.parametrize(("right", "wrong", "error"), [(True, "0.0", "11.9"), (False, "100.0", "88.1")])
def test_shares_of_chosen_antecedents(
    script: ModuleType, model: CorefModel, right: bool, wrong: str, error: str
) -> None:
    (part,) = annotated_corpora(corpus("her", right))
    assert script.row(model, part) == ["5", "5", wrong, "88.1", error]  # 1 / (1 + exp(-2)) is 0.881


def test_without_pronouns_nothing_is_counted(script: ModuleType, model: CorefModel) -> None:
    (part,) = annotated_corpora(corpus("Ben", True))
    assert script.row(model, part) == ["0", "0", "-", "-", "-"]
