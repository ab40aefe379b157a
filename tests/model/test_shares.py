"""Shares of the classes from scores: what is exact, and how far scores have to identify them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import chi2

from costboost import ActionClassifier, CostBoostClassifier, estimate_prevalence
from costboost._core.model import shares as module
from costboost._core.model.shares import Mixture, directions
from costboost.decisions.prevalence import estimate

LABELS = np.array([0, 1])


def scores(n: int, share: float, distance: float, seed: int, prior: float = 0.3) -> Any:
    """Exact probabilities of rows of two normal classes, for a prior, and the classes."""
    random = np.random.default_rng(seed)
    y = random.random(n) < share
    x = random.normal(size=n) + distance * y
    return expit(logit(prior) + distance * x - distance**2 / 2), y


def mixture(p: Any, prior: float = 0.3, rows: float = 400.0) -> Mixture:
    both = np.column_stack([1 - p, p])
    return Mixture(both, np.array([1 - prior, prior]), np.ones(len(p)), rows)


@pytest.fixture
def exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Probabilities without any error of calibration, as far as ``rows`` is infinite."""
    monkeypatch.setattr(module, "LEAST_LEVEL_ERROR", 0.0)
    monkeypatch.setattr(module, "LEAST_SLOPE_ERROR", 0.0)


# ---- against brute force -------------------------------------------------------------------------


def log_likelihood(p: Any, prior: float, share: float) -> float:
    return float(np.log(share * p / prior + (1 - share) * (1 - p) / (1 - prior)).sum())


@pytest.mark.usefixtures("exactly")
@pytest.mark.parametrize("share", [0.1, 0.3, 0.6])
def test_intervals_of_exact_probabilities_are_those_of_the_likelihood(share: float) -> None:
    p, _ = scores(300, share, 1.0, 1)
    found = estimate(
        mixture(p).probability, np.array([0.7, 0.3]), LABELS, 1, np.ones(300), rows=np.inf
    )
    grid = np.linspace(0.0005, 0.9995, 1999)
    values = np.array([log_likelihood(p, 0.3, one) for one in grid])
    held = grid[values >= values.max() - chi2.ppf(0.95, 1) / 2]
    assert found.interval == pytest.approx((held[0], held[-1]), abs=1e-3)
    assert found.most_likely[1] == pytest.approx(grid[values.argmax()], abs=1e-3)
    statistic = 2 * (values.max() - log_likelihood(p, 0.3, 0.3))
    assert found.p_value == pytest.approx(chi2.sf(statistic, 1), rel=1e-2)


@pytest.mark.usefixtures("exactly")
def test_the_estimate_is_the_most_probable_share() -> None:
    p, _ = scores(60, 0.2, 0.8, 2)
    found = mixture(p, rows=np.inf).estimated()
    shift = np.linspace(-6, 6, 120_001)
    grid = expit(logit(0.3) + shift)
    values = [log_likelihood(p, 0.3, one) for one in grid[::10]] - shift[::10] ** 2 / 2
    assert found.shares[1] == pytest.approx(grid[::10][np.argmax(values)], abs=1e-3)


@pytest.mark.parametrize("shares", [(0.7, 0.3), (0.9, 0.1), (0.5, 0.2, 0.3), (0.1, 0.2, 0.7)])
def test_errors_of_the_slope_move_the_score_as_computed(shares: tuple[float, ...]) -> None:
    """Against differences: a steeper slope with offsets that keep the means of training."""
    random = np.random.default_rng(0)
    s = np.array(shares)
    p = random.dirichlet(np.full(s.size, 2.0), 400)
    prior = np.full(s.size, 1 / s.size)
    one = Mixture(p, prior, random.random(400), 500.0)
    mixed = one.ratios @ s
    weight = one.weight / mixed / (one.weight / mixed).sum()

    def steeper(slope: float) -> Any:
        offset = np.zeros(s.size)
        for _ in range(200):
            q = np.exp(slope * np.log(p) + offset)
            q /= q.sum(axis=1, keepdims=True)
            offset += np.log(weight @ p) - np.log(weight @ q)
        return (one.weight[:, None] * (q / prior) / ((q / prior) @ s)[:, None]).sum(axis=0)

    basis, size = directions(s.size), 1e-4
    change = (steeper(1 + size) - steeper(1 - size)) @ basis / (2 * size)
    known, added = one.information(s, basis)
    slope = added - (one.inflation - 1) * known
    found = np.outer(change, change)
    np.testing.assert_allclose(slope / np.abs(slope).max(), found / np.abs(found).max(), atol=1e-3)


# ---- what weak scores identify -------------------------------------------------------------------


def noisy(n: int, seed: int, share: float = 0.08, n_classes: int = 2) -> tuple[Any, Any]:
    """Rows of classes that hardly differ, as in sets of loans."""
    random = np.random.default_rng(seed)
    y = (random.random(n) < share).astype(int)
    if n_classes > 2:
        y = y + random.integers(0, n_classes - 1, n) * (1 - y) * 2
    X = random.normal(size=(n, 8))
    X[:, 0] += 0.35 * (y == 1)
    return X, np.minimum(y, n_classes - 1)


