"""Newton's method on the rows of a block: working responses, and steps that are tried."""

from __future__ import annotations

from typing import Any

from costboost.arithmetic import Floats
from costboost.backends.protocol import Proposed, Scales
from costboost.backends.shard.weights import WeightedRows, Working
from costboost.engine._kernels import Likelihood, NewtonScores, moments, sum_of_quanta


class NewtonRows(WeightedRows):
    """Rows with a score, and the working response and weight of a likelihood."""

    _losses: Floats
    _weight: Floats
    _response: Floats

    def set_likelihood(
        self,
        label: Floats,
        start: Floats,
        share: Any,
        slope: Any,
        offset: Any,
        expected: bool = False,
    ) -> None:
        """Set the logistic likelihood of the rows, whose logit is slope * score + offset.

        ``expected`` takes the probability of a mistake for the loss instead of the log loss.
        """
        if self.working is None:
            self._newton = newton = NewtonScores(self.n_rows, self.n_threads)
            self._response, self._weight, self._losses = newton.response, newton.weight, newton.loss
        likelihood = Likelihood(label, start, share, slope, offset, expected)
        self._newton.set_likelihood(likelihood)

    def propose(
        self,
        direction: Floats,
        scale: float,
        draws: bool,
        step: float,
        largest_logit: float,
        plain: bool,
        same_logit: bool,
    ) -> Proposed:
        """Take the scores of a hypothesis as the direction of the next step, and try one.

        With ``draws`` the weight of all rows is added up.
        """
        against = self._newton.propose(direction, scale)
        every = self.total_weight(scale) if draws else 0
        if not same_logit:
            return Proposed(against, every, (self.losses(step),))
        return Proposed(against, every, self._newton.linearise(step, largest_logit, plain))

    def accept(self) -> None:
        """Keep the score that was tried last."""
        self._newton.accept()

    def losses(self, step: float) -> float:
        """Compute the loss of every row after a step; return the largest."""
        return self._newton.find_losses(step)

    def linearise(self, step: float | None, largest_logit: float, plain: bool) -> tuple[float, ...]:
        """Compute loss, working response and weight of every row; return the largest of each.

        They are those after a step, or without one those at the accepted score.
        """
        return self._newton.linearise(step, largest_logit, plain)

    def sum_losses(self, scale: float) -> int:
        """Sum of the losses in quanta."""
        total: int = sum_of_quanta(self._losses, scale, self.n_threads)
        return total

    def set_targets(self, scales: Scales) -> None:
        """Replace the histogram of weights by that of working response and weight.

        It is built when it is needed: `grow` does without.
        """
        self.working = Working(self._response, self._weight, scales)
        self._is_current = False

    def total_weight(self, scale: float) -> int:
        """Sum of the weights of the regression over all rows, in quanta."""
        total: int = sum_of_quanta(self._weight, scale, self.n_threads)
        return total

    def moments(self, x: Floats, scales: Scales) -> tuple[int, int, int]:
        """Sums of w x, w x^2 and r x in quanta, for x in [-1, 1], weight w and response r."""
        sums: tuple[int, int, int] = moments(
            x, (self._response, self._weight, scales), self.n_threads
        )
        return sums
