"""The background of explanations: means of features that are kept with a model."""

from __future__ import annotations

from math import fsum

import numpy as np
import pytest

from costboost._core.model.background import _mean
from costboost.algorithms import CSLogitBoostClassifier


def test_the_mean_of_numbers_whose_sum_is_greater_than_any() -> None:
    largest = np.finfo(np.float64).max
    assert _mean(np.full(512, largest)) == largest
    assert _mean(np.array([largest, largest, -largest, -largest, 4.0])) == pytest.approx(0.8)


def test_usual_means_are_rounded_once() -> None:
    values = np.random.default_rng(0).normal(size=512) * 1e100
    assert _mean(values) == fsum(values.tolist()) / 512


def test_a_model_of_lines_on_the_greatest_numbers() -> None:
    y = np.arange(40) % 2
    X = np.where(np.arange(40) < 30, 1e308, -1e308)[:, np.newaxis]
    clf = CSLogitBoostClassifier(n_estimators=3).fit(X, y)
    assert np.isfinite(clf.explain(X[:2]).values).all()
