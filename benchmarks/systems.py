"""What is compared, and on what: the systems, the sizes and the rows they learn from."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

ROUNDS = 100
POSITIVE_SHARE = 0.05

Maker = Callable[[int, int], Any]
"""(n_threads, rounds) -> unfitted classifier."""


@dataclass(frozen=True)
class Size:
    rows: int
    features: int
    repeats: int  # the shorter a fit, the more of them are needed to see the best one

    @property
    def name(self) -> str:
        return f"{short(self.rows)}x{self.features}"


@dataclass(frozen=True)
class System:
    """A "slow" system has one thread and may take minutes: it is timed on fewer rounds."""

    name: str
    make: Maker
    kind: Literal["ours", "peer", "slow"]


def short(count: int) -> str:
    for unit, letter in ((10**6, "M"), (10**3, "k")):
        if count >= unit and count % unit == 0:
            return f"{count // unit}{letter}"
    return str(count)


SIZES = [
    Size(500, 10, 40),
    Size(10_000, 20, 20),
    Size(100_000, 50, 7),
    Size(1_000_000, 30, 5),
    Size(20_000, 2_000, 4),
]


def make_data(size: Size) -> tuple[np.ndarray, np.ndarray]:
    """Normal features, a linear score of the first ten and noise; the top 5% are positive.

    The noise keeps the classes inseparable, so every system runs all its rounds.
    Drawn in blocks: generating the rows must not raise the peak that memory.py reads.
    """
    rng = np.random.default_rng(size.rows + size.features)
    X = np.empty((size.rows, size.features), dtype=np.float32)
    block = max(1, 2**20 // size.features)
    for start in range(0, size.rows, block):
        part = X[start : start + block]
        part[:] = rng.standard_normal(part.shape, dtype=np.float32)
    informative = min(10, size.features)
    slope = np.linspace(1.0, 0.1, informative, dtype=np.float32)
    score = X[:, :informative] @ slope + 1.5 * rng.standard_normal(size.rows, dtype=np.float32)
    y = (score > np.quantile(score, 1 - POSITIVE_SHARE)).astype(np.int64)
    return X, y


def adaboost(n_threads: int, rounds: int) -> Any:
    from costboost.algorithms import AdaBoostClassifier

    return AdaBoostClassifier(n_estimators=rounds, n_jobs=n_threads)


def logitboost(n_threads: int, rounds: int) -> Any:
    from costboost.algorithms import LogitBoostClassifier

    return LogitBoostClassifier(n_estimators=rounds, n_jobs=n_threads)


def lightgbm(n_threads: int, rounds: int) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_estimators=rounds, num_leaves=2, n_jobs=n_threads, verbose=-1)


def lightgbm_by_rows(n_threads: int, rounds: int) -> Any:
    return lightgbm(n_threads, rounds).set_params(force_row_wise=True)


def xgboost(n_threads: int, rounds: int) -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(n_estimators=rounds, max_depth=1, tree_method="hist", n_jobs=n_threads)


def hist_gradient_boosting(n_threads: int, rounds: int) -> Any:
    """Has no n_jobs: it follows threadpoolctl, which the caller sets for every system."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(max_iter=rounds, max_leaf_nodes=2, early_stopping=False)


def sklearn_adaboost(n_threads: int, rounds: int) -> Any:
    from sklearn.ensemble import AdaBoostClassifier

    return AdaBoostClassifier(n_estimators=rounds)  # its default learner is a decision stump


OURS, ADABOOST = "LogitBoost", "AdaBoost"
"""Ours that does the same work as the peers, and the one that does less."""
SYSTEMS = [
    System(OURS, logitboost, "ours"),
    System(ADABOOST, adaboost, "ours"),
    System("LightGBM", lightgbm, "peer"),
    System("LightGBM row-wise", lightgbm_by_rows, "peer"),
    System("XGBoost", xgboost, "peer"),
    System("HistGradientBoosting", hist_gradient_boosting, "peer"),
    System("sklearn AdaBoost", sklearn_adaboost, "slow"),
]


def installed(systems: list[System]) -> tuple[list[System], list[str]]:
    """The systems that can be made here, and a message for each that cannot."""
    present, messages = [], []
    for system in systems:
        try:
            system.make(1, 1)
            present.append(system)
        except ImportError as error:
            if system.kind == "ours":
                raise
            hint = "install the peers with `pip install costboost[peers]`"
            messages.append(f"{system.name} is skipped ({error}): {hint}")
    return present, messages
