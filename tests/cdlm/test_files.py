"""Files that appear whole or not at all: links, permissions, what is left after an error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cdlm.files import replaced_file

WRITER = """
import sys, time
from pathlib import Path
from cdlm.files import replaced_file

with replaced_file(Path(sys.argv[1])) as part:
    part.write_text("half")
    print("writing", flush=True)
    time.sleep(60)
"""


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_old_file_stays_until_the_new_one_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "a"
    target.write_text("old")
    with replaced_file(target) as part:
        part.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"
    with pytest.raises(KeyboardInterrupt), replaced_file(target):
        raise KeyboardInterrupt
    assert target.read_text() == "new"
    assert names(tmp_path) == ["a"]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks")
def test_what_a_killed_process_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    target, other = tmp_path / "a[1]", tmp_path / ".b.x.part"
    other.touch()
    with subprocess.Popen([sys.executable, "-c", WRITER, str(target)], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"writing\n"
            (left,) = tmp_path.glob(".a*.part")
            for path in (left, other):
                os.utime(path, (0, 0))
            with replaced_file(target) as part:
                part.write_text("mine")
            assert left.exists()  # it is being written
        finally:
            process.kill()
    assert left.read_text() == "half"
    os.utime(left)
    with replaced_file(target):
        assert left.exists()  # too new to be sure
    os.utime(left, (0, 0))
    with replaced_file(target) as part:
        part.write_text("mine")
    assert names(tmp_path) == [".b.x.part", "a[1]"]
    assert target.read_text() == "mine"


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder" / "a")
    with replaced_file(tmp_path / "link") as part:
        part.write_text("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "folder" / "a").read_text() == "new"


def test_permissions(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    (tmp_path / "old").touch(0o600)
    for name in ("old", "new"):
        with replaced_file(tmp_path / name) as part:
            part.touch()
    assert (tmp_path / "old").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode
