"""The likelihood of held-out rows, given scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats
from costboost._core.training.problem import Problem
from costboost._core.training.sigmoid_likelihood import SigmoidLikelihood
from costboost._core.training.softmax_likelihood import SoftmaxLikelihood
from costboost._core.training.stage_lines import Lines


class FittedLine(Protocol):
    """A probability as a function of the score."""

    def losses(self, score: Floats, truth: Any) -> Floats:
        """Log loss of each row."""


class Likelihood(Protocol):
    """The likelihood of rows, given scores: one for each row, or one for each class."""

    def enough(self, truth: Any, seen: Floats) -> bool:
        """Whether there are rows enough to drop plans that do not contribute."""

    def line(self, score: Floats, truth: Any, counts: Floats, start: Any = None) -> FittedLine:
        """The line of the scores of greatest likelihood, nearly; ``start`` is that of before."""

    def mix(self, scores: Sequence[Floats], truth: Any, counts: Floats) -> Floats:
        """Non-negative weights of several scores, with sum 1, of the best regression."""

    def mixture_losses(self, scores: Sequence[Floats], truth: Any, counts: Floats) -> Floats:
        """Log loss of each row under the best weighted average of some scores."""

    def stage_lines(
        self, scores: Iterable[Floats], known: NDArray[np.intp], truth: Any, counts: Floats
    ) -> Lines:
        """Lines that bring the scores of each stage to the scale of the last one."""


def likelihood_of(problem: Problem) -> Likelihood:
    """The likelihood of the rows of a problem."""
    return SigmoidLikelihood() if problem.code is None else SoftmaxLikelihood()
