"""Bootstrap intervals over rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from costboost.metrics import (
    bootstrap_interval,
    decision_curve,
    gini_score,
    mean_cost,
    net_benefit_score,
)


def test_the_interval_of_a_mean_is_that_of_the_normal_distribution() -> None:
    y = np.arange(400) % 4 == 0
    found = bootstrap_interval(mean_cost, y, ~y, fn_cost=1, fp_cost=0, random_state=0)
    half = 1.96 * np.sqrt(0.25 * 0.75 / 400)
    assert found.value == 0.25
    assert (found.low, found.high) == pytest.approx((0.25 - half, 0.25 + half), abs=0.006)
    assert found == bootstrap_interval(mean_cost, y, ~y, fn_cost=1, fp_cost=0, random_state=0)
    wide = bootstrap_interval(
        mean_cost, y, ~y, fn_cost=1, fp_cost=0, confidence=0.999, random_state=0
    )
    assert wide.low < found.low < found.high < wide.high


def test_arrays_of_rows_are_resampled_with_the_rows() -> None:
    rng = np.random.default_rng(0)
    y, p, cost = rng.integers(0, 2, 60), rng.random(60), rng.lognormal(size=60)
    seen = []

    def measure(y_true: Any, y_prob: Any, *, sample_weight: Any, fn_cost: Any, at: Any) -> Any:
        rows = [np.flatnonzero(p == one)[0] for one in y_prob]
        assert_array_equal(fn_cost, cost[rows])
        assert_array_equal(y_true, y[rows])
        assert at == [0.1, 0.2]
        seen.append(sample_weight)
        return [0.0, 1.0]

    found = bootstrap_interval(
        measure, y, p, sample_weight=np.arange(60), fn_cost=cost, at=[0.1, 0.2], n_resamples=5
    )
    assert len(seen) == 6
    assert_array_equal(found.low, [0, 1])


def test_curves_have_limits_at_each_point() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(200)
    y = rng.random(200) < p

    def benefit(y_true: Any, y_prob: Any) -> Any:
        return decision_curve(y_true, y_prob, thresholds=[0.2, 0.5]).net_benefit

    found = bootstrap_interval(benefit, y, p, n_resamples=50, random_state=1)
    assert np.all((found.low < found.value) & (found.value < found.high))
    one = bootstrap_interval(net_benefit_score, y, p, threshold=0.5, n_resamples=50, random_state=1)
    assert (one.low, one.high) == pytest.approx((found.low[1], found.high[1]))


def test_few_positives_are_in_every_resample() -> None:
    y = np.arange(50) < 1
    assert bootstrap_interval(gini_score, y, y, n_resamples=50, random_state=0) == (1, 1, 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": 1}, "confidence must be between 0 and 1, got 1"),
        ({"n_resamples": 1}, "n_resamples must be a whole number of at least 2, got 1"),
        ({"n_resamples": True}, "n_resamples must be a whole number"),
        ({"sample_weight": [0, 1, 1]}, "every row that counts is positive"),
    ],
    ids=str,
)
def test_bad_input(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bootstrap_interval(gini_score, [0, 1, 1], [0.1, 0.2, 0.3], **options)
