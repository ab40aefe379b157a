"""Probabilities and decisions under another prevalence, estimated prevalences, thinned samples."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import costboost
from costboost import (
    ActionClassifier,
    CostBoostClassifier,
    CostSearchCV,
    OperatingPointClassifier,
    estimate_prevalence,
)
from costboost._core.model.shares import density_ratios, em, most_likely_shares
from costboost.algorithms import AdaBoostClassifier, AdaMECClassifier
from costboost.decisions.prevalence import estimate
from costboost.metrics import mean_cost
from costboost.multiclass import CostingClassifier, GBSEClassifier


def drawn(n: int, share: float, seed: int, gap: float = 1.0) -> tuple[Any, Any]:
    """Rows of two classes: normal features, of which two have other means in the positive class."""
    random = np.random.default_rng(seed)
    y = np.zeros(n, dtype=int)
    y[: round(n * share)] = 1
    X = random.normal(size=(n, 4))
    X[:, :2] += gap * y[:, None]
    return X, y


def exact(X: Any, share: float, gap: float = 1.0) -> Any:
    """P(y = 1 | x) of the rows of `drawn`."""
    odds = share / (1 - share) * np.exp(gap * X[:, :2].sum(axis=1) - gap**2)
    return odds / (1 + odds)


@pytest.fixture(scope="module")
def rows() -> tuple[Any, Any]:
    return drawn(1500, 0.3, 0)


@pytest.fixture(scope="module")
def fitted(rows: tuple[Any, Any]) -> CostBoostClassifier:
    return CostBoostClassifier(n_estimators=20, fn_cost=5, random_state=0).fit(*rows)


def moved(p: Any, old: float, new: float) -> Any:
    odds = p / (1 - p) * (new / (1 - new)) / (old / (1 - old))
    return odds / (1 + odds)


# ---- given prevalence ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "clf",
    [
        CostBoostClassifier(n_estimators=10, fn_cost=5, random_state=0),
        CostBoostClassifier(n_estimators=10, calibration=None, fn_cost=3),
        CostBoostClassifier(n_estimators=10, pos_label=0, random_state=0),
        AdaMECClassifier(n_estimators=10, fn_cost=2),
        AdaBoostClassifier(n_estimators=10, calibration="isotonic", random_state=0),
        costboost.algorithms.AdaC2Classifier(
            n_estimators=10, calibration="beta", fn_cost=3, random_state=0
        ),
    ],
    ids=lambda clf: type(clf).__name__,
)
def test_odds_are_reweighted_and_decisions_follow(clf: Any, rows: tuple[Any, Any]) -> None:
    X, y = rows
    clf.fit(X, y)
    k = clf.model_.positive_index
    share = np.mean(y == clf.classes_[k])
    np.testing.assert_allclose(clf.class_prior_[k], share)
    row_cost = np.linspace(0.5, 9, len(y))
    for prevalence in (0.01, float(share), 0.8):
        p = clf.predict_proba(X, prevalence=prevalence)[:, k]
        before = clf.predict_proba(X)[:, k]
        inside = (before > 0) & (before < 1)
        expected = np.where(inside, moved(np.where(inside, before, 0.5), share, prevalence), before)
        np.testing.assert_allclose(p, expected, rtol=1e-9)
        for costs in ({}, {"fn_cost": 7.0}, {"fn_cost": row_cost}):
            fn, fp = costs.get("fn_cost", clf.model_.costs.fn), clf.model_.costs.fp
            above = p > fp / (fp + fn)
            predicted = clf.predict(X, prevalence=prevalence, **costs)
            assert np.array_equal(predicted == clf.classes_[k], above)
            distance = clf.decision_function(X, prevalence=prevalence, **costs)
            assert np.array_equal(distance > 0, predicted == clf.classes_[1])
    with np.errstate(divide="ignore"):
        logs = np.log(clf.predict_proba(X, prevalence=0.2))
    np.testing.assert_allclose(clf.predict_log_proba(X, prevalence=0.2), logs)


def test_costs_and_prevalence_are_one_threshold(
    fitted: CostBoostClassifier, rows: tuple[Any, Any]
) -> None:
    """Multiplying the odds of the prevalence by 4 is multiplying the cost of a miss by 4."""
    X, _ = rows
    pi = fitted.class_prior_[1]
    odds = 4 * pi / (1 - pi)
    same = fitted.predict(X, prevalence=odds / (1 + odds)) == fitted.predict(X, fn_cost=20)
    assert same.mean() > 0.999


def test_spellings_of_a_prevalence(fitted: CostBoostClassifier, rows: tuple[Any, Any]) -> None:
    X, _ = rows
    one = fitted.predict_proba(X, prevalence=0.1)
    for same in ({1: 0.1}, {0: 0.9}, {1: 0.1, 0: 0.9}, [0.9, 0.1], np.array([0.9, 0.1])):
        np.testing.assert_allclose(fitted.predict_proba(X, prevalence=same), one)


@pytest.mark.parametrize(
    ("prevalence", "message"),
    [
        (0, "above 0 and below 1, got 0"),
        (1.0, "above 0 and below 1, got 1"),
        (-0.2, "above 0 and below 1, got -0.2"),
        (float("nan"), "must be finite"),
        ("high", "'estimate', got 'high'"),
        (True, "must be numbers"),
        ([0.2, 0.3, 0.5], "each of the 2 classes"),
        ([0.2, 0.3], "add up to 1, but their sum is 0.5"),
        ({2: 0.5}, "the class 2, but the classes are 0, 1"),
        ({}, "no share for the classes 0, 1"),
    ],
)
def test_bad_prevalences(
    fitted: CostBoostClassifier, rows: tuple[Any, Any], prevalence: Any, message: str
) -> None:
    for method in (fitted.predict, fitted.predict_proba, fitted.decision_function):
        with pytest.raises(ValueError, match=message):
            method(rows[0], prevalence=prevalence)


def test_classifiers_without_calibrated_probabilities_take_none(rows: tuple[Any, Any]) -> None:
    clf = AdaBoostClassifier(n_estimators=5).fit(*rows)
    for method in (clf.predict, clf.predict_proba, clf.decision_function):
        with pytest.raises(ValueError, match=r"takes no prevalence.*calibration='platt'"):
            method(rows[0], prevalence=0.1)
    with pytest.raises(ValueError, match="AdaBoostClassifier are not calibrated"):
        estimate_prevalence(clf, rows[0])
    with pytest.raises(ValueError, match="takes no sampling"):
        clf.fit(*rows, sampling={"negative": 0.1})


def test_several_classes() -> None:
    X, y = load_iris(return_X_y=True)
    clf = CostBoostClassifier(n_estimators=10, random_state=0).fit(X, y)
    shares = np.array([0.1, 0.3, 0.6])
    scaled = clf.predict_proba(X) * shares * 3
    scaled /= scaled.sum(axis=1, keepdims=True)
    for given_shares in (shares, {0: 0.1, 1: 0.3}, dict(enumerate(shares))):
        found = clf.predict_proba(X, prevalence=given_shares)
        np.testing.assert_allclose(found, scaled)
        assert np.array_equal(clf.predict(X, prevalence=given_shares), scaled.argmax(axis=1))
    with pytest.raises(ValueError, match="there are 3 classes; give a share for each"):
        clf.predict(X, prevalence=0.1)
    rare = np.concatenate([np.arange(20), np.arange(50, 100), np.arange(100, 110)])
    found = estimate_prevalence(clf, X[rare])
    for label, share in zip(range(3), (0.25, 0.625, 0.125), strict=True):
        low, high = found.intervals[label]
        assert low <= share <= high
        assert low <= found.shares[label] <= high


@pytest.mark.parametrize(
    "clf",
    [
        GBSEClassifier(n_estimators=5, calibration="dirichlet", random_state=0),
        CostingClassifier(n_estimators=5, calibration="dirichlet", random_state=0),
    ],
    ids=["GBSE", "Costing"],
)
def test_methods_for_several_classes(clf: Any, tmp_path: Path) -> None:
    X, y = load_iris(return_X_y=True)
    clf.fit(X, y)
    np.testing.assert_allclose(clf.class_prior_, 1 / 3)
    shares = np.array([0.1, 0.3, 0.6])
    scaled = clf.predict_proba(X) * shares
    scaled /= scaled.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(clf.predict_proba(X, prevalence=shares), scaled)
    assert np.array_equal(clf.predict(X, prevalence=shares), scaled.argmax(axis=1))
    clf.predict(X, prevalence="estimate")
    if isinstance(clf, GBSEClassifier):
        costboost.save(clf, tmp_path / "m.costboost")
        again = costboost.load(tmp_path / "m.costboost")
        assert np.array_equal(
            again.predict_proba(X, prevalence=shares), clf.predict_proba(X, shares)
        )
    clf.calibration = None
    with pytest.raises(ValueError, match="takes no prevalence"):
        clf.fit(X, y).predict(X, prevalence=shares)


def test_wrappers(rows: tuple[Any, Any]) -> None:
    X, y = rows
    inner = CostBoostClassifier(n_estimators=5, random_state=0)
    point = OperatingPointClassifier(inner, at_least=0.8, cv=2, random_state=0).fit(X, y)
    search = CostSearchCV(inner, fn_costs=[1, 2], cv=2, random_state=0).fit(X, y)
    for clf, fitted in ((point, point.estimator_), (search, search.best_estimator_)):
        expected = fitted.predict_proba(X, prevalence=0.05)
        assert np.array_equal(clf.predict_proba(X, prevalence=0.05), expected)
        assert estimate_prevalence(clf, X).value == estimate_prevalence(fitted, X).value
    expected = search.best_estimator_.predict(X, prevalence=0.05)
    assert np.array_equal(search.predict(X, prevalence=0.05), expected)
    table = {0: {"no": 0, "yes": 1}, 1: {"no": 5, "yes": 0}}
    acting = ActionClassifier(inner, costs=table).fit(X, y)
    for prevalence in (0.05, 0.6):
        p = acting.estimator_.predict_proba(X, prevalence=prevalence)[:, 1]
        found = acting.predict(X, prevalence=prevalence)
        assert np.array_equal(found == "yes", 5 * p > 1 - p)
        costs = np.column_stack([5 * p, 1 - p])
        np.testing.assert_allclose(acting.expected_costs(X, prevalence=prevalence), costs)
    other = OperatingPointClassifier(LogisticRegression(), at_least=0.8, cv=2).fit(X, y)
    with pytest.raises(ValueError, match="LogisticRegression inside takes no prevalence"):
        other.predict_proba(X, prevalence=0.1)


# ---- estimated prevalence ------------------------------------------------------------------------


def naive_em(p: Any, prior: Any, n_steps: int = 20_000) -> Any:
    """The iterations of Saerens et al. (2002), row by row as they write them."""
    shares = np.array(prior, dtype=float)
    for _ in range(n_steps):
        posterior = p * (shares / prior)
        posterior /= posterior.sum(axis=1, keepdims=True)
        shares = posterior.mean(axis=0)
    return shares


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 1000), k=st.integers(2, 4))
def test_shares_are_the_limit_of_em(seed: int, k: int) -> None:
    random = np.random.default_rng(seed)
    p = random.dirichlet(np.full(k, 0.5), 60)
    prior = random.dirichlet(np.full(k, 5.0))
    expected = naive_em(p, prior, 3000)
    ratios, weight = density_ratios(p, prior), np.ones(60)
    np.testing.assert_allclose(most_likely_shares(ratios, weight), expected, atol=2e-4)
    np.testing.assert_allclose(em(ratios, weight), expected, atol=2e-4)


def test_intervals_cover_the_prevalence() -> None:
    """With exact probabilities, and with those of a fitted classifier; 200 draws each."""
    clf = CostBoostClassifier(n_estimators=40, estimator="stump", random_state=0)
    clf.fit(*drawn(20_000, 0.3, 1))
    random = np.random.default_rng(2)
    X, _ = drawn(40_000, 0.5, 3)
    known = exact(X, 0.3)
    learnt = clf.predict_proba(X)[:, 1]
    for p, least in ((known, 184), (learnt, 180)):
        covered, rejected = 0, 0
        for k in range(200):
            share = (0.05, 0.15)[k % 2]
            positive = random.random(800) < share
            new = np.where(positive, random.integers(0, 20_000, 800), 0)
            new = np.where(positive, new, random.integers(20_000, 40_000, 800))
            found = estimate(
                np.column_stack([1 - p[new], p[new]]),
                np.array([0.7, 0.3]),
                np.array([0, 1]),
                1,
                np.ones(800),
                rows=np.inf if p is known else 20_000 / 3,
            )
            covered += found.interval[0] <= share <= found.interval[1]
            rejected += found.p_value < 0.05
        assert covered >= least
        assert rejected == 200  # the prevalence of training is far away


def test_no_shift_is_rarely_rejected() -> None:
    random = np.random.default_rng(0)
    rejected = 0
    for _ in range(200):
        y = random.random(400) < 0.3
        X = random.normal(size=(400, 2)) + y[:, None]
        p = exact(X, 0.3)
        prior, labels = np.array([0.7, 0.3]), np.array([0, 1])
        found = estimate(np.column_stack([1 - p, p]), prior, labels, 1, np.ones(400))
        rejected += found.p_value < 0.05
    assert rejected <= 20


def test_estimate_in_predictions(fitted: CostBoostClassifier) -> None:
    X, _ = drawn(3000, 0.05, 7)
    found = estimate_prevalence(fitted, X)
    np.testing.assert_allclose(
        fitted.predict_proba(X, prevalence="estimate"),
        fitted.predict_proba(X, prevalence=found.value),
    )
    assert found.value == found.shares[1]
    assert found.p_value < 1e-6
    assert "prevalence 0.0" in str(found)
    weight = np.repeat([1.0, 2.0], 1500)
    twice = np.concatenate([X, X[1500:]])
    one = estimate_prevalence(fitted, X, sample_weight=weight)
    assert one.value == pytest.approx(estimate_prevalence(fitted, twice).value)


def test_other_classifiers(rows: tuple[Any, Any], fitted: CostBoostClassifier) -> None:
    X, y = rows
    new, _ = drawn(2000, 0.1, 5)
    plain = LogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match="give prior"):
        estimate_prevalence(plain, new)
    low, high = estimate_prevalence(plain, new, prior=0.3).interval
    assert low < 0.1 < high
    assert estimate_prevalence(plain, new, prior={1: 0.3}).interval == (low, high)
    assert estimate_prevalence(GaussianNB().fit(X, y), new).value == pytest.approx(0.1, abs=0.05)
    chain = make_pipeline(StandardScaler(), CostBoostClassifier(n_estimators=10, random_state=0))
    assert estimate_prevalence(chain.fit(X, y), new).value == pytest.approx(0.1, abs=0.05)
    with pytest.raises(ValueError, match="prior: prevalence must be above 0"):
        estimate_prevalence(plain, new, prior=2)
    with pytest.raises(ValueError, match="confidence must be above 0 and below 1, got 95"):
        estimate_prevalence(fitted, new, confidence=95)


# ---- the cost of decisions at another prevalence -------------------------------------------------


@pytest.mark.parametrize("share", [0.05, 0.7])
def test_decisions_cost_as_those_of_a_model_trained_there(share: float) -> None:
    clf = CostBoostClassifier(n_estimators=60, fn_cost=8, random_state=0)
    there = CostBoostClassifier(n_estimators=60, fn_cost=8, random_state=0)
    clf.fit(*drawn(20_000, 0.3, 11))
    there.fit(*drawn(20_000, share, 12))
    X, y = drawn(60_000, share, 13)

    def cost(predicted: Any) -> float:
        return float(mean_cost(y, predicted, fn_cost=8, fp_cost=1))

    trained_there = cost(there.predict(X))
    assert cost(clf.predict(X, prevalence=share)) < 1.02 * trained_there
    assert cost(clf.predict(X, prevalence="estimate")) < 1.02 * trained_there
    assert cost(clf.predict(X)) > 1.02 * trained_there


# ---- thinned samples -----------------------------------------------------------------------------


def test_sampling_makes_probabilities_those_of_the_population() -> None:
    X, y = drawn(30_000, 0.04, 21)
    random = np.random.default_rng(22)
    kept = (y == 1) | (random.random(len(y)) < 0.1)
    clf = CostBoostClassifier(n_estimators=30, random_state=0)
    clf.fit(X[kept], y[kept], sampling={"negative": 0.1})
    assert clf.class_prior_[1] == pytest.approx(0.04, rel=0.1)
    new, _ = drawn(8000, 0.04, 23)
    assert clf.predict_proba(new)[:, 1].mean() == pytest.approx(0.04, rel=0.2)
    plain = CostBoostClassifier(n_estimators=30, random_state=0).fit(X[kept], y[kept])
    np.testing.assert_allclose(
        clf.predict_proba(new), plain.predict_proba(new, prevalence=clf.class_prior_[1])
    )
    last = [*clf.staged_predict_proba(new[:100])][-1]
    np.testing.assert_allclose(last, clf.predict_proba(new[:100]))
    found = estimate_prevalence(clf, new)
    assert found.reference[1] == pytest.approx(clf.class_prior_[1])
    assert found.p_value > 0.001


def test_spellings_of_sampling_and_files(rows: tuple[Any, Any], tmp_path: Path) -> None:
    X, y = rows
    clf = CostBoostClassifier(n_estimators=5, random_state=0)
    expected = clf.fit(X, y, sampling={"negative": 0.1}).predict_proba(X)
    costboost.save(clf, tmp_path / "m.costboost")
    again = costboost.load(tmp_path / "m.costboost")
    for copy in (again, pickle.loads(pickle.dumps(clf))):
        assert np.array_equal(copy.predict_proba(X), expected)
        assert np.array_equal(copy.class_prior_, clf.class_prior_)
        assert np.array_equal(copy.predict_proba(X, 0.4), clf.predict_proba(X, 0.4))
    for same in ({0: 0.1}, {0: 0.1, 1: 1.0}, {"negative": 0.1, "positive": 1}):
        assert np.array_equal(clf.fit(X, y, sampling=same).predict_proba(X), expected)
    both = clf.fit(X, y, sampling={0: 0.5, 1: 0.5})
    assert both.model_.sampling is None
    labels = np.array(["bad", "good"])[y]
    other = CostBoostClassifier(n_estimators=5, pos_label="bad", random_state=0)
    other.fit(X, labels, sampling={"positive": 0.5})
    assert other.class_prior_[0] > 0.7
    chain = make_pipeline(StandardScaler(), clf)
    chain.fit(X, y, costboostclassifier__sampling={"negative": 0.1})
    assert chain[-1].class_prior_[1] < 0.1


def test_sampling_of_several_classes(tmp_path: Path) -> None:
    X, y = load_iris(return_X_y=True)
    clf = CostBoostClassifier(n_estimators=5, random_state=0).fit(X, y, sampling={0: 0.5})
    np.testing.assert_allclose(clf.class_prior_, [0.5, 0.25, 0.25])
    costboost.save(clf, tmp_path / "m.costboost")
    again = costboost.load(tmp_path / "m.costboost")
    assert np.array_equal(again.predict_proba(X), clf.predict_proba(X))
    with pytest.raises(ValueError, match="the class 'negative', but the classes are 0, 1, 2"):
        clf.fit(X, y, sampling={"negative": 0.5})


@pytest.mark.parametrize(
    ("sampling", "message"),
    [
        (0.1, "mapping from a class to the share"),
        ({"negative": 0}, "above 0 and at most 1, got 0"),
        ({"negative": 1.5}, "above 0 and at most 1, got 1.5"),
        ({"none": 0.5}, "the class 'none', but the classes are 0, 1"),
        ({"negative": "much"}, "sampling must be numbers"),
        ({"negative": 0.5, 0: 0.5}, "names a class twice"),
    ],
)
def test_bad_sampling(rows: tuple[Any, Any], sampling: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CostBoostClassifier(n_estimators=5).fit(*rows, sampling=sampling)


def test_dask(fitted: CostBoostClassifier, rows: tuple[Any, Any]) -> None:
    da = pytest.importorskip("dask.array")
    X = rows[0]
    lazy = da.from_array(X, chunks=(400, 4))
    for prevalence in (0.1, [0.9, 0.1], {1: 0.1}):
        found = fitted.predict_proba(lazy, prevalence=prevalence).compute()
        np.testing.assert_allclose(found, fitted.predict_proba(X, prevalence=prevalence))
    with pytest.raises(ValueError, match="cannot be estimated block by block"):
        fitted.predict(lazy, prevalence="estimate")
    assert estimate_prevalence(fitted, lazy).value == estimate_prevalence(fitted, X).value
