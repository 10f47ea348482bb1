"""Checkpoints count once all their files are there."""

from __future__ import annotations

from pathlib import Path

from cdlm.runs import is_whole, last_whole_checkpoint, mark_whole


def test_a_checkpoint_counts_once_all_its_files_are_there(tmp_path: Path) -> None:
    def checkpoint(number: int | str) -> Path:
        folder = tmp_path / f"checkpoint-{number}"
        (folder / "inner").mkdir(parents=True)
        (folder / "a").write_bytes(b"12345")
        (folder / "inner" / "b").write_bytes(b"1")
        return folder

    assert last_whole_checkpoint(tmp_path) is None
    for number in (2, 10, 9):
        mark_whole(checkpoint(number))
    assert last_whole_checkpoint(tmp_path) == tmp_path / "checkpoint-10"
    unfinished = checkpoint(11)
    assert not is_whole(unfinished)
    (unfinished / "whole.json.tmp").write_text('{"a": 5}')
    (tmp_path / "checkpoint-10" / "a").write_bytes(b"1234")
    (tmp_path / "checkpoint-9" / "inner" / "b").unlink()
    torn = checkpoint(12)
    (torn / "whole.json").write_text('{"a": 5, "inn')
    stranger = checkpoint("of-mine")
    assert last_whole_checkpoint(tmp_path) == tmp_path / "checkpoint-2"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["checkpoint-2", stranger.name]
