"""What a fitted boosting classifier says: scores, probabilities, decisions, stage by stage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted

from costboost import tables
from costboost.classifiers.checks import check_costs
from costboost.classifiers.deciding import Deciding
from costboost.classifiers.one_vs_rest import (
    OneVsRest,
    costs_of_two,
    greatest,
    refuse_costs_of_two,
)
from costboost.explaining.shapley import shapley_values
from costboost.rules import STARTS, Costs, Rule
from costboost.tables import Coder
from costboost.threads import threads

NEEDS_ALL_VALUES = {
    "linear": "the linear weak learner takes none; fill them in, or take estimator='stump'",
}
"""Learners that cannot do with missing values, and what to do then."""


class Predictions:
    """The methods of a fitted classifier; `BoostingClassifier.fit` sets what they read."""

    classes_: NDArray[Any]
    n_features_in_: int
    n_iter_: int
    ensemble_: Any
    estimator_weights_: NDArray[np.float64]
    n_jobs: int | None
    _one_vs_rest: OneVsRest | None = None
    """With more than two classes, what all methods leave to it."""
    _calibrator: Any
    _coders: Sequence[Coder | None]
    _initial_weights: str
    _learner: str
    _n_rounds: int
    _positive_index: int
    _prior: float
    _trained_costs: Costs
    _votes: float

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
        table = tables.read(self, X, reset=False, raw=self._learner == "wrapped")
        if self._learner in NEEDS_ALL_VALUES:
            table.refuse_missing(NEEDS_ALL_VALUES[self._learner])
        return table

    def _scores(self, table: tables.Table) -> NDArray[np.float64]:
        """F, positive for the positive class."""
        score = np.zeros(table.n_rows)
        if self._combine() is not None:
            return list(self._staged_scores(table))[-1]
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

    def _costs(self, fn_cost: Any, fp_cost: Any, cost_matrix: Any, n_rows: int) -> Costs:
        """Costs to decide by: those given, else those of training."""
        if fn_cost is None and fp_cost is None and cost_matrix is None:
            return self._trained_costs
        if not self._deciding().by_cost:
            raise ValueError(
                f"{type(self).__name__} cannot be given other costs after training: its decision "
                "is the sign of a score trained for fixed costs. Take AdaMECClassifier, or "
                "calibration='platt'."
            )
        if cost_matrix is not None:
            if fn_cost is not None or fp_cost is not None:
                raise ValueError("costs are given twice: pass fn_cost and fp_cost, or cost_matrix")
            return costs_of_two(cost_matrix, self.classes_, self._positive_index, n_rows)
        return check_costs(
            self._trained_costs.fn if fn_cost is None else fn_cost,
            self._trained_costs.fp if fp_cost is None else fp_cost,
            n_rows,
        )

    def _matrix(self, fn_cost: Any, fp_cost: Any, cost_matrix: Any, n_rows: int) -> Any:
        """The same with more than two classes."""
        refuse_costs_of_two(self, fn_cost, fp_cost, len(self.classes_))
        assert self._one_vs_rest is not None
        name = type(self).__name__
        return self._one_vs_rest.matrix_for(name, cost_matrix, self.classes_, n_rows)

    def _labels(self, positive: NDArray[np.bool_]) -> NDArray[Any]:
        labels: NDArray[Any] = self.classes_[
            np.where(positive, self._positive_index, 1 - self._positive_index)
        ]
        return labels

    def _of_classes(self, value: NDArray[np.float64]) -> NDArray[Any]:
        labels: NDArray[Any] = self.classes_[greatest(value)]
        return labels

    def _columns(self, probability: NDArray[np.float64]) -> NDArray[np.float64]:
        pair = [1 - probability, probability]
        return np.column_stack(pair if self._positive_index == 1 else pair[::-1])

    def _towards_second(self, score: NDArray[np.float64]) -> NDArray[np.float64]:
        return score if self._positive_index == 1 else -score

    # ---- public predictions ----------------------------------------------------------------------

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The score F of each row.

        As everywhere in scikit-learn, it is positive for ``classes_[1]``; that is the positive
        class unless ``pos_label`` names the other one. With more than two classes there is a column
        for each: what speaks for it, which is minus the expected cost of predicting it where
        probabilities decide, and the score of the class against the rest otherwise.
        """
        if self._one_vs_rest is not None:
            return self._one_vs_rest.decision(self._read(X), self._one_vs_rest.matrix)
        return self._towards_second(self._scores(self._read(X)))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probability of each class, in the order of ``classes_``, costs taken out."""
        if self._one_vs_rest is not None:
            return self._one_vs_rest.probabilities(self._read(X))
        score = self._scores(self._read(X))
        return self._columns(self._probability(score, self._votes, self.n_iter_))

    def predict(
        self, X: Any, fn_cost: Any = None, fp_cost: Any = None, cost_matrix: Any = None
    ) -> NDArray[Any]:
        """The class of each row.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
        fn_cost, fp_cost : number or array of shape (n_samples,), optional
            Decide under these costs instead of those of training, without refitting; only for a
            classifier that decides by cost.
        cost_matrix : array of shape (n_classes, n_classes) or (n_samples, n_classes, n_classes)
            The same for any number of classes: rows are the truth, columns the prediction.
        """
        table = self._read(X)
        if self._one_vs_rest is not None:
            matrix = self._matrix(fn_cost, fp_cost, cost_matrix, table.n_rows)
            return self._of_classes(self._one_vs_rest.decision(table, matrix))
        costs = self._costs(fn_cost, fp_cost, cost_matrix, table.n_rows)
        score = self._scores(table)
        return self._labels(self._deciding().positive(score, costs, self._votes, self.n_iter_))

    def _called(
        self, X: Any, fn_cost: Any, fp_cost: Any
    ) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Which rows `predict` calls positive, and their probability, from one pass over them."""
        table = self._read(X)
        costs = self._costs(fn_cost, fp_cost, None, table.n_rows)
        score = self._scores(table)
        called = self._deciding().positive(score, costs, self._votes, self.n_iter_)
        return called, self._probability(score, self._votes, self.n_iter_)

    def staged_decision_function(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """The score F of each row after each round; see `decision_function`."""
        if self._one_vs_rest is not None:
            for both in self._one_vs_rest.staged(self._read(X)):
                yield self._one_vs_rest.values(*both, self._one_vs_rest.matrix)
            return
        for score in self._staged_scores(self._read(X)):
            yield self._towards_second(score)

    def staged_predict_proba(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Probability of each class after each round."""
        if self._one_vs_rest is not None:
            yield from (shares for _, shares in self._one_vs_rest.staged(self._read(X)))
            return
        for score, votes, n_added in self._stages(self._read(X)):
            yield self._columns(self._probability(score, votes, n_added))

    def staged_predict(
        self, X: Any, fn_cost: Any = None, fp_cost: Any = None, cost_matrix: Any = None
    ) -> Iterator[NDArray[Any]]:
        """The class of each row after each round."""
        table = self._read(X)
        if self._one_vs_rest is not None:
            matrix = self._matrix(fn_cost, fp_cost, cost_matrix, table.n_rows)
            for both in self._one_vs_rest.staged(table):
                yield self._of_classes(self._one_vs_rest.values(*both, matrix))
            return
        costs = self._costs(fn_cost, fp_cost, cost_matrix, table.n_rows)
        for score, votes, n_added in self._stages(table):
            yield self._labels(self._deciding().positive(score, costs, votes, n_added))

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Accuracy after each round."""
        for predicted in self.staged_predict(X):
            yield float(accuracy_score(y, predicted, sample_weight=sample_weight))

    def explain(self, X: Any, background: Any = None) -> NDArray[np.float64]:
        r"""How much each feature of each row has moved the score: exact Shapley values.

        .. math:: F(x) = \operatorname{mean}_z F(z) + \sum_j \phi_j(x)

        where z runs over the background: a feature's value is its mean gain over all orders in
        which the features of x can replace those of a background row (interventional Shapley
        values). For stumps it is :math:`f_j(x_j)` minus its mean over the background, F being a sum
        of functions of one feature; for trees it is computed leaf by leaf.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
        background : array, data frame or sparse matrix, optional
            What rows are compared with, such as the training rows. Default: X itself, which must
            then have two rows or more.

        Returns
        -------
        array of shape (n_samples, n_features)
            In the units of ``decision_function``, above 0 where a feature speaks for
            ``classes_[1]``.

        References
        ----------
        S. M. Lundberg et al., "From local explanations to global understanding with explainable AI
        for trees", Nature Machine Intelligence 2, 2020.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from costboost import AdaBoostClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = AdaBoostClassifier(n_estimators=3).fit(X, y == 2)
        >>> clf.explain(X[-1:], background=X).round(2).tolist()
        [[0.0, 0.0, 2.84, 2.16]]
        """
        table = self._read(X)
        if self._one_vs_rest is not None:
            raise ValueError(
                f"explain is for two classes, but there are {len(self.classes_)}; ask the "
                "classifier of one class against the rest, estimators_[k].explain"
            )
        rows = self._numbers(table)
        if background is None and len(rows) == 1:
            raise ValueError(
                "a single row compared with itself is explained by nothing; pass the rows to "
                "compare it with, such as background=X_train"
            )
        others = rows if background is None else self._numbers(self._read(background))
        return self._towards_second(shapley_values(self, rows, others))

    def _numbers(self, table: tables.Table) -> NDArray[np.float64]:
        """All values as the ensemble sees them."""
        if self._learner == "wrapped":
            return np.zeros((table.n_rows, table.n_features))
        blocks = [np.asarray(part, dtype=np.float64) for _, part in table.row_blocks(self._coders)]
        return np.concatenate(blocks)

    def _certainty(self, table: tables.Table) -> NDArray[np.float64]:
        """What a calibrator is fitted on."""
        return self._deciding().certainty(self._scores(table), self._votes, self.n_iter_)

    def _stages(self, table: tables.Table) -> Iterator[tuple[NDArray[np.float64], float, int]]:
        """Score, size of the votes and rounds added; one stage if there are no rounds."""
        votes = list(accumulate(np.abs(self.estimator_weights_).tolist())) or [0.0]
        first = 1 if self.n_iter_ else 0
        for k, score in enumerate(self._staged_scores(table)):
            yield score, votes[k], first + k

    def _probability(
        self, score: NDArray[np.float64], votes: float, n_added: int
    ) -> NDArray[np.float64]:
        return self._deciding().probability(score, self._trained_costs, votes, n_added)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each feature in the ensemble: gains within a tree, weighted by its step."""
        check_is_fitted(self)
        if self._one_vs_rest is not None:
            return self._one_vs_rest.importances()
        importances: NDArray[np.float64] = self.ensemble_.importances(
            self.estimator_weights_, self.n_features_in_
        )
        return importances
