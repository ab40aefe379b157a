"""Lazy predictions for Dask collections."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from functools import wraps
from inspect import signature
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from costboost._core.backends.dask.blocks import check_dimensions, is_collection, row_blocks
from costboost.classifiers.cost_blocks import (
    DIMENSIONS,
    Joined,
    cost_blocks,
    has_partitions_of,
    with_costs,
)

Function = TypeVar("Function", bound=Callable[..., Any])


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
        if hasattr(given.get("costs"), "arguments"):  # a record, some of whose entries are of rows
            given |= given.pop("costs").arguments
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
    check_columns(clf, X)
    dtype, n_columns = layout_of(method, clf.classes_, getattr(clf, "actions_", None))
    constant = {name: costs.pop(name) for name in OF_ALL_ROWS if name in costs}
    _refuse_estimate(constant)
    columns_of_X = [name for name, cost in costs.items() if has_partitions_of(X, cost)]
    rows = (
        row_blocks(X, with_costs, *map(costs.pop, columns_of_X)) if columns_of_X else row_blocks(X)
    )
    blocks = {name: cost_blocks(name, cost, rows.chunks[0]) for name, cost in costs.items()}
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


def check_columns(clf: Any, X: Any) -> None:
    """Check number and names of the columns as for data in memory; reads no rows."""
    check_dimensions(X)
    known = X
    if hasattr(X, "columns"):
        import pandas as pd

        known = pd.DataFrame(columns=X.columns)
    validate_data(clf, known, reset=False, skip_check_array=True)


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
    rows, *columns = block if isinstance(block, Joined) else [block]
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
