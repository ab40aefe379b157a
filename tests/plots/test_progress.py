"""Measures round by round: those of scikit-learn and of costboost.metrics."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_classification
from sklearn.ensemble import AdaBoostClassifier as SklearnAdaBoost
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score, precision_score, recall_score
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from costboost import Costs
from costboost.algorithms import AdaC2Classifier, CGAdaClassifier
from costboost.app.plots.numbers.labelled_rows import read_rows
from costboost.app.plots.numbers.measures import MEASURES, TITLES, measure_decisions
from costboost.metrics import mean_cost, normalized_cost
from costboost.plots import Band, BoostingProgressDisplay

X, Y = make_classification(300, weights=[0.7], flip_y=0.1, random_state=0)
CLF = AdaC2Classifier(fn_cost=2, n_estimators=12).fit(X[:200], Y[:200])
ALL = list(MEASURES)


def expected(measure: str, y: Any, y_pred: Any, weight: Any, costs: Any, label: int = 1) -> float:
    """The measure by functions of scikit-learn and costboost.metrics."""
    common = {"pos_label": label, "zero_division": 0, "sample_weight": weight}
    share = {"precision": precision_score, "recall": recall_score, "f1": f1_score}
    if measure in share:
        return share[measure](y, y_pred, **common)
    if measure == "fpr":
        return 1 - recall_score(y, y_pred, **(common | {"pos_label": 1 - label}))
    if measure == "error":
        return 1 - accuracy_score(y, y_pred, sample_weight=weight)
    function = {"cost": mean_cost, "normalized_cost": normalized_cost}[measure]
    return function(y, y_pred, sample_weight=weight, pos_label=label, **costs)


# ---- numbers -------------------------------------------------------------------------------------


rows = st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(1, 4), st.floats(0.1, 9))


@settings(deadline=None, derandomize=True)
@given(st.lists(rows, max_size=25), st.booleans(), st.integers(0, 1))
def test_measures(some: Any, of_rows: bool, label: int) -> None:
    y, y_pred, weight, cost = map(np.array, zip((0, 0, 1, 1.0), (1, 1, 1, 2.0), *some, strict=True))
    costs = {"fn_cost": cost if of_rows else 3.0, "fp_cost": 0.5}
    y, y_pred = y.astype(int), y_pred.astype(int)
    found = measure_decisions(read_rows(y, label, weight, costs), [y_pred == label], ALL)
    for measure in ALL:
        value = expected(measure, y, y_pred, weight, costs, label)
        assert found[measure][0] == pytest.approx(value, abs=1e-12), measure


@pytest.mark.parametrize("of_rows", [False, True])
def test_costs_of_right_predictions_count(of_rows: bool) -> None:
    """The mean cost in a plot is that of the measure, with gains of right predictions."""
    rng = np.random.default_rng(0)
    y, y_pred = rng.integers(0, 2, (2, 50))
    hit = -rng.uniform(0, 9, 50) if of_rows else -5.0
    costs = Costs.outcomes(fn_cost=3.0, fp_cost=2.0, tp_cost=hit, tn_cost=0.5)
    by_name = {"tp_cost": hit, "tn_cost": 0.5, "fn_cost": 3.0, "fp_cost": 2.0}
    for stated in ({"costs": costs}, by_name):
        display = BoostingProgressDisplay.from_predictions(y, [y_pred], measures=["cost"], **stated)
        assert display.values["cost"].middle[0] == pytest.approx(mean_cost(y, y_pred, costs=costs))


# ---- what is drawn -------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", ALL)
def test_lines_are_the_measures(measure: str) -> None:
    weight = np.random.default_rng(0).random(100)
    costs = {"fn_cost": np.linspace(1, 9, 100), "fp_cost": 2}
    drawn = BoostingProgressDisplay.from_estimator(
        CLF, X[200:], Y[200:], measures=measure, sample_weight=weight, **costs
    )
    line = drawn.lines_[measure]
    y_pred = CLF.staged_predict(X[200:])
    assert_allclose(
        line.get_ydata(), [expected(measure, Y[200:], one, weight, costs) for one in y_pred]
    )
    assert_array_equal(line.get_xdata(), np.arange(1, 13))
    assert line.get_label() == TITLES[measure]
    assert drawn.ax_.get_xlabel() == "boosting round"


def test_training_rows_are_dotted() -> None:
    drawn = BoostingProgressDisplay.from_estimator(
        CLF, X[200:], Y[200:], X_train=X[:200], y_train=Y[:200]
    )
    assert list(drawn.lines_) == list(drawn.train_lines_) == ["precision", "recall", "f1"]
    for name in drawn.lines_:
        test, train = drawn.lines_[name], drawn.train_lines_[name]
        assert test.get_color() == train.get_color()
        assert train.get_linestyle() == ":" != test.get_linestyle()
        assert (test.get_label(), train.get_label()) == tuple(
            f"{TITLES[name]}, {which}" for which in ("test", "training")
        )
    assert len({line.get_marker() for line in drawn.lines_.values()}) == 3
    assert_allclose(
        drawn.train_lines_["recall"].get_ydata(),
        [recall_score(Y[:200], one) for one in CLF.staged_predict(X[:200])],
    )


def test_costs_have_an_axis_of_their_own() -> None:
    drawn = BoostingProgressDisplay.from_estimator(
        CLF, X, Y, measures=["error", "cost"], fn_cost=30
    )
    assert drawn.lines_["cost"].axes is drawn.cost_ax_ is not drawn.ax_
    assert drawn.cost_ax_.get_ylabel() == "mean cost per row"
    assert drawn.ax_.get_ylabel() == "error rate"
    assert drawn.lines_["cost"].get_label() == "mean cost (right axis)"
    assert len(drawn.ax_.get_legend().get_texts()) == 2
    again = BoostingProgressDisplay.from_estimator(
        CLF, X, Y, measures=["error", "cost"], name="again", ax=drawn.ax_
    )
    assert again.cost_ax_ is drawn.cost_ax_
    assert again.lines_["error"].get_color() != drawn.lines_["error"].get_color()
    alone = BoostingProgressDisplay.from_estimator(CLF, X, Y, measures="cost")
    assert alone.cost_ax_ is alone.ax_
    assert alone.ax_.get_ylabel() == "mean cost per row"


def test_measures_of_the_other_class() -> None:
    drawn = BoostingProgressDisplay.from_estimator(CLF, X, Y, pos_label=0)
    found = [precision_score(Y, one, pos_label=0) for one in CLF.staged_predict(X)]
    assert_allclose(drawn.values["precision"].middle, found)
    assert drawn.ax_.get_ylabel() == "value (class 0)"


def test_stages_are_measured_one_by_one() -> None:
    """Neither predictions nor decisions of earlier stages stay in memory."""
    made: list[Any] = []

    def staged() -> Iterator[Any]:
        for k in range(20):
            y_pred = (np.arange(Y.size) % (k + 2) == 0).astype(int)
            made.append(weakref.ref(y_pred))
            yield y_pred
            assert sum(one() is not None for one in made) <= 2

    drawn = BoostingProgressDisplay.from_predictions(Y, staged())
    assert len(drawn.rounds) == 20


def test_predictions_and_other_classifiers() -> None:
    clf = make_pipeline(StandardScaler(), SklearnAdaBoost(n_estimators=5)).fit(X, Y)
    staged = list(clf[-1].staged_predict(clf[0].transform(X)))
    by_pipeline = BoostingProgressDisplay.from_estimator(clf, X, Y)
    by_hand = BoostingProgressDisplay.from_predictions(Y, staged)
    assert_array_equal(by_pipeline.values["f1"].middle, by_hand.values["f1"].middle)
    assert_allclose(by_hand.values["f1"].middle, [f1_score(Y, one) for one in staged])


def test_runs_and_early_stops() -> None:
    clf = CGAdaClassifier(n_estimators=60, early_stopping=True, n_iter_no_change=3, random_state=0)
    runs = cross_validate(clf, X, Y, cv=3, return_estimator=True, return_indices=True)
    lengths = [model.n_iter_ for model in runs["estimator"]]
    assert len(set(lengths)) > 1
    drawn = BoostingProgressDisplay.from_cv_results(runs, X, Y, measures=["error"], train=True)
    assert_array_equal(drawn.rounds, np.arange(1, max(lengths) + 1))
    ends = {"test": [], "train": []}
    for k, model in enumerate(runs["estimator"]):
        for which, found in ends.items():
            part = runs["indices"][which][k]
            found.append(1 - model.score(X[part], Y[part]))
    assert drawn.values["error"].middle[-1] == pytest.approx(np.mean(ends["test"]))
    assert drawn.train_values["error"].middle[-1] == pytest.approx(np.mean(ends["train"]))
    assert drawn.bands_["error"] is not None
    assert drawn.train_bands_["error"] is not None


# ---- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measures": ["precison"]}, "measures must be some of .*, got 'precison'"),
        ({"measures": []}, "measures must be some of"),
        ({"X_train": X}, "both X_train and y_train"),
        ({"X_train": X, "y_train": Y, "fn_cost": np.ones(300)}, "those of X_train too"),
        ({"X_train": X, "y_train": Y, "train_params": {"cost": 1}}, "train_params may have"),
        ({"sample_weight": Y}, "of one class"),
        ({"pos_label": 3}, "pos_label is 3"),
    ],
)
def test_bad_input(options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BoostingProgressDisplay.from_estimator(CLF, X, Y, **options)


def test_invalid_classifiers_and_rows() -> None:
    with pytest.raises(ValueError, match="LogisticRegression has no staged_predict"):
        BoostingProgressDisplay.from_estimator(LogisticRegression().fit(X, Y), X, Y)
    with pytest.raises(ValueError, match="no decisions to measure"):
        BoostingProgressDisplay.from_predictions(Y, [])
    with pytest.raises(ValueError, match="y_true has 300 rows, but"):
        BoostingProgressDisplay.from_predictions(Y, [Y[:3]])
    with pytest.raises(ValueError, match="all be of one length"):
        BoostingProgressDisplay(values={"f1": Band(np.ones(2)), "error": Band(np.ones(3))})
    runs = cross_validate(
        CLF, X, Y, cv=[(np.arange(299), [299])], return_estimator=True, return_indices=True
    )
    with pytest.raises(ValueError, match="maybe of some fold"):
        BoostingProgressDisplay.from_cv_results(runs, X, Y)
