"""Data sets from OpenML, through scikit-learn, with the columns and labels of our records."""

from __future__ import annotations

import http.client
from typing import Any

from costboost.datasets.records import OpenML, Record
from costboost.datasets.tidying import plain

RETRIES = 1
DELAY = 5.0


class UnreachableError(Exception):
    """The network or OpenML did not answer; the message says how."""


def read(record: Record, copy: OpenML) -> Any:
    """The table as the record has it; UnreachableError if it cannot be had just now."""
    try:
        fetched = fetch(copy)
    except (OSError, http.client.HTTPException) as error:
        raise UnreachableError(f"{type(error).__name__}: {error}") from error
    except ValueError as error:  # a wrong check sum, an id that is gone
        raise ValueError(f"OpenML {copy.id} could not be read ({error})") from error
    return renamed(record, copy, fetched.data, fetched.target)


def fetch(copy: OpenML) -> Any:
    from sklearn.datasets import fetch_openml

    return fetch_openml(
        data_id=copy.id,
        target_column=copy.target,
        as_frame=True,
        parser="liac-arff",  # the other one fails on nominal integers under some versions of pandas
        cache=False,  # what we keep is the checked table, not what it was made of
        n_retries=RETRIES,
        delay=DELAY,
    )


def renamed(record: Record, copy: OpenML, data: Any, target: Any) -> Any:
    """OpenML's features under our names, its labels as ours."""
    where = f"OpenML {copy.id}"
    try:
        table = data[list(copy.columns)] if copy.columns else data
        table = table.set_axis(list(record.columns), axis=1).copy()
        labels = [copy.labels[plain(label)] if copy.labels else label for label in target]
    except (KeyError, ValueError) as error:
        message = f"{where} is no longer the set {record.name!r} that was known: {error}"
        raise ValueError(message) from error
    return table.assign(target=labels)
