"""The coreference model: one encoder, a scorer of mention pairs and a detector of mentions (paper, Appendix C.1).

Sequences of :mod:`cdcoref.sequences` go in, logits of pairs (or of candidate spans) come out. A saved model is a
folder: ``config.json``, ``model.safetensors``, the tokenizer's files and ``README.md``, the model card.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from cdcoref.errors import InputError
from cdcoref.model.config import CorefConfig
from cdcoref.model.pair_scorer import PairScorer
from cdcoref.model.span_detector import SpanDetector
from cdcoref.sequences import ReadingBuilder, SequenceBuilder
from cdlm.checkpoints import shapes_only
from cdlm.config import EncoderConfig, read_json
from cdlm.encoder import CDLMModel
from cdlm.files import replaced_folder
from cdlm.quantization import dequantize, quantize
from cdlm.tokens import load_tokenizer

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

CONFIG_FILE = "config.json"
WEIGHTS_FILE = "model.safetensors"
DEFAULT_MODEL = Path(__file__).parent.parent / "models" / "default"


class CorefModel(nn.Module):
    """Encoder, pair scorer and mention detector.

    Attributes
    ----------
    encoder, pair_scorer, detector
        The three parts; one encoder serves both heads.
    settings
        See :class:`CorefConfig`.
    tokenizer
        With the special tokens of :mod:`cdlm.tokens`.
    inference_dtype
        In which products are computed outside training: ``torch.float32``, or ``torch.bfloat16`` for mixed precision.
    """

    def __init__(self, encoder: CDLMModel, tokenizer: PreTrainedTokenizerFast, config: CorefConfig) -> None:
        super().__init__()
        longest = encoder.config.max_length
        self.settings = replace(
            config,
            max_length=min(config.max_length, longest),
            detector_max_length=min(config.detector_max_length, longest),
        )
        self.tokenizer = tokenizer
        self.inference_dtype = torch.float32
        self.encoder = encoder
        width = encoder.config.hidden_size
        self.pair_scorer = PairScorer(width, config.scorer_width, len(config.pair_features))
        self.detector = SpanDetector(width, config.detector_width, config.detector_max_words)

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.pair_scorer.hidden.weight.device

    @contextmanager
    def inference(self) -> Iterator[None]:
        """Compute without gradients, in `inference_dtype`."""
        mixed = self.inference_dtype != torch.float32
        with torch.inference_mode(), torch.autocast(self.device.type, torch.bfloat16, enabled=mixed):
            yield

    def pair_builder(self, max_windows: int | None = None) -> SequenceBuilder:
        """What lays out sequences of marked mentions for this model; `max_windows` as in `SequenceOptions`."""
        return SequenceBuilder(self.tokenizer, replace(self.settings.sequence_options(), max_windows=max_windows))

    def reading_builder(self) -> ReadingBuilder:
        """What lays out the sequences in which this model looks for mentions."""
        config = self.settings
        return ReadingBuilder(self.tokenizer, config.detector_max_length, config.max_length, config.detector_max_words)

    # -- forward -----------------------------------------------------------------------------------------------------

    def pair_logits(self, batch: Mapping[str, Tensor]) -> Tensor:
        """Logits of all pairs of a batch of :func:`collate_pairs`. *Shape:* (pairs,)"""
        hidden = self._encode(batch)
        flat = hidden.reshape(-1, hidden.shape[-1])
        spans = flat.new_zeros(int(batch["span_count"]), flat.shape[1])
        spans = spans.index_add(0, batch["span_of_token"], flat[batch["span_tokens"]])
        if self.settings.mention_vector == "mean":
            sizes = torch.bincount(batch["span_of_token"], minlength=len(spans)).clamp(min=1)
            spans = spans / sizes[:, None].to(spans.dtype)
        pairs = batch["pairs"], batch["pair_sequence"], batch["pair_kinds"], batch["pair_features"]
        return self.pair_scorer(hidden[:, 0], spans, *pairs)

    def span_logits(self, batch: Mapping[str, Tensor]) -> Tensor:
        """Logits of the candidate spans of a batch of :func:`collate_readings`. *Shape:* (spans, kinds)"""
        hidden = self._encode(batch)
        words = hidden.reshape(-1, hidden.shape[-1])[batch["word_places"]]
        return self.detector(words, batch["span_starts"], batch["span_ends"])

    def forward(
        self, task: str, labels: Tensor, weights: Tensor, normaliser: Tensor, **batch: Tensor
    ) -> dict[str, Tensor]:
        """Loss of one batch: weighted binary cross-entropy over its pairs or its candidate spans.

        Parameters
        ----------
        task
            ``"pairs"`` or ``"spans"``.
        labels, weights
            What is true, and how much it counts (0: the annotation is silent). Shape as the logits.
        normaliser
            What the sum of the losses is divided by.
        """
        logits = (self.pair_logits if task == "pairs" else self.span_logits)(batch).float()
        losses = nn.functional.binary_cross_entropy_with_logits(logits, labels, reduction="none")
        return {"loss": (losses * weights).sum() / normaliser}

    def _encode(self, batch: Mapping[str, Tensor]) -> Tensor:
        output = self.encoder(batch["input_ids"], batch["attention_mask"], batch["global_attention_mask"])
        return output.last_hidden_state

    # -- folders -----------------------------------------------------------------------------------------------------

    @classmethod
    def from_encoder(cls, name_or_folder: str | Path, config: CorefConfig) -> CorefModel:
        """An untrained model on a Longformer checkpoint; the heads come from torch's random state."""
        tokenizer = load_tokenizer(name_or_folder)
        encoder = CDLMModel.from_pretrained(name_or_folder).float()
        if len(tokenizer) != encoder.config.vocab_size:
            encoder.resize_token_embeddings(len(tokenizer))
        return cls(encoder, tokenizer, config)

    @classmethod
    def from_pretrained(cls, folder: str | Path = "default") -> CorefModel:
        """Read a model that :meth:`save_pretrained` wrote; ``"default"`` is the one shipped with the package.

        Raises
        ------
        InputError
            If the folder is no such model.
        """
        folder = DEFAULT_MODEL if str(folder) == "default" else Path(folder)
        values = read_json(folder / CONFIG_FILE)
        if "cdcoref" not in values:
            raise InputError(
                "this folder holds an encoder and no coreference model; train one on it with `cdcoref train --encoder`",
                folder / CONFIG_FILE,
            )
        config = CorefConfig.from_dict(values["cdcoref"], folder / CONFIG_FILE)
        tokenizer = load_tokenizer(folder)
        if len(tokenizer) > values.get("vocab_size", 0):
            raise InputError("the tokenizer has more words than the encoder; it belongs to another model", folder)
        with shapes_only():
            model = cls(CDLMModel(EncoderConfig.from_dict(values, folder / CONFIG_FILE)), tokenizer, config)
        state = read_weights(folder / WEIGHTS_FILE)
        try:
            model.load_state_dict(state, assign=True)
        except RuntimeError as error:
            summary = str(error).split("\n")[1].strip() if "\n" in str(error) else str(error)
            raise InputError(f"the weights do not fit the configuration: {summary}", folder / WEIGHTS_FILE) from error
        return model.eval()

    def save_pretrained(self, folder: str | Path, card: str, *, int8: bool = False) -> None:
        """Write the model's folder; it appears under its name only when it is whole, and replaces an older one.

        Parameters
        ----------
        card
            Text of the model card, ``README.md``.
        int8
            Store matrices as 8-bit integers with a scale a row.
        """
        folder = Path(folder)
        with replaced_folder(folder) as target:
            values = {**self.encoder.config.to_dict(), "cdcoref": self.settings.to_dict()}
            (target / CONFIG_FILE).write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")
            state = {name: tensor.detach().cpu().contiguous() for name, tensor in self.state_dict().items()}
            save_file(quantize(state) if int8 else state, target / WEIGHTS_FILE, metadata={"format": "pt"})
            self.tokenizer.save_pretrained(str(target))
            (target / "README.md").write_text(card, encoding="utf-8")
            (target / WEIGHTS_FILE).chmod(0o644)


def read_weights(path: Path) -> dict[str, Tensor]:
    """Read a safetensors file as float32, whether it was stored as int8 or not."""
    try:
        state = dequantize(load_file(path))
    except FileNotFoundError as error:
        raise InputError("the model's weights are missing", path) from error
    except (OSError, SafetensorError, ValueError) as error:
        raise InputError(f"the model's weights cannot be read ({error})", path) from error
    return {name: tensor.float() if tensor.is_floating_point() else tensor for name, tensor in state.items()}
