"""The model's heads against plain loops, batches against single sequences, folders against what was saved."""

from __future__ import annotations

import copy
import json
import random
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file

from cdcoref.corpus import KINDS, Document, Mention
from cdcoref.errors import InputError
from cdcoref.inputs import SYNTAX_FEATURES, SYNTAX_VALUES, PairSequence, SequenceBuilder, SequenceOptions
from cdcoref.model import (
    CONFIG_FILE,
    CorefConfig,
    CorefModel,
    DetectorOptions,
    SpanDetector,
    collate_pairs,
    collate_readings,
    token_batches,
)
from cdlm.checkpoints import WEIGHTS_FILE


def sequences(model: CorefModel) -> list[PairSequence]:
    """Sequences of very different lengths: mentions of documents of 3 to 60 words, and of one document."""
    builder = SequenceBuilder(model.tokenizer, SequenceOptions(max_length=256))
    rng = np.random.default_rng(3)
    sides = []
    for number, size in enumerate((3, 10, 60)):
        words = rng.choice(["ferry", "sank", "harbour", "police", "the", "storm", "zqx", "1999"], size)
        document = Document.from_sentences(str(number), [words[n : n + 8].tolist() for n in range(0, size, 8)])
        mentions = [Mention(document.id, (t,), "event") for t in range(0, size, 2)]
        mentions += [Mention(document.id, (0, 2), "event"), Mention(document.id, (1, 2), "entity")]
        prepared = builder.prepare(document, mentions)
        sides += [(prepared, mention) for mention in mentions[-4:]]
    return [
        builder.build(*one, *two) for one, two in product(sides, sides) if one is not two and one[1].kind == two[1].kind
    ]


def test_the_pair_scorer_is_one_layer_over_the_concatenation(pair_model: CorefModel) -> None:
    """Of the sequence, both mentions as sums of their pieces, and the product of these (Appendix C.1)."""
    scorer = pair_model.pair_scorer
    assert scorer is not None
    for sequence in sequences(pair_model)[:20:4]:
        with torch.inference_mode():
            logit = pair_model.pair_logits(collate_pairs([sequence], 0))
            ids, attending = torch.from_numpy(sequence.input_ids)[None], torch.from_numpy(sequence.is_global)[None]
            hidden = pair_model.encoder(ids, None, attending.long()).last_hidden_state[0]
            one, other = (hidden[sequence.span_tokens[sequence.side == side]].sum(0) for side in (0, 1))
            both = scorer.output(torch.tanh(scorer.hidden(torch.cat([hidden[0], one, other, one * other]))))
        torch.testing.assert_close(logit[0], both[sequence.kind], atol=1e-4, rtol=1e-4)


def test_the_span_detector_sees_a_span_the_words_beside_it_in_its_sentence_and_its_syntax() -> None:
    torch.manual_seed(2)
    detector = SpanDetector(6, 5, 4)
    syntax = torch.randint(SYNTAX_VALUES, (6, SYNTAX_FEATURES), dtype=torch.int16)
    words = torch.randn(7, 6)
    begins = torch.tensor([True, False, False, True, False, False, False])
    spans = torch.tensor([[0, 1], [1, 2], [1, 3], [3, 4], [4, 6], [5, 7]])
    beside = [(None, 1), (0, 2), (0, None), (None, 4), (3, 6), (4, None)]
    expected = []
    for (start, end), (before, after), values in zip(spans.tolist(), beside, syntax.tolist(), strict=True):
        hidden = detector.first(words[start]) + detector.last(words[end - 1])
        hidden = hidden + detector.mean(words[start:end]).mean(0) + detector.length.weight[end - start - 1]
        hidden = hidden + detector.syntax.weight[values].sum(0)
        if before is not None:
            hidden = hidden + detector.before.weight @ words[before]
        if after is not None:
            hidden = hidden + detector.after.weight @ words[after]
        expected.append(detector.output(torch.nn.functional.gelu(hidden)))
    torch.testing.assert_close(detector(words, *spans.T, begins, syntax), torch.stack(expected), atol=1e-5, rtol=1e-5)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=6), st.integers(0, 5), st.booleans(), st.randoms())
