"""Every algorithm with every weak learner that it can boost: stages, stopping, odd data."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from scipy.special import expit
from sklearn.neighbors import KNeighborsClassifier

import costboost
from costboost import (
    AdaBoostClassifier,
    AdaBoostRegClassifier,
    AdaC2Classifier,
    AsymAdaClassifier,
    CGAdaClassifier,
    CSGAClassifier,
    CSLBClassifier,
    CSLogitBoostClassifier,
    CSRAClassifier,
    CSRealBoostClassifier,
    LogitBoostClassifier,
)

CLASSIFIERS = [
    cls
    for cls in (getattr(costboost, name) for name in costboost.__all__)
    if hasattr(cls, "rule") and cls is not costboost.CostBoostClassifier  # chooses its learner
]
BUILT_IN = [
    (classifier, learner)
    for classifier in CLASSIFIERS
    for learner in classifier.rule.learners
    if learner != "wrapped"
]
SPREADS = [AsymAdaClassifier, CSRAClassifier, CSGAClassifier, CSLBClassifier]
"""A round sees its share of the costs, one in M: another M is another algorithm."""
NEW = [
    (CSRealBoostClassifier, "lookup"),
    (CGAdaClassifier, "lookup"),
    (LogitBoostClassifier, "lookup"),
    (CSLogitBoostClassifier, "linear"),
    (CGAdaClassifier, "logistic"),
]
each = pytest.mark.parametrize(
    ("classifier", "learner"), BUILT_IN, ids=lambda v: v if isinstance(v, str) else v.__name__[:-10]
)
each_new = pytest.mark.parametrize(
    ("classifier", "learner"), NEW, ids=lambda v: v if isinstance(v, str) else v.__name__[:-10]
)
ignore_empty = pytest.mark.filterwarnings("ignore:.* added no learner")


def problem(n: int = 90, d: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 12, (n, d)) / 4
    score = X[:, 0] - X[:, -1] + rng.normal(0, 1.2, n)
    return X, (score > np.quantile(score, 0.7)).astype(int)


def costs_of(classifier: Any, fn: float = 4.0) -> dict[str, float]:
    return {} if classifier.rule.cost_blind else {"fn_cost": fn, "fp_cost": 1.5}


def with_holes(X: np.ndarray, learner: str) -> np.ndarray:
    """Missing values, where the learner takes them."""
    X = X.copy()
    if learner != "linear":
        X[np.random.default_rng(9).random(X.shape) < 0.1] = np.nan
    return X


def same(one: Any, other: Any) -> None:
    assert one.ensemble_.tobytes() == other.ensemble_.tobytes()
    for name in ("estimator_weights_", "estimator_errors_", "train_cost_"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes()


# ---- stages --------------------------------------------------------------------------------------


@each
def test_the_last_stage_is_the_final_result(classifier: Any, learner: str) -> None:
    X, y = problem()
    X, fresh = with_holes(X, learner), with_holes(problem(40, seed=1)[0], learner)
    clf = classifier(estimator=learner, n_estimators=9, **costs_of(classifier)).fit(X, y)
    for staged, final in (
        (clf.staged_decision_function(fresh), clf.decision_function(fresh)),
        (clf.staged_predict_proba(fresh), clf.predict_proba(fresh)),
        (clf.staged_predict(fresh), clf.predict(fresh)),
    ):
        stages = list(staged)
        assert len(stages) == clf.n_iter_ > 1
        assert stages[-1].tobytes() == final.tobytes()


@each
@pytest.mark.parametrize("given", ["class costs", "row costs"])
def test_what_training_saw_is_what_prediction_says(
    classifier: Any, learner: str, given: str
) -> None:
    """Scores on bins and on raw values: the cost after each round is that of its predictions."""
    X, y = problem()
    X = with_holes(X, learner)
    fn, fp = costs_of(classifier).get("fn_cost", 1.0), costs_of(classifier).get("fp_cost", 1.0)
    more: dict[str, Any] = costs_of(classifier)
    if given == "row costs":
        if classifier.rule.cost_blind:
            return
        fn, fp = np.random.default_rng(1).uniform(0.5, 5, (2, len(y)))
        more = {"fn_cost": fn, "fp_cost": fp}
    clf = classifier(estimator=learner, n_estimators=9).fit(X, y, **more)
    decide = more if classifier.rule.decides_by_cost else {}
    costs = [
        np.mean((called != y) * np.where(y == 1, fn, fp))
        for called in clf.staged_predict(X, **decide)
    ]
    np.testing.assert_allclose(clf.train_cost_, costs, rtol=1e-12)


# ---- going on ------------------------------------------------------------------------------------


@each
@pytest.mark.parametrize("given", ["plain", "row costs and weights"])
def test_going_on_is_as_if_never_stopped(classifier: Any, learner: str, given: str) -> None:
    if classifier in SPREADS:
        return
    X, y = problem()
    X = with_holes(X, learner)
    more: dict[str, Any] = {}
    options = costs_of(classifier) | {"estimator": learner, "learning_rate": 0.8}
    if given != "plain":
        rng = np.random.default_rng(2)
        more["sample_weight"] = rng.integers(0, 3, len(y))
        if not classifier.rule.cost_blind:
            more["fn_cost"], more["fp_cost"] = rng.uniform(0.5, 5, (2, len(y)))
    warm = classifier(n_estimators=4, warm_start=True, **options).fit(X, y, **more)
    first = warm.ensemble_.tobytes()
    warm.set_params(n_estimators=10).fit(X, y, **more)
    cold = classifier(n_estimators=10, **options).fit(X, y, **more)
    same(warm, cold)
    assert warm.stop_reason_ == cold.stop_reason_
    assert cold.n_iter_ > 4
    assert first != cold.ensemble_.tobytes()
    assert warm.predict_proba(X).tobytes() == cold.predict_proba(X).tobytes()


@pytest.mark.parametrize("learner", ["stump", "logistic"])
def test_going_on_after_negative_steps(learner: str) -> None:
    """Kept learners whose step is negative keep their vote."""
    X, y = problem(80, seed=3)
    options = {"estimator": learner, "fn_cost": 8.0, "negative_step": "keep"}
    warm = AdaC2Classifier(n_estimators=12, warm_start=True, **options).fit(X, y)
    assert (warm.estimator_weights_ < 0).any()
    warm.set_params(n_estimators=20).fit(X, y)
    same(warm, AdaC2Classifier(n_estimators=20, **options).fit(X, y))


@each
def test_learners_are_recalled_and_not_searched_for(classifier: Any, learner: str) -> None:
    """Under other labels other learners would be found; those that are there stay."""
    X, y = problem()
    X = with_holes(X, learner)
    options = costs_of(classifier) | {"estimator": learner, "negative_step": "keep"}
    clf = classifier(n_estimators=2, warm_start=True, **options).fit(X, y)
    before = [structure(clf, t) for t in range(clf.n_iter_)]
    other = (X[:, 1] > np.nanmedian(X[:, 1])) ^ (np.arange(len(y)) % 5 == 0)
    try:
        clf.set_params(n_estimators=6).fit(X, other)
    except UserWarning:  # no step for the first of them
        return
    kept = min(clf.n_iter_, len(before))
    assert [structure(clf, t) for t in range(kept)] == before[:kept]
    cold = classifier(n_estimators=6, **options).fit(X, other)
    assert structure(cold, 0) != before[0]


def leaf_of(nodes: Any, x: np.ndarray) -> int:
    k = 0
    while nodes[k].left >= 0:
        v = x[nodes[k].feature]
        goes_left = nodes[k].missing_left if np.isnan(v) else v <= nodes[k].threshold
        k = nodes[k].left + (not goes_left)
    return k


def structure(clf: Any, t: int) -> Any:
    """What a round tests, without the values of its leaves."""
    if not hasattr(clf.ensemble_, "tree"):
        return int(clf.ensemble_.feature[t])
    return repr([(n.feature, n.threshold, n.left, n.missing_left) for n in clf.ensemble_.tree(t)])


def replayed(clf: Any, X: np.ndarray, y: np.ndarray, ratio: float) -> np.ndarray:
    """The score if the learners there are had found their steps for M = n_estimators."""
    M, label = clf.n_estimators, np.where(y == 1, 1.0, -1.0)
    share = np.where(y == 1, ratio, 1.0) ** (1 / M)
    w = share / share.sum()
    F = np.zeros(len(y))
    for t in range(clf.n_iter_):
        nodes = clf.ensemble_.tree(t)
        leaf = np.array([leaf_of(nodes, x) for x in X])
        p, q = (np.bincount(leaf, w * (label == s), len(nodes)) for s in (1, -1))
        if isinstance(clf, AsymAdaClassifier):
            h = np.where(np.array([n.value for n in nodes]) > 0, 1.0, -1.0)[leaf]
            right = w[h == label].sum()
            g = 0.5 * np.log(right / (1 - right)) * h
        elif isinstance(clf, CSRAClassifier):
            g = 0.5 * np.log((p + 1e-4) / (q + 1e-4))[leaf]
        else:
            with np.errstate(invalid="ignore"):
                g = ((p - q) / (p + q))[leaf]
        F = F + g
        w = w * share * np.exp(-label * g)
        w = w / w.sum()
    return F


@pytest.mark.parametrize("learner", ["stump", "tree", "lookup", "logistic", "linear"])
@pytest.mark.parametrize("classifier", SPREADS)
def test_going_on_where_the_number_of_rounds_counts(classifier: Any, learner: str) -> None:
    """The learners there are stay; all steps and values are found for the new M."""
    if learner not in classifier.rule.learners:
        return
    X, y = problem()
    X = with_holes(X, learner)
    options = {"estimator": learner, "fn_cost": 12.0}
    warm = classifier(n_estimators=2, warm_start=True, **options).fit(X, y)
    before = [structure(warm, t) for t in range(2)]
    old = warm.decision_function(X)
    warm.set_params(n_estimators=9).fit(X, y)
    assert warm.n_iter_ == 9 or learner == "logistic"
    assert [structure(warm, t) for t in range(2)] == before
    second = list(warm.staged_decision_function(X))[1]
    assert not np.allclose(second, old)
    if classifier is not CSLBClassifier:
        np.testing.assert_allclose(
            warm.decision_function(X), replayed(warm, X, y, 12.0), rtol=1e-9, atol=1e-10
        )
        return
    F, said = np.zeros(len(y)), np.diff([0 * y, *warm.staged_decision_function(X)], axis=0)
    for m, (step, g) in enumerate(zip(warm.estimator_weights_, said, strict=True), 1):
        P = expit(2 * F - m / 9 * np.log(12))
        w, r = P * (1 - P), y - P
        if learner == "linear":  # least squares: what is left has no part along the line
            f = int(warm.ensemble_.feature[m - 1])
            for along in (np.ones(len(y)), X[:, f]):
                assert (r - w * g / step) @ along == pytest.approx(0, abs=1e-7)
        else:
            for value in np.unique(g):
                here = g == value
                mean = np.clip(r[here].sum() / w[here].sum(), -4, 4)
                assert value == pytest.approx(step * mean, rel=1e-7)
        F = F + g


# ---- early stopping ------------------------------------------------------------------------------


@each_new
@pytest.mark.parametrize("scoring", [None, "neg_log_loss"])
def test_early_stopping(classifier: Any, learner: str, scoring: Any) -> None:
    X, y = problem(150)
    options = costs_of(classifier) | {
        "estimator": learner, "n_estimators": 80, "early_stopping": True, "n_iter_no_change": 4,
        "random_state": 0, "scoring": scoring,
    }  # fmt: skip
    clf = classifier(**options).fit(X, y)
    assert clf.n_iter_ < 80
    assert len(clf.validation_score_) == clf.n_iter_
    scores = clf.validation_score_
    if learner != "logistic":  # whose regressions soon vote no better than chance
        assert not (scores[-4:] > scores[-5] + clf.tol).any()
        assert "validation score" in clf.stop_reason_
    again = classifier(**options).fit(X, y)
    same(clf, again)
    watched = classifier(**options | {"validation_fraction": None}).fit(X, y)
    if scoring is None:
        np.testing.assert_allclose(watched.validation_score_, -watched.train_cost_, rtol=1e-12)
    else:
        stages = watched.staged_predict_proba(X)
        loss = [np.mean(np.log(P[np.arange(len(y)), y])) for P in stages]
        np.testing.assert_allclose(watched.validation_score_, loss, rtol=1e-9)
    whole = classifier(**options | {"early_stopping": False, "n_estimators": watched.n_iter_})
    same(whole.fit(X, y), watched)


# ---- odd data ------------------------------------------------------------------------------------


@each
@ignore_empty
def test_one_feature(classifier: Any, learner: str) -> None:
    X, y = problem()
    clf = classifier(estimator=learner, n_estimators=5, **costs_of(classifier)).fit(X[:, :1], y)
    assert clf.n_iter_ > 0
    assert clf.feature_importances_.tolist() == [1.0]
    assert np.isfinite(clf.decision_function(X[:, :1])).all()


@each
def test_constant_features_are_never_used(classifier: Any, learner: str) -> None:
    X, y = problem()
    wide = np.column_stack([np.full(len(y), 3.0), X[:, 0], np.zeros(len(y)), X[:, 2]])
    options = costs_of(classifier) | {"estimator": learner, "n_estimators": 6}
    clf = classifier(**options).fit(wide, y)
    narrow = classifier(**options).fit(X[:, [0, 2]], y)
    assert clf.feature_importances_[[0, 2]].tolist() == [0, 0]
    assert clf.decision_function(wide).tobytes() == narrow.decision_function(X[:, [0, 2]]).tobytes()


@each
@ignore_empty
def test_nothing_but_constant_features(classifier: Any, learner: str) -> None:
    X, y = np.ones((8, 2)), np.array([1, 0, 0, 0, 0, 0, 0, 1])
    clf = classifier(estimator=learner, n_estimators=5).fit(X, y)
    assert np.isfinite(clf.decision_function(X)).all()
    assert (clf.predict(X) == 0).all()


@each
@ignore_empty
def test_features_that_are_missing_everywhere(classifier: Any, learner: str) -> None:
    if learner == "linear":
        return
    X, y = problem()
    options = costs_of(classifier) | {"estimator": learner, "n_estimators": 6}
    holes = np.column_stack([np.full(len(y), np.nan), X])
    clf, plain = classifier(**options).fit(holes, y), classifier(**options).fit(X, y)
    assert clf.feature_importances_[0] == 0
    assert clf.decision_function(holes).tobytes() == plain.decision_function(X).tobytes()
    nothing = np.full((len(y), 2), np.nan)
    empty = classifier(**options).fit(nothing, y)
    assert np.isfinite(empty.decision_function(nothing)).all()
    assert np.isin(empty.predict(nothing), [0, 1]).all()


@each
def test_float32_is_decided_as_float64(classifier: Any, learner: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2)).astype(np.float32)
    y = (X[:, 0] + rng.normal(size=120) > 0.5).astype(int)
    options = costs_of(classifier) | {"estimator": learner, "n_estimators": 5}
    clf, wide = classifier(**options).fit(X, y), classifier(**options).fit(X.astype(float), y)
    same(clf, wide)
    assert clf.decision_function(X).tobytes() == wide.decision_function(X.astype(float)).tobytes()
    assert clf.decision_function(X.astype(float)).tobytes() == clf.decision_function(X).tobytes()


def frames(X: np.ndarray) -> dict[str, Any]:
    columns = {name: X[:, j] for j, name in enumerate("abc")}
    nulls = {k: [None if np.isnan(v) else v for v in c.tolist()] for k, c in columns.items()}
    return {
        "Fortran": np.asfortranarray(X),
        "objects": X.astype(object),
        "pandas": pd.DataFrame(columns),
        "pandas nullable": pd.DataFrame(nulls).convert_dtypes(),
        "polars": pl.DataFrame(nulls),
        "pyarrow": pa.table(nulls),
        "csr": sparse.csr_matrix(X),
        "csc": sparse.csc_array(X),
    }


@each_new
@pytest.mark.parametrize("kind", frames(np.zeros((2, 3))))
def test_every_table_gives_the_same_model(classifier: Any, learner: str, kind: str) -> None:
    X, y = problem()
    X = with_holes(X, learner)
    options = costs_of(classifier) | {"estimator": learner, "n_estimators": 6}
    expected, table = classifier(**options).fit(X, y), frames(X)[kind]
    clf = classifier(**options).fit(table, y)
    same(clf, expected)
    assert clf.decision_function(table).tobytes() == expected.decision_function(X).tobytes()
    stages = list(clf.staged_decision_function(table))
    assert stages[-1].tobytes() == expected.decision_function(X).tobytes()


# ---- categories ----------------------------------------------------------------------------------

TOWNS = np.array(["Bonn", "Jena", "Trier", "Ulm", None], dtype=object)


def towns(kind: str, codes: np.ndarray, number: np.ndarray) -> Any:
    names = TOWNS[codes].tolist()
    if kind == "pandas":
        return pd.DataFrame({"town": pd.Categorical(names), "number": number})
    if kind == "polars":
        schema = {"town": pl.Categorical}
        return pl.DataFrame({"town": names, "number": number}, schema_overrides=schema)
    if kind == "pyarrow":
        return pa.table({"town": pa.array(names).dictionary_encode(), "number": number})
    return np.column_stack([np.where(codes == 4, np.nan, codes), number])


LOOKUPS = [c for c in CLASSIFIERS if "lookup" in c.rule.learners]


@pytest.mark.parametrize("classifier", LOOKUPS, ids=lambda c: c.__name__)
def test_lookups_of_categories(classifier: Any) -> None:
    """The same in every table; categories never seen are like missing ones."""
    rng = np.random.default_rng(0)
    codes, number = rng.integers(0, 5, 120), rng.integers(0, 4, 120).astype(float)
    y = (np.isin(codes, [1, 3, 4]) ^ (rng.random(120) < 0.1)).astype(int)
    options = costs_of(classifier) | {"estimator": "lookup", "n_estimators": 5}
    plain = classifier(categorical_features=[0], **options).fit(towns("codes", codes, number), y)
    expected = plain.decision_function(towns("codes", codes, number))
    for kind in ("pandas", "polars", "pyarrow"):
        clf = classifier(**options).fit(towns(kind, codes, number), y)
        same(clf, plain)
        assert clf.decision_function(towns(kind, codes, number)).tobytes() == expected.tobytes()
    odd = np.array([[99.0, 2.0], [np.nan, 2.0], [-3.0, 2.0], [1.5, 2.0]])
    scores = plain.decision_function(odd)
    assert (scores == scores[1]).all()
    warm = classifier(categorical_features=[0], warm_start=True, **options | {"n_estimators": 2})
    if classifier not in SPREADS:
        warm.fit(towns("codes", codes, number), y).set_params(n_estimators=5)
        same(warm.fit(towns("codes", codes, number), y), plain)


# ---- other costs and rows ------------------------------------------------------------------------


@each
@ignore_empty
def test_a_whole_weight_is_a_row_written_so_often(classifier: Any, learner: str) -> None:
    if classifier is AdaBoostRegClassifier:  # forgives a row by its weight, however it came to it
        return
    X, y = problem()
    weight = np.random.default_rng(4).integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), weight)
    options = costs_of(classifier) | {"estimator": learner, "n_estimators": 5}
    weighted = classifier(**options).fit(X, y, sample_weight=weight)
    written = classifier(**options).fit(X[rows], y[rows])
    np.testing.assert_allclose(
        weighted.decision_function(X), written.decision_function(X), rtol=1e-8, atol=1e-8
    )


@each
def test_row_costs_that_are_all_the_same(classifier: Any, learner: str) -> None:
    """Another way to the same model: row by row instead of cell by cell."""
    if classifier.rule.cost_blind:
        return
    X, y = problem()
    X = with_holes(X, learner)
    options = {"estimator": learner, "n_estimators": 5}
    ones = np.ones(len(y))
    classes = classifier(**options).fit(X, y, fn_cost=4.0, fp_cost=1.5)
    by_row = classifier(**options).fit(X, y, fn_cost=4.0 * ones, fp_cost=1.5 * ones)
    np.testing.assert_allclose(
        by_row.decision_function(X), classes.decision_function(X), rtol=1e-8, atol=1e-8
    )


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda c: c.__name__)
def test_rows_drawn_by_weight(classifier: Any) -> None:
    """Every algorithm that takes scikit-learn's classifiers takes one without weights."""
    X, y = problem()
    clf = classifier(
        estimator=KNeighborsClassifier(5), resample=True, n_estimators=4, random_state=0,
        **costs_of(classifier),
    )  # fmt: skip
    if "wrapped" not in classifier.rule.learners:
        with pytest.raises(ValueError, match="cannot boost a scikit-learn classifier"):
            clf.fit(X, y)
        return
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".* added no learner")
        scores = clf.fit(X, y).decision_function(X)
    assert np.isfinite(scores).all()
    if clf.n_iter_:
        assert list(clf.staged_decision_function(X))[-1].tobytes() == scores.tobytes()


def test_blind_algorithms_say_so_with_every_learner() -> None:
    X, y = problem()
    for learner in AdaBoostClassifier.rule.learners[:-1]:
        with pytest.warns(UserWarning, match="ignores costs"):
            AdaBoostClassifier(estimator=learner, n_estimators=2, fn_cost=3.0).fit(X, y)


ROUNDS: dict[str, Callable[[Any], int]] = {
    "stump": lambda clf: int(np.diff(clf.ensemble_.first).max()),
    "lookup": lambda clf: int(np.diff(clf.ensemble_.first).max()),
    "tree": lambda clf: int(np.diff(clf.ensemble_.first).max()),
}


def test_learners_differ() -> None:
    """A stump has three nodes, a tree more, a lookup one leaf a bin and one for the missing."""
    X, y = problem()
    sizes = {
        learner: size(CGAdaClassifier(estimator=learner, n_estimators=3).fit(X, y))
        for learner, size in ROUNDS.items()
    }
    assert sizes["stump"] == 3
    assert sizes["tree"] > 9
    assert sizes["lookup"] == 2 * 13 - 1
