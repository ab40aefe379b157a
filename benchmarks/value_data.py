"""Data sets of value.py and calibration.py: those of the study decisions2026 with few rows.

`costboost_lab.studies.decisions2026` describes the rule by which sets and classes are chosen.
"""

import functools
from dataclasses import dataclass

from costboost_lab import datasets
from costboost_lab.studies import decisions2026
from costboost_lab.studies.decisions2026 import (
    MOST_ROWS,
    TEST_SHARE,
    Form,
    Part,
    against_rest,
    load_problem,
    plain_names,
)

__all__ = [
    "TEST_SHARE",
    "THREADS",
    "Form",
    "Problem",
    "Split",
    "chosen_sets",
    "half",
    "load",
    "plain_names",
    "sizes",
]

FEW_CELLS = 50_000  # up to so many training rows x features, a second thread only costs time
THREADS = 2


def chosen_sets() -> list[str]:
    """The names of the sets, from few rows x features to many."""
    return decisions2026.chosen_sets(most_rows=MOST_ROWS)


SHARED_ROWS = {"hypothyroid": "sick_euthyroid", "wpbc": "wdbc"}
"""Sets with rows of another one, as shared_rows.py finds them; their labels are others."""


def half(which: str) -> list[str]:
    """Sets that CostBoostClassifier was designed on, or those to test it on.

    By size, every other set is of the design half. Of the others, those that have rows of one in
    the design half are left out.
    """
    names = chosen_sets()
    design = names[::2]
    if which == "design":
        return design
    return [name for name in names[1::2] if SHARED_ROWS.get(name) not in design]


@dataclass(frozen=True)
class Split:
    number: int
    train: Part
    test: Part
    n_threads: int


class Problem(decisions2026.Problem):
    """A data set with two classes."""

    @property
    def about(self) -> str:
        return f"{self.name} ({len(self.X)} x {self.X.shape[1]}, {self.y.mean():.1%} positive)"

    def numbered_split(self, number: int, threads: int = THREADS) -> Split:
        """A stratified 70/30 split, the same for all systems, and the threads to use on it."""
        parts = self.split(number)
        n_threads = 1 if parts.train.codes.size <= FEW_CELLS else threads
        return Split(number, parts.train, parts.test, n_threads)


def load(name: str) -> Problem:
    found = load_problem(name)
    return Problem(found.name, found.X, found.y)


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
