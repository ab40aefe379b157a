"""The classifier to take first: boosting, calibrated by cross-validation, deciding by cost."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import Any, ClassVar, NamedTuple

from costboost._core.model import BinaryModel, ScoresModel
from costboost._core.parameters.boosting import MOST_ROUNDS
from costboost._core.parameters.parameter import OrNone, Whole, parameter
from costboost._core.rules import multinomial, newton
from costboost._core.rules.record import Rule, SeveralRule
from costboost._core.training.evidence import USUAL_ROUNDS
from costboost._core.training.plan import Choice, Traits
from costboost.classifiers.base import BoostingClassifier
from costboost.classifiers.documented import classifier


class Multiples(NamedTuple):
    """Rounds, learning rate and least leaf of a member, in multiples of those of trees."""

    rounds: Fraction
    step: Fraction
    leaf: Fraction

    def of(self, clf: CostBoostClassifier) -> dict[str, Any]:
        """The parameters of the member, given those of the classifier, which are those of trees."""
        rate = clf.learning_rate
        return {
            "n_estimators": ceil(self.rounds * (clf.n_estimators or USUAL_ROUNDS)),
            "learning_rate": min(float(self.step) * rate, max(rate, 1.0)),
            "min_samples_leaf": max(1, ceil(self.leaf * clf.min_samples_leaf)),
        }


STUMPS = Multiples(Fraction(2, 3), Fraction(3), Fraction(0))
RANDOM_TREES = Multiples(Fraction(4, 3), Fraction(5, 3), Fraction(1, 4))
LARGE_RANDOM_TREES = Multiples(Fraction(1, 2), Fraction(1, 3), Fraction(1, 20))
LEAVES_OF_RANDOM_TREES, FEATURES_OF_RANDOM_TREES = 8, 0.5
"""Greatest number of leaves of random trees, and share of the features at each split."""
LEAVES_OF_LARGE_RANDOM_TREES, FEATURES_OF_LARGE_RANDOM_TREES = 4, "sqrt"
"""Leaves of large random trees in multiples of those of trees, and features at each split."""


@classifier
class CostBoostClassifier(BoostingClassifier):
    """The default: calibrated probabilities, decisions of least expected cost.

    Nikolaou et al. (2016) find that no cost-sensitive update of the weights is better than
    calibrated probabilities with a threshold that follows from the costs::

        predict the positive class where P(y = +1 | x) > C- / (C- + C+)

    So this classifier does not use the costs in training at all. It boosts a logistic loss with
    small steps, calibrates the scores on rows that the ensemble was not trained on (five folds),
    and decides by the costs given at prediction, those of `fit`, or those of the constructor: other
    costs need no new training.

    Stumps are better on small and noisy data, trees where features interact, small trees with
    random thresholds where the probability changes smoothly, and large ones where a row is best
    judged by few similar ones. With ``estimator=None`` every fold trains all four, and all
    ensembles are kept: the score is the mean over the folds, and trees, stumps, random trees and
    large random trees get the weights that fit the held-out rows best::

        F = a F_tree + b F_stump + c F_random + d F_large,   a + b + c + d = 1,
        F_tree = (F_tree1 + ... + F_treeK) / K

    ``shares_`` holds the weights. If one of the four does not lower the log loss of the rows held
    out so far, the remaining folds do not train it. The whole model is one sum of trees.

    How many rounds an ensemble is trained for is decided by the rows that its fold holds out:
    usually 30 of trees, fewer if their log loss rises, and more, up to 120, with more than 1,000
    rows if it still falls by a percent in 8 rounds. ``stop_reason_`` states where they stopped.

    {advice}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    shares_ : dict
        Weight of each weak learner in the score, such as ``{"tree": 0.4, "stump": 0.1, "random
        tree": 0.3, "large random tree": 0.2}``.
    {attributes}

    Notes
    -----
    Defaults that differ from those of other classifiers: ``learning_rate=0.3``,
    ``calibration="auto"``, and rounds by evidence (``n_estimators=None``; a number is that of
    the rounds of trees, whatever the held-out rows). Trees have at most 31 leaves of at least 20
    rows. The others depend on these settings as follows, with the usual numbers in brackets. Stumps
    take 2/3 of the rounds (20) with steps three times as long (0.9). Random trees
    (``splitter="random"``) take 4/3 of the rounds (40) with steps 5/3 as long (0.5); they have at
    most 8 leaves of at least a quarter as many rows (5), and half of the features compete for each
    split. Large random trees take half of the rounds (15), never more, with steps a third as long
    (0.1); they have up to four times the leaves (124) of at least a twentieth of the rows (1), and
    the square root of the number of features compete. With ``max_features`` given, that many
    features compete for all splits. A feature has at most one bin for ten rows (but 16 are always
    allowed): on small data fewer thresholds are better, and faster.

    A held-out row is scored by the ensembles of one fold, but a new one by the mean over all folds,
    which varies less. So the scores of held-out rows are contracted before the calibrator is fitted
    to them: towards the middle of the means of the classes, by the share of their variance within a
    class that the mean over folds does not have, as far as the number of rows of each class lets it
    be known. It is found by the scores that the ensembles of different folds give to rows that all
    of them were trained on. Typical are 15% with 100 positives, 7% with 1,000.

    Rows that were written again share a fold: otherwise copies of training rows would make the
    held-out scores too good. Equal rows whose labels differ are rows of the population, and are
    divided like others. (With ``groups`` only these decide. Rows for wrapped classifiers and
    features that are computed when they are read are not compared.)

    The gains of splits of more than eight categories are shrunken by what sorting so many
    categories gains by chance.

    The log loss by which rounds are decided is that of the best sigmoid of the scores, since these
    are calibrated. It is computed on the very rows that calibrate, but has little freedom: of a few
    numbers of rounds the first one is taken after which nothing is gained.

    The ensembles of the folds together are five times as large as one; ``n_iter_`` counts all trees
    and stumps. Stages (``staged_predict`` and the other staged methods) count rounds: stage t is
    the mean over the folds of their first t rounds of trees and the corresponding share of the
    others, mixed with the weights of the complete model and calibrated on the held-out rows. It is
    nearly the model that ``n_estimators=t`` trains, and the last stage is the complete model.

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
    ['large random tree', 'random tree', 'stump', 'tree']
    >>> confusion_matrix(y_test, clf.predict(X_test)).tolist()
    [[53, 0], [8, 82]]
    >>> confusion_matrix(y_test, clf.predict(X_test, fn_cost=1, fp_cost=10)).tolist()
    [[48, 5], [0, 90]]
    """

    advice: ClassVar[str] = (
        "Take it first. Take another classifier to reproduce the literature, or where the score "
        "itself must be trained for fixed costs."
    )

    rule: ClassVar[Rule] = newton.COSTBOOST
    rule_of_several: ClassVar[SeveralRule | None] = multinomial.COSTBOOST_SEVERAL
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = True
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Nikolaou et al. (2016), Machine Learning 104(2), 359-384"

    _traits: ClassVar[Traits] = Traits(rows_per_bin=10, stops_on_log_loss=True, averages=True)
    _without_estimator: ClassVar[str] = "trees, stumps and random trees of two sizes together"

    n_estimators: int | None = parameter(  # type: ignore[assignment]
        None,
        OrNone(Whole(1, MOST_ROUNDS)),
        "Number of boosting rounds of trees. With None the rows held out decide.",
    )
    learning_rate: float = 0.3
    max_depth: int | None = None
    max_leaf_nodes: int | None = 31
    min_samples_leaf: int = 20
    calibration: str | None = "auto"

    def _choices(self) -> Sequence[Choice]:
        if self.estimator is not None:
            return ()
        random = {"estimator": "tree", "splitter": "random"}
        few = min(self.max_leaf_nodes or LEAVES_OF_RANDOM_TREES, LEAVES_OF_RANDOM_TREES)
        many = self.max_leaf_nodes and LEAVES_OF_LARGE_RANDOM_TREES * self.max_leaf_nodes
        small = {
            **random,
            "max_leaf_nodes": few,
            "max_features": self.max_features or FEATURES_OF_RANDOM_TREES,
        }
        large = {
            **random,
            "max_leaf_nodes": many,
            "max_features": self.max_features or FEATURES_OF_LARGE_RANDOM_TREES,
        }
        return (
            Choice({"estimator": "tree"}),
            Choice({"estimator": "stump", **STUMPS.of(self)}),
            Choice({**small, **RANDOM_TREES.of(self)}),
            Choice({**large, **LARGE_RANDOM_TREES.of(self)}, size="large", may_grow=False),
        )

    def _usual_rounds(self) -> int | None:
        return USUAL_ROUNDS if self.n_estimators is None else None

    def _continues(self, earlier: BinaryModel | ScoresModel) -> bool:
        return self.estimator is not None and super()._continues(earlier)
