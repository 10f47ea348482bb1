"""Scoring by coval itself, for those who must quote it: github.com/ns-moosavi/coval, where it is installed.

It reads the two files on its own, so only CoNLL can be given to it, and what it misreads it misreads here too. The
package named coval on PyPI is another program (a code generator) and is told from it by `coval.eval.evaluator`.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import shutil
import tempfile
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from cdcoref.errors import InputError
from cdcoref.formats import format_of
from cdcoref.scoring.files import FileScores, Options
from cdcoref.scoring.scores import Score, Scores

NAMES = {"mentions": "mentions", "muc": "muc", "b3": "b_cubed", "ceafm": "ceafm", "ceafe": "ceafe", "lea": "lea"}
"""Our names of the metrics that coval has, and its functions. It has no BLANC."""

INSTALL = "pip install 'cdcoref[coval]'"


def load_coval() -> tuple[Any, Any]:
    """coval's evaluator and its CoNLL reader.

    Raises
    ------
    InputError
        If coval is not installed, or something else of that name is.
    """
    found = find_spec("coval")
    if found is None:
        raise InputError(f"coval is not installed; install it from its repository: {INSTALL}")
    folders = [Path(folder) for folder in found.submodule_search_locations or ()]
    # Looked for as files: the other program of that name is not to be run.
    if not any(
        (folder / "eval/evaluator.py").is_file() and (folder / "conll/reader.py").is_file() for folder in folders
    ):
        raise InputError(
            "the installed package coval is not the coreference scorer but another program of that name (from PyPI); "
            f"uninstall it, then install the scorer from its repository: {INSTALL}"
        )
    try:
        evaluator, reader = import_module("coval.eval.evaluator"), import_module("coval.conll.reader")
    except ImportError as error:
        raise InputError(f"coval cannot be loaded ({error}); install what it needs") from None
    return evaluator, reader


def score_with_coval(key: str | Path, response: str | Path, options: Options) -> FileScores:
    """Score a response against a key with coval.

    Documents are joined as the `#begin document` lines of the files say, so no level can be chosen.

    Raises
    ------
    InputError
        If coval is not installed, cannot do what the options ask for, or fails on the files.
    """
    evaluator, reader = load_coval()
    if options.level is not None or options.kind != "both":
        raise InputError(
            "coval scores the blocks between '#begin document' and '#end document' and knows neither "
            "levels nor kinds; leave out --level and --kind"
        )
    metrics = [name for name in options.metrics if name in NAMES]
    if not metrics:
        raise InputError(f"coval has the metrics {', '.join(NAMES)}; choose among them with --metrics")
    with contextlib.ExitStack() as stack:
        files = [str(stack.enter_context(_plain(path))) for path in (key, response)]
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                infos = reader.get_coref_infos(
                    *files, False, options.remove_nested, options.singletons == "keep", False
                )
                values = {
                    name: evaluator.evaluate_documents(infos, getattr(evaluator, NAMES[name]), beta=1)
                    for name in metrics
                }
        except KeyError as error:
            raise InputError(f"coval stopped: document {str(error.args[0]).strip()!r} is not there", response) from None
        except (IndexError, ValueError, TypeError, SystemExit) as error:
            raise InputError(f"coval stopped with {error!r}; score without --engine coval", response) from None
    scores = Scores({name: Score(*map(float, value)) for name, value in values.items()})
    notes = ("these are coval's numbers, not this scorer's",)
    return FileScores(str(key), str(response), "block", scores, None, notes)


@contextlib.contextmanager
def _plain(path: str | Path) -> Iterator[Path]:
    """The file as coval can open it: decompressed."""
    if format_of(path).name != "CoNLL":
        raise InputError("coval reads CoNLL files only; score without --engine coval", path)
    with open(path, "rb") as file:
        compressed = file.read(2) == b"\x1f\x8b"
    if not compressed:
        yield Path(path)
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "file.conll")
        with gzip.open(path) as source, open(copy, "wb") as target:
            shutil.copyfileobj(source, target)
        yield copy
