"""Means over runs and their bands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from costboost.app.plots.numbers import padded, values_at
from costboost.plots import confidence_band

tables = arrays(
    float, st.tuples(st.integers(2, 8), st.integers(1, 4)), elements=st.floats(-100, 100)
)


@settings(deadline=None, derandomize=True)
@given(tables, st.floats(0.5, 0.99))
def test_the_band_is_the_interval_of_a_t_test(runs: Any, confidence: float) -> None:
    band = confidence_band(runs, confidence=confidence)
    for k in range(runs.shape[1]):
        if runs[:, k].std() > 1e-6:
            ends = stats.ttest_1samp(runs[:, k], 0).confidence_interval(confidence)
            assert_allclose([band.lower[k], band.upper[k]], ends, rtol=1e-7, atol=1e-7)
    assert band.n_runs == len(runs)


def test_the_band_contains_the_mean_as_often_as_stated() -> None:
    rng = np.random.default_rng(0)
    bands = [confidence_band(rng.normal(size=(5, 1))) for _ in range(2000)]
    held = np.mean([band.lower[0] <= 0 <= band.upper[0] for band in bands])
    assert 0.935 < held < 0.965


def test_limits() -> None:
    band = confidence_band([[0.0, 1.0], [0.2, 0.8]], least=0, most=1)
    assert band.lower[0] == 0
    assert band.upper[1] == 1


def test_values_of_a_curve_that_jumps() -> None:
    x, y = np.array([0, 0.5, 0.5, 1]), np.array([0, 1.0, 0.0, 4])
    assert_allclose(values_at(x, y, np.array([0, 0.25, 0.5, 0.75, 1])), [0, 0.5, 0, 2, 4])


def test_runs_of_different_lengths() -> None:
    assert_array_equal(padded([np.array([1.0, 2]), np.array([3.0])]), [[1, 2], [3, 3]])


@pytest.mark.parametrize("runs", [[[1.0, 2.0]], [1.0, 2.0], [[1.0], [np.nan]]])
def test_bad_runs(runs: Any) -> None:
    with pytest.raises(ValueError, match="at least two runs"):
        confidence_band(runs)


def test_bad_confidence() -> None:
    with pytest.raises(ValueError, match="between 0 and 1, got 95"):
        confidence_band([[1.0], [2.0]], confidence=95)
