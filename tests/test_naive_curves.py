"""Tables and logistic curves of the transcriptions, against scikit-learn and by hand."""

from __future__ import annotations

import math

import naive
import numpy as np
import pytest
from naive_cases import DISCRETE, LOGISTIC, LOOKUP, noisy, only_stump, with_gaps
from sklearn.linear_model import LogisticRegression

# ---- lookup --------------------------------------------------------------------------------------


def two_valued(n: int = 50) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    X = rng.integers(0, 2, (n, 4)).astype(float)
    y = np.where(X[:, 0] + X[:, 1] + rng.normal(size=n) > 1, 1.0, -1.0)
    return X, y, rng.uniform(0.5, 1.5, n)


@pytest.mark.parametrize("algorithm", [*naive.DISCRETE, *naive.REAL, *naive.NEWTON])
def test_a_table_of_two_bins_is_the_stump(algorithm: str) -> None:
    X, y, s = two_valued()
    stump = naive.fit(algorithm, X, y, 2, 1, s, 5, learner="stump")
    table = naive.fit(algorithm, X, y, 2, 1, s, 5, learner="lookup", n_bins=2)
    assert len(table.learners) == 5 or table.stop_reason == stump.stop_reason
    np.testing.assert_allclose(table.decision_function(X), stump.decision_function(X), atol=1e-9)


@pytest.mark.parametrize("algorithm", ["adaboost", "cgada", "csada", "adadb"])
def test_a_voting_table_errs_least(algorithm: str) -> None:
    X, y, s = with_gaps()
    D = naive.normalised(s * (np.where(y > 0, 3.0, 1.0) if algorithm != "adaboost" else 1.0))
    model = naive.fit(algorithm, X, y, 3, 1, s, 1, **LOOKUP)
    errors = []
    for column in X.T:
        edges = np.nanquantile(column, [0.2, 0.4, 0.6, 0.8])
        bins = np.where(np.isnan(column), 9, np.searchsorted(edges, column))
        by_bin = [(D[bins == b] * y[bins == b]).sum() for b in np.unique(bins)]
        errors.append(0.5 - 0.5 * np.abs(by_bin).sum())
    assert model.errors[0] == pytest.approx(min(errors), abs=1e-12)
    assert model.learners[0].feature == np.argmin(errors)


def test_bins_of_voting_tables() -> None:
    x = np.array([1.0, 1.0, 2.0, 2.0, 2.0, np.nan])
    y = np.array([-1.0, 1.0, -1.0, 1.0, 1.0, 1.0])
    model = naive.fit("adaboost", np.c_[x, x], y, n_estimators=1, learner="lookup")
    assert model.learners[0].feature == 0
    # A level bin votes -1, missing values vote for themselves.
    np.testing.assert_array_equal(model.learners[0].values, [-1.0, 1.0, 1.0])
    unseen = naive.fit("adaboost", x[:5, None], y[:5], n_estimators=1, learner="lookup")
    np.testing.assert_array_equal(unseen.learners[0].values, [-1.0, 1.0, -1.0])


def test_a_newton_table_is_least_squares_on_indicators() -> None:
    X, y, s = with_gaps()
    fn, fp = 2.0, 1.0
    z = np.where(y > 0, (fn + fp) / fp, -(fn + fp) / fn)
    model = naive.fit("cslogitboost", X, y, fn, fp, s, 1, **LOOKUP)
    squares, fitted = [], []
    for column in X.T:
        edges = np.nanquantile(column, [0.2, 0.4, 0.6, 0.8])
        bins = np.where(np.isnan(column), 5, np.searchsorted(edges, column))
        root = np.sqrt(s)[:, None]
        A = np.eye(6)[bins]
        solution = np.linalg.lstsq(root * A, root[:, 0] * z, rcond=None)[0]
        fitted.append(A @ solution)
        squares.append((s * (z - fitted[-1]) ** 2).sum())
    best = int(np.argmin(squares))
    assert model.learners[0].feature == best
    assert np.abs(fitted[best]).max() < 4
    np.testing.assert_allclose(model.learners[0].predict(X), fitted[best], atol=1e-12)


def test_bins_of_newton_tables_are_clipped_and_may_be_empty() -> None:
    x, y = np.array([[1.0], [1.0], [2.0], [2.0]]), np.array([1.0, 1.0, -1.0, -1.0])
    model = naive.fit("cslogitboost", x, y, 20, 1, n_estimators=1, learner="lookup")
    np.testing.assert_allclose(model.learners[0].values, [4.0, -1.05, 0.0])


