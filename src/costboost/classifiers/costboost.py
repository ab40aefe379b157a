"""The classifier to take first: boosting, calibrated by cross-validation, deciding by cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sklearn.utils.validation import check_is_fitted

from costboost import rules
from costboost.classifiers.base import BoostingClassifier
from costboost.rules import Rule

ROUNDS_OF_STUMPS = 3
"""Stumps learn so many times slower than trees, and get so many times the rounds."""


@dataclass(kw_only=True, eq=False, repr=False)
class CostBoostClassifier(BoostingClassifier):
    """The default: calibrated probabilities, decisions of least expected cost.

    The finding of Nikolaou et al. (2016) is that no clever update of the weights beats honest
    probabilities and a threshold that follows from the costs::

        predict the positive class where P(y = +1 | x) > C- / (C- + C+)

    So this classifier does not use the costs in training at all. It boosts a logistic loss with
    small steps, calibrates the scores on rows that the ensemble has not seen (five folds), and
    decides by the costs given at prediction, those of `fit`, or those of the constructor: costs
    that change on Monday need no new training.

    With ``estimator=None`` it tries two ensembles, of stumps and of trees, and keeps the one whose
    calibrated scores have the smaller log loss on the held-out rows: stumps win on small and noisy
    data, trees where features interact. ``chosen_`` tells which.

    Take it first. Take another classifier to reproduce the literature, or where the score itself
    must be trained for fixed costs.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    chosen_ : dict
        The settings that the held-out rows decided on; empty if there was nothing to decide.
    {attributes}

    Notes
    -----
    Defaults that differ from those of other classifiers: 100 rounds of trees with at most 31 leaves
    of at least 20 rows (or three times as many rounds of stumps), ``learning_rate=0.1``,
    ``calibration="log-odds"``. With ``calibration=None`` it trains trees on all rows and decides by
    the likelihood's own probabilities.

    References
    ----------
    Nikolaou, N., Edakunni, N., Kull, M., Flach, P. & Brown, G. (2016). Cost-sensitive boosting
    algorithms: do we really need them? Machine Learning 104(2), 359-384.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.metrics import confusion_matrix
    >>> from sklearn.model_selection import train_test_split
    >>> from costboost import CostBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    >>> clf = CostBoostClassifier(fn_cost=10, fp_cost=1, pos_label=0, random_state=0)
    >>> clf.fit(X_train, y_train).chosen_["estimator"]
    'stump'
    >>> confusion_matrix(y_test, clf.predict(X_test)).tolist()
    [[53, 0], [17, 73]]
    >>> confusion_matrix(y_test, clf.predict(X_test, fn_cost=1, fp_cost=10)).tolist()
    [[46, 7], [0, 90]]
    """

    rule: ClassVar[Rule] = rules.COSTBOOST
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = True
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Nikolaou et al. (2016), Machine Learning 104(2), 359-384"

    learning_rate: float = 0.1
    max_depth: int | None = None
    max_leaf_nodes: int | None = 31
    min_samples_leaf: int = 20
    calibration: str | None = "log-odds"

    @property
    def chosen_(self) -> dict[str, Any]:
        """The settings that the held-out rows decided on."""
        check_is_fitted(self)
        return dict(self._chosen)

    def _choices(self) -> list[dict[str, Any]]:
        if self.estimator is not None:
            return [{}]
        rounds = ROUNDS_OF_STUMPS * self.n_estimators
        choices: list[dict[str, Any]] = [
            {"estimator": "tree"},
            {"estimator": "stump", "n_estimators": rounds, "min_samples_leaf": 1},
        ]
        if self.warm_start and hasattr(self, "ensemble_"):  # it goes on with what it is made of
            return [one for one in choices if one["estimator"] == self._learner] or choices[:1]
        return choices
