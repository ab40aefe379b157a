"""Problems and classifiers of the tests after the papers.

Papers cited in them: Masnadi = Masnadi-Shirazi and Vasconcelos 2007; Nikolaou = Nikolaou et al.
2016; Nyga = Nyga 2010; Sun = Sun, Wong and Wang 2005.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from costboost.algorithms import REGISTRY

ignore_blind = pytest.mark.filterwarnings("ignore:.* ignores costs")

SMOOTHING = 1e-4
SEEDS = range(4)

each_seed = pytest.mark.parametrize("seed", SEEDS)


def classifier(name: str) -> Any:
    return REGISTRY[name].cls


def noisy(
    seed: int = 0, n: int = 300, share: float = 0.3
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Overlapping classes, the positive one with the given share, and sample weights."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 20, (n, 4)).astype(float)
    score = X[:, 0] + X[:, 1] * X[:, 2] / 8 + rng.normal(0, 6, n)
    return X, (score > np.quantile(score, 1 - share)).astype(int), rng.uniform(0.5, 1.5, n)


def stages(clf: Any, X: np.ndarray) -> list[np.ndarray]:
    """F before the first round and after each."""
    return [np.zeros(len(X)), *clf.staged_raw_score(X)]
