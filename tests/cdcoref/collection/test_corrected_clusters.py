"""Clusters under constraints: every constraint is obeyed, nothing else changes, contradictions are found."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.clustering import contradict
from cdcoref.collection.corrected_clusters import Constraints, constrained

SIZE = 9
PAIR = st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1)).filter(lambda pair: pair[0] != pair[1])


def scores_of(seed: int) -> np.ndarray:
    matrix = np.random.default_rng(seed).random((SIZE, SIZE))
    return (matrix + matrix.T) / 2


def blocks(pairs: list[tuple[int, int]]) -> list[set[int]]:
    found = [{n} for n in range(SIZE)]
    for a, b in pairs:
        joined = [block for block in found if a in block or b in block]
        found = [block for block in found if block not in joined] + [set.union(*joined)]
    return found


@given(
    st.lists(st.integers(0, 3), min_size=SIZE, max_size=SIZE),
    st.lists(PAIR, max_size=5),
    st.lists(PAIR, max_size=5),
    st.lists(PAIR, max_size=3),
    st.integers(0, 100),
)
def test_constraints_are_obeyed_or_contradict(
    labels: list[int],
    together: list[tuple[int, int]],
    apart: list[tuple[int, int]],
    antecedents: list[tuple[int, int]],
    seed: int,
) -> None:
    own = blocks(together)
    impossible = any({a, b} <= block for a, b in apart for block in own)
    assert contradict(together, apart) == impossible
    if impossible:
        return
    scores = scores_of(seed)
    said = [*(Constraints((pair,)) for pair in together), *(Constraints((), (pair,)) for pair in apart)]
    np.random.default_rng(seed).shuffle(said)
    links = {pronoun: antecedent for pronoun, antecedent in antecedents if labels[pronoun] == labels[antecedent]}
    found = constrained(np.array(labels), said, lambda some: scores[np.ix_(some, some)], links)
    assert all(found[a] == found[b] for a, b in together)
    assert all(found[a] != found[b] for a, b in apart)
    # Clusters about which nothing was said are as they were.
    named = {labels[n] for pair in (*together, *apart) for n in pair}
    for label in set(labels) - named:
        members = [n for n in range(SIZE) if labels[n] == label]
        assert len(set(found[members])) == 1
        assert not set(found[members]) & {found[n] for n in range(SIZE) if labels[n] != label}


def test_a_cluster_is_divided_into_as_few_parts_as_it_takes() -> None:
    scores = np.array([[0.0, 0.9, 0.1, 0.2], [0.9, 0.0, 0.1, 0.3], [0.1, 0.1, 0.0, 0.8], [0.2, 0.3, 0.8, 0.0]])
    found = constrained(
        np.zeros(4, dtype=np.int64), [Constraints((), ((0, 2),))], lambda some: scores[np.ix_(some, some)]
    )
    assert found[0] == found[1] != found[2] == found[3]


def test_clusters_of_what_is_the_same_become_one_whole() -> None:
    found = constrained(np.array([0, 0, 1, 1, 2]), [Constraints(((1, 2),))], lambda some: np.zeros((0, 0)))
    assert found.tolist()[:4] == [found[0]] * 4
    assert found[4] != found[0]


def test_nothing_said_changes_nothing() -> None:
    labels = np.array([3, 1, 1, 0])
    assert constrained(labels, [], lambda some: np.zeros((0, 0))).tolist() == [3, 1, 1, 0]


def test_a_pronoun_goes_with_its_antecedent_and_does_not_count() -> None:
    # 0 and 1 resemble 2 and 3; the pronouns 4, 5 and 6 refer to 0, to 4 and to 2.
    scores = np.zeros((7, 7))
    scores[:4, :4] = [[0, 0.9, 0.5, 0.5], [0.9, 0, 0.5, 0.6], [0.5, 0.5, 0, 0.8], [0.5, 0.6, 0.8, 0]]
    antecedents = {4: 0, 5: 4, 6: 2}

    def parts(*said: Constraints) -> list[int]:
        return constrained(
            np.zeros(7, dtype=np.int64), said, lambda some: scores[np.ix_(some, some)], antecedents
        ).tolist()

    assert parts(Constraints((), ((0, 2),))) == [0, 0, 1, 1, 0, 0, 1]
    # People said that a pronoun is not what it refers to: it is alone, with the pronoun that refers to it.
    assert parts(Constraints((), ((4, 0),))) == [0, 0, 0, 0, 1, 1, 0]
    # Of a split everything else stays where it was, the pronouns too.
    rest = tuple((0, other) for other in (2, 3, 4, 5, 6))
    assert parts(Constraints(((0, 1),), rest)) == [0, 0, 1, 1, 1, 1, 1]


def test_a_mention_moves_alone() -> None:
    labels = np.array([0, 0, 0, 1, 1, 2])
    scores = np.full((6, 6), 0.3)
    moved = Constraints(((0, 3),), ((0, 1), (0, 2)))
    found = constrained(labels, [moved], lambda some: scores[np.ix_(some, some)]).tolist()
    assert found[0] == found[3] == found[4] != found[1] == found[2]
    assert found[5] not in found[:5]


def test_what_was_separated_before_is_not_drawn_along() -> None:
    """Mentions 0 to 2 were one cluster; 2 is not 0. That 1 then goes to 3 says nothing of 2, which resembles 1."""
    scores = np.array([[0, 0.9, 0.1, 0], [0.9, 0, 0.8, 0], [0.1, 0.8, 0, 0], [0, 0, 0, 0.0]])
    said = [Constraints((), ((0, 2),)), Constraints(((1, 3),), ((1, 0),))]
    found = constrained(np.array([0, 0, 0, 1]), said, lambda some: scores[np.ix_(some, some)]).tolist()
    assert found[1] == found[3]
    assert len(set(found)) == 3
