"""The encoder's configuration: the fields of a Hugging Face Longformer ``config.json`` that the encoder uses."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from cdlm.errors import InputError

CONFIG_FILE = "config.json"


@dataclass(frozen=True)
class EncoderConfig:
    """Sizes and constants of the encoder, named as Hugging Face's ``LongformerConfig`` names them.

    Parameters
    ----------
    attention_window
        One even number a layer: the total width of the window, half of it on either side of a token.
    max_position_embeddings
        Rows of the position table; the first ``pad_token_id + 1`` are never used by a token.
    """

    vocab_size: int
    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    intermediate_size: int
    attention_window: tuple[int, ...]
    max_position_embeddings: int
    pad_token_id: int = 1
    bos_token_id: int | None = None
    eos_token_id: int | None = None
    sep_token_id: int | None = None
    type_vocab_size: int = 1
    hidden_act: str = "gelu"
    hidden_dropout_prob: float = 0.1
    attention_probs_dropout_prob: float = 0.1
    initializer_range: float = 0.02
    layer_norm_eps: float = 1e-12

    @property
    def max_length(self) -> int:
        """The longest sequence, in tokens, that has a position for every token."""
        return self.max_position_embeddings - self.pad_token_id - 1

    @classmethod
    def from_dict(cls, values: dict[str, Any], path: str | Path | None = None) -> EncoderConfig:
        """Take the known fields of a Longformer configuration; others are left aside.

        Raises
        ------
        InputError
            If a size is missing, the windows are not even and positive, or the heads do not divide the width.
        """
        known = {field.name: values[field.name] for field in fields(cls) if values.get(field.name) is not None}
        window = known.get("attention_window", 512)
        layers = known.get("num_hidden_layers", 0)
        known["attention_window"] = (window,) * layers if isinstance(window, int) else tuple(window)
        try:
            config = cls(**known)
        except TypeError as error:
            raise InputError(f"the encoder's configuration is incomplete ({error})", path) from error
        if len(config.attention_window) != layers or any(w <= 0 or w % 2 for w in config.attention_window):
            raise InputError(
                f"attention_window must be one positive even number a layer ({layers} layers), and is {window}", path
            )
        if config.hidden_size % config.num_attention_heads:
            raise InputError(
                f"hidden_size {config.hidden_size} is no multiple of {config.num_attention_heads} attention heads", path
            )
        return config

    @classmethod
    def from_longformer(cls, values: dict[str, Any], path: Path) -> EncoderConfig:
        """Take the fields of a ``config.json`` whose ``model_type`` is longformer; another is an `InputError`."""
        if values.get("model_type") != "longformer":
            raise InputError(
                f"model_type is {values.get('model_type')!r} and not 'longformer'; convert a BERT or RoBERTa "
                "checkpoint with `cdlm convert` first",
                path,
            )
        return cls.from_dict(values, path)

    def to_dict(self) -> dict[str, Any]:
        """Return the ``config.json`` that Hugging Face's ``AutoModel`` reads as a ``LongformerModel``."""
        values = asdict(self)
        values["attention_window"] = list(self.attention_window)
        return {"model_type": "longformer", "architectures": ["LongformerModel"], **values}


def read_json(path: Path) -> dict[str, Any]:
    """Read one JSON object from a file, or raise an `InputError` that names it."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise InputError("there is no such file; name a folder with a saved model", path) from error
    except OSError as error:
        raise InputError(f"the file cannot be read ({error.strerror})", path) from error
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InputError(f"this is not JSON ({error})", path, getattr(error, "lineno", None)) from error
    if not isinstance(values, dict):
        raise InputError("a JSON object was expected here", path)
    return values
