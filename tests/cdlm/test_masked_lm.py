"""Masked language modelling: equal to Hugging Face's implementation on the same weights, and the same checkpoints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import LongformerConfig, LongformerForMaskedLM

from cdlm.encoder import CDLMModel
from cdlm.errors import InputError
from cdlm.masked_lm import CDLMForMaskedLM

WEIGHTS = "model.safetensors"


@pytest.fixture(scope="module")
def reference() -> LongformerForMaskedLM:
    torch.manual_seed(4)
    config = LongformerConfig(
        vocab_size=40, hidden_size=24, num_hidden_layers=2, num_attention_heads=3, intermediate_size=32,
        attention_window=[4, 8], max_position_embeddings=90, type_vocab_size=1, pad_token_id=1,
        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
    )  # fmt: skip
    model = LongformerForMaskedLM(config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.3) if parameter.ndim == 2 else parameter.uniform_(0.2, 1.0)
    return model.eval()


@pytest.fixture(scope="module")
def folder(reference: LongformerForMaskedLM, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("masked-lm")
    reference.save_pretrained(folder)
    return folder


def batch() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(5)
    mask = (torch.arange(30) < torch.tensor([[30], [7], [19]])).long()
    ids = torch.randint(2, 40, (3, 30), generator=generator).where(mask.bool(), 1)
    return ids, mask, (torch.rand(3, 30, generator=generator) < 0.2).long() * mask


def same_files(one: Path, other: Path) -> None:
    before, after = load_file(one / WEIGHTS), load_file(other / WEIGHTS)
    assert set(after) == set(before)
    assert all(torch.equal(after[name], before[name]) for name in before)


def test_logits_equal_those_of_hugging_face(reference: LongformerForMaskedLM, folder: Path) -> None:
    model = CDLMForMaskedLM.from_pretrained(folder)
    ids, mask, is_global = batch()
    with torch.no_grad():
        expected = reference(ids, mask, is_global).logits
        logits = model(ids, mask, is_global)
        torch.testing.assert_close(logits[mask.bool()], expected[mask.bool()], atol=1e-4, rtol=1e-4)
        predicted = (ids % 3 == 0) & mask.bool()
        torch.testing.assert_close(model(ids, mask, is_global, predicted), logits[predicted])
    assert not model.training
    assert logits.std() > 0.5


def test_gradients_equal_those_of_hugging_face(reference: LongformerForMaskedLM, folder: Path) -> None:
    model = CDLMForMaskedLM.from_pretrained(folder).train()
    ids, mask, is_global = batch()
    predicted = (ids % 3 == 0) & mask.bool()
    reference.zero_grad()
    torch.nn.functional.cross_entropy(reference(ids, mask, is_global).logits[predicted], ids[predicted]).backward()
    torch.nn.functional.cross_entropy(model(ids, mask, is_global, predicted), ids[predicted]).backward()
    theirs = dict(reference.named_parameters())
    for name, parameter in model.named_parameters():
        torch.testing.assert_close(parameter.grad, theirs[name].grad, atol=1e-3, rtol=1e-3, msg=name)


def test_the_encoder_alone_keeps_the_head(folder: Path, tmp_path: Path) -> None:
    encoder = CDLMModel.from_pretrained(folder)
    encoder.save_pretrained(tmp_path / "same")
    same_files(folder, tmp_path / "same")
    encoder.resize_token_embeddings(43)
    encoder.save_pretrained(tmp_path / "longer")
    model, info = LongformerForMaskedLM.from_pretrained(tmp_path / "longer", output_loading_info=True)
    assert not info["missing_keys"]
    assert model.lm_head.decoder.bias[40:].tolist() == [0, 0, 0]
    ours = CDLMForMaskedLM.from_pretrained(tmp_path / "longer")
    ours.resize_token_embeddings(40)
    ours.save_pretrained(tmp_path / "shorter")
    same_files(folder, tmp_path / "shorter")


def test_shared_tensors_that_are_stored_twice(folder: Path, tmp_path: Path) -> None:
    """Older checkpoints hold the output layer as well."""
    weights = load_file(folder / WEIGHTS)
    (tmp_path / "config.json").write_bytes((folder / "config.json").read_bytes())
    words = weights["longformer.embeddings.word_embeddings.weight"]
    twice = {"lm_head.decoder.weight": words, "lm_head.decoder.bias": weights["lm_head.bias"]}
    torch.save(weights | twice, tmp_path / "pytorch_model.bin")
    CDLMForMaskedLM.from_pretrained(tmp_path).save_pretrained(tmp_path / "again")
    same_files(folder, tmp_path / "again")


def test_a_table_that_is_not_shared_is_kept_and_not_taken_for_shared(folder: Path, tmp_path: Path) -> None:
    weights = load_file(folder / WEIGHTS)
    own = weights["longformer.embeddings.word_embeddings.weight"] + 1
    save_file(weights | {"lm_head.decoder.weight": own}, tmp_path / WEIGHTS, metadata={"format": "pt"})
    config = json.loads((folder / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(config | {"tie_word_embeddings": False}))
    CDLMModel.from_pretrained(tmp_path).save_pretrained(tmp_path / "again")
    same_files(tmp_path, tmp_path / "again")
    with pytest.raises(InputError, match=r"lm_head\.decoder\.weight"):
        CDLMForMaskedLM.from_pretrained(tmp_path)


def test_a_checkpoint_without_a_head(longformer_folder: Path, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no head for masked language modelling"):
        CDLMForMaskedLM.from_pretrained(longformer_folder)
    model = CDLMForMaskedLM.from_pretrained(longformer_folder, new_head=True)
    model.save_pretrained(tmp_path)
    # The pooler of the checkpoint is kept beside the new head.
    assert "pooler.dense.weight" in load_file(tmp_path / WEIGHTS)
    again = CDLMForMaskedLM.from_pretrained(tmp_path)
    ids = batch()[0]
    with torch.no_grad():
        assert torch.equal(again(ids), model(ids))
    weights = load_file(folder / WEIGHTS)
    del weights["lm_head.dense.bias"]
    save_file(weights, tmp_path / WEIGHTS)
    (tmp_path / "config.json").write_bytes((folder / "config.json").read_bytes())
    with pytest.raises(InputError, match=r"lm_head\.dense\.bias is missing or has the wrong shape"):
        CDLMForMaskedLM.from_pretrained(tmp_path)
