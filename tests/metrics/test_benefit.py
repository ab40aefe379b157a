"""Net benefit and decision curves: closed forms, costs, weights, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from metrics.scored import Rows, repeated, scored
from numpy.testing import assert_allclose

from costboost.metrics import decision_curve, mean_cost, net_benefit_score

threshold = st.floats(0, 0.99)


@given(scored(), threshold)
def test_net_benefit_counts_hits_and_alarms(rows: Rows, t: float) -> None:
    y, p, w = rows
    treated = p > t
    hits, alarms = w[treated & (y == 1)].sum(), w[treated & (y == 0)].sum()
    expected = (hits - alarms * t / (1 - t)) / w.sum()
    found = net_benefit_score(y, p, threshold=t, sample_weight=w)
    assert found == pytest.approx(expected, abs=1e-9)
    assert found == pytest.approx(net_benefit_score(*repeated(rows), threshold=t), abs=1e-9)
    curve = decision_curve(y, p, thresholds=[t], sample_weight=w)
    assert curve.net_benefit[0] == pytest.approx(found, abs=1e-12)


@given(scored(), st.floats(0.01, 0.99))
def test_treating_all_has_a_closed_form(rows: Rows, t: float) -> None:
    y, p, w = rows
    share = np.average(y, weights=w)
    curve = decision_curve(y, p, thresholds=[0.0, t], sample_weight=w)
    assert_allclose(curve.treat_all, [share, share - (1 - share) * t / (1 - t)], atol=1e-9)
    assert np.all(curve.net_benefit <= share + 1e-12)


@settings(max_examples=40)
@given(scored(), st.floats(0.1, 20), st.floats(0.1, 20))
def test_it_is_what_is_saved_compared_with_treating_none(rows: Rows, fn: float, fp: float) -> None:
    y, p, w = rows
    costs: dict[str, Any] = {"fn_cost": fn, "fp_cost": fp, "sample_weight": w}
    treated = (p > fp / (fn + fp)).astype(int)
    saved = mean_cost(y, np.zeros(len(y)), **costs) - mean_cost(y, treated, **costs)
    assert net_benefit_score(y, p, **costs) == pytest.approx(saved / fn, abs=1e-9)


def test_costs_of_rows_decide_each_row() -> None:
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 2, 300), rng.random(300)
    fn, fp = rng.lognormal(size=300), rng.lognormal(size=300)
    treated = p * fn > (1 - p) * fp
    saved = np.sum(fn[treated & (y == 1)]) - np.sum(fp[treated & (y == 0)])
    expected = saved / 300 / fn[y == 1].mean()
    assert net_benefit_score(y, p, fn_cost=fn, fp_cost=fp) == pytest.approx(expected)


def test_the_default_thresholds_are_percentages() -> None:
    curve = decision_curve([0, 1], [0.2, 0.8])
    assert_allclose(curve.threshold, np.arange(1, 100) / 100)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "a net benefit needs a threshold or costs"),
        ({"threshold": 1}, "threshold must be from 0 to below 1, got 1"),
        ({"threshold": np.nan}, "threshold must be from 0 to below 1, got nan"),
        ({"threshold": [0.1, 0.2]}, "threshold must be one number; decision_curve takes several"),
        ({"fn_cost": 0, "fp_cost": 1}, "fn_cost is zero for every positive row"),
        ({"fn_cost": [1, 2, 3]}, "fn_cost must be one number or one for each of the 4 rows"),
        ({"threshold": 0.5, "pos_label": 7}, "pos_label is 7, but the classes are 0, 1"),
    ],
    ids=str,
)
def test_bad_input(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        net_benefit_score([0, 1, 1, 0], [0.1, 0.9, 0.4, 0.3], **options)


def test_bad_curves() -> None:
    with pytest.raises(ValueError, match=r"thresholds must be from 0 to below 1, got -0\.1"):
        decision_curve([0, 1], [0.1, 0.9], thresholds=[0.5, -0.1])
    with pytest.raises(ValueError, match="thresholds must be a list of numbers"):
        decision_curve([0, 1], [0.1, 0.9], thresholds=[])
    with pytest.raises(ValueError, match="y_prob must be probabilities from 0 to 1, got 3"):
        decision_curve([0, 1], [0.1, 3])
    with pytest.raises(ValueError, match="every row that counts is positive"):
        decision_curve([1, 1], [0.1, 0.3])
