"""The tokenised corpus: what it holds, what it leaves out, and that an interrupted preparation ends the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from cdlm.errors import InputError
from cdlm.pretraining import SetSource, TokenStore, in_words, prepare
from cdlm.tokens import Tokenizer

Texts = tuple[str, ...]
SETS: list[Texts] = [
    ("w1 w2", "w3", "w4 w5 w6 w7 w8 w9"),
    ("w1",),
    (),
    ("w10", "", "w11", " ", "w12"),
    ("", " "),
    ("<doc-s> w1 </doc-s>", "unheard-of", "w2"),
]


def source(sets: list[Texts], broken_after: int | None = None) -> SetSource:
    def read(tally: Counter[str]) -> Iterator[Texts]:
        tally["lines of noise"] += 1
        for number, texts in enumerate(sets):
            if number == broken_after:
                raise KeyboardInterrupt
            yield texts

    return read


def contents(store: TokenStore) -> list[list[list[int]]]:
    return [[store[d].tolist() for d in store.documents_of(n)] for n in range(store.sets)]


def test_what_is_kept_and_what_is_left_out(word_tokenizer: Tokenizer, tmp_path: Path) -> None:
    store = prepare([source(SETS)], word_tokenizer, tmp_path / "tokens", longest=4)
    word, unknown = word_tokenizer.ids(f"w{n}" for n in range(20)), word_tokenizer.unknown_id
    assert contents(store) == [
        [[word[1], word[2]], [word[3]], word[4:8]],
        [[word[10]], [word[11]], [word[12]]],
        # What looks like a special token is text.
        [[unknown, word[1], unknown], [unknown], [word[2]]],
    ]
    assert (store.sets, store.documents, store.tokens) == (3, 9, 15)
    assert [store.set_of(d) for d in range(9)] == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert store.left_out == {
        "lines of noise": 1, "sets without a document": 2, "sets with too few documents": 1,
        "documents cut to the maximum length": 1,
    }  # fmt: skip
    assert in_words(Counter({"bad lines": 1000, "none": 0})) == "bad lines: 1,000"


def test_a_corpus_is_tokenised_once(word_tokenizer: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = prepare([source(SETS * 3)], word_tokenizer, tmp_path / "whole", longest=4)
    monkeypatch.setattr("cdlm.pretraining.token_store.CHARACTERS_AT_ONCE", 20)
    parts = prepare([source(SETS * 3)], word_tokenizer, tmp_path / "parts", longest=4)
    assert contents(parts) == contents(whole)
    assert parts.left_out == whole.left_out
    written = (tmp_path / "parts" / "ids.int32").stat().st_mtime_ns
    again = prepare([source(SETS * 3)], word_tokenizer, tmp_path / "parts", longest=4)
    assert contents(again) == contents(whole)
    assert (tmp_path / "parts" / "ids.int32").stat().st_mtime_ns == written


def test_a_folder_with_something_else(word_tokenizer: Tokenizer, tmp_path: Path) -> None:
    prepare([source(SETS)], word_tokenizer, tmp_path / "tokens", longest=4)
    with pytest.raises(InputError, match="those of another corpus"):
        prepare([source(SETS)], word_tokenizer, tmp_path / "tokens", longest=5)
    # The same texts in other sets are another corpus.
    with pytest.raises(InputError, match="those of another corpus"):
        prepare([source([(*SETS[0], *SETS[1]), *SETS[2:]])], word_tokenizer, tmp_path / "tokens", longest=4)
    assert prepare([source(SETS)], word_tokenizer, tmp_path / "other", longest=4).tokens == 15
    assert prepare([source(SETS)], word_tokenizer, tmp_path / "other", longest=5, disposable=True).tokens == 16
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").touch()
    with pytest.raises(InputError, match="not empty"):
        prepare([source(SETS)], word_tokenizer, tmp_path / "mine", longest=4)
    for file in ("ids.int32", "starts.npz"):
        (tmp_path / "tokens" / file).write_bytes(b"cut off")
        with pytest.raises(InputError, match="cannot be read"):
            prepare([source(SETS)], word_tokenizer, tmp_path / "tokens", longest=4)
