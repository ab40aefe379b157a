"""Costs and the positive class, as options and cost matrices give them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from costboost.checks import Floats
from costboost.classifiers.checks import costs_of_two
from costboost.cli import console
from costboost.cli.layouts import Layout, as_tuples
from costboost.cli.values import (
    CELLS,
    OptionRecord,
    ProblemOptions,
    cost_or_column,
    parse_cost,
    read_options,
)
from costboost.costs import check_matrix
from costboost.inspection.columns import MAX_CLASSES
from costboost.reading.columns import Label
from costboost.reading.errors import InputError, nearest, some
from costboost.reading.matrices import read_cost_matrix

GIVEN_TWICE = "costs are given twice: --cost-matrix, or --fn-cost and --fp-cost, but not both"


class ClassCosts(NamedTuple):
    """A positive class with two costs, or all classes with a cost matrix."""

    positive: Label | None
    against_rest: bool
    fn_cost: str
    fp_cost: str
    tp_cost: str | None = None
    tn_cost: str | None = None
    classes: tuple[Label, ...] = ()
    matrix: tuple[tuple[float, ...], ...] = ()
    unnamed: bool = False
    """Whether the matrix has no names, so that its order is taken for that of the classes."""


def class_costs(options: ProblemOptions, classes: list[Label]) -> ClassCosts:
    """The costs for these classes; by default the greater of two is positive."""
    for text in _contradictions(options, classes):
        raise InputError(text)
    named, given = True, None
    if options.cost_matrix is not None:
        given, named = read_cost_matrix(options.cost_matrix, classes, options.reading)
    if len(classes) > 2 and options.positive is None:
        matrix = check_matrix(given, np.array(classes))
        return _all_alike(classes, matrix, not named)
    positive = _positive_class(options, classes)
    fn, fp = options.fn_cost, options.fp_cost
    if given is not None:
        fn, fp = map(str, _two_costs(given, classes, positive, str(options.cost_matrix)))
    if not options.multiclass_method:
        right = options.tp_cost, options.tn_cost
        return ClassCosts(positive, len(classes) > 2, fn, fp, *right, unnamed=not named)
    if options.gains:
        raise InputError(
            "this algorithm takes --fn-cost and --fp-cost or --cost-matrix, but neither --tp-cost "
            "nor --tn-cost: subtract them, fn_cost - tp_cost and fp_cost - tn_cost"
        )
    matrix = _matrix_of_two(fn, fp, classes, positive)
    return _all_alike(classes, matrix, not named)


def _all_alike(classes: list[Label], matrix: Floats, unnamed: bool) -> ClassCosts:
    """Costs of all classes by a matrix."""
    rows = as_tuples(matrix)
    return ClassCosts(None, False, "1", "1", classes=tuple(classes), matrix=rows, unnamed=unnamed)


def _positive_class(options: ProblemOptions, classes: list[Label]) -> Label:
    if options.positive is None:
        return classes[1]
    by_text = {str(label): label for label in classes}
    if options.positive in by_text:
        return by_text[options.positive]
    close = nearest(options.positive, list(by_text))
    raise InputError(
        f"--positive {options.positive!r} is no label in column {options.target!r}; "
        + (f"did you mean {close!r}?" if close else f"there are: {some(list(by_text))}")
    )


def _contradictions(options: ProblemOptions, classes: list[Label]) -> Iterator[str]:
    """Messages on options that exclude each other, or do not fit the classes."""
    two_costs = (options.fn_cost, options.fp_cost) != ("1", "1") or options.gains
    if options.cost_matrix is not None and two_costs:
        yield GIVEN_TWICE
    if len(classes) > 2 and options.cost_matrix is not None and options.positive is not None:
        yield (
            f"--positive sets {options.positive!r} against the other {len(classes) - 1} classes "
            "and takes two costs, --fn-cost and --fp-cost; --cost-matrix is for all classes: leave "
            "one of them out"
        )
    if len(classes) > 2 and options.multiclass_method and options.positive is not None:
        yield "this algorithm is for all classes alike: leave out --positive"
    if len(classes) > MAX_CLASSES and options.cost_matrix is None and options.positive is None:
        yield (
            f"column {options.target!r} has {len(classes)} different values ({some(classes[:3])}, "
            "...): it looks like a number or a name, not a class; is --target right?"
        )
    if len(classes) > 2 and two_costs and options.positive is None:
        yield (
            f"column {options.target!r} has {len(classes)} classes ({some(classes)}), and a miss "
            f"and a false alarm are mistakes of two: --positive {classes[-1]!r} would set that one "
            "against the rest, and --cost-matrix FILE gives the cost of every mistake"
        )


# ---- matrices ------------------------------------------------------------------------------------


def _matrix_of_two(fn: str, fp: str, classes: list[Label], positive: Label) -> Floats:
    """The cost matrix of two mistakes."""
    miss, alarm = parse_cost(fn), parse_cost(fp)
    return np.array([[0, alarm], [miss, 0]] if classes[1] == positive else [[0, miss], [alarm, 0]])


def _two_costs(
    matrix: Floats, classes: list[Label], positive: Label, path: str
) -> tuple[float, float]:
    """The costs of a miss and of a false alarm in a matrix of two classes."""
    try:
        costs = costs_of_two(matrix, np.array(classes), classes.index(positive), 1)
    except ValueError as error:
        raise InputError(f"{path}: {error}") from error
    return float(costs.fn), float(costs.fp)


def unnamed_note(path: str, classes: list[Label]) -> str:
    """The note on a cost matrix without names."""
    return (
        f"{path} does not name the classes: its rows (truth) and columns (prediction) are taken in "
        f"the order {some(classes)}"
    )


# ---- other costs than in training ----------------------------------------------------------------


@dataclass(frozen=True)
class CostOptions(OptionRecord):
    """Costs that are given after training."""

    fn_cost: str | None = None
    fp_cost: str | None = None
    tp_cost: str | None = None
    tn_cost: str | None = None
    cost_matrix: str | None = None

    def apply(self, model: Any, layout: Layout) -> Layout:
        """The layout with these costs in place of those of training."""
        cells = {name: getattr(self, name) for name in CELLS}
        given = {key: text for key, text in cells.items() if text is not None}
        if self.cost_matrix is not None and given:
            raise InputError(GIVEN_TWICE)
        if given and layout.multiclass:
            raise InputError(
                f"{next(iter(given)).replace('_', '-')} is for two classes, and the model has "
                f"{len(layout.classes)}: give --cost-matrix FILE"
            )
        if self.cost_matrix is not None:
            return _with_matrix(layout, model, self.cost_matrix)
        gains = layout.gains or "tp_cost" in given or "tn_cost" in given
        costs: dict[str, Any] = {key: cost_or_column(text, gains) for key, text in given.items()}
        return replace(layout, **costs)


def _with_matrix(layout: Layout, model: Any, path: str) -> Layout:
    classes: list[Label] = list(layout.classes) or model.classes_.tolist()
    costs, named = read_cost_matrix(path, classes, read_options())
    if not named:
        console.note(unnamed_note(path, classes))
    if layout.multiclass:
        return replace(layout, matrix=as_tuples(costs))
    fn, fp = _two_costs(costs, classes, layout.label, path)
    return replace(layout, fn_cost=fn, fp_cost=fp, tp_cost=None, tn_cost=None)
