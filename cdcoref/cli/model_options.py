"""Options about models, and about how predictions are computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from cdcoref.cli.option_groups import COMPUTING, LINKING, given, option

if TYPE_CHECKING:
    from cdcoref.predict import Predictor

Kind = Literal["event", "entity", "both"]
Style = Literal["salient", "dense", "phrases", "people"]

ModelOption = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="base (the default), small (lighter), lemma (the baseline that links mentions with the same head lemma), "
        "a model's folder or a hub name.",
        rich_help_panel=LINKING,
        show_default=False,
    ),
]
CandidatesOption = Annotated[
    int | None,
    typer.Option(
        metavar="K",
        help="Compare each group of mentions with its K most likely candidates by the cross-encoder; 0: every mention "
        "with all others, far slower. The model small has no cross-encoder and refuses it. Default: the model's.",
        rich_help_panel=LINKING,
    ),
]


@dataclass(frozen=True)
class Computing:
    """How a model computes."""

    PANEL: ClassVar = COMPUTING
    device: str | None = option(None, "cpu, cuda, ... Default: a GPU if there is one.", metavar="NAME")
    precision: Literal["auto", "fp32", "bf16", "int8"] = option(
        "auto",
        "Numeric precision. auto: bf16 if the processor supports it, int8 if it supports only that and the model "
        "is base, otherwise fp32.",
    )
    batch_tokens: int | None = option(None, "Maximum number of word pieces in a batch. Default: 8192.", metavar="N")

    @property
    def batch(self) -> dict[str, Any]:
        """The size of batches, if it was given."""
        return given(batch_tokens=self.batch_tokens)

    def check(self) -> None:
        """Refuse a device that is not there, or batches out of their range, before long work."""
        from cdcoref.linking import LinkingOptions

        LinkingOptions(**self.batch)
        if self.device is not None:
            from cdcoref.predict import check_device

            check_device(self.device)

    def load(self, model: str, style: Style | None = None) -> Predictor:
        """The predictor of a model."""
        from cdcoref.predict import load

        return load(model, device=self.device, precision=self.precision, **given(style=style))
