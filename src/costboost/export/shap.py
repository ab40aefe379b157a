"""A fitted classifier in the form in which shap's TreeExplainer takes trees of any library."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost.arithmetic import Floats
from costboost.classifiers.predictions import read_rows
from costboost.engine.ensemble import Ensemble
from costboost.explaining import goes_left
from costboost.export.writing import exported
from costboost.model import BinaryModel, OneVsRestModel, ScoresModel, SeveralModel

MOST_NODES = 2**20
"""Nodes of a tree after its tests of categories were divided into tests of ranges."""
NEARLY_NONE = 1e-30
"""Share of the background at a side that it does not reach: shap divides by such shares."""


def to_shap(model: Any, background: Any = None) -> dict[str, Any]:
    """A fitted classifier as a dictionary of trees that ``shap.TreeExplainer`` accepts.

    `explain` returns the same values faster. Take this for what else the package shap computes,
    such as interaction values.

    Parameters
    ----------
    model : classifier
        A fitted boosting classifier whose weak learners are stumps, trees, lookup tables or
        logistic regressions.
    background : array, data frame or sparse matrix, optional
        Rows whose shares at the nodes of the trees are the weights of path-dependent values. If
        they are left out, only interventional values can be computed, by
        ``TreeExplainer(to_shap(model), as_numbers(model, background))``; path-dependent ones are
        NaN.

    Returns
    -------
    dict
        The explained output is `raw_score`; with more than two classes there is one for each. Rows
        are given to the explainer as `as_numbers` returns them, categories as codes. A test for a
        set of categories is divided into tests for ranges of codes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from costboost import CostBoostClassifier
    >>> from costboost.export import to_shap
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = CostBoostClassifier(n_estimators=5, random_state=0).fit(X, y == 2)
    >>> structure = to_shap(clf, X)
    >>> len(structure["trees"]) == len(clf.ensemble_)
    True
    """
    found = exported(model)
    rows = None if background is None else as_numbers(model, background)
    trees = [
        _tree(part, t, rows)
        for part in _parts(found, type(model).__name__)
        for t in range(len(part.ensemble))
    ]
    return {
        "trees": trees,
        "base_offset": 0.0,
        "tree_output": "raw_value",
        "objective": "binary_crossentropy",
        "input_dtype": np.float64,
        "internal_dtype": np.float64,
    }


def as_numbers(model: Any, X: Any) -> Floats:
    """Rows as numbers, as the trees of a fitted classifier read them; categories as codes.

    Parameters
    ----------
    model : classifier
        A fitted boosting classifier.
    X : array, data frame or sparse matrix of shape (n_samples, n_features)

    Returns
    -------
    array of shape (n_samples, n_features)
        NaN for a missing value, and for a category that training did not see.

    Examples
    --------
    >>> import pandas as pd
    >>> from costboost import AdaBoostClassifier
    >>> from costboost.export import as_numbers
    >>> X = pd.DataFrame({"city": ["Rome", "Oslo", "Rome", "Oslo"], "rooms": [1, 2, 3, 4]})
    >>> clf = AdaBoostClassifier(n_estimators=2).fit(X, [0, 1, 0, 1])
    >>> as_numbers(clf, X[:2])
    array([[1., 1.],
           [0., 2.]])
    """
    clf = getattr(model, "best_estimator_", model)
    found: Any = exported(clf)
    one = found.members[0] if isinstance(found, OneVsRestModel) else found
    rows: Floats = one.numbers(read_rows(clf, X))
    return rows


class _Part(NamedTuple):
    """Trees that add to an output: those of a binary model, or of a class."""

    ensemble: Ensemble
    coders: Sequence[Any]
    factor: Floats
    """Factor of their values for each output."""


def _parts(model: BinaryModel | SeveralModel, name: str) -> Iterator[_Part]:
    """The trees of a model; one for each output but where classes share the mean of all scores."""
    if isinstance(model, ScoresModel):
        k = len(model.classes)
        for c in range(k):
            yield _Part(model.of_class(c).ensemble, model.coders, np.eye(k)[c] - 1 / k)
        return
    several = isinstance(model, OneVsRestModel)
    members = model.members if isinstance(model, OneVsRestModel) else (model,)
    for target, one in enumerate(members):
        assert isinstance(one, BinaryModel)
        if one.combine is not None or not isinstance(one.ensemble, Ensemble):
            raise ValueError(
                f"{name} with these weak learners is no sum of trees, which shap's TreeExplainer "
                "takes; lines are explained by `explain`"
            )
        towards = 1.0 if one.positive_index == 1 else -1.0
        factor = one.decision.slope / 2 if several else towards
        yield _Part(one.ensemble, one.coders, factor * np.eye(len(members))[target])


class _Tree:
    """A tree of an ensemble as shap takes it, with the shares of the background at its nodes."""

    def __init__(self, part: _Part, rows: Floats | None) -> None:
        self.part, self.ensemble, self.rows = part, part.ensemble, rows
        self.nodes: list[list[Any]] = []
        """Of each node: left, right and default child, feature, threshold, value, share."""

    def add(self, t: int) -> None:
        """Add the nodes of tree t."""
        every = None if self.rows is None else np.arange(len(self.rows))
        self._below(int(self.ensemble.first[t]), every, 1.0)

    def _below(self, node: int, at: Any, share: float) -> int:
        """Add the nodes below one of the ensemble, which the background rows ``at`` reach."""
        if self.ensemble.feature[node] < 0:
            return self._new(-1, 0.0, float(self.ensemble.value[node]), share)
        x = None if at is None else self.rows[at, self.ensemble.feature[node]]  # type: ignore[index]
        left = None if x is None else goes_left(self.ensemble, np.full(x.size, node), x)
        sides = [at, at] if at is None else [at[left], at[~left]]  # type: ignore[operator]
        return self._ranges(node, sides, _runs(self.part, node, x, left), share)

    def _ranges(self, node: int, sides: list[Any], runs: list[_Run], share: float) -> int:
        """Add a test for each range but the last, and what lies below its side."""
        if len(runs) == 1:
            side = runs[0].side
            return self._below(int(self.ensemble.left[node]) + side, sides[side], share)
        first, *others = runs
        rest = sum(one.share for one in others)
        total = first.share + rest
        own = share * (first.share / total)
        place = self._new(int(self.ensemble.feature[node]), first.last, 0.0, share)
        left = self._below(int(self.ensemble.left[node]) + first.side, sides[first.side], own)
        right = self._ranges(node, sides, others, share * (rest / total))
        missing = left if first.missing else right
        self.nodes[place][:3] = left, right, missing
        return place

    def _new(self, feature: int, threshold: float, value: float, share: float) -> int:
        if len(self.nodes) >= MOST_NODES:
            raise ValueError(
                f"a tree has more than {MOST_NODES} nodes once its tests of categories are divided "
                "into ranges of codes, which is what shap takes; use `explain`, which has no limit"
            )
        self.nodes.append([-1, -1, -1, feature, threshold, value, share])
        return len(self.nodes) - 1


class _Run(NamedTuple):
    """Values up to ``last``, from the run before on, that go to one side of a test."""

    last: float
    side: int
    share: float
    """Share of the background rows at the node, more than 0."""
    missing: bool
    """Whether missing values are with this run."""


def _runs(part: _Part, node: int, x: Any, left: Any) -> list[_Run]:
    """The test of a node as ranges of values; those of x, at the node, go left or not."""
    ensemble, coder = part.ensemble, part.coders[part.ensemble.feature[node]]
    to_missing = 0 if ensemble.missing_left[node] else 1
    ends = [(float(ensemble.threshold[node]), 0), (np.inf, 1)]
    if ensemble.category_set[node] >= 0:
        sides = 1 - ensemble.categories[ensemble.category_set[node], : coder.n_codes].astype(int)
        ends = [
            (k + 0.5, int(s))
            for k, s in enumerate(sides)
            if k + 1 == sides.size or s != sides[k + 1]
        ]
        if all(side != to_missing for _, side in ends):
            ends.append((np.inf, to_missing))
    home = next(k for k, (_, side) in enumerate(ends) if side == to_missing)
    runs, below = [], -np.inf
    for k, (last, side) in enumerate(ends):
        same = sum(other == side for _, other in ends)
        share = 0.5 / same
        if x is None:
            share = np.nan
        elif x.size:
            inside = (x > below) & ((x <= last) | (k + 1 == len(ends)))
            share = float(np.mean((inside | (np.isnan(x) & (k == home))) & (left == (side == 0))))
        runs.append(_Run(last, side, max(share, NEARLY_NONE), k == home))
        below = last
    return runs


def _tree(part: _Part, t: int, rows: Floats | None) -> dict[str, NDArray[Any]]:
    """A tree of an ensemble as arrays."""
    tree = _Tree(part, rows)
    tree.add(t)
    left, right, default, feature, threshold, value, share = zip(*tree.nodes, strict=True)
    return {
        "children_left": np.array(left),
        "children_right": np.array(right),
        "children_default": np.array(default),
        "feature": np.array(feature),
        "threshold": np.array(threshold, dtype=np.float64),
        "value": np.array(value)[:, None] * part.factor,
        "node_sample_weight": np.array(share) * (np.nan if rows is None else len(rows)),
    }
