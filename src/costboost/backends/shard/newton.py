"""Newton's method on the rows of a block: working responses, and steps that are tried."""

from __future__ import annotations

from typing import Any

from costboost.arithmetic import Floats
from costboost.backends.protocol import LARGEST_LOGIT, Largest, Proposed, Scales, Trial
from costboost.backends.shard.weights import WeightedRows, Working
from costboost.engine._kernels import Likelihood, NewtonScores, moments, sum_of_quanta


class NewtonRows(WeightedRows):
    """Rows with a score, and the working response and weight of a likelihood."""

    _losses: Floats
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

    def linearise(self, plain: bool) -> Largest:
        """Compute loss, working response and weight of every row at the accepted score."""
        return Largest(*self._newton.linearise(None, LARGEST_LOGIT, plain))

    def propose(self, direction: Floats, scale: float, trial: Trial) -> Proposed:
        """Take the scores of a hypothesis as the direction of the next step, and try one."""
        against = self._newton.propose(direction, scale)
        return Proposed(self._opposed(against, scale), self.attempt(trial))

    def attempt(self, trial: Trial) -> Largest:
        """Compute the loss of every row after a step, and the working response if asked to."""
        step, linearises, plain = trial
        if linearises:
            return Largest(*self._newton.linearise(step, LARGEST_LOGIT, plain))
        return Largest(self._newton.find_losses(step))

    def accept(self) -> None:
        """Keep the score that was tried last."""
        self._newton.accept()

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

    def moments(self, x: Floats, scales: Scales) -> tuple[int, int, int]:
        """Sums of w x, w x^2 and r x in quanta, for x in [-1, 1], weight w and response r."""
        sums: tuple[int, int, int] = moments(
            x, (self._response, self._weight, scales), self.n_threads
        )
        return sums
