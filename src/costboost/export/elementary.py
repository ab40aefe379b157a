"""Exponentials and logarithms as ONNX nodes, with the bits of `costboost.elementary`.

Runtimes have an exponential of their own, whose last bits differ. Here are the additions,
multiplications and divisions of `engine/kernels/elementary.hpp`, in the same order. Powers of two
are looked up in a table, and an exponent is found by ONNX's own logarithm and then corrected, so
that its last bits do not matter.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from math import ldexp
from typing import Any

import numpy as np

from costboost.elementary import interpolate
from costboost.engine import _kernels
from costboost.export.graph import FORMULAS, Tensor
from costboost.export.trees import place_among

FARTHEST = 1100
POWERS = np.array([ldexp(1.0, n) if n < 1024 else np.inf for n in range(-FARTHEST, FARTHEST + 1)])
"""2^n for n from -FARTHEST to FARTHEST."""
LIFT = 6755399441055744.0
PER_STEP, STEP, STEP_REST = (
    float.fromhex(digits)
    for digits in ("0x1.71547652b82fep+5", "0x1.62e42fefa0000p-6", "0x1.cf79abc9e3b3ap-45")
)
LOG_2, LOG_2_REST = (
    float.fromhex(digits) for digits in ("0x1.62e42fefa3800p-1", "0x1.ef35793c76730p-45")
)
OF_EXP = (
    0.0013888925260947679, 0.008333362430989848, 0.041666666666559986, 0.16666666666581323, 0.5,
)  # fmt: skip
OF_LOG = (
    0.13086767009948175, 0.13268759668560612, 0.15386240205813478, 0.18181795630884753,
    0.2222222239180047, 0.2857142857080323, 0.4000000000000088, 0.6666666666666666,
)  # fmt: skip
ROOT = float(np.uint64(0x3FE6A09E00000000).view(np.float64))
"""About the square root of 1/2: numbers are reduced to those from it to twice as much."""
LEAST_NORMAL = 2.0**-1022


def _power_of_two(n: Any) -> Any:
    """2^n of whole numbers as floats."""
    graph = n.graph
    return graph.add("Gather", POWERS, (n + float(FARTHEST)).as_whole())


def _polynomial(coefficients: tuple[float, ...], x: Any) -> Any:
    return reduce(lambda total, one: total * x + one, coefficients[1:], coefficients[0])


def exp(x: Any) -> Any:
    """e^x."""
    graph = x.graph
    if not graph.exact:
        return graph.add("Exp", x)
    number = np.equal(x, x)
    inner = np.clip(np.where(number, x, 0.0), -746.0, 710.0)
    n = (inner * PER_STEP + LIFT) - LIFT
    whole = np.floor(n * 0.03125)
    j: Tensor = n - 32.0 * whole
    root, root_rest = (
        graph.add("Gather", table, j.as_whole()) for table in (_roots(), _roots_rest())
    )
    high, low = inner - n * STEP, n * STEP_REST
    r = high - low
    raised = r + ((high - r) - low + _polynomial(OF_EXP, r) * (r * r))
    e = root + (root_rest + root * raised)
    great = whole >= 0.0
    first = _power_of_two(np.where(great, 1.0, whole + 100.0))
    second = _power_of_two(np.where(great, whole - 1.0, -100.0))
    found = np.where(inner < -745.1332191019412, 0.0, e * first * second)
    found = np.where(inner > 709.782712893384, np.inf, found)
    return np.where(number, found, x)


def _roots() -> Any:
    return np.array([float.fromhex(one) for one in ROOTS.split()])


def _roots_rest() -> Any:
    return np.array([float.fromhex(one) for one in ROOTS_REST.split()])


def expit(x: Any) -> Any:
    """1 / (1 + e^-x)."""
    negative = x < 0.0
    e = exp(np.where(negative, x, -x))
    return np.where(negative, e, 1.0) / (1.0 + e)


# ---- logarithms ----------------------------------------------------------------------------------


def _normalised(x: Any) -> tuple[Any, Any]:
    """Exponent n and mantissa m from 1 to 2, with x = 2^n m, of positive normal numbers."""
    n = np.floor(x.graph.add("Log", x) * 1.4426950408889634)
    m = x * _power_of_two(-n)
    small = m < 1.0
    n, m = np.where(small, n - 1.0, n), np.where(small, m * 2.0, m)
    great = m >= 2.0
    return np.where(great, n + 1.0, n), np.where(great, m * 0.5, m)


def _reduced(x: Any) -> tuple[Any, Any]:
    """Exponent n and f, with x = 2^n (1 + f), of positive finite numbers."""
    tiny = x < LEAST_NORMAL
    n, m = _normalised(np.where(tiny, x * 2.0**54, x))
    n = np.where(tiny, n - 54.0, n)
    upper = m * 0.5 >= ROOT
    return np.where(upper, n + 1.0, n), np.where(upper, m * 0.5, m) - 1.0


def _upper_half(f: Any) -> Any:
    """The first 26 bits of f."""
    size = np.abs(f)
    n, _ = _normalised(np.where(size > 0.0, size, 1.0))
    cut = np.floor(size * _power_of_two(25.0 - n)) * _power_of_two(n - 25.0)
    return np.where(f < 0.0, -cut, cut)


def _log_of_reduced(exponent: Any, f: Any, more: Any) -> Any:
    """log of 2^exponent (1 + f), plus a small number."""
    s = f / (2.0 + f)
    z, upper = s * s, _upper_half(f)
    square, rest = 0.5 * upper * upper, 0.5 * (f - upper) * (f + upper)
    high = f - square
    low = ((f - high) - square) - rest + s * (square + rest + z * _polynomial(OF_LOG, z))
    whole = exponent * LOG_2
    total = whole + high
    lower = ((whole - total) + high) + (low + (exponent * LOG_2_REST + more))
    return np.where(np.equal(exponent, 0.0), high + (low + more), total + lower)


def _or_special(x: Any, regular: Any, found: Any) -> Any:
    """Logarithms, and what takes their place where x is not positive and finite."""
    special = np.where(x < 0.0, np.nan, np.where(np.equal(x, 0.0), -np.inf, x))
    return np.where(regular, found, special)


def log(x: Any) -> Any:
    """The natural logarithm; minus infinity of 0."""
    if not x.graph.exact:
        return x.graph.add("Log", x)
    regular = (x > 0.0) & (x < np.inf)
    return _or_special(x, regular, _log_of_reduced(*_reduced(np.where(regular, x, 1.0)), 0.0))


def log1p(x: Any) -> Any:
    """log(1 + x)."""
    total = 1.0 + x
    if not x.graph.exact:
        return x.graph.add("Log", total)
    size, near = np.abs(x), (x > -0.29) & (x < 0.41)
    regular = (total > 0.0) & (total < np.inf)
    inner = np.where(regular, total, 1.0)
    lost = np.where(size < 1.0, x - (total - 1.0), 1.0 - (total - x))
    exponent, f = _reduced(inner)
    found = _log_of_reduced(
        np.where(near, 0.0, exponent), np.where(near, x, f), np.where(near, 0.0, lost / inner)
    )
    return np.where(size < 2.0**-54, x, _or_special(total, regular, found))


def logit(p: Any) -> Any:
    """log(p / (1 - p))."""
    s = 2.0 * p - 1.0
    return np.where((p > 0.3) & (p < 0.65), log1p(s) - log1p(-s), log(p / (1.0 - p)))


# ---- interpolation -------------------------------------------------------------------------------


def _interpolated(x: Tensor, at: Any, values: Any) -> Any:
    """`costboost.elementary.interpolate`, with its numbers looked up by a tree of comparisons."""
    if at.size < 2:
        return np.where(np.equal(x, x), values[0], values[0])
    graph = x.graph
    k = place_among(graph, x, at[1:-1]) if at.size > 2 else np.int64(0)
    part = 0.5 if max(abs(at[0]), abs(at[-1])) > 1e300 else 1.0
    with np.errstate(over="ignore", invalid="ignore"):
        slopes = np.diff(values) / np.diff(part * at)
    slope, start, value = (graph.add("Gather", table, k) for table in (slopes, at, values))
    inside = slope * (part * np.clip(x, at[0], at[-1]) - part * start) + value
    inside = np.where(np.equal(x, start), value, inside)
    return np.where(x >= at[-1], values[-1], np.where(x < at[0], values[0], inside))


OWN: dict[Any, Callable[..., Any]] = {
    _kernels.exp: exp,
    _kernels.expit: expit,
    _kernels.log: log,
    _kernels.log1p: log1p,
    _kernels.logit: logit,
    interpolate: _interpolated,
}
FORMULAS.update(OWN)

ROOTS = """
0x1.0000000000000p+0 0x1.059b0d3158574p+0 0x1.0b5586cf9890fp+0 0x1.11301d0125b51p+0
0x1.172b83c7d517bp+0 0x1.1d4873168b9aap+0 0x1.2387a6e756238p+0 0x1.29e9df51fdee1p+0
0x1.306fe0a31b715p+0 0x1.371a7373aa9cbp+0 0x1.3dea64c123422p+0 0x1.44e086061892dp+0
0x1.4bfdad5362a27p+0 0x1.5342b569d4f82p+0 0x1.5ab07dd485429p+0 0x1.6247eb03a5585p+0
0x1.6a09e667f3bcdp+0 0x1.71f75e8ec5f74p+0 0x1.7a11473eb0187p+0 0x1.82589994cce13p+0
0x1.8ace5422aa0dbp+0 0x1.93737b0cdc5e5p+0 0x1.9c49182a3f090p+0 0x1.a5503b23e255dp+0
0x1.ae89f995ad3adp+0 0x1.b7f76f2fb5e47p+0 0x1.c199bdd85529cp+0 0x1.cb720dcef9069p+0
0x1.d5818dcfba487p+0 0x1.dfc97337b9b5fp+0 0x1.ea4afa2a490dap+0 0x1.f50765b6e4540p+0
"""
"""2^(j / 32), rounded, for j from 0 to 31."""
ROOTS_REST = """
0x0.0p+0 0x1.d73e2a475b465p-55 0x1.8a62e4adc610bp-54 -0x1.6c51039449b3ap-54
-0x1.19041b9d78a76p-55 0x1.e016e00a2643cp-54 0x1.9b07eb6c70573p-54 0x1.612e8afad1255p-55
0x1.6f46ad23182e4p-55 -0x1.63aeabf42eae2p-54 0x1.ada0911f09ebcp-55 0x1.89b7a04ef80d0p-59
0x1.d4397afec42e2p-56 -0x1.07abe1db13cadp-55 0x1.6324c054647adp-54 -0x1.383c17e40b497p-54
-0x1.bdd3413b26456p-54 -0x1.16e4786887a99p-55 -0x1.41577ee04992fp-55 -0x1.d4c1dd41532d8p-54
0x1.6e9f156864b27p-54 -0x1.75fc781b57ebcp-57 0x1.c7c46b071f2bep-56 -0x1.d2f6edb8d41e1p-54
0x1.7a1cd345dcc81p-54 -0x1.5584f7e54ac3bp-56 0x1.11065895048ddp-55 0x1.503cbd1e949dbp-56
0x1.2ed02d75b3707p-55 -0x1.1a5cd4f184b5cp-54 -0x1.e9c23179c2893p-54 0x1.9d3e12dd8a18bp-54
"""
"""What rounding has left out of them."""
