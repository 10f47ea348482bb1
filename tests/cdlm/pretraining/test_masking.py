"""Static properties of masking (Devlin et al. 2019, section 3.1) and of the variants' global attention."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import ByteLevelBPETokenizer
from transformers import RobertaTokenizerFast

from cdlm.pretraining import IGNORED, VARIANTS, Masking
from cdlm.sequences import SequenceFrame
from cdlm.tokens import load_tokenizer

MASK, SPECIAL, VOCABULARY = 4, 10, 50
ORDINARY = np.arange(VOCABULARY) >= SPECIAL
MASKING = Masking(MASK, ORDINARY)


@st.composite
def sequences(draw: st.DrawFn) -> np.ndarray:
    """Any tokens, special ones among them: often few, sometimes all of them."""
    generator = np.random.default_rng(draw(st.integers(0, 10**6)))
    ids = generator.integers(0, VOCABULARY, draw(st.integers(1, 200)))
    return np.where(generator.random(len(ids)) < draw(st.sampled_from([0, 0.5, 1])), ids % SPECIAL, ids)


@given(sequences(), st.integers(0, 100))
def test_no_special_token_is_chosen_or_made(ids: np.ndarray, seed: int) -> None:
    masked = MASKING(ids, "cdlm", np.random.default_rng(seed))
    chosen = masked.labels != IGNORED
    ordinary = ids >= SPECIAL
    assert not (chosen & ~ordinary).any()
    assert chosen.sum() == min(ordinary.sum(), max(1, round(0.15 * ordinary.sum())))
    assert (masked.labels[chosen] == ids[chosen]).all()
    assert (masked.input_ids[~chosen] == ids[~chosen]).all()
    made = masked.input_ids[chosen]
    assert ((made == MASK) | (made >= SPECIAL)).all()


@given(sequences(), st.integers(0, 100))
def test_the_variants_differ_in_global_attention_alone(ids: np.ndarray, seed: int) -> None:
    found = {variant: MASKING(ids, variant, np.random.default_rng(seed)) for variant in VARIANTS}
    chosen = found["cdlm"].labels != IGNORED
    for masked in found.values():
        assert (masked.input_ids == found["cdlm"].input_ids).all()
        assert (masked.labels == found["cdlm"].labels).all()
    assert (found["cdlm"].is_global == chosen).all()
    assert (found["rand"].is_global == chosen).all()
    assert not found["local"].is_global.any()
    prefix = found["prefix"].is_global
    assert prefix.sum() == chosen.sum()
    assert prefix[: chosen.sum()].all()


def test_rates() -> None:
    ids = np.random.default_rng(0).integers(SPECIAL, VOCABULARY, 100_000)
    masked = MASKING(ids, "cdlm", np.random.default_rng(1))
    chosen = masked.labels != IGNORED
    assert chosen.sum() == 15_000
    made, was = masked.input_ids[chosen], ids[chosen]
    assert (made == MASK).mean() == pytest.approx(0.8, abs=0.01)
    # A random token is the same by chance once in as many times as there are ordinary tokens.
    same = 0.1 + 0.1 / ORDINARY.sum()
    assert (made == was).mean() == pytest.approx(same, abs=0.01)
    swapped = made[(made != was) & (made != MASK)]
    assert set(swapped) == set(range(SPECIAL, VOCABULARY))
    # Every place is chosen as often: the first and the last tenth too.
    assert chosen[:10_000].mean() == pytest.approx(0.15, abs=0.015)
    assert chosen[-10_000:].mean() == pytest.approx(0.15, abs=0.015)


TEXTS = ("the ferry sank near the island", "a <doc-s> in the text </doc-s> is text")


@pytest.fixture(params=["special", "ordinary", "listed"])
def released(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder with RoBERTa's kind of tokenizer to which the separators were added, in one of three ways."""
    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator(TEXTS, vocab_size=300, special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    trained.save_model(str(tmp_path))
    (tmp_path / "config.json").write_text('{"model_type": "longformer"}')
    separators = ["<doc-s>", "</doc-s>"]
    if request.param == "listed":
        ids = {token: trained.get_vocab_size() + number for number, token in enumerate(separators)}
        (tmp_path / "added_tokens.json").write_text(json.dumps(ids))
    else:
        tokenizer = RobertaTokenizerFast.from_pretrained(str(tmp_path))
        tokenizer.add_tokens(separators, special_tokens=request.param == "special")
        tokenizer.save_pretrained(str(tmp_path))
    return tmp_path


def test_separators_are_not_masked_however_they_were_added(released: Path) -> None:
    tokenizer = load_tokenizer(released)
    separators = tokenizer.ids(["<doc-s>", "</doc-s>"])
    words = tokenizer.encode([TEXTS[0]])[0].ids
    ids = np.array(SequenceFrame.of_tokenizer(tokenizer).enclose([words] * 3, 10**6))
    masking = Masking.of_tokenizer(tokenizer)
    predicted = 0
    for seed in range(100):
        masked = masking(ids, "cdlm", np.random.default_rng(seed))
        predicted += int((masked.labels != IGNORED).sum())
        assert not np.isin(masked.labels, separators).any()
        assert (np.isin(masked.input_ids, separators) == np.isin(ids, separators)).all()
    assert predicted == 100 * round(0.15 * 3 * len(words))
