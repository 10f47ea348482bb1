"""Names and parts of documents, and the unique ids made of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.corpus import Document
from cdcoref.errors import InputError
from cdcoref.formats import DocumentKey
from cdcoref.formats.document_names import column_to_key, document_ids, document_keys, key_to_column

names = st.text(min_size=1, max_size=6) | st.sampled_from(["x", "x; part 001", "x;\\u0020part\\u0020001", "a b", ";"])
parts = st.integers(0, 2000).map(str)


@given(names, parts)
def test_a_column_says_name_and_part(name: str, part: str) -> None:
    column = key_to_column(DocumentKey(name, part))
    assert not any(character.isspace() for character in column)
    assert column_to_key(column) == DocumentKey(name, part)


@given(st.lists(st.builds(DocumentKey, names, parts), unique=True, max_size=5))
def test_keys_made_of_ids_make_the_same_ids(keys: list[DocumentKey]) -> None:
    try:
        ids = document_ids(keys, "file")
    except InputError:
        return  # as "x; part 001" and part 1 of "x", after part 0
    documents = [Document.from_sentences(id, [], part=key.part) for id, key in zip(ids, keys, strict=True)]
    assert len(set(ids)) == len(ids)
    assert document_ids(document_keys(documents), "file") == ids


def test_ids_that_would_be_equal() -> None:
    with pytest.raises(InputError, match="two documents of the file get the id 'x; part 001'"):
        document_ids([DocumentKey("x; part 001"), DocumentKey("x"), DocumentKey("x", "1")], "file")


def test_the_ids_of_parts() -> None:
    keys = [DocumentKey("x", "3"), DocumentKey("y"), DocumentKey("x", "0"), DocumentKey("x", "12")]
    ids = document_ids(keys, "file")
    assert ids == ["x", "y", "x; part 000", "x; part 012"]
    documents = [Document.from_sentences(id, [], part=key.part) for id, key in zip(ids, keys, strict=True)]
    assert list(document_keys(documents)) == keys


@pytest.mark.parametrize("part", ["", "b", "-1", "1.0", "٣", "9" * 10])
def test_parts_are_numbers(part: str) -> None:
    with pytest.raises(InputError, match="must be a number"):
        list(document_keys([Document.from_sentences("d", [], part=part)]))
