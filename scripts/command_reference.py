"""The command reference of the site, generated from the commands themselves.

`mkdocs build` runs this file as a hook and adds the page `commands.md`, so the reference is never older than the code.
`python scripts/command_reference.py` prints the page.
"""

from __future__ import annotations

import argparse
import inspect
import re
from collections.abc import Iterator
from typing import Any

import typer.main

from cdcoref.cli import app as cdcoref
from cdlm.cli import app as cdlm

PAGE = "commands.md"
INTRODUCTION = """# Commands

This page is generated from the commands; `COMMAND --help` prints the same. Two programs are installed: `cdcoref` for
coreference, and `cdlm` for its language model. `cdcoref --install-completion` installs the completion of commands and
options in the shell that you run it from: bash, zsh or fish.
"""


def on_files(files: Any, config: Any) -> Any:
    """Add the page to the files of the site (called by MkDocs)."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, PAGE, content=page()))
    return files


def page() -> str:
    """The whole reference in Markdown: a section a program, a subsection a command, a table of its options."""
    parts = [INTRODUCTION]
    for name, app in (("cdcoref", cdcoref), ("cdlm", cdlm)):
        program = typer.main.get_command(app)
        parts.append(f"## {name}\n\n{_prose(program.help)}\n{_examples(program)}")
        with program.make_context(name, [], resilient_parsing=True) as context:
            parts += [_section(child) for child in _commands(context)]
    return "\n".join(parts)


def _commands(context: Any) -> Iterator[Any]:
    """The contexts of all commands below one: that of a group before those of its commands."""
    for name, command in context.command.commands.items():
        if not command.hidden:
            with command.make_context(name, [], parent=context, resilient_parsing=True) as child:
                yield child
                if hasattr(command, "commands"):
                    yield from _commands(child)


def _section(context: Any) -> str:
    command = context.command
    shown = [parameter for parameter in command.params if not getattr(parameter, "hidden", False)]
    arguments = [parameter for parameter in shown if parameter.param_type_name == "argument"]
    options = [parameter for parameter in shown if parameter.param_type_name == "option"]
    usage = " ".join(re.sub("[{}]", "", command.get_usage(context)).split()).removeprefix("Usage: ")
    text = f"### {context.command_path}\n\n```\n{usage}\n```\n\n{_prose(command.help)}\n"
    if arguments:
        rows = [f"| `{_argument(one)}` | {_cell(one.help)} |" for one in arguments]
        text += "\n| argument | |\n| --- | --- |\n" + "\n".join(rows) + "\n"
    if options:
        rows = [f"| {_names(one)} | {_cell(one.help)}{_values(one)} |" for one in options]
        text += "\n| option | |\n| --- | --- |\n" + "\n".join(rows) + "\n"
    return text + _examples(command)


def _examples(command: Any) -> str:
    """The examples at the end of a command's help."""
    lines = [line.removeprefix("$ ") for line in (command.epilog or "").splitlines() if line.startswith("$ ")]
    return "\nExamples:\n\n```text\n" + "\n".join(lines) + "\n```\n" if lines else ""


def _argument(argument: Any) -> str:
    name = (argument.metavar or argument.name.upper()).strip("[]{}").removesuffix("...")
    return name + ("..." if argument.nargs == -1 else "")


def _names(option: Any) -> str:
    return ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))


def _values(option: Any) -> str:
    choices = getattr(option.type_descriptor, "choices", None)
    values = " Values: " + ", ".join(f"`{getattr(c, 'value', c)}`" for c in choices) + "." if choices else ""
    default = f" Default: `{option.default}`." if option.show_default and option.default not in (None, False) else ""
    return values + default + (" Required." if option.required else "")


def _prose(text: str | None) -> str:
    """Help as Markdown: without rich's markup and the marks that keep lines apart on a terminal."""
    lines = [line.strip() for line in inspect.cleandoc(text or "").replace("\b", "").splitlines()]
    return _plain("\n".join(lines))


def _cell(text: str | None) -> str:
    return _plain(" ".join((text or "").split())).replace("|", r"\|")


def _plain(text: str) -> str:
    text = re.sub(r"\[/?(?:bold|dim|italic|cyan|green|yellow|red|blue|magenta)[^\]]*\]", "", text)
    return text.replace("<", "&lt;").replace("*", r"\*")


if __name__ == "__main__":
    argparse.ArgumentParser(description="Print the command reference as Markdown.").parse_args()
    print(page())
