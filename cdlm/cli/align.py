"""``cdlm align``: the command line of :mod:`cdlm.alignment`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdlm.documents import KINDS
from cdlm.printing import StageProgress, say
from cdlm.training_options import DeviceOption, JsonOption

if TYPE_CHECKING:
    from cdlm.alignment import Alignment, MentionPair, PairReader

EXAMPLES = ("cdlm align --ecb-root ecb+/ --model my-encoder --model other-encoder",)


def align(
    ecb_root: Annotated[Path, typer.Option(metavar="DIR", help="Folder of ECB+ 1.0.")],
    model: Annotated[
        list[str], typer.Option(metavar="NAME", help="Longformer checkpoint: a folder or a hub name. Repeatable.")
    ],
    split: Annotated[str, typer.Option(metavar="NAME", help="Split of ECB+ from which pairs are drawn.")] = "dev",
    pairs: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, help="Number of coreferent pairs, and of other pairs, for each kind of mention."
        ),
    ] = 1000,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Random seed for drawing pairs.")] = 0,
    device: DeviceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure how well global attention aligns coreferent mentions across documents (paper, section 3.5, Table 6)."""
    from cdlm.alignment import sample_pairs
    from cdlm.documents import annotated_documents

    documents = annotated_documents("ecb", ecb_root, split)
    _compare(model, sample_pairs(documents, pairs, seed), pairs, device, as_json)


def _reader(name: str, device: str | None) -> PairReader:
    import torch

    from cdlm.alignment import PairReader
    from cdlm.checkpoints import find_checkpoint
    from cdlm.devices import resolve_device
    from cdlm.encoder import CDLMModel
    from cdlm.tokens import load_tokenizer

    folder = find_checkpoint(name)
    tokenizer, encoder = load_tokenizer(folder), CDLMModel.from_pretrained(folder).float()
    if len(tokenizer) > encoder.config.vocab_size:
        torch.manual_seed(0)  # the new tokens' vectors are random, and the same each time
        encoder.resize_token_embeddings(len(tokenizer))
    return PairReader(encoder.to(resolve_device(device)), tokenizer)


def _compare(
    models: Sequence[str], pairs: Sequence[MentionPair], wanted: int, device: str | None, as_json: bool
) -> None:
    from cdlm.alignment import align

    results: dict[str, Alignment] = {}
    with StageProgress("cdlm") as progress:
        for name in models:
            results[name] = align(_reader(name, device), pairs, partial(progress.update, name))
    for name, result in results.items():
        if result.left_out:
            say("cdlm", f"{name}: skipped pairs too long for the encoder: {result.left_out}")
    if as_json:
        plain: dict[str, dict[str, object]] = {}
        for name, result in results.items():
            cells = {
                f"{kind} {'positive' if same else 'negative'}": cell for (kind, same), cell in result.cells.items()
            }
            plain[name] = {**{cell: asdict(rank) for cell, rank in cells.items()}, "left_out": result.left_out}
        print(json.dumps(plain, indent=2))
    else:
        _print_table(results, wanted)


def _print_table(results: Mapping[str, Alignment], wanted: int) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    columns = [(kind, coreferent) for coreferent in (True, False) for kind in KINDS]
    counts = [max(result.cells[c].pairs if c in result.cells else 0 for result in results.values()) for c in columns]
    fewer = f"; fewer than {wanted:,} pairs if no more exist or fit" if min(counts) < wanted else ""
    table = Table(
        box=SIMPLE_HEAD,
        caption=f"mean percentile rank of the target, with 95 % bootstrap intervals over groups of documents{fewer}",
    )
    table.add_column("model", overflow="fold")
    for (kind, coreferent), count in zip(columns, counts, strict=True):
        table.add_column(f"{'positive' if coreferent else 'negative'}\n{kind}\n{count:,} pairs", justify="right")
    for name, result in results.items():
        cells = [result.cells.get(column) for column in columns]
        table.add_row(name, *(f"{c.mean:.1f}\n{c.low:.1f} to {c.high:.1f}" if c else "" for c in cells))
    Console().print(table)
