"""The rows of a table as scikit-learn classifiers take them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")

RowNumbers = NDArray[np.intp]


class Matrix(Protocol):
    """Rows for scikit-learn classifiers, wherever they are."""

    def mapped(self, function: Callable[[Any], NDArray[Any]]) -> NDArray[Any]:
        """Values of a function of rows, with as many rows, in the order of the rows."""

    def applied(self, rows: RowNumbers, function: Callable[..., T], *given: Any) -> T:
        """Result of a function of some rows; rows may be repeated."""


class LocalMatrix:
    """An array, data frame, sparse matrix or pyarrow table in this process."""

    def __init__(self, X: Any) -> None:
        self.X = X

    def mapped(self, function: Callable[[Any], NDArray[Any]]) -> NDArray[Any]:
        return function(self.X)

    def applied(self, rows: RowNumbers, function: Callable[..., T], *given: Any) -> T:
        return function(rows_of(self.X, rows), *given)


def rows_of(X: Any, rows: RowNumbers) -> Any:
    """The given rows of an array, data frame, sparse matrix or pyarrow table."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "take") and not hasattr(X, "dtype"):  # a pyarrow table
        return X.take(rows)
    return (X.tocsr() if hasattr(X, "tocsr") else X)[rows]
