"""What looks wrong in a problem before anything is trained."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.cli.problem import Problem, Rows

MOST_ROWS = 100_000
"""Rows that are looked at."""
TRUSTED = 0.999
"""A column that alone gets this share of either class right is suspected of knowing the answer."""
FEWEST = 10
"""Rows of a class below which perfect separation means little."""


def suspicions(problem: Problem) -> Iterator[str]:
    """What to tell the user, a sentence or two each."""
    positive = problem.rows.y == problem.layout.label
    yield from _costs(problem, positive)
    rows = _sample(problem.rows, positive)
    which = rows.y == problem.layout.label
    if min(which.sum(), (~which).sum()) < FEWEST:
        return
    for column in problem.layout.columns:
        values = rows.X.column(column.name)
        categorical = column.kind == "category"
        if (_labels_tell if categorical else _numbers_tell)(values, which) >= TRUSTED:
            yield (
                f"column {column.name!r} alone tells the classes apart: if it is known only "
                f"afterwards, leave it out with --drop {column.name!r}"
            )
        elif categorical and _all_different(values):
            yield (
                f"column {column.name!r} has almost as many values as there are rows, as names "
                f"and numbers of rows have; consider --drop {column.name!r}"
            )


def _costs(problem: Problem, positive: NDArray[np.bool_]) -> Iterator[str]:
    """Whether the rare class is the cheaper one to get wrong."""
    rows, layout = problem.rows, problem.layout
    fn = float(np.mean(np.broadcast_to(rows.fn_cost, positive.shape)[positive]))
    fp = float(np.mean(np.broadcast_to(rows.fp_cost, positive.shape)[~positive]))
    share = float(positive.mean())
    if fn == fp == 1:
        yield "no costs were given, so that all mistakes count the same: --fn-cost, --fp-cost"
    if share < 0.5 and fn < fp:
        yield (
            f"{layout.positive!r} is the rare class ({share:.1%} of the rows), and missing it is "
            f"cheaper ({fn:g}) than a false alarm ({fp:g}): are --fn-cost and --fp-cost swapped?"
        )
    if share > 0.5 and fn > fp:
        yield (
            f"{layout.positive!r} is the frequent class ({share:.1%} of the rows), and the dearer "
            "one to miss: if the rare class is the one that matters, name it with --positive"
        )


def _sample(rows: Rows, positive: NDArray[np.bool_]) -> Rows:
    """So many rows at most, all of the rarer class among them if they fit."""
    if len(rows) <= MOST_ROWS:
        return rows
    order = np.random.default_rng(0).permutation(len(rows))
    rare = positive[order] == (positive.mean() < 0.5)
    first = np.argsort(~rare, kind="stable")[: MOST_ROWS // 2]
    kept = np.union1d(order[first], order[: MOST_ROWS // 2])
    return rows.take(kept.astype(np.intp))


def _numbers_tell(values: Any, positive: NDArray[np.bool_]) -> float:
    """The best balanced accuracy of a threshold, missing values on either side."""
    x = values.to_numpy()
    order = np.argsort(x, kind="stable")  # missing values are last
    x, which = x[order], positive[order]
    ends = np.flatnonzero(np.append(x[1:] != x[:-1], False))
    ends = ends[~np.isnan(x[ends])]
    below_positive, below = np.cumsum(which)[ends], ends + 1.0
    found = below_positive / which.sum()
    alarmed = (below - below_positive) / (~which).sum()
    balanced = (1 + np.abs(found - alarmed)) / 2
    return float(balanced.max(initial=0.5))


def _labels_tell(values: Any, positive: NDArray[np.bool_]) -> float:
    """The balanced accuracy of the better class of each label, if labels are few."""
    codes = values.combine_chunks()
    codes = codes.chunk(0) if hasattr(codes, "chunk") else codes
    if len(codes.dictionary) > len(positive) / FEWEST:
        return 0.5
    code = codes.indices.fill_null(len(codes.dictionary)).to_numpy(zero_copy_only=False)
    hits = np.bincount(code, positive / positive.sum())
    alarms = np.bincount(code, ~positive / (~positive).sum())
    return float(np.maximum(hits, alarms).sum() / 2)


def _all_different(values: Any) -> bool:
    n_labels = len(values.unique())
    return n_labels > 50 and n_labels > 0.9 * len(values)
