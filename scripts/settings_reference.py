"""The settings of a training run for the site: every name, default and meaning, from the configuration itself.

`mkdocs build` runs this file as a hook and adds the page `settings.md`. `python scripts/settings_reference.py` prints
the page.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import groupby
from textwrap import dedent
from typing import Any

from cdcoref.training import PRESETS, TrainingConfig
from cdlm.runs import RUN_FILE

PAGE = "settings.md"
INTRODUCTION = f"""# Settings of a training run

`cdcoref train --set NAME=VALUE` changes one setting, `--config FILE.toml` several. `--preset NAME` chooses the values
to start from: {", ".join(f"`{name}`" for name in sorted(PRESETS))}. The end of a name is enough where it is
unambiguous: `epochs` is `run.epochs`. This page lists all settings and their defaults. A preset is a file in
`cdcoref/training/presets/` with the values in which it differs. The settings of a run are written to `{RUN_FILE}` in
the model's folder.

This page is generated from the configuration.
"""


def on_files(files: Any, config: Any) -> Any:
    """Add the page to the files of the site (called by MkDocs)."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, PAGE, content=page()))
    return files


def page() -> str:
    """All settings in Markdown: a table for each group of settings."""
    return "\n".join([INTRODUCTION, *_sections("", TrainingConfig())])


def _sections(prefix: str, group: Any) -> Iterator[str]:
    values = {field.name: getattr(group, field.name) for field in fields(group)}
    meanings = field_meanings(type(group))
    settings = [name for name, value in values.items() if not is_dataclass(value)]
    if settings:
        title = f"`{prefix[:-1]}`" if prefix else "The run"
        summary = _plain((inspect.getdoc(type(group)) or "").split("\n\n")[0])
        yield f"## {title}\n\n{summary}\n\n| setting | default | |\n| --- | --- | --- |"
        for meaning, together in groupby(settings, key=meanings.__getitem__):
            names = list(together)
            shown = "<br>".join(f"`{prefix}{name}`" for name in names)
            yield f"| {shown} | {'<br>'.join(_default(values[name]) for name in names)} | {_cell(meaning)} |"
        yield ""
    for name, value in values.items():
        if is_dataclass(value):
            yield from _sections(f"{prefix}{name}.", value)


def field_meanings(group: type) -> dict[str, str]:
    """What each field of a data class means: the text below it."""
    (tree,) = ast.parse(dedent(inspect.getsource(group))).body
    assert isinstance(tree, ast.ClassDef)
    found: dict[str, str] = {}
    names: list[str] = []
    for node in tree.body[1:]:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.append(node.target.id)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found |= dict.fromkeys(names, str(node.value.value))
            names.clear()
    return found


def _default(value: Any) -> str:
    if value in (None, "", (), {}):
        return "none"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _cell(text: str) -> str:
    return _plain(" ".join(text.split())).replace("|", r"\|")


def _plain(text: str) -> str:
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", text)
    return text.replace("``", "`").replace("<", "&lt;").replace("*", r"\*")


if __name__ == "__main__":
    argparse.ArgumentParser(description="Print the settings of a training run as Markdown.").parse_args()
    print(page())
