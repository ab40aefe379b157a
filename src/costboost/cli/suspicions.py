"""What looks wrong in a problem before anything is trained."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from costboost.cli.column_checks import (
    counts_up,
    is_constant,
    is_empty,
    names_rows,
    numbers_rows,
    rare_categories,
)
from costboost.cli.columns import Column
from costboost.cli.disguises import disguise
from costboost.cli.layout import Layout
from costboost.cli.problem import Problem, Rows
from costboost.cli.trouble import some
from costboost.costs import one_against_rest
from costboost.report.numbers.answers import Flags

MOST_ROWS = 100_000
"""Rows that are looked at."""
TRUSTED = 0.999
"""A column that alone gets this share of either class right is suspected of knowing the answer."""
FEWEST = 10
"""Rows of a class below which perfect separation means little."""


def suspicions(problem: Problem) -> Iterator[str]:
    """What to tell the user, a sentence or two each."""
    layout, y = problem.layout, problem.rows.y
    if layout.several:
        yield from _matrix(problem)
    else:
        yield from _costs(problem, y == layout.label)
    classes, count = np.unique(y, return_counts=True)
    rows = _sample(problem.rows, y == classes[count.argmin()])
    told = [rows.y == one for one in (layout.classes or [layout.label])]
    if min(min(which.sum(), (~which).sum()) for which in told) < FEWEST:
        told = []
    yield from _columns(problem, rows, told)


def _columns(problem: Problem, rows: Rows, told: list[Flags]) -> Iterator[str]:
    """Columns that tell nothing or too much, or that were read as what they are not.

    Each gives rise to one suspicion at most.
    """
    dull: dict[str, list[str]] = {"empty": [], "the same in every row": []}
    for column in problem.layout.columns:
        every = problem.rows.X.column(column.name)
        if is_empty(every):
            dull["empty"].append(column.name)
        elif is_constant(every):
            dull["the same in every row"].append(column.name)
        elif text := _column(problem, column, every, rows, told):
            yield text
    for what, names in dull.items():
        if names:
            yield f"{_listed(names)} {what}: nothing can be learnt there"


def _column(
    problem: Problem, column: Column, every: Any, rows: Rows, told: list[Flags]
) -> str | None:
    """What looks wrong in a column that has different values."""
    name = column.name
    if _leaks(column, rows, told):
        return (
            f"column {name!r} alone tells the classes apart: if it is known only afterwards, "
            f"leave it out with --drop {name!r}"
        )
    if column.kind == "category":
        return _categories(problem, name, every)
    return _numbers(name, every) if column.kind == "number" else None


def _listed(names: list[str]) -> str:
    quoted = some([repr(name) for name in names])
    return f"column {quoted} is" if len(names) == 1 else f"{len(names)} columns ({quoted}) are"


def _leaks(column: Column, rows: Rows, told: list[Flags]) -> bool:
    """Whether a column knows each of the classes."""
    tell = _labels_tell if column.kind == "category" else _numbers_tell
    values = rows.X.column(column.name)
    return bool(told) and all(tell(values, which) >= TRUSTED for which in told)


def _categories(problem: Problem, name: str, values: Any) -> str | None:
    """What looks wrong in a column of categories."""
    if name not in problem.named_categories and (seen_through := disguise(name, values)):
        return seen_through
    if names_rows(values):
        return (
            f"column {name!r} has almost as many values as there are rows, as names and "
            f"numbers of rows have; consider --drop {name!r}"
        )
    if n_labels := rare_categories(values):
        return (
            f"column {name!r} has {n_labels:,} categories in {len(values):,} rows: most are too "
            f"rare to learn from; group them, or consider --drop {name!r}"
        )
    return None


def _numbers(name: str, values: Any) -> str | None:
    """What looks wrong in a column of numbers."""
    if counts_up(values):
        what = "rises from row to row"
    elif numbers_rows(name, values):
        what = "has another whole number in almost every row"
    else:
        return None
    return f"column {name!r} {what}, as numbers of rows do; consider --drop {name!r}"


def _matrix(problem: Problem) -> Iterator[str]:
    """Whether the rarest of several classes is cheaper to miss than to cry."""
    layout, matrix = problem.layout, np.array(problem.layout.matrix)
    off = matrix[~np.eye(len(matrix), dtype=bool)]
    if np.all(off == 1) and not np.diag(matrix).any():
        yield (
            f"column {layout.target!r} has {len(layout.classes)} classes "
            f"({some(layout.classes)}), and every mistake costs 1: --cost-matrix FILE says what "
            "each of them costs, --positive LABEL sets one class against the rest"
        )
        return
    share = np.array([np.mean(problem.rows.y == label) for label in layout.classes])
    miss, alarm = one_against_rest(matrix, share)
    rare = int(share.argmin())
    if share[rare] < share.max() and miss[rare] < alarm[rare]:
        yield (
            f"{layout.classes[rare]!r} is the rarest class ({share[rare]:.1%} of the rows), and "
            f"missing it is cheaper ({miss[rare]:.3g} on average) than calling others by its name "
            f"({alarm[rare]:.3g}): is the cost matrix transposed? Its rows are the truth"
        )


def _costs(problem: Problem, positive: Flags) -> Iterator[str]:
    """Whether the rare class is the cheaper one to get wrong."""
    rows, layout = problem.rows, problem.layout
    fn = float(np.mean(np.broadcast_to(rows.fn_cost, positive.shape)[positive]))
    fp = float(np.mean(np.broadcast_to(rows.fp_cost, positive.shape)[~positive]))
    share = float(positive.mean())
    if fn == fp == 1:
        yield "no costs were given, so that all mistakes count the same: --fn-cost, --fp-cost"
    if text := _one_column_of_costs(layout, fn, fp):
        yield text
    elif share < 0.5 and fn < fp:
        yield (
            f"{layout.positive!r} is the rare class ({share:.1%} of the rows), and missing it is "
            f"cheaper ({fn:g}) than a false alarm ({fp:g}): are --fn-cost and --fp-cost swapped?"
        )
    elif share > 0.5 and fn > fp:
        yield (
            f"{layout.positive!r} is the frequent class ({share:.1%} of the rows), and the dearer "
            "one to miss: if the rare class is the one that matters, name it with --positive"
        )


def _one_column_of_costs(layout: Layout, fn: float, fp: float) -> str | None:
    """Whether one mistake costs what a column says, and the other was left at 1."""
    of_rows = [isinstance(cost, str) for cost in (layout.fn_cost, layout.fp_cost)]
    if of_rows == [True, False] and layout.fp_cost == 1:
        column, mean, words = layout.fn_cost, fn, ("miss", "false alarm", "--fp-cost")
    elif of_rows == [False, True] and layout.fn_cost == 1:
        column, mean, words = layout.fp_cost, fp, ("false alarm", "miss", "--fn-cost")
    else:
        return None
    mistake, other, option = words
    return (
        f"a {mistake} costs what column {column!r} says ({mean:.4g} on average), but a {other} "
        f"costs 1, so that rows are predicted positive from a probability of about "
        f"{fp / (fn + fp):.1%} on: give {option} in the same unit"
    )


def _sample(rows: Rows, rare: Flags) -> Rows:
    """So many rows at most, all of the rarest class among them if they fit."""
    if len(rows) <= MOST_ROWS:
        return rows
    order = np.random.default_rng(0).permutation(len(rows))
    first = np.argsort(~rare[order], kind="stable")[: MOST_ROWS // 2]
    kept = np.union1d(order[first], order[: MOST_ROWS // 2])
    return rows.take(kept.astype(np.intp))


def _numbers_tell(values: Any, positive: Flags) -> float:
    """The best balanced accuracy of an interval, missing values on either side."""
    x = values.to_numpy()
    order = np.argsort(x, kind="stable")  # missing values are last
    x, which = x[order], positive[order]
    ends = np.flatnonzero(np.append(x[1:] != x[:-1], False))
    ends = ends[~np.isnan(x[ends])]
    below_positive, below = np.cumsum(which)[ends], ends + 1.0
    found = below_positive / which.sum()
    alarmed = (below - below_positive) / (~which).sum()
    ahead = found - alarmed  # its rise from one place to another is what lies in between
    return float(1 + ahead.max(initial=0.0) - ahead.min(initial=0.0)) / 2


def _labels_tell(values: Any, positive: Flags) -> float:
    """The balanced accuracy of the better class of each label, if labels are few."""
    codes = values.combine_chunks()
    codes = codes.chunk(0) if hasattr(codes, "chunk") else codes
    if len(codes.dictionary) > len(positive) / FEWEST:
        return 0.5
    code = codes.indices.fill_null(len(codes.dictionary)).to_numpy(zero_copy_only=False)
    hits = np.bincount(code, positive / positive.sum())
    alarms = np.bincount(code, ~positive / (~positive).sum())
    return float(np.maximum(hits, alarms).sum() / 2)
