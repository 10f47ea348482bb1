"""Score with coval (github.com/ns-moosavi/coval) if it is installed, for those who must report its numbers.

coval reads the files itself, so they must be CoNLL, and what it misreads it misreads here too. The package named coval
on PyPI is a different program (a code generator); the scorer is recognised by `coval.eval.evaluator`.
"""

from __future__ import annotations

import contextlib
import io
import tempfile
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from cdcoref.errors import InputError
from cdcoref.formats import format_of, whole_file
from cdcoref.scoring.file_scores import FileScores, Options
from cdcoref.scoring.scores import Score, Scores
from cdlm.extras import install_command

NAMES = {"mentions": "mentions", "muc": "muc", "b3": "b_cubed", "ceafm": "ceafm", "ceafe": "ceafe", "lea": "lea"}
"""The metrics that coval has, by name, and its functions. It has no BLANC."""


def load_coval() -> tuple[Any, Any]:
    """coval's evaluator and its CoNLL reader.

    Raises
    ------
    InputError
        If coval is not installed, or a different package of that name is.
    """
    found = find_spec("coval")
    if found is None:
        raise InputError(f"coval is not installed; install it from its repository: {install_command('coval')}")
    folders = [Path(folder) for folder in found.submodule_search_locations or ()]
    # Looked for as files: the other program of that name is not to be run.
    if not any(
        (folder / "eval/evaluator.py").is_file() and (folder / "conll/reader.py").is_file() for folder in folders
    ):
        raise InputError(
            "the installed package coval is not the coreference scorer but a different program of that name (from "
            f"PyPI); uninstall it, then install the scorer from its repository: {install_command('coval')}"
        )
    try:
        evaluator, reader = import_module("coval.eval.evaluator"), import_module("coval.conll.reader")
    except ImportError as error:
        raise InputError(f"coval cannot be loaded ({error}); install its dependencies") from None
    return evaluator, reader


def score_with_coval(key: str | Path, response: str | Path, options: Options) -> FileScores:
    """Score a response against a key with coval.

    coval scores the blocks delimited by `#begin document` lines, so no level can be chosen.

    Raises
    ------
    InputError
        If coval is not installed, does not support the options, or fails on the files.
    """
    evaluator, reader = load_coval()
    if options.level is not None or options.kind != "both":
        raise InputError(
            "coval scores the blocks between '#begin document' and '#end document' and supports neither levels nor "
            "kinds; choose neither"
        )
    metrics = [name for name in options.metrics if name in NAMES]
    if not metrics:
        raise InputError(f"coval has none of the chosen metrics; choose from {', '.join(NAMES)}")
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
            raise InputError(f"coval failed: document {str(error.args[0]).strip()!r} is missing", response) from None
        except (IndexError, ValueError, TypeError, SystemExit) as error:
            raise InputError(f"coval failed with {error!r}; use this package's scorer", response) from None
    scores = Scores({name: Score(*map(float, value)) for name, value in values.items()})
    notes = ("computed by coval",)
    return FileScores(str(key), str(response), "block", scores, None, notes)


@contextlib.contextmanager
def _plain(path: str | Path) -> Iterator[Path]:
    """The file, decompressed, since coval does not read gzip."""
    if format_of(path).name != "CoNLL":
        raise InputError("coval reads only CoNLL; use this package's scorer", path)
    with open(path, "rb") as file:
        compressed = file.read(2) == b"\x1f\x8b"
    if not compressed:
        yield Path(path)
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "file.conll")
        copy.write_bytes(whole_file(path))
        yield copy
