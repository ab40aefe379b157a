"""Straight lines: every round the best weighted least squares, and their sum a linear model."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit

from costboost._core.engine.lines import Lines
from costboost.algorithms import CSLBClassifier, CSLogitBoostClassifier, LogitBoostClassifier

Floats = NDArray[np.float64]


def problem(n: int = 150, d: int = 3, seed: int = 0, few: bool = True) -> tuple[Floats, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    if few:
        X = np.round(4 * X) / 4
    score = X[:, 0] + 0.5 * X[:, d - 1] ** 2 - 0.3 * X[:, d // 2] + rng.normal(size=n)
    return X, (score > np.quantile(score, 0.7)).astype(int)


# ---- the ensemble --------------------------------------------------------------------------------


def some_lines(n: int, d: int, seed: int = 0) -> Lines:
    rng = np.random.default_rng(seed)
    return Lines.from_rounds(
        (int(rng.integers(d)), *rng.normal(size=3).tolist()) for _ in range(n)
    )  # fmt: skip


def test_lines_hold_the_step() -> None:
    lines = Lines.from_rounds([(2, 3.0, -1.0, 0.5), (0, 1.0, 4.0, -2.0)])
    assert len(lines) == 2
    assert lines.feature.tolist() == [2, 0]
    assert lines.feature.dtype == np.int32
    assert lines.slope.tolist() == [1.5, -2.0]
    assert lines.intercept.tolist() == [-0.5, -8.0]


def test_parts_of_lines() -> None:
    lines = some_lines(7, 4)
    assert [len(part) for part in lines.rounds()] == [1] * 7
    assert lines[2:5].slope.tolist() == lines.slope[2:5].tolist()
    assert lines[:7] == lines
    assert lines[:6] != lines
    assert lines != some_lines(7, 4, seed=1)
    assert lines != "lines"
    assert lines.tobytes() == some_lines(7, 4).tobytes()
    with pytest.raises(TypeError):
        hash(lines)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_of_lines(dtype: Any) -> None:
    lines = some_lines(9, 4)
    X = np.random.default_rng(1).normal(size=(30, 4)).astype(dtype)
    for ends in ([0, 9], [0, 4], [3, 8], [5, 5], [0, 3, 3, 9]):
        scores = np.ones((len(ends) - 1, 30))
        expected = np.ones((len(ends) - 1, 30))
        for k, (first, last) in enumerate(pairwise(ends)):
            for t in range(first, last):
                column = X[:, lines.feature[t]].astype(np.float64)
                expected[k] += lines.slope[t] * column + lines.intercept[t]
        blocks = [(slice(0, 11), X[:11]), (slice(11, 30), X[11:])]
        lines.add_stages(iter(blocks), scores, 1, ends)
        assert scores.tobytes() == expected.tobytes()
        if ends == [0, 9]:
            score = np.ones(30)
            lines.add_scores(iter(blocks), score, 1)
            assert score.tobytes() == expected.tobytes()


def test_importances_of_lines() -> None:
    lines = Lines.from_rounds([(2, 3.0, 0.0, 0.5), (0, 1.0, 0.0, -2.0), (2, 1.0, 0.0, 1.5)])
    np.testing.assert_allclose(lines.importances(np.array([0.5, -2.0, 1.5]), 4), [0.5, 0, 0.5, 0])


# ---- every round ---------------------------------------------------------------------------------


def least_squares(x: Floats, z: Floats, w: Floats) -> tuple[float, float, float]:
    """Slope, intercept and the weighted squares that are left."""
    root = np.sqrt(w)
    A = np.column_stack([x, np.ones_like(x)]) * root[:, None]
    (slope, intercept), *_ = np.linalg.lstsq(A, z * root, rcond=None)
    return float(slope), float(intercept), float((w * (z - slope * x - intercept) ** 2).sum())


def assert_rounds(clf: Any, X: Floats, y: Any, start: Floats, logit: Any) -> None:
    """Each line is the best one for Newton's working response at the scores so far."""
    F = np.zeros(len(y))
    for t, line in enumerate(clf.ensemble_.rounds()):
        p = expit(logit(F, t + 1))
        w = start * p * (1 - p)
        z = (y - p) / (p * (1 - p))
        fits = [least_squares(X[:, f], z, w / w.sum()) for f in range(X.shape[1])]
        left = np.array([rest for *_, rest in fits])
        f, step = int(line.feature[0]), clf.estimator_weights_[t]
        assert left[f] <= left.min() + 1e-9
        assert all(left[:f] > left.min() + 1e-13)
        slope, intercept, _ = fits[f]
        np.testing.assert_allclose(line.slope[0], step * slope, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(line.intercept[0], step * intercept, rtol=1e-7, atol=1e-9)
        F = F + line.slope[0] * X[:, f] + line.intercept[0]
    np.testing.assert_allclose(clf.decision_function(X), F, rtol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_rounds_of_logitboost(seed: int) -> None:
    X, y = problem(seed=seed)
    weight = np.random.default_rng(seed).uniform(0.2, 2, len(y))
    clf = LogitBoostClassifier(estimator="linear", n_estimators=6).fit(X, y, sample_weight=weight)
    assert clf.n_iter_ == 6
    assert_rounds(clf, X, y, weight, lambda F, m: 2 * F)


@pytest.mark.parametrize("fn", [0.2, 6.0])
def test_rounds_of_cslogitboost(fn: float) -> None:
    X, y = problem()
    clf = CSLogitBoostClassifier(n_estimators=6, fn_cost=fn, fp_cost=1.5).fit(X, y)
    assert clf.model_.learner == "linear"  # the default
    assert_rounds(clf, X, y, np.ones(len(y)), lambda F, m: (fn + 1.5) * F - np.log(fn / 1.5))


def test_rounds_of_cslb() -> None:
    X, y = problem()
    clf = CSLBClassifier(estimator="linear", n_estimators=5, fn_cost=8.0).fit(X, y)
    assert_rounds(clf, X, y, np.ones(len(y)), lambda F, m: 2 * F - m / 5 * np.log(8))


def test_many_values_a_bin() -> None:
    """The feature is chosen by its bins; the line is fitted to the values."""
    X, y = problem(2000, few=False)
    clf = LogitBoostClassifier(estimator="linear", n_estimators=1, max_bins=7).fit(X, y)
    f = int(clf.ensemble_.feature[0])
    slope, intercept, _ = least_squares(X[:, f], 4.0 * y - 2, np.ones(2000))
    np.testing.assert_allclose(clf.ensemble_.slope[0], slope / 2, rtol=1e-9)
    np.testing.assert_allclose(clf.ensemble_.intercept[0], intercept / 2, rtol=1e-9)


# ---- odd columns ---------------------------------------------------------------------------------


def test_the_first_of_equal_columns_is_chosen() -> None:
    X, y = problem()
    clf = LogitBoostClassifier(estimator="linear", n_estimators=8).fit(X[:, [0, 0, 1, 0]], y)
    assert set(clf.ensemble_.feature.tolist()) <= {0, 2}


def test_constant_columns_give_a_constant() -> None:
    y = np.array([0, 0, 0, 1])
    X = np.column_stack([np.full(4, 3.0), np.zeros(4)])
    clf = LogitBoostClassifier(estimator="linear", n_estimators=30).fit(X, y)
    assert (clf.ensemble_.feature == 0).all()
    assert (clf.ensemble_.slope == 0).all()
    np.testing.assert_allclose(clf.predict_proba(X)[:, 1], 0.25, atol=1e-6)


def test_the_model_is_linear() -> None:
    X, y = problem()
    clf = CSLogitBoostClassifier(n_estimators=20, fn_cost=3.0).fit(X, y)
    slope = np.bincount(clf.ensemble_.feature, clf.ensemble_.slope, minlength=3)
    expected = X @ slope + clf.ensemble_.intercept.sum()
    np.testing.assert_allclose(clf.decision_function(X), expected, rtol=1e-10, atol=1e-12)
    far = 1e6 * X
    np.testing.assert_allclose(
        clf.decision_function(far), far @ slope + clf.ensemble_.intercept.sum(), rtol=1e-9
    )


@pytest.mark.parametrize("shift", [0.0, 1e3, 1e6])
@pytest.mark.parametrize("scale", [2.0**-200, 2.0**-20, 1.0, 2.0**20, 2.0**200])
def test_units_and_origins_of_the_columns_do_not_matter(scale: float, shift: float) -> None:
    X, y = problem()
    plain = LogitBoostClassifier(estimator="linear", n_estimators=10).fit(X, y)
    other = LogitBoostClassifier(estimator="linear", n_estimators=10).fit((X + shift) * scale, y)
    assert other.ensemble_.feature.tolist() == plain.ensemble_.feature.tolist()
    np.testing.assert_allclose(
        other.decision_function((X + shift) * scale), plain.decision_function(X), atol=1e-7
    )


@pytest.mark.parametrize("exponent", [-1000, -600, 600, 1000])
def test_huge_and_tiny_values(exponent: int) -> None:
    X, y = problem()
    plain = LogitBoostClassifier(estimator="linear", n_estimators=10).fit(X, y)
    scaled = X * 2.0**exponent
    other = LogitBoostClassifier(estimator="linear", n_estimators=10).fit(scaled, y)
    np.testing.assert_allclose(
        other.decision_function(scaled), plain.decision_function(X), atol=1e-9
    )


@pytest.mark.parametrize("cls", [LogitBoostClassifier, CSLBClassifier, CSLogitBoostClassifier])
@pytest.mark.parametrize("scale", [5e-324, 1e-310, 1e307])
def test_values_at_the_limits_of_floats(scale: float, cls: Any) -> None:
    """A slope or a sum that is no number must not become a score that is none."""
    X, y = problem()
    X = np.clip(X, -10, 10) * scale
    clf = cls(estimator="linear", n_estimators=5, fn_cost=1.0).fit(X, y)
    assert np.isfinite(clf.decision_function(X)).all()
    assert np.isfinite(clf.predict_proba(X)).all()
    assert np.isfinite(clf.ensemble_.slope).all()


def test_values_far_from_the_training_rows() -> None:
    """Lines up and down that all leave what numbers can hold must not add up to none."""
    lines = Lines.from_rounds([(0, 3.0, 0.0, 1.0), (0, -2.0, 0.0, 1.0)])
    far, score = np.array([[1e308], [-1e308], [1.0]]), np.zeros(3)
    lines.add_scores(iter([(slice(0, 3), far)]), score, 1)
    assert np.isfinite(score).all()
    assert score[2] == 1.0
    X, y = problem()
    clf = LogitBoostClassifier(estimator="linear", n_estimators=5).fit(1e-3 * X, y)
    assert np.isfinite(clf.predict_proba(1e308 * np.sign(X))).all()
