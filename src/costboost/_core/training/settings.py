"""The parameters of a fit, checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import reduce
from math import isqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.engine._kernels import hash_of
from costboost._core.model import BinaryModel
from costboost._core.model.constraints import UNCONSTRAINED, Constraints
from costboost._core.rows import Draws, Rows
from costboost._core.rules.record import Rule
from costboost._core.training.folds import is_share
from costboost._core.training.seed import Seed

if TYPE_CHECKING:
    from costboost._core.training.problem import Problem

Scorer = Callable[[BinaryModel, "Problem"], float]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The parameters of a fit, checked."""

    name: str
    """Name of the classifier, for messages."""
    rule: Rule
    learner: str
    """Name of the weak learner; "wrapped" for a scikit-learn classifier."""
    estimator: Any
    """The scikit-learn classifier, if there is one."""
    resample: bool
    n_estimators: int
    learning_rate: float
    initial_weights: str
    negative_step: str
    max_depth: int | None
    max_leaf_nodes: int | None
    min_samples_leaf: int
    max_features: Any
    splitter: str
    subsample: float
    l2_regularization: float
    max_bins: int
    rows_per_bin: int
    """A feature has at most one bin for this many rows."""
    categorical_features: Any
    early_stopping: bool
    validation_fraction: float | None
    n_iter_no_change: int
    tol: float
    scorer: Scorer | None
    """The user's score for early stopping."""
    stops_on_log_loss: bool
    """Without a scorer: whether early stopping uses the log loss instead of the mean cost."""
    calibration: str | None
    calibration_split: Any
    n_jobs: int | None
    verbose: int
    seed: Seed
    chosen: dict[str, Any] = field(default_factory=dict)
    """The parameters in which an alternative differs from those of the classifier."""
    alternatives: tuple[Settings, ...] = ()
    """Settings among which calibration chooses, or which are averaged."""
    usual_rounds: int | None = None
    """Rounds by which ensembles of an average usually end, where held-out rows decide; or None."""
    may_take_more_rounds: bool = True
    """Whether held-out rows may lead to more rounds than usual."""
    size: str = ""
    """What distinguishes an alternative from another one with the same learner."""
    averages: bool = False
    """Whether the ensembles of folds and alternatives are averaged."""
    constraints: Constraints = UNCONSTRAINED
    """Monotone features, and features that may interact."""
    stream: tuple[int, ...] = ()
    """Numbers that, next to the seed, determine which rows and features are drawn."""

    @property
    def share_held_out(self) -> float:
        """Share of the rows that calibration holds out once; 0 for folds."""
        once = self.calibration is not None and is_share(self.calibration_split)
        return float(self.calibration_split) if once else 0.0

    def with_seed(self, seed: Seed) -> Settings:
        """The settings, and their alternatives, with another seed."""
        alternatives = tuple(replace(one, seed=seed) for one in self.alternatives)
        return replace(self, seed=seed, alternatives=alternatives)

    def with_rule(self, rule: Rule) -> Settings:
        """The settings, and their alternatives, with another rule."""
        alternatives = tuple(replace(one, rule=rule) for one in self.alternatives)
        return replace(self, rule=rule, alternatives=alternatives)

    def with_constraints(self, constraints: Constraints) -> Settings:
        """The settings, and their alternatives, with constraints."""
        if constraints == self.constraints:
            return self
        alternatives = tuple(replace(one, constraints=constraints) for one in self.alternatives)
        return replace(self, constraints=constraints, alternatives=alternatives)

    @property
    def member(self) -> str:
        """Name of the weak learner among those of an average."""
        drawn = "random" if self.splitter == "random" else ""
        return " ".join(filter(None, (self.size, drawn, self.learner)))

    @property
    def draws(self) -> bool:
        """Whether rows, features or thresholds are drawn."""
        own = self.max_features is not None or self.subsample < 1 or self.splitter == "random"
        return own or any(one.draws for one in self.alternatives)

    def draws_of(self, rows: Rows) -> Draws | None:
        """How rows and features are drawn; None if all of them are used in every round."""
        number = n_drawn(self.max_features, rows.varies)
        cuts = self.splitter == "random"
        if number is None and self.subsample == 1 and not cuts:
            return None
        key = reduce(hash_of, self.stream, self.seed())
        return Draws(key, float(self.subsample), number, cuts)

    @property
    def first(self) -> Settings:
        """The first alternative, or the settings themselves if there are none."""
        return self.alternatives[0] if self.alternatives else self

    @property
    def wraps(self) -> bool:
        """Whether the weak learner is a scikit-learn classifier."""
        return self.learner == "wrapped"

    @property
    def holds_out(self) -> bool:
        """Whether training holds out rows, of every class, for calibration or early stopping."""
        watches = self.early_stopping and self.validation_fraction is not None
        return self.calibration is not None or watches


def n_drawn(max_features: Any, varies: NDArray[np.bool_]) -> int | None:
    """Number of features to draw for each split, of those that vary; None for all."""
    n_features = int(np.count_nonzero(varies))
    if max_features is None or not n_features:
        return None
    if max_features == "sqrt":
        number = isqrt(n_features)
    elif max_features == "log2":
        number = n_features.bit_length() - 1
    elif is_share(max_features):
        number = int(max_features * n_features)
    else:
        number = int(max_features)
    if number > varies.size:
        raise ValueError(
            f"max_features={max_features} must not be above the number of features, {varies.size}"
        )
    return None if number >= n_features else max(number, 1)
