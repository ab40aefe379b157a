"""Everything that training is told besides the data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sklearn.utils import check_random_state

from costboost.rules import Rule

if TYPE_CHECKING:
    from costboost.model import BinaryModel
    from costboost.training.problem import Problem

Scorer = Callable[["BinaryModel", "Problem"], float]


class Seed:
    """A seed that is drawn from ``random_state`` when it is first needed."""

    def __init__(self, random_state: Any, value: int | None = None) -> None:
        self.random_state = random_state
        self.value = value

    def __call__(self) -> int:
        if self.value is None:
            self.value = int(check_random_state(self.random_state).randint(2**31 - 1))
        return self.value


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
    averages: bool = False
    """Whether the ensembles of folds and alternatives are averaged."""

    def with_seed(self, seed: Seed) -> Settings:
        """The settings, and their alternatives, with another seed."""
        alternatives = tuple(replace(one, seed=seed) for one in self.alternatives)
        return replace(self, seed=seed, alternatives=alternatives)

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
        """Whether training needs rows of every class that it is not trained on."""
        watches = self.early_stopping and self.validation_fraction is not None
        return self.calibration is not None or watches
