"""The training functions: from a problem to a fitted model of the kind that the settings name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from costboost._core.arithmetic import Floats
from costboost._core.checks import warn
from costboost._core.model import BinaryModel, ScoresModel
from costboost._core.training.average import fit_average
from costboost._core.training.calibrated import fit_calibrated, parts_of
from costboost._core.training.ensemble import train
from costboost._core.training.folds import is_share
from costboost._core.training.problem import Problem
from costboost._core.training.settings import Settings
from costboost._core.training.several import SeveralClasses

MAX_PARTS = 10
"""Greatest number of folds whose ensembles are averaged; more would have too many trees."""


def fit_binary(
    problem: Problem, settings: Settings, earlier: BinaryModel | None = None
) -> BinaryModel:
    """Train a model of two classes, with a calibrator if the settings name one.

    If ``earlier`` is given, its ensemble is continued.
    """
    model: BinaryModel = _fitted(problem, settings, earlier)
    return model


def fit_scores(
    several: SeveralClasses, settings: Settings, earlier: ScoresModel | None = None
) -> ScoresModel:
    """Train one ensemble with a score for each class, with a calibrator if the settings name one.

    If ``earlier`` is given, its ensemble is continued.
    """
    warn_of_ignored_costs(several.matrix, settings)
    several.class_totals()
    model: ScoresModel = _fitted(several.together(), settings, earlier)
    return model


def _fitted(problem: Problem, settings: Settings, earlier: Any) -> Any:
    """A model of two or of several classes, with a calibrator if the settings name one.

    It is of an average, or of one ensemble; there is a warning if it has no learner.
    """
    if settings.draws:
        settings.seed()  # before trainings side by side need it
    parts, model = [], None
    if settings.calibration is not None:
        problem = replace(problem, table=problem.table.read_once())
        parts = parts_of(problem, settings)
    folds = parts and not is_share(settings.calibration_split) and len(parts) <= MAX_PARTS
    if settings.averages and len(settings.alternatives) > 1 and folds:
        model = fit_average(problem, settings, parts)
    if model is None:
        if parts:
            model = fit_calibrated(problem, settings, parts, earlier)
        else:
            model = train(problem.counting(), settings.first, earlier).finished()
        if settings.averages:
            model = replace(model, shares={model.learner: 1.0})
    if not model.n_iter:
        warn(
            f"{settings.name} added no learner ({model.stop_reason}): for every row it "
            "predicts the class of least expected cost under the class shares",
        )
    return model


def warn_of_ignored_costs(matrix: Floats, settings: Settings) -> None:
    off = matrix[~np.eye(len(matrix), dtype=bool)]
    if settings.rule.cost_blind and settings.calibration is None and np.any(off != off[0]):
        warn(
            f"{settings.name} ignores costs: those of cost_matrix differ, but neither its "
            "training nor its predict uses them. Take CostBoostClassifier, or calibration='platt', "
            "after which any classifier decides by cost.",
        )
