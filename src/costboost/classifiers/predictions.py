"""What a fitted boosting classifier says: scores, probabilities, decisions, stage by stage."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted

from costboost.cells import Floats
from costboost.classifiers.checks import check_costs
from costboost.classifiers.deciding import signed
from costboost.classifiers.explanations import Explanations
from costboost.classifiers.logs import logs
from costboost.classifiers.one_vs_rest import costs_of_two, refuse_costs_of_two
from costboost.rules import Costs
from costboost.tables import Table


class Predictions(Explanations):
    """The methods of a fitted classifier."""

    def decision_function(
        self, X: Any, fn_cost: Any = None, fp_cost: Any = None, cost_matrix: Any = None
    ) -> NDArray[np.float64]:
        """How far the score of each row is beyond the decision threshold.

        As everywhere in scikit-learn, it is above 0 exactly where `predict` returns
        ``classes_[1]``; that is the positive class unless ``pos_label`` names the other one. A
        classifier whose decision is the sign of its score returns the score F itself, see
        `raw_score`. One that decides by cost returns F minus the score at which both decisions
        have the same expected cost. With row costs, each row has its own threshold. Costs of
        classes shift all rows alike, so that no ranking, such as the ROC AUC, depends on them.

        With more than two classes there is a column for each, and the greatest is the decision: it
        is minus the expected cost of predicting the class where probabilities decide, and the
        score of the class against the rest otherwise.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
        fn_cost, fp_cost, cost_matrix : optional
            Decide under these costs instead of those of training, as in `predict`.

        Returns
        -------
        array of shape (n_samples,) or (n_samples, n_classes)
            All values are finite.
        """
        table = self._read(X)
        if self._one_vs_rest is not None:
            matrix = self._matrix(fn_cost, fp_cost, cost_matrix, table.n_rows)
            return self._one_vs_rest.decision(table, matrix)
        costs = self._costs(fn_cost, fp_cost, cost_matrix, table.n_rows)
        return self._distance(costs)(self._scores(table), self._votes, self.n_iter_)

    def raw_score(self, X: Any) -> NDArray[np.float64]:
        """The score F of each row: the sum of what the weak learners say.

        It is higher for ``classes_[1]``. Unlike `decision_function` it does not depend on the costs
        of the decision, so that 0 has no meaning for a classifier that decides by cost. With more
        than two classes there is a column for each: the score of the class against the rest.
        """
        if self._one_vs_rest is not None:
            return self._one_vs_rest.scores(self._read(X))
        return self._towards_second(self._scores(self._read(X)))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probability of each class, in the order of ``classes_``, costs taken out."""
        if self._one_vs_rest is not None:
            return self._one_vs_rest.probabilities(self._read(X))
        score = self._scores(self._read(X))
        return self._columns(self._probability(score, self._votes, self.n_iter_))

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Natural logarithm of `predict_proba`; minus infinity where that is 0."""
        return logs(self.predict_proba(X))

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
            return self._predict_several(
                table, self._matrix(fn_cost, fp_cost, cost_matrix, table.n_rows)
            )
        return self._predict_two(table, self._costs(fn_cost, fp_cost, cost_matrix, table.n_rows))

    def _predict_two(self, table: Table, costs: Costs) -> NDArray[Any]:
        score = self._scores(table)
        return self._labels(self._deciding().positive(score, costs, self._votes, self.n_iter_))

    def _predict_several(self, table: Table, matrix: Floats) -> NDArray[Any]:
        assert self._one_vs_rest is not None
        return self._of_classes(self._one_vs_rest.predicted(table, matrix))

    def _called(
        self, X: Any, fn_cost: Any, fp_cost: Any
    ) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Which rows `predict` calls positive, and their probability, from one pass over them."""
        table = self._read(X)
        costs = self._costs(fn_cost, fp_cost, None, table.n_rows)
        score = self._scores(table)
        called = self._deciding().positive(score, costs, self._votes, self.n_iter_)
        return called, self._probability(score, self._votes, self.n_iter_)

    def staged_decision_function(
        self, X: Any, fn_cost: Any = None, fp_cost: Any = None, cost_matrix: Any = None
    ) -> Iterator[NDArray[np.float64]]:
        """How far each score is beyond the decision threshold after each round.

        See `decision_function`; the last one is what that returns.
        """
        table = self._read(X)
        if self._one_vs_rest is not None:
            matrix = self._matrix(fn_cost, fp_cost, cost_matrix, table.n_rows)
            for both in self._one_vs_rest.staged(table):
                yield self._one_vs_rest.values(*both, matrix)
            return
        costs = self._costs(fn_cost, fp_cost, cost_matrix, table.n_rows)
        distance = self._distance(costs)
        for _, score, votes, n_added in self._stages(table):
            yield distance(score, votes, n_added)

    def staged_raw_score(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """The score F of each row after each round; see `raw_score`."""
        if self._one_vs_rest is not None:
            yield from (scores for scores, _ in self._one_vs_rest.staged(self._read(X)))
            return
        for score in self._staged_scores(self._read(X)):
            yield self._towards_second(score)

    def staged_predict_proba(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Probability of each class after each round."""
        if self._one_vs_rest is not None:
            yield from (shares for _, shares in self._one_vs_rest.staged(self._read(X)))
            return
        for _, score, votes, n_added in self._stages(self._read(X)):
            yield self._columns(self._probability(score, votes, n_added))

    def staged_predict(
        self, X: Any, fn_cost: Any = None, fp_cost: Any = None, cost_matrix: Any = None
    ) -> Iterator[NDArray[Any]]:
        """The class of each row after each round."""
        table = self._read(X)
        if self._one_vs_rest is not None:
            matrix = self._matrix(fn_cost, fp_cost, cost_matrix, table.n_rows)
            for both in self._one_vs_rest.staged(table):
                yield self._of_classes(self._one_vs_rest.codes(*both, matrix))
            return
        costs = self._costs(fn_cost, fp_cost, cost_matrix, table.n_rows)
        for _, score, votes, n_added in self._stages(table):
            yield self._labels(self._deciding().positive(score, costs, votes, n_added))

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Accuracy after each round."""
        for predicted in self.staged_predict(X):
            yield float(accuracy_score(y, predicted, sample_weight=sample_weight))

    # ---- costs and classes -----------------------------------------------------------------------

    @property
    def decides_by_cost(self) -> bool:
        """Whether `predict` of the fitted classifier takes costs other than those of training."""
        check_is_fitted(self)
        if self._one_vs_rest is not None:
            return self._one_vs_rest.changeable
        return self._deciding().by_cost

    def _costs(self, fn_cost: Any, fp_cost: Any, cost_matrix: Any, n_rows: int) -> Costs:
        """Costs to decide by: those given, else those of training."""
        if fn_cost is None and fp_cost is None and cost_matrix is None:
            return self._trained_costs
        if not self._deciding().by_cost:
            raise ValueError(
                f"{type(self).__name__} cannot be given other costs after training: its decision "
                "is the sign of a score trained for fixed costs. Take CostBoostClassifier, or "
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

    def _distance(self, costs: Costs) -> Callable[[Floats, float, int], Floats]:
        """A function of (score, votes, n_added) that returns what `decision_function` does."""
        deciding = self._deciding()
        beyond = deciding.distance(costs)

        def distance(score: Floats, votes: float, n_added: int) -> Floats:
            positive = deciding.positive(score, costs, votes, n_added)
            value = self._towards_second(beyond(score, votes, n_added))
            return signed(value, positive if self._positive_index == 1 else ~positive)

        return distance

    def _labels(self, positive: NDArray[np.bool_]) -> NDArray[Any]:
        labels: NDArray[Any] = self.classes_[
            np.where(positive, self._positive_index, 1 - self._positive_index)
        ]
        return labels

    def _of_classes(self, code: NDArray[np.intp]) -> NDArray[Any]:
        labels: NDArray[Any] = self.classes_[code]
        return labels

    def _columns(self, probability: NDArray[np.float64]) -> NDArray[np.float64]:
        pair = [1 - probability, probability]
        return np.column_stack(pair if self._positive_index == 1 else pair[::-1])
