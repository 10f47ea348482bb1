"""Text in any encoding that says or is told what it is becomes UTF-8; other text is refused, and what may help said."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.errors import InputError
from cdcoref.formats import ReadOptions, first_bytes, line_chunks, read_corpus, read_text
from tests.streams import SlowStream

MARKED = {
    "utf-8": b"\xef\xbb\xbf",
    "utf-16-le": b"\xff\xfe",
    "utf-16-be": b"\xfe\xff",
    "utf-32-le": b"\xff\xfe\0\0",
    "utf-32-be": b"\0\0\xfe\xff",
}
LETTER = "Dear José,\nthe “ferry” sank – 5 € lost 😢.\n"


@pytest.mark.parametrize("encoding", MARKED)
@pytest.mark.parametrize("size", [5, 7, 1000])
@given(text=st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30))
def test_a_byte_order_mark_is_obeyed_and_removed(encoding: str, size: int, text: str) -> None:
    content = MARKED[encoding] + text.encode(encoding)
    for data in (content, gzip.compress(content)):
        chunks = list(line_chunks(SlowStream(data, size)))
        expected = text if not text or text.endswith("\n") else f"{text}\n"
        assert b"".join(chunk for _, chunk in chunks).decode() == expected
        number = 1
        for first, chunk in chunks:
            assert first == number
            number += chunk.count(b"\n")
    assert first_bytes(io.BytesIO(content)).decode() == text


@pytest.mark.parametrize(
    ("text", "written", "named"),
    [
        (LETTER.replace("😢", ""), "cp1252", "windows-1252"),
        ("Зоя бежала.\n", "koi8-r", "koi8-r"),
        (LETTER, "utf-16-le", "utf-16-le"),  # without a mark
        (LETTER, "utf-8", "cp1252"),  # what is UTF-8, or has a mark, stays what it is
        (LETTER, "utf-16", "cp1252"),
    ],
)
def test_text_is_read_in_the_encoding_that_is_named(tmp_path: Path, text: str, written: str, named: str) -> None:
    for content in (text.encode(written), gzip.compress(text.encode(written))):
        (tmp_path / "a.txt").write_bytes(content)
        assert read_text(tmp_path / "a.txt", encoding=named).text == text


def test_an_encoding_is_suggested_where_the_text_may_be_in_it(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\ncaf\xe9\n")
    with pytest.raises(
        InputError, match=r"a\.txt, line 2: the line is not valid UTF-8; it may be cp1252: .*--encoding"
    ):
        read_text(path)
    # 0x81 is nothing in cp1252; 0x01 is in no text.
    for content in (b"one\ncaf\xe9 \x81\n", b"one\n\x01\xe9\n", b"one\n\0\xe9\n"):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"a\.txt, line 2: the line (is not valid UTF-8; convert|contains a NUL)"):
            read_text(path)
    path.write_bytes(b"one\ncaf\xe9 \x81\n")
    with pytest.raises(InputError, match=r"a\.txt, line 2: the line cannot be decoded as cp1252"):
        read_text(path, encoding="cp1252")


@pytest.mark.parametrize("name", ["klingon", "", "a\0b", "base64", "rot13", "undefined"])
def test_an_encoding_that_does_not_exist(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"there is no encoding .*; usual ones are cp1252"):
        read_corpus([tmp_path], ReadOptions(encoding=name))
