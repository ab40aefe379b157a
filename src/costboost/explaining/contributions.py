r"""What each feature contributes to the score of an ensemble: exact, in three forms.

Shape functions: if every tree tests a single feature, as stumps and lookup tables do, the score is
a sum of functions of one feature each,

    F(x) = f_1(x_1) + ... + f_d(x_d)

where each f_j is a step function that can be read off the trees. For linear learners each f_j is a
straight line.

Partial dependence: with the feature set to v in every row of a background sample, the mean score of
the trees is a step function of v, since each tree changes at its own thresholds only.

Shapley values: a coalition S of features takes its values from x and all others from a background
row z; its worth is the mean over the background of F(x on S, z elsewhere). The Shapley value of a
feature is its mean gain in worth when it joins a coalition, with all orders equally likely. If F is
a sum of functions of one feature, it is f_j(x_j) minus the mean of f_j over the background. In a
tree, each leaf is a product of conditions on features, which has a closed form: if x alone meets
the conditions on the features U, z alone those on V, and at least one of them all others, then a
leaf of value v adds

    v (|U| - 1)! |V|! / (|U| + |V|)!   to each feature of U,   and
    -v |U|! (|V| - 1)! / (|U| + |V|)!  to each feature of V.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.engine.ensemble import Ensemble, Lines
from costboost.model import BinaryModel
from costboost.model.scores import ClassScore

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Flags = NDArray[np.bool_]

MOST_FEATURES = 62
"""Greatest number of features on a path: a set of them is the bits of an integer."""
CELLS = 1_000_000
"""Greatest number of pairs of patterns that are processed together."""


# ---- shape functions -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Steps:
    """Step function of one feature: ``value[k]`` for x in (``cut[k - 1]``, ``cut[k]``]."""

    feature: int
    cut: Floats
    value: Floats
    """Values of the steps, one more than there are cuts."""
    missing: float

    def __call__(self, x: Floats) -> Floats:
        """Contribution to the score at each value of the feature."""
        known: Floats = self.value[np.searchsorted(self.cut, x)]
        return np.where(np.isnan(x), self.missing, known)


@dataclass(frozen=True)
class Categories:
    """A value for each category code of one feature."""

    feature: int
    value: Floats
    missing: float

    def __call__(self, x: Floats) -> Floats:
        """Contribution to the score at each category code."""
        code = np.where(np.isnan(x), 0, x).astype(np.intp)
        return np.where(np.isnan(x), self.missing, self.value[code])


@dataclass(frozen=True)
class Line:
    """A straight line in one feature."""

    feature: int
    slope: float
    intercept: float

    def __call__(self, x: Floats) -> Floats:
        """Contribution to the score at each value of the feature."""
        return np.asarray(self.slope * x + self.intercept, dtype=np.float64)


Shape = Steps | Categories | Line


@dataclass(frozen=True)
class Additive:
    """A score as the sum of a constant and a function of each feature in use."""

    constant: float
    shapes: list[Shape]


def additive(model: BinaryModel | ClassScore) -> Additive | None:
    """The functions of single features whose sum is a model's score; None if it is no such sum.

    The score is that of the positive class, `raw_score` up to its sign.
    """
    if model.combine is not None:
        return None
    ensemble = model.ensemble
    if isinstance(ensemble, Lines):
        return Additive(0.0, _lines(ensemble))
    if not isinstance(ensemble, Ensemble):
        return None
    groups = by_feature(ensemble)
    if groups is None:
        return None
    constant = sum(float(ensemble.value[ensemble.first[t]]) for t in groups.pop(-1, []))
    return Additive(
        constant,
        [
            _of_trees(ensemble, j, trees, model.coders[j] if j < len(model.coders) else None)
            for j, trees in sorted(groups.items())
        ],
    )


def by_feature(ensemble: Ensemble) -> dict[int, list[int]] | None:
    """Trees by the one feature they test, -1 for constants; None if a tree tests several."""
    groups: dict[int, list[int]] = {}
    for t in range(len(ensemble)):
        tested = ensemble.feature[ensemble.first[t] : ensemble.first[t + 1]]
        features = set(tested[tested >= 0].tolist())
        if len(features) > 1:
            return None
        groups.setdefault(features.pop() if features else -1, []).append(t)
    return groups


def _lines(ensemble: Lines) -> list[Shape]:
    return [
        Line(
            int(j),
            float(ensemble.slope[ensemble.feature == j].sum()),
            float(ensemble.intercept[ensemble.feature == j].sum()),
        )
        for j in np.unique(ensemble.feature)
    ]


def _of_trees(ensemble: Ensemble, j: int, trees: Sequence[int], coder: Any) -> Shape:
    if coder is not None:
        total = np.asarray(sum(tree_values(ensemble, t, category_values(coder)) for t in trees))
        return Categories(j, total[:-1], float(total[-1]))
    cut = cuts_of(ensemble, j)
    total = np.asarray(sum(tree_values(ensemble, t, step_values(cut)) for t in trees))
    return Steps(j, cut, total[:-1], float(total[-1]))


def category_values(coder: Any) -> Floats:
    """All codes of a categorical feature, followed by NaN for a missing value."""
    return np.append(np.arange(coder.n_codes, dtype=np.float64), np.nan)


def step_values(cut: Floats) -> Floats:
    """A value on each step of a function with these cuts, followed by NaN for a missing value."""
    above = np.nextafter(cut[-1], np.inf) if cut.size else 0.0
    return np.concatenate([cut, [above, np.nan]])


def cuts_of(ensemble: Ensemble, j: int) -> Floats:
    """Finite thresholds on a feature; an infinite one separates missing values only."""
    cut: Floats = np.unique(ensemble.threshold[ensemble.feature == j])
    return np.asarray(cut[np.isfinite(cut)])


def tree_values(ensemble: Ensemble, t: int, x: Floats) -> Floats:
    """Value of a tree that tests a single feature, at each value of the feature."""
    node = np.full(x.size, ensemble.first[t], dtype=np.intp)
    while True:
        inner = ensemble.feature[node] >= 0
        if not inner.any():
            return np.asarray(ensemble.value[node])
        side = ~goes_left(ensemble, node[inner], x[inner])
        node[inner] = ensemble.left[node[inner]] + side


def goes_left(ensemble: Ensemble, node: NDArray[np.intp], x: Floats) -> NDArray[np.bool_]:
    """Whether a node sends each value of its feature to the left child."""
    missing = np.isnan(x)
    code = np.where(missing, 0, x).astype(np.intp)
    row = ensemble.category_set[node]
    with np.errstate(invalid="ignore"):
        left = x <= ensemble.threshold[node]
    if (row >= 0).any():
        in_set = ensemble.categories[row, np.clip(code, 0, 255)] == 1
        left = np.where(row >= 0, in_set, left)
    return np.where(missing, ensemble.missing_left[node] == 1, left)


# ---- partial dependence --------------------------------------------------------------------------


def partial_dependence(
    ensemble: Ensemble, features: Sequence[int], coders: Sequence[Any], background: Floats
) -> list[Shape]:
    """Mean score over the background with a feature set to each value, for each feature.

    Trees that do not test a feature are left out of its function: they add a constant.
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


