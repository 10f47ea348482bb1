"""Results kept in a folder: what goes in comes out, what differs has another name, and nothing foreign is used."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from cdcoref.errors import InputError
from cdcoref.predict import ResultCache

CACHE_FILE = "results.sqlite"


def test_arrays_come_back_as_they_were(tmp_path: Path) -> None:
    arrays: list[np.ndarray] = [
        np.arange(6, dtype=np.float32).reshape(2, 3) / 7,
        np.array([[np.nan, -np.inf]], dtype=np.float32),
        np.zeros((0, 4), dtype=np.float32),
        np.zeros((3, 0), dtype=np.float32),
    ]
    cache = ResultCache(tmp_path / "deep" / "folder", "model")
    keys = [cache.key("a", str(number)) for number in range(len(arrays))]
    assert cache.get(keys[0]) is None
    cache.put(dict(zip(keys, arrays, strict=True)))
    cache.put({})
    cache.close()
    again = ResultCache(tmp_path / "deep" / "folder", "model")
    for key, array in zip(keys, arrays, strict=True):
        found = again.get(key)
        assert found is not None
        assert found.shape == array.shape
        np.testing.assert_array_equal(found, array)
    again.put({keys[0]: arrays[1]})
    np.testing.assert_array_equal(again.get(keys[0]), arrays[1])  # type: ignore[arg-type]
    again.close()


def test_keys_tell_models_and_parts_apart(tmp_path: Path) -> None:
    cache = ResultCache(tmp_path, "one")
    keys = [cache.key(*parts) for parts in (("a", "b"), ("ab",), ("b", "a"), ("a", "b", ""), ())]
    keys.append(ResultCache(tmp_path, "other").key("a", "b"))
    assert len(set(keys)) == len(keys)
    assert cache.key("a", "b") == keys[0]


def test_of_several_results_all_are_kept_or_none(tmp_path: Path) -> None:
    cache = ResultCache(tmp_path, "model")
    one, two = cache.key("1"), cache.key("2")
    cache._database.execute("CREATE TRIGGER t BEFORE INSERT ON results WHEN NEW.shape LIKE '%[2]%' BEGIN "
                            "SELECT RAISE(ABORT, 'the disk is full'); END")  # fmt: skip
    with pytest.raises(InputError, match="the disk is full"):
        cache.put({one: np.zeros(1, dtype=np.float32), two: np.zeros(2, dtype=np.float32)})
    assert cache.get(one) is None
    cache.put({one: np.ones(1, dtype=np.float32)})
    assert cache.get(one) is not None
    cache.close()


def test_what_cannot_be_a_cache_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / CACHE_FILE).write_text("not a database, and long enough to be seen as none of them\n" * 20)
    (tmp_path / "foreign").mkdir()
    foreign = sqlite3.connect(tmp_path / "foreign" / CACHE_FILE)
    foreign.execute("CREATE TABLE results (name TEXT)")
    foreign.close()
    with pytest.raises(
        InputError, match=r"file: the cache cannot be used \(it is not a folder\); choose another folder"
    ):
        ResultCache(tmp_path / "file", "model")
    for name in ("text", "foreign"):
        with pytest.raises(InputError, match=r"the cache cannot be used .*choose another folder") as raised:
            ResultCache(tmp_path / name, "model")
        assert str(raised.value).startswith(str(tmp_path / name / CACHE_FILE))


@pytest.mark.parametrize("damage", ["pages", "shape", "length"])
def test_a_damaged_cache_is_said(tmp_path: Path, damage: str) -> None:
    cache = ResultCache(tmp_path, "model")
    keys = [cache.key(str(n)) for n in range(200)]
    cache.put({key: np.ones(400, dtype=np.float32) for key in keys})
    if damage == "shape":
        cache._database.execute("UPDATE results SET shape = '[7'")
    elif damage == "length":
        cache._database.execute("UPDATE results SET data = x'010203'")
    cache.close()
    if damage == "pages":
        with (tmp_path / CACHE_FILE).open("r+b") as file:
            file.seek(8192)
            file.write(b"\xa5" * 200_000)

    def look_up() -> None:
        damaged = ResultCache(tmp_path, "model")
        try:
            for key in keys:
                damaged.get(key)
        finally:
            damaged.close()

    with pytest.raises(InputError, match=r"the cache cannot be used .*delete it or choose another folder"):
        look_up()
