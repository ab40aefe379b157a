"""Layouts: what columns, classes and costs of a file are to a model. Model files hold one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import inf
from typing import Any

import numpy as np

from costboost._core.arrays import Label
from costboost._core.checks import Floats
from costboost._core.costs import check_matrix
from costboost._core.costs.outcomes import costs_of_two
from costboost._core.names import COST_NAMES, MISTAKES, RIGHT
from costboost.app.cli import terminal
from costboost.app.cli.options import (
    OptionRecord,
    ProblemOptions,
    StatedCosts,
    cost_or_column,
    parse_cost,
    read_options,
)
from costboost.app.inspection.labels import MAX_CLASSES
from costboost.app.reading.columns import KINDS, Column, missing_columns, to_features
from costboost.app.reading.cost_files import read_cost_matrix
from costboost.app.reading.errors import InputError, nearest, some

LAYOUT = "layout"
LABEL_TYPES = (int, str)


@dataclass(frozen=True)
class Layout(StatedCosts):
    """The features, the target and the costs of a model; stored in its file."""

    columns: tuple[Column, ...]
    target: str
    positive: Label | None
    """The positive class; None if there is a cost matrix."""
    against_rest: bool
    """Whether the negative class is all other classes together."""
    fn_cost: float | str
    fp_cost: float | str
    """Costs as numbers, or as names of columns."""
    classes: tuple[Label, ...] = ()
    """All classes in the order of the cost matrix, if there is one."""
    matrix: tuple[tuple[float, ...], ...] = ()
    """The cost of predicting a class (column) where another one (row) is true."""
    tp_cost: float | str | None = None
    tn_cost: float | str | None = None
    """Costs of right predictions; None if they are not stated."""

    @property
    def cells(self) -> dict[str, float | str]:
        """The costs of two classes by name: of mistakes, and of right predictions if stated."""
        found = {"fn_cost": self.fn_cost, "fp_cost": self.fp_cost}
        if self.gains:
            found["tp_cost"] = 0.0 if self.tp_cost is None else self.tp_cost
            found["tn_cost"] = 0.0 if self.tn_cost is None else self.tn_cost
        return found

    @property
    def states_costs(self) -> bool:
        """Whether any costs were given: not all mistakes cost 1."""
        if self.multiclass:
            return not np.array_equal(self.matrix, 1 - np.eye(len(self.matrix)))
        return self.gains or (self.fn_cost, self.fp_cost) != (1.0, 1.0)

    @property
    def multiclass(self) -> bool:
        """Whether costs are a matrix, and not those of two mistakes."""
        return bool(self.classes)

    @property
    def text_labels(self) -> bool:
        """Whether labels are text."""
        return any(isinstance(label, str) for label in (self.positive, *self.classes))

    @property
    def label(self) -> Label:
        """The positive class in the model."""
        assert self.positive is not None
        return str(self.positive) if self.against_rest else self.positive

    @property
    def rest(self) -> str:
        """The label of all other classes together."""
        return f"not {self.positive}"

    @property
    def cost_columns(self) -> list[str]:
        """The columns that hold costs."""
        return sorted({cost for cost in self.cells.values() if isinstance(cost, str)})

    def with_target(self, target: str | None, model: str) -> Layout:
        """The layout with another target column, if one is given."""
        layout = self if target is None else replace(self, target=target)
        if not layout.target:
            raise InputError(
                f"{model} does not record which column has the classes: give --target COLUMN"
            )
        return layout

    def cost_parameters(self, costs: Mapping[str, Any]) -> dict[str, Any]:
        """Costs as parameters of the library: the matrix, or the given ones of two classes."""
        return {"cost_matrix": np.array(self.matrix)} if self.multiclass else dict(costs)

    def to_dict(self) -> dict[str, Any]:
        """The layout as plain data, without costs of right predictions that are not stated."""
        found = asdict(self) | {"columns": [asdict(column) for column in self.columns]}
        return {k: value for k, value in found.items() if k not in RIGHT or value is not None}

    @classmethod
    def from_dict(cls, data: Any) -> Layout:
        """The layout from plain data; an InputError if it is damaged."""
        try:
            columns = tuple(Column(str(one["name"]), str(one["kind"])) for one in data["columns"])
            if any(column.kind not in KINDS for column in columns):
                raise ValueError("a kind of column that is not known here")
            fn, fp = (_cost(data[name]) for name in MISTAKES)
            target, positive = str(data["target"]), data["positive"]
            classes = tuple(data.get("classes", ()))
            if any(type(one) not in (int, str) for one in classes or [positive]):
                raise ValueError("classes that are neither text nor whole numbers")
            if len({one.name for one in columns}) < len(columns):
                raise ValueError("a column twice")
            matrix = tuple(tuple(map(float, row)) for row in data.get("matrix", ()))
            right = [None if one is None else _cost(one) for one in map(data.get, RIGHT)]
            stated = [one for one in right if one is not None]
            least = -inf if stated else 0
            if not all(0 <= cost < inf for row in matrix for cost in row) or not all(
                least <= cost < inf for cost in _numbers(fn, fp, *stated)
            ):
                raise ValueError("a cost that is not finite, or negative")
            if any(len(row) != len(classes) for row in (matrix, *matrix)):
                raise ValueError("a cost matrix that does not fit its classes")
            rest = bool(data["against_rest"])
            return cls(columns, target, positive, rest, fn, fp, classes, matrix, *right)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise InputError(
                f"the model's description of its columns is damaged: {error}"
            ) from error

    def features(self, table: Any, where: str) -> Any:
        """The features of a table as the model takes them."""
        return to_features(self.columns, table, where)

    def text_types(self) -> dict[str, Any]:
        """The types that text is parsed as, so that it is parsed as in training."""
        types = {one.name: one.text_type() for one in self.columns}
        types |= dict.fromkeys(self.cost_columns, KINDS["number"].text_type())
        if self.text_labels:
            types[self.target] = KINDS["category"].text_type()
        return types

    def check_columns(self, names: Sequence[str], where: str) -> None:
        """Raise an InputError if columns are missing."""
        there = set(names)
        missing = [one.name for one in self.columns if one.name not in there]
        if missing:
            raise missing_columns(missing, names, where)


def _numbers(*costs: float | str) -> list[float]:
    """The costs that are numbers."""
    return [cost for cost in costs if not isinstance(cost, str)]


def _cost(value: Any) -> float | str:
    return value if isinstance(value, str) else float(value)


def as_tuples(matrix: Floats) -> tuple[tuple[float, ...], ...]:
    """A matrix as nested tuples."""
    return tuple(map(tuple, matrix.tolist()))


# ---- model files ---------------------------------------------------------------------------------


def save_model(model: Any, layout: Layout, path: str, **metadata: Any) -> None:
    """Write a model file with a layout."""
    import costboost

    costboost.save(model, path, metadata={LAYOUT: layout.to_dict(), **metadata})


def check_savable(model: Any) -> None:
    """Raise an InputError if no model file can hold a classifier, before it is trained."""
    if not _is_savable(model):
        raise InputError(
            f"{type(model).__name__} has trees of scikit-learn in it, which a model file does not "
            "hold: leave out --out, or take GBSE or CostBoost"
        )


def not_saved(model: Any) -> str:
    """The line to print if the model is not written to a file."""
    how = "--out FILE writes it to a file" if _is_savable(model) else "no model file can hold it"
    return f"model: not kept ({how})"


def _is_savable(model: Any) -> bool:
    from costboost.io.models import CLASSES

    return type(model) in CLASSES


FOREIGN = "is not a model file of costboost"


def load_model(path: str) -> tuple[Any, Layout]:
    """A model and its layout."""
    from costboost.io import load_with_metadata

    if path == "-" or os.path.isdir(path):
        raise InputError(f"{path} is no model file; the model comes first, then the data")
    try:
        model, metadata = load_with_metadata(path)
    except ValueError as error:
        swapped = "; the model comes first, then the data" if str(error).endswith(FOREIGN) else ""
        raise InputError(f"{error}{swapped}") from error
    if not hasattr(model, "classes_"):
        raise InputError(f"{path} holds a {type(model).__name__}, which predicts no classes")
    if LAYOUT in metadata:
        layout = Layout.from_dict(metadata[LAYOUT])
        _check_fits(model, layout, path)
        return model, layout
    return model, _layout_of(without_actions(model), path)


def load_classifier(path: str) -> tuple[Any, Layout]:
    """A model and its layout; of a model of actions, the classifier within."""
    model, layout = load_model(path)
    return without_actions(model), layout


def without_actions(model: Any) -> Any:
    """The classifier within a model of actions; other models unchanged."""
    from costboost.decisions.actions import classifier_inside

    return classifier_inside(model)


def _check_fits(model: Any, layout: Layout, path: str) -> None:
    """Raise an InputError if the layout has other columns or classes than the model."""
    known = model.classes_.tolist()
    described = list(layout.classes) if layout.multiclass else [layout.label]
    if (layout.multiclass and described != known) or any(one not in known for one in described):
        raise InputError(f"{path} is damaged: it describes classes that its model does not have")
    if len(layout.columns) != model.n_features_in_:
        raise InputError(f"{path} is damaged: it describes other columns than its model has")


# ---- models that were trained and saved in Python ------------------------------------------------


def _layout_of(model: Any, path: str) -> Layout:
    """The layout of a model that was saved in Python, without one."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        raise InputError(
            f"{path} was trained without names of columns; train it on a data frame, or with "
            "costboost fit"
        )
    coders = _coders(model)
    for name, coder in zip(names, coders, strict=True):
        if coder is not None and not all(isinstance(label, str) for label in coder.code_of):
            raise InputError(f"{path} has categories in column {name!r} that are no text")
    kinds = ["number" if coder is None else "category" for coder in coders]
    columns = tuple(Column(str(n), kind) for n, kind in zip(names, kinds, strict=True))
    return _with_costs(model, columns, path)


