"""Features of pairs: known answers for mentions of one text, symmetry, range, and independence of the order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.corpus import Document, Mention
from cdcoref.language import FEATURES, FactTables, MentionFacts, conflicts, mention_facts, pair_features
from tests.tables import rows_of

LINES = (
    "The Anna Maria sank on Monday in 1998",
    "Maria , an old ship , had sunk before , in 2001",
    "It was carrying 2,000 tonnes and 12 sailors",
    "she and her 300 tonnes",
)


def traits_of(phrase: str, document: str = "d") -> MentionFacts:
    """The mention with these words, wherever it stands in the text."""
    text = Document.from_sentences(document, [line.split() for line in LINES])
    words = phrase.split()
    start = next(n for n in range(len(text.tokens)) if list(text.tokens[n : n + len(words)]) == words)
    mention = Mention(document, tuple(range(start, start + len(words))), "entity")
    return mention_facts(text, mention, text.sentence_of_tokens()[start])


def test_known_answers() -> None:
    pairs = np.array([[0, 1], [1, 0]])
    for row in rows_of(__file__, "features.tsv"):
        found = pair_features([row["feature"]], [traits_of(row["one"]), traits_of(row["other"])], pairs)
        assert found.tolist() == [[float(row["value"])]] * 2, row


def test_the_head_of_a_mention_with_gaps_is_that_of_its_phrase() -> None:
    text = Document.from_sentences("d", [["The", "old", "Emperor", "of", "the", "United", "States", "met", "him"]])
    emperor = mention_facts(text, Mention("d", (2, 5, 6), "entity"), 0)
    assert emperor.words.head == "emperor"
    assert emperor.words.words == ("emperor", "united", "states")
    assert emperor.phrase == mention_facts(text, Mention("d", (2, 3, 4, 5, 6), "entity"), 0).phrase
    assert emperor.phrase.modifiers == {"old"}


def of_sentence(sentence: str, start: int, end: int, hidden: bool = False) -> MentionFacts:
    """A mention of a text of one sentence."""
    text = Document.from_sentences("d", [sentence.split()], hidden=frozenset({0} if hidden else ()))
    return mention_facts(text, Mention("d", tuple(range(start, end)), "entity"), 0)


NORTHERN = of_sentence("They closed the northern port of Lund on Monday", 4, 5)


@pytest.mark.parametrize(
    ("feature", "other", "value"),
    [
        ("modifiers", of_sentence("Ships left the southern port at noon", 4, 5), -1.0),
        ("modifiers", of_sentence("Ships left the southern port at noon", 2, 5), -1.0),
        ("modifiers", of_sentence("Ships left a small northern port at noon", 5, 6), 1.0),
        ("modifiers", of_sentence("Ships left the port at noon", 3, 4), 0.0),
        ("complements", of_sentence("The port of Oslo is closed", 1, 2), -1.0),
        ("complements", of_sentence("The port of Oslo is closed", 0, 4), -1.0),
        ("complements", of_sentence("The port in Lund is closed", 1, 2), 1.0),
        ("complements", of_sentence("The port was closed in Oslo", 1, 2), 0.0),
        ("one_modified", of_sentence("Ships left the port", 3, 4), 1.0),
        ("one_modified", of_sentence("Ships left the southern port", 4, 5), 0.0),
    ],
)
def test_words_beside_the_head_count_marked_or_not(feature: str, other: MentionFacts, value: float) -> None:
    pairs = np.array([[0, 1], [1, 0]])
    assert pair_features([feature], [NORTHERN, other], pairs).tolist() == [[value], [value]]


def test_across_documents_nothing_is_near() -> None:
    names = ("same_document", "closeness", "same_sentence", "nested")
    table = pair_features(names, [traits_of("Anna"), traits_of("Anna", "other")], np.array([[0, 1]]))
    assert table.tolist() == [[0.0] * 4]


WORDS = st.lists(
    st.sampled_from(
        ["The", "a", "Anna", "Anna's", "it", "his", "12", "2001", "1,200", "Monday", "of", "sank", "(", ","]
    ),
    min_size=1,
)


@given(st.lists(WORDS, min_size=2, max_size=6), st.randoms(use_true_random=False))
def test_features_are_symmetric_in_range_and_independent_of_order(sentences: list[list[str]], random) -> None:
    text = Document.from_sentences("d", sentences)
    seen = [
        mention_facts(text, Mention("d", tuple(range(start, random.randint(start + 1, end))), "entity"), number)
        for number, (start, end) in enumerate(text.sentences)
    ]
    pairs = np.stack(np.triu_indices(len(seen), 1), -1)
    table = pair_features(list(FEATURES), seen, pairs)
    assert np.abs(table).max(initial=0) <= 1
    np.testing.assert_array_equal(pair_features(list(FEATURES), seen, pairs[:, ::-1]), table)
    order = random.sample(range(len(seen)), len(seen))
    place = np.argsort(order)
    np.testing.assert_array_equal(pair_features(list(FEATURES), [seen[n] for n in order], place[pairs]), table)


def sentence_cosine(feature: str, lines: list[str], documents: list[str]) -> np.ndarray:
    """The feature of every pair of the first words of sentences."""
    seen = []
    for line, name in zip(lines, documents, strict=True):
        document = Document.from_sentences(name, [line.split()])
        seen.append(mention_facts(document, Mention(name, (0,), "event"), 0))
    pairs = np.stack(np.triu_indices(len(lines), 1), -1)
    return pair_features([feature], seen, pairs)[:, 0]


def test_sentences_that_share_rare_words_are_alike() -> None:
    lines = ["Fire in Lund", "Fire in Oslo", "Fire in Lund", "Votes were counted"]
    same, lund, none, oslo, *_ = sentence_cosine("sentences", lines, ["a", "b", "c", "d"])
    assert lund == pytest.approx(1.0)
    assert 0 < same < 1
    assert same == pytest.approx(oslo)
    assert none == 0
    # "fire" is in three documents and "Oslo" in one, so less than half of the two sentences agrees.
    assert same < 0.5


def test_names_of_sentences_are_those_after_the_first_word_and_numbers() -> None:
    lines = ["Fire in Lund", "Smoke over Lund", "Fire , 12 hurt", "Smoke , 12 hurt"]
    values = sentence_cosine("sentence_names", lines, ["a", "b", "c", "d"])
    assert values.tolist() == pytest.approx([1, 0, 0, 0, 0, 1])


def test_many_mentions_have_the_features_of_few() -> None:
    """But for those that say how rare words are."""
    phrases = (
        "The Anna Maria", "sank", "on Monday", "1998", "Maria", "2001", "2,000 tonnes", "12 sailors", "she", "her",
    )  # fmt: skip
    seen = [traits_of(phrase, document) for document in ("d", "e") for phrase in phrases]
    pairs = np.stack(np.triu_indices(len(seen), 1), -1)
    names = [name for name in FEATURES if name not in ("rare_head", "sentences", "sentence_names")]
    few = pair_features(names, seen, pairs)
    impossible = conflicts(FactTables(seen), pairs)
    words = [m.words.words for m in seen]
    assert {(words[i], words[j]) for i, j in pairs[impossible]} >= {(("1998",), ("2001",))}
    # More than 2000 others, each of words, years, names and a sentence of its own, and more than 100,000 pairs.
    others = [
        Document.from_sentences(f"o{n}", [[f"Anna{n}", f"w{n}", "of", f"in{n}", str(3000 + n), "tonnes", "sank"]])
        for n in range(2100)
    ]
    tables = FactTables([*seen, *(mention_facts(own, Mention(own.id, (0, 1, 4), "entity"), 0) for own in others)])
    many = np.tile(pairs, (100_000 // len(pairs) + 2, 1))
    found = pair_features(names, tables, many).reshape(-1, *few.shape)
    np.testing.assert_allclose(found, np.broadcast_to(few, found.shape), atol=1e-6)
    np.testing.assert_array_equal(conflicts(tables, many).reshape(len(found), -1), np.tile(impossible, (len(found), 1)))


def test_many_sentences_are_compared_by_their_rare_words() -> None:
    """Two that are the same, two that share rare words, two that share common ones, and two that share none."""
    lines = ["Fire in Lund", "Fire in Lund", "Smoke over Lund", "Fire in Oslo", *(f"Fire in w{n}" for n in range(2100))]
    seen = [
        mention_facts(Document.from_sentences(f"d{n}", [line.split()]), Mention(f"d{n}", (0,), "event"), 0)
        for n, line in enumerate(lines)
    ]
    pairs = np.array([[0, 1], [0, 2], [0, 3], [2, 3], [4, 5], [5, 4]])
    same, rare, common, none, *fires = pair_features(["sentences"], FactTables(seen), pairs)[:, 0]
    assert same == pytest.approx(1)
    assert 1 > rare > common > none == 0
    assert fires[0] == fires[1] == pytest.approx(common, rel=0.2)


def test_a_hidden_sentence_says_nothing() -> None:
    document = Document.from_sentences("d", [["Fire", "in", "Lund"]], hidden=frozenset({0}))
    seen = mention_facts(document, Mention("d", (0,), "event"), 0)
    assert seen.around.lemmas == frozenset()
    assert seen.phrase.complements == frozenset()
    marked = of_sentence("Fire in Lund", 0, 3, hidden=True)
    assert marked.phrase.complements == {"lund"}
