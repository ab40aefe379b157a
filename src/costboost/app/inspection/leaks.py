"""Leaks: columns of which each alone separates the classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.arrays import Flags
from costboost._core.checks import Floats
from costboost.app.inspection.categories import flat_dictionary

LEAK_ACCURACY = 0.999
"""Balanced accuracy of one column from which it is reported."""
MIN_LEAK_ROWS = 10
"""Rows of a class below which perfect separation means little."""
MAX_LEAK_ROWS = 100_000
"""Rows that are examined."""


def leak_message(name: Any) -> str:
    """The message for a column that alone separates the classes."""
    return (
        f"column {name!r} alone separates the classes: if it is known only afterwards, train "
        "without it"
    )


def class_indicators(y: NDArray[Any]) -> list[Flags]:
    """The rows of each class; of two classes, those of the greater one suffice."""
    classes = np.unique(y)
    return [y == label for label in (classes[1:] if classes.size == 2 else classes)]


def sample_rows(y: NDArray[Any]) -> NDArray[np.intp]:
    """At most `MAX_LEAK_ROWS` rows, with all rows of the rarest class if they fit."""
    if y.size <= MAX_LEAK_ROWS:
        return np.arange(y.size)
    classes, count = np.unique(y, return_counts=True)
    rare = y == classes[count.argmin()]
    order = np.random.default_rng(0).permutation(rare.size)
    first = np.argsort(~rare[order], kind="stable")[: MAX_LEAK_ROWS // 2]
    return np.union1d(order[first], order[: MAX_LEAK_ROWS // 2]).astype(np.intp)


def enough_rows(indicators: Sequence[Flags]) -> bool:
    """Whether each class, and the rest, has enough rows for a verdict."""
    return all(min(which.sum(), (~which).sum()) >= MIN_LEAK_ROWS for which in indicators)


def leaking_features(table: Any, coders: Sequence[Any], y: NDArray[np.intp]) -> Iterator[int]:
    """Features of a model's table that separate all classes, each alone; y has class codes."""
    rows = sample_rows(y)
    indicators = [which[rows] for which in class_indicators(y)]
    if not enough_rows(indicators):
        return
    for j, coder in enumerate(coders):
        values = np.asarray(table.coded(j, coder), dtype=np.float64)[rows]
        if coder is None:
            leaks = numbers_leak(values, indicators)
        else:
            code = np.where(np.isnan(values), coder.n_codes, values).astype(np.intp)
            leaks = categories_leak(code, coder.n_codes, indicators)
        if leaks:
            yield j


def numbers_leak(x: Floats, indicators: Sequence[Flags]) -> bool:
    """Whether an interval of a number separates each class from the rest."""
    return all(_best_interval(x, which) >= LEAK_ACCURACY for which in indicators)


def categories_leak(code: NDArray[np.intp], n_codes: int, indicators: Sequence[Flags]) -> bool:
    """Whether categories separate each class from the rest; the code ``n_codes`` is missing."""
    return all(_best_categories(code, n_codes, which) >= LEAK_ACCURACY for which in indicators)


def _best_interval(x: Floats, positive: Flags) -> float:
    """The best balanced accuracy of an interval, with missing values inside or outside."""
    order = np.argsort(x, kind="stable")  # missing values are last
    x, which = x[order], positive[order]
    ends = np.flatnonzero(np.append(x[1:] != x[:-1], False))
    ends = ends[~np.isnan(x[ends])]
    below_positive, below = np.cumsum(which)[ends], ends + 1.0
    recall = below_positive / which.sum()
    false_alarms = (below - below_positive) / (~which).sum()
    ahead = recall - false_alarms  # its rise from one cut to another is that of the interval
    return float(1 + ahead.max(initial=0.0) - ahead.min(initial=0.0)) / 2


def _best_categories(code: NDArray[np.intp], n_codes: int, positive: Flags) -> float:
    """The balanced accuracy of the better class of each category, if categories are few."""
    if n_codes > len(positive) / MIN_LEAK_ROWS:
        return 0.5
    hits = np.bincount(code, positive / positive.sum())
    false_alarms = np.bincount(code, ~positive / (~positive).sum())
    return float(np.maximum(hits, false_alarms).sum() / 2)


class LeakCheck:
    """Whether a feature alone separates the classes ``y``."""

    def __init__(self, y: NDArray[Any]) -> None:
        self._rows = sample_rows(y)
        self._all = self._rows.size == y.size
        self._indicators: list[Flags] = [which[self._rows] for which in class_indicators(y)]
        self._enough = enough_rows(self._indicators)

    def __call__(self, kind: str, values: Any) -> bool:
        if not self._enough:
            return False
        values = values if self._all else values.take(self._rows)
        if kind != "category":
            return numbers_leak(values.to_numpy(), self._indicators)
        codes = flat_dictionary(values)
        n_codes = len(codes.dictionary)
        code = codes.indices.fill_null(n_codes).to_numpy(zero_copy_only=False)
        return categories_leak(code, n_codes, self._indicators)
