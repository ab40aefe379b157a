"""Scores of the training rows after each round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, Vector, results


def stages(votes: Iterator[tuple[float, Vector]], combine: Any) -> Iterator[Vector]:
    """The score after each round; an array is updated in place."""
    score: Any = 0.0
    for t, (step, vote) in enumerate(votes):
        if combine is not None:
            score = combine(score, step, vote)
        elif isinstance(score, np.ndarray):
            score += step * vote
        else:
            score = score + step * vote if t else step * vote
        yield score


def staged_above(
    scores: Iterator[Vector],
    positive: Vector,
    limit: Floats,
    row_limit: Any,
    amount: Any,
) -> NDArray[Any]:
    """Amount of the positives and of the negatives above the threshold after each round."""
    totals = [
        np.add.reduce(results(_amounts_above, score, float(bound), row_limit, positive, amount))
        for score, bound in zip(scores, limit, strict=True)
    ]
    return np.array(totals).reshape(-1, 2)


def _amounts_above(
    score: Floats, bound: float, row_limit: Any, positive: NDArray[np.bool_], amount: Any
) -> NDArray[np.int64]:
    above = score > (bound if row_limit is None else bound * row_limit)
    both = above & positive, above & ~positive
    sums = [np.count_nonzero(of) if amount is None else amount[of].sum() for of in both]
    return np.array(sums, dtype=np.int64)
