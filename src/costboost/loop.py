"""The boosting loop: the only one there is. It knows no algorithm and sees no rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, NamedTuple

from costboost.cells import Cells, Floats
from costboost.learners.hypothesis import Hypothesis, WeakLearner
from costboost.rules import SHARE_FLOOR, Rule

ALL_ROUNDS = "all rounds done"
PERFECT = "a perfect learner was found"
NO_STEP = "no learner with a positive step was left"


NO_SIZE = 1e-12
"""A step this small is 0 but for rounding."""


class Round(NamedTuple):
    """One round: hypothesis, step and weighted error; why the ensemble ends here, if it does."""

    hypothesis: Hypothesis
    step: float
    error: float
    ends: str | None


@dataclass(frozen=True)
class Schedule:
    """How the rounds are run, whatever the algorithm."""

    n_rounds: int
    learning_rate: float = 1.0
    keep_negative: bool = False


def boost(
    rule: Rule,
    rows: Any,
    learner: WeakLearner,
    cost_of_cells: Any,
    schedule: Schedule,
    memory: Sequence[Any] = (),
) -> Iterator[Round]:
    """Boost until the rounds are done or no further learner may be added.

    Every learner added is yielded as a `Round`; the caller may stop listening at any time.
    ``rows`` have their initial weights. The learners in ``memory`` are recalled for the first
    rounds instead of being searched for: that is how a fit is continued.

    Yields nothing if not even one learner could be added.
    """
    for t in range(schedule.n_rounds):
        hypothesis = learner.recall(rows, memory[t]) if t < len(memory) else learner.find(rows)
        cells = Cells(hypothesis.weight, hypothesis.outcome, cost_of_cells(hypothesis))
        step = schedule.learning_rate * rule.step(cells)
        if not isfinite(step) or abs(step) <= NO_SIZE or (step < 0 and not schedule.keep_negative):
            return
        error = cells.wrong()
        perfect = error < SHARE_FLOOR
        last = t + 1 == schedule.n_rounds
        ends = PERFECT if perfect else ALL_ROUNDS if last else None
        yield Round(hypothesis, step, error, ends)
        if ends:
            return
        factors: Floats = rule.update(cells, step)
        hypothesis.reweigh(rows, factors)
