"""The training functions: from a problem and settings to a fitted model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.checks import some, warn
from costboost.costs import one_against_rest
from costboost.model import BinaryModel, OneVsRestModel, ScoresModel
from costboost.rules import Costs
from costboost.tables import Features, Table
from costboost.training.averaging import MAX_PARTS, fit_average
from costboost.training.calibrating import fit_calibrated, parts_of
from costboost.training.ensemble import Jobs, constant_model, train
from costboost.training.problem import Problem, Seed, Settings, are_relative, is_share
from costboost.vectors import Floats


def fit_binary(
    problem: Problem, settings: Settings, earlier: BinaryModel | None = None
) -> BinaryModel:
    """Train a model of two classes, with a calibrator if the settings name one.

    If ``earlier`` is given, its ensemble is continued.
    """
    model: BinaryModel = _fitted(problem, settings, earlier)
    return model


def fit_constant(problem: Problem, settings: Settings, reason: str) -> BinaryModel:
    """A model without learners, whose probability is the share of the positives."""
    settings = settings.first
    model = constant_model(problem, settings, reason)
    shares = {settings.learner: 1.0} if settings.averages else None
    return replace(model, shares=shares)


def _fitted(problem: Problem, settings: Settings, earlier: Any) -> Any:
    """A model of two or of several classes, with a warning if it has no learner."""
    model = _calibrated(problem, settings, earlier)
    if not model.n_iter:
        warn(
            f"{settings.name} added no learner ({model.stop_reason}): for every row it "
            "predicts the class of least expected cost under the class shares",
        )
    return model


def _calibrated(problem: Problem, settings: Settings, earlier: Any) -> Any:
    """A model with a calibrator, if the settings name one: of an average, or of one ensemble."""
    if settings.draws:
        settings.seed()  # before trainings side by side need it
    parts = []
    if settings.calibration is not None:
        parts = parts_of(problem, settings)
        problem = replace(problem, table=problem.table.read_once())
    folds = parts and not is_share(settings.calibration_split) and len(parts) <= MAX_PARTS
    if settings.averages and len(settings.alternatives) > 1 and folds:
        model = fit_average(problem, settings, parts)
        if model is not None:
            return model
    if parts:
        model = fit_calibrated(problem, settings, parts, earlier)
    else:
        model = train(problem.counting(), settings.first, earlier).finished()
    return replace(model, shares={model.learner: 1.0}) if settings.averages else model


# ---- training with several classes: one model for each class against the rest --------------------


ONE_ROW = "one training row is too few to hold any out"


@dataclass(frozen=True, kw_only=True)
class SeveralClasses:
    """Rows of several classes, checked."""

    table: Table
    features: Features
    classes: NDArray[Any]
    code: NDArray[np.intp]
    """Number of the class of each row."""
    weight: NDArray[np.float64] | None
    """Sample weights, or None if they are constant."""
    usual_weight: float
    """The constant sample weight."""
    groups: NDArray[np.intp] | None
    """A number for the group of each row; no split separates rows of a group."""
    matrix: Floats
    """Cost of predicting class j (column) where class i (row) is true."""

    def against_rest(self) -> list[Problem]:
        """The problem of each class against the rest."""
        total = self.class_totals()
        fn_cost, fp_cost = one_against_rest(self.matrix, total / total.sum())
        relative = are_relative(self.weight, self.usual_weight)
        return [
            Problem(
                table=self.table,
                features=self.features,
                classes=np.array([False, True]),
                positive_index=1,
                positive=(self.code == c).astype(np.uint8),
                weight=self.weight,
                costs=Costs(float(fn_cost[c]), float(fp_cost[c])),
                usual_weight=self.usual_weight,
                groups=self.groups,
                relative=relative,
                description=f"class {some(self.classes[c : c + 1])} against the rest",
            )
            for c in range(len(self.classes))
        ]

    def together(self) -> Problem:
        """The problem of all classes, for rules with a score for each."""
        return Problem(
            table=self.table,
            features=self.features,
            classes=self.classes,
            positive_index=0,
            positive=np.zeros(self.table.n_rows, dtype=np.uint8),
            weight=self.weight,
            costs=Costs(1.0, 1.0),
            usual_weight=self.usual_weight,
            groups=self.groups,
            relative=are_relative(self.weight, self.usual_weight),
            code=self.code,
            matrix=self.matrix,
        )

    def class_totals(self) -> Floats:
        """Weight of the rows of each class; a ValueError if a class has none."""
        counts = np.ones(self.table.n_rows) if self.weight is None else self.weight
        total: Floats = np.bincount(self.code, counts, len(self.classes)).astype(np.float64)
        if not total.all():
            raise ValueError(
                f"class {some(self.classes[total == 0])} has no row whose sample_weight is not 0; "
                "drop its rows, or give one of them a weight"
            )
        return total

    def single_rows(self) -> NDArray[np.bool_]:
        """Which classes have only one row whose weight is not 0."""
        code = self.code if self.weight is None else self.code[self.weight > 0]
        return np.asarray(np.bincount(code, minlength=len(self.classes)) == 1)


def fit_scores(
    several: SeveralClasses, settings: Settings, earlier: ScoresModel | None = None
) -> ScoresModel:
    """Train one ensemble with a score for each class, with a calibrator if the settings name one.

    If ``earlier`` is given, its ensemble is continued.
    """
    _warn_of_ignored_costs(several.matrix, settings)
    several.class_totals()
    model: ScoresModel = _fitted(several.together(), settings, earlier)
    return model


def fit_one_vs_rest(
    several: SeveralClasses,
    settings: Settings,
    random_states: tuple[int, ...],
    earlier: Sequence[BinaryModel | None],
) -> OneVsRestModel:
    """Train a model for each class against the rest, on rows that are binned once.

    ``earlier`` holds for each class the model to continue, or None.
    """
    _warn_of_ignored_costs(several.matrix, settings)
    problems = several.against_rest()
    alone = several.single_rows() & settings.holds_out
    _warn_of_single_rows(several.classes[alone], settings)
    if settings.calibration is not None:
        table = several.table.read_once()
        problems = [replace(problem, table=table) for problem in problems]
    data = problems[0].binned(settings.first).data

    def member(c: int) -> BinaryModel:
        known = earlier[c]
        own = settings.with_seed(Seed(random_states[c], None if known is None else known.seed))
        binned = replace(problems[c], data=data)
        if alone[c]:
            return fit_constant(binned, own, ONE_ROW)
        return fit_binary(binned, own, known)

    numbers = range(len(problems))
    with Jobs([partial(member, c) for c in numbers], several.table.remote) as jobs:
        members = [jobs.result(c) for c in numbers]
    changeable = settings.rule.decides_by_cost or settings.calibration is not None
    return OneVsRestModel(
        classes=several.classes,
        n_features_in=several.features.n_features_in,
        feature_names_in=several.features.feature_names_in,
        learner=settings.first.learner,
        members=tuple(members),
        random_states=random_states,
        matrix=several.matrix,
        by_cost=changeable or not settings.rule.cost_blind,
        changeable=changeable,
    )


def _warn_of_ignored_costs(matrix: Floats, settings: Settings) -> None:
    off = matrix[~np.eye(len(matrix), dtype=bool)]
    if settings.rule.cost_blind and settings.calibration is None and np.any(off != off[0]):
        warn(
            f"{settings.name} ignores costs: those of cost_matrix differ, but neither its "
            "training nor its predict uses them. Take CostBoostClassifier, or calibration='platt', "
            "after which any classifier decides by cost.",
        )


def _warn_of_single_rows(classes: NDArray[Any], settings: Settings) -> None:
    if classes.size:
        needs = "calibration" if settings.calibration is not None else "early_stopping"
        warn(
            f"class {some(classes)} has one training row, but {needs} has to hold out rows of "
            "every class: the probability of the class is its share of the rows, the same for all. "
            "Give more rows of it, or drop it"
        )
