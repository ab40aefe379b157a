"""The boosting loop, which all algorithms, learners and kinds of rows share."""

from __future__ import annotations

import logging
from collections.abc import Generator, Sequence
from math import isfinite
from typing import Any, NamedTuple, Protocol

from costboost._core.engine._kernels import is_stopped
from costboost._core.learners.hypothesis import Hypothesis, WeakLearner
from costboost._core.loop.listening import LISTENER
from costboost._core.loop.state import NO_STEP, State

LOG = logging.getLogger(__name__)
ALL_ROUNDS = "all rounds done"
PERFECT = "a perfect learner was found"
NO_REAL_STEP = (
    "the step of the next learner is not a finite real number, because its formula is for costs "
    "of at most 1; set max_cost=1"
)


PERFECT_ERROR = 1e-10
"""Boosting ends with a learner whose weighted error is below this and whose step is positive."""


class Round(NamedTuple):
    """One round: hypothesis, step and weighted error."""

    hypothesis: Hypothesis
    step: float
    error: float


class DrawnRounds(Protocol):
    """Rows of which some, or features of which some, may be drawn for a round."""

    draws: bool
    """Whether any are drawn."""

    def begin_round(self, m: int) -> None:
        """Draw those of round m, counted from 1."""


def boost(
    state: State,
    rows: DrawnRounds,
    learner: WeakLearner,
    n_rounds: int,
    keep_negative: bool = False,
    memory: Sequence[Any] = (),
) -> Generator[Round, None, str]:
    """Boost until the rounds are done or no further learner may be added; return the reason.

    Every learner added is yielded as a `Round`; the caller may stop iterating at any time. To
    continue a fit, the first rounds use the learners in ``memory`` instead of searching for them.
    Where rows or features are drawn, a learner without a positive step does not end boosting, as
    the next round draws others: it gets a step of 0, and is yielded before the next one that has a
    step.

    Yields nothing if not even one learner could be added.
    """
    listener, logs_rounds = LISTENER.get(), LOG.isEnabledFor(logging.DEBUG)
    waiting: list[Round] = []
    reason = NO_STEP
    for t in range(n_rounds):
        if rows.draws:
            rows.begin_round(t + 1)
        state.begin_round(t + 1)
        hypothesis = (
            learner.recall(rows, memory[t], state.criterion)
            if t < len(memory)
            else learner.find(rows, state.criterion)
        )
        if hypothesis is None:
            return NO_STEP
        step, error = state.evaluate(hypothesis)
        if not isfinite(step) or abs(step) <= state.least_step or (step < 0 and not keep_negative):
            reason = state.reason if isfinite(step) else NO_REAL_STEP
            if not rows.draws:
                return reason
            waiting.append(Round(hypothesis, 0.0, error))
            state.advance(hypothesis, 0.0)
            continue
        if waiting:
            yield from waiting
            waiting.clear()
        if logs_rounds:
            LOG.debug("round %d of %d: step %.4g, error %.4g", t + 1, n_rounds, step, error)
        if listener is not None:
            listener(t + 1, n_rounds)
        if is_stopped():
            raise KeyboardInterrupt
        yield Round(hypothesis, step, error)
        if state.ends_when_perfect and step > 0 and error < PERFECT_ERROR:
            return PERFECT
        if t + 1 == n_rounds:
            return ALL_ROUNDS
        state.advance(hypothesis, step)
    return reason
