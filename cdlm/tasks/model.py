"""An encoder with the heads of a task: created from any encoder of this project, and saved as a folder whose
``config.json`` has the task's settings under ``"cdlm"``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import IO, Any, ClassVar, Self, TypeVar

import torch
from torch import Tensor, nn

from cdlm.checkpoints import find_checkpoint, read_weights, shapes_only, write_checkpoint
from cdlm.config import CONFIG_FILE, EncoderConfig, read_json
from cdlm.devices import resolve_precision
from cdlm.encoder import CDLMModel, check_shapes, check_sizes
from cdlm.errors import InputError
from cdlm.files import replaced_file
from cdlm.sequences import EncoderBatch
from cdlm.starting_encoders import encoder_folder
from cdlm.tokens import SPECIAL_TOKENS, Tokenizer, load_tokenizer
from cdlm.validation import shown, validated

T = TypeVar("T")
Progress = Callable[[str, int, int], None]
"""Called with what is counted, the number done, and the total."""
BATCH_TOKENS = 16_384
"""Tokens that an encoder reads at once in prediction."""
SECTION = "cdlm"
"""The section of ``config.json`` with the name of the task and its settings."""
CARD_FILE = "README.md"


class TaskModel(nn.Module):
    """Base of the models of all tasks, which add heads as further modules.

    A task states its name in ``config.json``, the dataclass of its settings (every field has a default), and the
    tokens that its sequences need besides those of :mod:`cdlm.tokens`.
    """

    task: ClassVar[str]
    settings_type: ClassVar[type[Any]]
    special_tokens: ClassVar[tuple[str, ...]] = ()

    def __init__(self, encoder: CDLMModel, tokenizer: Tokenizer, settings: Any) -> None:
        super().__init__()
        self.encoder = encoder
        self.tokenizer = tokenizer
        self.settings = replace(settings, max_length=min(settings.max_length, encoder.config.max_length))

    @property
    def device(self) -> torch.device:
        """The device that holds the weights."""
        return self.encoder.embeddings.word_embeddings.weight.device

    @contextmanager
    def inference(self, precision: str = "auto") -> Iterator[None]:
        """Compute without gradients and dropout, in bf16 or in fp32; ``"auto"`` as in training."""
        mixed = resolve_precision(precision, self.device) == "bf16"
        training = self.training
        self.eval()
        try:
            with torch.inference_mode(), torch.autocast(self.device.type, torch.bfloat16, enabled=mixed):
                yield
        finally:
            self.train(training)

    def encode(self, batch: EncoderBatch) -> Tensor:
        """Vectors of the tokens of a batch, in fp32. *Shape:* (sequences, length, width)"""
        output = self.encoder(batch.input_ids, batch.attention_mask, batch.global_attention_mask)
        return output.last_hidden_state.float()

    # -- folders -----------------------------------------------------------------------------------------------------

    @classmethod
    def from_encoder(cls, name: str, settings: Any) -> Self:
        """An untrained model on an encoder (see `encoder_folder`), with heads drawn by PyTorch's random generator."""
        with encoder_folder(name) as folder:
            tokenizer = load_tokenizer(folder)
            encoder = CDLMModel.from_pretrained(folder).float()
        if len(tokenizer) > encoder.config.vocab_size + len(SPECIAL_TOKENS):
            raise InputError("the tokenizer has more entries than the encoder; it belongs to another model", name)
        tokenizer.add_special_tokens(cls.special_tokens)
        if len(tokenizer) != encoder.config.vocab_size:
            encoder.resize_token_embeddings(len(tokenizer))
        return cls(encoder, tokenizer, settings)

    @classmethod
    def from_pretrained(cls, name_or_folder: str | Path) -> Self:
        """Read a model that :meth:`save_pretrained` wrote: a folder, or a name on the hub."""
        folder = find_checkpoint(name_or_folder)
        path = folder / CONFIG_FILE
        values = read_json(path)
        section = values.get(SECTION)
        if not isinstance(section, dict) or section.get("task") != cls.task:
            raise InputError(f"this folder holds no model for {cls.task}; choose one trained for it", path)
        stored = section.get("settings")
        if not isinstance(stored, dict):
            raise InputError(f"{SECTION}.settings is {shown(stored)} and should be a JSON object", path)
        settings = validated(cls.settings_type, stored, path, within=f"{SECTION}.settings.", others="forbid")
        config = EncoderConfig.from_checkpoint(values, path)
        tokenizer = load_tokenizer(folder)
        if len(tokenizer) > config.vocab_size:
            raise InputError("the tokenizer has more entries than the encoder; it belongs to another model", folder)
        try:
            weights = read_weights(folder, lambda shapes: check_sizes(config, _within("encoder.", shapes)))
            with shapes_only():
                model = cls(CDLMModel(config), tokenizer, settings)
            check_shapes(*({name: one.shape for name, one in each.items()} for each in (model.state_dict(), weights)))
        except ValueError as error:
            raise InputError(f"the weights do not fit the configuration: {error}", folder) from error
        model.load_state_dict({name: weights[name].float() for name in model.state_dict()}, assign=True)
        return model.eval()

    def save_pretrained(self, folder: str | Path, card: str) -> None:
        """Write the model's files, each completely or not at all; `card` is the text of the model card."""
        folder = Path(folder)
        section = {"task": self.task, "settings": asdict(self.settings)}
        write_checkpoint(folder, {**self.encoder.config.to_dict(), SECTION: section}, self.state_dict())
        self.tokenizer.save(folder)
        with replaced_file(folder / CARD_FILE) as path:
            path.write_text(card, encoding="utf-8")


@contextmanager
def written(path: str | Path) -> Iterator[IO[str]]:
    """A text file of predictions to write to; it is in place only once the block ends without an error."""
    try:
        with replaced_file(Path(path)) as part, part.open("w", encoding="utf-8") as file:
            yield file
    except OSError as error:
        raise InputError(f"the file cannot be written ({error.strerror}); choose another location", path) from error


def _within(prefix: str, values: Mapping[str, T]) -> dict[str, T]:
    """The values whose names have a prefix, without it."""
    return {name.removeprefix(prefix): value for name, value in values.items() if name.startswith(prefix)}
