"""Calibration error and the two parts of the Brier score."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.calibration import calibration_curve
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss

from costboost.metrics import brier_decomposition, calibration_error

probability = st.floats(0, 1) | st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0])
row = st.tuples(st.integers(0, 1), probability, st.integers(1, 4))
BOTH = pytest.mark.parametrize("measure", [calibration_error, brier_decomposition])


def columns(rows: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    y, p, w = zip(*rows, strict=True)
    return np.array(y), np.array(p), np.array(w, dtype=float)


@settings(deadline=None, derandomize=True)
@given(st.lists(row, min_size=1, max_size=40))
def test_parts_add_up_to_the_brier_score(rows: Any) -> None:
    y, p, w = columns(rows)
    expected = np.average((p - y) ** 2, weights=w)
    for groups in ("scores", "isotonic"):
        parts = brier_decomposition(y, p, groups=groups, sample_weight=w, pos_label=1)
        assert parts.brier == pytest.approx(expected, abs=1e-12)
        assert parts.calibration >= 0
        assert 0 <= parts.refinement <= 0.25


@settings(deadline=None, derandomize=True)
@given(st.lists(row, min_size=1, max_size=40))
def test_refinement_is_the_brier_score_after_isotonic_regression(rows: Any) -> None:
    y, p, w = columns(rows)
    p = p.round(3)  # scikit-learn puts together what differs by rounding only
    corrected = IsotonicRegression().fit(p, y, w).predict(p)
    after = brier_score_loss(y, corrected, sample_weight=w, pos_label=1)
    parts = brier_decomposition(y, p, sample_weight=w, pos_label=1)
    assert parts.refinement == pytest.approx(after, abs=1e-9)


def test_decomposition_by_hand() -> None:
    y, p = [0, 1, 1, 1], [0.4, 0.4, 0.8, 0.8]
    parts = brier_decomposition(y, p, groups="scores")
    assert_allclose(parts, [(0.1**2 + 0.2**2) / 2, 0.5 * 0.25], rtol=1e-12)


def test_calibrated_scores_have_no_calibration_part() -> None:
    parts = brier_decomposition([0, 1, 0, 0, 0, 1], [0.5, 0.5, 0.25, 0.25, 0.25, 0.25])
    assert parts.calibration == 0


@settings(deadline=None, derandomize=True)
@given(st.lists(row, min_size=1, max_size=60), st.integers(1, 20))
def test_calibration_error_is_over_the_bins_of_scikit_learn(rows: Any, n_bins: int) -> None:
    y, p, _ = columns(rows)
    frequency, mean = calibration_curve(y, p, n_bins=n_bins, pos_label=1)
    edges = np.linspace(0, 1, n_bins + 1)
    count = np.bincount(np.searchsorted(edges[1:-1], p), minlength=n_bins)
    expected = np.average(np.abs(frequency - mean), weights=count[count > 0])
    found = calibration_error(y, p, n_bins=n_bins, pos_label=1)
    assert found == pytest.approx(expected, abs=1e-12)


@settings(deadline=None, derandomize=True)
@given(st.lists(row, min_size=1, max_size=40), st.sampled_from(["uniform", "quantile"]))
def test_a_weight_of_two_is_a_row_twice(rows: Any, strategy: str) -> None:
    y, p, w = columns(rows)
    counts = w.astype(int)
    options: Any = {"strategy": strategy, "n_bins": 4, "pos_label": 1}
    weighted = calibration_error(y, p, sample_weight=w, **options)
    repeated = calibration_error(np.repeat(y, counts), np.repeat(p, counts), **options)
    assert weighted == pytest.approx(repeated, abs=1e-12)


def test_quantile_bins_hold_the_same_weight() -> None:
    y, p = np.tile([0, 1], 50), np.linspace(0, 1, 100) ** 4
    expected = np.abs((p - y).reshape(5, 20).mean(axis=1)).mean()
    assert calibration_error(y, p, n_bins=5, strategy="quantile") == pytest.approx(expected)


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_good_probabilities_have_a_small_error(strategy: str) -> None:
    rng = np.random.default_rng(0)
    p = rng.random(200_000)
    y = rng.random(200_000) < p
    assert calibration_error(y, p, strategy=strategy) < 0.01
    assert calibration_error(y, p**2, strategy=strategy) > 0.1


@BOTH
def test_one_class_is_enough_if_its_name_is_clear(measure: Any) -> None:
    assert np.sum(measure([0, 0], [0.0, 0.0])) == 0
    assert np.sum(measure([1, 1], [1.0, 1.0])) == 0
    assert np.sum(measure(["a", "a"], [0.0, 0.0], pos_label="b")) == 0
    with pytest.raises(ValueError, match=r"one class only, 'a', .*; pass pos_label"):
        measure(["a", "a"], [0.0, 0.0])


@BOTH
def test_bad_input(measure: Any) -> None:
    with pytest.raises(ValueError, match=r"probabilities from 0 to 1, got -0.5"):
        measure([0, 1], [-0.5, 0.5])
    with pytest.raises(ValueError, match="y_prob must be finite"):
        measure([0, 1], [np.inf, 0.5])
    with pytest.raises(ValueError, match="y_prob must be numbers"):
        measure([0, 1], ["a", "b"])
    with pytest.raises(ValueError, match="y_true is empty"):
        measure([], [])


@pytest.mark.parametrize("n_bins", [0, 2.5, True, "many"])
def test_bad_bins(n_bins: Any) -> None:
    with pytest.raises(ValueError, match="n_bins must be a whole number of at least 1"):
        calibration_error([0, 1], [0.1, 0.9], n_bins=n_bins)


def test_bad_choices() -> None:
    with pytest.raises(ValueError, match="strategy must be one of uniform, quantile, got 'odd'"):
        calibration_error([0, 1], [0.1, 0.9], strategy="odd")
    with pytest.raises(ValueError, match="groups must be 'isotonic' or 'scores', got 'odd'"):
        brier_decomposition([0, 1], [0.1, 0.9], groups="odd")
