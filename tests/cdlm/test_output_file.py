"""Text files that are written whole or not at all, and whose errors are told."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from cdcoref.errors import InputError
from cdlm.output_file import output_file


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_what_is_written_is_there_when_it_is_whole(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("old")
    with output_file(path) as file:
        file.write("Zoë\n")
        file.write("\u2028")
        assert path.read_text() == "old"
    data = path.read_bytes()
    assert (gzip.decompress(data) if name.endswith(".gz") else data) == "Zoë\n\u2028".encode()
    with output_file(tmp_path / f"again-{name}") as file:
        file.write("Zoë\n\u2028")
    assert (tmp_path / f"again-{name}").read_bytes() == data


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    for path in (Path("/dev/full"), tmp_path / "link"):
        if not path.exists():
            path.symlink_to("/dev/full")
        with pytest.raises(InputError, match=r"cannot be written \(No space left"), output_file(path) as file:
            file.write("x" * 100_000)
    with pytest.raises(InputError, match="No space left"), output_file("/dev/full") as file:
        file.write("x")  # fails when the file is closed


def test_half_a_surrogate_pair_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="surrogate"), output_file(tmp_path / "a") as file:
        file.write("\ud800")
    assert list(tmp_path.iterdir()) == []
