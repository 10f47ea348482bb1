"""A hash of what determines a model's results: a model in, text out that is equal for equal models."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from cdcoref.model.coref_model import CorefModel


def model_fingerprint(model: CorefModel, *, with_precision: bool = True) -> str:
    """A hash of a model's weights and of everything else that determines its logits and mentions.

    Of the settings, those that are not the default: a setting that a later version adds changes no model's fingerprint.

    `with_precision`: Whether the same model in another floating-point precision has another one; in eight bits it
        always has (see :attr:`cdcoref.predict.predictor.Predictor.fingerprint`).
    """
    # As JSON, in which a list is a list, whatever it is in memory.
    settings, defaults = (json.loads(json.dumps(one.to_dict())) for one in (model.settings, type(model.settings)()))
    digest = hashlib.sha256(json.dumps(_not_default(settings, defaults), sort_keys=True).encode())
    if with_precision:
        digest.update(str(model.inference_dtype).encode())
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(name.encode())
        digest.update(tensor.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def _not_default(values: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The values that differ from the defaults, also within tables."""
    changed = {}
    for name, value in values.items():
        inner = _not_default(value, defaults.get(name) or {}) if isinstance(value, dict) else value
        if inner != ({} if isinstance(value, dict) else defaults.get(name)):
            changed[name] = inner
    return changed
