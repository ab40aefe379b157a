"""Dirichlet calibration: probabilities from the shares of votes on held-out rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression
from sklearn.utils import check_random_state

from costboost.checks import some
from costboost.multiclass.model import Learnt
from costboost.multiclass.problem import Codes, Problem
from costboost.progress import Folds
from costboost.tables import Table
from costboost.training.calibrating import split_rows
from costboost.training.problem import is_share
from costboost.vectors import Floats

FLOOR = 0.01
"""Added to every share, so that the logarithm of a share of 0 is finite."""
MOST_STEPS = 10_000


class Dirichlet:
    """Dirichlet calibrator: P(.|x) = softmax(W log h(x) + b), after Kull et al. (2019).

    h(x) is H(.|x) with 0.01 added to every share. As W is a full matrix, the share of one class can
    raise the probability of another: if predicting a dog for a cat costs little, many votes for a
    dog are evidence of a cat. Calibrating each class separately could not represent that.

    Attributes
    ----------
    codes_ : int64 array
        Codes of the classes that occur in the held-out rows; other classes have probability 0.
    weights_ : float64 array of shape (n_codes, n_classes)
        The matrix W.
    offset_ : float64 array of shape (n_codes,)
        The vector b.
    """

    def __init__(self, shares: Floats, truth: Codes) -> None:
        logs = _logs(shares)
        middle = logs.mean(axis=0)  # centring needs a tenth of the iterations
        model = LogisticRegression(max_iter=MOST_STEPS).fit(logs - middle, truth)
        weights, offset = model.coef_, model.intercept_ - model.coef_ @ middle
        if len(model.classes_) == 2:  # the first class is the reference
            weights, offset = np.vstack([0 * weights, weights]), np.concatenate([[0.0], offset])
        self.codes_: Codes = model.classes_.astype(np.int64)
        self.weights_: Floats = weights
        self.offset_: Floats = offset

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Make a calibrator from its fitted attributes."""
        calibrator = cls.__new__(cls)
        calibrator.__dict__.update(state)
        return calibrator

    def probability(self, shares: Floats) -> Floats:
        """Probabilities of all classes; 0 for a class without held-out rows."""
        every = np.zeros_like(shares)
        every[:, self.codes_] = softmax(_logs(shares) @ self.weights_.T + self.offset_, axis=1)
        return every


CALIBRATORS = {"dirichlet": Dirichlet}
"""Calibrators by the name that ``calibration`` takes."""


def _logs(shares: Floats) -> Floats:
    logs: Floats = np.log((shares + FLOOR) / (1 + FLOOR * shares.shape[1]))
    return logs


def fit_calibrated(
    learn: Callable[[Codes | None, int], Learnt],
    table: Table,
    problem: Problem,
    classes: NDArray[Any],
    *,
    split: Any,
    method: str,
    learns_costs: bool,
    random_state: Any,
    verbose: int,
) -> tuple[Learnt, Dirichlet]:
    """Train, and fit a calibrator to the shares of held-out rows.

    ``learn(rows, verbose)`` trains on some rows, or on all if ``rows`` is None. With a share of the
    rows held out, the others are trained on. With folds, each is scored by what was learnt from the
    others, and the result is trained on all rows.
    """
    if np.all(problem.truth == problem.truth[0]):
        raise ValueError("all rows are of one class; calibration needs rows of two")
    random = check_random_state(random_state)
    parts = split_rows(
        split,
        problem.truth,
        np.ones(problem.n_rows),
        lambda: int(random.randint(2**31 - 1)),
    )
    held = np.concatenate([rows for _, rows in parts])
    _check_every_class(classes, problem.truth, held)
    if learns_costs:
        _check_something_to_learn(problem, [kept for kept, _ in parts])
    if is_share(split):
        ((kept, _),) = parts
        learnt = learn(kept, verbose)
        shares = learnt.shares.last(table.take(held))
    else:
        folds = Folds(verbose, len(parts))
        of_parts = []
        for kept, rows in parts:
            of_parts.append(learn(kept, 0).shares.last(table.take(rows)))
            folds(f"{kept.size} rows")
        folds.close()
        shares = np.concatenate(of_parts)
        learnt = learn(None, verbose)
    return learnt, CALIBRATORS[method](shares, problem.truth[held])


def _check_every_class(classes: NDArray[Any], truth: Codes, held: Codes) -> None:
    """Raise a ValueError if no row of some class is held out."""
    missing = np.setdiff1d(truth, truth[held])
    if missing.size:
        raise ValueError(
            f"no row of the class {some(classes[missing])} is among the {held.size} that "
            "calibration_split holds out; calibration needs rows of every class: hold out other or "
            "more rows"
        )


def _check_something_to_learn(problem: Problem, parts: list[Codes]) -> None:
    """Raise a ValueError if the training rows of a part have no differences in cost."""
    idle = [kept.size for kept in parts if not problem.cost[kept].any()]
    if idle:
        informative = int(problem.cost.any(axis=1).sum())
        raise ValueError(
            f"calibration_split leaves {idle[0]} rows to train on, on all of which every "
            "prediction costs the same: there is nothing to learn. Costs differ on "
            f"{informative} of {problem.n_rows} rows; hold out other or fewer rows, or take "
            "calibration=None"
        )
