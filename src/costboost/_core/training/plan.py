"""What a fit does: the parameters of a classifier, its rule and its weak learner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from functools import reduce
from math import isqrt
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from costboost._core.engine._kernels import hash_of
from costboost._core.model import BinaryModel
from costboost._core.model.constraints import UNCONSTRAINED, Constraints
from costboost._core.parameters.boosting import BoostingParameters
from costboost._core.parameters.parameter import is_share
from costboost._core.rows import Draws, Rows
from costboost._core.rules.record import Rule
from costboost._core.threads.counts import threads
from costboost._core.training.seed import Seed

if TYPE_CHECKING:
    from costboost._core.training.problem import Problem

Scorer = Callable[[BinaryModel, "Problem"], float]


class Fixed(BoostingParameters):
    """Parameters of a classifier that cannot be changed, as training reads them."""

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    @classmethod
    def of(cls, changeable: BoostingParameters) -> Self:
        """A copy of parameters, of those that all boosting classifiers have."""
        names = [one.name for one in fields(BoostingParameters)]
        return cls(**{name: getattr(changeable, name) for name in names})

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")


class Traits(NamedTuple):
    """What distinguishes the training of a class of classifiers besides its rule."""

    rows_per_bin: int = 1
    """A feature has at most one bin for this many rows."""
    stops_on_log_loss: bool = False
    """Whether early stopping uses the log loss of validation rows instead of their mean cost."""
    averages: bool = False
    """Whether the ensembles of folds and members are averaged."""


class Rounds(NamedTuple):
    """Rounds of an ensemble whose number is decided by the rows held out."""

    usual: int
    may_grow: bool = True
    """Whether held-out rows may lead to more rounds than usual."""


class Choice(NamedTuple):
    """A member of an average, or one that calibration may choose."""

    changes: dict[str, Any]
    """Parameters in which it differs from the classifier, ``estimator`` among them."""
    size: str = ""
    """What distinguishes it from another member with the same weak learner."""
    may_grow: bool = True


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a fit does."""

    name: str
    """Name of the classifier, for messages."""
    parameters: Fixed
    rule: Rule
    learner: str
    """Name of the weak learner; "wrapped" for a scikit-learn classifier."""
    traits: Traits
    scorer: Scorer | None
    """The user's score for early stopping."""
    seed: Seed
    members: tuple[Plan, ...] = ()
    """Plans among which calibration chooses, or whose ensembles are averaged."""
    chosen: dict[str, Any] = field(default_factory=dict)
    """The parameters in which a member differs from the classifier."""
    size: str = ""
    """What distinguishes a member from another one with the same weak learner."""
    rounds: Rounds | None = None
    """How held-out rows decide on the number of rounds; None if it is given."""
    constraints: Constraints = UNCONSTRAINED
    """Monotone features, and features that may interact."""
    stream: tuple[int, ...] = ()
    """Numbers that, next to the seed, determine which rows and features are drawn."""

    @property
    def share_held_out(self) -> float:
        """Share of the rows that calibration holds out once; 0 for folds."""
        split = self.parameters.calibration_split
        once = self.calibrates and is_share(split)
        return float(split) if once else 0.0

    def member(self, choice: Choice) -> Plan:
        """The plan of a member."""
        parameters = replace(self.parameters, **choice.changes)
        return replace(
            self,
            parameters=parameters,
            learner=parameters.estimator,
            chosen=choice.changes,
            size=choice.size,
            rounds=self.rounds and Rounds(parameters.n_estimators, choice.may_grow),
        )

    def changed(self, **changes: Any) -> Plan:
        """The plan and its members with other values."""
        members = tuple(replace(member, **changes) for member in self.members)
        return replace(self, members=members, **changes)

    def with_parameters(self, **values: Any) -> Plan:
        """The plan, but not its members, with other values of parameters."""
        return replace(self, parameters=replace(self.parameters, **values))

    @property
    def member_name(self) -> str:
        """Name of the weak learner among those of an average."""
        drawn = "random" if self.parameters.splitter == "random" else ""
        return " ".join(filter(None, (self.size, drawn, self.learner)))

    @property
    def draws(self) -> bool:
        """Whether rows, features or thresholds are drawn."""
        given = self.parameters
        draws = given.max_features is not None or given.subsample < 1 or given.splitter == "random"
        return draws or any(member.draws for member in self.members)

    def draws_of(self, rows: Rows) -> Draws | None:
        """How rows and features are drawn; None if all of them are used in every round."""
        share, cuts = self.parameters.subsample, self.parameters.splitter == "random"
        number = n_drawn(self.parameters.max_features, rows.varies)
        if number is None and share == 1 and not cuts:
            return None
        key = reduce(hash_of, self.stream, self.seed())
        return Draws(key, float(share), number, cuts)

    @property
    def first(self) -> Plan:
        """The first member, or the plan itself if there are none."""
        return self.members[0] if self.members else self

    @property
    def wraps(self) -> bool:
        """Whether the weak learner is a scikit-learn classifier."""
        return self.learner == "wrapped"

    def n_threads(self, n_cells: int) -> int:
        """Number of threads for trainings side by side, on so many row x feature cells.

        Classifiers of others may draw random numbers from a source that they share, so that what
        they learn side by side would depend on chance.
        """
        return 1 if self.wraps else threads(self.parameters.n_jobs, n_cells)

    @property
    def calibrates(self) -> bool:
        """Whether a calibrator is fitted."""
        return self.parameters.calibration is not None

    @property
    def holds_out(self) -> bool:
        """Whether training holds out rows, of every class, for calibration or early stopping."""
        watches = self.parameters.early_stopping and self.parameters.validation_fraction is not None
        return self.calibrates or watches


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
