"""``load`` and ``available``: the sources, the checks and the costs put together."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from costboost.checks import warn_deprecated
from costboost.datasets import files, records, sources
from costboost.datasets.costs import MatrixCosts, OutcomeCosts, costs_of
from costboost.datasets.describing import describe
from costboost.datasets.openml import UnreachableError
from costboost.datasets.records import Label, Record
from costboost.datasets.tidying import Table, need_pandas, tidy


def available(*, local: bool = False) -> list[str]:
    """The names of the data sets.

    Parameters
    ----------
    local : bool, default=False
        Only those that can be loaded without the network: their file is in the folder of
        ``COSTBOOST_DATA`` or in the cache, or an installed package carries them.

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
    """A data set, whose fields are keys and attributes."""

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

    The places are tried in this order: the folder that the environment variable ``COSTBOOST_DATA``
    names, the cache folder, installed packages that carry the set, OpenML. A file that is damaged,
    cut short or not the one expected is refused, never loaded in part.

    Parameters
    ----------
    name : str
        One of ``available()``.
    pos_label : label, default=None
        The label to be taken as positive. With two classes, y stays as it is and the costs change
        sides if need be. With more, y becomes 1 for this label and 0 for the rest.
    download : bool, default=True
        Whether OpenML may be asked if the set is not on this machine.
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
        - ``costs``: `OutcomeCosts`, `MatrixCosts`, or None if the set has none
        - ``extra``: a frame of the columns that are not features, as far as the source has them
        - ``leaks``: names of columns of X that tell of the outcome or name the row
        - ``description``, ``name``, ``record``, ``source``: what it is, and where it was found

    Raises
    ------
    FileNotFoundError
        The set could not be had; the message says how to get it.
    ValueError
        The name or the label does not exist, or what was found is damaged.
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


def _read(record: Record, download: bool) -> tuple[Table, str]:
    """The checked table from the first place that has it."""
    trouble = ""
    for found in sources.find(record, download):
        try:
            table = tidy(record, found.read(), found.where)
        except UnreachableError as error:
            trouble = str(error)
            continue
        except ValueError as error:
            raise ValueError(f"{error}. {found.remedy}") from error
        _keep(found, table)
        return table, found.where
    raise FileNotFoundError(sources.advice(record, download, trouble))


def _keep(found: sources.Found, table: Table) -> None:
    if found.keep is None:
        return
    try:
        files.keep(found.keep, table.X.assign(target=table.y))
    except OSError as error:
        warnings.warn(f"{found.where} could not be kept in the cache: {error}", stacklevel=4)


def _view(
    record: Record, table: Table, positive: Label | None
) -> tuple[Any, Label | None, OutcomeCosts | MatrixCosts | None]:
    """Labels, positive label and costs under the user's choice of the positive label."""
    if positive is not None and len(record.classes) > 2:
        return (table.y == positive).astype(np.int64), 1, None
    costs = costs_of(dict(record.costs), table, record.positive) if record.costs else None
    if positive in (None, record.positive):
        return table.y, record.positive, costs
    swapped = costs.swapped() if isinstance(costs, OutcomeCosts) else costs
    return table.y, positive, swapped
