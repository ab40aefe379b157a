"""Distributions of margins: every step is where the margins are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_classification
from sklearn.model_selection import cross_validate
from sklearn.tree import DecisionTreeClassifier

import costboost
from costboost.algorithms import CLASSES, AdaBoostClassifier, RealBoostClassifier
from costboost.app.plots.numbers import distribution, share_up_to
from costboost.metrics import margins, staged_margins
from costboost.plots import MarginDistributionDisplay

X, Y = make_classification(200, random_state=0)
CLF = AdaBoostClassifier(n_estimators=30).fit(X, Y)
NAMES = [cls.__name__ for cls in CLASSES]


# ---- numbers -------------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", [None, "tree", DecisionTreeClassifier(max_depth=2)], ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_the_last_stage_is_the_margin(name: str, learner: Any) -> None:
    clf = getattr(costboost.algorithms, name)(n_estimators=6, estimator=learner, random_state=0)
    try:
        clf.fit(X, Y)
    except ValueError as error:
        pytest.skip(str(error))
    stages = list(staged_margins(clf, X, Y))
    assert len(stages) == len(list(clf.staged_predict(X)))
    assert_allclose(stages[-1], margins(clf, X, Y), rtol=1e-12)
    assert all(np.abs(stage).max() <= 1 for stage in stages)


def test_a_stage_is_the_margin_of_the_shorter_ensemble() -> None:
    stages = list(staged_margins(CLF, X, Y))
    for m in (1, 7, 30):
        shorter = AdaBoostClassifier(n_estimators=m).fit(X, Y)
        assert_allclose(stages[m - 1], margins(shorter, X, Y), rtol=1e-9, atol=1e-12)


def test_classifiers_without_stages() -> None:
    with pytest.raises(ValueError, match="has no staged_decision_function"):
        staged_margins(DecisionTreeClassifier().fit(X, Y), X, Y)


values = st.floats(-1, 1) | st.sampled_from([-1.0, 0.0, 0.5, 1.0])


@settings(deadline=None, derandomize=True)
@given(st.lists(st.tuples(values, st.integers(1, 3)), min_size=1, max_size=30), values)
def test_shares_are_counted(rows: Any, at: float) -> None:
    margin, weight = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    expected = weight[margin <= at].sum() / weight.sum()
    assert share_up_to(margin, weight, np.array([at]))[0] == pytest.approx(expected)
    steps = distribution(margin, weight)
    assert_array_equal(steps.margin, np.unique(margin))
    for value, share in zip(steps.margin, steps.share, strict=True):
        assert share == pytest.approx(weight[margin <= value].sum() / weight.sum())


# ---- what is drawn -------------------------------------------------------------------------------


def test_the_line_goes_through_the_steps() -> None:
    drawn = MarginDistributionDisplay.from_estimator(CLF, X, Y, name="A")
    found = np.sort(margins(CLF, X, Y))
    (line,) = drawn.lines_
    assert line.get_drawstyle() == "steps-post"
    x, y = line.get_xdata(), line.get_ydata()
    for value in (-0.5, 0.0, 0.2, 0.5):
        drawn_share = y[np.searchsorted(x, value, side="right") - 1]
        assert drawn_share == pytest.approx(np.mean(found <= value))
    assert (x[0], y[0], x[-1], y[-1]) == (-1, 0, 1, 1)
    assert line.get_label() == "A"
    assert drawn.ax_.get_xlabel() == "normalised margin"


def test_rounds_and_classes() -> None:
    drawn = MarginDistributionDisplay.from_estimator(
        CLF, X, Y, rounds=[20, 5], per_class=True, name="A"
    )
    assert [(one.round, one.positive) for one in drawn.distributions] == [
        (5, True), (5, False), (20, True), (20, False)
    ]  # fmt: skip
    labels = [line.get_label() for line in drawn.lines_]
    assert labels[:2] == ["A, 5 rounds, positive: 1", "A, 5 rounds, negative: 0"]
    assert [line.get_linestyle() for line in drawn.lines_] == ["-", "--", "-", "--"]
    colours = [line.get_color() for line in drawn.lines_]
    assert colours[0] == colours[1] != colours[2] == colours[3]
    after_five = list(staged_margins(CLF, X, Y))[4]
    assert_array_equal(drawn.distributions[0].margin, np.unique(after_five[Y == 1]))


def test_pos_label_changes_only_labels() -> None:
    one, other = (
        MarginDistributionDisplay.from_estimator(CLF, X, Y, per_class=True, pos_label=label)
        for label in (0, 1)
    )
    assert_array_equal(one.distributions[0].margin, other.distributions[1].margin)
    assert one.classes == (1, 0)


def test_scores() -> None:
    drawn = MarginDistributionDisplay.from_predictions([0, 1, 1], [0.5, 0.5, -1], name="x")
    assert_array_equal(drawn.distributions[0].margin, [-1, -0.5, 0.5])
    weighted = MarginDistributionDisplay.from_predictions(
        [0, 1, 1], [0.5, 0.5, -1], sample_weight=[2, 1, 1]
    )
    assert_allclose(weighted.distributions[0].share, [0.25, 0.75, 1])


def test_runs() -> None:
    clf = RealBoostClassifier(n_estimators=5)
    runs = cross_validate(clf, X, Y, cv=3, return_estimator=True, return_indices=True)
    drawn = MarginDistributionDisplay.from_cv_results(runs, X, Y, rounds=[2, 5], per_class=True)
    assert len(drawn.lines_) == len([band for band in drawn.bands_ if band is not None]) == 4
    last = drawn.distributions[-1]
    each = []
    for model, rows in zip(runs["estimator"], runs["indices"]["test"], strict=True):
        of_negatives = margins(model, X[rows], Y[rows])[Y[rows] == 0]
        each.append([np.mean(of_negatives <= value) for value in last.margin])
    assert_allclose(last.share, np.mean(each, axis=0), atol=1e-12)
    assert last.n_runs == 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda d: d.from_estimator(CLF, X, Y, rounds=[31]), "goes up to 31, but .* has 30 only"),
        (lambda d: d.from_estimator(CLF, X, Y, rounds=[0]), "whole numbers from 1 on"),
        (lambda d: d.from_estimator(CLF, X, Y, rounds=[1.5]), "whole numbers from 1 on"),
        (lambda d: d.from_estimator(CLF, X, Y + 5), "pos_label is 1"),
        (lambda d: d.from_estimator(DecisionTreeClassifier().fit(X, Y), X, Y), "fitted ensemble"),
        (lambda d: d.from_predictions(Y, 3.0 * Y), "from -1 to 1"),
        (lambda d: d.from_predictions(Y, [0.5]), "for each row"),
    ],
)
def test_bad_input(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(MarginDistributionDisplay)
