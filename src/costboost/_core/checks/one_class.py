"""The warning of classifiers that predict one class for all training rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.checks.warning import warn

SAMPLE = 1000
"""Number of rows that are predicted first; the others only if these are all of one class."""
ONE_CLASS = "predicts one class for all training rows"


Rows = NDArray[np.intp]


def only_class(n_rows: int, decide: Callable[[Rows], NDArray[Any]]) -> Any:
    """The class that is predicted for all rows; None if there are several.

    ``decide`` returns the predictions for the rows with the given numbers.
    """
    for step in (-(-n_rows // SAMPLE), 1):
        predicted = decide(np.arange(0, n_rows, step))
        if np.any(predicted != predicted[0]):
            return None
        if step == 1:
            break
    return predicted[0]


def warn_of_one_class(name: str, label: Any, remedy: str | None) -> None:
    """Warn that a classifier predicts this label for all training rows.

    ``remedy`` is what to use instead; None for a classifier with calibrated probabilities, whose
    predictions have the least expected cost.
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
    """Suppress `warn_of_one_class`, for fits whose predictions are not used or only compared."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=f".* {ONE_CLASS}", category=UserWarning)
        yield
