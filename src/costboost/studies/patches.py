"""Patches of images: faces and others, from a data set or from a folder of the user."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost import datasets

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
