"""Bootstrap intervals and the verdicts made from them."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest

from costboost_lab.studies import CANNOT_BE_JUDGED, NOT_REPRODUCED, REPRODUCED, statistics
from costboost_lab.studies.statistics import (
    Interval,
    ordinal,
    paired_interval,
    unjudged,
    verdict_numeric,
    verdict_ordinal,
)

SAMPLE = np.random.default_rng(7).normal(0.3, 1.0, 25)


def naive_interval(values: list[float], seed: int) -> tuple[float, float]:
    """Percentile bootstrap, one sample at a time, with another generator."""
    import random

    draw = random.Random(seed)
    means = sorted(sum(draw.choices(values, k=len(values))) / len(values) for _ in range(20_000))
    return means[round(0.025 * 19_999)], means[round(0.975 * 19_999)]


def test_interval_agrees_with_a_naive_bootstrap() -> None:
    found = paired_interval(SAMPLE)
    low, high = naive_interval(SAMPLE.tolist(), 1)
    assert found.mean == pytest.approx(SAMPLE.mean())
    assert found.low == pytest.approx(low, abs=0.02)
    assert found.high == pytest.approx(high, abs=0.02)


def test_interval_is_reproducible_and_ignores_order_and_nan() -> None:
    shuffled = np.concatenate([SAMPLE[::-1], [np.nan]])
    assert paired_interval(shuffled) == paired_interval(SAMPLE)
    assert paired_interval(SAMPLE, seed=1) != paired_interval(SAMPLE, seed=2)


def test_interval_covers_the_mean() -> None:
    random = np.random.default_rng(0)
    samples = random.normal(1.0, 1.0, (200, 30))
    inside = [one.low <= 1.0 <= one.high for one in map(paired_interval, samples)]
    assert 0.88 < np.mean(inside) < 0.99


def test_batches_limit_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = paired_interval(SAMPLE)
    monkeypatch.setattr(statistics, "BATCH", 100)
    parts = paired_interval(SAMPLE)
    assert parts.low == pytest.approx(whole.low, abs=0.05)


@pytest.mark.parametrize("values", [[], [np.nan], np.array([])])
def test_no_values(values: list[float]) -> None:
    found = paired_interval(values)
    assert isnan(found.mean)
    assert found.ends is None
    assert verdict_ordinal("A minus B", values, "repeat").reason == "needs results for: A minus B"
    assert verdict_numeric("A", values, 1.0, 0.1, "repeat").outcome == CANNOT_BE_JUDGED


@pytest.mark.parametrize("values", [[2.0], [2.0, 2.0], [2.0, np.nan]])
def test_few_values_have_no_interval(values: list[float]) -> None:
    found = paired_interval(values)
    assert found.mean == 2.0
    assert found.ends is None
    verdict = verdict_ordinal("A minus B", values, "repeat")
    assert verdict.outcome == CANNOT_BE_JUDGED
    assert verdict.reason.startswith("needs at least 3 repeats, has ")
    assert verdict_numeric("A", values, 2.1, 0.2, "repeat").outcome == REPRODUCED
    assert verdict_numeric("A", values, 2.5, 0.2, "repeat").outcome == CANNOT_BE_JUDGED


def test_infinite_values_are_not_judged() -> None:
    values = [1.0, np.inf, -np.inf, 2.0]
    assert verdict_ordinal("A", values, "repeat").outcome == CANNOT_BE_JUDGED
    assert verdict_numeric("A", values, 1.0, 0.1, "repeat").reason == "a value is infinite"


def test_ordinal_outcomes() -> None:
    assert ordinal(1.0, Interval(1.0, 0.5, 1.5)) == REPRODUCED
    assert ordinal(-1.0, Interval(-1.0, -1.5, -0.5)) == NOT_REPRODUCED
    assert ordinal(0.1, Interval(0.1, -0.5, 0.7)) == CANNOT_BE_JUDGED
    assert ordinal(0.0, Interval(0.0, 0.0, 0.0)) == NOT_REPRODUCED
    assert ordinal(0.001, Interval(0.001, -0.004, 0.005), margin=0.005) == NOT_REPRODUCED
    assert ordinal(0.001, Interval(0.001, -0.004, 0.006), margin=0.005) == CANNOT_BE_JUDGED


def test_ordinal_verdict_has_its_evidence() -> None:
    verdict = verdict_ordinal("A minus B", [0.1, 0.2, 0.4, -0.01], "data set", reason="unused")
    assert verdict.outcome == REPRODUCED
    assert verdict.measured == "A minus B: 0.172 on average, positive for 3 of 4 data sets"
    assert verdict.difference == pytest.approx(0.1725)
    assert verdict.interval is not None
    assert verdict.interval[0] > 0
    assert verdict.reason == ""
    against = verdict_ordinal("A minus B", [-0.1, -0.2, -0.3], "data set", reason="bins")
    assert (against.outcome, against.reason) == (NOT_REPRODUCED, "bins")


def test_numeric_verdicts() -> None:
    values = [72.9, 73.1, 73.4, 72.8, 73.2]
    inside = verdict_numeric("F", values, 73.2, 0.0, "fold", digits=1)
    assert inside.outcome == REPRODUCED
    assert inside.measured == "F: 73.1 against 73.2 in the paper, over 5 folds"
    beyond = verdict_numeric("F", values, 75.0, 0.5, "fold", reason="other folds")
    assert (beyond.outcome, beyond.reason) == (NOT_REPRODUCED, "other folds")
    assert beyond.difference == pytest.approx(-1.92)
    assert beyond.interval is not None
    assert beyond.interval[1] < 0
    assert verdict_numeric("F", values, 75.0, 2.0, "fold").outcome == REPRODUCED


def test_unjudged() -> None:
    assert unjudged("needs the full grid").reason == "needs the full grid"
