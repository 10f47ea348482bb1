"""Converted BERT, RoBERTa and MPNet checkpoints: equal to the originals where the window covers the text."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (  # type: ignore[attr-defined]
    AutoModel,
    AutoTokenizer,
    BertConfig,
    BertForMaskedLM,
    BertModel,
    BertTokenizerFast,
    LongformerForMaskedLM,
    LongformerModel,
    MPNetConfig,
    MPNetForMaskedLM,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaForMaskedLM,
    RobertaTokenizerFast,
)

from cdlm.convert import convert, tile_positions
from cdlm.encoder import CDLMModel
from cdlm.errors import InputError
from cdlm.masked_lm import CDLMForMaskedLM
from cdlm.runs import RUN_FILE
from cdlm.tokens import DOC_END, DOC_START, MENTION_END, MENTION_START, WordPieces, load_tokenizer

TEXTS = [
    "A fire broke out in a warehouse near the harbour on Monday night.",
    "Firefighters needed six hours to put out the blaze, said the mayor.",
]
SIZES = {
    "hidden_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "intermediate_size": 32,
    "hidden_dropout_prob": 0.0,
    "attention_probs_dropout_prob": 0.0,
    "initializer_range": 0.3,
}


def bert_tokenizer() -> PreTrainedTokenizerFast:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer.train_from_iterator(TEXTS, trainers.WordPieceTrainer(vocab_size=120, special_tokens=special))
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return BertTokenizerFast(tokenizer_object=tokenizer)


def roberta_tokenizer() -> PreTrainedTokenizerFast:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    tokenizer.train_from_iterator([" " + text for text in TEXTS], trainer)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    return RobertaTokenizerFast(tokenizer_object=tokenizer)


@pytest.fixture(scope="module")
def bert_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bert")
    tokenizer = bert_tokenizer()
    torch.manual_seed(0)
    BertModel(BertConfig(vocab_size=len(tokenizer), max_position_embeddings=40, **SIZES)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def roberta_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("roberta")
    tokenizer = roberta_tokenizer()
    torch.manual_seed(0)
    # With the head of a language model, so that the names have a prefix.
    config = RobertaConfig(vocab_size=len(tokenizer), max_position_embeddings=42, type_vocab_size=1, **SIZES)
    RobertaForMaskedLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def mpnet_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mpnet")
    tokenizer = roberta_tokenizer()
    torch.manual_seed(0)
    config = MPNetConfig(vocab_size=len(tokenizer), max_position_embeddings=302, **SIZES)
    model = MPNetForMaskedLM(config)
    with torch.no_grad():
        model.mpnet.encoder.relative_attention_bias.weight.mul_(4)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(params=["bert", "roberta", "mpnet"])
def source(request: pytest.FixtureRequest, bert_folder: Path, roberta_folder: Path, mpnet_folder: Path) -> Path:
    return {"bert": bert_folder, "roberta": roberta_folder, "mpnet": mpnet_folder}[request.param]


def original(folder: Path) -> PreTrainedModel:
    return AutoModel.from_pretrained(folder).eval()


def test_equals_the_original_up_to_its_length(source: Path, tmp_path: Path) -> None:
    converted = convert(source, tmp_path / "long", max_length=200, window=80)
    assert converted.config.max_length == 200
    reference = original(source)
    padding = converted.config.pad_token_id
    ids = torch.randint(5, reference.config.vocab_size, (3, 40), generator=torch.Generator().manual_seed(1))
    mask = (torch.arange(40) < torch.tensor([[40], [1], [23]])).long()
    ids = ids.where(mask.bool(), padding)
    with torch.no_grad():
        expected = reference(ids, attention_mask=mask).last_hidden_state[mask.bool()]
        for model in (converted, CDLMModel.from_pretrained(tmp_path / "long")):
            states = model(ids, mask).last_hidden_state[mask.bool()]
            torch.testing.assert_close(states, expected, atol=1e-4, rtol=0)
        # The global projections begin as copies of the local ones.
        states = converted(ids, mask, mask).last_hidden_state[mask.bool()]
        torch.testing.assert_close(states, expected, atol=1e-4, rtol=0)


def test_mpnets_bias_reaches_as_far_as_the_text(mpnet_folder: Path, tmp_path: Path) -> None:
    converted = convert(mpnet_folder, tmp_path / "long", max_length=600, window=600)
    assert json.loads((tmp_path / "long" / "config.json").read_text())["model_type"] == "longformer-relative"
    reference = original(mpnet_folder)
    ids = torch.randint(5, reference.config.vocab_size, (2, 300), generator=torch.Generator().manual_seed(1))
    mask = (torch.arange(300) < torch.tensor([[300], [170]])).long()
    ids = ids.where(mask.bool(), converted.config.pad_token_id)
    few, many = torch.zeros_like(mask), mask.clone()
    few[:, ::60] = 1  # few global tokens are folded, many are in tiles; all see everything here
    with torch.no_grad():
        expected = reference(ids, attention_mask=mask).last_hidden_state[mask.bool()]
        for global_mask in (None, few, many):
            states = converted(ids, mask, global_mask).last_hidden_state[mask.bool()]
            torch.testing.assert_close(states, expected, atol=1e-5, rtol=0)
    towards = torch.randn(expected.shape, generator=torch.Generator().manual_seed(2))
    (reference(ids, attention_mask=mask).last_hidden_state[mask.bool()] * towards).sum().backward()
    wanted = {name.replace(".attn.q.", ".self.query."): p.grad for name, p in reference.named_parameters()}
    for global_mask in (None, few):
        converted.zero_grad()
        (converted(ids, mask, global_mask).last_hidden_state[mask.bool()] * towards).sum().backward()
        found = {name: parameter.grad for name, parameter in converted.named_parameters()}
        # With global tokens, the projections of local rows get a part of the gradient.
        names = ["encoder.relative_attention_bias.weight", "embeddings.LayerNorm.weight"]
        names += [] if global_mask is not None else ["encoder.layer.0.attention.self.query.weight"]
        for name in names:
            torch.testing.assert_close(found[name], wanted[name], atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_hugging_face_reads_it_back(kind: str, bert_folder: Path, roberta_folder: Path, tmp_path: Path) -> None:
    source = {"bert": bert_folder, "roberta": roberta_folder}[kind]
    folder = tmp_path / "long"
    converted = convert(source, folder, max_length=100, window=8)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    ours, before = load_tokenizer(folder), AutoTokenizer.from_pretrained(source)
    assert type(tokenizer) is type(before)
    assert tokenizer.model_max_length == 100
    assert len(tokenizer) == len(ours) == len(before) + 4 == converted.config.vocab_size
    text = f"{DOC_START} A fire {MENTION_START} broke out {MENTION_END} {DOC_END}"
    ids = tokenizer(text)["input_ids"]
    ours.backend.encode_special_tokens = False
    assert ids[1:-1] == ours.backend.encode(text, add_special_tokens=False).ids
    marks = tokenizer.convert_tokens_to_ids([DOC_START, MENTION_START, MENTION_END, DOC_END])
    assert [index for index in ids if index >= len(before)] == marks
    model = AutoModel.from_pretrained(folder).eval()
    assert isinstance(model, LongformerModel)
    inputs = torch.tensor([ids * 4])[:, :90]
    global_mask = (inputs >= len(before)).long()
    with torch.no_grad():
        expected = model(inputs, global_attention_mask=global_mask).last_hidden_state
        states = converted(inputs, None, global_mask).last_hidden_state
    torch.testing.assert_close(states, expected, atol=1e-4, rtol=0)


@pytest.mark.parametrize("model", [BertForMaskedLM, RobertaForMaskedLM])
def test_the_head_for_masked_language_modelling_is_kept(
    model: type[PreTrainedModel], bert_folder: Path, roberta_folder: Path, tmp_path: Path
) -> None:
    source = bert_folder if model is BertForMaskedLM else roberta_folder
    torch.manual_seed(2)
    short = model.from_pretrained(source).eval()
    with torch.no_grad():
        for parameter in short.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    short.save_pretrained(tmp_path / "short")
    load_tokenizer(source).save(tmp_path / "short")
    convert(tmp_path / "short", tmp_path / "long", max_length=100, window=80)
    ids = torch.randint(5, short.config.vocab_size, (2, 38), generator=torch.Generator().manual_seed(3))
    with torch.no_grad():
        expected = short(ids).logits
        ours = CDLMForMaskedLM.from_pretrained(tmp_path / "long")(ids)
        theirs = LongformerForMaskedLM.from_pretrained(tmp_path / "long").eval()(ids).logits
    # The special tokens are new words.
    words = short.config.vocab_size
    assert ours.shape[-1] == words + 4
    torch.testing.assert_close(ours[..., :words], expected, atol=1e-4, rtol=0)
    torch.testing.assert_close(ours, theirs, atol=1e-4, rtol=0)


def test_positions_are_tiled_after_the_unused_rows() -> None:
    table = torch.arange(6.0).view(3, 2)
    tiled = tile_positions(table, max_length=7, unused=2)
    assert tiled[:, 0].tolist() == [0, 0, 0, 2, 4, 0, 2, 4, 0]
    assert tile_positions(table, max_length=2, unused=1).tolist() == [[0, 0], [0, 1], [2, 3]]


def test_pieces_of_words_equal_those_of_the_text(source: Path) -> None:
    tokenizer = load_tokenizer(source)
    pieces = WordPieces(tokenizer)
    words = TEXTS[0].split()
    assert pieces(words) == pieces(words)
    flat = [piece for word in pieces(words) for piece in word]
    # A leading space, since every word is encoded as one within a text.
    assert flat == tokenizer.encode([" " + TEXTS[0]])[0].ids


def test_text_that_looks_like_a_mark_is_text(source: Path) -> None:
    tokenizer = load_tokenizer(source)
    special = set(tokenizer.special_ids) - {tokenizer.unknown_id}
    pieces = WordPieces(tokenizer)([MENTION_START, DOC_END, tokenizer.settings["mask_token"], "", "\u200b", "fire"])
    assert all(len(word) >= 1 for word in pieces)
    assert not special & {piece for word in pieces for piece in word}
    pieces[5].clear()
    assert WordPieces(tokenizer)(["fire"]) != [[]]


def change(folder: Path, **values: object) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | values))


REFUSED: dict[str, tuple[Callable[[Path], object], str]] = {
    "another model": (lambda f: change(f, model_type="gpt2"), r"config.json: model_type is 'gpt2'"),
    "a decoder": (lambda f: change(f, is_decoder=True), "config.json: model_type is 'bert'"),
    "relative positions": (lambda f: change(f, position_embedding_type="relative_key"), "only absolute position"),
    "too many layers": (lambda f: change(f, num_hidden_layers=900), "layer 2 has no weights"),
    "another inner width": (lambda f: change(f, intermediate_size=48), "intermediate.dense.weight has shape"),
    "padding outside the vocabulary": (lambda f: change(f, pad_token_id=10**6), "not in the vocabulary"),
    "an unknown activation": (lambda f: change(f, hidden_act="silu"), "hidden_act is 'silu'"),
    "no weights": (lambda f: (f / "model.safetensors").unlink(), r"neither model\.safetensors nor"),
    "no tokenizer": (lambda f: [path.unlink() for path in f.glob("*token*")], "has no tokenizer"),
    "a tokenizer that is none": (lambda f: (f / "tokenizer.json").write_text("{}"), "the tokenizer cannot be read"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_converted_is_refused(bert_folder: Path, tmp_path: Path, case: str) -> None:
    source = tmp_path / "source"
    shutil.copytree(bert_folder, source)
    damage, message = REFUSED[case]
    damage(source)
    with pytest.raises(InputError, match=message) as raised:
        convert(source, tmp_path / "deep" / "long")
    assert str(raised.value).startswith(str(source))
    assert "\n" not in str(raised.value)
    # What was made for the output is gone again.
    assert [path.name for path in tmp_path.iterdir()] == ["source"]


def test_sizes_out_of_range_are_refused_before_the_work(tmp_path: Path) -> None:
    for window in (7, 0, -2, 10**9):
        with pytest.raises(InputError, match="the attention window must be an even number"):
            convert("no such checkpoint", tmp_path / "long", window=window)
    for max_length in (0, -1, 10**9):
        with pytest.raises(InputError, match="the number of positions must be from 1 to 1,000,000"):
            convert("no such checkpoint", tmp_path / "long", max_length=max_length)


def test_an_output_that_cannot_be_written_is_refused_before_the_work(bert_folder: Path, tmp_path: Path) -> None:
    """Before a checkpoint is looked for that does not exist."""
    (tmp_path / "file").write_text("")
    for output in (tmp_path / "file", Path("/dev/null")):
        with pytest.raises(InputError, match="this is not a folder; choose a folder for the output"):
            convert("no such checkpoint", output)
    for output in (tmp_path / "file" / "long", Path("/proc/long"), Path("/dev/null/long")):
        with pytest.raises(InputError, match="the output folder cannot be written") as raised:
            convert("no such checkpoint", output)
        assert str(raised.value).startswith(str(output))
    with pytest.raises(InputError, match="the output would replace the checkpoint"):
        convert(bert_folder, bert_folder)
    trained = tmp_path / "trained"
    trained.mkdir()
    (trained / RUN_FILE).write_text("{}")
    with pytest.raises(InputError, match="the output would replace a trained model; choose another folder"):
        convert(bert_folder, trained)
    assert [path.name for path in trained.iterdir()] == [RUN_FILE]
    assert (bert_folder / "model.safetensors").is_file()