def _with_costs(model: Any, columns: tuple[Column, ...], path: str) -> Layout:
    from costboost.app.report.numbers import matrix_of, of_several

    if of_several(model):
        classes = tuple(_label(label, path) for label in model.classes_)
        return Layout(columns, "", None, False, 1.0, 1.0, classes, as_tuples(matrix_of(model)))
    inner = inner_classifier(model)
    costs = inner if inner.cost_matrix is None else inner.model_.costs
    fn, fp = (inner.fn_cost, inner.fp_cost) if costs is inner else (costs.fn, costs.fp)
    positive = _label(inner.classes_[inner.model_.positive_index], path)
    right = (inner.tp_cost, inner.tn_cost) if inner.tp_cost or inner.tn_cost else (None, None)
    return Layout(columns, "", positive, False, fn, fp, (), (), *right)


def _label(label: Any, path: str) -> Label:
    plain = label.item() if hasattr(label, "item") else label
    if not isinstance(plain, LABEL_TYPES):
        raise InputError(
            f"{path} has the label {plain!r}, which is neither text nor a whole number"
        )
    return plain


# ---- parts of a model ----------------------------------------------------------------------------


def inner_classifier(model: Any) -> Any:
    """The classifier within one that chooses its costs or its threshold."""
    while hasattr(model, "estimator_") or hasattr(model, "best_estimator_"):
        model = getattr(model, "estimator_", None) or model.best_estimator_
    return model


