"""Columns that know the answer: alone, each of them tells the classes apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.metrics.checks import Floats
from costboost.report.numbers.two_classes import Flags

TRUSTED = 0.999
"""A column that alone gets this share of either class right is suspected of knowing the answer."""
FEWEST = 10
"""Rows of a class below which perfect separation means little."""
MOST_ROWS = 100_000
"""Rows that are looked at."""


def sampled(rare: Flags) -> NDArray[np.intp]:
    """So many rows at most, all of the rare ones among them if they fit."""
    if rare.size <= MOST_ROWS:
        return np.arange(rare.size)
    order = np.random.default_rng(0).permutation(rare.size)
    first = np.argsort(~rare[order], kind="stable")[: MOST_ROWS // 2]
    return np.union1d(order[first], order[: MOST_ROWS // 2]).astype(np.intp)


def enough(told: Sequence[Flags]) -> bool:
    """Whether there are rows enough of each class, and of the others."""
    return all(min(which.sum(), (~which).sum()) >= FEWEST for which in told)


def leaking(table: Any, coders: Sequence[Any], truth: NDArray[np.intp]) -> Iterator[int]:
    """Features of a table that tell all classes apart, each alone; truth is a code for each row."""
    count = np.bincount(truth)
    rows = sampled(truth == np.flatnonzero(count)[np.argmin(count[count > 0])])
    codes = np.flatnonzero(count)[-1:] if np.count_nonzero(count) == 2 else np.flatnonzero(count)
    told = [truth[rows] == code for code in codes]
    if not enough(told):
        return
    for j, coder in enumerate(coders):
        values = np.asarray(table._coded(j, coder), dtype=np.float64)[rows]
        if all(_tells(values, coder, which) >= TRUSTED for which in told):
            yield j


def _tells(values: Floats, coder: Any, which: Flags) -> float:
    if coder is None:
        return numbers_tell(values, which)
    code = np.where(np.isnan(values), coder.n_codes, values).astype(np.intp)
    return labels_tell(code, coder.n_codes, which)


def numbers_tell(x: Floats, positive: Flags) -> float:
    """The best balanced accuracy of an interval, missing values on either side."""
    order = np.argsort(x, kind="stable")  # missing values are last
    x, which = x[order], positive[order]
    ends = np.flatnonzero(np.append(x[1:] != x[:-1], False))
    ends = ends[~np.isnan(x[ends])]
    below_positive, below = np.cumsum(which)[ends], ends + 1.0
    found = below_positive / which.sum()
    alarmed = (below - below_positive) / (~which).sum()
    ahead = found - alarmed  # its rise from one place to another is what lies in between
    return float(1 + ahead.max(initial=0.0) - ahead.min(initial=0.0)) / 2


def labels_tell(code: NDArray[np.intp], n_codes: int, positive: Flags) -> float:
    """The balanced accuracy of the better class of each label, if labels are few."""
    if n_codes > len(positive) / FEWEST:
        return 0.5
    hits = np.bincount(code, positive / positive.sum())
    alarms = np.bincount(code, ~positive / (~positive).sum())
    return float(np.maximum(hits, alarms).sum() / 2)
