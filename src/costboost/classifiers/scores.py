"""Scores of a fitted ensemble, at the end and round by round, and how they are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from costboost import tables
from costboost.cells import Floats
from costboost.classifiers.deciding import Deciding
from costboost.classifiers.one_vs_rest import OneVsRest
from costboost.classifiers.staging import last_of
from costboost.rules import STARTS, Costs, Rule
from costboost.tables import Coder
from costboost.threads import threads

NEEDS_ALL_VALUES = {
    "linear": "the linear weak learner takes none; fill them in, or take estimator='stump'",
}
"""Learners that cannot do with missing values, and what to do then."""


STAGES = ("_stage_ends", "_stage_slopes", "_stage_shifts")
"""What only a classifier has whose stages are not single learners."""


class Stage(NamedTuple):
    """An ensemble after some of its rounds."""

    raw: Floats
    """The score F of each row."""
    score: Floats
    """F as it is to be read: where the calibrator is for all rounds, as if they were done."""
    votes: float
    """Sum of the sizes of the steps."""
    n_added: int
    """Learners so far."""


class Scores:
    """What a fitted ensemble says; `BoostingClassifier.fit` sets what is read here."""

    classes_: NDArray[Any]
    n_features_in_: int
    n_iter_: int
    estimator_weights_: NDArray[np.float64]
    n_jobs: int | None
    _one_vs_rest: OneVsRest | None = None
    """With more than two classes, what all methods leave to it."""
    _in_training: Any = None
    """While a fit goes on: rounds that are not laid out, and rows whose scores are known."""
    _calibrator: Any
    _coders: Sequence[Coder | None]
    _initial_weights: str
    _learner: str
    _n_rounds: int
    _positive_index: int
    _prior: float
    _stage_ends: NDArray[np.int64] | None = None
    """Learners after each stage; None if each learner is a stage, ..."""
    _stage_slopes: NDArray[np.float64]
    _stage_shifts: NDArray[np.float64]
    """... and the line by which the score of a stage is brought to the scale of the last one."""
    _trained_costs: Costs
    _votes: float

    @cached_property
    def ensemble_(self) -> Any:
        """The trained weak learners; while a fit goes on, laid out when first used."""
        if self._in_training is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'ensemble_'")
        return self._in_training.ensemble

    def __getstate__(self) -> Any:
        """For a copy, whose ensemble is laid out in any case."""
        if self._in_training is not None:
            self.ensemble_  # noqa: B018, kept from now on
        state: Any = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_in_training"}

    def _rule(self) -> Rule:
        raise NotImplementedError

    def _deciding(self) -> Deciding:
        """How the scores of the fitted ensemble are read."""
        rule, own = self._rule(), self._initial_weights == "auto"
        return Deciding(
            rule,
            rule.start if own else STARTS[self._initial_weights],
            own,
            self._prior,
            self._n_rounds,
            self._trained_costs,
            self._calibrator,
        )

    # ---- scores ----------------------------------------------------------------------------------

    def _read(self, X: Any) -> tables.Table:
        check_is_fitted(self)
        if self._in_training is not None and X is self._in_training.table.X:
            return self._in_training.table  # type: ignore[no-any-return]
        table = tables.read(self, X, reset=False, raw=self._learner == "wrapped")
        if self._learner in NEEDS_ALL_VALUES:
            table.refuse_missing(NEEDS_ALL_VALUES[self._learner])
        return table

    def _scores(self, table: tables.Table) -> NDArray[np.float64]:
        """F, positive for the positive class."""
        if self._in_training is not None and table is self._in_training.table:
            return self._in_training.score.copy()  # type: ignore[no-any-return]
        if self._combine() is not None:
            return last_of(self._staged_scores(table))
        score = np.zeros(table.n_rows)
        if self._learner == "wrapped":
            self.ensemble_.add_scores(table.X, score)
        else:
            n_threads = threads(self.n_jobs, table.n_rows * table.n_features)
            self.ensemble_.add_scores(table.row_blocks(self._coders), score, n_threads)
        return score

    def _staged_scores(self, table: tables.Table) -> Iterator[NDArray[np.float64]]:
        score = np.zeros(table.n_rows)
        wrapped, combine = self._learner == "wrapped", self._combine()
        blocks = None if wrapped else table.repeated_blocks(self._coders)
        n_threads = threads(self.n_jobs, table.n_rows)
        for first, last in pairwise([0, *self._ends().tolist()]):
            said = np.zeros(table.n_rows)
            if blocks is None:
                self.ensemble_.add_scores(table.X, said, first, last)
            else:
                self.ensemble_.add_scores(blocks(), said, n_threads, first, last)
            score = score + said if combine is None else combine(score, 1.0, said)
            yield score

    def _combine(self) -> Any:
        """How a learner's vote joins the score, where it is not simply added."""
        return getattr(self._rule(), "combine", None)

    def _ends(self) -> NDArray[np.int64]:
        """Learners after each stage; one constant if there are no rounds."""
        if self._stage_ends is not None:
            return self._stage_ends
        return np.arange(1, max(1, len(self.ensemble_)) + 1)

    def _stages(self, table: tables.Table) -> Iterator[Stage]:
        """The ensemble after each stage; one stage if there are no rounds."""
        votes = list(accumulate(np.abs(self.estimator_weights_).tolist())) or [0.0]
        ends = self._ends().tolist()
        for k, raw in enumerate(self._staged_scores(table)):
            score = raw
            if self._stage_ends is not None:
                score = self._stage_slopes[k] * raw + self._stage_shifts[k]
            yield Stage(raw, score, votes[ends[k] - 1], min(ends[k], self.n_iter_))

    def _towards_second(self, score: NDArray[np.float64]) -> NDArray[np.float64]:
        return score if self._positive_index == 1 else -score

    # ---- what they mean --------------------------------------------------------------------------

    def _probability(
        self, score: NDArray[np.float64], votes: float, n_added: int
    ) -> NDArray[np.float64]:
        return self._deciding().probability(score, self._trained_costs, votes, n_added)

    def _certainty(self, table: tables.Table) -> NDArray[np.float64]:
        """What a calibrator is fitted on."""
        return self._deciding().certainty(self._scores(table), self._votes, self.n_iter_)
