"""Columns of a file as features: their kinds are settled in training and kept with the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any, NamedTuple

from costboost.cli.reading.explaining import one_line, takes, unusable
from costboost.cli.trouble import TroubleError, unknown

Label = int | str


class Kind(NamedTuple):
    """How the values of a column are read and what the model sees of them."""

    type_of_text: Callable[[], Any]
    """The type that text is read as."""
    seen: Callable[[Any], Any]
    """From the column as read to the column as the model takes it."""
    shown: Callable[[float], str] | None = None
    """A number of the model's as a person writes the value; None for numbers themselves."""


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


def is_text(type_: Any) -> bool:
    """Whether a column of this type holds text."""
    return takes(type_) == "text"


def _bare(column: Any) -> Any:
    """Text without blanks around it, as the reader of text takes them away; all else as it is."""
    import pyarrow as pa
    from pyarrow import compute

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if not is_text(column.type):
        return column
    return compute.utf8_trim_whitespace(column.cast(pa.string()))


def _as_number(column: Any) -> Any:
    import pyarrow as pa

    column = _bare(column)
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    return column.cast(pa.float64(), safe=False)


def _since(unit: float, whole: Callable[[], Any]) -> Callable[[Any], Any]:
    """Time as a number of units."""

    def seen(column: Any) -> Any:
        import pyarrow as pa
        from pyarrow import compute

        nanoseconds = _bare(column).cast(whole()).cast(pa.int64()).cast(pa.float64(), safe=False)
        return compute.divide(nanoseconds, unit)

    return seen


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
    "time": Kind(_moment, _since(86400e9, _moment), _date),  # days
    # days, of times that name their zone
    "instant": Kind(_instant, _since(86400e9, _instant), _date_in_utc),
    "clock": Kind(_clock, _since(1e9, _clock), _time_of_day),  # seconds
}


@dataclass(frozen=True)
class Column:
    """A feature."""

    name: str
    kind: str

    def type_of_text(self) -> Any:
        return KINDS[self.kind].type_of_text()

    def shown(self, value: float, digits: int) -> str:
        """What the model takes for a value, as a person writes it."""
        as_written = KINDS[self.kind].shown
        if as_written is not None:
            return as_written(value)
        return f"{value:.0f}" if 10**digits <= abs(value) < 1e15 else f"{value:.{digits}g}"

    def seen(self, column: Any, where: str) -> Any:
        """The column as the model takes it."""
        import pyarrow as pa

        try:
            return KINDS[self.kind].seen(column)
        except pa.ArrowException as error:
            raise TroubleError(
                f"{where}: column {self.name!r} was of the kind {self.kind} in training and is "
                f"{column.type} here: {one_line(str(error))}"
            ) from error


def kind_of(name: str, type_: Any) -> str:
    """The kind of a column that was read with this type.

    Text and categorical types are categories as in Python. Truth values are too, so that a model
    trained on Parquet reads the words true and false of a CSV file.
    """
    from pyarrow import types

    from costboost.tables import holds_categories

    sort = takes(type_)
    if not sort:
        raise unusable(name, type_)
    if holds_categories(type_) or sort in ("text", "boolean"):
        return "category"
    if sort == "number":
        return "number"
    if types.is_time(type_):
        return "clock"
    return "instant" if getattr(type_, "tz", None) else "time"


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
