"""What goes with a model: its card, a hash of what determines its results, and its upload to the Hugging Face hub."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from cdcoref.errors import InputError
from cdcoref.model.coref_model import CorefModel
from cdcoref.model.folder import CARD_FILE, CONFIG_FILE
from cdlm.hub import upload
from cdlm.settings import as_toml
from cdlm.tokens import TOKENIZER_FILES

if TYPE_CHECKING:
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


_TAGS = ["coreference-resolution", "cross-document-coreference", "longformer"]


@dataclass(frozen=True, slots=True)
class Metadata:
    """The metadata that the hub shows and searches.

    `language`, `licence`: ISO 639-1 code, and the licence's name on the hub (``apache-2.0``).
    `datasets`: Names of the corpora that the model was trained on.
    `base_model`: Hub name of the checkpoint that training started from.
    """

    language: str | None = None
    licence: str | None = None
    datasets: tuple[str, ...] = ()
    base_model: str | None = None

    def header(self) -> str:
        """The header of a model card, in YAML between two lines of dashes."""
        from huggingface_hub import ModelCardData

        data = ModelCardData(
            language=self.language,
            license=self.licence,
            library_name="cdcoref",
            tags=_TAGS,
            datasets=list(self.datasets) or None,
            base_model=self.base_model,
        )
        return f"---\n{data.to_yaml()}\n---\n"


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Precision and recall at another threshold.

    `threshold`: Clusters are merged while their linkage probability is above it.
    `precision`, `recall`, `f1`: LEA (Moosavi and Strube 2016), gold mentions, singletons removed. From 0 to 1.
    """

    threshold: float
    precision: float
    recall: float
    f1: float


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
    `curve`: Precision and recall at other thresholds.
    """

    conll_f1: float
    calibration_error: float
    calibration_error_before: float
    detection: tuple[float, float, float] | None
    detection_head: tuple[float, float, float] | None
    curve: tuple[CurvePoint, ...] = ()


def model_card(
    model: CorefModel,
    training: Mapping[str, Any],
    scores: Mapping[str, KindScores],
    epoch: float,
    corpora: str = "",
    metadata: Metadata | None = None,
    further_scores: str = "",
) -> str:
    """The text of a model card.

    `training` is the configuration of the run, `corpora` a paragraph that names corpora and checkpoints with their
    licences, `further_scores` Markdown that follows those on dev.
    """
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
    template = Path(__file__).with_name("card.md").read_text(encoding="utf-8")
    return template.format(
        header=(metadata or Metadata()).header(),
        purpose=purpose,
        files=files,
        layers=encoder.num_hidden_layers,
        width=encoder.hidden_size,
        windows=", ".join(map(str, sorted(set(encoder.attention_window)))),
        length=encoder.max_length,
        parts=parts,
        corpora=corpora,
        kept=kept,
        linkage=config.linkage,
        rows=rows,
        curve=_curve(scores),
        further_scores=further_scores,
        settings=as_toml(training),
    )


def _curve(scores: Mapping[str, KindScores]) -> str:
    """A table of precision and recall over thresholds; empty where none was measured."""
    curves = {kind: of.curve for kind, of in scores.items() if of.curve}
    if not curves:
        return ""
    lines = [
        "",
        "Precision / recall / F1 (LEA, gold mentions, singletons removed) at other values of `predict --threshold`.",
        "The model's own is 1 minus the distance threshold above.",
        "",
        f"| threshold | {' | '.join(curves)} |",
        f"| --- |{' --- |' * len(curves)}",
    ]
    for points in zip(*curves.values(), strict=True):
        cells = (_percent((point.precision, point.recall, point.f1)) for point in points)
        lines.append(f"| {points[0].threshold:.1f} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _percent(values: tuple[float, float, float] | None) -> str:
    if values is None:
        return "-"
    return " / ".join(f"{100 * value:.1f}" for value in values)


FILES = (
    *(CONFIG_FILE, CARD_FILE, "training.json", "tokenizer_config.json", "special_tokens_map.json"),
    *("added_tokens.json", "merges.txt", *TOKENIZER_FILES),
)
"""The files of a model beside its weights; anything else in its folder is not uploaded."""


def publish(folder: str | Path, name: str, *, private: bool = False) -> str:
    """Upload a saved model to the hub after checking that it can be read.

    An `InputError` if the folder holds no model or no model card, the hub cannot be reached, or no user with write
    access is logged in.
    """
    folder = Path(folder)
    if not folder.is_dir():
        what = "this is a file" if folder.exists() else "there is no such folder"
        raise InputError(f"{what}; name a folder with a saved model", folder)
    CorefModel.from_pretrained(folder)
    card = _card(folder / CARD_FILE)
    with TemporaryDirectory(prefix="cdcoref-model-") as place:
        parts = sorted(path.name for path in folder.glob("model*.safetensors*"))
        files = [*(file for file in FILES if (folder / file).is_file()), *parts]
        for file in files:
            shutil.copyfile(folder / file, Path(place) / file)
        (Path(place) / CARD_FILE).write_text(card, encoding="utf-8")
        return upload(Path(place), files, name, private=private)


def _card(path: Path) -> str:
    """The text of a model card, with a header for the hub if it has none."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise InputError("the model card, which the hub shows, is missing; write one", path) from error
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the model card cannot be read ({error})", path) from error
    return text if text.startswith("---") else f"{Metadata().header()}\n{text}"
