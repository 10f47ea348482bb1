"""``cdlm perplexity``: the command line of :mod:`cdlm.pretraining.perplexity`."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from cdlm.cli.pretrain import CORPUS_HELP
from cdlm.printing import StageProgress, say
from cdlm.training_options import DeviceOption, JsonOption

if TYPE_CHECKING:
    from cdlm.pretraining import Contender, Perplexity

EXAMPLES = ("cdlm perplexity --model my-encoder --model other-encoder --corpus multi-news/dev.src",)


def perplexity(
    corpus: Annotated[list[str], typer.Option(metavar="CORPUS", help=CORPUS_HELP)],
    model: Annotated[
        list[str],
        typer.Option(
            metavar="NAME",
            help="Model with a masked language modelling head: a folder or a hub name; NAME=VARIANT states its pattern "
            "of global attention if its folder does not. Repeatable.",
        ),
    ],
    split: Annotated[str, typer.Option(metavar="NAME", help="Split of the corpus, if it has splits.")] = "dev",
    max_length: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Maximum length of a sequence in tokens. Default: 4096, or a model's lower limit."
        ),
    ] = None,
    min_documents: Annotated[int, typer.Option(metavar="N", min=1, help="Skip sets with fewer documents.")] = 3,
    masked: Annotated[float, typer.Option(metavar="SHARE", help="Share of tokens to mask and predict.")] = 0.15,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Random seed for masking.")] = 0,
    device: DeviceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare models by their perplexity on the same masked tokens of related documents (paper, Table 1)."""
    from cdlm.pretraining import Contender, in_words, open_source, perplexities

    with StageProgress("cdlm") as progress:
        contenders = [Contender.parse(name) for name in model]
        measured, left_out = perplexities(
            contenders,
            [open_source(name, split) for name in corpus],
            max_length=max_length,
            min_documents=min_documents,
            masked=masked,
            seed=seed,
            device=device,
            progress=progress.update,
        )
    if left_out.total():
        say("cdlm", f"omitted from the corpus: {in_words(left_out)}")
    rows = list(zip(contenders, measured, strict=True))
    if as_json:
        print(json.dumps([{**asdict(contender), **asdict(perplexity)} for contender, perplexity in rows], indent=2))
    else:
        _print_table(rows)


def _print_table(rows: list[tuple[Contender, Perplexity]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    sets, tokens = rows[0][1].sets, rows[0][1].tokens
    table = Table(
        box=SIMPLE_HEAD, caption=f"{tokens:,} masked tokens of {sets:,} sets; 95 % bootstrap intervals over sets"
    )
    table.add_column("model", overflow="fold")
    for name in ("variant", "perplexity", "95 %", "ratio to the first", "95 %"):
        table.add_column(name, justify="left" if name == "variant" else "right")
    for contender, p in rows:
        ratios = f"{p.ratio:.3f}", f"{p.ratio_low:.3f} to {p.ratio_high:.3f}"
        table.add_row(contender.name, contender.variant, f"{p.value:.2f}", f"{p.low:.2f} to {p.high:.2f}", *ratios)
    Console().print(table)
