"""Haar-like features of image patches (Viola & Jones 2004), computed from integral images.

A feature compares the sums of pixels in two, three or four adjacent rectangles of equal size. The
integral image holds the sum of all pixels above and to the left of each point, so that the sum in
a rectangle takes four of its values and a feature at most nine. All features of a patch are
therefore the product of a sparse matrix, with at most nine entries in a row, and the integral
image; `HaarFeatures.compute` multiplies a block of its rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from costboost.tables import ComputedFeatures

KINDS: dict[str, NDArray[np.float64]] = {
    "two, side by side": np.array([[1.0, -1.0]]),
    "two, one above the other": np.array([[1.0], [-1.0]]),
    "three, side by side": np.array([[-1.0, 1.0, -1.0]]),
    "three, one above the other": np.array([[-1.0], [1.0], [-1.0]]),
    "four": np.array([[1.0, -1.0], [-1.0, 1.0]]),
}
"""Arrangements of rectangles, and the sign with which the sum of each rectangle counts."""


class Layout(NamedTuple):
    """All features of patches of one size, in the order of `KINDS`, rectangle size and place."""

    places: NDArray[np.int16]
    """Kind, top, left, and height and width of one rectangle, for every feature."""
    corners: Any
    """Sparse matrix: a row for every feature, a column for every point of the integral image."""


def features_of(height: int, width: int, step: int = 1) -> Iterator[tuple[int, int, int, int, int]]:
    """Kind, top, left, and height and width of one rectangle, of every feature of a patch.

    With a ``step`` of s, places and sizes are multiples of s pixels.
    """
    for kind, signs in enumerate(KINDS.values()):
        n_down, n_across = signs.shape
        for high in range(step, height // n_down + 1, step):
            for wide in range(step, width // n_across + 1, step):
                for top in range(0, height - n_down * high + 1, step):
                    for left in range(0, width - n_across * wide + 1, step):
                        yield kind, top, left, high, wide


@cache
def layout(height: int, width: int, step: int = 1) -> Layout:
    """Places of all features, and the points of the integral image that they are sums of."""
    places = np.array(list(features_of(height, width, step)), dtype=np.int16).reshape(-1, 5)
    parts = [
        _corners(signs, places[places[:, 0] == kind].astype(np.int32), width)
        for kind, signs in enumerate(KINDS.values())
    ]
    shape = len(places), (height + 1) * (width + 1)
    data, indices, lengths = (np.concatenate(part) for part in zip(*parts, strict=True))
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    return Layout(places, sparse.csr_array((data, indices, indptr), shape=shape))


def _corners(
    signs: NDArray[np.float64], places: NDArray[np.int32], width: int
) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.int32]]:
    """Weights and numbers of the points of features of one kind, and how many each has."""
    weight = np.zeros((signs.shape[0] + 1, signs.shape[1] + 1))
    weight[:-1, :-1] += signs
    weight[1:, 1:] += signs
    weight[:-1, 1:] -= signs
    weight[1:, :-1] -= signs
    down, across = np.nonzero(weight)
    _, top, left, high, wide = places.T[:, :, np.newaxis]
    points = (top + down * high) * (width + 1) + left + across * wide
    data = np.tile(weight[down, across], len(places))
    return data, points.astype(np.int32).ravel(), np.full(len(places), down.size, dtype=np.int32)


class HaarFeatures(ComputedFeatures):
    """The Haar-like features of patches, as an X for classifiers.

    Each patch is normalised first: its mean is subtracted, and it is divided by the standard
    deviation of its pixels. A patch of one grey is 0 everywhere.

    Parameters
    ----------
    patches : array of shape (n_patches, height, width)
        Grey values, on any scale.
    step : int, default=1
        Places and sizes of rectangles are multiples of so many pixels. With 1, a patch of 24 x 24
        pixels has 162,336 features.
    """

    def __init__(self, patches: Any, step: int = 1) -> None:
        patches = np.asarray(patches, dtype=np.float64)
        if patches.ndim != 3:
            raise ValueError(f"patches must have 3 dimensions, got {patches.ndim}")
        if not np.isfinite(patches).all():
            raise ValueError("patches contain NaN or infinity")
        n, height, width = patches.shape
        self.size = height, width
        self.step = step
        self.integral = np.ascontiguousarray(_integral(_normalised(patches)).reshape(n, -1).T)
        """Integral images, one in each column."""
        self.shape = n, len(self.layout.places)

    @property
    def layout(self) -> Layout:
        """Places of the features, and the points of the integral image that they are sums of."""
        return layout(*self.size, self.step)

    def compute(self, features: NDArray[np.intp]) -> NDArray[np.float64]:
        values: NDArray[np.float64] = (self.layout.corners[features] @ self.integral).T
        return values

    def take(self, rows: Any) -> Self:
        part = object.__new__(type(self))
        part.size, part.step = self.size, self.step
        part.integral = np.ascontiguousarray(self.integral[:, rows])
        part.shape = part.integral.shape[1], self.shape[1]
        return part


def _normalised(patches: NDArray[np.float64]) -> NDArray[np.float64]:
    centred = patches - patches.mean(axis=(1, 2), keepdims=True)
    spread = patches.std(axis=(1, 2), keepdims=True)
    return np.asarray(centred / np.where(spread > 0, spread, 1.0))


def _integral(patches: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sums of the pixels above and to the left of each point, which has one more row and column."""
    n, height, width = patches.shape
    integral = np.zeros((n, height + 1, width + 1))
    patches.cumsum(axis=1).cumsum(axis=2, out=integral[:, 1:, 1:])
    return integral
