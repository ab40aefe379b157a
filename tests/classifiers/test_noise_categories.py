"""Categories without any effect."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from costboost import CostBoostClassifier
from costboost.algorithms import LogitBoostClassifier

RNG = np.random.default_rng(0)
N = 1_500
SIGNAL = RNG.normal(size=(N, 3))
Y = (RNG.random(N) < 1 / (1 + np.exp(-SIGNAL[:, 0] - 0.7 * SIGNAL[:, 1]))).astype(int)
LEVELS = [f"level {k}" for k in range(200)]


def frame(n: int, signal: np.ndarray) -> pd.DataFrame:
    found = pd.DataFrame(signal, columns=["a", "b", "c"])
    return found.assign(noise=pd.Categorical(RNG.choice(LEVELS, n), categories=LEVELS))


@pytest.mark.parametrize("classes", [2, 3])
def test_a_random_column_of_many_levels_is_the_least_important(classes: int) -> None:
    """It was the most important one."""
    y = Y if classes == 2 else np.digitize(SIGNAL[:, 0] + RNG.normal(size=N), [-0.5, 0.5])
    clf = CostBoostClassifier(random_state=0, n_estimators=10).fit(frame(N, SIGNAL), y)
    assert clf.feature_importances_[3] < 0.15
    assert clf.feature_importances_.argmax() == 0


def test_categories_with_an_effect_are_found() -> None:
    effect = RNG.normal(size=40)
    code = RNG.integers(0, 40, N)
    y = (RNG.random(N) < 1 / (1 + np.exp(-2 * effect[code]))).astype(int)
    column = pd.DataFrame({"a": SIGNAL[:, 2], "kind": pd.Categorical([LEVELS[k] for k in code])})
    clf = CostBoostClassifier(random_state=0).fit(column, y)
    assert np.corrcoef(clf.raw_score(column), effect[code])[0, 1] > 0.85


def test_algorithms_of_papers_have_no_penalty() -> None:
    assert LogitBoostClassifier.rule.criterion.per_category == 0
    assert CostBoostClassifier.rule.criterion.per_category > 0
