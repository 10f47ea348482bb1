"""The command line: ``cdcoref train | predict | score | ...``. Parsing and printing only."""

import typer

from cdcoref.cli import annotated, collections, correct, models, predict, score, serve, show
from cdcoref.cli.options import option, with_groups
from cdlm.command_line import Commands, add_command, epilog, run, unwrapped, version_printer

COLLECTIONS = "Collections that grow"
SCORES = "Annotated corpora and scores"
PANELS = {
    "demo": (predict, "Documents"),
    "predict": (predict, "Documents"),
    "add": (collections, COLLECTIONS),
    "show": (show, COLLECTIONS),
    "correct": (correct, COLLECTIONS),
    "serve": (serve, COLLECTIONS),
    "remove": (collections, COLLECTIONS),
    "rebuild": (collections, COLLECTIONS),
    "train": (models, "Models"),
    "evaluate": (models, "Models"),
    "stats": (annotated, SCORES),
    "export": (annotated, SCORES),
    "score": (score, SCORES),
}
"""The module of each command, and the heading under which help lists it."""

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


for _name, (_module, _panel) in PANELS.items():
    _examples = _module.EXAMPLES[_name]
    if _module is correct:
        _help = unwrapped(correct.HELP)
        app.add_typer(correct.app, name=_name, help=_help, epilog=epilog(_examples), rich_help_panel=_panel)
    else:
        add_command(app, with_groups(getattr(_module, _name)), panel=_panel, examples=_examples)


def main() -> None:
    """Run the command line."""
    run(app, "cdcoref")


if __name__ == "__main__":
    main()