def test_the_span_detector_gives_a_window_the_same_bits_in_any_batch(
    sizes: list[int], which: int, mixed: bool, order: random.Random
) -> None:
    torch.manual_seed(3)
    detector = SpanDetector(24, 20, 5)
    places, start = [], 0
    for size in sizes:
        drawn = [(start + i, start + i + n) for n in range(1, 6) for i in range(size - n + 1)]
        order.shuffle(drawn)
        places.append((slice(start, start + size), torch.tensor(drawn)))
        start += size
    words = torch.randn(start, 24) * torch.logspace(-3, 3, start)[:, None]
    own, spans = places[which % len(sizes)]
    together = torch.cat([spans for _, spans in places])
    begins = torch.zeros(start, dtype=torch.bool)
    begins[[part.start for part, _ in places]] = True
    syntax = torch.randint(SYNTAX_VALUES, (len(together), SYNTAX_FEATURES), dtype=torch.int16)
    before = sum(len(spans) for _, spans in places[: which % len(sizes)])
    rows = slice(before, before + len(spans))
    with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16, enabled=mixed):
        alone = detector(words[own], spans[:, 0] - own.start, spans[:, 1] - own.start, begins[own], syntax[rows])
        batch = detector(words, together[:, 0], together[:, 1], begins, syntax)
    assert torch.equal(batch[rows], alone)


def test_what_else_is_in_the_batch_does_not_matter(pair_model: CorefModel) -> None:
    found = sequences(pair_model)
    with torch.inference_mode():
        together = pair_model.pair_logits(collate_pairs(found, 0))
        alone = torch.cat([pair_model.pair_logits(collate_pairs([s], 0)) for s in found])
    assert len(together) == len(found) > 50
    assert together.std() > 0.1
    torch.testing.assert_close(together, alone, atol=1e-4, rtol=0)


@given(st.lists(st.integers(1, 300), max_size=60), st.integers(1, 1000))
def test_batches_of_tokens(lengths: list[int], most: int) -> None:
    batches = list(token_batches(lengths, most))
    assert sorted(p for batch in batches for p in batch) == list(range(len(lengths)))
    for batch in batches:
        longest = max(lengths[p] for p in batch)
        assert len(batch) == 1 or len(batch) * longest <= most


def logits_of(model: CorefModel) -> torch.Tensor:
    with torch.inference_mode():
        return model.pair_logits(collate_pairs(sequences(model), 0))


def test_a_model_that_was_saved_is_the_same(pair_model: CorefModel, tmp_path: Path) -> None:
    pair_model.save_pretrained(tmp_path / "deep" / "model", "# Card\n")
    again = CorefModel.from_pretrained(tmp_path / "deep" / "model")
    assert torch.equal(logits_of(again), logits_of(pair_model))
    assert again.settings == pair_model.settings
    assert not again.training
    assert again.tokenizer.vocabulary() == pair_model.tokenizer.vocabulary()
    assert (tmp_path / "deep" / "model" / "README.md").read_text() == "# Card\n"
    assert [p.name for p in (tmp_path / "deep").iterdir()] == ["model"]


def test_eight_bits_are_close_and_small(pair_model: CorefModel, tmp_path: Path) -> None:
    pair_model.save_pretrained(tmp_path / "full", "")
    pair_model.save_pretrained(tmp_path / "small", "", int8=True)
    sizes = [(tmp_path / name / WEIGHTS_FILE).stat().st_size for name in ("full", "small")]
    assert sizes[1] < 0.45 * sizes[0]
    small = CorefModel.from_pretrained(tmp_path / "small")
    assert {p.dtype for p in small.parameters()} == {torch.float32}
    exact = logits_of(pair_model)
    error = (logits_of(small) - exact).abs()
    assert 0 < error.mean() < 0.05 * exact.std()


def test_a_detector_of_several_styles(tiny_model: CorefModel, tmp_path: Path) -> None:
    model = copy.deepcopy(tiny_model)
    thresholds = {"dense": {"event": 0.2, "entity": 0.3}}
    model.replace_detector(DetectorOptions(2, ("salient", "dense"), "salient", thresholds))
    batch = collate_readings(list(model.reading_builder()(Document.from_sentences("d", [["the", "ferry", "sank"]]))), 0)
    with torch.inference_mode():
        salient, read = model.span_logits(batch), model.read(batch)[0]
        with model.in_style("dense"):
            assert model.settings.detection_threshold == thresholds["dense"]
            dense = model.span_logits(batch)
        with model.in_style("phrases"):  # which it does not have
            assert torch.equal(model.span_logits(batch), salient)
    assert salient.shape == dense.shape == (6, len(KINDS))
    assert torch.equal(read, salient)
    assert not torch.equal(dense, salient)
    assert model.settings.detection_threshold == tiny_model.settings.detection_threshold
    model.save_pretrained(tmp_path / "model", "card")
    again = CorefModel.from_pretrained(tmp_path / "model")
    assert again.settings == model.settings
    with torch.inference_mode():
        torch.testing.assert_close(again.span_logits(batch), salient)
    with pytest.raises(InputError, match="detector has no style named 'phrases'; it has salient, dense"):
        again.settings.in_style("phrases")


