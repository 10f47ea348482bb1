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
from cdlm.command_line import Commands, run, version_printer

app = typer.Typer(
    name="cdcoref",
    cls=Commands,
    help="Cross-document coreference resolution: find mentions of the same event or entity in different documents.",
    no_args_is_help=True,
    add_completion=False,
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


app.command("demo")(demo.demo)
app.command("predict")(predict.predict)
app.command("add")(add.add)
app.command("show")(show.show)
app.command("correct")(correct.correct)
app.command("serve")(serve.serve)
app.command("remove")(remove.remove)
app.command("rebuild")(rebuild.rebuild)
app.command("train")(train.train)
app.command("evaluate")(evaluate.evaluate)
app.command("stats")(stats.stats)
app.command("export")(export.export)
app.command("score")(score.score)
app.command("errors")(errors.errors)
app.command("publish")(publish.publish)


def main() -> None:
    """Run the command line."""
    run(app, "cdcoref")


if __name__ == "__main__":
    main()
