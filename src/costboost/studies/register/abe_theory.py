"""Theorems of Abe, Zadrozny & Langford (2004), checked on random problems."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

from costboost.multiclass.model import stochastic
from costboost.studies.claims import NOT_REPRODUCED, REPRODUCED, Outcome, Verdict
from costboost.studies.study import Frame

PROBLEMS = 300
ROUNDING = 1e-9
Floats = NDArray[np.float64]


def costs(random: np.random.Generator, n_rows: int, n_classes: int) -> Floats:
    """Costs of every row and label, of which the least of each row is 0."""
    drawn = random.exponential(size=(n_rows, n_classes))
    return np.asarray(drawn - drawn.min(axis=1, keepdims=True))


def _verdict(what: str, excess: float) -> Verdict:
    """Reproduced if an inequality or equation is violated by no more than rounding."""
    measured = f"{what}: greatest violation {excess:.1e} in {PROBLEMS} random problems"
    outcome: Outcome = REPRODUCED if excess <= ROUNDING else NOT_REPRODUCED
    return Verdict(outcome, measured, excess, None)


def iterative_weights(frame: Frame) -> Verdict:
    """Theorem 1: where IW's weights no longer change, their weighted error is the cost.

    Weights of mistakes are iterated with a fixed hypothesis until they are constant.
    """
    worst = 0.0
    for random in _randoms():
        C = costs(random, 20, 4)
        h, best = random.integers(0, 4, 20), C.argmin(axis=1)
        paid, wrong = C[np.arange(20), h], h != best
        weight = C.max(axis=1)
        for _ in range(60):
            weight = np.where(wrong, 0.5 * paid + 0.5 * weight, weight)
        worst = max(worst, abs(float((weight * wrong).mean() - paid.mean())))
    return _verdict("weighted error of converged weights minus cost", worst)


def expansion(frame: Frame) -> Verdict:
    """Theorem 2: the hypothesis of least weighted error on DSE's sample has the least cost.

    All hypotheses that depend on one feature of three values are tried.
    """
    worst = 0.0
    for random in _randoms():
        C, x = costs(random, 12, 3), random.integers(0, 3, 12)
        weight = C.max(axis=1, keepdims=True) - C
        errors, paid = [], []
        for labels in product(range(3), repeat=3):
            h = np.array(labels)[x]
            errors.append((weight * (np.arange(3) != h[:, None])).sum())
            paid.append(C[np.arange(12), h].sum())
        worst = max(worst, paid[int(np.argmin(errors))] - min(paid))
    return _verdict("cost of the hypothesis of least weighted error minus the least cost", worst)


def lemma(frame: Frame) -> Verdict:
    """Lemma 1: sum of c h = weighted accuracy of (c > 0) minus the weight of negative labels."""
    worst = 0.0
    for random in _randoms():
        c, h = random.normal(size=40), random.integers(0, 2, 40)
        label = c > 0
        accuracy = (np.abs(c) * (h == label)).mean() - (np.abs(c) * ~label).mean()
        worst = max(worst, abs(float((c * h).mean() - accuracy)))
    return _verdict("difference of both sides", worst)


def boosting_bound(frame: Frame) -> Verdict:
    """Theorem 3: a round of GBSE-T multiplies the cost by at most 1 - gamma alpha / k.

    Relations h are drawn at random and kept if they satisfy the weak learning condition; gamma is
    the greatest with which they do.
    """
    worst = 0.0
    for random in _randoms():
        k, alpha = int(random.integers(2, 6)), float(random.uniform(0.05, 0.9))
        C = costs(random, 25, k)
        H = random.dirichlet(np.ones(k), size=25)
        before = (H * C).sum(axis=1)
        weight = before[:, None] / k - C
        label = weight > 0
        h = np.where(random.random(label.shape) < random.uniform(0, 0.3), ~label, label)
        size = np.abs(weight)
        gamma = ((size * (h == label)).sum() - (size * ~label).sum()) / (size * label).sum()
        if gamma <= 0:
            continue
        after = ((1 - alpha) * H + alpha * stochastic(h, H)) * C
        worst = max(worst, float(after.sum() - (1 - gamma * alpha / k) * before.sum()) / 25)
    return _verdict("mean cost after a round beyond the bound", worst)


def _randoms() -> Iterator[np.random.Generator]:
    return (np.random.default_rng(seed) for seed in range(PROBLEMS))
