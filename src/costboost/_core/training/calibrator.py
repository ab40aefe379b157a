"""The calibrator of an ensemble, fitted to scores of held-out rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from costboost._core.arithmetic import Floats, expit
from costboost._core.arrays import Indices
from costboost._core.calibration import AUTO, CALIBRATORS
from costboost._core.calibration.beta import smoothed_beta
from costboost._core.calibration.per_class import ClassCalibrators
from costboost._core.calibration.platt import LogOddsCalibrator
from costboost._core.calibration.softmax import SoftmaxCalibrator
from costboost._core.calibration.unit import log_odds
from costboost._core.training.evidence import STANDARD_ERRORS, mean_and_error
from costboost._core.training.likelihood import likelihood_of
from costboost._core.training.losses import log_losses
from costboost._core.training.plan import Plan
from costboost._core.training.problem import Problem
from costboost._core.training.sigmoid_likelihood import binned


def fitted_calibrator(plan: Plan, certainty: Floats, problem: Problem, held: Indices) -> Any:
    """A calibrator fitted to the certainties of the held-out rows; with several classes, scores.

    With monotone features it never decreases.
    """
    assert plan.parameters.calibration is not None
    truth, counts, kind = problem.truth[held], problem.counts[held], plan.parameters.calibration
    if kind == AUTO:
        seen = problem.seen[held]
        enough = problem.code is None and likelihood_of(problem).enough(truth, seen)
        bent = enough and prefers_beta(certainty, truth, counts, seen)
        if bent:
            return smoothed_beta(certainty, truth, counts)
        kind = "log-odds"
    if problem.code is None:
        calibrator = CALIBRATORS[kind]().fit(certainty, truth, counts)
        if plan.constraints.directions is not None and not calibrator.increases:
            # by convexity the best one that does not decrease is constant
            calibrator.fit(np.full_like(certainty, 0.5), truth, counts)
        return calibrator
    if CALIBRATORS[kind] is LogOddsCalibrator:
        return SoftmaxCalibrator.fitted(certainty, truth, counts)
    return ClassCalibrators.fitted(CALIBRATORS[kind], certainty, truth, counts)


MOST_ROWS_OF_CHOICE, PARTS_OF_CHOICE = 2**15, 2
"""Rows, about, on which calibrators are compared, and the parts that are held out in turn."""


def prefers_beta(share: Floats, truth: Any, counts: Floats, seen: Floats) -> bool:
    """Whether beta calibration fits scores in [0, 1] better than a sigmoid of their log-odds.

    Both are fitted without a part of the rows, in turn. The log loss on these parts must be less by
    `STANDARD_ERRORS`.
    """
    some = slice(None, None, -(-share.size // MOST_ROWS_OF_CHOICE))
    share, flags, counts, seen = share[some], truth[some].astype(bool), counts[some], seen[some]
    gain = np.zeros(share.size)
    for k in range(PARTS_OF_CHOICE):
        held = np.arange(share.size) % PARTS_OF_CHOICE == k
        level, positive, total = binned(log_odds(share[~held]), flags[~held], counts[~held])
        of_levels = expit(level), positive, total
        fitted = LogOddsCalibrator().fit(*of_levels), smoothed_beta(*of_levels)
        losses = [log_losses(one.probability(share[held]), flags[held]) for one in fitted]
        gain[held] = losses[0] - losses[1]
    mean, error = mean_and_error(gain, counts, seen)
    return mean > STANDARD_ERRORS * error
