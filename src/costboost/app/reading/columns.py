"""Kinds of columns: how text is parsed, and how values become the features of a model.

The kind of a column follows from its type and is stored with the model of the command line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any, NamedTuple

from costboost.app.reading.errors import InputError, one_line, unknown

FEATURE_TYPES = {
    "text": ("string", "large_string", "string_view"),
    "boolean": ("boolean",),
    "number": ("integer", "floating", "decimal", "null"),
    "time": ("date", "timestamp", "time"),
}
"""Types of pyarrow that a model can learn from."""


def feature_type(type_: Any) -> str:
    """The key of `FEATURE_TYPES` for a type of pyarrow, "" if no classifier takes its values."""
    from pyarrow import types

    if types.is_dictionary(type_):
        type_ = type_.value_type
    for key, names in FEATURE_TYPES.items():
        if any(getattr(types, f"is_{name}")(type_) for name in names):
            return key
    return ""


def unusable(name: str, type_: Any) -> InputError:
    """The error for a column whose values no classifier takes."""
    message = f"column {name!r} holds {one_line(type_, 60)}, which no classifier takes"
    return InputError(message, "drop", name)


class Kind(NamedTuple):
    """A kind of columns."""

    text_type: Callable[[], Any]
    """The type that text is parsed as."""
    to_feature: Callable[[Any], Any]
    """Converts a column as it was read to a feature: float64, or a dictionary of text."""
    format: Callable[[float], str] | None = None
    """Formats a value of the feature; None if the feature has the values of the column."""


def _text() -> Any:
    import pyarrow as pa

    return pa.string()


def _number() -> Any:
    import pyarrow as pa

    return pa.float64()


def _moment() -> Any:
    import pyarrow as pa

    return pa.timestamp("ns")


def _instant() -> Any:
    import pyarrow as pa

    return pa.timestamp("ns", "UTC")


def _clock() -> Any:
    import pyarrow as pa

    return pa.time64("ns")


def as_text(column: Any) -> Any:
    """A column as text; whole numbers without a decimal point."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column.cast(pa.string())


def _as_category(column: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type) and pa.types.is_string(column.type.value_type):
        return column
    return as_text(column).dictionary_encode()


def is_text(type_: Any) -> bool:
    """Whether a column of this type holds text."""
    return feature_type(type_) == "text"


def n_bytes(batch: Any) -> int:
    """Bytes of a batch, with views as text: pyarrow knows those of views since version 24."""
    import pyarrow as pa

    return sum(
        (column.cast(pa.large_string()) if pa.types.is_string_view(column.type) else column).nbytes
        for column in batch.columns
    )


def _stripped(column: Any) -> Any:
    """Text without leading and trailing blanks, as in CSV; other columns unchanged."""
    import pyarrow as pa
    from pyarrow import compute

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if not is_text(column.type):
        return column
    return compute.utf8_trim_whitespace(column.cast(pa.string()))


def _as_number(column: Any) -> Any:
    import pyarrow as pa

    column = _stripped(column)
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    return column.cast(pa.float64(), safe=False)


def _in_units(nanoseconds_per_unit: float, type_: Callable[[], Any]) -> Callable[[Any], Any]:
    """A conversion of times to numbers of units since the epoch, or since midnight."""

    def to_feature(column: Any) -> Any:
        import pyarrow as pa
        from pyarrow import compute

        nanoseconds = (
            _stripped(column).cast(type_()).cast(pa.int64()).cast(pa.float64(), safe=False)
        )
        return compute.divide(nanoseconds, nanoseconds_per_unit)

    return to_feature


def _date(days: float) -> str:
    moment = EPOCH + timedelta(days=days)
    return f"{moment:%Y-%m-%d}" if moment.time() == time() else f"{moment:%Y-%m-%d %H:%M}"


def _date_in_utc(days: float) -> str:
    return f"{_date(days)} UTC"


def _time_of_day(seconds: float) -> str:
    return f"{EPOCH + timedelta(seconds=seconds):%H:%M:%S}"


EPOCH = datetime(1970, 1, 1)
KINDS = {
    "number": Kind(_number, _as_number),
    "category": Kind(_text, _as_category),
    "time": Kind(_moment, _in_units(86400e9, _moment), _date),  # days since the epoch
    # days since the epoch in UTC, of times with a time zone
    "instant": Kind(_instant, _in_units(86400e9, _instant), _date_in_utc),
    "clock": Kind(_clock, _in_units(1e9, _clock), _time_of_day),  # seconds since midnight
}


@dataclass(frozen=True)
class Column:
    """The name and the kind of a feature."""

    name: str
    kind: str

    def text_type(self) -> Any:
        """The type of pyarrow that text is parsed as."""
        return KINDS[self.kind].text_type()

    def format(self, value: float, digits: int) -> str:
        """A value of the feature as text: a date, a time or a number."""
        format_value = KINDS[self.kind].format
        if format_value is not None:
            return format_value(value)
        return f"{value:.0f}" if 10**digits <= abs(value) < 1e15 else f"{value:.{digits}g}"

    def to_feature(self, column: Any, where: str) -> Any:
        """A column as it was read from the file ``where``, converted to a feature."""
        import pyarrow as pa

        try:
            return KINDS[self.kind].to_feature(column)
        except pa.ArrowException as error:
            raise InputError(
                f"{where}: column {self.name!r} was of the kind {self.kind} in training and is "
                f"{column.type} here: {one_line(str(error))}"
            ) from error


def to_features(columns: Iterable[Column], table: Any, where: str) -> Any:
    """The features of a table that was read from the file ``where``."""
    import pyarrow as pa

    return pa.table(
        {column.name: column.to_feature(table.column(column.name), where) for column in columns}
    )


def kind_of(name: str, type_: Any) -> str:
    """The kind of a column of this type of pyarrow: a key of `KINDS`.

    Text and dictionaries are categories, as for the classifiers. Booleans are too, so that a model
    trained on Parquet takes the words true and false of a CSV file.
    """
    from pyarrow import types

    from costboost._core.tables import holds_categories

    general = feature_type(type_)
    if not general:
        raise unusable(name, type_)
    if holds_categories(type_) or general in ("text", "boolean"):
        return "category"
    if general == "number":
        return "number"
    if types.is_time(type_):
        return "clock"
    return "instant" if getattr(type_, "tz", None) else "time"


def missing_columns(missing: Sequence[str], names: Sequence[str], where: str) -> InputError:
    """The error for columns that a file lacks."""
    if len(missing) == 1:
        return unknown("column", missing[0], names, f" in {where}, which the model needs")
    listed = ", ".join(map(repr, missing[:10])) + (", ..." if len(missing) > 10 else "")
    return InputError(f"{where} lacks {len(missing)} columns that the model needs: {listed}")


def select_names(
    given: Iterable[str], known: Sequence[str], where: str = "", what: str = "column"
) -> list[str]:
    """Names of columns; an item may hold several names with commas in between."""
    selected: list[str] = []
    for text in given:
        parts = [text] if text in known else [part.strip() for part in text.split(",")]
        for part in parts:
            if part not in known:
                raise unknown(what, part, known, f" in {where}" if where else "")
            selected.append(part)
    return selected


def check_cost_columns(costs: Iterable[float | str], names: Sequence[str], where: str) -> None:
    """Raise an InputError if a cost is the name of a column that does not exist."""
    for cost in costs:
        if isinstance(cost, str) and cost not in names:
            raise unknown("column", cost, names, f" in {where} for a cost")
