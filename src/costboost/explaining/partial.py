"""The mean effect of one feature on the score of trees: partial dependence, exactly.

With the feature set to v in every row of a background, the mean score is a step function of v: each
tree changes at its own thresholds only. Rows and values go down a tree together: where a node tests
the feature the values part, elsewhere the rows do. Below the last test of the feature, a row ends
where it ends anyway.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.engine.ensemble import Ensemble
from costboost.explaining.shapes import (
    Categories,
    Floats,
    Line,
    Shape,
    Steps,
    category_values,
    cuts_of,
    goes_left,
    step_values,
)

Indices = NDArray[np.intp]


def partial_dependence(
    ensemble: Ensemble, features: Sequence[int], coders: Sequence[Any], background: Floats
) -> list[Shape]:
    """For each feature, the mean score over the background if all rows had this or that value.

    Only trees that test a feature are added up for it: the others are a constant.
    """
    cuts = {j: cuts_of(ensemble, j) for j in features}
    at = {j: category_values(coders[j]) if coders[j] else step_values(cuts[j]) for j in features}
    total = {j: np.zeros(values.size) for j, values in at.items()}
    for t in range(len(ensemble)):
        tree = _Tree(ensemble, t, background)
        for j in tree.features & set(features):
            tree.add(j, at[j], total[j])
    mean = {j: sums / len(background) for j, sums in total.items()}
    return [
        Categories(j, mean[j][:-1], float(mean[j][-1]))
        if coders[j]
        else Steps(j, cuts[j], mean[j][:-1], float(mean[j][-1]))
        for j in features
    ]


def mean_effect(model: Any, X: Any, feature: int) -> Shape | None:
    """The partial dependence of a fitted classifier's score on a feature over the rows of X.

    Its mean over these rows is subtracted; None if no tree tests the feature.
    """
    ensemble = model.ensemble_
    if model._combine() is not None or not isinstance(ensemble, Ensemble):
        raise ValueError(f"the learners of {type(model).__name__} do not tell what they look at")
    if not (ensemble.feature == feature).any():
        return None
    rows = model._numbers(model._read(X))
    (shape,) = partial_dependence(ensemble, [feature], model._coders, rows)
    assert not isinstance(shape, Line)
    middle = float(shape(rows[:, feature]).mean())
    return replace(shape, value=shape.value - middle, missing=shape.missing - middle)


class _Tree:
    """A tree, with the way that each row of a background takes from each of its nodes."""

    def __init__(self, ensemble: Ensemble, t: int, background: Floats) -> None:
        self.ensemble, self.first = ensemble, int(ensemble.first[t])
        n_nodes = int(ensemble.first[t + 1]) - self.first
        self.feature = ensemble.feature[self.first :][:n_nodes].tolist()
        self.child = (ensemble.left[self.first :][:n_nodes] - self.first).tolist()
        self.below: list[set[int]] = [set() for _ in range(n_nodes)]
        """Features that are tested at each node or below it."""
        self.goes = np.zeros((n_nodes, len(background)), dtype=bool)
        self.value = np.zeros(self.goes.shape)
        """What each row ends up with from each node on."""
        for node in reversed(range(n_nodes)):  # children lie behind their parents
            self._look_below(node, background)
        self.features = self.below[0]

    def _look_below(self, node: int, background: Floats) -> None:
        j, left = self.feature[node], self.child[node]
        if j < 0:
            self.value[node] = self.ensemble.value[self.first + node]
            return
        self.goes[node] = self._left(node, background[:, j])
        self.value[node] = np.where(self.goes[node], self.value[left], self.value[left + 1])
        self.below[node] = {j} | self.below[left] | self.below[left + 1]

    def _left(self, node: int, x: Floats) -> NDArray[np.bool_]:
        return goes_left(self.ensemble, np.full(x.size, self.first + node), x)

    def add(self, j: int, at: Floats, total: Floats) -> None:
        """Add the sum over the rows, feature j set to each of the values."""
        rows = np.arange(self.goes.shape[1])
        waiting: list[tuple[int, Indices, Indices]] = [(0, np.arange(at.size), rows)]
        while waiting:
            node, values, rows = waiting.pop()
            left = self.child[node]
            if j not in self.below[node]:
                total[values] += self.value[node, rows].sum()
            elif self.feature[node] == j:
                goes = self._left(node, at[values])
                waiting += [(left, values[goes], rows), (left + 1, values[~goes], rows)]
            else:
                goes = self.goes[node, rows]
                waiting += [(left, values, rows[goes]), (left + 1, values, rows[~goes])]
