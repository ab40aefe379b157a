"""Several runs: the classifiers of a cross-validation with their rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_consistent_length

from costboost.decisions.wrapping import take


class Run(NamedTuple):
    """A classifier with the indices of its training and test rows."""

    estimator: Any
    train: Any
    test: Any


def runs_of(cv_results: Any, X: Any, y: Any) -> list[Run]:
    """The runs of scikit-learn's cross_validate."""
    if not isinstance(cv_results, Mapping) or not {"estimator", "indices"} <= set(cv_results):
        raise ValueError(
            "cv_results must be what sklearn.model_selection.cross_validate returns with "
            "return_estimator=True and return_indices=True"
        )
    check_consistent_length(X, y)
    parts = cv_results["indices"]
    triples = zip(cv_results["estimator"], parts["train"], parts["test"], strict=True)
    found = [Run(*one) for one in triples]
    n_rows = len(np.asarray(y))
    if any(int(np.max(rows)) >= n_rows for run in found for rows in run[1:]):
        raise ValueError(
            f"cv_results has rows beyond the {n_rows} of X and y; pass those that were given to "
            "cross_validate"
        )
    return found


def part(values: Any, rows: Any) -> Any:
    """The values of the given rows; a single value for all rows is returned as it is."""
    return values if values is None or np.ndim(values) == 0 else take(values, rows)
