"""Checks of parameters that are a number, a share, a name or None."""

from __future__ import annotations

from typing import Any

from costboost._core.parameters.parameter import is_given, is_number, is_share


def check_max_features(name: str, value: Any) -> None:
    """Check that a value is None, a number or share of features, or the name of a function."""
    good = value is None or (isinstance(value, str) and value in ("sqrt", "log2"))
    if is_number(value):
        good = bool(0 < value <= 1 if is_share(value) else value >= 1)
    if not good:
        raise ValueError(
            f"{name} must be None (all features), a number of features of at least 1, a "
            f"share of them above 0 and at most 1, 'sqrt' or 'log2', got {value!r}"
        )


def check_split(name: str, value: Any) -> None:
    """Check that a value states which rows are held out."""
    if isinstance(value, str):
        good = value == "loo"
    elif is_number(value):
        good = bool(0 < value < 1 if is_share(value) else value >= 2)
    elif isinstance(value, (bool, bytes, type)):
        good = False
    else:
        good = value is None or is_given(value)
    if not good:
        raise ValueError(
            f"{name} must be None (5 folds), a share of the rows between 0 and 1, a "
            "number of folds of at least 2, 'loo', a splitter or a list of (train, test) pairs, "
            f"got {value!r}"
        )
