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
from costboost.report.cautions import leak
from costboost.report.numbers import leaks
from costboost.report.numbers.leaks import TRUSTED, enough, sampled
from costboost.report.numbers.two_classes import Flags


def suspicions(problem: Problem) -> Iterator[str]:
    """What to tell the user, a sentence or two each."""
    layout, y = problem.layout, problem.rows.y
    if layout.several:
        yield from _matrix(problem)
    else:
        yield from _costs(problem, y == layout.label)
    classes, count = np.unique(y, return_counts=True)
    kept = sampled(y == classes[count.argmin()])
    rows = problem.rows if kept.size == y.size else problem.rows.take(kept)
    told = [rows.y == one for one in (layout.classes or [layout.label])]
    yield from _columns(problem, rows, told if enough(told) else [])


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
        return f"{leak(name)} (--drop {name!r})"
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


def _numbers_tell(values: Any, positive: Flags) -> float:
    return leaks.numbers_tell(values.to_numpy(), positive)


def _labels_tell(values: Any, positive: Flags) -> float:
    codes = values.combine_chunks()
    codes = codes.chunk(0) if hasattr(codes, "chunk") else codes
    n_codes = len(codes.dictionary)
    code = codes.indices.fill_null(n_codes).to_numpy(zero_copy_only=False)
    return leaks.labels_tell(code, n_codes, positive)
