"""The training functions: from a problem and settings to a fitted model."""

from __future__ import annotations

from dataclasses import replace

from costboost.checks import warn
from costboost.model import BinaryModel
from costboost.training.averaging import MAX_PARTS, fit_average
from costboost.training.calibrating import fit_calibrated, parts_of
from costboost.training.ensemble import constant_model, train
from costboost.training.folds import is_share
from costboost.training.problem import Problem
from costboost.training.settings import Settings


def fit_binary(
    problem: Problem, settings: Settings, earlier: BinaryModel | None = None
) -> BinaryModel:
    """A model of two classes, calibrated if the settings say so.

    With ``earlier``, its ensemble is continued.
    """
    model = _fitted(problem, settings, earlier)
    if not model.n_iter:
        warn(
            f"{settings.name} added no learner ({model.stop_reason}): for every row it "
            "predicts the class of least expected cost under the class shares",
        )
    return replace(model, held_out=share_held_out(settings))


def fit_constant(problem: Problem, settings: Settings, reason: str) -> BinaryModel:
    """A model without learners, whose probability is the share of the positives."""
    settings = settings.first
    model = constant_model(problem, settings, reason)
    shares = {settings.learner: 1.0} if settings.averages else None
    return replace(model, held_out=share_held_out(settings), shares=shares)


def share_held_out(settings: Settings) -> float:
    """Share of the rows that calibration holds out once."""
    once = settings.calibration is not None and is_share(settings.calibration_split)
    return float(settings.calibration_split) if once else 0.0


def _fitted(problem: Problem, settings: Settings, earlier: BinaryModel | None) -> BinaryModel:
    parts = []
    if settings.calibration is not None:
        parts = parts_of(problem, settings)
        problem = replace(problem, table=problem.table.read_once())
    folds = parts and not is_share(settings.calibration_split) and len(parts) <= MAX_PARTS
    if settings.averages and len(settings.alternatives) > 1 and folds:
        model = fit_average(problem, settings, parts)
        if model is not None:
            return model
    problem = problem.binned(settings.first)
    if parts:
        model = fit_calibrated(problem, settings, parts, earlier)
    else:
        model = train(problem.counting(), settings.first, earlier).finished()
    return replace(model, shares={model.learner: 1.0}) if settings.averages else model
