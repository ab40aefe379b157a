"""What value.py learns from: which data sets, what is positive, and how rows are split.

The sets are chosen by rule, not by result: every set of costboost.datasets that

- has from 150 to 50,000 rows,
- is not another form or sample of a set that is there already (DERIVED names them),
- has two classes, or several of which one is set against the rest: the one that Nikolaou et al.
  (2016) took, else the rarest that makes up at least 2% of the rows.

Columns that leak the outcome are dropped, and those without any value in the training rows. No
other set, column or row is left out.
"""

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

from costboost import datasets
from costboost.datasets import Record

LEAST_ROWS, MOST_ROWS = 150, 50_000
LEAST_SHARE = 0.02
TEST_SHARE = 0.3
DERIVED = {
    "german_credit_numeric": "german_credit",
    "heart_statlog": "heart_cleveland",
    "kdd98_fundraising": "kdd98_pva97nk",
    "nikolaou_congress": "house_votes",
    "nikolaou_krvskp": "krvskp",
    "nikolaou_mushroom": "mushroom",
    "nikolaou_splice": "splice",
    "nikolaou_wdbc": "wdbc",
}
FEW_CELLS = 50_000  # up to so many training rows x features, a second thread only costs time
THREADS = 2

Form = Literal["frame", "codes"]


def chosen_sets() -> list[str]:
    """The names of the sets that the rule admits, from few rows x features to many."""
    admitted = (datasets.record(name) for name in datasets.available() if name not in DERIVED)
    kept = [one for one in admitted if LEAST_ROWS <= one.rows <= MOST_ROWS]
    return [one.name for one in sorted(kept, key=lambda one: one.rows * len(one.columns))]


def against_rest(record: Record) -> Any:
    """The label of a set of several classes that is positive; None with two classes."""
    if len(record.classes) == 2:
        return None
    if record.against_rest is not None:
        return record.against_rest
    frequent = {k: n for k, n in record.classes.items() if n >= LEAST_SHARE * record.rows}
    return min(frequent, key=lambda label: (frequent[label], str(label)))


@dataclass(frozen=True)
class Part:
    """Training or test rows in the two forms that systems take; y is 1 for positive, else 0."""

    frame: Any
    codes: np.ndarray
    y: np.ndarray

    def rows(self, form: Form) -> Any:
        return self.frame if form == "frame" else self.codes


@dataclass(frozen=True)
class Split:
    number: int
    train: Part
    test: Part
    n_threads: int


@dataclass(frozen=True)
class Problem:
    """A data set with two classes."""

    name: str
    X: Any
    y: np.ndarray

    @property
    def about(self) -> str:
        return f"{self.name} ({len(self.X)} x {self.X.shape[1]}, {self.y.mean():.1%} positive)"

    def split(self, number: int, threads: int = THREADS) -> Split:
        """A stratified 70/30 split, the same for all systems."""
        drawn = StratifiedShuffleSplit(1, test_size=TEST_SHARE, random_state=number)
        train, test = next(drawn.split(self.y[:, None], self.y))
        X = self.X.loc[:, self.X.iloc[train].notna().any()]  # some systems refuse empty columns
        coded = codes(X)
        filled = fill(coded, coded[train])
        parts = [Part(X.iloc[rows], filled[rows], self.y[rows]) for rows in (train, test)]
        return Split(number, *parts, 1 if filled[train].size <= FEW_CELLS else threads)


def load(name: str) -> Problem:
    data = datasets.load(name, pos_label=against_rest(datasets.record(name)))
    X = data.X.drop(columns=[column for column in data.leaks if column in data.X])
    return Problem(name, plain_names(X), (np.asarray(data.y) == data.pos_label).astype(np.int64))


def plain_names(X: Any) -> Any:
    """Columns x0, x1, ... and categories 0, 1, ...: some systems refuse characters or text."""
    X = X.set_axis([f"x{k}" for k in range(X.shape[1])], axis=1)
    for column in nominal(X):
        categories = X[column].cat.categories
        X[column] = X[column].cat.rename_categories(range(len(categories)))
    return X


def nominal(X: Any) -> Iterator[str]:
    yield from X.columns[X.dtypes == "category"]


def codes(X: Any) -> np.ndarray:
    """All columns as numbers, categories by their position; NaN where a value is missing."""
    coded = X.copy()
    for column in nominal(X):
        coded[column] = X[column].cat.codes.where(X[column].notna(), np.nan)
    return coded.to_numpy(dtype=np.float64)


def fill(values: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Medians of the training rows in place of NaN."""
    return np.where(np.isnan(values), np.nanmedian(known, axis=0), values)


@functools.cache
def sizes() -> dict[str, tuple[int, int, float]]:
    """Rows, features and share of positives of every chosen set, as recorded."""
    found = {}
    for name in chosen_sets():
        record = datasets.record(name)
        label = against_rest(record) if len(record.classes) > 2 else record.positive
        features = len(record.columns) - len(record.leaks)
        found[name] = (record.rows, features, record.classes[label] / record.rows)
    return found
