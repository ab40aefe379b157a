"""Training of a model for each class against the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from numpy.typing import NDArray

from costboost._core.checks import some, warn
from costboost._core.model import BinaryModel, OneVsRestModel
from costboost._core.threads.team import Running
from costboost._core.training.ensemble import constant_model
from costboost._core.training.fitting import fit_binary, warn_of_ignored_costs
from costboost._core.training.plan import Plan
from costboost._core.training.problem import Problem
from costboost._core.training.seed import Seed
from costboost._core.training.several import SeveralClasses

ONE_ROW = "one training row is too few to hold any out"


def fit_one_vs_rest(
    several: SeveralClasses,
    plan: Plan,
    random_states: tuple[int, ...],
    earlier: Sequence[BinaryModel | None],
) -> OneVsRestModel:
    """Train a model for each class against the rest, on rows that are binned once.

    ``earlier`` holds for each class the model to continue, or None.
    """
    warn_of_ignored_costs(several.matrix, plan)
    problems = several.against_rest()
    alone = several.single_rows() & plan.holds_out
    _warn_of_single_rows(several.classes[alone], plan)
    if plan.calibrates:
        table = several.table.read_once()
        problems = [replace(problem, table=table) for problem in problems]
    data = problems[0].binned(plan.first).data

    def member(c: int) -> BinaryModel:
        known = earlier[c]
        own = plan.changed(seed=Seed(random_states[c], None if known is None else known.seed))
        binned = replace(problems[c], data=data)
        if alone[c]:
            return fit_constant(binned, own, ONE_ROW)
        return fit_binary(binned, own, known)

    numbers = range(len(problems))
    n_cells = several.table.n_rows * several.table.n_features * len(problems)
    shown = plan.parameters.verbose > 0  # bars of one class after the other
    team = several.table.team(1 if shown else plan.n_threads(n_cells))
    with Running([partial(member, c) for c in numbers], team) as running:
        members = [running.result(c) for c in numbers]
    changeable = plan.rule.decides_by_cost or plan.calibrates
    return OneVsRestModel(
        classes=several.classes,
        n_features_in=several.features.n_features_in,
        feature_names_in=several.features.feature_names_in,
        learner=plan.first.learner,
        members=tuple(members),
        random_states=random_states,
        matrix=several.matrix,
        by_cost=changeable or not plan.rule.cost_blind,
        changeable=changeable,
    )


def fit_constant(problem: Problem, plan: Plan, reason: str) -> BinaryModel:
    """A model without learners, whose probability is the share of the positives."""
    plan = plan.first
    model = constant_model(problem, plan, reason)
    shares = {plan.learner: 1.0} if plan.traits.averages else None
    return replace(model, shares=shares)


def _warn_of_single_rows(classes: NDArray[Any], plan: Plan) -> None:
    if classes.size:
        needs = "calibration" if plan.calibrates else "early_stopping"
        warn(
            f"class {some(classes)} has one training row, but {needs} has to hold out rows of "
            "every class: the probability of the class is its share of the rows, the same for all. "
            "Give more rows of it, or drop it"
        )
