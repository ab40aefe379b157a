"""Simulated ensembles against closed forms and against a fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from costboost._core.rules import discrete, real
from costboost_lab.theory.descent import simulate_own
from costboost_lab.theory.loss import (
    WIDE_STEPS,
    algorithm_of,
    simulate_drawn,
    simulate_paths,
    steps_can_be_negative,
    unit,
)


def algorithm(rule: Any) -> Any:
    return algorithm_of(rule, 2.0, 1.0, 5, 0.5)


def test_weights_of_drawn_steps_are_exponential_in_the_margin() -> None:
    label = np.array([1.0, 1.0, -1.0, -1.0])
    outcomes = [np.array([1.0, -1.0, 1.0, 1.0]), np.array([-1.0, -1.0, 1.0, -1.0])]
    sample_weight = np.array([1.0, 2.0, 0.5, 1.0])
    stages = simulate_drawn(
        algorithm(discrete.CGADA), label, sample_weight, steps=[0.3, -0.7], outcomes=outcomes
    )
    assert_allclose(stages[-1].margin, 0.3 * outcomes[0] - 0.7 * outcomes[1])
    for stage in stages:
        constant = stage.log_gradient + stage.margin - np.log(np.where(label > 0, 2.0, 1.0))
        assert_allclose(constant, constant[0])


@pytest.mark.parametrize("rule", [real.REALBOOST, real.CSREALBOOST, real.GENTLEBOOST])
def test_values_of_leaves_are_drawn_row_by_row(rule: Any) -> None:
    paths = simulate_paths(algorithm(rule), np.random.default_rng(0), 7)
    assert paths.margin.shape == paths.log_gradient.shape == (6, 2, 7)
    assert_allclose(paths.margin[1:, 0], np.cumsum(paths.outcome, axis=0))
    assert_allclose(paths.margin[:, 0], paths.margin[:, 1])


def test_own_steps_are_those_of_the_rule() -> None:
    for one in simulate_own(algorithm(discrete.ADABOOST), np.random.default_rng(0), 30):
        (direction,) = one.directions
        weight = one.sample_weight * np.exp(one.before.log_gradient)
        error = weight[direction.rate < 0].sum() / weight.sum()
        assert_allclose(direction.size, np.log((1 - error) / error) / 2)
        assert_allclose(one.after.margin - one.before.margin, direction.size * direction.rate)


def test_ensembles_do_not_end_when_all_weight_is_on_right_rows() -> None:
    random = np.random.default_rng(0)
    for _ in range(20):
        paths = simulate_paths(algorithm(discrete.ADABOOST), random, 3, sizes=WIDE_STEPS)
        assert len(paths.margin) == 6


def test_the_unit_is_measured_on_the_scale_of_the_score() -> None:
    assert unit(algorithm(discrete.ADABOOST)) == pytest.approx(0.25)
    assert unit(algorithm(discrete.CSADA)) == pytest.approx(0.125)


def test_signs_of_steps() -> None:
    random = np.random.default_rng(0)
    assert steps_can_be_negative(algorithm(discrete.ADABOOST), random)
    assert not steps_can_be_negative(algorithm(real.REALBOOST), random)
