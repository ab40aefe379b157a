"""What the features have to do with the scores of a fitted classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from costboost import tables
from costboost.cells import Floats
from costboost.classifiers.scores import Scores
from costboost.explaining.contributions import shapley_values
from costboost.explaining.explanation import Explanation


class Explanations(Scores):
    """Shapley values of rows, and the importance of features."""

    def explain(self, X: Any, background: Any = None) -> Explanation:
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
        Explanation
            ``values`` of shape (n_samples, n_features), in the units of `raw_score`, above 0 where
            a feature speaks for ``classes_[1]``; ``base_values``, the mean score of the background,
            and ``data``. The plots of the package shap take it, and NumPy takes it for its values.

            With more than two classes, each class has a score against the rest: ``values`` have the
            shape (n_samples, n_features, n_classes), above 0 where a feature speaks for the class,
            in units of half the log-odds.

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
        >>> clf.explain(X[-1:], background=X).values.round(2).tolist()
        [[0.0, 0.0, 2.84, 2.16]]
        """
        table = self._read(X)
        if background is None and table.n_rows == 1:
            raise ValueError(
                "a single row compared with itself is explained by nothing; pass the rows to "
                "compare it with, such as background=X_train"
            )
        others = table if background is None else self._read(background)
        if self._one_vs_rest is not None:
            values, base = self._one_vs_rest.explained(table, others)
            one: Explanations = self._one_vs_rest.members[0]
            return one._explanation(table, values, base, self.classes_)
        values, base = (self._towards_second(part) for part in self._explained(table, others))
        return self._explanation(table, values, base)

    def _explained(self, table: tables.Table, others: tables.Table) -> tuple[Floats, Floats]:
        """Values of the rows and mean score of the others, towards the positive class."""
        rows = self._numbers(table)
        values = shapley_values(self, rows, rows if others is table else self._numbers(others))
        return values, np.asarray(self._scores(others).mean())

    def _explanation(
        self, table: tables.Table, values: Floats, base: Floats, classes: Any = None
    ) -> Explanation:
        """Values and base together with the rows they belong to."""
        names = getattr(self, "feature_names_in_", None)
        numbers = self._numbers(table)
        return Explanation(
            values=values,
            base_values=np.repeat(base[None], table.n_rows, axis=0),
            data=numbers,
            display_data=self._labelled(table, numbers) if any(self._coders) else None,
            feature_names=None if names is None else [str(name) for name in names],
            output_names=None if classes is None else [str(label) for label in classes],
        )

    def _labelled(self, table: tables.Table, numbers: Floats) -> NDArray[np.object_]:
        """The rows with the labels of their categories; None for a missing one."""
        shown = numbers.astype(object)
        for j, coder in enumerate(self._coders):
            if coder is not None:
                column = table.labels(j)
                names = np.array([*column.labels, None], dtype=object)
                shown[:, j] = names[column.codes]
        return shown

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
