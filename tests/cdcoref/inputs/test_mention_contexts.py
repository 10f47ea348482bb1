"""What the cross-encoder sees of a mention: the opening, names and numbers, and the sentence."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from cdcoref.corpus import Document, Mention
from cdcoref.inputs import ContextOptions, DocumentContexts, MentionContext, ReadingBuilder
from cdcoref.reading import Reading

if TYPE_CHECKING:
    from cdlm.tokens import Tokenizer

OPTIONS = ContextOptions(opening=24, names=32, sentence=56)
TEXT = [
    "The ferry sank in the storm .",
    "He saw Ada and Bo on Monday 12 .",
    "Bo was the captain .",
    "Ada saw the ferry and Olsens 7 7 men .",
]


def document(*sentences: str, hidden: tuple[int, ...] = ()) -> Document:
    made = Document.from_sentences("d", [sentence.split() for sentence in sentences])
    return replace(made, hidden=frozenset(hidden))


class Reader:
    """Shows contexts as text."""

    def __init__(self, tokenizer: Tokenizer, max_length: int = 64) -> None:
        self.tokenizer = tokenizer
        self.build = ReadingBuilder(tokenizer, max_length, 512, 3)

    def context(self, of: Document, tokens: tuple[int, ...], options: ContextOptions) -> MentionContext | None:
        return DocumentContexts(Reading(of), list(self.build(of)), options).of(Mention(of.id, tokens, "event"))

    def shown(self, of: Document, tokens: tuple[int, ...], options: ContextOptions) -> tuple[str, str, str, str]:
        """Opening, names, sentence, and the mention itself."""
        context = self.context(of, tokens, options)
        assert context is not None
        ids = np.concatenate([sequence.input_ids for sequence in self.build(of)])[context.pieces]
        parts = [ids[context.parts == part] for part in range(3)] + [ids[context.own]]
        return tuple(  # type: ignore[return-value]
            " ".join(self.tokenizer.tokens(part.tolist())).replace(" ##", "") for part in parts
        )


@pytest.fixture
def reader(wordpiece: Tokenizer) -> Reader:
    return Reader(wordpiece)


@pytest.mark.parametrize("max_length", [64, 24])
def test_the_three_parts(wordpiece: Tokenizer, max_length: int) -> None:
    """Names are in the order of the text, each once, without those of the other parts; in one sequence or in many."""
    reader = Reader(wordpiece, max_length)
    assert reader.shown(document(*TEXT), (22,), OPTIONS) == (
        "the ferry sank in the storm .",
        "he bo mond 12",  # a word with a capital is a name; at most four of its pieces are shown
        "ada saw the ferry and olsens 7 7 men .",
        "saw",
    )
    assert reader.shown(document(*TEXT), (18, 19), OPTIONS) == (
        "the ferry sank in the storm .",
        "he ada mond 12 olse 7",
        "bo was the captain .",
        "the captain",
    )


def test_in_the_opening_there_is_no_other_opening(reader: Reader) -> None:
    opening, names, sentence, own = reader.shown(document(*TEXT), (2,), OPTIONS)
    assert (opening, sentence, own) == ("", "the ferry sank in the storm .", "sank")
    assert names == "he ada bo mond 12 olse 7"


def test_options_bound_the_parts(reader: Reader) -> None:
    options = ContextOptions(opening=2, names=5, sentence=100)
    opening, names, _, _ = reader.shown(document("The man saw Bo .", *TEXT[1:]), (25,), options)
    assert opening.startswith("the")
    assert len(opening.split()) == 2
    assert names.split()[0] == "bo"  # of the first sentence, but not in what is seen of it
    nothing = ContextOptions(opening=0, names=0, sentence=100)
    assert reader.shown(document(*TEXT), (22,), nothing)[:2] == ("", "")


def test_of_a_long_sentence_the_middle_is_what_is_around_the_mention(reader: Reader) -> None:
    words = ["the", *"abcdefghijklmnopqrstuvwxyz", "."]
    long = document("The storm .", " ".join(words))
    options = ContextOptions(sentence=5)
    for token, expected in ((3, "the a b c d"), (16, "k l m n o"), (30, "w x y z .")):
        shown = reader.shown(long, (token,), options)
        assert shown[2] == expected
        assert shown[3] == words[token - 3]
    whole = reader.shown(long, tuple(range(10, 20)), options)
    assert whole[2] == whole[3] == "g h i j k"


def test_hidden_sentences_are_not_seen(reader: Reader) -> None:
    hidden = document(*TEXT, hidden=(0, 2))
    assert reader.context(hidden, (2,), OPTIONS) is None
    opening, names, _, _ = reader.shown(hidden, (22,), OPTIONS)
    assert opening == "he saw ada and bo on monday 12 ."
    assert names == ""
    nothing = document(*TEXT, hidden=(0, 1, 2, 3))
    assert reader.context(nothing, (22,), OPTIONS) is None


def test_places_count_within_parts(reader: Reader) -> None:
    context = reader.context(document(*TEXT), (22,), OPTIONS)
    assert context is not None
    places = context.places(1000)
    for part in range(3):
        own = places[context.parts == part]
        assert own.tolist() == list(range(1000 * part, 1000 * part + len(own)))


def test_the_digest_is_that_of_the_contents(reader: Reader) -> None:
    options = OPTIONS
    base = document(*TEXT)
    contexts = [
        reader.context(base, (22,), options),
        reader.context(base, (21,), options),
        reader.context(document(*TEXT[:3], "Ada saw the ferry and Olsens 7 8 men ."), (22,), options),
        reader.context(document(*TEXT, hidden=(1,)), (22,), options),
    ]
    digests = {context.digest for context in contexts if context is not None}
    assert len(digests) == 4
    renamed = reader.context(replace(base, id="e", path="x", topic="t"), (22,), options)
    assert renamed is not None
    assert contexts[0] is not None
    assert renamed.digest == contexts[0].digest
