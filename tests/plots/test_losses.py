"""Losses: drawn as given, and shaded where the asymmetry is swapped."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from numpy.testing import assert_allclose, assert_array_equal

from costboost.app.plots.numbers import swaps
from costboost.plots import LossDisplay

MARGIN = np.linspace(-3, 3, 301)


def test_both_classes_are_drawn() -> None:
    drawn = LossDisplay.from_losses(
        lambda m: 2 * np.exp(-m), lambda m: np.exp(-m), margin=MARGIN, name="CGAda"
    )
    assert_array_equal(drawn.line_.get_xdata(), MARGIN)
    assert_array_equal(drawn.line_.get_ydata(), 2 * np.exp(-MARGIN))
    assert_array_equal(drawn.negative_line_.get_ydata(), np.exp(-MARGIN))
    assert drawn.line_.get_linestyle() != drawn.negative_line_.get_linestyle()
    assert drawn.line_.get_color() != drawn.negative_line_.get_color()
    assert drawn.line_.get_label() == "CGAda, positive class"
    assert drawn.swaps == drawn.spans_ == []


def test_one_loss_for_both_classes() -> None:
    drawn = LossDisplay.from_losses(np.exp(-MARGIN), margin=MARGIN, name="exponential")
    assert drawn.negative_line_ is None
    assert drawn.line_.get_label() == "exponential"
    other = LossDisplay.from_losses(lambda m: (1 - m) ** 2, name="squared", ax=drawn.ax_)
    assert other.line_.get_color() != drawn.line_.get_color()
    assert len(drawn.ax_.lines) == 3  # and the line between wrong and right, once


@settings(deadline=None, derandomize=True, max_examples=40)
@given(st.floats(-2, 2), st.floats(1.2, 4))
def test_the_shaded_interval_begins_where_the_losses_cross(at: float, rate: float) -> None:
    costly, other = np.exp(-rate * (MARGIN - at)), np.exp(-(MARGIN - at))
    ((left, right),) = swaps(MARGIN, costly, other, None)
    assert left == pytest.approx(at, abs=0.01)
    assert right == 3
    ((first, last),) = swaps(MARGIN, costly, other, positive_is_dearer=False)
    assert (first, last) == (-3, pytest.approx(at, abs=0.01))


def test_the_shaded_interval_is_labelled() -> None:
    drawn = LossDisplay.from_losses(lambda m: np.exp(-2 * m), lambda m: np.exp(-m))
    (span,) = drawn.spans_
    assert_allclose(span.get_x(), 0, atol=1e-12)
    assert span.get_label() == "asymmetry swapped, yF > 0"
    turned = LossDisplay.from_losses(
        lambda m: np.exp(-2 * m), lambda m: np.exp(-m), positive_is_dearer=False
    )
    assert turned.spans_[0].get_label() == "asymmetry swapped, yF < 0"
    twice = LossDisplay(margin=[-1, 0, 1, 2, 3], positive=[2, 1, 0, 1, 2], negative=[1] * 5)
    assert twice.plot().spans_[0].get_label() == "asymmetry swapped, 0 < yF < 2"


def test_large_losses_are_outside_the_limits() -> None:
    drawn = LossDisplay.from_losses(lambda m: np.exp(-5 * m), margin=MARGIN)
    bottom, top = drawn.ax_.get_ylim()
    assert bottom == 0
    assert 1 < top < 10


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: LossDisplay.from_losses(lambda m: m[:3]), "finite value for each"),
        (lambda: LossDisplay.from_losses(lambda m: m / 0 * 0, margin=[0, 1]), "finite value"),
        (lambda: LossDisplay.from_losses([1, 2], margin=[1, 0]), "rising order"),
        (lambda: LossDisplay.from_losses([1], margin=[1]), "at least two"),
    ],
)
def test_bad_input(call: Any, message: str) -> None:
    with np.errstate(all="ignore"), pytest.raises(ValueError, match=message):
        call()
    assert not plt.get_fignums()
