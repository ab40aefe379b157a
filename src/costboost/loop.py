"""The boosting loop, shared by all algorithms, learners and kinds of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from math import isfinite
from typing import Any, NamedTuple

from costboost.learners.hypothesis import Hypothesis, WeakLearner
from costboost.states import State

ALL_ROUNDS = "all rounds done"
PERFECT = "a perfect learner was found"
NO_STEP = "no learner with a positive step was left"

PERFECT_ERROR = 1e-10
"""Boosting ends with a learner whose weighted error is below this."""


Listener = Callable[[int, int], None]
"""Called with the number of rounds done and the number of rounds requested."""
LISTENER: ContextVar[Listener | None] = ContextVar("LISTENER", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Call ``listener(round, n_rounds)`` after every round of any ensemble in this context."""
    before = LISTENER.set(listener)
    try:
        yield
    finally:
        LISTENER.reset(before)


class Round(NamedTuple):
    """One round: hypothesis, step, weighted error, and the reason if boosting ends here."""

    hypothesis: Hypothesis
    step: float
    error: float
    ends: str | None


def boost(
    state: State,
    rows: Any,
    learner: WeakLearner,
    n_rounds: int,
    keep_negative: bool = False,
    memory: Sequence[Any] = (),
) -> Iterator[Round]:
    """Boost until the rounds are done or no further learner may be added.

    Every learner added is yielded as a `Round`; the caller may stop iterating at any time. To
    continue a fit, the first rounds use the learners in ``memory`` instead of searching for them.
    Where rows or features are drawn, a learner without a positive step does not end boosting, as
    the next round draws others: it gets a step of 0, and is yielded before the next one that has a
    step.

    Yields nothing if not even one learner could be added.
    """
    listener = LISTENER.get()
    waiting: list[Round] = []
    for t in range(n_rounds):
        rows.begin_round(t + 1)
        state.begin_round(t + 1)
        hypothesis = (
            learner.recall(rows, memory[t], state.criterion)
            if t < len(memory)
            else learner.find(rows, state.criterion)
        )
        if hypothesis is None:
            return
        step, error = state.evaluate(hypothesis)
        if not isfinite(step) or abs(step) <= state.least_step or (step < 0 and not keep_negative):
            if not rows.draws:
                return
            waiting.append(Round(hypothesis, 0.0, error, None))
            state.advance(hypothesis, 0.0)
            continue
        if waiting:
            yield from waiting
            waiting.clear()
        perfect = state.ends_when_perfect and error < PERFECT_ERROR
        ends = PERFECT if perfect else ALL_ROUNDS if t + 1 == n_rounds else None
        if listener is not None:
            listener(t + 1, n_rounds)
        yield Round(hypothesis, step, error, ends)
        if ends:
            return
        state.advance(hypothesis, step)
