"""The classifier to take first: boosting, calibrated by cross-validation, deciding by cost."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any, ClassVar

from costboost import rules
from costboost.classifiers.base import BoostingClassifier
from costboost.model import BinaryModel
from costboost.rules import Rule

ROUNDS_OF_STUMPS, STEP_OF_STUMPS = 0.6, 3.0
"""Rounds and learning rate of stumps, as multiples of those of trees."""


@dataclass(kw_only=True, eq=False, repr=False)
class CostBoostClassifier(BoostingClassifier):
    """The default: calibrated probabilities, decisions of least expected cost.

    Nikolaou et al. (2016) find that no cost-sensitive update of the weights is better than
    calibrated probabilities with a threshold that follows from the costs::

        predict the positive class where P(y = +1 | x) > C- / (C- + C+)

    So this classifier does not use the costs in training at all. It boosts a logistic loss with
    small steps, calibrates the scores on rows that the ensemble was not trained on (five folds),
    and decides by the costs given at prediction, those of `fit`, or those of the constructor: other
    costs need no new training.

    Stumps are better on small and noisy data, trees where features interact. With
    ``estimator=None`` every fold trains both, and all ensembles are kept: the score is the mean
    over the folds, and trees and stumps get the weights that fit the held-out rows best::

        F = a (F_tree1 + ... + F_treeK) / K + b (F_stump1 + ... + F_stumpK) / K,   a + b = 1

    ``shares_`` holds a and b. If one of the two is significantly worse on the rows held out so far,
    the remaining folds do not train it. The whole model is one sum of trees.

    {advice}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    shares_ : dict
        Weight of each weak learner in the score, such as ``{"tree": 0.8, "stump": 0.2}``.
    {attributes}

    Notes
    -----
    Defaults that differ from those of other classifiers: 100 rounds of trees with at most 31 leaves
    of at least 20 rows, and 60 rounds of stumps with steps three times as long,
    ``learning_rate=0.1``, ``calibration="log-odds"``. A feature has at most one bin for ten rows
    (but 16 are always allowed): on small data fewer thresholds are better, and faster.

    The ensembles of the folds together are five times as large as one; ``n_iter_`` counts all trees
    and stumps. Stages (``staged_predict`` and the other staged methods) count rounds: stage t is
    the mean over the folds of their first t rounds of trees and 0.6 t of stumps, mixed with the
    weights of the complete model and calibrated on the held-out rows. It is nearly the model that
    ``n_estimators=t`` trains, and the last stage is the complete model.

    ``train_cost_`` holds one number: the mean cost of the training rows, each predicted by the
    ensembles that were not trained on it. ``stop_reason_`` lists the reasons of all ensembles. With
    early stopping each ensemble stops separately, on the log loss of the rows it holds out unless
    ``scoring`` is given, and there is no ``validation_score_``. ``warm_start`` trains from the
    beginning. Bins are found on all rows.

    With ``estimator`` given, with a share held out instead of folds, or with more than ten folds,
    one ensemble is trained and calibrated as in other classifiers, with the weak learner of least
    calibrated log loss. With ``calibration=None`` the weak learner is a tree, and the uncalibrated
    probabilities of the logistic loss decide.

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
    >>> sorted(clf.fit(X_train, y_train).shares_)
    ['stump', 'tree']
    >>> confusion_matrix(y_test, clf.predict(X_test)).tolist()
    [[53, 0], [10, 80]]
    >>> confusion_matrix(y_test, clf.predict(X_test, fn_cost=1, fp_cost=10)).tolist()
    [[47, 6], [0, 90]]
    """

    advice: ClassVar[str] = (
        "Take it first. Take another classifier to reproduce the literature, or where the score "
        "itself must be trained for fixed costs."
    )

    rule: ClassVar[Rule] = rules.COSTBOOST
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = True
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Nikolaou et al. (2016), Machine Learning 104(2), 359-384"

    _rows_per_bin: ClassVar[int] = 10
    _averages: ClassVar[bool] = True
    _stops_on_log_loss: ClassVar[bool] = True
    _without_estimator: ClassVar[str] = "trees and stumps together"

    learning_rate: float = 0.1
    max_depth: int | None = None
    max_leaf_nodes: int | None = 31
    min_samples_leaf: int = 20
    calibration: str | None = "log-odds"

    def _choices(self) -> list[dict[str, Any]]:
        if self.estimator is not None:
            return [{}]
        stump = {
            "estimator": "stump",
            "n_estimators": ceil(ROUNDS_OF_STUMPS * self.n_estimators),
            "learning_rate": min(STEP_OF_STUMPS * self.learning_rate, max(self.learning_rate, 1.0)),
            "min_samples_leaf": 1,
        }
        return [{"estimator": "tree"}, stump]

    def _continues(self, earlier: BinaryModel) -> bool:
        return self.estimator is not None and super()._continues(earlier)
