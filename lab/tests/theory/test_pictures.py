"""`LossDisplay` of algorithms draws the losses of `costboost_lab.theory`."""

from __future__ import annotations

from typing import Any

import pytest
from numpy.testing import assert_array_equal

from costboost.algorithms import AdaC3Classifier, CGAdaClassifier, CSAdaClassifier, CSB2Classifier
from costboost.plots import LossDisplay
from costboost_lab.theory import losses


@pytest.mark.parametrize(
    ("algorithm", "number"), [(CGAdaClassifier, 1), (CSAdaClassifier, 1), (AdaC3Classifier, 3)]
)
def test_losses_of_algorithms(algorithm: Any, number: int) -> None:
    loss = losses(algorithm, fn_cost=2, fp_cost=1)
    drawn = LossDisplay.from_estimator(algorithm, fn_cost=2, fp_cost=1, round=number)
    assert_array_equal(drawn.line_.get_ydata(), loss(drawn.margin, True, number))
    assert_array_equal(drawn.negative_line_.get_ydata(), loss(drawn.margin, False, number))
    swap = loss.swap(number)
    found = [left for left, _ in drawn.swaps]
    assert found == ([] if swap is None else [pytest.approx(swap, abs=0.01)])
    assert loss.name in drawn.line_.get_label()


def test_a_costlier_negative_class() -> None:
    drawn = LossDisplay.from_estimator(CSAdaClassifier, fn_cost=1, fp_cost=3)
    assert [left for left, _ in drawn.swaps] == [pytest.approx(0, abs=0.01)]
    assert LossDisplay.from_estimator(CSAdaClassifier, fn_cost=1, fp_cost=1).swaps == []


def test_an_algorithm_without_a_loss() -> None:
    with pytest.raises(ValueError, match="implies no loss"):
        LossDisplay.from_estimator(CSB2Classifier)
    with pytest.raises(ValueError, match="round must be"):
        LossDisplay.from_estimator(CGAdaClassifier, round=0)
