"""What waiting OpenMP threads cost: seconds of the default model's forward pass, alone and beside other processes.

Every setting runs in a process of its own, in turn, several times; the median is printed, and its ratio to the setting
that cdlm chooses (GOMP_SPINCOUNT=1000: wait busily for some microseconds, then sleep).

    python scripts/benchmark.py waiting --others 3
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time

OURS = "cdlm's"
SETTINGS = {
    OURS: {"GOMP_SPINCOUNT": "1000"},
    "OMP_WAIT_POLICY=PASSIVE": {"OMP_WAIT_POLICY": "PASSIVE"},
    "the library's own": {"KMP_BLOCKTIME": "200"},
}
"""By name; the last sets what GNU's library does not read, so that nothing is chosen for it."""
MEASURED = """
import time, torch
from cdcoref.model import CorefModel
model = CorefModel.from_pretrained("small")
ids = torch.randint(5, 20000, (8, 256), generator=torch.Generator().manual_seed(0))
marked = (torch.arange(256) % 4 == 0).long().expand(8, -1)
with torch.inference_mode():
    model.encoder(ids, torch.ones_like(ids), marked)
    started = time.perf_counter()
    for _ in range(8):
        model.encoder(ids, torch.ones_like(ids), marked)
    print((time.perf_counter() - started) / 8)
"""


def seconds(setting: dict[str, str]) -> float:
    """Of one forward pass under a setting, in a fresh process."""
    chosen = {name for setting in SETTINGS.values() for name in setting}
    environment = {name: value for name, value in os.environ.items() if name not in chosen} | setting
    done = subprocess.run([sys.executable, "-c", MEASURED], capture_output=True, text=True, env=environment, check=True)
    return float(done.stdout)


def main() -> None:
    """Parse the command line, measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--others", type=int, default=3, help="processes that keep cores busy; default: %(default)s")
    parser.add_argument("--times", type=int, default=3, help="measurements of each; default: %(default)s")
    arguments = parser.parse_args()
    for others in (0, arguments.others):
        busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(others)]
        time.sleep(0.5)
        try:
            measured: dict[str, list[float]] = {name: [] for name in SETTINGS}
            for _ in range(arguments.times):
                for name, setting in SETTINGS.items():
                    measured[name].append(seconds(setting))
        finally:
            for process in busy:
                process.kill()
                process.wait()
        medians = {name: statistics.median(values) for name, values in measured.items()}
        for name, median in medians.items():
            print(f"{others} other processes, {name}: {median:.3f} s, ratio {median / medians[OURS]:.2f}", flush=True)


if __name__ == "__main__":
    main()
