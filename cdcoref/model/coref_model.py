"""The coreference model: one encoder, a scorer of mention pairs and a detector of mentions (paper, Appendix C.1).
Sequences of :mod:`cdcoref.inputs` go in, logits of pairs (or of candidate spans) come out."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from cdcoref.corpus import KINDS
from cdcoref.errors import InputError
from cdcoref.inputs import SPELLING, ContextOptions, ReadingBuilder
from cdcoref.model.batches import EncoderBatch, LabelledBatch, PairBatch, ReadingBatch
from cdcoref.model.context_scorer import ContextBatch, ContextScorer, check_contexts
from cdcoref.model.folder import (
    CARD_FILE,
    CHECKPOINTS,
    CONFIG_FILE,
    UNFINISHED,
    check_all,
    check_length,
    check_stored,
    find_model,
    read_weights,
    write_weights,
)
from cdcoref.model.heads import AntecedentScorer, PairScorer, SpanDetector, words_of_layers
from cdcoref.model.mention_vectors import VectorScorer
from cdcoref.model.model_config import CorefConfig, DetectorOptions, VectorOptions
from cdlm.checkpoints import WEIGHTS_FILE, find_checkpoint, shapes_only
from cdlm.config import EncoderConfig, read_json
from cdlm.encoder import CDLMModel
from cdlm.files import replaced_folder
from cdlm.quantization import quantize
from cdlm.repeated_weights import without_copies
from cdlm.tokens import SPECIAL_TOKENS, Tokenizer, load_tokenizer

MOST_LOWER = 2**26
"""Bytes that are kept of the output of the lower layers; see :class:`KeptStates`."""
MOST_KEPT = 10**10
"""Bytes that are kept of documents that were read; see :meth:`CorefModel.each_sequence_read_once`."""
PIECES_ON_CPU = 2048
"""Word pieces that a CPU reads at once, at most: what the layers compute of them stays in its cache."""


def real_pieces(batch: EncoderBatch) -> list[NDArray[np.int64]]:
    """The word pieces of every sequence of a batch, without padding."""
    ids, real = batch.input_ids.cpu().numpy(), batch.attention_mask.cpu().numpy() != 0
    return [row[own].astype(np.int64) for row, own in zip(ids, real, strict=True)]


class KeptStates:
    """What layers say of the sequences that were read last, by their contents; the oldest are dropped.

    `dtype`: In which numeric precision it is kept; None: as it comes. `limit`: Bytes that are kept at most.
    """

    def __init__(self, dtype: torch.dtype | None, limit: float = float("inf")) -> None:
        self._dtype, self._limit = dtype, limit
        self.clear()

    def get(self, input_ids: NDArray[np.int64]) -> Tensor | None:
        """The states of a sequence, if they are kept. *Shape:* (..., pieces, width)"""
        return self._tables.get(input_ids.tobytes())

    def put(self, batch: EncoderBatch, states: Tensor) -> None:
        """Keep the states of all sequences of a batch. *Shape:* (..., sequences, length, width)"""
        for row, ids in enumerate(real_pieces(batch)):
            table = states[..., row, : len(ids), :].to(self._dtype or states.dtype).cpu().clone()
            self._size += table.nbytes - self._tables.pop(ids.tobytes(), table[..., :0]).nbytes
            self._tables[ids.tobytes()] = table
        while self._size > self._limit:
            self._size -= self._tables.pop(next(iter(self._tables))).nbytes

    def clear(self) -> None:
        """Forget everything, since weights have changed."""
        self._tables: dict[bytes, Tensor] = {}
        self._size = 0


class CorefModel(nn.Module):
    """Encoder, pair scorer and mention detector.

    `encoder`, `pair_scorer`, `detector`: The three parts; one encoder serves both heads, which are None if the
        configuration gives them no width.
    `vector_scorer`, `antecedent_scorer`: The bi-encoder's scorer of pairs, and what finds antecedents of pronouns; None
        if the model has none.
    `context_scorer`: The cross-encoder of the encoder's upper layers; None if the model has none.
    `lower`: The output of the lower layers for the documents that were read last, if there is a cross-encoder.
    `kept_logits`: Within :meth:`each_sequence_read_once`, the logits of pairs of contexts that were read, by both
        digests and the kind; None outside.
    `tokenizer`: With the special tokens of :mod:`cdlm.tokens`.
    `inference_dtype`: Numeric precision outside training: ``torch.float32``, or ``torch.bfloat16`` for mixed precision.
    """

    def __init__(self, encoder: CDLMModel, tokenizer: Tokenizer, config: CorefConfig) -> None:
        super().__init__()
        longest = encoder.config.max_length
        self.settings = replace(
            config,
            sequences=replace(config.sequences, max_length=min(config.sequences.max_length, longest)),
            detector_max_length=min(config.detector_max_length, longest),
        )
        self.tokenizer = tokenizer
        self.inference_dtype = torch.float32
        self.encoder = encoder
        self.pair_scorer: PairScorer | None = None
        if config.scorer_width:
            self.pair_scorer = PairScorer(encoder.config.hidden_size, config.scorer_width)
        self.replace_detector(config.detector)
        self._not_rounded: list[CDLMModel] = []
        self._read: KeptStates | None = None
        self.vector_scorer: VectorScorer | None = None
        self.antecedent_scorer: AntecedentScorer | None = None
        self.context_scorer: ContextScorer | None = None
        self.lower = KeptStates(torch.bfloat16, MOST_LOWER)
        self.kept_logits: dict[bytes, float] | None = None
        if config.vectors.layers:
            self.add_vectors(config.vectors)
        if config.contexts.rank:
            self.add_context_scorer(config.contexts)

    def replace_detector(self, options: DetectorOptions) -> None:
        """Give the model another mention detector, untrained; it sees no more layers than the encoder has."""
        encoder = self.encoder.config
        options = replace(options, word_layers=min(options.word_layers, encoder.num_hidden_layers))
        self.settings = replace(self.settings, detector=options)
        self.detector: SpanDetector | None = None
        if not self.settings.detector_width:
            return
        self.detector = SpanDetector(
            encoder.hidden_size * options.word_layers + len(SPELLING),
            self.settings.detector_width,
            self.settings.detector_max_words,
            styles=len(options.styles),
        ).to(self.device)

    def required_detector(self) -> SpanDetector:
        """The mention detector; an `InputError` is raised if the model has none."""
        if self.detector is None:
            raise InputError(
                "this model has no mention detector; give documents with annotated mentions, or use another model"
            )
        return self.detector

    def add_vectors(self, options: VectorOptions) -> None:
        """Give the model the bi-encoder's heads, untrained."""
        self.settings = replace(self.settings, vectors=options)
        width = self.word_layer_width
        self.vector_scorer = VectorScorer(
            options.evidence, options.vector_width, width, options.learnt, options.learnt_shares
        ).to(self.device)
        if options.antecedents:
            sizes = options.antecedents, options.antecedent_width
            self.antecedent_scorer = AntecedentScorer(width, *sizes).to(self.device)

    def add_context_scorer(self, options: ContextOptions) -> None:
        """Give the model an untrained cross-encoder; an `InputError` if the encoder does not suit it."""
        check_contexts(self.encoder.config, options)
        self.settings = replace(self.settings, contexts=options)
        self.context_scorer = ContextScorer(self.encoder, options).to(self.device)

    @property
    def parameter_count(self) -> int:
        """Weights of the model that a folder holds: without projections and positions that repeat others."""
        weights = {name: weight.detach() for name, weight in self.named_parameters()}
        return sum(weight.numel() for weight in without_copies(weights, self.encoder.config).values())

    @property
    def word_layer_width(self) -> int:
        """The width of the encoder's layers for a word, as heads see them."""
        return self.encoder.config.hidden_size * self._learnt_layers

    @property
    def _learnt_layers(self) -> int:
        return min(self.settings.vectors.layers, self.encoder.config.num_hidden_layers)

    def load_state_dict(self, *args: Any, **kwargs: Any) -> Any:
        """Load weights as any module does, and rebuild what depends on them."""
        self.lower.clear()
        if self.context_scorer is not None:
            self.context_scorer.layers.forget_merged()
        return super().load_state_dict(*args, **kwargs)

    def compute_in_int8(self) -> None:
        """Compute all products of the encoder in eight bits; see :meth:`cdlm.encoder.CDLMModel.compute_in_int8`."""
        if self.context_scorer is not None:
            self.context_scorer.layers.compute_in_int8(self.encoder)
        self.encoder.compute_in_int8()
        self.lower.clear()

    @contextmanager
    def reading_in_int8(self, wanted: bool = True) -> Iterator[None]:
        """A block in which the encoder, if `wanted`, multiplies 8-bit integers."""
        own = self.encoder
        if wanted:
            self.encoder = copy.deepcopy(own)
            self.encoder.compute_in_int8()
            self._not_rounded = [own]
        self.lower.clear()
        try:
            yield
        finally:
            self.encoder = own
            self._not_rounded = []
            self.lower.clear()
            if self.context_scorer is not None:
                self.context_scorer.layers.forget_merged()

    @property
    def device(self) -> torch.device:
        """The device that holds the weights."""
        return self.encoder.embeddings.word_embeddings.weight.device

    def pieces_at_once(self, limit: int) -> int:
        """How many word pieces to read at once, at most `limit`: on a CPU fewer, which take less time and memory."""
        return min(limit, PIECES_ON_CPU) if self.device.type == "cpu" else limit

    @contextmanager
    def inference(self) -> Iterator[None]:
        """Compute without gradients, in `inference_dtype`."""
        mixed = self.inference_dtype != torch.float32
        with torch.inference_mode(), torch.autocast(self.device.type, torch.bfloat16, enabled=mixed):
            yield

    @contextmanager
    def in_style(self, *styles: str) -> Iterator[None]:
        """Detect mentions in the first of these styles that the detector has; without any it does as always."""
        before = self.settings
        known = [style for style in styles if style in before.detector.styles]
        if known:
            self.settings = before.in_style(known[0])
        try:
            yield
        finally:
            self.settings = before

    def reading_builder(self, *, syntax: bool = True) -> ReadingBuilder:
        """The builder of the sequences in which this model detects mentions; without `syntax`, only to read them."""
        config = self.settings
        longest = config.sequences.max_length
        return ReadingBuilder(
            self.tokenizer,
            config.detector_max_length,
            longest,
            config.detector_max_words,
            syntax=syntax and self.detector is not None,
        )

    def pair_logits(self, batch: PairBatch) -> Tensor:
        """Logits of the pairs of a batch of :func:`collate_pairs`. *Shape:* (sequences,)"""
        if self.pair_scorer is None:
            raise InputError("this model has no cross-encoder; it cannot read documents together")
        hidden = self.encoder(batch.input_ids, batch.attention_mask, batch.global_attention_mask).last_hidden_state
        flat = hidden.reshape(-1, hidden.shape[-1])
        spans = flat.new_zeros(2 * len(hidden), flat.shape[1])
        spans = spans.index_add(0, batch.span_of_token, flat[batch.span_tokens])
        return self.pair_scorer(hidden[:, 0], spans[::2], spans[1::2], batch.kinds)

    def lower_states(self, batch: EncoderBatch) -> Tensor:
        """What the lower layers make of documents, for the cross-encoder. *Shape:* (sequences, length, width)"""
        masks = batch.attention_mask, batch.global_attention_mask
        return self.encoder.lower_layers(batch.input_ids, *masks, self.settings.contexts.lower_layers)

    def context_logits(self, batch: ContextBatch) -> Tensor:
        """Logits of pairs of contexts that are read side by side. *Shape:* (pairs,)"""
        assert self.context_scorer is not None
        for encoder in self._not_rounded:  # the difference is one from exact weights
            self.context_scorer.layers.compute_in_int8(encoder)
        return self.context_scorer(self.encoder, batch).float()

    def span_logits(self, batch: ReadingBatch) -> Tensor:
        """Logits of the candidate spans of a batch of :func:`collate_readings`. *Shape:* (spans, kinds)"""
        return self._detected(batch, self.words_for_detector(batch))

    def read(self, batch: ReadingBatch, *, vectors: bool = True) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Read documents one by one: the logits of candidate spans, and what vectors of mentions are computed from.

        Those are the words in the last layer, in fp32, what learnt vectors, and what antecedents are computed from (see
        :meth:`cdcoref.model.MentionProjection.project`); without the heads for them, or if they are not wanted, they
        have no columns. *Shapes:* (spans, kinds), three of (words, columns)
        """
        if self.vector_scorer is None or not vectors:
            none = torch.zeros(len(batch.word_places), 0)
            return self.span_logits(batch), none, none, none
        seen = words_of_layers(self._states(batch), batch)
        words = seen[:, -self.encoder.config.hidden_size :].clone()
        with torch.autocast(self.device.type, enabled=False):
            normalised = self._normalised(seen)
            learnt, anaphora = self.vector_scorer.project(normalised), normalised[:, :0].clone()
            if self.antecedent_scorer is not None:
                anaphora = self.antecedent_scorer.projection.project(normalised)
            del normalised
        return self._detected(batch, self._for_detector(batch, seen)), words, learnt, anaphora

    def normalised_layers(self, batch: ReadingBatch) -> Tensor:
        """Words as heads see them, of mean 0 and variance 1. *Shape:* (words, :attr:`word_layer_width`)"""
        return self._normalised(words_of_layers(self._states(batch), batch))

    def words_for_detector(self, batch: ReadingBatch) -> Tensor:
        """The mention detector's input for the words of a batch. *Shape:* (words, width of its input)"""
        return self._for_detector(batch, words_of_layers(self._states(batch), batch))

    def _normalised(self, seen: Tensor) -> Tensor:
        gathered = seen[:, seen.shape[1] - self.word_layer_width :]
        return nn.functional.layer_norm(gathered, gathered.shape[-1:])

    def _for_detector(self, batch: ReadingBatch, seen: Tensor) -> Tensor:
        options = self.settings.detector
        words = seen[:, seen.shape[1] - options.word_layers * self.encoder.config.hidden_size :]
        return torch.cat([words, batch.spelling.to(words.dtype)], dim=1)

    @property
    def _seen_layers(self) -> int:
        return max(1, self._learnt_layers, self.settings.detector.word_layers)

    @contextmanager
    def each_sequence_read_once(self, dtype: torch.dtype | None = None) -> Iterator[None]:
        """Within the block, keep what the last layers say of documents that are read alone, and logits of contexts.

        Where the same texts are needed again, the encoder, which must not change meanwhile, reads each once, as far as
        `MOST_KEPT` bytes hold them. Only the layers that heads see are kept.

        `dtype` is the numeric precision in which it is kept; None: as the encoder computes.
        """
        self._read, self.kept_logits = KeptStates(dtype, MOST_KEPT), {}
        try:
            yield
        finally:
            self._read = self.kept_logits = None

    def _states(self, batch: EncoderBatch) -> tuple[Tensor, ...]:
        """The output of the layers that heads see. *Shape:* (sequences, length, width) each"""
        if self._read is None or torch.is_grad_enabled():
            return self._read_states(batch)
        kept, pieces = self._seen_layers, real_pieces(batch)
        known = [self._read.get(ids) for ids in pieces]
        new = [place for place, table in enumerate(known) if table is None or len(table) < kept]
        found = torch.zeros(kept, *batch.input_ids.shape, self.encoder.config.hidden_size, device=self.device)
        if new:
            part = EncoderBatch(batch.input_ids[new], batch.attention_mask[new], batch.global_attention_mask[new])
            self._read.put(part, torch.stack(self._read_states(part)))
        for row, ids in enumerate(pieces):
            table = self._read.get(ids) if row in new else known[row]
            assert table is not None
            found[:, row, : len(ids)] = table[-kept:].to(found)
        return tuple(found)

    def _read_states(self, batch: EncoderBatch) -> tuple[Tensor, ...]:
        masks = batch.attention_mask, batch.global_attention_mask
        end = self.encoder.config.num_hidden_layers + 1
        seen, lower = range(end - self._seen_layers, end), self.settings.contexts.lower_layers
        keep_lower = self.context_scorer is not None and not torch.is_grad_enabled()
        wanted = sorted({*seen, lower} if keep_lower else seen)
        found = self.encoder(batch.input_ids, *masks, output_hidden_states=wanted).hidden_states or ()
        states = dict(zip(wanted, found, strict=True))
        if keep_lower:
            self.lower.put(batch, states[lower])
        return tuple(states[layer] for layer in seen)

    def _detected(self, batch: ReadingBatch, words: Tensor) -> Tensor:
        """Logits of the candidate spans in the style in use; without a detector no span is a mention."""
        options = self.settings.detector
        if self.detector is None:
            return words.new_full((len(batch.span_starts), len(KINDS)), -torch.inf)
        logits = self.detector(words, batch.span_starts, batch.span_ends, batch.begins, batch.syntax)
        first = options.styles.index(options.style) * len(KINDS)
        return logits[:, first : first + len(KINDS)]

    def forward(self, batch: LabelledBatch) -> Tensor:
        """Binary cross-entropy of the pairs of a batch. *Shape:* ()"""
        logits = self.pair_logits(batch.inputs).float()
        return nn.functional.binary_cross_entropy_with_logits(logits, batch.labels)

    @classmethod
    def from_encoder(cls, name_or_folder: str | Path, config: CorefConfig) -> CorefModel:
        """An untrained model on a Longformer checkpoint; an `InputError` if there is none, or no fitting tokenizer."""
        folder = find_checkpoint(name_or_folder)
        tokenizer = load_tokenizer(folder)
        encoder = CDLMModel.from_pretrained(folder).float()
        check_length(encoder.config, folder / CONFIG_FILE)
        if len(tokenizer) > encoder.config.vocab_size + len(SPECIAL_TOKENS):
            raise InputError("the tokenizer has more entries than the encoder; it belongs to another model", folder)
        if len(tokenizer) != encoder.config.vocab_size:
            encoder.resize_token_embeddings(len(tokenizer))
        return cls(encoder, tokenizer, config)

    @classmethod
    def from_pretrained(cls, name_or_folder: str | Path = "default", *, unfinished: bool = False) -> CorefModel:
        """Read a model that :meth:`save_pretrained` wrote.

        `name_or_folder`: ``"default"`` for the model included in the package, a folder, or ``organisation/model`` on
            the Hugging Face hub.
        `unfinished`: Whether it may be one whose training has not finished.

        An `InputError` if there is no such model, its training has not finished, or one of its files is damaged or does
        not match the others.
        """
        folder = find_model(name_or_folder)
        path = folder / CONFIG_FILE
        begun = not path.exists() and (folder / CHECKPOINTS).is_dir()
        values = {} if begun else read_json(path)
        if begun or (values.get(UNFINISHED) and not unfinished):
            raise InputError("the training run in this folder has not finished; run it again with --resume", folder)
        if "cdcoref" not in values:
            raise InputError("this folder holds an encoder but no coreference model; train one on it first", path)
        config = CorefConfig.from_dict(values["cdcoref"], path)
        encoder = EncoderConfig.from_checkpoint(values, path)
        check_length(encoder, path)
        try:
            state = read_weights(folder, encoder, lambda shapes: check_stored(config, encoder, shapes))
            tokenizer = load_tokenizer(folder)
            if len(tokenizer) > encoder.vocab_size:
                raise InputError("the tokenizer has more entries than the encoder; it belongs to another model", folder)
            with shapes_only():
                model = cls(CDLMModel(encoder), tokenizer, config)
            check_all(_shapes(model.state_dict()), _shapes(state))
        except ValueError as error:
            raise InputError(
                f"the weights do not fit the configuration, or another version of cdcoref saved them: {error}",
                folder / WEIGHTS_FILE,
            ) from error
        model.load_state_dict(state, assign=True)
        return model.eval()

    def save_pretrained(self, folder: str | Path, card: str, *, int8: bool = False, unfinished: bool = False) -> None:
        """Write the model's folder; it appears under its name only when complete, and replaces an older one.

        `card`: Text of the model card, ``README.md``.
        `int8`: Store matrices as 8-bit integers with one scale per row.
        `unfinished`: Whether more is trained before the model may be used; until then reading it is refused.
        """
        folder = Path(folder)
        with replaced_folder(folder) as target:
            values = {**self.encoder.config.to_dict(), "cdcoref": self.settings.to_dict()}
            values |= {UNFINISHED: True} if unfinished else {}
            (target / CONFIG_FILE).write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")
            state = {name: tensor.detach().cpu().contiguous() for name, tensor in self.state_dict().items()}
            write_weights(target, quantize(state) if int8 else state, self.encoder.config)
            self.tokenizer.save(target)
            (target / CARD_FILE).write_text(card, encoding="utf-8")


def _shapes(weights: Mapping[str, Tensor]) -> dict[str, torch.Size]:
    return {name: tensor.shape for name, tensor in weights.items()}