@pytest.mark.filterwarnings("ignore:the most likely shares", "ignore:.*predicts one class")
@pytest.mark.parametrize("seed", range(4))
def test_without_shift_weak_scores_change_little(seed: int) -> None:
    """The most likely share is 0 or several times too high; the estimate stays near training."""
    clf = CostBoostClassifier(n_estimators=10, fn_cost=12, random_state=0, n_jobs=1)
    clf.fit(*noisy(1500, seed))
    X, y = noisy(1500, seed + 100)
    found = estimate_prevalence(clf, X)
    low, high = found.interval
    assert low <= y.mean() <= high
    assert low <= found.value <= high
    assert found.p_value > 0.05
    prior = clf.class_prior_[1]
    assert prior / 2 < found.value < 2 * prior
    assert clf.predict_proba(X, prevalence="estimate") == pytest.approx(
        clf.predict_proba(X, prevalence=found.value)
    )

    def cost(y_pred: Any) -> float:
        return float(np.where(y == 1, 12 * (y_pred == 0), y_pred == 1).sum())

    assert cost(clf.predict(X, prevalence="estimate")) < 1.25 * cost(clf.predict(X))
    table = {0: {"approve": 0, "refuse": 1}, 1: {"approve": 12, "refuse": 0}}
    acting = ActionClassifier(clf, costs=table).fit(*noisy(1500, seed))
    refused = acting.predict(X) == "refuse"
    again = acting.predict(X, prevalence="estimate") == "refuse"
    assert abs(refused.mean() - again.mean()) < 0.35
    assert 0 < again.mean() < 1


@pytest.mark.filterwarnings("ignore:the most likely shares")
def test_several_classes_that_hardly_differ() -> None:
    clf = CostBoostClassifier(n_estimators=5, random_state=0, n_jobs=1)
    clf.fit(*noisy(900, 0, 0.3, 3))
    X, y = noisy(900, 7, 0.3, 3)
    found = estimate_prevalence(clf, X)
    for k, share in enumerate(np.bincount(y) / len(y)):
        assert found.intervals[k][0] <= share <= found.intervals[k][1]
        assert abs(np.log(found.shares[k] / clf.class_prior_[k])) < 0.7
    np.testing.assert_allclose(
        clf.predict_proba(X, prevalence="estimate"), clf.predict_proba(X, prevalence=found.shares)
    )


def test_at_the_boundary_the_shares_of_training_are_kept() -> None:
    p, _ = scores(200, 0.3, 0.15, 0)
    low = p - 0.13 * p.std()
    given = np.column_stack([1 - low, low]), np.array([0.7, 0.3]), LABELS, 1, np.ones(200)
    found = estimate(*given)
    assert found.at_boundary
    assert found.most_likely[1] < 1e-6
    assert found.value == 0.3
    assert found.interval[0] <= 0.3 <= found.interval[1]


def test_at_the_boundary_clear_scores_are_believed() -> None:
    p, _ = scores(2000, 0.0, 4.0, 0)
    given = np.column_stack([1 - p, p]), np.array([0.7, 0.3]), LABELS, 1, np.ones(2000)
    found = estimate(*given)
    assert found.at_boundary
    assert found.interval[1] < 0.015
    assert found.value < 0.02
    assert found.p_value < 1e-6


def test_a_level_that_is_off_is_no_shift_however_many_rows_there_are() -> None:
    """Probabilities of training are as far off as for a model of 1,000 rows."""
    p, _ = scores(50_000, 0.3, 0.6, 0)
    shifted = p + 0.04 * p.std()
    for rows, changed in ((400.0, False), (np.inf, True)):
        one = mixture(shifted, rows=rows)
        assert (one.p_value(one.most_likely()) < 0.05) == changed


def test_intervals_widen_with_fewer_rows_of_calibration() -> None:
    p, _ = scores(5000, 0.1, 1.0, 0)
    both = mixture(p).probability
    widths = []
    for rows in (50.0, 400.0, 5000.0, np.inf):
        low, high = estimate(
            both, np.array([0.7, 0.3]), LABELS, 1, np.ones(5000), rows=rows
        ).interval
        widths.append(high - low)
    assert widths == sorted(widths, reverse=True)


def test_the_number_of_training_rows_is_known() -> None:
    random = np.random.default_rng(0)
    for n, error in ((300, 0), (20_000, 0.1)):
        X, y = random.normal(size=(n, 2)), random.integers(0, 2, n)
        model = CostBoostClassifier(n_estimators=2, random_state=0).fit(X, y).model_
        assert model.fingerprint.n_training == pytest.approx(n, rel=error)
        assert model.calibration_rows == pytest.approx(n / 3, rel=error)
