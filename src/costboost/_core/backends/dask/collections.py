"""Dask collections as arguments: values of rows in memory, and tables of fits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from costboost._core.backends.dask.blocks import check_dimensions, is_collection, row_blocks
from costboost._core.parameters.estimators import LEARNERS
from costboost._core.tables import Features, Table, read_training

Function = TypeVar("Function", bound=Callable[..., Any])


def refuse_collections(what: str, *values: Any) -> None:
    """Raise a ValueError if one of the values is a Dask collection.

    ``what`` is the name of a function or class that trains on parts of the rows.
    """
    if any(map(is_collection, values)):
        raise ValueError(
            f"{what} trains on many parts of the rows, and takes them from arrays or frames in "
            "memory, not from Dask collections; pass X.compute(). The fits themselves can run on a "
            f"Dask cluster: call {what} within joblib.parallel_config(backend='dask')"
        )


# ---- one value for each row, in memory -----------------------------------------------------------


def in_memory(*values: Any) -> tuple[Any, ...]:
    """The values, with the Dask collections among them computed in one pass."""
    if not any(map(is_collection, values)):
        return values
    from dask.base import compute

    # As arrays, because Dask computes arrays and frames in one pass only with a warning.
    arrays = [row_blocks(one, np.asarray) if is_collection(one) else one for one in values]
    client = _computing_client()
    if client is not None:
        return tuple(_gathered(client, arrays))
    found: tuple[Any, ...] = compute(*arrays, traverse=False)  # type: ignore[no-untyped-call]
    return found


def _computing_client() -> Any:
    """The client that Dask computes with; None without one, and in a task of a worker.

    A task that waits for others has to leave its thread to them, which Dask sees to.
    """
    from dask.base import get_scheduler

    client = getattr(get_scheduler(), "__self__", None)  # type: ignore[no-untyped-call]
    if not hasattr(client, "scheduler_info"):
        return None
    from distributed import get_worker

    try:
        get_worker()
    except ValueError:
        return client
    return None


def _gathered(client: Any, arrays: Sequence[Any]) -> Iterator[Any]:
    """The values, with those of Dask computed by a cluster."""
    from costboost._core.backends.dask.waiting import gathered

    lazy = [hasattr(one, "__dask_graph__") for one in arrays]
    futures = client.compute([one for one, is_lazy in zip(arrays, lazy, strict=True) if is_lazy])
    found = iter(gathered(client, futures, "values of the rows"))
    return (next(found) if is_lazy else one for one, is_lazy in zip(arrays, lazy, strict=True))


def parts_of(X: Any) -> Iterator[Any]:
    """The blocks of rows of a Dask collection, each computed when it is needed."""
    client = _computing_client()
    for block in row_blocks(X).to_delayed().ravel():
        part = block.compute() if client is None else next(_gathered(client, [block]))
        if part.shape[0]:
            yield part


def takes_collections(function: Function) -> Function:
    """Decorator of a measure: arguments that are Dask collections are computed in one pass."""

    @wraps(function)
    def measure(*args: Any, **options: Any) -> Any:
        values = in_memory(*args, *options.values())
        named = zip(options, values[len(args) :], strict=True)
        return function(*values[: len(args)], **dict(named))

    return cast(Function, measure)


# ---- the table that a fit is given: in memory, or on the cluster of a Dask collection ------------


@contextmanager
def training_table(
    name: str,
    X: Any,
    raw: bool,
    learner: str,
    advice: str = "take estimator='stump', 'tree' or 'lookup'",
) -> Iterator[tuple[Table, Features]]:
    """Validate X; a Dask collection stays on the cluster, which is freed at the end.

    Without a client of a cluster, a collection is computed into memory. ``advice`` is what to do
    instead of using a learner that reads the values of all rows.
    """
    client = _client_of(X)
    if client is None:
        yield read_training(name, X.compute() if is_collection(X) else X, raw)
        return
    if LEARNERS[learner].on_values:
        what = "a scikit-learn classifier as estimator" if raw else f"estimator={learner!r}"
        raise ValueError(
            f"{what} needs all rows in one process, but X is a Dask collection on a cluster; "
            f"{advice}, or pass X.compute()"
        )
    from costboost._core.backends.dask.table import open_table

    check_dimensions(X)
    table, features = open_table(client, name, X)
    try:
        yield table, features
    finally:
        table.cluster.close()


def refuse_scoring(X: Any) -> None:
    """Raise a ValueError if X is on a cluster, where scikit-learn's scorers cannot be used."""
    if _client_of(X) is not None:
        raise ValueError(
            "scoring needs the rows in memory, but X is a Dask collection on a cluster; for "
            "early_stopping take scoring=None, which uses the cost of the validation rows, or pass "
            "X.compute()"
        )


def _client_of(X: Any) -> Any:
    """The client of the cluster that Dask uses at present; None if X is in memory."""
    if not is_collection(X):
        return None
    try:
        from distributed import get_client
    except ImportError:
        return None
    try:
        return get_client()
    except ValueError:
        return None
