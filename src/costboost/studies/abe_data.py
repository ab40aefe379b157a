"""Data sets of Abe, Zadrozny & Langford (2004), their splits, and the costs drawn for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_wine, make_classification
from sklearn.model_selection import train_test_split

from costboost import datasets

FLARES = "{}-class_flares_production_by_this_region"
KDD_ROWS = 197_710
TEST_SHARE = 1 / 3
LARGEST_COST = 2000
Rows = tuple[Any, NDArray[Any]]
"""A pandas frame of features, and the labels."""


@dataclass(frozen=True)
class Split:
    """Rows to train on, rows to test, and the costs of this run."""

    X: Any
    y: NDArray[Any]
    X_test: Any
    y_test: NDArray[Any]
    matrix: NDArray[np.float64]
    """Cost of predicting class j (column) where class i (row) is true."""

    def cost(self, predicted: NDArray[Any]) -> float:
        """Mean cost of predictions for the test rows."""
        classes = np.unique(self.y)
        true, y_pred = (np.searchsorted(classes, labels) for labels in (self.y_test, predicted))
        return float(self.matrix[true, y_pred].mean())


def drawn_costs(y: NDArray[Any], random: np.random.Generator) -> NDArray[np.float64]:
    """Costs C(i, j), uniform from 0 to 2000 P(j) / P(i); correct predictions cost nothing."""
    share = np.unique(y, return_counts=True)[1] / len(y)
    matrix = random.uniform(0, LARGEST_COST * share[None, :] / share[:, None])
    np.fill_diagonal(matrix, 0)
    return matrix


def split(X: Any, y: NDArray[Any], seed: int) -> Split:
    """Two thirds of the rows to train, with every class in both parts, and a cost matrix."""
    kept, held = train_test_split(
        np.arange(len(y)), test_size=TEST_SHARE, stratify=y, random_state=seed
    )
    matrix = drawn_costs(y[kept], np.random.default_rng(seed))
    return Split(X.iloc[kept], y[kept], X.iloc[held], y[held], matrix)


# ---- data sets -----------------------------------------------------------------------------------


def solar_flare() -> Rows:
    """Solar flares; the class is the number of C-class flares, 0 to 6, as in Table 1.

    One region had 8. Without it the rarest class is 3/1171 of the most frequent, as in the paper.
    """
    import pandas as pd

    data = datasets.load("solar_flare")
    X = data.X.assign(zurich=pd.Categorical(data.y))
    y = X.pop(FLARES.format("C")).to_numpy()
    X = X.drop(columns=[FLARES.format("M"), FLARES.format("X")])
    return X[y < 8], y[y < 8]


def kdd99() -> Rows:
    """The five categories of connections, on as many rows as the paper has."""
    data = datasets.load("kdd99_10pct")
    y = data.extra["category"].to_numpy().astype(str)
    kept, _ = train_test_split(np.arange(len(y)), train_size=KDD_ROWS, stratify=y, random_state=0)
    return data.X.iloc[kept], y[kept]


def plain(name: str) -> Callable[[], Rows]:
    """A function that loads a data set of `costboost.datasets` without columns that leak."""

    def load() -> Rows:
        data = datasets.load(name)
        return data.X.drop(columns=list(data.leaks)), np.asarray(data.y)

    return load


def wine() -> Rows:
    """Three cultivars of wine, a part of scikit-learn."""
    data = load_wine(as_frame=True)
    return data.data, data.target.to_numpy()


def skewed() -> Rows:
    """Four drawn classes, of which the rarest is 1/20 of the most frequent one."""
    import pandas as pd

    X, y = make_classification(
        900, 8, n_informative=5, n_classes=4, weights=[0.6, 0.25, 0.12, 0.03], random_state=0
    )
    return pd.DataFrame(X), y


SETS: dict[str, Callable[[], Rows]] = {
    "annealing": plain("annealing"),
    "solar_flare": solar_flare,
    "kdd99": kdd99,
    "letter": plain("letter"),
    "splice": plain("splice"),
    "satellite": plain("satimage"),
}
"""The data sets of the paper."""
SOURCES = {
    "annealing": "annealing",
    "solar_flare": "solar_flare",
    "kdd99": "kdd99_10pct",
    "letter": "letter",
    "splice": "splice",
    "satellite": "satimage",
}
"""Names in `costboost.datasets`."""
QUICK_SETS: dict[str, Callable[[], Rows]] = {"wine": wine, "skewed": skewed}
"""Data sets that need no download."""


@lru_cache(maxsize=1)
def rows_of(name: str) -> Rows:
    """A data set, kept in memory until another one is loaded."""
    return (SETS | QUICK_SETS)[name]()
