"""``load`` and ``available``: a data set from the first place that has it, checked."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from costboost.checks import warn_deprecated
from costboost.datasets import records, sources
from costboost.datasets.costs import DataSetCosts, MatrixCosts, costs_of
from costboost.datasets.records import Label, Record, TidyTable, describe, plain
from costboost.datasets.sources import UnreachableError


def available(*, local: bool = False) -> list[str]:
    """The names of the data sets.

    Parameters
    ----------
    local : bool, default=False
        Only those that can be loaded without the network: their file is in the folder of
        ``COSTBOOST_DATA`` or in the cache, or an installed package contains them.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from costboost import datasets
    >>> len(datasets.available())
    43
    >>> "wdbc" in datasets.available(local=True)  # inside scikit-learn
    True
    """
    every = records.names()
    return [name for name in every if not local or _is_local(name)]


def _is_local(name: str) -> bool:
    return next(sources.find(records.record(name), download=False), None) is not None


class DataSet(Bunch):
    """A data set with fields that are both keys and attributes."""

    def __missing__(self, key: str) -> Any:
        if key != "positive":
            raise KeyError(key)
        warn_deprecated("the field 'positive' of a data set", "'pos_label'")
        return self["pos_label"]


def load(
    name: str,
    *,
    pos_label: Label | None = None,
    download: bool = True,
    positive: Label | None = None,
) -> Bunch:
    """Load a data set.

    Sources are tried in this order: the folder given by the environment variable
    ``COSTBOOST_DATA``, the cache folder, installed packages that contain the data set, OpenML. A
    file that is damaged, incomplete or not the expected one raises a ValueError.

    Parameters
    ----------
    name : str
        One of ``available()``.
    pos_label : label, default=None
        The positive label. With two classes, y is not changed and the costs are exchanged if
        necessary. With more classes, y becomes 1 for this label and 0 for the rest.
    download : bool, default=True
        Whether to download the data set from OpenML if it is not on this machine.
    positive : deprecated
        Old spelling of ``pos_label``.

    Returns
    -------
    Bunch
        - ``X``: a pandas frame, nominal columns of categorical type, NaN where a value is missing;
          ``data`` is another name for it
        - ``y``: an array with the labels, integers or text; ``target`` is another name for it
        - ``pos_label``: the positive label; ``y == pos_label`` is the problem of two classes. None
          if there are several classes and no choice was made
        - ``costs``: `DataSetCosts`, `MatrixCosts`, or None if the set has none
        - ``extra``: a frame of the columns that are not features, as far as the source has them
        - ``leaks``: names of columns of X that reveal the outcome or identify the row
        - ``description``, ``name``, ``record``; ``source``: where it was found

    Raises
    ------
    FileNotFoundError
        The data set was not found; the message contains ways to get it.
    ValueError
        The name or the label does not exist, or the data found are damaged.
    ImportError
        pandas is not installed.

    Examples
    --------
    >>> from costboost import datasets
    >>> data = datasets.load("wdbc")
    >>> data.X.shape, data.pos_label, int((data.y == data.pos_label).sum())
    ((569, 30), 'M', 212)
    """
    record = records.record(name)
    if positive is not None:
        warn_deprecated("load(positive=...)", "pos_label=")
        pos_label = positive if pos_label is None else pos_label
    if pos_label is not None and pos_label not in record.classes:
        raise ValueError(f"{name!r} has no label {pos_label!r}, only {sorted(record.classes)}")
    need_pandas()
    table, where = _read(record, download)
    y, label, costs = _view(record, table, pos_label)
    return DataSet(
        X=table.X,
        y=y,
        data=table.X,
        target=y,
        pos_label=label,
        costs=costs,
        extra=table.extra,
        leaks=record.leaks,
        description=describe(record),
        name=name,
        record=record,
        source=where,
    )


def _read(record: Record, download: bool) -> tuple[TidyTable, str]:
    """The checked table from the first source that has it, and the name of the source."""
    failure = ""
    for found in sources.find(record, download):
        try:
            table = tidy(record, found.read(), found.where)
        except UnreachableError as error:
            failure = str(error)
            continue
        except ValueError as error:
            raise ValueError(f"{error}. {found.remedy}") from error
        _keep(found, table)
        return table, found.where
    raise FileNotFoundError(sources.advice(record, download, failure))


def _keep(found: sources.Found, table: TidyTable) -> None:
    if found.keep is None:
        return
    try:
        sources.write_table(found.keep, table.X.assign(target=table.y))
    except OSError as error:
        warnings.warn(f"{found.where} could not be kept in the cache: {error}", stacklevel=4)


def _view(
    record: Record, table: TidyTable, positive: Label | None
) -> tuple[Any, Label | None, DataSetCosts | MatrixCosts | None]:
    """Labels, positive label and costs for the given positive label."""
    if positive is not None and len(record.classes) > 2:
        return (table.y == positive).astype(np.int64), 1, None
    costs = costs_of(dict(record.costs), table, record.positive) if record.costs else None
    if positive in (None, record.positive):
        return table.y, record.positive, costs
    swapped = costs.swapped() if isinstance(costs, DataSetCosts) else costs
    return table.y, positive, swapped


# ---- columns, labels and counts as in the record -------------------------------------------------


def need_pandas() -> None:
    """Raise an ImportError that names the extra if pandas is not installed."""
    try:
        import pandas  # noqa: F401
    except ImportError as error:
        message = "costboost.datasets needs pandas: pip install 'costboost[datasets]'"
        raise ImportError(message, name="pandas") from error


def tidy(record: Record, raw: Any, where: str) -> TidyTable:
    """The table in the form of the record; a ValueError if it is not the expected data set."""
    lacking = [name for name in (*record.columns, "target") if name not in raw.columns]
    if lacking:
        raise ValueError(f"{where} is not {record.name!r}: it has no column {lacking[0]!r}")
    extra = [name for name in record.extra if name in raw.columns]
    table = TidyTable(
        X=typed(record, raw, where),
        y=labels(record, raw["target"], where),
        extra=raw[extra].reset_index(drop=True),
    )
    check(record, table, where)
    return table


# ---- columns -------------------------------------------------------------------------------------


def typed(record: Record, raw: Any, where: str) -> Any:
    """The features: categories for nominal columns, numbers for the others."""
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
    """The column as integers if all values are whole and none is missing, otherwise as floats."""
    import pandas as pd

    is_categorical = isinstance(column.dtype, pd.CategoricalDtype)
    values = pd.to_numeric(column.astype(object) if is_categorical else column).astype(float)
    whole = values.notna().all() and (values % 1 == 0).all()
    return values.astype("int64") if whole else values


def categories(column: Any) -> Any:
    """The column as categories in sorted order; categories that are whole numbers are integers."""
    column = column.astype("category").cat.remove_unused_categories()
    found: list[Any] = [plain(value) for value in column.cat.categories]
    if all(value.lstrip("-").isdigit() for value in found):
        found = [int(value) for value in found]
    column = column.cat.rename_categories(found)
    return column.cat.reorder_categories(sorted(found))


def labels(record: Record, column: Any, where: str) -> NDArray[Any]:
    """The labels in the form of the record: integers or text."""
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


# ---- counts --------------------------------------------------------------------------------------


def check(record: Record, table: TidyTable, where: str) -> None:
    """Raise a ValueError if a number of rows or missing values differs from the record."""
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
