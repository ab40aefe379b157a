"""Rows that two data sets have in common, whatever the order and the names of their columns.

Columns are paired by their values: those that share the most. A row is shared if the other set has
one of the same values in all pairs of columns. Sets of few or binary columns agree by chance, so
the same is counted after the values of each column were permuted; what exceeds that is printed,
if there are enough columns. Sets whose values were recoded are not found.
"""

import argparse
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import pandas as pd
from printing import markdown
from running import available

from costboost_lab import datasets

CONTAINED = 0.5
"""Least share of the values of a column, in rows, that the other one must have."""
LEAST_COLUMNS = 10
"""Rows of fewer columns agree too easily."""
LEAST = 0.05
"""Least share of the smaller set's rows that is printed."""
MOST_ROWS = 50_000
PROBED = 60
"""Rows whose values are looked up first, because most pairs of columns have few in common."""
DIGITS = 6


def texts(name: str) -> "Table":
    """The features of a set as text; equal numbers are equal texts."""
    X = datasets.load(name).X.head(MOST_ROWS)
    return Table(pd.DataFrame({column: _texts(X[column]) for column in X}))


def _texts(column: pd.Series) -> pd.Series:
    numbers = pd.to_numeric(column.astype("string"), errors="coerce")
    words = column.astype("string").str.strip().str.lower()
    if numbers.notna().any():
        words = numbers.map(f"{{:.{DIGITS}g}}".format).where(numbers.notna(), words)
    return words.fillna("?").astype(str)


@dataclass(frozen=True)
class Table:
    """The rows of a set as text, and how often each column has each value."""

    X: pd.DataFrame

    @cached_property
    def counts(self) -> dict[str, Counter[str]]:
        return {column: Counter(self.X[column]) for column in self.X}

    @cached_property
    def probe(self) -> dict[str, list[str]]:
        some = self.X.sample(min(PROBED, len(self.X)), random_state=0)
        return {column: list(some[column]) for column in some}

    def __len__(self) -> int:
        return len(self.X)


def paired(few: Table, many: Table) -> dict[str, str]:
    """Columns of the first set with their partners in the second one."""
    candidates = []
    for a, of_a in few.counts.items():
        for b, of_b in many.counts.items():
            probe = few.probe[a]
            if sum(value in of_b for value in probe) < CONTAINED * len(probe):
                continue
            both = of_a.keys() & of_b.keys()
            contained = sum(min(of_a[v], of_b[v]) for v in both) / len(few)
            alike = sum(min(of_a[v] / len(few), of_b[v] / len(many)) for v in both)
            if len(both) > 1 and contained >= CONTAINED:
                candidates.append((a == b, len(both), alike, a, b))
    pairs: dict[str, str] = {}
    for *_, a, b in sorted(candidates, key=lambda one: one[:3], reverse=True):
        if a not in pairs and b not in pairs.values():
            pairs[a] = b
    return pairs


def n_shared(few: pd.DataFrame, many: pd.DataFrame) -> int:
    """Rows of the first set that are in the second one too."""
    known = set(map(tuple, many.to_numpy()))
    return sum(tuple(row) in known for row in few.to_numpy())


def shared(few: Table, many: Table) -> tuple[int, int, int]:
    """Shared rows, shared rows by chance, and pairs of columns."""
    pairs = paired(few, many)
    if not pairs:
        return 0, 0, 0
    own, other = few.X[list(pairs)], many.X[list(pairs.values())]
    rng = np.random.default_rng(0)
    mixed = other.apply(lambda column: rng.permutation(column.to_numpy()))
    return n_shared(own, other), n_shared(own, mixed), len(pairs)


def found(names: list[str]) -> Iterator[list[str]]:
    frames = {name: texts(name) for name in names}
    for one, two in combinations(sorted(names, key=lambda name: len(frames[name])), 2):
        rows, by_chance, columns = shared(frames[one], frames[two])
        if columns >= LEAST_COLUMNS and rows - by_chance >= LEAST * len(frames[one]):
            size = len(frames[one])
            yield [one, two, f"{columns} of {len(frames[one].counts)}", f"{rows} of {size}"]


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", metavar="NAME", default=datasets.available())
    names = available(parser.parse_args().sets)
    print(markdown(["set", "rows are in", "columns", "rows"], found(names)))


if __name__ == "__main__":
    main()
