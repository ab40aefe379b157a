"""Scores of a fitted ensemble, at the end and round by round, and how they are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from costboost import tables
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
        for t in range(max(1, len(self.ensemble_))):
            said = np.zeros(table.n_rows)
            if blocks is None:
                self.ensemble_.add_scores(table.X, said, t, t + 1)
            else:
                self.ensemble_.add_scores(blocks(), said, n_threads, t, t + 1)
            score = score + said if combine is None else combine(score, 1.0, said)
            yield score

    def _combine(self) -> Any:
        """How a learner's vote joins the score, where it is not simply added."""
        return getattr(self._rule(), "combine", None)

    def _stages(self, table: tables.Table) -> Iterator[tuple[NDArray[np.float64], float, int]]:
        """Score, size of the votes and rounds added; one stage if there are no rounds."""
        votes = list(accumulate(np.abs(self.estimator_weights_).tolist())) or [0.0]
        first = 1 if self.n_iter_ else 0
        for k, score in enumerate(self._staged_scores(table)):
            yield score, votes[k], first + k

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
