"""Newton's method on the rows of a block: working responses, and steps that are tried."""

from __future__ import annotations

from costboost._core.arithmetic import Floats
from costboost._core.backends.protocol import LARGEST_LOGIT, Largest, Proposed, Scales, Trial
from costboost._core.backends.shard.weights import WeightedRows, Working
from costboost._core.engine._kernels import Likelihood, NewtonScores, moments, sum_of_quanta


class NewtonRows(WeightedRows):
    """Rows with a score, and the working response and weight of a likelihood."""

    _newton: NewtonScores
    _linear: NewtonScores
    """Scores with working responses; absent before these are computed."""
    _directed: NewtonScores
    """Scores with a proposed direction; absent without one."""
    _losses: Floats

    def set_likelihood(
        self,
        label: Floats,
        start: Floats,
        share: Floats | float,
        slope: Floats | float,
        offset: Floats | float,
        expected: bool = False,
    ) -> None:
        """Set the logistic likelihood of the rows, whose logit is slope * score + offset.

        ``expected`` takes the probability of a mistake for the loss instead of the log loss.
        """
        if "_newton" not in vars(self):
            self._newton = NewtonScores(self.n_rows, self.n_threads)
        likelihood = Likelihood(label, start, share, slope, offset, expected)
        self._newton.set_likelihood(likelihood)
        self._end("_linear", "_directed", "_losses")

    def linearise(self, plain: bool) -> Largest:
        """Compute loss, working response and weight of every row at the accepted score."""
        newton = self._newton
        largest = Largest(*newton.linearise(None, LARGEST_LOGIT, plain))
        self._linear, self._losses = newton, newton.loss
        self._end("_summed", "_nodes")
        return largest

    def propose(self, direction: Floats, scale: float, trial: Trial) -> Proposed:
        """Take the scores of a hypothesis as the direction of the next step, and try one."""
        newton = self._linear
        opposed = self._opposed(newton.propose(direction, scale), newton.weight, scale)
        self._directed = newton
        return Proposed(opposed, self.attempt(trial))

    def attempt(self, trial: Trial) -> Largest:
        """Compute the loss of every row after a step, and the working response if asked to."""
        step, linearises, plain = trial
        newton = self._directed
        self._losses = newton.loss
        self._end("_summed", "_nodes")
        if linearises:
            return Largest(*newton.linearise(step, LARGEST_LOGIT, plain))
        return Largest(newton.find_losses(step))

    def accept(self) -> None:
        """Keep the score that was tried last."""
        self._directed.accept()
        del self._directed

    def sum_losses(self, scale: float) -> int:
        """Sum of the losses in quanta."""
        total: int = sum_of_quanta(self._losses, scale, self.n_threads)
        return total

    def set_targets(self, scales: Scales) -> None:
        """Replace the histogram of weights by that of working response and weight.

        It is built when it is needed: `grow` does without.
        """
        self._aim(Working(self._linear.response, self._linear.weight, scales))

    def moments(self, x: Floats, scales: Scales) -> tuple[int, int, int]:
        """Sums of w x, w x^2 and r x in quanta, for x in [-1, 1], weight w and response r."""
        of = self._linear.response, self._linear.weight, scales
        sums: tuple[int, int, int] = moments(x, of, self.n_threads)
        return sums
