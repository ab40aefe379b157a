"""A warning about classifiers that predict one class for all of their training rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.checks import warn

SAMPLE = 1000
"""Rows that are decided first; only if they are all of one class, the others are looked at."""
ONE_CLASS = "predicts one class for all training rows"

Rows = NDArray[np.intp]


def only_class(n_rows: int, decide: Callable[[Rows], NDArray[Any]]) -> Any:
    """The class that all rows are predicted to be of; None if there are several.

    ``decide`` returns the predictions for the rows with the given numbers.
    """
    for rows in (np.arange(0, n_rows, -(-n_rows // SAMPLE)), np.arange(n_rows)):
        predicted = decide(rows)
        if np.any(predicted != predicted[0]):
            return None
        if rows.size == n_rows:
            break
    return predicted[0]


def warn_of_one_class(name: str, label: Any, remedy: str | None) -> None:
    """Warn that a classifier predicts this label for all training rows.

    Without a remedy its probabilities are calibrated, so that this is the cheapest decision.
    """
    label = label.item() if isinstance(label, np.generic) else label
    reason = "by its calibrated probabilities that costs least for each of them. "
    advice = (
        "Check the costs; more rows, or features that distinguish the classes better, may change it"
    )
    if remedy is not None:
        reason = "its scores are all on one side of the decision threshold under these costs. "
        advice = f"Take {remedy}"
    warn(f"{name} {ONE_CLASS}, {label!r}: {reason}{advice}.")


@contextmanager
def one_class_allowed() -> Iterator[None]:
    """No warning of one class: for fits whose own decisions are not used, or only compared."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=f".* {ONE_CLASS}", category=UserWarning)
        yield
