"""Haar-like features against sums of pixels, and models on them against models on floats."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from costboost.algorithms import AdaBoostClassifier, CSAdaClassifier
from costboost_lab.studies.masnadi_faces import KINDS, HaarFeatures, features_of, layout


def naive(patch: NDArray[Any], place: tuple[int, int, int, int, int]) -> float:
    """Sum of the pixels of every rectangle with its sign."""
    kind, top, left, high, wide = (int(value) for value in place)
    total = 0.0
    for down, line in enumerate(list(KINDS.values())[kind]):
        for across, sign in enumerate(line):
            for y in range(top + down * high, top + (down + 1) * high):
                for x in range(left + across * wide, left + (across + 1) * wide):
                    total += sign * patch[y, x]
    return total


def patches(n: int, height: int, width: int) -> NDArray[np.float64]:
    return np.random.default_rng(0).integers(0, 256, (n, height, width)).astype(float)


@pytest.mark.parametrize(("height", "width", "step"), [(6, 6, 1), (5, 8, 1), (9, 7, 2), (3, 3, 1)])
def test_features_are_sums_of_pixels(height: int, width: int, step: int) -> None:
    images = patches(3, height, width)
    X = HaarFeatures(images, step)
    values = X.compute(np.arange(X.shape[1]))
    places = list(features_of(height, width, step))
    assert values.shape == X.shape == (3, len(places))
    for image, row in zip(images, values, strict=True):
        normal = (image - image.mean()) / image.std()
        expected = [naive(normal, place) for place in places]
        np.testing.assert_allclose(row, expected, atol=1e-12)


def test_integral_images_of_whole_numbers_are_exact() -> None:
    """Without normalisation, which a patch of mean 0 and deviation 1 does not change."""
    image = np.where(np.add.outer(np.arange(8), np.arange(8)) % 2, 1.0, -1.0)
    X = HaarFeatures(image[np.newaxis])
    values = X.compute(np.arange(X.shape[1]))[0]
    assert values.tolist() == [naive(image, place) for place in features_of(8, 8)]


def test_number_of_features() -> None:
    assert len(layout(24, 24).places) == 162_336
    assert layout(24, 24).corners.nnz == sum(
        {0: 6, 1: 6, 2: 8, 3: 8, 4: 9}[kind] for kind, *_ in features_of(24, 24)
    )


def test_brightness_and_contrast_do_not_matter() -> None:
    images = patches(2, 6, 6)
    every = np.arange(HaarFeatures(images).shape[1])
    values = HaarFeatures(images).compute(every)
    np.testing.assert_allclose(HaarFeatures(3 * images + 7).compute(every), values, atol=1e-12)
    flat = HaarFeatures(np.full((1, 6, 6), 9.0))
    assert not flat.compute(every).any()


def test_values_do_not_depend_on_the_block_or_on_other_patches() -> None:
    X = HaarFeatures(patches(9, 10, 10))
    every = X.compute(np.arange(X.shape[1]))
    some = np.array([3, 500, 501, 7])
    np.testing.assert_array_equal(X.compute(some), every[:, some])
    rows = np.array([8, 2, 2])
    np.testing.assert_array_equal(X[rows].compute(some), every[rows][:, some])


@pytest.mark.parametrize("kind", [AdaBoostClassifier, partial(CSAdaClassifier, fn_cost=5)])
def test_models_are_those_of_the_dense_matrix(kind: Any) -> None:
    images = patches(60, 10, 10)
    y = np.arange(60) % 2
    images[y == 1, 2:5, 3:8] += 40
    X = HaarFeatures(images)
    dense = X.compute(np.arange(X.shape[1]))
    clf = kind(n_estimators=20)
    expected = clf.fit(dense, y).model_.ensemble.tobytes()
    assert clf.fit(X, y).model_.ensemble.tobytes() == expected
    np.testing.assert_array_equal(clf.decision_function(X), clf.decision_function(dense))


def test_messages() -> None:
    with pytest.raises(ValueError, match="3 dimensions"):
        HaarFeatures(np.zeros((5, 9)))
    with pytest.raises(ValueError, match="NaN"):
        HaarFeatures(np.full((1, 4, 4), np.nan))
