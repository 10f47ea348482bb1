"""The command line: ``cdcoref train | predict | score | ...``. Parsing and printing only; one module per command.

Commands import what they need when they run, so that ``cdcoref --help`` and ``cdcoref score`` start at once.
"""

from __future__ import annotations

from typing import Annotated

import typer

from cdcoref.cli import (
    add,
    correct,
    demo,
    errors,
    evaluate,
    export,
    predict,
    publish,
    rebuild,
    remove,
    score,
    serve,
    show,
    stats,
    train,
)
from cdlm.command_line import Commands, add_command, epilog, run, unwrapped, version_printer

DOCUMENTS = "Documents"
COLLECTIONS = "Collections that grow"
MODELS = "Models"
CORPORA = "Annotated corpora and scores"

app = typer.Typer(
    name="cdcoref",
    cls=Commands,
    help="Cross-document coreference resolution: find mentions of the same event or entity in different documents.",
    epilog=epilog(("cdcoref demo", "cdcoref predict articles/ -o clusters.html", "cdcoref predict --help")),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=version_printer("cdcoref"), is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    pass


add_command(app, demo.demo, panel=DOCUMENTS, examples=demo.EXAMPLES)
add_command(app, predict.predict, panel=DOCUMENTS, examples=predict.EXAMPLES)
add_command(app, add.add, panel=COLLECTIONS, examples=add.EXAMPLES)
add_command(app, show.show, panel=COLLECTIONS, examples=show.EXAMPLES)
app.add_typer(
    correct.app,
    name="correct",
    help=unwrapped(correct.HELP),
    epilog=epilog(correct.EXAMPLES),
    rich_help_panel=COLLECTIONS,
)
add_command(app, serve.serve, panel=COLLECTIONS, examples=serve.EXAMPLES)
add_command(app, remove.remove, panel=COLLECTIONS, examples=remove.EXAMPLES)
add_command(app, rebuild.rebuild, panel=COLLECTIONS, examples=rebuild.EXAMPLES)
add_command(app, train.train, panel=MODELS, examples=train.EXAMPLES)
add_command(app, evaluate.evaluate, panel=MODELS, examples=evaluate.EXAMPLES)
add_command(app, publish.publish, panel=MODELS, examples=publish.EXAMPLES)
add_command(app, stats.stats, panel=CORPORA, examples=stats.EXAMPLES)
add_command(app, export.export, panel=CORPORA, examples=export.EXAMPLES)
add_command(app, score.score, panel=CORPORA, examples=score.EXAMPLES)
add_command(app, errors.errors, panel=CORPORA, examples=errors.EXAMPLES)


def main() -> None:
    """Run the command line."""
    run(app, "cdcoref")


if __name__ == "__main__":
    main()
