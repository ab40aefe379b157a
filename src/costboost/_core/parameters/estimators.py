"""The weak learners by name, each with what is known of it before it sees rows."""

from __future__ import annotations

from typing import NamedTuple


class LearnerFacts(NamedTuple):
    """What documentation and checks state of a weak learner."""

    words: str
    """Its entry in the description of ``estimator``."""
    draws: bool = False
    """Whether it is found on a sample of rows and features, and within constraints."""
    draws_cuts: bool = False
    """Whether its thresholds may be drawn too."""
    on_values: bool = False
    """Whether it reads the values of all rows in one process, and not only their bins."""
    usual_bins: int | None = None
    """The number of bins that takes the place of the default; None if that stays."""


LEARNERS = {
    "stump": LearnerFacts('"stump": one feature, one threshold', draws=True, draws_cuts=True),
    "tree": LearnerFacts('"tree"', draws=True, draws_cuts=True),
    "lookup": LearnerFacts(
        '"lookup": one feature cut into bins with a value each', draws=True, usual_bins=16
    ),
    "linear": LearnerFacts('"linear": a line in one feature', on_values=True),
    "logistic": LearnerFacts(
        '"logistic": a logistic regression on one feature, voting', on_values=True
    ),
    "wrapped": LearnerFacts("or any scikit-learn classifier", on_values=True),
}
ESTIMATORS = tuple(name for name in LEARNERS if name != "wrapped")
"""The values of ``estimator`` that are names."""
DRAWING = tuple(name for name, facts in LEARNERS.items() if facts.draws)
DRAWING_CUTS = tuple(name for name, facts in LEARNERS.items() if facts.draws_cuts)


def any_of(names: tuple[str, ...]) -> str:
    """The names as values of ``estimator`` in an error message: 'stump', 'tree' or 'lookup'."""
    return f"{', '.join(map(repr, names[:-1]))} or {names[-1]!r}"
