"""Labelled pairs of texts: JSON lines or CSV with ``text_a``, ``text_b``, ``label`` and perhaps ``id``; and four
benchmarks (Zhou et al. 2020; CSV without a header: ``label,text,text``; paper, section 3.3 and Appendix A.3)."""

from __future__ import annotations

import csv
import json
import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from cdlm.errors import InputError

BENCHMARKS: dict[str, dict[str, str]] = {
    "aan": {"train": "train_cite.csv", "dev": "dev_cite.csv", "test": "test_cite.csv"},
    "oc": {"train": "train_ai2_ab.csv", "dev": "dev_ai2_ab.csv", "test": "test_ai2_ab.csv"},
    "s2orc": {"train": "train_ai2_gorc.csv", "dev": "dev_ai2_gorc.csv", "test": "test_ai2_gorc.csv"},
    "pan": {"train": "pla_train.csv", "dev": "pla_dev.csv", "test": "pla_test.csv"},
}
TEXTS = ("text_a", "text_b")
LONGEST_CELL = 2**31 - 1
"""Python's own limit for a cell of a CSV file is 131,072 characters, which a document may exceed."""

END = "\x04 end of the file"
"""A line after the last of a CSV file; where it is part of a cell, a quote was not closed before."""

_KEPT = frozenset(string.printable)
_LABELS: dict[object, int] = {0: 0, 1: 1, "0": 0, "1": 1}


@dataclass(frozen=True, slots=True)
class TextPair:
    """Two texts and whether the relation holds between them."""

    id: str
    """The file's own id for the pair, otherwise its line number."""
    first: str
    second: str
    label: int | None = None
    """1 or 0; None if unknown."""


def clean(text: str) -> str:
    """Remove all characters except ASCII digits, letters, punctuation and white space (Appendix A.3).

    >>> clean("na\\u00efve\\u0001 caf\\u00e9, 1999")
    'nave caf, 1999'
    """
    return "".join(character for character in text if character in _KEPT)


def read_pairs(path: str | Path, *, labelled: bool = True) -> list[TextPair]:
    """Read a file of pairs, which must be `labelled` or not; its format is recognised by its first line.

    Texts in the format of the benchmarks are cleaned (`clean`), as in the paper. Raises `InputError` if a field is
    missing or empty, a label is neither 0 nor 1, or there is no pair.
    """
    path = Path(path)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            start = next((line for line in file if line.strip()), "").lstrip()
            file.seek(0)
            bare = False
            if start.startswith("{"):
                rows = _json_rows(file, path)
            else:
                bare = start.lstrip('"')[:1] in ("0", "1") and "text_a" not in start
                rows = _csv_rows(file, path, bare)
            pairs = list(_pairs(rows, path, labelled))
    except OSError as error:
        raise InputError(f"the file cannot be read ({error.strerror})", path) from error
    except UnicodeDecodeError as error:
        raise InputError("the file is not UTF-8; convert it first", path) from error
    if not pairs:
        raise InputError("the file contains no pairs of texts", path)
    if bare:
        pairs = [TextPair(p.id, clean(p.first), clean(p.second), p.label) for p in pairs]
    return pairs


def benchmark_file(name: str, folder: str | Path, split: str) -> Path:
    """The file of the ``train``, ``dev`` or ``test`` split of a benchmark.

    Raises `InputError` if there is no benchmark or split of that name, or no such file in the folder.
    """
    if name not in BENCHMARKS:
        raise InputError(f"there is no benchmark {name!r}; choose one of {', '.join(BENCHMARKS)}")
    if split not in BENCHMARKS[name]:
        raise InputError(f"there is no split {split!r}; choose one of {', '.join(BENCHMARKS[name])}")
    path = Path(folder) / BENCHMARKS[name][split]
    if not path.is_file():
        raise InputError(f"the {split} split of {name} should be this file; give the folder that holds it", path)
    return path


Row = tuple[int, Mapping[str, Any]]


def _json_rows(lines: Any, path: Path) -> Iterator[Row]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            values = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            raise InputError(f"the line is not JSON ({error}); write one object per line", path, number) from error
        if not isinstance(values, dict):
            raise InputError("expected a JSON object with text_a, text_b and label", path, number)
        yield number, values


def _csv_rows(lines: Any, path: Path, bare: bool) -> Iterator[Row]:
    """The rows of a CSV file; quotes may stand within cells, but one that is never closed is refused."""
    csv.field_size_limit(LONGEST_CELL)
    reader = csv.reader(chain(lines, [END]))
    first = 1
    names: list[str] | None = ["label", *TEXTS] if bare else None
    try:
        for cells in reader:
            begins, first = first, reader.line_num + 1
            if cells == [END] or not any(cells):
                continue
            if cells[-1].endswith(END):
                raise InputError("a quote in this line is never closed; close it or remove it", path, begins)
            if names is None:
                names = [cell.strip() for cell in cells]
                if not set(TEXTS) <= set(names):
                    raise InputError(
                        "the first line must name the columns text_a, text_b and label, or be a pair itself, as in "
                        "the benchmarks: label,text,text",
                        path,
                        reader.line_num,
                    )
            elif bare and len(cells) < len(names):
                raise InputError(f"the line has {len(cells)} cells, not label,text,text", path, reader.line_num)
            else:
                yield reader.line_num, dict(zip(names, cells, strict=False))
    except csv.Error as error:
        raise InputError(f"the line is not CSV ({error}); check the quotes", path, reader.line_num) from error


def _pairs(rows: Iterator[Row], path: Path, labelled: bool) -> Iterator[TextPair]:
    seen: set[str] = set()
    for number, values in rows:
        for name in TEXTS:
            if not isinstance(values.get(name), str) or not values[name].strip():
                raise InputError(f"{name} is missing or empty; every pair needs two texts", path, number)
        label = values.get("label")
        label = label.strip() if isinstance(label, str) else label
        if label in (None, ""):
            if labelled:
                raise InputError("label is missing; every pair needs one, 0 or 1", path, number)
            known = None
        elif isinstance(label, bool | float) or not isinstance(label, int | str) or label not in _LABELS:
            raise InputError(f"the label is {label!r}; it must be 0 or 1", path, number)
        else:
            known = _LABELS[label]
        given = values.get("id")
        name = str(number if given is None or given == "" else given)
        if name in seen:
            raise InputError(f"two pairs have the id {name!r}; ids must be unique", path, number)
        seen.add(name)
        yield TextPair(name, values["text_a"], values["text_b"], known)
