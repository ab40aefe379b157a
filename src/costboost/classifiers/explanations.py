"""What the features have to do with the scores of a fitted classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from costboost import tables
from costboost.classifiers.scores import Scores
from costboost.explaining.shapley import shapley_values


class Explanations(Scores):
    """Shapley values of rows, and the importance of features."""

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
