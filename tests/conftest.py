"""Fixtures that several test files share."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "data" / "sample"
BERT_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
ROBERTA_TOKENS = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,'-"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with corpora and conformance data, which are not part of this repository."""
    folder = Path(os.environ.get("CDCOREF_SHARED", ROOT.parent / "shared"))
    if not (folder / "corpora").is_dir():
        pytest.skip("no shared data: set CDCOREF_SHARED to the folder with corpora/ and conformance/")
    return folder


@pytest.fixture(scope="session")
def ecb_root(shared: Path) -> Path:
    """ECB+, topics 1-35."""
    return shared / "corpora" / "ecbplus"


# -- tokenizers and an encoder; they are made once a session and may not be changed ------------------------------------


@pytest.fixture(scope="session")
def wordpiece() -> PreTrainedTokenizerFast:
    """A WordPiece tokenizer: the sample's 150 most frequent words, and every character as a beginning and inside."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    from cdlm.tokens import add_special_tokens

    counts = Counter(" ".join(path.read_text() for path in sorted(SAMPLE.glob("*.txt"))).lower().split())
    words = sorted((word for word in counts if word.isalpha() and len(word) > 1), key=lambda w: (-counts[w], w))[:150]
    pieces = [*BERT_TOKENS, *CHARACTERS, *(f"##{c}" for c in CHARACTERS), *words]
    backend = Tokenizer(models.WordPiece({piece: number for number, piece in enumerate(pieces)}, unk_token="[UNK]"))
    backend.normalizer = normalizers.BertNormalizer(lowercase=True)
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    names = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, **dict(zip(names, BERT_TOKENS, strict=True)))
    add_special_tokens(tokenizer)
    return tokenizer


@pytest.fixture(scope="session")
def byte_bpe() -> PreTrainedTokenizerFast:
    """A byte-level tokenizer as RoBERTa's: all bytes, and a merge for the word ``the`` after a space."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    from cdlm.tokens import add_special_tokens

    pieces = [*ROBERTA_TOKENS, *sorted(pre_tokenizers.ByteLevel.alphabet()), "Ġt", "he", "Ġthe"]
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    backend = Tokenizer(models.BPE(vocabulary, [("Ġ", "t"), ("h", "e"), ("Ġt", "he")]))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=backend, bos_token="<s>", pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )
    add_special_tokens(tokenizer)
    return tokenizer


@pytest.fixture(scope="session")
def tiny_encoder(wordpiece: PreTrainedTokenizerFast, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a Longformer checkpoint with two layers of width 32 and windows of 16 tokens."""
    import torch

    from cdlm.config import EncoderConfig
    from cdlm.encoder import CDLMModel

    torch.manual_seed(7)
    config = EncoderConfig(
        vocab_size=len(wordpiece), hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        attention_window=(16, 16), max_position_embeddings=513, pad_token_id=0, hidden_dropout_prob=0.1,
        attention_probs_dropout_prob=0.1, initializer_range=0.2,
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("encoder")
    CDLMModel(config).save_pretrained(folder)
    wordpiece.save_pretrained(str(folder))
    return folder
