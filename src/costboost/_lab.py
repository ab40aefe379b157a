"""Errors of what is in the distribution costboost-lab, where that is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

LAB = "costboost_lab"


def missing(what: str) -> ModuleNotFoundError:
    """The error that says where something is, and how to install it."""
    return ModuleNotFoundError(f"{what} is in costboost-lab: pip install costboost-lab", name=LAB)


@contextmanager
def required(what: str) -> Iterator[None]:
    """Raise the error of `missing` where an import of the lab fails because it is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != LAB:
            raise
        raise missing(what) from None
