"""Write constraints.txt: the exact version of every distribution that an install of cdcoref can bring in.

In: setup.cfg and the environment that runs this script, in which all extras are installed. Out: one ``name==version``
per line for the requirements of setup.cfg and, recursively, for theirs; whatever else is installed is omitted. Versions
lose their local part (``2.13.0+cpu`` is pinned as ``2.13.0``), so that any build of that release satisfies the pin.
"""

from __future__ import annotations

import argparse
import configparser
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent

HEADER = """\
# What `pip install -c constraints.txt` installs, exactly; the versions that the tests were run with.
# Written by scripts/pin_requirements.py in an environment with all extras (Python 3.11, Linux, CPU build of torch).
# For newer releases: `pip install -e '.[build,ray,tensorboard,test]'` in a fresh environment, `pytest`, that script.
"""


def declared_requirements(setup_cfg: Path) -> list[Requirement]:
    """The requirements of the distribution and of all its extras, as setup.cfg has them."""
    config = configparser.ConfigParser()
    config.read_string(setup_cfg.read_text(encoding="utf-8"))
    blocks = [config["options"]["install_requires"], *config["options.extras_require"].values()]
    return [Requirement(line) for block in blocks for line in block.split("\n") if line.strip()]


def installed_closure(requirements: list[Requirement]) -> dict[str, str]:
    """Name and installed version of the requirements and of everything that they require in this environment.

    A requirement by URL (``name @ git+https://...``) names its own version and is omitted. Exits with a sentence if a
    requirement is not installed.
    """
    pins: dict[str, str] = {}
    done: set[tuple[str, str]] = set()
    queue = [(requirement, "") for requirement in requirements if requirement.url is None]
    while queue:
        requirement, extra = queue.pop()
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": extra}):
            continue
        name = canonicalize_name(requirement.name)
        try:
            installed = distribution(name)
        except PackageNotFoundError:
            raise SystemExit(
                f"{requirement} is not installed: pip install -e '.[build,ray,tensorboard,test]'"
            ) from None
        pins[name] = Version(installed.version).public
        for wanted in ("", *requirement.extras):
            if (name, wanted) not in done:
                done.add((name, wanted))
                queue.extend((Requirement(line), wanted) for line in installed.requires or ())
    return pins


def main() -> None:
    """Print the pins, or write them to a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "constraints.txt")
    output = parser.parse_args().output
    pins = installed_closure(declared_requirements(ROOT / "setup.cfg"))
    lines = [f"{name}=={version}\n" for name, version in sorted(pins.items())]
    output.write_text(HEADER + "".join(lines), encoding="utf-8")
    print(f"{output}: {len(pins)} versions")


if __name__ == "__main__":
    main()
