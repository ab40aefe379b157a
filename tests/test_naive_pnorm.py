"""The transcription of Lp-CSB: gradient, Data Space Expansion at p = 1, line search, pairs."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import naive
import naive_multiclass
import numpy as np
import pytest
from naive.pnorm import p_gradient, p_loss, pair_weights
from naive_cases import noisy, three_classes
from sklearn.tree import DecisionTreeClassifier

CLOSE = {"rtol": 1e-9, "atol": 1e-9}
COSTS = np.array([[0.0, 1.0, 4.0], [2.0, 0.0, 1.0], [6.0, 3.0, 0.0]])


def row_costs(y: np.ndarray, seed: int = 0) -> np.ndarray:
    """A cost matrix times an amount of each row."""
    return COSTS[y] * np.random.default_rng(seed).lognormal(0, 1, (len(y), 1))


@pytest.mark.parametrize("p", [1.0, 1.5, 3.0])
def test_the_gradient_of_the_p_norm(p: float) -> None:
    rng = np.random.default_rng(0)
    s, C, H = rng.random(4), rng.random((4, 3)), rng.random((4, 3))
    G = p_gradient(s, C, H, p)
    for cell in itertools.product(range(4), range(3)):
        move = np.zeros((4, 3))
        move[cell] = 1e-6
        slope = (p_loss(s, C, H + move, p) - p_loss(s, C, H - move, p)) / 2e-6
        assert p * G[cell] == pytest.approx(slope, rel=1e-6)


def test_lpcsb_at_p_1_is_data_space_expansion() -> None:
    X, y = three_classes(30)
    costs = row_costs(y)
    model = naive.fit_lpcsb(X, costs, p=1.0)
    assert (len(model.steps), model.stop_reason) == (1, "no descent")

    def every_stump(sample: Sequence[Any]) -> Any:
        """The stump of least weighted error on an expanded sample, by enumeration."""
        x, label, weight = (np.array(part) for part in zip(*sample, strict=True))
        candidates = [
            (j, cut, a, b)
            for j in range(2)
            for cut in X[:, j]
            for a, b in itertools.product(range(3), repeat=2)
        ]
        j, cut, a, b = min(
            candidates,
            key=lambda c: weight[np.where(x[:, c[0]] > c[1], c[3], c[2]) != label].sum(),
        )
        return lambda row: b if row[j] > cut else a

    H = naive_multiclass.dse(list(zip(X.tolist(), costs.tolist(), strict=True)), every_stump)
    dse = np.array([H(row) for row in X.tolist()])
    assert (costs * dse).sum() == pytest.approx((costs * model.shares(X)).sum(), rel=1e-12)


@pytest.mark.parametrize("p", [1.0, 2.0, 4.0])
def test_the_line_search_of_lpcsb_never_raises_its_loss(p: float) -> None:
    X, y = three_classes(40)
    costs = row_costs(y)
    model = naive.fit_lpcsb(X, costs, p=p, step="line", n_estimators=15)
    start = p_loss(np.full(40, 1 / 40), costs, np.full((40, 3), 1 / 3), p)
    losses = [start, *model.losses]
    assert all(after <= before * (1 + 1e-12) for before, after in itertools.pairwise(losses))
    np.testing.assert_allclose(model.shares(X).sum(axis=1), 1.0)
    assert model.losses[-1] == pytest.approx(
        p_loss(np.full(40, 1 / 40), costs, model.shares(X), p), rel=1e-12
    )


def test_lpcsb_averages_its_hypotheses() -> None:
    X, y = three_classes(40)
    model = naive.fit_lpcsb(X, row_costs(y), p=2.0, n_estimators=5)
    nothing = np.zeros((40, 3))
    votes = np.mean([f(X, nothing) for f in model.hypotheses], axis=0)
    np.testing.assert_allclose(model.shares(X), votes, **CLOSE)
    np.testing.assert_array_equal(model.predict(X), votes.argmax(axis=1))


def test_costs_to_the_power_p_are_the_other_reading_of_lpcsb() -> None:
    X, y = three_classes(40)
    costs = row_costs(y)
    a = naive.fit_lpcsb(X, costs, p=2.0, cost_exponent=2.0)
    b = naive.fit_lpcsb(X, costs**2, p=2.0)
    np.testing.assert_allclose(a.shares(X), b.shares(X), **CLOSE)
    assert a.losses[-1] == pytest.approx(((costs * a.shares(X)) ** 2).sum() / 40, rel=1e-12)


def test_the_weights_of_pairs() -> None:
    G = np.array([[0.0, 2.0, 4.0], [1.0, 0.0, 0.0]])
    expected = [[3.0, 1.0, 2.0], [0.5, 0.5, 0.0]]
    np.testing.assert_allclose(pair_weights(G, np.array([0, 1])), expected)


def test_lpcsb_over_pairs_lowers_the_cost_and_fits_the_same_pairs_at_p_1() -> None:
    X, y = three_classes(60)
    costs = row_costs(y)
    seen: list[np.ndarray] = []

    def tree(pairs: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> Any:
        assert pairs.shape == (180, 5)
        seen.append(weights)
        fitted = DecisionTreeClassifier(max_depth=4, random_state=0)
        return fitted.fit(pairs, labels, sample_weight=weights)

    for p in (1.0, 2.0):
        seen.clear()
        model = naive.fit_lpcsb(X, costs, p=p, component="pairs", learner=tree, n_estimators=6)
        mean = costs[np.arange(60), model.predict(X)].mean()
        assert mean < costs.mean(axis=0).min()  # the best class for all rows
        if p == 1.0:
            np.testing.assert_allclose(seen, [seen[0]] * len(seen), **CLOSE)
        else:
            assert not np.allclose(seen[0], seen[1])


def test_two_classes_at_p_1_are_cost_proportionate_weighting() -> None:
    X, y = noisy(40)
    c = np.random.default_rng(1).lognormal(0, 1, 40)
    costs = np.where(np.array([y > 0, y < 0]).T, c[:, None], 0.0)
    model = naive.fit_lpcsb(X, costs, p=1.0)
    weighted = naive.fit("adaboost", X, y, sample_weight=c, n_estimators=1)
    np.testing.assert_array_equal(model.predict(X), weighted.decision_function(X) > 0)
