"""Optimiser steps of a fixed number of candidate pairs: which pairs an epoch reads, and in which batches.

The paper's step has 128 pairs, and each counts 1/128 (Appendix C.1). So an epoch is a whole number of steps: every
coreferent pair, and as many of the others as fill them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cdcoref.errors import InputError

Integers = NDArray[np.int64]


def pairs_of_batch(step_pairs: int, batches_of_step: int, marking: str) -> int:
    """How many pairs a batch has; 0 if steps have no fixed number of pairs.

    Raises
    ------
    InputError
        If the pairs of a step cannot be divided into its batches, or if sequences do not have exactly one pair.
    """
    if not step_pairs:
        return 0
    if marking != "pair":
        raise InputError(
            "sampling.step_pairs counts sequences with one marked pair; set model.sequences.marking to pair"
        )
    if step_pairs % batches_of_step:
        raise InputError(
            f"a step of {step_pairs} pairs cannot be divided into {batches_of_step} batches of one size; change "
            "run.accumulation, which counts the batches of a step in each process"
        )
    return step_pairs // batches_of_step


def number_of_steps(positives: int, negatives: int, ratio: float, step_pairs: int) -> int:
    """How many steps an epoch has: about those of all positives with `ratio` negatives each (0: all negatives).

    There are no more than the pairs fill, but enough for all positives, and at least one.
    """
    wanted = min(negatives, round(ratio * positives)) if ratio else negatives
    steps = min(round((positives + wanted) / step_pairs), (positives + negatives) // step_pairs)
    return max(1, steps, -(-positives // step_pairs))


def drawn_pairs(positive: NDArray[np.bool_], count: int, rng: np.random.Generator) -> Integers:
    """Numbers of exactly `count` pairs: the positive ones, and others drawn at random, all once.

    If there are more positive ones than that, some of them are drawn; if there are too few pairs, some are drawn again.
    *Shape:* (count,)

    Parameters
    ----------
    positive
        Which pairs corefer. *Shape:* (pairs,)
    """
    own, others = np.flatnonzero(positive), np.flatnonzero(~positive)
    if len(own) > count:
        own = rng.permutation(own)[:count]
    drawn = np.concatenate([own, rng.permutation(others)[: count - len(own)]])
    again = rng.integers(0, len(positive), count - len(drawn))
    return np.concatenate([drawn, again])


def batches_of_steps(
    lengths: Sequence[int], step_pairs: int, batch_pairs: int, rng: np.random.Generator
) -> list[list[int]]:
    """Divide pairs into steps at random, and each step into batches of pairs of similar length.

    Parameters
    ----------
    lengths
        Word pieces of the pairs' sequences; their number is a multiple of the step's.
    """
    order = rng.permutation(len(lengths)).reshape(-1, step_pairs)
    longest_last = np.take_along_axis(order, np.argsort(np.array(lengths)[order], axis=1, kind="stable"), axis=1)
    batches: list[list[int]] = longest_last.reshape(-1, batch_pairs).tolist()
    return batches
