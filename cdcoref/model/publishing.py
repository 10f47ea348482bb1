"""What goes with a model: its card, and a hash of what determines its results."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cdcoref.model.coref_model import CorefModel
from cdlm.settings import as_toml


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
    changed = {}
    for name, value in values.items():
        inner = _not_default(value, defaults.get(name) or {}) if isinstance(value, dict) else value
        if inner != ({} if isinstance(value, dict) else defaults.get(name)):
            changed[name] = inner
    return changed


_TAGS = ["coreference-resolution", "cross-document-coreference", "longformer"]


@dataclass(frozen=True, slots=True)
class KindScores:
    """The scores on dev for one kind of mention.

    `conll_f1`: With gold mentions and predicted topics, singletons kept: the headline. From 0 to 1.
    `calibration_error`: Expected calibration error of the pairs' probabilities, over 15 bins of equal width, before and
        after the temperature (Guo et al. 2017, *On Calibration of Modern Neural Networks*).
    `calibration_error_before`: The same with temperature 1.
    `detection`: Exact-match precision, recall and F1 of the mention detector; None if the model has none.
    `detection_head`: The same where a mention counts as found if its last word is the last word of a gold mention of
        the kind.
    """

    conll_f1: float
    calibration_error: float
    calibration_error_before: float
    detection: tuple[float, float, float] | None
    detection_head: tuple[float, float, float] | None


def model_card(
    model: CorefModel,
    training: Mapping[str, Any],
    scores: Mapping[str, KindScores],
    epoch: float,
    corpora: str = "",
    metadata: Mapping[str, Any] | None = None,
    further_scores: str = "",
) -> str:
    """The text of a model card.

    `training` is the configuration of the run, `corpora` a paragraph that names corpora and checkpoints with their
    licences, `metadata` what the hub shows and searches, by the names of `huggingface_hub.ModelCardData`,
    `further_scores` Markdown that follows those on dev.
    """
    from huggingface_hub import ModelCardData

    config, encoder = model.settings, model.encoder.config
    parameters = model.parameter_count
    rows = "\n".join(
        f"| {kind} | {100 * s.conll_f1:.1f} | {_percent(s.detection)} | {_percent(s.detection_head)} "
        f"| {s.calibration_error:.3f} ({s.calibration_error_before:.3f}) | {config.distance_threshold[kind]:.2f} "
        f"| {config.temperature[kind]:.2f} | {config.detection_threshold[kind]:.2f} |"
        for kind, s in scores.items()
    )
    kept = f"epoch {epoch}" if training["run"]["steps"] else f"epoch {epoch} of {training['run']['epochs']}"
    size = f"{parameters / 1e6:.1f} million parameters"
    purpose, files = "links annotated mentions in text", "jsonl"
    heads = [] if model.pair_scorer is None else ["the pair scorer"]
    if model.detector is not None:
        purpose, files = "finds mentions of events and entities in text and links those", "txt"
        heads.append("the mention detector")
    parts = f"With {' and '.join(heads)} it has {size}." if heads else f"The model has {size}."
    header = ModelCardData(library_name="cdcoref", tags=_TAGS, **(metadata or {})).to_yaml()
    template = Path(__file__).with_name("card.md").read_text(encoding="utf-8")
    return template.format(
        header=f"---\n{header}\n---\n",
        purpose=purpose,
        files=files,
        layers=encoder.num_hidden_layers,
        width=encoder.hidden_size,
        windows=", ".join(map(str, sorted(set(encoder.attention_window)))),
        length=encoder.max_length,
        parts=parts,
        corpora=corpora,
        kept=kept,
        rows=rows,
        further_scores=further_scores,
        settings=as_toml(training),
    )


def _percent(values: tuple[float, float, float] | None) -> str:
    if values is None:
        return "-"
    return " / ".join(f"{100 * value:.1f}" for value in values)
