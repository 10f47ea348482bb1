"""The command line of the language model: ``cdlm convert``. Parsing and printing only."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from cdlm.errors import InputError

app = typer.Typer(
    name="cdlm",
    help="The cross-document language model: a long encoder.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def _commands() -> None:
    """Keep ``convert`` a subcommand while it is the only one."""


@app.command()
def convert(
    source: Annotated[str, typer.Argument(help="BERT or RoBERTa checkpoint: a folder or a hub name.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder to write the long encoder to.")],
    max_length: Annotated[int, typer.Option(min=1, help="Tokens that get a position.")] = 4096,
    window: Annotated[int, typer.Option(min=2, help="Total width of the attention window.")] = 256,
) -> None:
    """Make a long encoder with sliding-window and global attention from a BERT or RoBERTa checkpoint."""
    from cdlm.convert import convert as convert_checkpoint

    model = convert_checkpoint(source, output, max_length=max_length, window=window)
    parameters = sum(parameter.numel() for parameter in model.parameters())
    print(f"{output}: {parameters / 1e6:.1f}M parameters, {max_length} positions, window {window}")


def main() -> None:
    """Run the command line; wrong input is one sentence on standard error and exit code 2."""
    try:
        app()
    except InputError as error:
        print(f"cdlm: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("cdlm: interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)


if __name__ == "__main__":
    main()
