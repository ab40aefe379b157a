"""What the columns of a file are to a model; stored with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from math import inf
from typing import Any

import numpy as np

from costboost.reading.columns import KINDS, Column, Label, missing_columns
from costboost.reading.errors import InputError


@dataclass(frozen=True)
class Layout:
    """What the columns of a file are to a model; stored with it."""

    columns: tuple[Column, ...]
    target: str
    positive: Label | None
    """The class that counts; None where all of several do."""
    against_rest: bool
    """Whether the other class is all the others together."""
    fn_cost: float | str
    fp_cost: float | str
    """Numbers, or the names of columns."""
    classes: tuple[Label, ...] = ()
    """All classes, in the order of the matrix, where each of them counts; ..."""
    matrix: tuple[tuple[float, ...], ...] = ()
    """... and what it costs to predict one (columns) where another (rows) is true."""

    @property
    def several(self) -> bool:
        """Whether a matrix of costs decides, and not the costs of two mistakes."""
        return bool(self.classes)

    @property
    def text_labels(self) -> bool:
        """Whether labels are text, whatever they look like."""
        return any(isinstance(label, str) for label in (self.positive, *self.classes))

    @property
    def label(self) -> Label:
        """The positive class as the model calls it."""
        assert self.positive is not None
        return str(self.positive) if self.against_rest else self.positive

    @property
    def rest(self) -> str:
        """What the model calls all the other classes together."""
        return f"not {self.positive}"

    @property
    def cost_columns(self) -> list[str]:
        return sorted({cost for cost in (self.fn_cost, self.fp_cost) if isinstance(cost, str)})

    def with_target(self, target: str | None, model: str) -> Layout:
        """The same for files whose classes are in another column, if one is named."""
        layout = self if target is None else replace(self, target=target)
        if not layout.target:
            raise InputError(f"{model} does not say which column has the classes: --target COLUMN")
        return layout

    def costs_of(self, fn_cost: Any, fp_cost: Any) -> dict[str, Any]:
        """Costs as the library takes them: the matrix, or those of the two mistakes."""
        if self.several:
            return {"cost_matrix": np.array(self.matrix)}
        return {"fn_cost": fn_cost, "fp_cost": fp_cost}

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self) | {"columns": [asdict(column) for column in self.columns]}

    @classmethod
    def from_dict(cls, data: Any) -> Layout:
        """The same back; a InputError if it is not one."""
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
            matrix = tuple(tuple(map(float, line)) for line in data.get("matrix", ()))
            if not all(0 <= cost < inf for line in (*matrix, numbers(fn, fp)) for cost in line):
                raise ValueError("a cost that is not finite, or negative")
            if any(len(line) != len(classes) for line in (matrix, *matrix)):
                raise ValueError("a cost matrix that does not fit its classes")
            return cls(
                columns, target, positive, bool(data["against_rest"]), fn, fp, classes, matrix
            )
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise InputError(
                f"the model's description of its columns is damaged: {error}"
            ) from error

    def features(self, table: Any, where: str) -> Any:
        """The features of some rows, as the model takes them."""
        import pyarrow as pa

        return pa.table(
            {one.name: one.to_feature(table.column(one.name), where) for one in self.columns}
        )

    def text_types(self) -> dict[str, Any]:
        """The types that text is read as, so that it is read as in training."""
        types = {one.name: one.text_type() for one in self.columns}
        types |= dict.fromkeys(self.cost_columns, KINDS["number"].text_type())
        if self.text_labels:
            types[self.target] = KINDS["category"].text_type()
        return types

    def check_columns(self, names: Sequence[str], where: str) -> None:
        """A InputError if columns are missing."""
        there = set(names)
        missing = [one.name for one in self.columns if one.name not in there]
        if missing:
            raise missing_columns(missing, names, where)


def numbers(*costs: float | str) -> list[float]:
    """Those costs that are not names of columns."""
    return [cost for cost in costs if not isinstance(cost, str)]


def _cost(value: Any) -> float | str:
    return value if isinstance(value, str) else float(value)
