"""Chunks of whole lines from files and streams."""

from __future__ import annotations

import gzip
import io
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.errors import InputError
from cdcoref.formats import first_bytes, line_chunks
from tests.streams import SlowStream


@pytest.mark.parametrize("size", [3, 4, 7, 100])
@given(st.lists(st.text(st.characters(exclude_characters="\0\n", exclude_categories=["Cs"]), max_size=9), min_size=1))
def test_chunks_are_whole_lines_in_order(size: int, text: list[str]) -> None:
    content = "\n".join(text).encode()
    for data in (content, gzip.compress(content)):
        chunks = list(line_chunks(SlowStream(data, size)))
        expected = content.removeprefix(b"\xef\xbb\xbf")
        if expected and not expected.endswith(b"\n"):
            expected += b"\n"
        assert b"".join(chunk for _, chunk in chunks) == expected
        assert all(chunk.endswith(b"\n") for _, chunk in chunks)
        number = 1
        for first, chunk in chunks:
            assert first == number
            number += chunk.count(b"\n")


def test_a_file_longer_than_a_chunk(tmp_path: Path) -> None:
    content = b"".join(b"%d\n" % number for number in range(700_000))
    for data in (content, gzip.compress(content, 1)):
        (tmp_path / "a").write_bytes(data)
        (first, start), (second, end) = line_chunks(tmp_path / "a")
        assert start + end == content
        assert end.startswith(b"%d\n" % (second - 1))
        assert first == 1


def test_a_stream_is_left_open_and_a_pipe_can_be_read() -> None:
    stream = io.BytesIO(gzip.compress(b"a\nb"))
    assert list(line_chunks(stream)) == [(1, b"a\n"), (2, b"b\n")]
    assert not stream.closed
    reader, writer = os.pipe()
    os.write(writer, b"text")
    os.close(writer)
    with open(reader, "rb", buffering=0) as pipe:
        assert list(line_chunks(pipe)) == [(1, b"text\n")]
        assert not pipe.closed


def test_the_first_bytes_are_decompressed(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(gzip.compress(b"\xef\xbb\xbf" + b"x" * 100_000))
    assert first_bytes(tmp_path / "a", 10) == b"x" * 7
    assert len(first_bytes(tmp_path / "a")) == (1 << 16) - 3


def test_a_stream_has_a_name_in_messages(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the stream, line 2: "):
        list(line_chunks(io.BytesIO(b"a\n\xff")))
    (tmp_path / "a").write_bytes(b"\xff")
    with (tmp_path / "a").open("rb") as file, pytest.raises(InputError, match="/a, line 1: "):
        list(line_chunks(file))
