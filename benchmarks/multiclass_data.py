"""The six data sets of Abe, Zadrozny & Langford (2004), and the costs they draw for them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from costboost import datasets

FLARES = "{}-class_flares_production_by_this_region"
KDD_ROWS = 197_710
TEST_SHARE = 1 / 3
LARGEST_COST = 2000


@dataclass(frozen=True)
class Split:
    """Rows to train on, rows to test, and the costs of this run: rows are the truth."""

    X: pd.DataFrame
    y: np.ndarray
    X_test: pd.DataFrame
    y_test: np.ndarray
    matrix: np.ndarray

    def cost(self, predicted: np.ndarray) -> float:
        """Mean cost of predictions for the test rows."""
        classes = np.unique(self.y)
        true, y_pred = (np.searchsorted(classes, labels) for labels in (self.y_test, predicted))
        return float(self.matrix[true, y_pred].mean())

    @property
    def numbers(self) -> tuple[np.ndarray, np.ndarray]:
        """Both parts for scikit-learn's trees: a column of 0 and 1 for each category."""
        both = pd.get_dummies(pd.concat([self.X, self.X_test])).to_numpy(np.float32)
        return both[: len(self.X)], both[len(self.X) :]


def solar_flare() -> tuple[pd.DataFrame, np.ndarray]:
    """The number of C-class flares, 0 to 6: the classes whose shares Table 1 gives.

    One region had 8; without it the rarest class is 3/1171 of the most frequent, as in the paper.
    """
    data = datasets.load("solar_flare")
    X = data.X.assign(zurich=pd.Categorical(data.y))
    y = X.pop(FLARES.format("C")).to_numpy()
    X = X.drop(columns=[FLARES.format("M"), FLARES.format("X")])
    return X[y < 8], y[y < 8]


def kdd99() -> tuple[pd.DataFrame, np.ndarray]:
    """The five categories of connections, on as many rows as the paper has."""
    data = datasets.load("kdd99_10pct")
    y = data.extra["category"].to_numpy().astype(str)
    kept, _ = train_test_split(np.arange(len(y)), train_size=KDD_ROWS, stratify=y, random_state=0)
    return data.X.iloc[kept], y[kept]


def plain(name: str) -> Any:
    def load() -> tuple[pd.DataFrame, np.ndarray]:
        data = datasets.load(name)
        return data.X.drop(columns=list(data.leaks)), np.asarray(data.y)

    return load


SETS = {
    "annealing": plain("annealing"),
    "solar_flare": solar_flare,
    "kdd99": kdd99,
    "letter": plain("letter"),
    "splice": plain("splice"),
    "satellite": plain("satimage"),
}
LARGE = ("kdd99", "letter")


def drawn_costs(y: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Domingos' model: C(i, j) uniform from 0 to 2000 P(j) / P(i), and the truth costs nothing."""
    share = np.unique(y, return_counts=True)[1] / len(y)
    matrix = random.uniform(0, LARGEST_COST * share[None, :] / share[:, None])
    np.fill_diagonal(matrix, 0)
    return matrix


def split(X: pd.DataFrame, y: np.ndarray, run: int) -> Split:
    """Two thirds to train, every class in both parts, and a cost matrix of its own."""
    kept, held = train_test_split(
        np.arange(len(y)), test_size=TEST_SHARE, stratify=y, random_state=run
    )
    matrix = drawn_costs(y[kept], np.random.default_rng(run))
    return Split(X.iloc[kept], y[kept], X.iloc[held], y[held], matrix)
