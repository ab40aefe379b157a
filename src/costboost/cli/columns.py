"""Columns of a file as features: their kinds are settled in training and kept with the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from costboost.cli.reading.explaining import one_line
from costboost.cli.trouble import TroubleError, unknown

Label = int | str


class Kind(NamedTuple):
    """How the values of a column are read and what the model sees of them."""

    type_of_text: Callable[[], Any]
    """The type that text is read as."""
    seen: Callable[[Any], Any]
    """From the column as read to the column as the model takes it."""


def _text() -> Any:
    import pyarrow as pa

    return pa.string()


def _number() -> Any:
    import pyarrow as pa

    return pa.float64()


def _moment() -> Any:
    import pyarrow as pa

    return pa.timestamp("ns")


def _clock() -> Any:
    import pyarrow as pa

    return pa.time64("ns")


def as_text(column: Any) -> Any:
    """Any column as text; whole numbers without a point."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column.cast(pa.string())


def _as_category(column: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type) and pa.types.is_string(column.type.value_type):
        return column
    return as_text(column).dictionary_encode()


def _as_number(column: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    return column.cast(pa.float64(), safe=False)


def _since(unit: float, whole: Callable[[], Any]) -> Callable[[Any], Any]:
    """Time as a number of units."""

    def seen(column: Any) -> Any:
        import pyarrow as pa
        from pyarrow import compute

        nanoseconds = column.cast(whole()).cast(pa.int64()).cast(pa.float64(), safe=False)
        return compute.divide(nanoseconds, unit)

    return seen


KINDS = {
    "number": Kind(_number, _as_number),
    "category": Kind(_text, _as_category),
    "time": Kind(_moment, _since(86400e9, _moment)),  # days
    "clock": Kind(_clock, _since(1e9, _clock)),  # seconds
}


@dataclass(frozen=True)
class Column:
    """A feature."""

    name: str
    kind: str

    def type_of_text(self) -> Any:
        return KINDS[self.kind].type_of_text()

    def seen(self, column: Any, where: str) -> Any:
        """The column as the model takes it."""
        import pyarrow as pa

        try:
            return KINDS[self.kind].seen(column)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise TroubleError(
                f"{where}: column {self.name!r} was of the kind {self.kind} in training and is "
                f"{column.type} here: {one_line(str(error))}"
            ) from error


def kind_of(name: str, type_: Any) -> str:
    """The kind of a column that was read with this type."""
    from pyarrow import types

    if types.is_dictionary(type_):
        type_ = type_.value_type
    if any(is_(type_) for is_ in (types.is_string, types.is_large_string, types.is_boolean)):
        return "category"
    numeric = (types.is_integer, types.is_floating, types.is_decimal, types.is_null)
    if any(is_(type_) for is_ in numeric):
        return "number"
    if types.is_date(type_) or types.is_timestamp(type_):
        return "time"
    if types.is_time(type_):
        return "clock"
    raise TroubleError(f"column {name!r} holds {type_}, which no classifier takes; --drop {name!r}")


@dataclass(frozen=True)
class Layout:
    """What the columns of a file are to a model; stored with it."""

    columns: tuple[Column, ...]
    target: str
    positive: Label
    against_rest: bool
    """Whether the other class is all the others together."""
    fn_cost: float | str
    fp_cost: float | str
    """Numbers, or the names of columns."""

    @property
    def label(self) -> Label:
        """The positive class as the model calls it."""
        return str(self.positive) if self.against_rest else self.positive

    @property
    def rest(self) -> str:
        """What the model calls all the other classes together."""
        return f"not {self.positive}"

    @property
    def cost_columns(self) -> list[str]:
        return sorted({cost for cost in (self.fn_cost, self.fp_cost) if isinstance(cost, str)})

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self) | {"columns": [asdict(column) for column in self.columns]}

    @classmethod
    def from_dict(cls, data: Any) -> Layout:
        """The same back; a TroubleError if it is not one."""
        try:
            columns = tuple(Column(str(one["name"]), str(one["kind"])) for one in data["columns"])
            if any(column.kind not in KINDS for column in columns):
                raise ValueError("a kind of column that is not known here")
            fn, fp = (_cost(data[name]) for name in ("fn_cost", "fp_cost"))
            target, positive = str(data["target"]), data["positive"]
            return cls(columns, target, positive, bool(data["against_rest"]), fn, fp)
        except (KeyError, TypeError, ValueError) as error:
            raise TroubleError(
                f"the model's description of its columns is damaged: {error}"
            ) from error

    def features(self, table: Any, where: str) -> Any:
        """The features of some rows, as the model takes them."""
        import pyarrow as pa

        return pa.table({one.name: one.seen(table.column(one.name), where) for one in self.columns})

    def types_of_text(self) -> dict[str, Any]:
        """The types that text is read as, so that it is read as in training."""
        types = {one.name: one.type_of_text() for one in self.columns}
        types |= dict.fromkeys(self.cost_columns, KINDS["number"].type_of_text())
        if isinstance(self.positive, str):
            types[self.target] = KINDS["category"].type_of_text()
        return types

    def check_columns(self, names: Sequence[str], where: str) -> None:
        """A TroubleError if columns are missing."""
        missing = [one.name for one in self.columns if one.name not in names]
        if missing:
            raise missing_columns(missing, names, where)


def missing_columns(missing: Sequence[str], names: Sequence[str], where: str) -> TroubleError:
    """The trouble with columns that are not there."""
    if len(missing) == 1:
        return unknown("column", missing[0], names, f" in {where}, which the model needs")
    listed = ", ".join(map(repr, missing[:10])) + (", ..." if len(missing) > 10 else "")
    return TroubleError(f"{where} lacks {len(missing)} columns that the model needs: {listed}")


def named(given: Iterable[str], known: Sequence[str], where: str) -> list[str]:
    """Columns from options that may be repeated, or have several names with commas in between."""
    found: list[str] = []
    for text in given:
        parts = [text] if text in known else [part.strip() for part in text.split(",")]
        for part in parts:
            if part not in known:
                raise unknown("column", part, known, f" in {where}")
            found.append(part)
    return found


def _cost(value: Any) -> float | str:
    return value if isinstance(value, str) else float(value)
