"""Static properties of masking (Devlin et al. 2019, section 3.1) and of the variants' global attention."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from transformers import PreTrainedTokenizerFast

from cdlm.pretraining.masking import IGNORED, VARIANTS, Masking, Variant

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


@pytest.mark.parametrize("variant", VARIANTS)
def test_seeds(variant: Variant) -> None:
    ids = np.arange(SPECIAL, VOCABULARY)

    def labels(seed: int) -> list[int]:
        return MASKING(ids, variant, np.random.default_rng(seed)).labels.tolist()

    assert labels(0) == labels(0)
    assert labels(0) != labels(1)


def test_the_special_tokens_of_a_tokenizer(word_tokenizer: PreTrainedTokenizerFast) -> None:
    masking = Masking.of_tokenizer(word_tokenizer)
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "<doc-s>", "</doc-s>", "<m>", "</m>"]
    assert np.flatnonzero(~masking.ordinary).tolist() == sorted(word_tokenizer.convert_tokens_to_ids(special))
    assert masking.mask_id == word_tokenizer.mask_token_id
