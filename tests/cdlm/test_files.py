"""Files that appear whole or not at all: links, permissions, what is left after an error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cdlm.errors import InputError
from cdlm.files import check_writable, replaced_file, replaced_folder, restore_folder

KILLED = """
import os, signal, sys
from pathlib import Path
from cdlm.files import replaced_folder

left = int(sys.argv[2])

def kill_at_its_turn(event, arguments):
    global left
    if event in ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.chmod"):
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(kill_at_its_turn)
with replaced_folder(Path(sys.argv[1])) as new:
    (new / "config").write_text("new")
    (new / "weights").write_text("new")
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


def test_what_a_killed_process_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    names_left = [".a[1].x.part", ".a[1].y.part", ".b.x.part"]
    for name in names_left:
        (tmp_path / name).touch()
        if "y" not in name:  # which is too new to be sure
            os.utime(tmp_path / name, (0, 0))
    with replaced_file(tmp_path / "a[1]") as part:
        part.write_text("mine")
    assert names(tmp_path) == [*names_left[1:], "a[1]"]


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


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_kill_at_any_step_leaves_a_whole_folder_under_its_name(tmp_path: Path) -> None:
    outcomes = []
    for step in range(100):
        folder = tmp_path / str(step) / "model"
        folder.mkdir(parents=True)
        for name in ("config", "weights"):
            (folder / name).write_text("old")
        code = subprocess.run([sys.executable, "-c", KILLED, str(folder), str(step)], check=False).returncode
        missing = not folder.exists()
        restore_folder(folder)
        contents = {(folder / name).read_text() for name in ("config", "weights")}
        assert len(contents) == 1
        outcomes.append((missing, *contents))
        with replaced_folder(folder) as new:
            (new / "config").write_text("newer")
        assert names(folder) == ["config"]
        assert not list(folder.parent.glob("*.old"))
        if code == 0:
            break
    assert code == 0
    assert {(False, "old"), (True, "old"), (False, "new")} == set(outcomes)


def test_a_folder_behind_a_link_is_replaced_and_a_file_is_not(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "a")
    with replaced_folder(tmp_path / "link") as new:
        (new / "x").touch()
    assert (tmp_path / "link").is_symlink()
    assert names(tmp_path / "a") == ["x"]
    with pytest.raises(InputError, match="file"), replaced_folder(tmp_path / "a" / "x"):
        pass
    assert names(tmp_path / "a") == ["x"]


def test_an_error_about_a_file_of_the_new_folder_names_the_folder(tmp_path: Path) -> None:
    for place in ("model/weights", "beside"):
        with pytest.raises(InputError, match="the disk is full") as raised, replaced_folder(tmp_path / "model") as new:
            raise InputError("the disk is full", new / "weights" if place != "beside" else tmp_path / "beside", 3)
        assert (raised.value.path, raised.value.line) == (str(tmp_path / place), 3)
        assert not list(tmp_path.iterdir())


def test_what_cannot_be_written_is_noticed_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    existing = tmp_path / "a"
    existing.write_text("kept")
    check_writable(existing)
    check_writable(tmp_path / "new")
    for name, message in ((tmp_path, "folder"), (tmp_path / "no" / "a", "does not exist"), (existing / "a", "exist")):
        with pytest.raises(InputError, match=message):
            check_writable(name)
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != existing or mode != os.W_OK)
    with pytest.raises(InputError, match="write-protected"):
        check_writable(existing)
    assert names(tmp_path) == ["a"]
    assert existing.read_text() == "kept"


@pytest.mark.skipif(not Path("/proc/version").is_file(), reason="a folder that not even root may write to")
def test_an_existing_file_in_a_folder_that_allows_no_new_one(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/proc/version")
    for output in (Path("/proc/version"), tmp_path / "link"):
        with pytest.raises(InputError, match=r"cannot be written|write-protected"):
            check_writable(output)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such pipes")
def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    pipe = Path(f"/dev/fd/{writer}")
    check_writable(pipe)
    with replaced_file(pipe) as part:
        part.write_text("text")
    os.close(writer)
    with open(reader) as stream:
        assert stream.read() == "text"
