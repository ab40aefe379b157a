"""Labels of a file: which classes there are, which one counts, and what mistakes cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from costboost.classifiers.one_vs_rest import costs_of_two
from costboost.cli.cost_options import cost_of
from costboost.cli.wishes import Wishes
from costboost.costs import check_matrix
from costboost.inspection.labels import MAX_CLASSES, Labels
from costboost.metrics.checks import Floats
from costboost.reading.columns import Label
from costboost.reading.errors import InputError, nearest, some, unknown
from costboost.reading.matrices import read_cost_matrix

TWICE = "costs are given twice: --cost-matrix, or --fn-cost and --fp-cost, but not both"


def check_known(labels: Labels, classes: tuple[Label, ...], target: str, name: str) -> None:
    """A InputError if there are labels that the model does not know."""
    for label in labels.classes:
        if label not in classes:
            raise unknown(
                "class", str(label), [str(one) for one in classes], f" in the model, but {name} "
                f"has rows of it in column {target!r}",
            )  # fmt: skip


class Stakes(NamedTuple):
    """What counts among the classes: one of two and two costs, or all of them and a matrix."""

    positive: Label | None
    against_rest: bool
    fn_cost: str
    fp_cost: str
    classes: tuple[Label, ...] = ()
    matrix: tuple[tuple[float, ...], ...] = ()
    unnamed: bool = False
    """Whether the matrix came without names, so that its order had to be taken on trust."""


def stakes(wishes: Wishes, labels: list[Label]) -> Stakes:
    """As the user says; of two classes the greater one counts, of several all."""
    for text in _contradictions(wishes, labels):
        raise InputError(text)
    named, given = True, None
    if wishes.cost_matrix is not None:
        given, named = read_cost_matrix(wishes.cost_matrix, labels, wishes.reading)
    if len(labels) > 2 and wishes.positive is None:
        matrix = check_matrix(given, np.array(labels))
        return Stakes(None, False, "1", "1", tuple(labels), as_tuple(matrix), not named)
    positive = _positive(wishes, labels)
    fn, fp = wishes.fn_cost, wishes.fp_cost
    if given is not None:
        fn, fp = map(str, two_costs(given, labels, positive, str(wishes.cost_matrix)))
    if not wishes.several:
        return Stakes(positive, len(labels) > 2, fn, fp, unnamed=not named)
    matrix = _matrix_of_two(fn, fp, labels, positive)
    return Stakes(None, False, "1", "1", tuple(labels), as_tuple(matrix), not named)


def _matrix_of_two(fn: str, fp: str, labels: list[Label], positive: Label) -> Floats:
    """Costs of two mistakes as a matrix."""
    miss, alarm = (cost_of(text) for text in (fn, fp))
    return np.array([[0, alarm], [miss, 0]] if labels[1] == positive else [[0, miss], [alarm, 0]])


def two_costs(
    matrix: Floats, labels: list[Label], positive: Label, path: str
) -> tuple[float, float]:
    """The costs of the two mistakes that a matrix of two classes has."""
    try:
        costs = costs_of_two(matrix, np.array(labels), labels.index(positive), 1)
    except ValueError as error:
        raise InputError(f"{path}: {error}") from error
    return float(costs.fn), float(costs.fp)


def as_tuple(matrix: Floats) -> tuple[tuple[float, ...], ...]:
    """A matrix that can be compared and stored."""
    return tuple(map(tuple, matrix.tolist()))


def unnamed(path: str, labels: list[Label]) -> str:
    """What to say of a matrix whose order has to be taken on trust."""
    return (
        f"{path} does not name the classes: its rows (truth) and columns (prediction) are taken in "
        f"the order {some(labels)}"
    )


def _contradictions(wishes: Wishes, labels: list[Label]) -> Iterator[str]:
    costs_of_mistakes = (wishes.fn_cost, wishes.fp_cost) != ("1", "1")
    if wishes.cost_matrix is not None and costs_of_mistakes:
        yield TWICE
    if len(labels) > 2 and wishes.cost_matrix is not None and wishes.positive is not None:
        yield (
            f"--positive sets {wishes.positive!r} against the other {len(labels) - 1} classes and "
            "takes two costs, --fn-cost and --fp-cost; --cost-matrix is for all classes: leave one "
            "of them out"
        )
    if len(labels) > 2 and wishes.several and wishes.positive is not None:
        yield "this algorithm is for all classes alike: leave out --positive"
    if len(labels) > MAX_CLASSES and wishes.cost_matrix is None and wishes.positive is None:
        yield (
            f"column {wishes.target!r} has {len(labels)} different values ({some(labels[:3])}, "
            "...): it looks like a number or a name, not a class; is --target right?"
        )
    if len(labels) > 2 and costs_of_mistakes and wishes.positive is None:
        yield (
            f"column {wishes.target!r} has {len(labels)} classes ({some(labels)}), and a miss and "
            f"a false alarm are mistakes of two: --positive {labels[-1]!r} would set that one "
            "against the rest, and --cost-matrix FILE says what every mistake costs"
        )


def _positive(wishes: Wishes, labels: list[Label]) -> Label:
    """The class that counts: as the user says, or the greater of two."""
    if wishes.positive is None:
        return labels[1]
    by_text = {str(label): label for label in labels}
    if wishes.positive in by_text:
        return by_text[wishes.positive]
    close = nearest(wishes.positive, list(by_text))
    raise InputError(
        f"--positive {wishes.positive!r} is no label in column {wishes.target!r}; "
        + (f"did you mean {close!r}?" if close else f"there are: {some(list(by_text))}")
    )
