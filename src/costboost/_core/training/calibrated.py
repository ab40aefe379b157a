"""An ensemble that is calibrated on rows held out of its training."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from costboost._core.arithmetic import Floats
from costboost._core.arrays import Indices
from costboost._core.checks import warn
from costboost._core.parameters.parameter import is_given, is_share
from costboost._core.threads.team import Running
from costboost._core.training.calibrator import fitted_calibrator
from costboost._core.training.copies import copies_of
from costboost._core.training.ensemble import Trained, train
from costboost._core.training.folds import Parts, split_rows
from costboost._core.training.losses import log_losses
from costboost._core.training.plan import Plan
from costboost._core.training.problem import Problem
from costboost._core.training.progress import Folds

MIN_WEIGHT, MIN_MEAN_WEIGHT = 10, 0.1
"""Weights whose sum and mean are below these were probably scaled to a sum of 1."""


def parts_of(problem: Problem, plan: Plan) -> Parts:
    """Training rows, of both classes, and held-out rows; none has weight 0."""
    total = problem.counts.sum()
    if total < min(MIN_WEIGHT, MIN_MEAN_WEIGHT * problem.n_rows):
        warn(
            f"sample_weight adds up to {total:g} for {problem.n_rows} rows. Calibration takes "
            "weights as numbers of rows, so that there is hardly any evidence, and probabilities "
            "stay near 1/2. If the weights were scaled to such a sum, scale them to a mean of 1"
        )
    split, seed = plan.parameters.calibration_split, plan.seed
    free = problem.groups is None and not (plan.wraps or is_given(split))
    copies = copies_of(problem.own_table) if free else None
    try:
        return split_rows(split, problem.strata, problem.counts, seed, problem.groups, copies)
    except ValueError as error:
        if not problem.description:
            raise
        raise ValueError(f"{problem.description}: {error}") from error


def fit_calibrated(problem: Problem, plan: Plan, parts: Parts, earlier: Any) -> Any:
    """Train an ensemble and fit its calibrator.

    With a share held out, the ensemble is trained on the other rows. With folds, each row is scored
    by an ensemble that was not trained on it, and the final one is trained on all rows. Of
    several members, the one with the least log loss on held-out rows is taken.
    """
    held = np.concatenate([rows for _, rows in parts])
    members = plan.members or (plan,)
    once, best = is_share(plan.parameters.calibration_split), 0
    if len(members) > 1 or not once:
        progress = Folds(len(members) * len(parts), plan.parameters.verbose)
        certainties = [
            _certainty(problem, replace(one, stream=(k,)), parts, progress)
            for k, one in enumerate(members)
        ]
        progress.close()
        calibrators = [fitted_calibrator(plan, one, problem, held) for one in certainties]
        losses = [
            np.average(
                log_losses(calibrator.probability(one), problem.truth[held]),
                weights=problem.counts[held],
            )
            for calibrator, one in zip(calibrators, certainties, strict=True)
        ]
        best = int(np.argmin(losses))
    own = problem.take(parts[0][0]) if once else problem.counting()
    trained = train(own, members[best], earlier)
    if not once:
        return trained.finished(calibrators[best])
    model = trained.model
    certainty = model.certainty(model.scores(problem.take(held).own_table, plan.parameters.n_jobs))
    return trained.finished(fitted_calibrator(plan, certainty, problem, held))


def _certainty(problem: Problem, plan: Plan, parts: Parts, progress: Folds) -> Floats:
    """Certainties of the held-out rows, from ensembles trained on the other rows."""
    certainties = []
    jobs = [
        partial(_certainty_of_part, problem, replace(plan, stream=(*plan.stream, k)), *part)
        for k, part in enumerate(parts)
    ]
    n_cells = problem.n_rows * problem.table.n_features * len(jobs)
    with Running(jobs, problem.table.team(plan.n_threads(n_cells))) as trained:
        for k, (kept, _) in enumerate(parts):
            certainties.append(trained.result(k))
            progress(f"{kept.size} rows")
    return np.concatenate(certainties)


def _certainty_of_part(problem: Problem, plan: Plan, kept: Indices, held: Indices) -> Floats:
    model = train_on_part(problem, plan, kept).model
    scores = model.scores(problem.take(held).own_table, plan.parameters.n_jobs)
    certainty: Floats = model.certainty(scores)
    return certainty


def train_on_part(
    problem: Problem, plan: Plan, rows: Indices, held: Problem | None = None
) -> Trained:
    """An ensemble trained on the given rows, without a progress bar.

    The rows held out decide how long it is trained, where the plan asks for that.
    """
    return train(problem.take(rows), plan.with_parameters(verbose=0), held=held, part=True)
