"""Rows, bins and weights for tests of the kernels and of the slow reference."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.engine import _kernels as kernels
from costboost._core.rules.record import Criterion

THREADS = [1, 2, 5, 8]

KINDS = {number: name for name, number in kernels.KINDS.items()}
"""Names of the criteria by the numbers that the reference gives them."""

TYPES = [np.float32, np.float64]
LAYOUTS = ["C", "F", "rows apart", "columns apart", "backwards"]


def column(rng: np.random.Generator, n: int, dtype: Any) -> NDArray[Any]:
    """A column of one of the kinds that binning has to handle."""
    tiny, huge = np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max
    kinds = [
        lambda: rng.normal(size=n),
        lambda: rng.integers(0, rng.integers(1, 9), n),
        lambda: rng.integers(-400, 400, n),
        lambda: np.where(rng.random(n) < 0.9, 0.0, rng.lognormal(sigma=3, size=n)),
        lambda: np.where(rng.random(n) < 0.5, rng.integers(0, 200, n), rng.normal(90, 60, n)),
        lambda: rng.choice([-1.0, 1.0], n) * 10.0 ** rng.uniform(-35, 35, n),
        lambda: np.exp(rng.normal(scale=12, size=n)),
        lambda: tiny * rng.integers(-5, 6, n),
        lambda: 1.0 + np.finfo(dtype).eps * rng.integers(0, 9, n),
        lambda: huge * rng.choice([-1.0, -0.5, 0.5, 1.0], n),
        lambda: rng.choice([-0.0, 0.0, 1.0], n),
        lambda: np.full(n, rng.normal()),
        lambda: np.full(n, np.nan),
        lambda: np.repeat(rng.normal(size=n // 7 + 1), 7)[:n],
        lambda: rng.normal(size=n) ** rng.integers(2, 8),
    ]
    values = np.asarray(kinds[rng.integers(len(kinds))](), dtype=dtype)
    if rng.random() < 0.4:
        values = np.where(rng.random(n) < rng.choice([0.01, 0.3, 0.95]), np.nan, values)
    return values.astype(dtype)


def lay_out(x: NDArray[Any], layout: str) -> NDArray[Any]:
    """A copy of the values with another memory layout."""
    n, d = x.shape
    if layout in {"C", "F"}:
        return np.asarray(x, order=layout)  # type: ignore[call-overload]
    if layout == "rows apart":
        out = np.full((3 * n, d), 77, dtype=x.dtype)[1::3]
    elif layout == "columns apart":
        out = np.full((n, 2 * d), 77, dtype=x.dtype)[:, ::2]
    else:
        out = np.empty_like(x)[::-1, ::-1]
    out[:] = x
    return out


def matrix(rng: np.random.Generator, n: int, d: int, dtype: Any = np.float64) -> NDArray[Any]:
    x = np.column_stack([column(rng, n, dtype) for _ in range(d)])
    return lay_out(x, LAYOUTS[rng.integers(len(LAYOUTS))])


def some_rows(rng: np.random.Generator) -> int:
    return int(rng.choice([1, 2, 3, 7, 40, 300, 700], p=[0.1, 0.1, 0.1, 0.2, 0.2, 0.2, 0.1]))


def random_split(rng: np.random.Generator, n_features: int) -> Any:
    """Any subset of bins may go left: an ordered split, a set of categories, or a constant."""
    kind = rng.integers(4)
    if kind == 0:
        return kernels.Split(polarity=int(rng.choice([-1, 1])))
    k = int(rng.integers(0, 40))
    left = np.arange(256) <= k if kind < 3 else rng.random(256) < 0.4
    left[255] = rng.random() < 0.5
    return kernels.Split(int(rng.integers(n_features)), k, 1, bool(left[255]), left)


def beside_float32(rng: np.random.Generator, n: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Single precision values, and thresholds on them or less than one of their ulps away."""
    value = np.asarray(rng.choice([-1, 1], n) * 2.0 ** rng.uniform(-40, 40, n), dtype=np.float32)
    away = rng.choice([-np.inf, 0.0, np.inf], n)
    exact = value.astype(np.float64)
    close = np.where(away == 0, exact, np.nextafter(exact, away))
    halfway = exact + np.spacing(value).astype(np.float64) * rng.uniform(-1, 1, n)
    return value, np.where(rng.random(n) < 0.5, close, halfway)


def random_shape(rng: np.random.Generator, n_inner: int) -> NDArray[np.int32]:
    """Children of the inner nodes of a random binary tree, leaves as ~number."""
    child = np.full(2 * n_inner, -1, dtype=np.int32)
    free = [0, 1]
    for node in range(1, n_inner):
        slot = free.pop(int(rng.integers(len(free))))
        child[slot] = node
        free += [2 * node, 2 * node + 1]
    for leaf, slot in enumerate(sorted(free)):
        child[slot] = ~leaf
    return child


def criterion_of(
    criterion: int, smoothing: float = 0.0, cost_positive: float = 1.0, cost_negative: float = 1.0
) -> Criterion:
    return Criterion(KINDS[criterion], smoothing, cost_positive, cost_negative)


def search(
    histogram: NDArray[np.int64],
    unit_positive: float,
    unit_negative: float,
    n_bins: NDArray[np.int32],
    categorical: NDArray[np.uint8],
    counts: NDArray[np.int64] | None,
    min_samples_leaf: int,
    criterion: int,
    smoothing: float,
    relative: bool,
    n_threads: int = 1,
    cost_positive: float = 1.0,
    cost_negative: float = 1.0,
    draw: tuple[int, int, bool] | None = None,
) -> kernels.Split:
    """The kernel's search with the arguments of `reference.search`."""
    return kernels.search(
        histogram,
        (unit_positive, unit_negative),
        kernels.Features(n_bins, categorical),
        criterion_of(criterion, smoothing, cost_positive, cost_negative),
        counts,
        min_samples_leaf,
        relative,
        n_threads,
        draw,
    )
