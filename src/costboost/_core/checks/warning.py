"""Warnings that point to the caller outside of the library."""

from __future__ import annotations

import warnings
from inspect import currentframe

LIBRARY = __name__.split(".")[0]


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Issue a warning whose stack level is the first caller outside of the library."""
    frame, level = currentframe(), 1
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == LIBRARY:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


class UnseenCategoryWarning(UserWarning):
    """Many values of a column are categories that training had no rows of.

    Predictions take them as missing or, in columns of very many categories, as one of the rare
    ones. Values of another type are other categories: 3 and "3" differ.
    """
