"""More than two classes: a binary classifier for each class against the rest.

The binary classifiers know nothing of this. Each gets its class as the positive one, with the costs
that the matrix gives to missing it and to calling others by its name, and what they say is put
together here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from costboost.cells import Floats
from costboost.checks import some, warn
from costboost.classifiers.checks import check_weights
from costboost.classifiers.problem import Problem, are_relative
from costboost.costs import (
    check_matrices,
    check_matrix,
    expected,
    least_expected,
    one_against_rest,
)
from costboost.engine._kernels import TIE
from costboost.rules import Costs
from costboost.tables import Table

OF_TWO = (
    "ensemble_",
    "estimator_weights_",
    "estimator_errors_",
    "train_cost_",
    "validation_score_",
    "shares_",
    "_calibrator",
    "_chosen",
    "_coders",
    "_drawn",
    "_held_out",
    "_initial_weights",
    "_n_rounds",
    "_positive_index",
    "_prior",
    "_stage_ends",
    "_stage_shifts",
    "_stage_slopes",
    "_trained_costs",
    "_votes",
)
"""What only a fit of two classes leaves behind, ..."""
OF_SEVERAL = ("estimators_", "_one_vs_rest")
"""... and what only one of several does."""
FEATURES = ("n_features_in_", "feature_names_in_")
STOPS = "each class has its own; see estimators_"

LONE = "one training row is too few to hold any out"

Codes = NDArray[np.intp]


@dataclass(frozen=True)
class OneVsRest:
    """The fitted classifiers, one for each class, and the costs to decide by."""

    members: list[Any]
    matrix: Floats
    by_cost: bool
    """Whether probabilities and the matrix decide; for a rule that ignores costs, scores do."""
    changeable: bool
    """Whether training did not see the costs, so that others can be taken after it."""

    # ---- what the members say --------------------------------------------------------------------

    def scores(self, table: Table) -> Floats:
        """The score F of each class, in units of half the log-odds."""
        return np.column_stack([_comparable(one, one._scores(table)) for one in self.members])

    def probabilities(self, table: Table) -> Floats:
        """Probability of each class, made to add up to 1."""
        return normalised(
            np.column_stack(
                [
                    one._probability(one._scores(table), one._votes, one.n_iter_)
                    for one in self.members
                ]
            )
        )

    def staged(self, table: Table) -> Iterator[tuple[Floats, Floats]]:
        """Scores and probabilities after each round; who has ended stays as he is."""
        stages = [one._stages(table) for one in self.members]
        scores: list[Any] = [None] * len(stages)
        shares: list[Any] = [None] * len(stages)
        while True:
            moved = False
            for c, (one, stage) in enumerate(zip(self.members, stages, strict=True)):
                for raw, score, votes, n_added in stage:
                    scores[c] = _comparable(one, raw)
                    shares[c] = one._probability(score, votes, n_added)
                    moved = True
                    break
            if not moved:
                return
            yield np.column_stack(scores), normalised(np.column_stack(shares))

    # ---- decisions -------------------------------------------------------------------------------

    def values(self, score: Floats, probability: Floats, matrix: Floats) -> Floats:
        """What speaks for each class: minus its expected cost, or its score.

        The greatest one is the class of `codes`.
        """
        value = -expected(probability, matrix) if self.by_cost else score
        return with_winner(value, self.codes(score, probability, matrix))

    def matrix_for(self, name: str, given: Any, classes: NDArray[Any], n_rows: int) -> Floats:
        """The costs to decide by: those given, else those of training."""
        if given is None:
            return self.matrix
        if not self.changeable:
            raise ValueError(
                f"{name} cannot be given other costs after training: it was trained for fixed "
                "costs, or ignores them. Take CostBoostClassifier, AdaMECClassifier, or "
                "calibration='platt'."
            )
        return check_matrices(given, classes, n_rows)

    def codes(self, score: Floats, probability: Floats, matrix: Floats) -> Codes:
        """The class of least expected cost, or of the greatest score."""
        return least_expected(probability, matrix) if self.by_cost else greatest(score)

    def predicted(self, table: Table, matrix: Floats, probability: Floats | None = None) -> Codes:
        """The class of each row of a table; only what decides, and is not given, is computed."""
        if not self.by_cost:
            return greatest(self.scores(table))
        if probability is None:
            probability = self.probabilities(table)
        return least_expected(probability, matrix)

    def decision(self, table: Table, matrix: Floats) -> Floats:
        """What speaks for each class in each row of a table; only what decides is computed."""
        none = np.empty(0)
        if self.by_cost:
            return self.values(none, self.probabilities(table), matrix)
        return self.values(self.scores(table), none, matrix)

    def explained(self, table: Table, others: Table) -> tuple[Floats, Floats]:
        """Shapley values of the scores, a layer for each class, and mean scores of the others."""
        parts = [
            [_comparable(one, part) for part in one._explained(table, others)]
            for one in self.members
        ]
        values, base = zip(*parts, strict=True)
        return np.stack(values, axis=2), np.array(base)

    def importances(self) -> Floats:
        """The mean over the members that have any rounds."""
        members = [one for one in self.members if one.n_iter_] or self.members
        return np.asarray(np.mean([one.feature_importances_ for one in members], axis=0))


def greatest(score: Floats) -> Codes:
    """The class of greatest score; the first one of those that are equal."""
    size = np.abs(score).max(axis=1, keepdims=True)
    codes: Codes = (score >= score.max(axis=1, keepdims=True) - TIE * size).argmax(axis=1)
    return codes


def with_winner(value: Floats, chosen: Codes) -> Floats:
    """Values of which the chosen class has the greatest, the first one where several have it.

    They are changed only where rounding errors put a class that is equal to it above it.
    """
    first, top = value.argmax(axis=1), value.max(axis=1)
    lifted, rows = value.copy(), np.arange(len(value))
    lifted[rows, chosen] = np.where(first == chosen, top, np.nextafter(top, np.inf))
    return lifted


def normalised(probability: Floats) -> Floats:
    """Shares of their sum; all the same where every class was ruled out."""
    total = probability.sum(axis=1, keepdims=True)
    k = probability.shape[1]
    return np.where(total > 0, probability / np.where(total > 0, total, 1), 1 / k)


def _comparable(one: Any, score: Floats) -> Floats:
    """A score of a rule that measures it in 1 / cost, in the unit of the others."""
    return np.asarray(score * (one._deciding().slope / 2))


# ---- fit -----------------------------------------------------------------------------------------


def fit_one_vs_rest(
    clf: Any, table: Table, classes: NDArray[Any], code: Codes, sample_weight: Any
) -> OneVsRest:
    """A classifier for each class, going on from earlier ones with a warm start."""
    matrix = check_matrix(clf.cost_matrix, classes)
    _mention_ignored_costs(clf, matrix)
    weight = check_weights(sample_weight, table.n_rows)
    counts = np.ones(table.n_rows) if weight is None else weight
    total = np.bincount(code, counts, len(classes))
    if not total.all():
        raise ValueError(
            f"class {some(classes[total == 0])} has no row whose sample_weight is not 0; drop its "
            "rows, or give one of them a weight"
        )
    lone = clf._holds_out() & (np.bincount(code[counts > 0], minlength=len(classes)) == 1)
    _mention_lone(clf, classes[lone])
    miss, alarm = one_against_rest(matrix, total / total.sum())
    usual = 1.0 if sample_weight is None else float(np.asarray(sample_weight, dtype=float).flat[0])
    relative = are_relative(weight, usual)
    members = _members(clf, classes)
    for c, (one, earlier) in enumerate(members):
        positive = (code == c).astype(np.uint8)
        costs = Costs(float(miss[c]), float(alarm[c]))
        about = f"class {some(classes[c : c + 1])} against the rest"
        problem = Problem(table, positive, weight, costs, usual, relative, about=about)
        if lone[c]:
            one._fit_constant(problem, LONE)
        else:
            one._fit_two(problem, earlier)
    fitted = [one for one, _ in members]
    changeable = clf._rule().decides_by_cost or clf.calibration is not None
    return OneVsRest(fitted, matrix, changeable or not clf._rule().cost_blind, changeable)


def _members(clf: Any, classes: NDArray[Any]) -> list[tuple[Any, Any]]:
    """Unfitted classifiers, or those of the last fit with the ensembles to go on from."""
    earlier = getattr(clf, "estimators_", None) if clf.warm_start else None
    if earlier is not None and not np.array_equal(clf.classes_, classes):
        raise ValueError(
            f"warm_start goes on with the same classes, but they were {some(clf.classes_)} and are "
            f"{some(classes)} now; refit with warm_start=False"
        )
    seeds = check_random_state(clf.random_state).randint(2**31 - 1, size=len(classes))
    members = []
    for c, seed in enumerate(seeds):
        one = _binary(clf, int(seed)) if earlier is None else _again(clf, earlier[c])
        one._chosen = one._choices()[0]
        members.append((one, one._earlier_model(clf.n_features_in_)))
        one.__dict__.pop("feature_names_in_", None)
        one.__dict__.update({name: vars(clf)[name] for name in FEATURES if name in vars(clf)})
    return members


def _binary(clf: Any, seed: int) -> Any:
    one = type(clf)(**clf.get_params(deep=False))
    one.cost_matrix, one.random_state = None, seed
    one.classes_, one._positive_index = np.array([False, True]), 1
    return one


def _again(clf: Any, one: Any) -> Any:
    """A member of the last fit with the parameters of this one."""
    kept = {"cost_matrix": None, "random_state": one.random_state}
    return one.set_params(**(clf.get_params(deep=False) | kept))


def refuse_costs_of_two(clf: Any, fn_cost: Any, fp_cost: Any, n_classes: int) -> None:
    """What only makes sense with two classes."""
    given = [fn_cost, fp_cost, None if clf.fn_cost == 1 else 1, None if clf.fp_cost == 1 else 1]
    if any(one is not None for one in given):
        raise ValueError(
            f"fn_cost and fp_cost are for two classes, but y has {n_classes}; give cost_matrix: "
            "cost_matrix[i, j] is the cost of predicting class j where class i is true"
        )
    if clf.pos_label is not None:
        raise ValueError(
            f"pos_label is for two classes, but y has {n_classes}; leave it out: every class is "
            "set against the rest in turn"
        )


def _mention_ignored_costs(clf: Any, matrix: Floats) -> None:
    off = matrix[~np.eye(len(matrix), dtype=bool)]
    if clf._rule().cost_blind and clf.calibration is None and np.any(off != off[0]):
        warn(
            f"{type(clf).__name__} ignores costs: those of cost_matrix differ, but neither its "
            "training nor its predict uses them. Take CostBoostClassifier, or calibration='platt', "
            "after which any classifier decides by cost.",
        )


def _mention_lone(clf: Any, classes: NDArray[Any]) -> None:
    """A row cannot be trained on and held out at once."""
    if classes.size:
        needs = "calibration" if clf.calibration is not None else "early_stopping"
        warn(
            f"class {some(classes)} has one training row, but {needs} has to hold out rows of "
            "every class: the probability of the class is its share of the rows, the same for all. "
            "Give more rows of it, or drop it"
        )


def costs_of_two(cost_matrix: Any, classes: NDArray[Any], positive: int, n_rows: int) -> Costs:
    """Cost of a miss and of a false alarm, from a matrix of two classes or one of each row."""
    matrix = check_matrices(cost_matrix, classes, n_rows)
    negative = 1 - positive
    miss = matrix[..., positive, negative] - matrix[..., positive, positive]
    alarm = matrix[..., negative, positive] - matrix[..., negative, negative]
    free = np.atleast_1d((miss <= 0) | (alarm <= 0))
    if free.any():
        row = int(free.argmax())
        where = f" in row {row}" if matrix.ndim == 3 else ""
        raise ValueError(
            "with two classes, a mistake must cost more than the truth in both lines of "
            f"cost_matrix; a miss costs {np.atleast_1d(miss)[row]:g} more and a false alarm "
            f"{np.atleast_1d(alarm)[row]:g}{where}"
        )
    return Costs(miss, alarm) if matrix.ndim == 3 else Costs(float(miss), float(alarm))
