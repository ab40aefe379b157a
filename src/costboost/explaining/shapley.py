r"""Shapley values of a score, exact, against a background of rows.

A coalition S of features knows their values in x; for the others it has those of a background row
z, and its worth is the mean over the background of F(x on S, z elsewhere). The Shapley value of a
feature is the mean gain in worth when it joins a coalition, all orders being equally likely.

If F is a sum of functions of one feature, it is f_j(x_j) minus the mean of f_j over the background.
In a tree, each leaf is a product of conditions on features, and such a product has a closed form:
where x meets the conditions of the features U alone, z those of V alone, and at least one of them
all others, a leaf of value v adds

    v (|U| - 1)! |V|! / (|U| + |V|)!   to each feature of U,   and
    -v |U|! (|V| - 1)! / (|U| + |V|)!  to each feature of V.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.engine.ensemble import Ensemble
from costboost.explaining.shapes import Floats, additive, goes_left

Flags = NDArray[np.bool_]

MOST_FEATURES = 62
"""Bits of a pattern."""
CELLS = 1_000_000
"""Pairs of patterns that are looked at together."""


def shapley_values(model: Any, rows: Floats, background: Floats) -> Floats:
    """A value for each row and feature, towards the positive class; rows are coded as numbers."""
    parts = additive(model)
    values = np.zeros(rows.shape)
    if parts is not None:
        for shape in parts.shapes:
            j = shape.feature
            values[:, j] = shape(rows[:, j]) - shape(background[:, j]).mean()
        return values
    if model._combine() is not None or not isinstance(model.ensemble_, Ensemble):
        raise ValueError(
            f"{type(model).__name__} with these weak learners cannot be explained: they do not "
            "tell which features they look at. Take the built-in stumps or trees"
        )
    for t in range(len(model.ensemble_)):
        _add_tree(model.ensemble_, t, rows, background, values)
    return values


def _add_tree(ensemble: Ensemble, t: int, rows: Floats, background: Floats, values: Floats) -> None:
    both = np.concatenate([rows, background])
    for value, conditions in _leaves(ensemble, t, both):
        features = sorted(conditions)
        if len(features) > MOST_FEATURES:
            raise ValueError(
                f"a tree tests {len(features)} features one below the other, too many to explain "
                f"({MOST_FEATURES} at most); train with a smaller max_depth"
            )
        code = sum(conditions[j].astype(np.int64) << k for k, j in enumerate(features))
        of_row, place = np.unique(np.asarray(code)[: len(rows)], return_inverse=True)
        of_back, count = np.unique(np.asarray(code)[len(rows) :], return_counts=True)
        size = max(1, CELLS // of_back.size)
        parts = [of_row[k : k + size] for k in range(0, of_row.size, size)]
        share = count / len(background)
        gains = np.concatenate([_gains(part, of_back, share, len(features)) for part in parts])
        values[:, features] += value * gains[place]


def _leaves(ensemble: Ensemble, t: int, rows: Floats) -> Iterator[tuple[float, dict[int, Flags]]]:
    """Each leaf's value, and which rows meet all its conditions on each feature."""
    waiting: list[tuple[int, dict[int, Flags]]] = [(int(ensemble.first[t]), {})]
    while waiting:
        node, conditions = waiting.pop()
        j = int(ensemble.feature[node])
        if j < 0:
            if conditions:
                yield float(ensemble.value[node]), conditions
            continue
        left = goes_left(ensemble, np.full(len(rows), node), rows[:, j])
        for child, side in enumerate((left, ~left)):
            met = side & conditions[j] if j in conditions else side
            waiting.append((int(ensemble.left[node]) + child, conditions | {j: met}))


def _gains(
    of_row: NDArray[np.int64], of_back: NDArray[np.int64], share: Floats, n_features: int
) -> Floats:
    """What a leaf of value 1 adds to each feature, for each pattern of conditions that rows meet.

    A pattern is a number whose bits say on which features the conditions are met.
    """
    a, b = of_row[:, None], of_back
    reached = (a | b) == (1 << n_features) - 1
    mine, others = a & ~b, b & ~a
    bits = 1 << np.arange(n_features)
    u, v = (sum((side & bit) > 0 for bit in bits) for side in (mine, others))
    for_mine, for_others = (_weights(n_features)[k, u, v] * reached * share for k in (0, 1))
    gains = [
        (for_mine * ((mine & bit) > 0) - for_others * ((others & bit) > 0)).sum(axis=1)
        for bit in bits
    ]
    return np.column_stack(gains)


def _weights(n: int) -> Floats:
    """The two factors above for all |U| and |V|; 0 where the side is empty."""
    table = np.zeros((2, n + 1, n + 1))
    for u in range(n + 1):
        for v in range(n + 1 - u):
            whole = factorial(u + v)
            table[0, u, v] = factorial(u - 1) * factorial(v) / whole if u else 0.0
            table[1, u, v] = factorial(u) * factorial(v - 1) / whole if v else 0.0
    return table