def mean_effect(model: BinaryModel | ClassScore, rows: Floats, feature: int) -> Shape | None:
    """Partial dependence of a model's score on a feature over rows, coded as numbers.

    Its mean over these rows is subtracted; None if no tree tests the feature.
    """
    ensemble = model.ensemble
    if model.combine is not None or not isinstance(ensemble, Ensemble):
        raise ValueError("effects need an additive ensemble of the built-in stumps or trees")
    if not (ensemble.feature == feature).any():
        return None
    (shape,) = partial_dependence(ensemble, [feature], model.coders, rows)
    assert not isinstance(shape, Line)
    middle = float(shape(rows[:, feature]).mean())
    return replace(shape, value=shape.value - middle, missing=shape.missing - middle)


class _Tree:
    """A tree, with the path of each background row from each of its nodes."""

    def __init__(self, ensemble: Ensemble, t: int, background: Floats) -> None:
        self.ensemble, self.first = ensemble, int(ensemble.first[t])
        n_nodes = int(ensemble.first[t + 1]) - self.first
        self.feature = ensemble.feature[self.first :][:n_nodes].tolist()
        self.child = (ensemble.left[self.first :][:n_nodes] - self.first).tolist()
        self.below: list[set[int]] = [set() for _ in range(n_nodes)]
        """Features that are tested in the subtree of each node."""
        self.goes = np.zeros((n_nodes, len(background)), dtype=bool)
        self.value = np.zeros(self.goes.shape)
        """Value of each background row in the subtree of each node."""
        for node in reversed(range(n_nodes)):  # children are stored after their parents
            self._evaluate(node, background)
        self.features = self.below[0]

    def _evaluate(self, node: int, background: Floats) -> None:
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
        """Add to ``total`` the sum over the background with feature j set to each value."""
        rows = np.arange(self.goes.shape[1])
        stack: list[tuple[int, Indices, Indices]] = [(0, np.arange(at.size), rows)]
        while stack:
            node, values, rows = stack.pop()
            left = self.child[node]
            if j not in self.below[node]:
                total[values] += self.value[node, rows].sum()
            elif self.feature[node] == j:
                goes = self._left(node, at[values])
                stack += [(left, values[goes], rows), (left + 1, values[~goes], rows)]
            else:
                goes = self.goes[node, rows]
                stack += [(left, values, rows[goes]), (left + 1, values, rows[~goes])]


