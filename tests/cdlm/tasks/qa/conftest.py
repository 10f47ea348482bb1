"""Tokenizers with the tokens of question sequences."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import pytest

from cdlm.tasks.qa import QA_TOKENS
from cdlm.tokens import add_special_tokens

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast


@pytest.fixture(params=["wordpiece", "byte_bpe"])
def tokenizer(request: pytest.FixtureRequest) -> PreTrainedTokenizerFast:
    """BERT's kind of tokenizer, and RoBERTa's."""
    tokenizer = copy.deepcopy(request.getfixturevalue(request.param))
    add_special_tokens(tokenizer, QA_TOKENS)
    return tokenizer
