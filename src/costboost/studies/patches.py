"""Patches of images: faces and others, from a data set or from a folder of the user."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from costboost import datasets
from costboost.tables import ComputedFeatures

FACES = ("faces", "face", "positive", "positives", "pos", "1")
OTHERS = (
    "nonfaces", "non-faces", "non_faces", "nonface", "non-face", "non_face", "background",
    "negative", "negatives", "neg", "0",
)  # fmt: skip
"""Names of the two subfolders, in any case of letters."""
IMAGES = (".png", ".pgm", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff")
FEWEST, SMALLEST = 10, 4
"""Least number of patches of a class, and of pixels along a side."""


class Patches(NamedTuple):
    """Grey patches of one size, and which of them are faces."""

    pixels: NDArray[np.float64]
    """An array of shape (n_patches, height, width)."""
    y: NDArray[np.intp]
    """1 for a face, 0 for any other patch."""

    @property
    def digest(self) -> str:
        """A short hash of all pixels and labels."""
        content = np.ascontiguousarray(self.pixels).tobytes() + self.y.tobytes()
        return hashlib.sha256(content).hexdigest()[:12]


@lru_cache(maxsize=2)
def lfw_subset() -> Patches:
    """The 100 faces and 100 other patches of scikit-image's lfw_subset, 25 x 25 pixels."""
    data = datasets.load("lfw_subset_faces")
    pixels = data.X.to_numpy(dtype=np.float64)
    side = int(np.sqrt(pixels.shape[1]))
    return Patches(pixels.reshape(-1, side, side), np.asarray(data.y, dtype=np.intp))


@lru_cache(maxsize=2)
def drawn_patches() -> Patches:
    """Patches of 12 x 12 pixels of noise, half of them with two dark spots above a bright bar."""
    random = np.random.default_rng(0)
    pixels = random.normal(size=(120, 12, 12)).cumsum(axis=1).cumsum(axis=2)
    y = np.arange(120) % 2
    pattern = np.zeros((12, 12))
    pattern[2:5, 2:5] = pattern[2:5, 7:10] = -1.0
    pattern[8:10, 3:9] = 1.0
    strength = random.uniform(1.0, 3.0, size=(120, 1, 1)) * pixels.std(axis=(1, 2), keepdims=True)
    return Patches(pixels + y[:, None, None] * strength * pattern, y)


@lru_cache(maxsize=2)
def folder_patches(folder: str) -> Patches:
    """Patches in a folder with two subfolders, such as ``faces`` and ``non-faces``.

    A subfolder holds images (PNG, PGM and others that Pillow reads; colours are converted to grey)
    and arrays of NumPy (``.npy``: one patch, or several along the first axis). All patches have
    one size.
    """
    found = [
        [patch for path in _files(_subfolder(Path(folder), names)) for patch in _read(path)]
        for names in (FACES, OTHERS)
    ]
    _check(Path(folder), found)
    pixels = np.stack([values for patches in found for _, values in patches])
    y = np.repeat([1, 0], [len(patches) for patches in found])
    return Patches(pixels, y)


def _subfolder(folder: Path, names: tuple[str, ...]) -> Path:
    there = sorted(path for path in folder.iterdir() if path.is_dir())
    known = [path for path in there if path.name.lower() in names]
    if len(known) != 1:
        listed = ", ".join(path.name for path in there) or "none"
        problem = "several of its subfolders are" if known else "none of its subfolders is"
        raise ValueError(
            f"{folder} must have one subfolder of faces and one of other patches, such as 'faces' "
            f"and 'non-faces', but {problem} named {' or '.join(map(repr, names[:3]))}; it has "
            f"{listed}"
        )
    return known[0]


def _files(folder: Path) -> Iterator[Path]:
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() in (*IMAGES, ".npy"))
    if not files:
        raise ValueError(f"{folder} holds no patches: no file ends in .npy, {', '.join(IMAGES)}")
    return iter(files)


def _read(path: Path) -> Iterator[tuple[Path, NDArray[np.float64]]]:
    values = _array(path) if path.suffix.lower() == ".npy" else _image(path)
    if not np.isfinite(values).all():
        raise ValueError(f"{path} contains NaN or infinity")
    yield from ((path, patch) for patch in values.astype(np.float64))


def _array(path: Path) -> NDArray[Any]:
    """The patches of an array, along the first axis."""
    try:
        values = np.load(path, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} is not an array that NumPy can read: {error}") from error
    if values.ndim not in (2, 3) or values.dtype.kind not in "biuf":
        raise ValueError(
            f"{path} must hold numbers in 2 dimensions, one patch, or in 3, several patches; it "
            f"has shape {values.shape} and type {values.dtype}"
        )
    return np.atleast_3d(values) if values.ndim == 3 else values[np.newaxis]


def _image(path: Path) -> NDArray[Any]:
    """The one patch of an image."""
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError as error:
        raise ImportError(
            'reading images needs Pillow, which is not installed: pip install "costboost[plots]"; '
            "arrays in .npy files need nothing else"
        ) from error
    try:
        with Image.open(path) as image:
            deep = image.mode.startswith("I") or image.mode == "F"
            return np.asarray(image if deep else image.convert("L"))[np.newaxis]
    except (OSError, UnidentifiedImageError) as error:
        raise ValueError(f"{path} is not an image that can be read: {error}") from error


def _check(folder: Path, found: list[list[tuple[Path, NDArray[np.float64]]]]) -> None:
    """Raise a ValueError if there are too few patches, or patches of several sizes."""
    first_path, first = found[0][0]
    for path, values in (patch for patches in found for patch in patches):
        if values.shape != first.shape:
            raise ValueError(
                f"all patches must have one size, but {path} has {_size(values)} pixels and "
                f"{first_path} has {_size(first)}; scale them to one size, such as 24 x 24"
            )
    if min(first.shape) < SMALLEST:
        raise ValueError(f"patches must have at least {SMALLEST} x {SMALLEST} pixels, not "
                         f"{_size(first)}")  # fmt: skip
    for patches, kind in zip(found, ("faces", "other patches"), strict=True):
        if len(patches) < FEWEST:
            raise ValueError(f"{folder} has {len(patches)} {kind}; at least {FEWEST} are needed")


def _size(values: NDArray[Any]) -> str:
    return " x ".join(map(str, values.shape))


# ---- Haar-like features --------------------------------------------------------------------------

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
