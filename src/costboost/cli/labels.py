"""Labels of a file: which classes there are, which one counts, and what mistakes cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost.classifiers.one_vs_rest import costs_of_two
from costboost.cli.columns import Label, as_text
from costboost.cli.cost_options import cost_of
from costboost.cli.matrix import read_matrix
from costboost.cli.trouble import TroubleError, nearest, some, unknown
from costboost.cli.wishes import Wishes
from costboost.costs import check_matrix
from costboost.metrics.checks import Floats

MOST_CLASSES = 50
"""More different values than this are no classes, unless there is a cost matrix for them."""

LONGEST_LABEL = 1000
"""Characters of a class at most."""

TWICE = "costs are given twice: --cost-matrix, or --fn-cost and --fp-cost, but not both"


class Labels(NamedTuple):
    """The classes of a column."""

    y: NDArray[Any]
    """Of the rows that have one."""
    found: list[Label]
    labelled: NDArray[np.bool_]
    """Which rows these are."""


def read_labels(column: Any, target: str) -> Labels:
    """Labels of the rows that have one, the classes, and which rows these are."""
    from pyarrow import types

    labelled = column.is_valid().to_numpy()
    kept = column.filter(labelled)
    whole = types.is_integer(column.type)
    if types.is_floating(column.type):
        values = kept.to_numpy()
        labelled[labelled] = ~np.isnan(values)
        values = values[~np.isnan(values)]
        whole = bool(np.all(values == np.round(values)))
        y = values.astype(np.int64) if whole else values.astype(str)
    else:
        y = kept.to_numpy() if whole else _texts(kept, target)
    y = y.astype(np.int64) if whole else y
    labels: list[Label] = np.unique(y).tolist()
    if len(labels) <= MOST_CLASSES:  # more are no classes
        _check_spelling(labels, target)
    if not labels:
        raise TroubleError(f"column {target!r} has no labels, only missing values")
    if len(labels) == 1:
        raise TroubleError(
            f"every row has {labels[0]!r} in column {target!r}: there is nothing to tell"
        )
    return Labels(y, labels, labelled)


def _check_spelling(labels: Sequence[Label], target: str) -> None:
    """A TroubleError if labels differ only in blanks or capitals."""
    first: dict[str, Label] = {}
    for label in labels:
        known = first.setdefault(" ".join(str(label).split()).casefold(), label)
        if known != label:
            raise TroubleError(
                f"column {target!r} has the labels {known!r} and {label!r}, which differ only in "
                "blanks or capitals: write them alike"
            )


def _texts(column: Any, target: str) -> NDArray[Any]:
    """Labels that are text, each as long in memory as the longest."""
    from pyarrow import compute

    text = as_text(column)
    longest = compute.max(compute.utf8_length(text)).as_py() or 0
    if longest > LONGEST_LABEL:
        raise TroubleError(
            f"column {target!r} has a value of {longest:,} characters, which is no class; is "
            "--target right?"
        )
    return np.array(text.to_pylist(), dtype=str)


def check_known(labels: Labels, classes: tuple[Label, ...], target: str, name: str) -> None:
    """A TroubleError if there are labels that the model does not know."""
    for label in labels.found:
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
        raise TroubleError(text)
    named, given = True, None
    if wishes.cost_matrix is not None:
        given, named = read_matrix(wishes.cost_matrix, labels, wishes.encoding)
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
        raise TroubleError(f"{path}: {error}") from error
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
    if len(labels) > MOST_CLASSES and wishes.cost_matrix is None and wishes.positive is None:
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
    raise TroubleError(
        f"--positive {wishes.positive!r} is no label in column {wishes.target!r}; "
        + (f"did you mean {close!r}?" if close else f"there are: {some(list(by_text))}")
    )
