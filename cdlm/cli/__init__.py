"""The command line of the language model, one module a command: parsing and printing only. Commands import what they
need when they run, so that ``cdlm --help`` starts at once."""

from __future__ import annotations

from typing import Annotated

import typer

from cdlm.cli import align, convert, match, perplexity, pretrain, qa, tables
from cdlm.command_line import Commands, add_command, epilog, run, version_printer

app = typer.Typer(
    name="cdlm",
    cls=Commands,
    help="The cross-document language model: pretraining, analyses, and tasks other than coreference.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=version_printer("cdlm"), is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    pass


add_command(app, convert.convert, examples=convert.EXAMPLES)
add_command(app, pretrain.pretrain, examples=pretrain.EXAMPLES)
add_command(app, perplexity.perplexity, examples=perplexity.EXAMPLES)
add_command(app, align.align, examples=align.EXAMPLES)
app.add_typer(match.app, name="match", epilog=epilog(("cdlm match train --help",)))
app.add_typer(qa.app, name="qa", epilog=epilog(("cdlm qa train --help",)))
add_command(app, tables.tables, examples=tables.EXAMPLES)


def main() -> None:
    """Run the command line."""
    run(app, "cdlm")


if __name__ == "__main__":
    main()
