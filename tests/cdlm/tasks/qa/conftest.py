"""Tokenizers with the tokens of question sequences."""

from __future__ import annotations

import copy

import pytest

from cdlm.tasks.qa import QA_TOKENS
from cdlm.tokens import Tokenizer


@pytest.fixture(params=["wordpiece", "byte_bpe"])
def tokenizer(request: pytest.FixtureRequest) -> Tokenizer:
    """BERT's kind of tokenizer, and RoBERTa's."""
    tokenizer = copy.deepcopy(request.getfixturevalue(request.param))
    tokenizer.add_special_tokens(QA_TOKENS)
    return tokenizer
