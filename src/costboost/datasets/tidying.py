"""One form for what different sources give: typed columns, labels of the record, counts checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.datasets.records import Label, Record


@dataclass(frozen=True)
class Table:
    """Features, labels, and the columns that are neither."""

    X: Any
    y: NDArray[Any]
    extra: Any


def need_pandas() -> None:
    """An ImportError that names the extra, if pandas is not there."""
    try:
        import pandas  # noqa: F401
    except ImportError as error:
        message = "costboost.datasets needs pandas: pip install 'costboost[datasets]'"
        raise ImportError(message, name="pandas") from error


def tidy(record: Record, raw: Any, where: str) -> Table:
    """The raw table in its final form, or a ValueError that says how it is not the set expected."""
    lacking = [name for name in (*record.columns, "target") if name not in raw.columns]
    if lacking:
        raise ValueError(f"{where} is not {record.name!r}: it has no column {lacking[0]!r}")
    extra = [name for name in record.extra if name in raw.columns]
    table = Table(
        X=typed(record, raw, where),
        y=labels(record, raw["target"], where),
        extra=raw[extra].reset_index(drop=True),
    )
    check(record, table, where)
    return table


# ---- columns -------------------------------------------------------------------------------------


def typed(record: Record, raw: Any, where: str) -> Any:
    """The features: categories where the record says nominal, numbers elsewhere."""
    import pandas as pd

    nominal = set(record.nominal)
    columns = {}
    for name in record.columns:
        try:
            columns[name] = categories(raw[name]) if name in nominal else numbers(raw[name])
        except (TypeError, ValueError) as error:
            message = f"{where} is not {record.name!r}: column {name!r} is not numeric ({error})"
            raise ValueError(message) from error
    return pd.DataFrame(columns).reset_index(drop=True)


def numbers(column: Any) -> Any:
    """Numbers; integers if all are whole and none is missing, however the source wrote them."""
    import pandas as pd

    is_categorical = isinstance(column.dtype, pd.CategoricalDtype)
    values = pd.to_numeric(column.astype(object) if is_categorical else column).astype(float)
    whole = values.notna().all() and (values % 1 == 0).all()
    return values.astype("int64") if whole else values


def categories(column: Any) -> Any:
    """Categories in sorted order, those that occur; whole numbers stay numbers."""
    column = column.astype("category").cat.remove_unused_categories()
    found: list[Any] = [plain(value) for value in column.cat.categories]
    if all(value.lstrip("-").isdigit() for value in found):
        found = [int(value) for value in found]
    column = column.cat.rename_categories(found)
    return column.cat.reorder_categories(sorted(found))


def labels(record: Record, column: Any, where: str) -> NDArray[Any]:
    """The labels as the record writes them: integers, or text."""
    known: dict[str, Label] = {str(label): label for label in record.classes}
    column = column.astype("category").cat.remove_unused_categories()
    found = [plain(value) for value in column.cat.categories]
    unknown = [value for value in found if value not in known]
    if unknown or column.isna().any():
        what = f"an unknown label {unknown[0]!r}" if unknown else "rows without a label"
        raise ValueError(f"{where} is not {record.name!r}: it has {what}")
    in_order = np.array([known[value] for value in found])
    if in_order.dtype.kind == "i":
        in_order = in_order.astype(np.int64)
    return np.asarray(in_order[column.cat.codes.to_numpy()])


def plain(value: Any) -> str:
    """A value as text, the same for 1, 1.0 and " 1"."""
    return str(value).strip().removesuffix(".0")


# ---- counts --------------------------------------------------------------------------------------


def check(record: Record, table: Table, where: str) -> None:
    """A ValueError that names each count that is not the record's."""
    found = {
        "rows": len(table.X),
        "missing values": int(table.X.isna().sum().sum()),
        **{f"rows of class {label!r}": int((table.y == label).sum()) for label in record.classes},
    }
    expected = {
        "rows": record.rows,
        "missing values": record.missing,
        **{f"rows of class {label!r}": count for label, count in record.classes.items()},
    }
    wrong = [
        f"{found[what]} {what} instead of {count}"
        for what, count in expected.items()
        if found[what] != count
    ]
    if wrong:
        raise ValueError(f"{where} is not {record.name!r}, or not all of it: {'; '.join(wrong)}")
