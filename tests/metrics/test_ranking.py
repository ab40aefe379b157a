"""H-measure, Gini, KS, lift and score bands: independent computations, invariances, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from metrics.scored import Rows, rates, repeated, scored
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special
from scipy.integrate import quad
from sklearn.metrics import roc_auc_score

from costboost.metrics import (
    empc,
    empcs,
    gini_score,
    h_measure_score,
    ks_score,
    lift_curve,
    score_bands,
)

PEERS = {
    "small": (
        40, 0.3, 2, [0.5634075242959391, 0.5351622784183653, 0.5129772603931098],
        [13.846831614883465, 0.4753063369333641], [0.05940917173333332, 0.16503033333333328],
    ),
    "rare": (
        2000, 0.05, 7, [0.36568784101161955, 0.2150483803167631, 0.1405772790655878],
        [0.759608554911793, 0.06178249597842844], [0.0024437724880818188, 0.013040559590909096],
    ),
    "ties": (
        300, 0.4, 2, [0.31862408129425646, 0.3039142732020358, 0.29929440982938393],
        [18.160348955028503, 0.7554636508109239], [0.07173288948951918, 0.2602900324040405],
    ),
}  # fmt: skip
"""Rows, share of positives, decimal places of the scores; H-measures by hmeasure 0.1.6 (densities
beta(2, 1 + n0 / n1), beta(1 + n1 / n, 1 + n0 / n) and beta(2, 2)); profit and fraction by
empulse 0.13.1, ``empc_score`` and ``empcs_score``."""


def test_other_packages_find_the_same() -> None:
    rng = np.random.default_rng(0)
    for n, share, places, h, churn, credit in PEERS.values():
        y = (np.arange(n) < round(share * n)).astype(int)
        score = np.round(1 / (1 + np.exp(-(rng.normal(size=n) + 1.2 * y - 0.6))), places)
        odds = y.mean() / (1 - y.mean())
        found = [
            h_measure_score(y, score, alpha=2, beta=1 + 1 / odds),
            h_measure_score(y, score),
            h_measure_score(y, score, alpha=2, beta=2),
        ]
        assert_allclose(found, h, rtol=1e-12)
        assert_allclose(empc(y, score), churn, rtol=1e-12)
        assert_allclose(empcs(y, score), credit, rtol=1e-12)


# ---- H-measure -----------------------------------------------------------------------------------


def h_by_quadrature(y: np.ndarray, score: np.ndarray, a: float, b: float) -> float:
    share = y.mean()
    constant = 1 / special.beta(a, b)

    def mean(tpr: Any, fpr: Any) -> float:
        def least(c: float) -> float:
            cost = np.min(c * (1 - share) * fpr + (1 - c) * share * (1 - tpr))
            return float(cost) * constant * c ** (a - 1) * (1 - c) ** (b - 1)

        return float(quad(least, 0, 1, limit=200)[0])

    return 1 - mean(*rates(y, score)) / mean(np.array([0, 1]), np.array([0, 1]))


@settings(max_examples=8, deadline=None)
@given(scored(12), st.sampled_from([(None, None), (2, 2), (1.5, 4)]))
def test_h_is_an_integral(rows: Rows, shape: Any) -> None:
    y, p = repeated(rows)
    a, b = (1 + y.mean(), 2 - y.mean()) if shape[0] is None else shape
    expected = h_by_quadrature(y, p, a, b)
    assert h_measure_score(y, p, alpha=shape[0], beta=shape[1]) == pytest.approx(expected, abs=1e-5)


MEASURES = [h_measure_score, gini_score, ks_score, empc, empcs]


@pytest.mark.parametrize("measure", MEASURES)
@settings(max_examples=25)
@given(scored())
def test_only_the_order_counts_and_weights_are_repetitions(measure: Any, rows: Rows) -> None:
    y, p, w = rows
    found = measure(y, p, sample_weight=w)
    level = np.unique(p, return_inverse=True)[1]
    assert_allclose(measure(y, level**3 - 5, sample_weight=w), found, atol=1e-12)
    assert_allclose(measure(*repeated(rows)), found, atol=1e-9)
    assert_allclose(measure(1 - y, p, sample_weight=w, pos_label=0), found, atol=1e-12)
    order = np.random.default_rng(0).permutation(len(y))
    assert_allclose(measure(y[order], p[order], sample_weight=w[order]), found, atol=1e-9)


def test_the_ends_of_h() -> None:
    assert h_measure_score([0, 0, 1, 1], [1, 2, 3, 4]) == pytest.approx(1)
    assert h_measure_score([0, 0, 1, 1], [1, 1, 1, 1]) == pytest.approx(0, abs=1e-12)
    assert h_measure_score([0, 0, 1, 1], [4, 3, 2, 1]) == pytest.approx(0, abs=1e-12)


@settings(max_examples=40)
@given(scored())
def test_gini_and_ks(rows: Rows) -> None:
    y, p, w = rows
    auc = roc_auc_score(y, p, sample_weight=w)
    assert gini_score(y, p, sample_weight=w) == pytest.approx(2 * auc - 1, abs=1e-9)
    tpr, fpr = rates(*repeated(rows))
    distance = np.abs(tpr - fpr).max()
    assert ks_score(y, p, sample_weight=w) == pytest.approx(distance, abs=1e-9)


# ---- lift and bands ------------------------------------------------------------------------------


@given(scored())
def test_gains_are_recalls(rows: Rows) -> None:
    y, p = repeated(rows)
    curve = lift_curve(rows[0], rows[1], sample_weight=rows[2])
    expected = [(np.mean(p >= t), np.mean(p[y == 1] >= t)) for t in np.unique(p)[::-1]]
    assert_allclose(np.column_stack(curve[:2]), expected, atol=1e-9)
    assert_allclose(curve.lift, curve.gain / curve.share)
    assert curve.lift[-1] == pytest.approx(1)


def test_gains_in_money() -> None:
    curve = lift_curve([1, 0, 1, 0], [4, 3, 2, 1], fn_cost=[9, 5, 1, 5])
    assert_allclose(curve.gain, [0.9, 0.9, 1, 1])
    assert_allclose(curve.share, [0.25, 0.5, 0.75, 1])
    assert_array_equal(lift_curve([1, 0], [2, 1], fn_cost=3), lift_curve([1, 0], [2, 1]))


@given(scored(), st.integers(1, 12))
def test_bands_part_the_rows(rows: Rows, n_bands: int) -> None:
    y, p, w = rows
    bands = score_bands(y, p, n_bands=n_bands, sample_weight=w)
    assert len(bands.low) <= n_bands
    assert np.all(bands.low[1:] > bands.high[:-1])
    for k, (low, high) in enumerate(zip(bands.low, bands.high, strict=True)):
        inside, below = (p >= low) & (p <= high), p <= high
        assert bands.weight[k] == w[inside].sum()
        assert bands.positives[k] == w[inside & (y == 1)].sum()
        assert bands.event_rate[k] == pytest.approx(np.average(y[inside], weights=w[inside]))
        assert bands.approval_rate[k] == pytest.approx(w[below].sum() / w.sum())
        assert bands.approved_event_rate[k] == pytest.approx(np.average(y[below], weights=w[below]))
    assert bands.weight.sum() == w.sum()


def test_bands_of_equal_size_and_of_given_edges() -> None:
    y, score = np.arange(100) % 2, np.arange(100.0)
    assert_array_equal(score_bands(y, score).weight, np.full(10, 10))
    bands = score_bands(y, score, edges=[-5, 20, 90])
    assert_array_equal(bands.weight, [20, 70, 10])
    assert_array_equal(bands.low, [0, 20, 90])
    one = score_bands(np.zeros(3), [1, 2, 3], n_bands=3, pos_label=1)
    assert_array_equal(one.event_rate, [0, 0, 0])


# ---- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", [*MEASURES, lift_curve])
def test_bad_rows(measure: Any) -> None:
    for y, score, message in (
        ([0, 1], [0.1, np.nan], "y_score"),
        ([0, 1], [0.1], "y_true has 2 rows, but y_score has 1"),
        ([1, 1], [0.1, 0.2], "every row that counts is positive"),
        ([0, 1, 2], [0.1, 0.2, 0.3], "y_true has 3 classes"),
    ):
        with pytest.raises(ValueError, match=message):
            measure(y, score)


def test_bad_options() -> None:
    y, score = [0, 1], [0.1, 0.2]
    for options, message in (
        ({"alpha": 0}, "alpha must be a number above 0, got 0"),
        ({"beta": [1, 2]}, "beta must be a number above 0"),
    ):
        with pytest.raises(ValueError, match=message):
            h_measure_score(y, score, **options)  # type: ignore[arg-type]
    for bands, message in (
        ({"n_bands": 0}, "n_bands must be a whole number of at least 1, got 0"),
        ({"n_bands": 2.5}, "n_bands must be a whole number"),
        ({"edges": [2, 1]}, "edges must be increasing numbers"),
        ({"edges": []}, "edges must be increasing numbers"),
    ):
        with pytest.raises(ValueError, match=message):
            score_bands(y, score, **bands)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="fn_cost is zero for every positive row"):
        lift_curve(y, score, fn_cost=[1, 0])
