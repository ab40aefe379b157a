"""What changes between two rounds, as the loop sees it."""

from __future__ import annotations

from typing import Protocol

from costboost._core.backends.offers import Needs
from costboost._core.learners.hypothesis import Hypothesis
from costboost._core.rules.record import Criterion

NO_STEP = "no learner with a positive step was left"
NO_DESCENT = "no step of the next learner lowers the loss"
NO_SIZE = 1e-12
"""Steps up to this size count as 0, for scores that are not in units of cost."""


class State(Protocol):
    """Interface between the boosting loop and a family of rules."""

    needs: Needs
    """Parts of the protocol of back ends that the rows need."""
    criterion: Criterion
    ends_when_perfect: bool
    least_step: float
    """Steps up to this size count as 0: they are rounding errors."""
    reason: str
    """Why no learner may be added if a step is not positive."""

    def begin_round(self, m: int) -> None:
        """Set the weights or targets of round m, counted from 1."""

    def evaluate(self, hypothesis: Hypothesis) -> tuple[float, float]:
        """Step of the hypothesis (0 if it may not be added), and its weighted error."""

    def advance(self, hypothesis: Hypothesis, step: float) -> None:
        """Update the weights or scores after the hypothesis has been added."""