def _coders(model: Any) -> Sequence[Any]:
    """The coder of each categorical feature; None for a feature of numbers."""
    coders: Sequence[Any] = inner_classifier(model).model_.coders
    return coders


def known_categories(model: Any, layout: Layout) -> dict[str, list[str]]:
    """Categories of training by column, except columns that have a code for all others."""
    columns = zip(layout.columns, _coders(model), strict=True)
    return {one.name: list(coder.code_of) for one, coder in columns if coder and not coder.shared}


# ---- costs and the positive class, as options and cost matrices give them ------------------------

GIVEN_TWICE = "costs are given twice: --cost-matrix, or --fn-cost and --fp-cost, but not both"


@dataclass(frozen=True)
class ClassCosts(StatedCosts):
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
class CostOptions(OptionRecord, StatedCosts):
    """Costs that are given after training."""

    fn_cost: str | None = None
    fp_cost: str | None = None
    tp_cost: str | None = None
    tn_cost: str | None = None
    cost_matrix: str | None = None

    def apply(self, model: Any, layout: Layout) -> Layout:
        """The layout with these costs in place of those of training."""
        cells = {name: getattr(self, name) for name in COST_NAMES}
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
        gains = layout.gains or self.gains
        costs: dict[str, Any] = {key: cost_or_column(text, gains) for key, text in given.items()}
        return replace(layout, **costs)


def _with_matrix(layout: Layout, model: Any, path: str) -> Layout:
    classes: list[Label] = list(layout.classes) or model.classes_.tolist()
    costs, named = read_cost_matrix(path, classes, read_options())
    if not named:
        terminal.note(unnamed_note(path, classes))
    if layout.multiclass:
        return replace(layout, matrix=as_tuples(costs))
    fn, fp = _two_costs(costs, classes, layout.label, path)
    return replace(layout, fn_cost=fn, fp_cost=fp, tp_cost=None, tn_cost=None)