def test_settings_that_earlier_versions_had_are_left_out(tiny_model_folder: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny_model_folder, tmp_path / "older")
    values = json.loads((folder / CONFIG_FILE).read_text())
    values["cdcoref"] |= {"mention_vector": "sum"}
    values["cdcoref"]["vectors"] |= {"earlier_rank": 0, "cross_encoder_kinds": []}
    (folder / CONFIG_FILE).write_text(json.dumps(values))
    older = CorefModel.from_pretrained(folder)
    assert older.settings == CorefModel.from_pretrained(tiny_model_folder).settings


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"styles": ("sparse",)}, "styles must be some of salient, dense, phrases, people"),
        ({"styles": ("dense", "dense"), "style": "dense"}, "styles must be some of salient, dense, phrases, people"),
        ({"style": "people"}, "style is 'people' and should be one of the styles"),
        ({"styles": ("dense",), "style": "dense", "thresholds": {"dense": {"event": 0.5}}}, "thresholds must have"),
        ({"thresholds": {"people": {"event": 0.5, "entity": 0.5}}}, "thresholds must have"),
    ],
)
def test_options_of_a_detector_that_contradict_each_other(values: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        DetectorOptions(**values)  # type: ignore[arg-type]


def test_saving_replaces_the_older_model_whole_or_not_at_all(
    tiny_model: CorefModel, tmp_path: Path, small_files: Callable[[int], AbstractContextManager[None]]
) -> None:
    folder = tmp_path / "model"
    tiny_model.save_pretrained(folder, "old")
    (folder / "extra.txt").write_text("of the older model")
    with small_files(20_000), pytest.raises(InputError, match="the weights cannot be written"):
        tiny_model.save_pretrained(folder, "new")
    assert (folder / "README.md").read_text() == "old"
    assert (folder / "extra.txt").exists()
    tiny_model.save_pretrained(folder, "new")
    assert (folder / "README.md").read_text() == "new"
    assert not (folder / "extra.txt").exists()
    assert [p.name for p in tmp_path.iterdir()] == ["model"]
    assert folder.stat().st_mode & 0o777 == 0o755


def test_a_model_on_an_encoder(tiny_encoder: Path, tmp_path: Path) -> None:
    """Lengths are held to the encoder's positions, words to the tokenizer's, weights to single precision."""
    folder = tmp_path / "half"
    shutil.copytree(tiny_encoder, folder)
    save_file(
        {name: tensor.half() for name, tensor in load_file(tiny_encoder / WEIGHTS_FILE).items()},
        folder / WEIGHTS_FILE,
        metadata={"format": "pt"},
    )
    config = json.loads((folder / CONFIG_FILE).read_text())
    rows = config["vocab_size"]
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    tokenizer["added_tokens"] = [t for t in tokenizer["added_tokens"] if not t["content"].startswith(("<m", "</m"))]
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    for name in ("tokenizer_config.json", "special_tokens_map.json"):
        (folder / name).unlink(missing_ok=True)
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "Tokenizer", "cls_token": "[CLS]", "unk_token": "[UNK]"})
    )
    model = CorefModel.from_encoder(folder, CorefConfig(scorer_width=8, detector_max_length=4096))
    assert {p.dtype for p in model.parameters()} == {torch.float32}
    assert model.encoder.config.vocab_size == len(model.tokenizer) == rows
    assert model.encoder.config.max_length == 512
    assert model.settings.sequences.max_length == model.settings.detector_max_length == 512
    assert logits_of(model.eval()).isfinite().all()
    model.encoder.resize_token_embeddings(rows + 3)
    assert model.encoder.embeddings.word_embeddings.weight.shape == (rows + 3, 32)