# ---- Shapley values ------------------------------------------------------------------------------


def shapley_values(
    model: BinaryModel | ClassScore, name: str, rows: Floats, background: Floats
) -> Floats:
    """Shapley values of the score for the positive class; rows are coded as numbers.

    ``name`` is that of the classifier, for messages.
    """
    parts = additive(model)
    values = np.zeros(rows.shape)
    if parts is not None:
        for shape in parts.shapes:
            j = shape.feature
            values[:, j] = shape(rows[:, j]) - shape(background[:, j]).mean()
        return values
    if model.combine is not None or not isinstance(model.ensemble, Ensemble):
        raise ValueError(
            f"{name} with these weak learners cannot be explained: they do not "
            "report which features they use. Take the built-in stumps or trees"
        )
    for t in range(len(model.ensemble)):
        _add_tree(model.ensemble, t, rows, background, values)
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
    """Value of each leaf, and for each feature whether the rows meet its conditions."""
    stack: list[tuple[int, dict[int, Flags]]] = [(int(ensemble.first[t]), {})]
    while stack:
        node, conditions = stack.pop()
        j = int(ensemble.feature[node])
        if j < 0:
            if conditions:
                yield float(ensemble.value[node]), conditions
            continue
        left = goes_left(ensemble, np.full(len(rows), node), rows[:, j])
        for child, side in enumerate((left, ~left)):
            met = side & conditions[j] if j in conditions else side
            stack.append((int(ensemble.left[node]) + child, conditions | {j: met}))


def _gains(
    of_row: NDArray[np.int64], of_back: NDArray[np.int64], share: Floats, n_features: int
) -> Floats:
    """Contribution of a leaf of value 1 to each feature, for each pattern of a row.

    A pattern is an integer whose bits are the features on which the conditions are met.
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
    """Factors of the closed form for all sizes of U and V; 0 if the set is empty."""
    table = np.zeros((2, n + 1, n + 1))
    for u in range(n + 1):
        for v in range(n + 1 - u):
            whole = factorial(u + v)
            table[0, u, v] = factorial(u - 1) * factorial(v) / whole if u else 0.0
            table[1, u, v] = factorial(u) * factorial(v - 1) / whole if v else 0.0
    return table
