"""Probabilities where positives are rare, and calibrators that are chosen by evidence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import costboost
from costboost import CostBoostClassifier
from costboost._core.arithmetic import expit
from costboost._core.training.calibrator import prefers_beta
from costboost._core.training.contraction import contracted, noise_between
from costboost.calibration import BetaCalibrator, LogOddsCalibrator


def rows(n_rows: int, n_positive: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of a logistic model with exactly so many positives."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40 * n_rows, 10))
    score = X[:, 0] + 0.7 * X[:, 1] - 0.5 * X[:, 2] + 0.8 * X[:, 3] * X[:, 4]
    y = rng.random(len(X)) < expit(score + np.log(n_positive / n_rows))
    chosen = np.r_[np.flatnonzero(y)[:n_positive], np.flatnonzero(~y)[: n_rows - n_positive]]
    chosen = rng.permutation(chosen)
    return X[chosen], y[chosen].astype(int)


def test_the_mean_probability_of_new_rows_is_the_share_of_the_positives() -> None:
    """It was 9% too low with 20 to 100 positives."""
    fresh = np.random.default_rng(7).normal(size=(20_000, 10))
    ratios = []
    for seed in range(6):
        X, y = rows(10_000, 50, seed)
        clf = CostBoostClassifier(random_state=0).fit(X, y)
        ratios.append(clf.predict_proba(fresh)[:, 1].mean() / y.mean())
    assert np.mean(ratios) == pytest.approx(1, abs=0.05)


def test_three_positives_do_not_make_sure() -> None:
    fresh = np.random.default_rng(7).normal(size=(5_000, 10))
    above = 0.0
    for seed in range(12):
        X, y = rows(303, 3, seed)
        probability = CostBoostClassifier(random_state=0).fit(X, y).predict_proba(fresh)[:, 1]
        above += probability[probability > 0.5].sum() / 12
    assert above < 2


def test_scores_of_normal_classes_are_contracted_to_the_log_odds_of_an_average() -> None:
    """Held-out scores have the noise of one fold, new ones a fifth of it: the slope follows."""
    rng = np.random.default_rng(0)
    y = (rng.random(200_000) < 0.1).astype(int)
    signal = rng.normal(2.0 * y, 1.0)
    noise = rng.normal(scale=0.7, size=(5, y.size))
    score, ones = signal + noise[0], np.ones(y.size)
    trained = np.ones((5, y.size), dtype=bool)
    found = noise_between(signal + noise, trained, ones)
    assert found == pytest.approx(0.49, rel=0.02)
    calibrator = LogOddsCalibrator().fit(expit(contracted(score, y, ones, ones, found, 5)), y)
    average = signal + noise.mean(axis=0)
    assert calibrator.a_ == pytest.approx(LogOddsCalibrator().fit(expit(average), y).a_, rel=0.03)
    assert calibrator.probability(expit(average)).mean() == pytest.approx(y.mean(), rel=0.02)


def test_without_noise_or_spread_nothing_is_contracted() -> None:
    score, y, ones = np.array([0.0, 0.0, 1.0, 3.0]), np.array([0, 0, 1, 1]), np.ones(4)
    assert_array_equal(contracted(score, y, ones, ones, 0.0, 5), score)
    flat = np.array([0.0, 0.0, 1.0, 1.0])
    assert_array_equal(contracted(flat, y, ones, ones, 1.0, 5), flat)
    assert noise_between(np.ones((2, 4)), np.eye(2, 4, dtype=bool), ones) == 0


def test_targets_of_log_odds_calibration() -> None:
    """Both classes lose the same weight, and the more the fewer rows the smaller one has."""
    score, y = np.r_[np.full(3, 0.9), np.full(300, 0.1)], np.repeat([1, 0], [3, 300])
    s = 0.25 + 5 / 3
    lost = 3 * s / (3 + 2 * s)
    probability = LogOddsCalibrator().fit(score, y).probability([0.9, 0.1])
    assert_allclose(probability, [1 - lost / 3, lost / 300], rtol=1e-6)
    assert (probability * [3, 300]).sum() == pytest.approx(3)


# ---- the choice of a calibrator ------------------------------------------------------------------


def bent(n_rows: int, low: float) -> tuple[np.ndarray, np.ndarray]:
    """Scores whose log-odds have one slope below 0 and another one above it."""
    rng = np.random.default_rng(0)
    t = rng.normal(size=n_rows) * 2
    return expit(t), (rng.random(n_rows) < expit(np.where(t < 0, low * t, t))).astype(int)


@pytest.mark.parametrize(("n_rows", "low", "expected"), [
    (20_000, 0.2, True), (20_000, 1.0, False), (400, 0.8, False),
])  # fmt: skip
def test_beta_calibration_needs_evidence(n_rows: int, low: float, expected: bool) -> None:
    score, y = bent(n_rows, low)
    ones = np.ones(n_rows)
    assert prefers_beta(score, y, ones, ones) == expected


@pytest.mark.parametrize("beta", [False, True])
def test_the_calibrator_that_is_chosen_is_kept(
    beta: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("costboost._core.training.calibrator.prefers_beta", lambda *given: beta)
    X, y = rows(1_000, 400, 0)
    clf = CostBoostClassifier(random_state=0, n_estimators=5).fit(X, y)
    kind: Any = BetaCalibrator if beta else LogOddsCalibrator
    assert type(clf.model_.calibrator) is kind
    costboost.save(clf, tmp_path / "model.costboost")
    loaded = costboost.load(tmp_path / "model.costboost")
    assert loaded.calibration == "auto"
    assert_array_equal(loaded.predict_proba(X), clf.predict_proba(X))
    assert_array_equal(list(clf.staged_predict_proba(X))[-1], clf.predict_proba(X))
