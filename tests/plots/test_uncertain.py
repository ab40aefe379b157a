"""Expected costs over the range of an uncertain cost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from costboost import ActionClassifier
from costboost.plots import Band, UncertainCostDisplay

X, Y = make_classification(300, n_informative=4, weights=[0.8], flip_y=0.1, random_state=0)
LR = FrozenEstimator(LogisticRegression().fit(X, Y))
P = LR.predict_proba(X)
TABLE: dict[int, dict[str, Any]] = {
    0: {"block": (10, 30), "review": 4, "allow": 0},
    1: {"block": 0, "review": 4, "allow": (20, 100)},
}


def made(costs: Any = TABLE, **given: Any) -> Any:
    return ActionClassifier(LR, costs=costs, **given).fit(X)


@pytest.mark.parametrize("reviewer", [None, {"recall": 0.9, "specificity": 0.8}])
def test_lines_are_expected_costs(reviewer: Any) -> None:
    clf = made(reviewer=reviewer)
    drawn = UncertainCostDisplay.from_estimator(clf, X, cell=(1, "allow"))
    chosen = np.argmax(clf.predict(X)[:, None] == clf.actions_, axis=1)
    assert_allclose(drawn.cost[[0, -1]], [20, 100])
    for k, cost in enumerate(drawn.cost):
        if k % 10:
            continue
        for block, line in ((10, "lower"), (20, "middle"), (30, "upper")):
            table = {0: {**TABLE[0], "block": block}, 1: {**TABLE[1], "allow": cost}}
            at = clf.expected_costs(X, costs=table)
            value = at[np.arange(len(X)), chosen].mean()
            assert_allclose(getattr(drawn.decided, line)[k], value)
            if line == "middle":
                assert_allclose(drawn.known[k], at.min(axis=1).mean())
    assert np.all(drawn.known <= drawn.decided.middle + 1e-12)
    assert_allclose(drawn.line_.get_ydata(), drawn.decided.middle)
    assert_allclose(drawn.known_line_.get_ydata(), drawn.known)


def test_the_cost_with_the_greatest_effect_moves() -> None:
    assert UncertainCostDisplay.from_estimator(made(), X).cell == (1, "allow")
    wide = {0: {**TABLE[0], "review": (1, 3)}, 1: TABLE[1]}
    drawn = UncertainCostDisplay.from_estimator(made(wide), X)
    assert drawn.cell == (0, "review")
    assert "cost of 'review' where 0 is true" in drawn.ax_.get_xlabel()


def test_ranges_of_rows_are_shares() -> None:
    low, high = np.linspace(10, 20, len(X)), np.linspace(30, 90, len(X))
    clf = made({0: {"block": 9, "allow": 0}, 1: {"block": 0, "allow": (low, high)}})
    drawn = UncertainCostDisplay.from_estimator(clf, X)
    assert drawn.of_rows
    assert drawn.ax_.get_xlabel().endswith("share of its range")
    chosen = clf.predict(X) == "block"
    ends = [np.where(chosen, P[:, 0] * 9, P[:, 1] * end).mean() for end in (low, high)]
    assert_allclose(drawn.decided.middle[[0, -1]], ends)
    labels = [text.get_text() for text in drawn.ax_.get_legend().get_texts()]
    assert labels == ["as decided", "if the cost were known"]  # no other cost is uncertain


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ((1, "stop"), "cell has 'stop', which is none of the actions"),
        ((2, "allow"), "cell has 2, which is none of the classes"),
        ("allow", "cell must be a pair"),
        ((0, "review"), "cost of 'review' where 0 is true is certain"),
    ],
)
def test_bad_cells(cell: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        UncertainCostDisplay.from_estimator(made(), X, cell=cell)


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="must be an ActionClassifier, got a FrozenEstimator"):
        UncertainCostDisplay.from_estimator(LR, X)
    certain = {0: {"block": 9, "allow": 0}, 1: {"block": 0, "allow": 60}}
    with pytest.raises(ValueError, match="no cost is a range or a distribution"):
        UncertainCostDisplay.from_estimator(made(certain), X)
    with pytest.raises(ValueError, match="known must have one value for each of the 2 costs"):
        UncertainCostDisplay(cost=[1, 2], decided=Band(np.ones(2)), known=[1], cell=(1, "allow"))
