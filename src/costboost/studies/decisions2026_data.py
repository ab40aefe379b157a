"""Data sets of decisions2026: which ones, what is positive, and how rows are split.

The sets are chosen by rule, not by result: every set of `costboost.datasets` that

- has at least 150 rows,
- is not another form or a sample of a set that is there already (`DERIVED` names them),
- has two classes, or several of which one is set against the rest: the one that Nikolaou et al.
  (2016) took, otherwise the rarest that has at least 2% of the rows.

Of sets with more than 50,000 rows a stratified sample of that size is drawn. Columns that leak the
outcome are dropped, and those without any value in the training rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from costboost import datasets
from costboost.checks import Floats
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
"""Sets that are another form of the one named."""

Form = Literal["frame", "codes", "catboost"]
Labels = NDArray[np.int64]


def chosen_sets(most_rows: float = np.inf) -> list[str]:
    """Names of the sets that the rule admits, from few rows x features to many."""
    admitted = (datasets.record(name) for name in datasets.available() if name not in DERIVED)
    kept = [one for one in admitted if LEAST_ROWS <= one.rows <= most_rows]
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
    """Training or test rows in the forms that methods take; y is 1 for positive rows, else 0."""

    frame: Any
    codes: Floats
    y: Labels

    def rows(self, form: Form) -> Any:
        """The rows as a data frame, as numbers, or with categories as CatBoost wants them."""
        if form == "catboost":
            categories = list(nominal(self.frame))
            return self.frame.assign(
                **{name: self.frame[name].cat.codes.astype(int) for name in categories}
            )
        return self.frame if form == "frame" else self.codes


@dataclass(frozen=True)
class Split:
    """Training and test rows of a repeat."""

    train: Part
    test: Part


@dataclass(frozen=True)
class Problem:
    """A data set with two classes."""

    name: str
    X: Any
    y: Labels

    def split(self, seed: int) -> Split:
        """A stratified 70/30 split."""
        from sklearn.model_selection import StratifiedShuffleSplit

        drawn = StratifiedShuffleSplit(1, test_size=TEST_SHARE, random_state=seed)
        train, test = next(drawn.split(self.y[:, None], self.y))
        X = self.X.loc[:, self.X.iloc[train].notna().any()]  # some methods refuse empty columns
        coded = codes(X)
        filled = fill(coded, coded[train])
        parts = [Part(X.iloc[rows], filled[rows], self.y[rows]) for rows in (train, test)]
        return Split(*parts)

    def sampled(self, n_rows: int) -> Problem:
        """The problem itself, or a stratified sample of it if it has more rows."""
        from sklearn.model_selection import train_test_split

        if len(self.y) <= n_rows:
            return self
        rows = np.arange(len(self.y))
        kept, _ = train_test_split(rows, train_size=n_rows, stratify=self.y, random_state=0)
        return Problem(self.name, self.X.iloc[kept].reset_index(drop=True), self.y[kept])


@lru_cache(maxsize=1)
def load_problem(name: str) -> Problem:
    """A data set of `costboost.datasets` as a problem of two classes."""
    data = datasets.load(name, pos_label=against_rest(datasets.record(name)))
    X = data.X.drop(columns=[column for column in data.leaks if column in data.X])
    y = (np.asarray(data.y) == data.pos_label).astype(np.int64)
    return Problem(name, plain_names(X), y).sampled(MOST_ROWS)


def plain_names(X: Any) -> Any:
    """Columns x0, x1, ... and categories 0, 1, ...: some methods refuse characters or text."""
    X = X.set_axis([f"x{k}" for k in range(X.shape[1])], axis=1)
    for column in nominal(X):
        categories = X[column].cat.categories
        X[column] = X[column].cat.rename_categories(range(len(categories)))
    return X


def nominal(X: Any) -> Iterator[str]:
    """Names of the columns that hold categories."""
    yield from X.columns[X.dtypes == "category"]


def codes(X: Any) -> Floats:
    """All columns as numbers, categories by their position; NaN where a value is missing."""
    coded = X.copy()
    for column in nominal(X):
        coded[column] = X[column].cat.codes.where(X[column].notna(), np.nan)
    numbers: Floats = coded.to_numpy(dtype=np.float64)
    return numbers


def fill(values: Floats, known: Floats) -> Floats:
    """Medians of the training rows in place of NaN."""
    return np.where(np.isnan(values), np.nanmedian(known, axis=0), values)
