"""Parameters of estimators that are numbers, choices or flags."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from costboost._core.checks.values import LARGEST

MOST_JOBS = 1024


MOST_ROUNDS = 2**31 - 1
"""Greatest number of learners; more would take years."""


def check_integer(clf: Any, name: str, least: int | None, most: int | None = None) -> None:
    """Check that a parameter is a whole number within bounds."""
    value = getattr(clf, name)
    bad = isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral)
    bad = bad or (least is not None and value < least) or (most is not None and value > most)
    if bad:
        bounds = (
            "" if least is None else f" from {least} to {most}" if most else f" of at least {least}"
        )
        raise ValueError(f"{name} must be a whole number{bounds}, got {value!r}")


def jobs_for_joblib(n_jobs: Any, n_tasks: int) -> int | None:
    """``n_jobs`` for joblib, which would start as many processes, needed for the tasks or not."""
    if n_jobs is None:
        return None
    if not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise ValueError(
            "n_jobs must be None or a whole number other than 0, -1 for all processors, got "
            f"{n_jobs!r}"
        )
    return max(-MOST_JOBS, min(int(n_jobs), n_tasks, MOST_JOBS))


def check_number(clf: Any, name: str, least: float, strict: bool) -> None:
    """Check that a parameter is a finite number above ``least``, or equal to it if not strict."""
    value = getattr(clf, name)
    bad = isinstance(value, (bool, np.bool_)) or not isinstance(value, Real)
    if bad or not abs(value) <= LARGEST or value < least or (strict and value == least):
        relation = "above" if strict else "of at least"
        raise ValueError(f"{name} must be a number {relation} {least}, got {value!r}")


def check_between(clf: Any, name: str, least: float, most: float) -> None:
    """Check that a parameter is a number from ``least`` to ``most``."""
    value = getattr(clf, name)
    bad = isinstance(value, (bool, np.bool_)) or not isinstance(value, Real)
    if bad or not least <= value <= most:
        raise ValueError(f"{name} must be a number from {least:g} to {most:g}, got {value!r}")


def check_choice(clf: Any, name: str, choices: tuple[str, ...]) -> None:
    """Check that a parameter is one of the choices."""
    value = getattr(clf, name)
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}")


def check_flag(clf: Any, name: str) -> None:
    """Check that a parameter is True or False."""
    value = getattr(clf, name)
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False, got {value!r}")
