"""The encoder's configuration: the fields of a Hugging Face Longformer ``config.json`` that the encoder uses."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from cdlm.errors import InputError
from cdlm.validation import Count, Index, any_of, number, shown, validated, whole_number

CONFIG_FILE = "config.json"
LONGFORMER = "longformer"
BIASED = "longformer-relative"
"""The type of a Longformer whose attention scores have a relative position bias."""
MOST_LAYERS = 1000
MOST_BYTES = 2**26
"""No larger file is a model's JSON file; tokenizers, which are read elsewhere, take a few megabytes."""

Dropout = Annotated[float, number(0, below=1)]


@dataclass(frozen=True)
class EncoderConfig:
    """Sizes and constants of the encoder, with the names of Hugging Face's ``LongformerConfig``."""

    vocab_size: Count
    hidden_size: Count
    num_hidden_layers: Annotated[int, whole_number(1, MOST_LAYERS)]
    num_attention_heads: Count
    intermediate_size: Count
    attention_window: tuple[Count, ...]
    """One even number per layer: the total width of the window, half of it on either side of a token."""
    max_position_embeddings: Count
    """Rows of the position table; the first ``pad_token_id + 1`` are never used by a token."""
    pad_token_id: Index = 1
    bos_token_id: Index | None = None
    eos_token_id: Annotated[Index | list[Index], any_of("a whole number or a list of them")] | None = None
    sep_token_id: Index | None = None
    type_vocab_size: Count = 1
    relative_attention_num_buckets: Annotated[int, whole_number(4, 1024)] | None = None
    """Buckets of distances between two tokens, each with a number per head that is added to their score in every layer
    (see :mod:`cdlm.encoder.relative`); None, as in Longformer: nothing is added."""
    hidden_act: Literal["gelu", "gelu_new", "relu"] = "gelu"
    hidden_dropout_prob: Dropout = 0.1
    attention_probs_dropout_prob: Dropout = 0.1
    initializer_range: Annotated[float, number(0, most=100)] = 0.02
    layer_norm_eps: Annotated[float, number(0, most=1)] = 1e-12

    @property
    def max_length(self) -> int:
        """The longest sequence, in tokens, that has a position for every token."""
        return self.max_position_embeddings - self.pad_token_id - 1

    @classmethod
    def from_dict(cls, values: dict[str, Any], path: str | Path | None = None) -> EncoderConfig:
        """Take the known fields of a Longformer configuration and ignore others."""
        window, layers = values.get("attention_window", 512), values.get("num_hidden_layers")
        if type(window) is int and type(layers) is int and 0 < layers <= MOST_LAYERS:
            values = {**values, "attention_window": [window] * layers}
        config = validated(cls, values, path)
        windows, layers, heads = config.attention_window, config.num_hidden_layers, config.num_attention_heads
        if len(windows) != layers or any(width % 2 for width in windows):
            raise InputError(
                f"attention_window is {shown(window)} and should be one even number per layer ({layers} layers)", path
            )
        if config.hidden_size % heads:
            raise InputError(f"hidden_size {config.hidden_size} is not a multiple of {heads} attention heads", path)
        if config.pad_token_id >= config.vocab_size:
            raise InputError(
                f"pad_token_id {config.pad_token_id} is not in the vocabulary of {config.vocab_size} entries", path
            )
        if config.max_length < 1:
            raise InputError(
                f"max_position_embeddings is {config.max_position_embeddings}, but positions up to pad_token_id "
                f"({config.pad_token_id}) are unused, so none is left for a token",
                path,
            )
        return config

    @classmethod
    def from_checkpoint(cls, values: dict[str, Any], path: Path) -> EncoderConfig:
        """Take the fields of a checkpoint's ``config.json``."""
        model_type = values.get("model_type")
        if model_type not in (LONGFORMER, BIASED):
            raise InputError(
                f"model_type is {shown(model_type)}, not '{LONGFORMER}'; convert a BERT, RoBERTa or MPNet checkpoint "
                "with `cdlm convert` first",
                path,
            )
        config = cls.from_dict(values, path)
        if (config.relative_attention_num_buckets is not None) != (model_type == BIASED):
            raise InputError(
                f"model_type is '{model_type}' and relative_attention_num_buckets "
                f"{shown(config.relative_attention_num_buckets)}; a '{BIASED}' encoder has such buckets, a "
                f"'{LONGFORMER}' has none",
                path,
            )
        return config

    def to_dict(self) -> dict[str, Any]:
        """The ``config.json``, of a ``LongformerModel``; or of type `BIASED`, which Hugging Face does not have."""
        values = asdict(self)
        values["attention_window"] = list(self.attention_window)
        if self.relative_attention_num_buckets is not None:
            return {"model_type": BIASED, **values}
        del values["relative_attention_num_buckets"]
        return {"model_type": LONGFORMER, "architectures": ["LongformerModel"], **values}


def read_json(path: Path) -> dict[str, Any]:
    """Read one JSON object from a file, or raise an `InputError` that names the file."""
    try:
        if path.exists() and not path.is_file():
            raise InputError("this is not a file", path)
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"this file is too large to be a model's {path.name}", path)
        values = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise InputError("there is no such file; name a folder with a saved model", path) from error
    except OSError as error:
        raise InputError(f"the file cannot be read ({error.strerror})", path) from error
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InputError(f"this is not JSON ({error})", path, getattr(error, "lineno", None)) from error
    except ValueError as error:
        raise InputError("a whole number in this file has thousands of digits", path) from error
    except RecursionError:
        raise InputError("this file is nested too deeply", path) from None
    if not isinstance(values, dict):
        raise InputError("expected a JSON object", path)
    return values
