"""Costs of the classes of a file, made from what is typed: the layouts of its data have them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from costboost._core.arrays import Label
from costboost._core.checks import Floats
from costboost._core.costs import check_matrix
from costboost._core.costs.outcomes import costs_of_two
from costboost._core.names import MISTAKES
from costboost.app.cli import terminal
from costboost.app.cli.cost_texts import CostTexts, numbers_or_columns, parse_cost
from costboost.app.cli.given import Given
from costboost.app.cli.names import SEVERAL
from costboost.app.inspection.labels import MAX_CLASSES
from costboost.app.reading.cost_matrices import read_cost_matrix
from costboost.app.reading.data_layout import DataLayout, as_tuples
from costboost.app.reading.errors import InputError, nearest, some
from costboost.decisions.actions import ActionClassifier

GIVEN_TWICE = "costs are given twice: --cost-matrix, or --fn-cost and --fp-cost, but not both"

# ---- costs of training ---------------------------------------------------------------------------


def layout_for_classes(given: Given, classes: list[Label]) -> tuple[DataLayout, list[str]]:
    """The layout of a target with these classes, without features; and notes.

    The greater of two classes is positive by default.
    """
    for text in _contradictions(given, classes):
        raise InputError(text)
    notes, matrix, path = [], None, given.costs.cost_matrix
    if path is not None:
        matrix, named = read_cost_matrix(path, classes, given.reading)
        notes = [] if named else [_unnamed(path, classes)]
    if len(classes) > 2 and given.positive is None:
        return _all_alike(given, classes, check_matrix(matrix, np.array(classes))), notes
    positive = _positive_class(given, classes)
    costs = given.costs
    if matrix is not None:
        fn, fp = _two_costs(matrix, classes, positive, str(path))
        costs = CostTexts(str(fn), str(fp))
    if not _any_for_several(given):
        numbers: dict[str, Any] = numbers_or_columns(costs)
        return DataLayout((), given.target, positive, len(classes) > 2, **numbers), notes
    if given.costs.gains:
        raise InputError(
            "this algorithm takes --fn-cost and --fp-cost or --cost-matrix, but neither --tp-cost "
            "nor --tn-cost: subtract them, fn_cost - tp_cost and fp_cost - tn_cost"
        )
    miss, alarm = (parse_cost(costs.outcomes[name]) for name in MISTAKES)
    of_two = [[0, alarm], [miss, 0]] if classes[1] == positive else [[0, miss], [alarm, 0]]
    return _all_alike(given, classes, np.array(of_two)), notes


def _any_for_several(given: Given) -> bool:
    """Whether an algorithm is one of `costboost.multiclass`, also for two classes."""
    return not set(SEVERAL).isdisjoint(given.algorithms)


def _all_alike(given: Given, classes: list[Label], matrix: Floats) -> DataLayout:
    """The layout of classes none of which is positive, with the costs of a matrix."""
    return DataLayout((), given.target, None, False, 1.0, 1.0, tuple(classes), as_tuples(matrix))


def _positive_class(given: Given, classes: list[Label]) -> Label:
    if given.positive is None:
        return classes[1]
    by_text = {str(label): label for label in classes}
    if given.positive in by_text:
        return by_text[given.positive]
    close = nearest(given.positive, list(by_text))
    raise InputError(
        f"--positive {given.positive!r} is no label in column {given.target!r}; "
        + (f"did you mean {close!r}?" if close else f"there are: {some(list(by_text))}")
    )


def _contradictions(given: Given, classes: list[Label]) -> Iterator[str]:
    """Messages on options that exclude each other, or do not fit the classes."""
    two_costs, matrix = not given.costs.usual, given.costs.cost_matrix is not None
    if matrix and two_costs:
        yield GIVEN_TWICE
    if len(classes) > 2 and matrix and given.positive is not None:
        yield (
            f"--positive sets {given.positive!r} against the other {len(classes) - 1} classes "
            "and takes two costs, --fn-cost and --fp-cost; --cost-matrix is for all classes: leave "
            "one of them out"
        )
    if len(classes) > 2 and _any_for_several(given) and given.positive is not None:
        yield "this algorithm is for all classes alike: leave out --positive"
    if len(classes) > MAX_CLASSES and not matrix and given.positive is None:
        yield (
            f"column {given.target!r} has {len(classes)} different values ({some(classes[:3])}, "
            "...): it looks like a number or a name, not a class; is --target right?"
        )
    if len(classes) > 2 and two_costs and given.positive is None:
        yield (
            f"column {given.target!r} has {len(classes)} classes ({some(classes)}), and a miss "
            f"and a false alarm are mistakes of two: --positive {classes[-1]!r} would set that one "
            "against the rest, and --cost-matrix FILE gives the cost of every mistake"
        )


def _two_costs(
    matrix: Floats, classes: list[Label], positive: Label, path: str
) -> tuple[float, float]:
    """The costs of a miss and of a false alarm in a matrix of two classes."""
    try:
        costs = costs_of_two(matrix, np.array(classes), classes.index(positive), 1)
    except ValueError as error:
        raise InputError(f"{path}: {error}") from error
    return float(costs.fn), float(costs.fp)


def _unnamed(path: str, classes: list[Label]) -> str:
    """The note on a cost matrix without names."""
    return (
        f"{path} does not name the classes: its rows (truth) and columns (prediction) are taken in "
        f"the order {some(classes)}"
    )


# ---- other costs than in training ----------------------------------------------------------------


def with_other_costs(given: Given, model: Any, layout: DataLayout) -> DataLayout:
    """The layout with the costs that are typed in place of those of training."""
    costs = given.costs
    if costs.cost_matrix is not None and costs.outcomes:
        raise InputError(GIVEN_TWICE)
    if costs.outcomes and layout.multiclass:
        raise InputError(
            f"{next(iter(costs.outcomes)).replace('_', '-')} is for two classes, and the model has "
            f"{len(layout.classes)}: give --cost-matrix FILE"
        )
    if costs.cost_matrix is None:
        more: dict[str, Any] = dict(numbers_or_columns(costs, layout.gains))
        return replace(layout, **more)
    path, classes = costs.cost_matrix, list(layout.classes) or model.classes_.tolist()
    matrix, named = read_cost_matrix(path, classes, given.reading)
    if not named:
        terminal.note(_unnamed(path, classes))
    if layout.multiclass:
        return replace(layout, matrix=as_tuples(matrix))
    fn, fp = _two_costs(matrix, classes, layout.label, path)
    return replace(layout, fn_cost=fn, fp_cost=fp, tp_cost=None, tn_cost=None)


def refuse_other_costs(model: Any, layout: DataLayout, changed: DataLayout) -> None:
    """Raise an InputError if other costs of the classes are given for a model of actions."""
    if isinstance(model, ActionClassifier) and changed != layout:
        raise InputError(
            "actions have costs of their own: give --actions FILE instead of --fn-cost, --fp-cost "
            "and --cost-matrix"
        )
