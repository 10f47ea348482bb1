"""The command line: ``cdcoref train | predict | score | ...``. Parsing and printing only; one module per command."""

from __future__ import annotations

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
from cdcoref.cli.option_groups import option, with_groups
from cdlm.command_line import Commands, add_command, epilog, run, unwrapped, version_printer

COLLECTIONS = "Collections that grow"
PANELS = {
    "Documents": (demo, predict),
    COLLECTIONS: (add, show, correct, serve, remove, rebuild),
    "Models": (train, evaluate, publish),
    "Annotated corpora and scores": (stats, export, score, errors),
}
"""The commands under the headings of the help."""

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
    version: bool = option(
        False, "Print the version and exit.", "--version", callback=version_printer("cdcoref"), is_eager=True
    ),
) -> None:
    pass


for _panel, _modules in PANELS.items():
    for _module in _modules:
        _name = _module.__name__.rpartition(".")[2]
        if _module is correct:
            _help = unwrapped(correct.HELP)
            app.add_typer(correct.app, name=_name, help=_help, epilog=epilog(correct.EXAMPLES), rich_help_panel=_panel)
        else:
            _command = with_groups(getattr(_module, _name))
            add_command(app, _command, panel=_panel, examples=_module.EXAMPLES)


def main() -> None:
    """Run the command line."""
    run(app, "cdcoref")


if __name__ == "__main__":
    main()
