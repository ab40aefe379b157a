"""The score as a sum of functions of one feature each, where it is one.

Where every tree of an ensemble tests one feature only, as stumps and lookup tables do, the score is

    F(x) = f_1(x_1) + ... + f_d(x_d)

and each f_j is a step function that can be read off the trees. Lines make each f_j a line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.engine.ensemble import Ensemble
from costboost.engine.lines import Lines

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Steps:
    """A step function of one feature: ``value[k]`` up to and with ``cut[k]``, then the next."""

    feature: int
    cut: Floats
    value: Floats
    """One more than there are cuts."""
    missing: float

    def __call__(self, x: Floats) -> Floats:
        """What the feature adds to the score, for each of its values."""
        known: Floats = self.value[np.searchsorted(self.cut, x)]
        return np.where(np.isnan(x), self.missing, known)


@dataclass(frozen=True)
class Categories:
    """A value for each category code of one feature."""

    feature: int
    value: Floats
    missing: float

    def __call__(self, x: Floats) -> Floats:
        """What the feature adds to the score, for each code."""
        code = np.where(np.isnan(x), 0, x).astype(np.intp)
        return np.where(np.isnan(x), self.missing, self.value[code])


@dataclass(frozen=True)
class Line:
    """A straight line in one feature."""

    feature: int
    slope: float
    intercept: float

    def __call__(self, x: Floats) -> Floats:
        """What the feature adds to the score, for each of its values."""
        return np.asarray(self.slope * x + self.intercept, dtype=np.float64)


Shape = Steps | Categories | Line


@dataclass(frozen=True)
class Additive:
    """A score that is a constant and a function of each feature in use, added up."""

    constant: float
    shapes: list[Shape]


def additive(model: Any) -> Additive | None:
    """The parts of a fitted classifier's score; None where it is no sum of them.

    The score is that of the positive class, `raw_score` up to its sign.
    """
    if model._combine() is not None:
        return None
    ensemble = model.ensemble_
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
            _of_trees(ensemble, j, trees, model._coders[j] if j < len(model._coders) else None)
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
        total = np.asarray(sum(walk(ensemble, t, category_values(coder)) for t in trees))
        return Categories(j, total[:-1], float(total[-1]))
    cut = cuts_of(ensemble, j)
    total = np.asarray(sum(walk(ensemble, t, step_values(cut)) for t in trees))
    return Steps(j, cut, total[:-1], float(total[-1]))


def category_values(coder: Any) -> Floats:
    """The codes of a feature of categories, and a missing value."""
    return np.append(np.arange(coder.n_codes, dtype=np.float64), np.nan)


def step_values(cut: Floats) -> Floats:
    """A value on each step of a function with these cuts, and a missing value."""
    above = np.nextafter(cut[-1], np.inf) if cut.size else 0.0
    return np.concatenate([cut, [above, np.nan]])


def cuts_of(ensemble: Ensemble, j: int) -> Floats:
    """Thresholds on a feature; an infinite one only tells missing values from others."""
    cut: Floats = np.unique(ensemble.threshold[ensemble.feature == j])
    return np.asarray(cut[np.isfinite(cut)])


def walk(ensemble: Ensemble, t: int, x: Floats) -> Floats:
    """What a tree that tests one feature says of its values, NaN for a missing one."""
    node = np.full(x.size, ensemble.first[t], dtype=np.intp)
    while True:
        inner = ensemble.feature[node] >= 0
        if not inner.any():
            return np.asarray(ensemble.value[node])
        side = ~goes_left(ensemble, node[inner], x[inner])
        node[inner] = ensemble.left[node[inner]] + side


def goes_left(ensemble: Ensemble, node: NDArray[np.intp], x: Floats) -> NDArray[np.bool_]:
    """Which values of its feature a node sends left."""
    missing = np.isnan(x)
    code = np.where(missing, 0, x).astype(np.intp)
    row = ensemble.category_set[node]
    with np.errstate(invalid="ignore"):
        left = x <= ensemble.threshold[node]
    if (row >= 0).any():
        in_set = ensemble.categories[row, np.clip(code, 0, 255)] == 1
        left = np.where(row >= 0, in_set, left)
    return np.where(missing, ensemble.missing_left[node] == 1, left)
