"""Calibration of any classifier, against the same done by hand with public tools alone."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_classification
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
from sklearn.tree import DecisionTreeClassifier

import costboost
from costboost import (
    AdaBoostClassifier,
    AdaBoostRegClassifier,
    AdaC2Classifier,
    AdaMECClassifier,
    CGAdaClassifier,
    CSAdaClassifier,
    CSLogitBoostClassifier,
    LogitBoostClassifier,
    RealBoostClassifier,
)
from costboost.calibration import CALIBRATORS, Calibrator
from costboost.metrics import mean_cost
from costboost.rules.links import COST_LOGISTIC

CLASSIFIERS = [
    cls for name in costboost.__all__ if hasattr(cls := getattr(costboost, name), "rule")
]
NAMES = list(CALIBRATORS)
EACH = pytest.mark.parametrize("cls", CLASSIFIERS, ids=lambda cls: cls.__name__[:-10])
EACH_WITH_ONE = pytest.mark.parametrize(
    ("cls", "calibration"),
    [(cls, NAMES[k % len(NAMES)]) for k, cls in enumerate(CLASSIFIERS)],
    ids=lambda value: value if isinstance(value, str) else value.__name__[:-10],
)
"""Every classifier, and every calibrator several times."""
FAMILIES = pytest.mark.parametrize(
    "cls", [CGAdaClassifier, CSAdaClassifier, RealBoostClassifier, LogitBoostClassifier]
)

X, Y = make_classification(
    240, n_features=6, n_informative=4, weights=[0.7], flip_y=0.1, class_sep=1.3, random_state=3
)
N = len(Y)
ROWS = np.arange(N)
SEED = np.random.RandomState(0).randint(2**31 - 1)  # the one number a fit draws from it
Pairs = Iterable[tuple[Any, Any]]


def plain(cls: Any, **options: Any) -> Any:
    """Small and without choices, so that one ensemble is what is calibrated."""
    return cls(**({"estimator": cls.rule.learner, "n_estimators": 6, "random_state": 0} | options))


def certainty(clf: Any, data: Any) -> np.ndarray:
    """The score as a number of twelve digits from 0 to 1, as the guide has it."""
    score = clf.decision_function(data)
    if clf.rule.votes:
        share = np.clip((score / np.abs(clf.estimator_weights_).sum() + 1) / 2, 0, 1)
    else:
        slope = clf.fn_cost + clf.fp_cost if clf.rule.link is COST_LOGISTIC else 2
        share = 1 / (1 + np.exp(-slope * score))
    return np.round(share, 12)


def take(values: Any, rows: np.ndarray) -> Any:
    if np.ndim(values) == 0:
        return values
    return values.iloc[rows] if hasattr(values, "iloc") else values[rows]


def by_hand(clf: Any, pairs: Pairs, data: Any = X, y: Any = Y, **given: Any) -> Calibrator:
    """The calibrator of the scores of all held-out rows, pooled."""
    one = clone(clf).set_params(calibration=None)
    scores, held_out = [], []
    for kept, held in pairs:
        own = {name: take(values, kept) for name, values in given.items()}
        one.fit(take(data, kept), y[kept], **own)
        scores.append(certainty(one, take(data, held)))
        held_out.append(held)
    rows = np.concatenate(held_out)
    weight = take(given.get("sample_weight", np.ones(len(y))), rows)
    return CALIBRATORS[clf.calibration]().fit(np.concatenate(scores), y[rows], weight)


def assert_calibrated_by(clf: Any, expected: Calibrator, data: Any = X) -> None:
    """Its probabilities are those of a calibrator."""
    ours, theirs = clf._calibrator.get_state(), expected.get_state()
    assert ours.keys() == theirs.keys()
    for name in ours:
        assert_allclose(ours[name], theirs[name], rtol=1e-6, atol=1e-9, err_msg=name)
    said = expected.probability(certainty(clf, data))
    assert_allclose(clf.predict_proba(data)[:, 1], said, rtol=1e-6, atol=1e-9)


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
    assert_array_equal(clf.decision_function(X), uncalibrated.decision_function(X))
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
    assert_array_equal(clf.decision_function(X), uncalibrated.decision_function(X))
    assert clf.ensemble_ == uncalibrated.ensemble_


@pytest.mark.parametrize("calibration", NAMES)
@FAMILIES
def test_every_calibrator_of_every_family(cls: Any, calibration: str) -> None:
    clf = plain(cls, calibration=calibration, calibration_split=2).fit(X, Y)
    folds = StratifiedKFold(2, shuffle=True, random_state=SEED).split(X, Y)
    assert_calibrated_by(clf, by_hand(clf, folds))
    assert type(clf._calibrator) is CALIBRATORS[calibration]


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
    assert_array_equal(clf.decision_function(X), uncalibrated.decision_function(X))


PAIRS = list(KFold(3, shuffle=True, random_state=5).split(X))
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
    with pytest.raises(ValueError, match=r"has no parts; an iterator can be used once only: give"):
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
    clf = plain(cls, estimator="stump", min_samples_leaf=1, calibration=calibration)
    clf.set_params(calibration_split=PAIRS).fit(X, Y, sample_weight=count)
    places = [(np.isin(written, kept), np.isin(written, held)) for kept, held in PAIRS]
    often = clone(clf).set_params(calibration_split=places).fit(X[written], Y[written])
    assert_allclose(clf.predict_proba(X), often.predict_proba(X), rtol=1e-6, atol=1e-8)
    even = clone(clf).fit(X, Y).predict_proba(X)
    assert np.abs(clf.predict_proba(X) - even).max() > 1e-3


def test_weights_are_those_of_the_calibrator_too() -> None:
    weight = np.random.default_rng(2).uniform(0.1, 5, N)
    clf = plain(CGAdaClassifier, calibration="platt", calibration_split=PAIRS)
    clf.fit(X, Y, sample_weight=weight)
    assert_calibrated_by(clf, by_hand(clf, PAIRS, sample_weight=weight))


@pytest.mark.parametrize("weight", [0.01, 7.0])
def test_equal_weights_are_still_counts(weight: float) -> None:
    clf = plain(CGAdaClassifier, calibration="platt", calibration_split=PAIRS)
    clf.fit(X, Y, sample_weight=np.full(N, weight))
    expected = by_hand(clf, PAIRS, sample_weight=np.full(N, weight))
    assert_calibrated_by(clf, expected)
    assert_array_equal(clf.predict_proba(X), clf.fit(X, Y, sample_weight=weight).predict_proba(X))


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

AMOUNT = np.random.default_rng(3).lognormal(1, 0.7, N)


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
    "dear misses": (1000, 1),
    "dear alarms": (1, 1000),
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
    assert np.abs(clf.decision_function(data)).min() > 500
    paid = mean_cost(y, clf.predict(data), fn_cost=costs[0], fp_cost=costs[1])
    assert clf.train_cost_[-1] == pytest.approx(paid)


# ---- tables --------------------------------------------------------------------------------------


JENA = 2


def frame(n: int = N) -> pd.DataFrame:
    """Missing numbers, categories with missing ones, and a category of one row."""
    rng = np.random.default_rng(4)
    town = np.array(["Bonn", "Kiel", "Ulm"], dtype=object)[rng.integers(0, 3, n)]
    town[X[:n, 1] > 1.5] = "Trier"
    town[JENA], town[rng.random(n) < 0.1] = "Jena", None
    number = np.where(rng.random(n) < 0.1, np.nan, X[:n, 0])
    return pd.DataFrame({"a": number, "town": pd.Categorical(town), "b": X[:n, 2]})


@pytest.mark.parametrize("split", [0.3, 4, PAIRS], ids=["share", "folds", "pairs"])
@FAMILIES
def test_missing_values_and_categories(cls: Any, split: Any) -> None:
    data = frame()
    clf = plain(cls, estimator="stump", calibration="platt", calibration_split=split)
    clf.fit(data, Y)
    if split == 0.3:
        pairs = [train_test_split(ROWS, test_size=0.3, stratify=Y, random_state=SEED)]
        pairs = [(np.sort(kept), np.sort(held)) for kept, held in pairs]
    elif split == 4:
        pairs = list(StratifiedKFold(4, shuffle=True, random_state=SEED).split(X, Y))
    else:
        pairs = PAIRS
    assert any(JENA in held for _, held in pairs)  # nobody else has been to Jena
    assert_calibrated_by(clf, by_hand(clf, pairs, data), data)


def test_polars_pyarrow_and_sparse_are_split_alike() -> None:
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    columns = {f"x{j}": X[:, j] for j in range(X.shape[1])}
    clf = plain(CGAdaClassifier, calibration="isotonic", calibration_split=0.4)
    expected = clone(clf).fit(X, Y).predict_proba(X)
    for data in (polars.DataFrame(columns), pyarrow.table(columns), pd.DataFrame(columns)):
        assert_array_equal(clone(clf).fit(data, Y).predict_proba(data), expected)
    for kind in (sparse.csr_matrix, sparse.csc_array):
        assert_array_equal(clone(clf).fit(kind(X), Y).predict_proba(kind(X)), expected)


def test_a_scikit_learn_classifier_as_the_weak_learner() -> None:
    inner = DecisionTreeClassifier(max_depth=2, max_features=2)
    clf = plain(AdaBoostClassifier, estimator=inner, calibration="platt", calibration_split=PAIRS)
    assert_calibrated_by(clf.fit(X, Y), by_hand(clf, PAIRS))
    data = sparse.csr_matrix(np.where(np.abs(X) < 0.5, 0, X))
    clf.fit(data, Y)
    assert_array_equal(clf.predict_proba(data), clone(clf).fit(data, Y).predict_proba(data))


# ---- what holds for all --------------------------------------------------------------------------


@pytest.mark.parametrize("calibration", NAMES)
@EACH
def test_probabilities_are_probabilities_and_rise_with_the_score(
    cls: Any, calibration: str
) -> None:
    labels = np.array(["good", "bad"])[Y]  # sorted, the positive class is the first
    data = sparse.csr_array(np.where(np.abs(X) < 0.3, 0, X))
    clf = plain(cls, pos_label="bad", fn_cost=2, calibration=calibration, calibration_split=3)
    clf.fit(data, labels)
    assert_array_equal(clf.classes_, ["bad", "good"])
    both = clf.predict_proba(data)
    assert np.all((both >= 0) & (both <= 1))
    assert_allclose(both.sum(axis=1), 1, rtol=1e-12)
    order = np.argsort(clf.decision_function(data), kind="stable")
    rise = np.diff(both[order, 1])
    assert np.all(rise >= 0)
    bad = plain(cls, fn_cost=2, calibration=calibration, calibration_split=3).fit(data, Y)
    assert_array_equal(both[:, 0], bad.predict_proba(data)[:, 1])
    said = np.where(both[:, 0] > 1 / 3, "bad", "good")
    assert_array_equal(clf.predict(data), said)
    if calibration != "isotonic":
        apart = np.diff(certainty(bad, data)[order[::-1]]) > 1e-9
        assert apart.any()
        assert np.all(rise[::-1][apart] > 0)


def test_scores_that_mislead_are_turned_round() -> None:
    """A sigmoid may fall: held-out rows that say the opposite of the training rows do that."""
    data = np.repeat([[0.0], [1.0]], 40, axis=0)
    y = np.concatenate([np.arange(40) % 10 == 0, np.arange(40) % 10 != 0]).astype(int)
    wrong = np.concatenate([data, data]), np.concatenate([y, 1 - y])
    clf = plain(AdaBoostClassifier, calibration="platt", fn_cost=3)
    clf.set_params(calibration_split=[(np.arange(80), np.arange(80, 160))])
    keep_all = clf.fit(*wrong, sample_weight=np.repeat([1.0, 0.5], 80))
    low, high = keep_all.predict_proba([[0.0], [1.0]])[:, 1]
    assert low > 0.8 > 0.2 > high
    assert_array_equal(keep_all.decision_function([[0.0], [1.0]]) > 0, [False, True])
    assert_array_equal(keep_all.predict([[0.0], [1.0]]), [1, 0])
    weight = np.repeat([1.0, 0.5], 80)
    paid = mean_cost(wrong[1], keep_all.predict(wrong[0]), fn_cost=3, sample_weight=weight)
    assert keep_all.train_cost_[-1] == pytest.approx(paid)
    assert costs_fall_with_fn_cost(keep_all, wrong[0])


def costs_fall_with_fn_cost(clf: Any, data: Any) -> bool:
    """Whether dearer misses never turn a positive row into a negative one."""
    called = [clf.predict(data, fn_cost=fn, fp_cost=1) == 1 for fn in np.geomspace(0.01, 100, 9)]
    return all(np.all(before <= after) for before, after in pairwise(called))


@EACH_WITH_ONE
def test_staged_predictions_end_with_the_final_ones(cls: Any, calibration: str) -> None:
    clf = plain(cls, calibration=calibration, calibration_split=0.3, fn_cost=4).fit(X, Y)
    assert_array_equal(list(clf.staged_predict(X))[-1], clf.predict(X))
    assert_allclose(list(clf.staged_predict_proba(X))[-1], clf.predict_proba(X), rtol=1e-9)
    assert len(list(clf.staged_predict(X, fn_cost=AMOUNT))) == clf.n_iter_ > 1
    assert list(clf.staged_score(X, Y))[-1] == clf.score(X, Y)


def test_no_learner_at_all() -> None:
    """Constant rows: the share of the positives decides, under any costs."""
    clf = plain(AdaBoostClassifier, calibration="platt")
    data, y = np.zeros((40, 2)), np.arange(40) % 2
    with pytest.warns(UserWarning, match="added no learner"):
        clf.fit(data, y)
    assert_array_equal(clf.predict_proba(data), np.full((40, 2), 0.5))
    assert set(clf.predict(data, fn_cost=2, fp_cost=1)) == {1}
    assert set(clf.predict(data, fn_cost=1, fp_cost=2)) == {0}


# ---- decisions -----------------------------------------------------------------------------------

positive_cost = st.floats(1e-6, 1e6)


@settings(deadline=None, derandomize=True, max_examples=40)
@given(fn=positive_cost, fp=positive_cost, seed=st.integers(0, 5))
def test_other_costs_are_another_threshold_and_no_training(fn: float, fp: float, seed: int) -> None:
    clf, trained = COUNTED[seed % len(COUNTED)]
    before = len(trained)
    p = clf.predict_proba(X)[:, 1]
    assert_array_equal(clf.predict(X, fn_cost=fn, fp_cost=fp), p > fp / (fp + fn))
    rng = np.random.default_rng(seed)
    each, alarm = fn * rng.lognormal(size=N), fp * rng.lognormal(size=N)
    assert_array_equal(clf.predict(X, fn_cost=each, fp_cost=alarm), p > alarm / (alarm + each))
    assert_array_equal(clf.predict(X, fn_cost=each, fp_cost=fp), p > fp / (fp + each))
    dearer = clf.predict(X, fn_cost=2 * fn, fp_cost=fp)
    assert np.all(dearer >= clf.predict(X, fn_cost=fn, fp_cost=fp))
    assert len(trained) == before > 0


def counted(cls: Any, **options: Any) -> tuple[Any, list[int]]:
    """A classifier, fitted, and a list that grows whenever it is trained."""
    trained: list[int] = []

    class Counting(cls):
        def _train(self, problem: Any, earlier: Any) -> Any:
            trained.append(problem.n_rows)
            return super()._train(problem, earlier)

    return plain(Counting, **options).fit(X, Y), trained


COUNTED = [
    counted(CGAdaClassifier, fn_cost=5, calibration="platt"),
    counted(AdaC2Classifier, fn_cost=5, calibration="isotonic", calibration_split=0.3),
    counted(CSAdaClassifier, fn_cost=5, calibration="beta"),
    counted(LogitBoostClassifier, fn_cost=5, calibration="log-odds", calibration_split=3),
]


def test_as_many_trainings_as_promised() -> None:
    rows = [[len(trained), trained[-1]] for _, trained in COUNTED]
    assert rows == [[6, N], [1, N - round(0.3 * N)], [6, N], [4, N]]


def test_a_probability_at_the_threshold_is_negative() -> None:
    data = np.repeat([[0.0], [1.0]], 8, axis=0)
    y = np.array([0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1])
    halves = [
        (np.arange(0, 16, 2), np.arange(1, 16, 2)),
        (np.arange(1, 16, 2), np.arange(0, 16, 2)),
    ]
    clf = plain(AdaBoostClassifier, calibration="isotonic", calibration_split=halves).fit(data, y)
    assert_array_equal(clf.predict_proba([[0], [1]])[:, 1], [0.25, 0.75])
    assert_array_equal(clf.predict([[0], [1]], fn_cost=3, fp_cost=1), [0, 1])
    assert_array_equal(clf.predict([[0], [1]], fn_cost=3 + 1e-12, fp_cost=1), [1, 1])
    assert_array_equal(clf.predict([[0], [1]], fn_cost=1, fp_cost=3), [0, 0])
    assert_array_equal(clf.predict([[0], [1]], fn_cost=1, fp_cost=3 - 1e-12), [0, 1])


@pytest.mark.parametrize("cls", [AdaBoostClassifier, LogitBoostClassifier])
def test_the_cost_blind_decide_by_cost_once_calibrated(cls: Any) -> None:
    clf = plain(cls, fn_cost=50, calibration="platt").fit(X, Y)  # a warning would be an error
    called = clf.predict(X)
    assert_array_equal(called, clf.predict_proba(X)[:, 1] > 1 / 51)
    assert called.mean() > clf.predict(X, fn_cost=1).mean()
    with pytest.warns(UserWarning, match="ignores costs"):
        clf.set_params(calibration=None).fit(X, Y)
    with pytest.raises(ValueError, match=r"cannot be given other costs.*calibration='platt'"):
        clf.predict(X, fn_cost=2)


# ---- what it is good for -------------------------------------------------------------------------

OFF = [
    (AdaMECClassifier, {"n_estimators": 40}),
    (AdaC2Classifier, {"n_estimators": 30, "fn_cost": 5}),
    (LogitBoostClassifier, {"n_estimators": 40, "estimator": "tree"}),
    (RealBoostClassifier, {"n_estimators": 40, "estimator": "tree"}),
]


@pytest.mark.parametrize("calibration", NAMES)
@pytest.mark.parametrize("case", OFF, ids=lambda case: case[0].__name__[:-10])
def test_the_brier_score_falls_where_probabilities_were_off(
    case: tuple[Any, dict[str, Any]], calibration: str
) -> None:
    cls, options = case
    data, y = make_classification(
        2600, n_features=8, n_informative=5, weights=[0.8], flip_y=0.3, random_state=1
    )
    train, test = np.arange(1100), np.arange(1100, 2600)
    clf = plain(cls, **options).fit(data[train], y[train])
    before = np.mean((clf.predict_proba(data[test])[:, 1] - y[test]) ** 2)
    clf.set_params(calibration=calibration, calibration_split=3).fit(data[train], y[train])
    after = np.mean((clf.predict_proba(data[test])[:, 1] - y[test]) ** 2)
    assert after < before - 0.02
    assert after < np.var(y[test])
