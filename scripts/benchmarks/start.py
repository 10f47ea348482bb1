"""How long the command takes to start: `cdcoref predict` on the sample, as a multiple of `import torch`.

Every repeat runs a process that only imports PyTorch, then one prediction with each model. Python may keep compiled
modules, as it does for an installed package. The table has medians of seconds and of processor time, and of the ratios
of the same repeat.

    python scripts/benchmark.py start --repeats 5
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

SAMPLE = Path(__file__).resolve().parents[2] / "data" / "sample"
TORCH = "import torch"


def measured(command: list[str]) -> tuple[float, float]:
    """Seconds and processor time of a command that has to succeed."""
    keeping = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=keeping)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"this command failed: {' '.join(command)}")
    return time.perf_counter() - started, usage.ru_utime + usage.ru_stime


def main() -> None:
    """Parse the command line, measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default="small,base", help="models, separated by commas; default: %(default)s")
    parser.add_argument("--repeats", type=int, default=5, help="measurements of each; default: %(default)s")
    arguments = parser.parse_args()
    texts = sorted(map(str, SAMPLE.glob("*.txt")))
    with TemporaryDirectory() as folder:
        commands = {TORCH: [sys.executable, "-c", TORCH]}
        for model in arguments.models.split(","):
            output = ["--model", model, "-o", str(Path(folder, "clusters.json"))]
            commands[model] = [sys.executable, "-m", "cdcoref", "predict", *texts, *output]
        for command in commands.values():
            measured(command)  # files are in memory from here on
        rounds = [{name: measured(command) for name, command in commands.items()} for _ in range(arguments.repeats)]
    for name in commands:
        wall, processor = (statistics.median(each[name][part] for each in rounds) for part in (0, 1))
        ratios = [statistics.median(each[name][part] / each[TORCH][part] for each in rounds) for part in (0, 1)]
        print(
            f"{name}: {wall:.1f} s, {ratios[0]:.2f} times {TORCH}; "
            f"processor time {processor:.1f} s, {ratios[1]:.2f} times"
        )


if __name__ == "__main__":
    main()
