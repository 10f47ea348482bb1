#!/usr/bin/env python
"""Run a benchmark of speed, memory or the quality of models by its name, and print tables.

python scripts/benchmark.py encoder --ecb-root DIR
python scripts/benchmark.py scoring --help
"""

from __future__ import annotations

import argparse
import ast
import runpy
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "benchmarks"


def benchmarks() -> dict[str, Path]:
    """The file of every benchmark, by name."""
    return {path.stem.replace("_", "-"): path for path in sorted(FOLDER.glob("*.py"))}


def first_sentence(path: Path) -> str:
    """What a benchmark measures: the first paragraph of its docstring."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split())


def main() -> None:
    """Run the benchmark that is named; everything after its name is for it."""
    files = benchmarks()
    lines = [f"  {name}\n      {first_sentence(path)}" for name, path in files.items()]
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="\n".join(["benchmarks:", *lines]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", choices=files, metavar="NAME", help="one of the benchmarks below")
    parser.add_argument("options", nargs=argparse.REMAINDER, help="its options; NAME --help lists them")
    arguments = parser.parse_args()
    benchmark = runpy.run_path(str(files[arguments.name]))["main"]
    sys.argv = [f"{Path(__file__).name} {arguments.name}", *arguments.options]
    benchmark()


if __name__ == "__main__":
    main()