# ---- logistic regression -------------------------------------------------------------------------


def curve_case(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(3, 10, 40)
    y = np.where((-1) ** seed * (x - 3) + 8 * rng.normal(size=40) > 4, 1.0, -1.0)
    return x, y, naive.normalised(rng.exponential(size=40))


@pytest.mark.parametrize("seed", range(6))
def test_curves_are_scikit_learns(seed: int) -> None:
    x, y, D = curve_case(seed)
    gap = np.append(x, np.nan), np.append(y, 1.0), np.append(0.3 * D, 0.7)
    curve = naive.logistic_curve(*gap)
    mean = np.average(x, weights=D)
    deviation = math.sqrt(np.average((x - mean) ** 2, weights=D))
    assert (curve.mean, curve.deviation) == pytest.approx((mean, deviation), rel=1e-12)
    peer = LogisticRegression(C=1e6, solver="newton-cholesky", tol=1e-10, max_iter=1000)
    peer.fit(((x - mean) / deviation)[:, None], y, sample_weight=D)
    assert curve.slope == pytest.approx(peer.coef_[0, 0], rel=1e-6)
    assert curve.intercept == pytest.approx(peer.intercept_[0], rel=1e-6, abs=1e-6)
    # The threshold is where the peer's probability is 1/2.
    at = np.array([[(curve.threshold - mean) / deviation]])
    assert peer.predict_proba(at)[0, 1] == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize(
    ("scale", "rare"), [(1.0, 1.0), (8.0, 1.0), (1.0, 1e-6), (100.0, 1e-6), (0.0, 1e-9)]
)
def test_curves_are_stationary_even_where_classes_separate(scale: float, rare: float) -> None:
    """The objective is convex, so a point without slope is its minimum."""
    rng = np.random.default_rng(11)
    x = rng.normal(size=50)
    y = np.where(scale * x + rng.normal(size=50) > 0.3, 1.0, -1.0)
    w = naive.normalised(np.where(y > 0, rare, 1.0))
    a, b = naive.logistic_coefficients(x, y, w)
    residual = w * (1 / (1 + np.exp(-(a * x + b))) - (y > 0))
    assert (residual * x).sum() + 1e-6 * a == pytest.approx(0, abs=1e-13 * rare)
    assert residual.sum() == pytest.approx(0, abs=1e-13 * rare)
    assert abs(a) < 1e4


def test_the_vote_of_a_falling_curve() -> None:
    X, y = np.array([[1.0], [2.0], [5.0], [6.0]]), np.array([1.0, 1.0, -1.0, -1.0])
    stump = only_stump(naive.fit("adaboost", X, y, **LOGISTIC))
    t = stump.split.threshold
    assert t == pytest.approx(3.5)
    assert (stump.left, stump.right) == (1.0, -1.0)
    around = np.array([[t], [math.nextafter(t, 9)]])
    np.testing.assert_array_equal(stump.predict(around), [1.0, -1.0])


@pytest.mark.parametrize("algorithm", ["adaboost", "cgada", "csada", "adadb", "weightboost"])
def test_the_regression_that_errs_least_votes(algorithm: str) -> None:
    X, y = noisy()
    costly = algorithm not in ("adaboost", "weightboost")
    D = naive.normalised(np.where(y > 0, 3.0, 1.0)) if costly else np.full(len(y), 1 / len(y))
    votes, errors = [], []
    for x in X.T:
        standard = (x - np.average(x, weights=D)) / math.sqrt(np.cov(x, aweights=D, ddof=0))
        peer = LogisticRegression(C=1e6, tol=1e-10).fit(standard[:, None], y, sample_weight=D)
        votes.append(peer.predict(standard[:, None]))
        errors.append(D[votes[-1] != y].sum())
    model = naive.fit(algorithm, X, y, 3, 1, n_estimators=1, **LOGISTIC)
    best = int(np.argmin(errors))
    assert only_stump(model).split.feature == best
    assert model.errors == [pytest.approx(errors[best], abs=1e-12)]
    np.testing.assert_array_equal(model.learners[0].predict(X), votes[best])


def test_regressions_on_equal_columns_tie() -> None:
    X, y = noisy()
    for algorithm in ("adaboost", "csada", "adaboostreg", "realboost", "csga"):
        doubled = naive.fit(algorithm, np.c_[X[:, 2], X, X], y, 3, 1, n_estimators=1, **LOGISTIC)
        alone = naive.fit(algorithm, X, y, 3, 1, n_estimators=1, **LOGISTIC)
        assert only_stump(alone).split.feature == 0
        assert only_stump(doubled).split.feature == 1


@pytest.mark.parametrize("algorithm", naive.REAL)
def test_sides_of_a_regression_are_leaves(algorithm: str) -> None:
    X, y, s = with_gaps()
    model = naive.fit(algorithm, X, y, 3, 1, s, 1, **LOGISTIC)
    stump, w = only_stump(model), model.weights[0]
    right = stump.split.right(X)
    for rows, value in ((right, stump.right), (~right, stump.left)):
        p, q = w[rows & (y > 0)].sum(), w[rows & (y < 0)].sum()
        log_odds = math.log((p + 1e-4) / (q + 1e-4))
        expected = {
            "gentleboost": (p - q) / (p + q),
            "csga": (p - q) / (p + q),
            "csrealboost": (log_odds + math.log(3)) / 4,
        }
        assert value == pytest.approx(expected.get(algorithm, 0.5 * log_odds), rel=1e-12)


@pytest.mark.parametrize(("label", "goes_right"), [(1.0, True), (-1.0, False)])
def test_rows_without_the_feature_join_the_better_side(label: float, goes_right: bool) -> None:
    X = np.array([[1.0], [2.0], [4.0], [np.nan]])
    y = np.array([-1.0, -1.0, 1.0, label])
    for algorithm in ("adaboost", "realboost"):
        model = naive.fit(algorithm, X, y, n_estimators=1, **LOGISTIC)
        assert only_stump(model).split.missing_right == goes_right


@pytest.mark.parametrize(("extra", "goes_right"), [(1.0, False), (4.0, True), (np.nan, False)])
def test_rows_without_the_feature_that_do_not_matter(extra: float, goes_right: bool) -> None:
    X = np.array([[1.0], [4.0], [np.nan], [np.nan], [extra]])
    y = np.array([-1.0, 1.0, -1.0, 1.0, 1.0 if extra == 4 else -1.0])
    s = np.array([1.0, 1.0, 1.0, 1.0, 0.0 if np.isnan(extra) else 1.0])
    model = naive.fit("adaboost", X, y, 1, 1, s, **LOGISTIC)
    assert only_stump(model).split.missing_right == goes_right  # the heavier, left if level


def test_a_regression_may_be_constant() -> None:
    x = np.array([[1.0], [2.0], [1.0], [2.0], [1.0], [2.0]])
    y = np.array([1.0, 1.0, 1.0, 1.0, -1.0, -1.0])
    flat = naive.fit("adaboost", x, y, n_estimators=1, **LOGISTIC)
    assert flat.learners == [naive.Constant(1.0)]
    assert naive.fit("adaboost", x, -y, n_estimators=1, **LOGISTIC).learners == [
        naive.Constant(-1.0)
    ]
    real = naive.fit("gentleboost", x, y, n_estimators=1, **LOGISTIC)
    assert real.learners == [naive.Constant(pytest.approx(1 / 3))]
    # Where one class only is present no slope is needed, whatever the rows without the feature.
    gap = naive.fit("adaboost", np.array([[1.0], [2.0], [np.nan]]), y[[0, 0, 5]], **LOGISTIC)
    assert gap.learners[0] == naive.Constant(1.0)


def test_a_regression_whose_threshold_is_beyond_all_rows() -> None:
    X = np.array([[1.0], [2.0], [3.0], [4.0]] * 4)
    y = np.where(np.arange(16) == 3, 1.0, -1.0)
    model = naive.fit("adaboost", X, y, n_estimators=1, **LOGISTIC)
    assert only_stump(model).split.threshold > 4
    assert (model.learners[0].predict(X) == -1).all()
    assert model.errors == [pytest.approx(1 / 16)]


def test_no_regression_no_learner() -> None:
    X = np.array([[7.0, np.nan], [7.0, np.nan], [np.nan, np.nan], [7.0, np.nan]])
    y = np.array([-1.0, 1.0, 1.0, 1.0])
    for algorithm in [*DISCRETE, *naive.REAL]:
        model = naive.fit(algorithm, X, y, **LOGISTIC)
        assert model.learners == []
        assert model.stop_reason == "no positive step"
