"""The training functions: from a problem to a fitted model of the kind that the plan names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from costboost._core.arithmetic import Floats
from costboost._core.checks import warn
from costboost._core.model import BinaryModel, ScoresModel
from costboost._core.parameters.parameter import is_share
from costboost._core.training.average import fit_average
from costboost._core.training.calibrated import fit_calibrated, parts_of
from costboost._core.training.ensemble import train
from costboost._core.training.plan import Plan
from costboost._core.training.problem import Problem
from costboost._core.training.several import SeveralClasses

MAX_PARTS = 10
"""Greatest number of folds whose ensembles are averaged; more would have too many trees."""


def fit_binary(problem: Problem, plan: Plan, earlier: BinaryModel | None = None) -> BinaryModel:
    """Train a model of two classes, with a calibrator if the plan names one.

    If ``earlier`` is given, its ensemble is continued.
    """
    model: BinaryModel = _fitted(problem, plan, earlier)
    return model


def fit_scores(
    several: SeveralClasses, plan: Plan, earlier: ScoresModel | None = None
) -> ScoresModel:
    """Train one ensemble with a score for each class, with a calibrator if the plan names one.

    If ``earlier`` is given, its ensemble is continued.
    """
    warn_of_ignored_costs(several.matrix, plan)
    several.class_totals()
    model: ScoresModel = _fitted(several.together(), plan, earlier)
    return model


def _fitted(problem: Problem, plan: Plan, earlier: Any) -> Any:
    """A model of two or of several classes, with a calibrator if the plan names one.

    It is of an average, or of one ensemble; there is a warning if it has no learner.
    """
    if plan.draws or plan.parameters.early_stopping or plan.wraps:
        plan.seed()  # before trainings side by side need it
    parts, model = [], None
    if plan.calibrates:
        problem = replace(problem, table=problem.table.read_once())
        parts = parts_of(problem, plan)
    folds = parts and not is_share(plan.parameters.calibration_split) and len(parts) <= MAX_PARTS
    if plan.traits.averages and len(plan.members) > 1 and folds:
        model = fit_average(problem, plan, parts)
    if model is None:
        if parts:
            model = fit_calibrated(problem, plan, parts, earlier)
        else:
            model = train(problem.counting(), plan.first, earlier).finished()
        if plan.traits.averages:
            model = replace(model, shares={model.learner: 1.0})
    if not model.n_iter:
        warn(
            f"{plan.name} added no learner ({model.stop_reason}): for every row it "
            "predicts the class of least expected cost under the class shares",
        )
    return model


def warn_of_ignored_costs(matrix: Floats, plan: Plan) -> None:
    off = matrix[~np.eye(len(matrix), dtype=bool)]
    if plan.rule.cost_blind and not plan.calibrates and np.any(off != off[0]):
        warn(
            f"{plan.name} ignores costs: those of cost_matrix differ, but neither its "
            "training nor its predict uses them. Take CostBoostClassifier, or calibration='platt', "
            "after which any classifier decides by cost.",
        )
