"""Decision surfaces: the decisions are those of predict, the shade is the distance from them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from costboost.algorithms import AdaBoostClassifier, AdaMECClassifier, CGAdaClassifier
from costboost.app.plots.predictions import boundary
from costboost.plots import DecisionSurfaceDisplay

X, Y = make_moons(200, noise=0.3, random_state=0)
Y = 2 * Y - 1
CLF = AdaBoostClassifier(n_estimators=10).fit(X, Y)


def on_grid(drawn: Any) -> np.ndarray:
    """The points of the grid, row by row."""
    x, y = np.meshgrid(drawn.surface.x, drawn.surface.y)
    return np.column_stack([x.ravel(), y.ravel()])


def test_decisions_and_shades() -> None:
    drawn = DecisionSurfaceDisplay.from_estimator(CLF, X, Y, resolution=40)
    points = on_grid(drawn)
    assert_array_equal(drawn.surface.positive.ravel(), CLF.predict(points) == 1)
    score = CLF.decision_function(points)
    assert_allclose(drawn.surface.confidence.ravel(), np.abs(score))
    assert_allclose(drawn.mesh_.get_array().ravel(), score)
    assert drawn.boundary_ is not None
    assert drawn.surface.x[0] < X[:, 0].min() < X[:, 0].max() < drawn.surface.x[-1]


def test_a_classifier_that_decides_by_cost() -> None:
    clf = AdaMECClassifier(n_estimators=40, fn_cost=1.3).fit(X, Y)
    drawn = DecisionSurfaceDisplay.from_estimator(clf, X, Y, resolution=60)
    points = on_grid(drawn)
    score, positive = clf.decision_function(points), clf.predict(points) == 1
    assert np.any(positive & (clf.raw_score(points) < 0))
    assert_array_equal(drawn.surface.positive.ravel(), positive)
    assert_allclose(drawn.surface.confidence.ravel(), np.abs(score))
    stage = DecisionSurfaceDisplay.from_estimator(clf, X, Y, stage=7, resolution=60)
    score = list(clf.staged_decision_function(points))[6]
    assert_array_equal(stage.surface.positive.ravel(), score > 0)
    assert_allclose(stage.surface.confidence.ravel(), np.abs(score))
    alone = DecisionSurfaceDisplay.from_estimator(clf, X, Y, learner=7, resolution=60)
    assert_allclose(alone.surface.confidence, clf.estimator_weights_[6])


def test_score_at_which_the_decision_changes() -> None:
    score = np.array([-2.0, -1.0, 1.0, 3.0])
    assert boundary(score, score > 0, 0.0) == 0
    assert boundary(score, score > 1, 0.0) == 2
    assert boundary(score, score > -5, 0.0) == -2
    assert boundary(score, score > 5, 0.0) == 3
    assert boundary(score, np.array([True, False, True, False]), 0.0) == 0


def test_points_are_sized_by_weight() -> None:
    weight = np.where(Y == 1, 3.0, 1.0)
    drawn = DecisionSurfaceDisplay.from_estimator(CLF, X, Y, sample_weight=weight, resolution=20)
    positive, negative = drawn.points_[True], drawn.points_[False]
    assert_array_equal(positive.get_offsets(), X[Y == 1])
    assert_array_equal(negative.get_offsets(), X[Y == -1])
    assert_allclose(positive.get_sizes() / negative.get_sizes()[0], 3)
    same_shape = np.array_equal(
        positive.get_paths()[0].vertices[:3], negative.get_paths()[0].vertices[:3]
    )
    assert not same_shape
    assert [text.get_text() for text in drawn.ax_.get_legend().get_texts()] == [
        "positive: 1",
        "negative: -1",
    ]


def test_stages_and_learners() -> None:
    few, sign = X[:20], Y[:20]
    clf = AdaBoostClassifier(n_estimators=3).fit(few, sign)
    for m in (1, 2, 3):
        shorter = AdaBoostClassifier(n_estimators=m).fit(few, sign)
        drawn = DecisionSurfaceDisplay.from_estimator(clf, few, stage=m, resolution=30)
        assert_array_equal(drawn.surface.positive.ravel(), shorter.predict(on_grid(drawn)) == 1)
        alone = DecisionSurfaceDisplay.from_estimator(clf, few, learner=m, resolution=30)
        assert_allclose(alone.surface.confidence, clf.estimator_weights_[m - 1])
        assert drawn.points_ == {}


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_names_of_features(frame: Any) -> None:
    table = frame({"length": X[:, 0], "width": X[:, 1]})
    clf = CGAdaClassifier(n_estimators=5).fit(table, Y)
    drawn = DecisionSurfaceDisplay.from_estimator(clf, table, Y, resolution=20)
    assert drawn.ax_.get_xlabel() == "length"
    assert drawn.ax_.get_ylabel() == "width"


def test_classifiers_with_probabilities_only() -> None:
    clf = DecisionTreeClassifier(max_depth=3).fit(X, Y)
    drawn = DecisionSurfaceDisplay.from_estimator(clf, X, Y, resolution=30)
    p = clf.predict_proba(on_grid(drawn))[:, 1]
    assert_allclose(drawn.surface.confidence.ravel(), np.abs(p - 0.5))
    turned = DecisionSurfaceDisplay.from_estimator(clf, X, Y, resolution=30, pos_label=-1)
    assert_array_equal(turned.surface.positive, ~drawn.surface.positive)


def test_one_decision_everywhere() -> None:
    clf = AdaMECClassifier(n_estimators=5, fn_cost=1000).fit(X, Y)
    drawn = DecisionSurfaceDisplay.from_estimator(clf, X, Y, resolution=20, colorbar=False)
    assert drawn.surface.positive.all()
    assert drawn.boundary_ is None
    assert drawn.colorbar_ is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stage": 11}, "has 10 rounds only, not 11"),
        ({"stage": 0}, "counted from 1"),
        ({"stage": 1, "learner": 1}, "pass one of them"),
        ({"resolution": 1}, "at least 2"),
        ({"sample_weight": [1]}, "one value for each of the 200 rows"),
    ],
)
def test_bad_input(options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DecisionSurfaceDisplay.from_estimator(CLF, X, Y, **options)


def test_points_that_are_not_in_a_plane() -> None:
    wide = np.random.default_rng(0).normal(size=(20, 3))
    clf = LogisticRegression().fit(wide, Y[:20])
    with pytest.raises(ValueError, match=r"two features, but X has the shape \(20, 3\)"):
        DecisionSurfaceDisplay.from_estimator(clf, wide, Y[:20])
    with pytest.raises(ValueError, match="cannot be drawn in a plane"):
        DecisionSurfaceDisplay.from_estimator(CLF, [[np.nan, 1]], [1])
    plain = LogisticRegression().fit(X, Y)
    with pytest.raises(ValueError, match="no staged_decision_function"):
        DecisionSurfaceDisplay.from_estimator(plain, X, Y, stage=1)
