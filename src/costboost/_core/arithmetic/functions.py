"""Elementary functions with the same bits on every machine."""

from __future__ import annotations

from functools import partial
from typing import Any

from costboost._core.arithmetic.vectors import RowVector, each
from costboost._core.engine import _kernels


def exp(x: Any) -> Any:
    """e^x."""
    return each(_kernels.exp, x) if isinstance(x, RowVector) else _kernels.exp(x)


def exp_within(x: Any, rate: float, most: float) -> Any:
    """e^(rate x); None if the absolute value of an exponent is ``most`` or more."""
    if not isinstance(x, RowVector):
        return _kernels.exp_within(x, rate, most)
    exponent = rate * x
    return exp(exponent) if exponent.min() > -most and exponent.max() < most else None


def sinh(x: Any) -> Any:
    """(e^x - e^-x) / 2, without loss of precision for small x."""
    return each(_kernels.sinh, x) if isinstance(x, RowVector) else _kernels.sinh(x)


def log(x: Any) -> Any:
    """The natural logarithm; minus infinity of 0."""
    return each(_kernels.log, x) if isinstance(x, RowVector) else _kernels.log(x)


def log1p(x: Any) -> Any:
    """log(1 + x), without loss of precision for small x."""
    return each(_kernels.log1p, x) if isinstance(x, RowVector) else _kernels.log1p(x)


def expit(x: Any) -> Any:
    """The logistic function 1 / (1 + e^-x)."""
    return each(_kernels.expit, x) if isinstance(x, RowVector) else _kernels.expit(x)


def logit(p: Any) -> Any:
    """log(p / (1 - p)), the inverse of `expit`."""
    return each(_kernels.logit, p) if isinstance(p, RowVector) else _kernels.logit(p)


def power(x: Any, exponent: float) -> Any:
    """x^exponent, for x from 0 on."""
    if isinstance(x, RowVector):
        return each(partial(_kernels.power, exponent=exponent), x)
    return _kernels.power(x, exponent)
