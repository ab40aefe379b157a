"""Layouts: what the columns of a file are to a model. Model files of the command line hold one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import inf
from typing import Any

import numpy as np

from costboost.checks import Floats
from costboost.reading.columns import KINDS, Column, Label, missing_columns, to_features
from costboost.reading.errors import InputError

LAYOUT = "layout"
LABEL_TYPES = (int, str)
RIGHT = ("tp_cost", "tn_cost")
"""Costs of right predictions: fields that versions before 0.2 do not have."""


@dataclass(frozen=True)
class Layout:
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
    def gains(self) -> bool:
        """Whether right predictions have costs, so that all costs may be gains."""
        return self.tp_cost is not None or self.tn_cost is not None

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
            fn, fp = (_cost(data[name]) for name in ("fn_cost", "fp_cost"))
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
    from costboost.files.models import CLASSES

    return type(model) in CLASSES


FOREIGN = "is not a model file of costboost"


def load_model(path: str) -> tuple[Any, Layout]:
    """A model and its layout."""
    from costboost.files import load_with_metadata

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
    from costboost.report.numbers.several_classes import matrix_of, of_several

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
