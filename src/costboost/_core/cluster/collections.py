"""Dask collections as arguments: tables of fits, labels and costs, lazy predictions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from functools import wraps
from inspect import signature
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from costboost._core.checks import quoted
from costboost._core.tables import Features, Table, read_training

Function = TypeVar("Function", bound=Callable[..., Any])
Chunks = tuple[float, ...]


def is_collection(value: Any) -> bool:
    """Whether a value is a Dask array, data frame, series or index; does not import Dask."""
    return type(value).__module__.startswith(("dask.array", "dask.dataframe")) and hasattr(
        value, "__dask_graph__"
    )


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
    arrays = [_row_blocks(one, np.asarray) if is_collection(one) else one for one in values]
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
    from costboost._core.cluster.waiting import gathered

    lazy = [hasattr(one, "__dask_graph__") for one in arrays]
    futures = client.compute([one for one, is_lazy in zip(arrays, lazy, strict=True) if is_lazy])
    found = iter(gathered(client, futures, "values of the rows"))
    return (next(found) if is_lazy else one for one, is_lazy in zip(arrays, lazy, strict=True))


def parts_of(X: Any) -> Iterator[Any]:
    """The blocks of rows of a Dask collection, each computed when it is needed."""
    client = _computing_client()
    for block in _row_blocks(X).to_delayed().ravel():
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


# ---- lazy predictions ----------------------------------------------------------------------------


class Layout(NamedTuple):
    """Type and number of columns of predictions."""

    dtype: Any
    n_columns: int | None = None
    """None if predictions are one-dimensional."""


def layout_of(method: str, classes: Any, actions: Any = None) -> Layout:
    """Layout of the predictions of a method, such as `predict`, for classes or actions."""
    if method == "expected_costs":
        return Layout(np.dtype(np.float64), len(actions))
    if method == "predict":
        return Layout(np.asarray(classes if actions is None else actions).dtype)
    has_columns = method.endswith("proba") or len(classes) > 2
    return Layout(np.dtype(np.float64), len(classes) if has_columns else None)


def by_blocks(method: Function) -> Function:
    """Decorator of a method that predicts rows: for a Dask collection the result is a lazy array.

    The first argument of the method is X, and the others are costs, each one for all rows or one
    for each row, or the prevalence, which is that of all rows. Number and names of the columns of X
    are checked at once. Everything else is done when the result is computed: each block is
    predicted like an array or data frame in memory, with one thread. What a method warns of is
    announced at once, by ``_announce_`` and its name, since warnings of workers are not seen.
    """
    parameters = signature(method)

    @wraps(method)
    def predict(self: Any, X: Any, *args: Any, **named: Any) -> Any:
        if not is_collection(X):
            return method(self, X, *args, **named)
        costs = list(parameters.bind(self, X, *args, **named).arguments.items())[2:]
        given = {name: cost for name, cost in costs if cost is not None}
        announce = getattr(self, f"_announce_{method.__name__}", None)
        if announce is not None and "model_" in vars(self):
            announce(given)
        return lazy(self, method.__name__, X, given)

    return cast(Function, predict)


def lazy(clf: Any, method: str, X: Any, costs: dict[str, Any]) -> Any:
    """Dask array of the predictions of a method, with the row blocks of X.

    ``costs`` are arguments of the method: of all rows, or with one value for each row.
    """
    import dask.array as da
    from dask.delayed import delayed

    check_is_fitted(clf)
    _check_columns(clf, X)
    dtype, n_columns = layout_of(method, clf.classes_, getattr(clf, "actions_", None))
    constant = {name: costs.pop(name) for name in OF_ALL_ROWS if name in costs}
    _refuse_estimate(constant)
    columns_of_X = [name for name, cost in costs.items() if _has_partitions_of(X, cost)]
    rows = (
        _row_blocks(X, _with_costs, *map(costs.pop, columns_of_X))
        if columns_of_X
        else _row_blocks(X)
    )
    blocks = {name: _cost_blocks(name, cost, rows.chunks[0]) for name, cost in costs.items()}
    by_row = {name: cost for name, cost in blocks.items() if is_collection(cost)}
    frozen = copy(clf)  # a later fit does not change the result
    if hasattr(frozen, "n_jobs"):
        frozen.n_jobs = 1
    columns = () if n_columns is None else (n_columns,)
    empty = np.empty((0, *columns), dtype=dtype)
    return da.blockwise(  # type: ignore[no-untyped-call]
        _predict_block,
        "ij" if columns else "i",
        rows,
        "ic",
        *(part for cost in by_row.values() for part in (cost, DIMENSIONS[cost.ndim])),
        new_axes={"j": n_columns} if columns else {},
        align_arrays=False,
        concatenate=False,
        dtype=dtype,
        meta=empty,
        token=method.replace("_", "-"),
        clf=delayed(frozen, traverse=False),
        method=method,
        lazy=(*by_row, *columns_of_X),
        constant=constant | {name: cost for name, cost in blocks.items() if name not in by_row},
        empty=empty,
    )


OF_ALL_ROWS = ("prevalence", "costs", "prices")
"""Arguments that are never one for each row; ``costs`` and ``prices`` are those of actions."""


def _refuse_estimate(given: dict[str, Any]) -> None:
    if isinstance(given.get("prevalence"), str):
        raise ValueError(
            "the prevalence of a Dask collection cannot be estimated block by block; pass "
            "prevalence=costboost.estimate_prevalence(clf, X).shares, which computes the "
            "probabilities of all rows"
        )


def _predict_block(
    rows: Any,
    *blocks: Any,
    clf: Any,
    method: str,
    lazy: Sequence[str],
    constant: dict[str, Any],
    empty: Any,
) -> Any:
    """Predictions for one block of rows; ``lazy`` names the costs whose blocks are given."""
    block = _only(rows)
    rows, *columns = block if isinstance(block, _Joined) else [block]
    if rows.shape[0] == 0:
        return empty
    costs = dict(zip(lazy, [*map(_only, blocks), *columns], strict=True))
    found = np.asarray(getattr(clf, method)(rows, **costs, **constant))
    return found.astype(empty.dtype, copy=False)


def _only(block: Any) -> Any:
    """The block in the nested lists in which Dask passes dimensions that the result lacks."""
    while isinstance(block, list):
        (block,) = block
    return block


# ---- columns and rows ----------------------------------------------------------------------------


def check_dimensions(X: Any) -> None:
    """Raise a ValueError if X, a Dask collection, has not rows and columns."""
    if X.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {X.ndim}D array instead: X must be a Dask array of shape "
            "(n_samples, n_features) or a Dask data frame"
        )


def _check_columns(clf: Any, X: Any) -> None:
    """Check number and names of the columns as for data in memory; reads no rows."""
    check_dimensions(X)
    known = X
    if hasattr(X, "columns"):
        import pandas as pd

        known = pd.DataFrame(columns=X.columns)
    validate_data(clf, known, reset=False, skip_check_array=True)


def _row_blocks(values: Any, convert: Callable[..., Any] | None = None, *others: Any) -> Any:
    """A Dask array whose blocks hold all columns.

    Blocks of a data frame are pandas objects, or what ``convert`` makes of them and of those of
    other data frames.
    """
    if hasattr(values, "map_partitions"):
        names = list(values.columns) if values.ndim == 2 else None
        shape = (0,) if names is None else (0, len(names))
        return values.map_partitions(
            _converted,
            names,
            convert,
            *others,
            meta=np.empty(shape),
            enforce_metadata=False,
            align_dataframes=False,
        )
    return values.rechunk(dict.fromkeys(range(1, values.ndim), -1))


def _converted(
    part: Any, names: list[Any] | None, convert: Callable[..., Any] | None, *others: Any
) -> Any:
    """A partition of a data frame with these columns, or what ``convert`` makes of it."""
    if names is not None:
        refuse_other_columns("a partition", Shape((0, len(names)), names), shape_of(part))
    return part if convert is None else convert(part, *others)


class Shape(NamedTuple):
    """Shape of a partition, and the names of the columns of a data frame."""

    shape: tuple[int, ...]
    names: list[Any] | None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.shape[0])


def shape_of(part: Any) -> Shape:
    """Shape of a partition, which may be sparse."""
    names = list(part.columns) if hasattr(part, "columns") else None
    return Shape(tuple(map(int, part.shape)), names)


def refuse_other_columns(which: str, expected: Shape, found: Shape) -> None:
    """Raise a ValueError if a partition with rows has not the columns of its collection."""
    if not found.n_rows:
        return
    if found.shape[1:] != expected.shape[1:]:
        raise ValueError(
            f"{which} has the shape {found.shape}, but all partitions must have "
            f"{expected.shape[1]} columns, as the collection states"
        )
    if expected.names is None or found.names is None:
        return
    for k, (name, own) in enumerate(zip(expected.names, found.names, strict=True)):
        if own != name:
            raise ValueError(
                f"column {k} of {which} is {quoted(own)}, but {quoted(name)} in the collection; "
                "all partitions must have the same columns in the same order: select them by name "
                "where they are read, as by part[names]"
            )


class _Joined(tuple[Any, ...]):
    """A block of rows, and the blocks of columns of costs."""


def _with_costs(part: Any, *costs: Any) -> _Joined:
    return _Joined((part, *costs))


def _has_partitions_of(X: Any, cost: Any) -> bool:
    """Whether costs are a column of a data frame that is divided as the data frame X.

    Dask may join the partitions of a file that it reads, more of them the fewer columns it
    reads. It does that alike for what one function is given, so that X and costs must be.
    """
    return (
        hasattr(X, "map_partitions")
        and hasattr(cost, "map_partitions")
        and cost.ndim == 1
        and X.npartitions == cost.npartitions
    )


DIMENSIONS = {0: "", 1: "i", 2: "yz", 3: "iyz"}
"""Names of the dimensions of costs by their number; i are the rows."""


def _cost_blocks(name: str, cost: Any, chunks: Chunks) -> Any:
    """Costs as a Dask array with the row blocks of X, or as they are if they hold for all rows."""
    lazy = is_collection(cost)
    n_dimensions = cost.ndim if lazy else np.ndim(cost)
    if n_dimensions not in DIMENSIONS:
        raise ValueError(f"{name} has {n_dimensions} dimensions, more than costs can have")
    if "i" not in DIMENSIONS[n_dimensions]:
        return cost.rechunk(-1) if lazy else cost
    import dask.array as da

    if not lazy:
        cost = da.from_array(np.asarray(cost), chunks=-1)  # type: ignore[no-untyped-call]
    cost = _row_blocks(cost)
    own = cost.chunks[0]
    if np.isnan(own).any() or np.isnan(chunks).any():
        if len(own) != len(chunks):
            raise ValueError(
                f"{name} has {len(own)} blocks of rows, and X has {len(chunks)}, of which not all "
                "lengths are known, so that costs and rows cannot be matched; pass costs as a Dask "
                "array with the same blocks, such as a column of the same data frame, or X as an "
                "array of known lengths (X.to_dask_array(lengths=True))"
            )
        return cost
    if sum(own) != sum(chunks):
        raise ValueError(
            f"{name} must be one number or one for each of the {int(sum(chunks))} rows, got an "
            f"array of shape {cost.shape}"
        )
    return cost.rechunk({0: chunks})


# ---- the table that a fit is given: in memory, or on the cluster of a Dask collection ------------

LOCAL_LEARNERS = {"wrapped", "linear", "logistic"}
"""Weak learners that read the values of all rows, and not only their bins."""


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
    if learner in LOCAL_LEARNERS:
        what = "a scikit-learn classifier as estimator" if raw else f"estimator={learner!r}"
        raise ValueError(
            f"{what} needs all rows in one process, but X is a Dask collection on a cluster; "
            f"{advice}, or pass X.compute()"
        )
    from costboost._core.cluster.table import open_table

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
