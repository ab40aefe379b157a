"""What columns, classes and costs of a file are to a model; its file holds that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import inf
from typing import Any

import numpy as np

from costboost._core.arrays import Label
from costboost._core.checks import Floats
from costboost._core.names import MISTAKES, RIGHT
from costboost.app.reading.columns import KINDS, Column, missing_columns, to_features
from costboost.app.reading.errors import InputError


@dataclass(frozen=True)
class DataLayout:
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
        costs = {"fn_cost": self.fn_cost, "fp_cost": self.fp_cost}
        if self.gains:
            costs["tp_cost"] = 0.0 if self.tp_cost is None else self.tp_cost
            costs["tn_cost"] = 0.0 if self.tn_cost is None else self.tn_cost
        return costs

    @property
    def constant_costs(self) -> dict[str, Any]:
        """The costs of two classes that are numbers."""
        return {k: cost for k, cost in self.cells.items() if not isinstance(cost, str)}

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

    @property
    def feature_names(self) -> list[str]:
        """The names of the features, in their order."""
        return [column.name for column in self.columns]

    def cost_parameters(self, costs: Mapping[str, Any]) -> dict[str, Any]:
        """Costs as parameters of the library: the matrix, or the given ones of two classes."""
        return {"cost_matrix": np.array(self.matrix)} if self.multiclass else dict(costs)

    def named_columns(self, costs: Mapping[str, Any]) -> dict[str, Any]:
        """Those costs of outcomes that are columns, by the names of the columns."""
        columns = {self.cells[name]: values for name, values in costs.items() if name in self.cells}
        return {name: values for name, values in columns.items() if isinstance(name, str)}

    def to_dict(self) -> dict[str, Any]:
        """The layout as plain data, without costs of right predictions that are not stated."""
        data = asdict(self) | {"columns": [asdict(column) for column in self.columns]}
        return {k: value for k, value in data.items() if k not in RIGHT or value is not None}

    @classmethod
    def from_dict(cls, data: Any) -> DataLayout:
        """The layout from plain data; an InputError if it is damaged."""
        try:
            columns = tuple(Column(str(c["name"]), str(c["kind"])) for c in data["columns"])
            if any(column.kind not in KINDS for column in columns):
                raise ValueError("a kind of column that is not known here")
            fn, fp = (_cost(data[name]) for name in MISTAKES)
            target, positive = str(data["target"]), data["positive"]
            classes = tuple(data.get("classes", ()))
            if any(type(label) not in (int, str) for label in classes or [positive]):
                raise ValueError("classes that are neither text nor whole numbers")
            if len({column.name for column in columns}) < len(columns):
                raise ValueError("a column twice")
            matrix = tuple(tuple(map(float, row)) for row in data.get("matrix", ()))
            right = [None if cost is None else _cost(cost) for cost in map(data.get, RIGHT)]
            stated = [cost for cost in right if cost is not None]
            least = -inf if stated else 0
            numbers = [cost for cost in (fn, fp, *stated) if not isinstance(cost, str)]
            if not all(0 <= cost < inf for row in matrix for cost in row) or not all(
                least <= cost < inf for cost in numbers
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
        types = {column.name: column.text_type() for column in self.columns}
        types |= dict.fromkeys(self.cost_columns, KINDS["number"].text_type())
        if self.text_labels:
            types[self.target] = KINDS["category"].text_type()
        return types

    def check_columns(self, names: Sequence[str], where: str) -> None:
        """Raise an InputError if columns are missing."""
        there = set(names)
        missing = [name for name in self.feature_names if name not in there]
        if missing:
            raise missing_columns(missing, names, where)


def _cost(value: Any) -> float | str:
    return value if isinstance(value, str) else float(value)


def as_tuples(matrix: Floats) -> tuple[tuple[float, ...], ...]:
    """A matrix as nested tuples."""
    return tuple(map(tuple, matrix.tolist()))
