"""Rows, weights and costs that calibrators are fitted to, computed by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from classifiers.calibrated import (
    AMOUNT,
    EACH_WITH_ONE,
    FAMILIES,
    NAMES,
    PAIRS,
    ROWS,
    SEED,
    N,
    X,
    Y,
    assert_calibrated_by,
    by_hand,
    plain,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import (
    KFold,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    train_test_split,
)

from costboost import CostBoostClassifier
from costboost._core.rules.record import COST_LOGISTIC
from costboost.algorithms import (
    AdaBoostClassifier,
    AdaBoostRegClassifier,
    AdaC2Classifier,
    CGAdaClassifier,
    CSLogitBoostClassifier,
    LogitBoostClassifier,
    RealBoostClassifier,
)
from costboost.calibration import CALIBRATORS
from costboost.metrics import mean_cost

# ---- which rows, by hand -------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.* ignores costs:UserWarning")
@EACH_WITH_ONE
def test_a_share_held_out(cls: Any, calibration: str) -> None:
    clf = plain(cls, fn_cost=3.0, calibration=calibration, calibration_split=0.3)
    kept, held = train_test_split(ROWS, test_size=0.3, stratify=Y, random_state=SEED)
    kept, held = np.sort(kept), np.sort(held)
    expected = by_hand(clf, [(kept, held)])
    clf.fit(X, Y)
    assert_calibrated_by(clf, expected)
    uncalibrated = clone(clf).set_params(calibration=None).fit(X[kept], Y[kept])
    assert_array_equal(clf.raw_score(X), uncalibrated.raw_score(X))
    assert uncalibrated.n_iter_ > 0


@pytest.mark.filterwarnings("ignore:.* ignores costs:UserWarning")
@EACH_WITH_ONE
def test_folds(cls: Any, calibration: str) -> None:
    clf = plain(cls, fn_cost=3.0, calibration=calibration, calibration_split=3)
    folds = StratifiedKFold(3, shuffle=True, random_state=SEED).split(X, Y)
    expected = by_hand(clf, folds)
    clf.fit(X, Y)
    assert_calibrated_by(clf, expected)
    uncalibrated = clone(clf).set_params(calibration=None).fit(X, Y)
    assert_array_equal(clf.raw_score(X), uncalibrated.raw_score(X))
    assert clf.ensemble_ == uncalibrated.ensemble_


@pytest.mark.parametrize("calibration", NAMES)
@FAMILIES
def test_every_calibrator_of_every_family(cls: Any, calibration: str) -> None:
    clf = plain(cls, calibration=calibration, calibration_split=2).fit(X, Y)
    folds = StratifiedKFold(2, shuffle=True, random_state=SEED).split(X, Y)
    assert_calibrated_by(clf, by_hand(clf, folds))
    assert type(clf.model_.calibrator) is CALIBRATORS[calibration]


def test_five_folds_where_nothing_is_said_and_fewer_where_rows_are_few() -> None:
    clf = plain(AdaBoostClassifier, calibration="platt").fit(X, Y)
    five = clone(clf).set_params(calibration_split=5).fit(X, Y)
    assert_array_equal(clf.predict_proba(X), five.predict_proba(X))
    some = np.concatenate([np.flatnonzero(Y == 1)[:3], np.flatnonzero(Y == 0)[:20]])
    clf.fit(X[some], Y[some])
    five.set_params(calibration_split=3).fit(X[some], Y[some])
    assert_array_equal(clf.predict_proba(X), five.predict_proba(X))


@FAMILIES
def test_one_row_at_a_time(cls: Any) -> None:
    clf = plain(cls, n_estimators=3, calibration="platt", calibration_split="loo")
    clf.fit(X[:40], Y[:40])
    pairs = LeaveOneOut().split(X[:40])
    assert_calibrated_by(clf, by_hand(clf, pairs, X[:40], Y[:40]))


SPLITTERS = [
    KFold(3),
    StratifiedKFold(4, shuffle=True, random_state=3),
    RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=1),
    ShuffleSplit(3, test_size=0.2, random_state=2),
    TimeSeriesSplit(3),
    PredefinedSplit(ROWS % 4 - 1),
]


@pytest.mark.parametrize("splitter", SPLITTERS, ids=lambda one: type(one).__name__)
def test_any_splitter(splitter: Any) -> None:
    clf = plain(AdaC2Classifier, fn_cost=2, calibration="beta", calibration_split=splitter)
    clf.fit(X, Y)
    assert_calibrated_by(clf, by_hand(clf, splitter.split(X, Y)))
    uncalibrated = clone(clf).set_params(calibration=None).fit(X, Y)
    assert_array_equal(clf.raw_score(X), uncalibrated.raw_score(X))


FORMS = {
    "arrays": PAIRS,
    "tuple": tuple(PAIRS),
    "lists": [(kept.tolist(), held.tolist()) for kept, held in PAIRS],
    "masks": [(np.isin(ROWS, kept), np.isin(ROWS, held)) for kept, held in PAIRS],
    "from the end": [(kept - N, held - N) for kept, held in PAIRS],
    "series": [(pd.Series(kept), pd.Series(held)) for kept, held in PAIRS],
    "one holds nothing": [*PAIRS, (ROWS.tolist(), [])],
}


@pytest.mark.parametrize("form", FORMS)
def test_pairs_of_rows(form: str) -> None:
    clf = plain(RealBoostClassifier, calibration="log-odds", calibration_split=FORMS[form])
    assert_calibrated_by(clf.fit(X, Y), by_hand(clf, PAIRS))
    assert_calibrated_by(clf.fit(X, Y), by_hand(clf, PAIRS))  # they are not used up


def test_an_iterator_serves_one_fit() -> None:
    clf = plain(RealBoostClassifier, calibration="platt", calibration_split=iter(PAIRS)).fit(X, Y)
    listed = plain(RealBoostClassifier, calibration="platt", calibration_split=PAIRS).fit(X, Y)
    assert_array_equal(clf.predict_proba(X), listed.predict_proba(X))
    with pytest.raises(ValueError, match=r"has no folds; an iterator can be used once only: give"):
        clf.fit(X, Y)
    assert_array_equal(clf.predict_proba(X), listed.predict_proba(X))


# ---- weights -------------------------------------------------------------------------------------


@EACH_WITH_ONE
def test_a_weight_is_a_number_of_rows(cls: Any, calibration: str) -> None:
    """Where the split is given, so that a row and its copies are on the same side of it."""
    if cls is AdaBoostRegClassifier:
        pytest.skip("its penalty is a power of each row's own weight")
    count = np.random.default_rng(1).integers(0, 4, N)
    written = np.repeat(ROWS, count)
    few = np.round(X)  # a bin for every value: where bins are shared, rows decide where they end
    clf = plain(cls, estimator="stump", min_samples_leaf=1, calibration=calibration)
    clf.set_params(calibration_split=PAIRS).fit(few, Y, sample_weight=count)
    places = [(np.isin(written, kept), np.isin(written, held)) for kept, held in PAIRS]
    often = clone(clf).set_params(calibration_split=places).fit(few[written], Y[written])
    assert_allclose(clf.predict_proba(few), often.predict_proba(few), rtol=1e-6, atol=1e-8)
    even = clone(clf).fit(few, Y).predict_proba(few)
    assert np.abs(clf.predict_proba(few) - even).max() > 1e-3


def test_weights_are_those_of_the_calibrator_too() -> None:
    weight = np.random.default_rng(2).uniform(0.1, 5, N)
    clf = plain(CGAdaClassifier, calibration="platt", calibration_split=PAIRS)
    clf.fit(X, Y, sample_weight=weight)
    assert_calibrated_by(clf, by_hand(clf, PAIRS, sample_weight=weight))


@pytest.mark.parametrize("weight", [0.11, 7.0])
def test_equal_weights_are_still_counts(weight: float) -> None:
    clf = plain(CGAdaClassifier, calibration="platt", calibration_split=PAIRS)
    clf.fit(X, Y, sample_weight=np.full(N, weight))
    expected = by_hand(clf, PAIRS, sample_weight=np.full(N, weight))
    assert_calibrated_by(clf, expected)
    assert_array_equal(clf.predict_proba(X), clf.fit(X, Y, sample_weight=weight).predict_proba(X))


@pytest.mark.parametrize("cls", [CGAdaClassifier, CostBoostClassifier])
def test_weights_that_look_like_shares_are_mentioned(cls: Any) -> None:
    clf = plain(cls, calibration="platt")
    for weight in (np.full(N, 1 / N), np.where(Y == 1, 1 / np.sum(Y == 1), 1 / np.sum(Y != 1))):
        with pytest.warns(UserWarning, match=f"adds up to [12] for {N} rows.*to a mean of 1"):
            clf.fit(X, Y, sample_weight=weight)
    near = np.abs(clf.predict_proba(X)[:, 1] - 0.5).max()
    far = np.abs(clf.fit(X, Y, sample_weight=weight * N).predict_proba(X)[:, 1] - 0.5).max()
    assert near < 0.2 < far  # as the warning describes


OWN_SPLITS = st.sampled_from([None, 0.25, 3, "loo"])


@settings(deadline=None, derandomize=True, max_examples=25)
@given(
    st.lists(st.booleans(), min_size=30, max_size=60).filter(lambda kept: sum(kept) > 20),
    OWN_SPLITS,
    st.sampled_from(NAMES),
)
def test_rows_of_weight_zero_might_as_well_be_missing(
    counts: list[bool], split: Any, calibration: str
) -> None:
    kept = np.array(counts)
    data, y = X[: kept.size].copy(), np.arange(kept.size) % 3 % 2
    data[~kept] *= 1e6
    y[~kept] = 1 - y[~kept]
    clf = plain(CGAdaClassifier, n_estimators=3, calibration=calibration, calibration_split=split)
    if min(y[kept].sum(), (1 - y[kept]).sum()) < 4:
        return
    weighted = clone(clf).fit(data, y, sample_weight=kept)
    without = clone(clf).fit(data[kept], y[kept])
    assert_array_equal(weighted.predict_proba(X), without.predict_proba(X))
    assert_allclose(weighted.train_cost_, without.train_cost_, rtol=1e-12)


@pytest.mark.parametrize("form", ["pairs", "splitter"])
def test_row_numbers_are_those_of_the_rows_given(form: str) -> None:
    """Rows of weight 0 in front do not shift the others into another part."""
    split: Any = PAIRS
    if form == "splitter":
        split = PredefinedSplit(ROWS % 3)
    weight = (ROWS >= 20).astype(float)
    clf = plain(CGAdaClassifier, calibration="platt", calibration_split=split)
    clf.fit(X, Y, sample_weight=weight)
    pairs = PAIRS if form == "pairs" else split.split()
    counting = [(kept[kept >= 20], held[held >= 20]) for kept, held in pairs]
    assert_calibrated_by(clf, by_hand(clf, counting))


# ---- costs of rows -------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.* ignores costs:UserWarning")
@pytest.mark.parametrize(
    "cls", [CGAdaClassifier, AdaC2Classifier, CSLogitBoostClassifier, LogitBoostClassifier]
)
def test_costs_of_rows_in_training_and_in_decisions(cls: Any) -> None:
    clf = plain(cls, calibration="platt", calibration_split=PAIRS).fit(X, Y, fn_cost=AMOUNT)
    if cls.rule.link is not COST_LOGISTIC:  # whose scale is the mean cost of each part
        assert_calibrated_by(clf, by_hand(clf, PAIRS, fn_cost=AMOUNT))
    else:
        assert clf.ensemble_ != clone(clf).fit(X, Y).ensemble_
    p = clf.predict_proba(X)[:, 1]
    assert_array_equal(clf.predict(X), p > 1 / (1 + AMOUNT.mean()))
    called = clf.predict(X, fn_cost=AMOUNT, fp_cost=1.0)
    assert_array_equal(called, p > 1 / (1 + AMOUNT))
    assert clf.train_cost_[-1] == pytest.approx(mean_cost(Y, called, fn_cost=AMOUNT), rel=1e-12)


COSTS: dict[str, tuple[Any, Any]] = {
    "equal": (1, 1),
    "costly false negatives": (1000, 1),
    "costly false positives": (1, 1000),
    "of rows": (AMOUNT, AMOUNT[::-1].copy()),
}


@pytest.mark.parametrize("costs", COSTS)
@EACH_WITH_ONE
def test_train_cost_is_that_of_the_decisions(cls: Any, calibration: str, costs: str) -> None:
    fn, fp = COSTS[costs]
    rounds = 2 if np.ndim(fn) else 6
    clf = plain(cls, n_estimators=rounds, calibration=calibration, calibration_split=PAIRS[:2])
    clf.fit(X, Y, fn_cost=fn, fp_cost=fp)
    decided = clf.staged_predict(X, fn_cost=fn, fp_cost=fp)
    paid = [mean_cost(Y, called, fn_cost=fn, fp_cost=fp) for called in decided]
    assert_allclose(clf.train_cost_, paid, rtol=1e-12)


@pytest.mark.slow
@settings(deadline=None, derandomize=True, max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=12, max_size=40))
def test_train_cost_on_few_values_with_many_ties(rows: list[tuple[int, bool]]) -> None:
    """Isotonic probabilities are shares of few rows, so that many are exactly at the threshold."""
    data = np.array([[value] for value, _ in rows] + [[0], [1], [2], [3]] * 2, dtype=float)
    y = np.array([label for _, label in rows] + [0, 0, 1, 1] * 2, dtype=int)
    halves = [(np.arange(y.size) % 2 == k, np.arange(y.size) % 2 != k) for k in (0, 1)]
    if any(len(set(y[kept])) < 2 for kept, _ in halves):
        return
    for cls in (AdaBoostClassifier, RealBoostClassifier):
        clf = plain(cls, n_estimators=2, calibration="isotonic", calibration_split=halves)
        for fn in (1, 2, 3):
            clf.fit(data, y, fn_cost=fn)
            paid = mean_cost(y, clf.predict(data), fn_cost=fn)
            assert clf.train_cost_[-1] == pytest.approx(paid, rel=1e-12)


@pytest.mark.parametrize("costs", [(1e9, 1), (1, 1e9), (1, 1)], ids=str)
def test_train_cost_of_scores_beyond_all_doubt(costs: tuple[float, float]) -> None:
    """Classes that do not overlap drive the score up round by round."""
    data, y = ROWS[:, None] / N, (ROWS > 150).astype(int)
    clf = plain(RealBoostClassifier, estimator="stump", n_estimators=150, calibration="platt")
    clf.fit(data, y, fn_cost=costs[0], fp_cost=costs[1])
    assert np.abs(clf.raw_score(data)).min() > 500
    paid = mean_cost(y, clf.predict(data), fn_cost=costs[0], fp_cost=costs[1])
    assert clf.train_cost_[-1] == pytest.approx(paid)
