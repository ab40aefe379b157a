"""Real-valued algorithms: leaves hold real values instead of votes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from costboost import rules
from costboost.checks import check_between, check_choice
from costboost.classifiers.base import BoostingClassifier
from costboost.rules import LEAST_SMOOTHING, MOST_SMOOTHING, RealRule, Rule


def smoothed_rule(clf: Any, rule: RealRule) -> RealRule:
    """The rule with the parameter ``smoothing`` of a classifier."""
    check_between(clf, "smoothing", LEAST_SMOOTHING, MOST_SMOOTHING)
    return rules.smoothed(rule, clf.smoothing)


@dataclass(kw_only=True, eq=False, repr=False)
class RealBoostClassifier(BoostingClassifier):
    """Real AdaBoost: every leaf adds half the log-odds of its rows.

    ::

        g = 1/2 log((p + e) / (q + e))      p, q: weight of the two classes in the leaf
        w <- w exp(-y g(x)),  F = sum of g

    with e the ``smoothing``, so that pure leaves stay finite. Cost-blind, like AdaBoost; as every
    leaf has a value of its own, it needs fewer rounds.

    {advice}

    Parameters
    ----------
    criterion : {"loss", "error"}, default="loss"
        What a split minimises: the exponential loss, or the weighted error (Nyga).
    smoothing : float, default=1e-4
        The number e that keeps the values of pure leaves finite, from 1e-12 to 1. Weights sum to 1
        over all rows; a greater number shrinks the values of leaves with little weight.
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Friedman, J., Hastie, T. & Tibshirani, R. (2000). Additive logistic regression: a statistical
    view of boosting. Annals of Statistics 28(2), 337-407.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from costboost import RealBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = RealBoostClassifier(n_estimators=20).fit(X, y)
    >>> print(f"{clf.score(X, y):.3f}")
    0.998
    """

    advice: ClassVar[str] = (
        "Take it instead of AdaBoost where only few rounds are affordable and all mistakes cost "
        "the same."
    )

    rule: ClassVar[Rule] = rules.REALBOOST
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Friedman, Hastie & Tibshirani (2000), Annals of Statistics 28(2)"

    criterion: str = "loss"
    smoothing: float = rules.SMOOTHING

    def _rule(self) -> Rule:
        check_choice(self, "criterion", ("loss", "error"))
        rule = rules.REALBOOST if self.criterion == "loss" else rules.REALBOOST_ERROR
        return smoothed_rule(self, rule)


@dataclass(kw_only=True, eq=False, repr=False)
class GentleBoostClassifier(BoostingClassifier):
    """Gentle AdaBoost: every leaf adds the mean label of its rows.

    ::

        g = (p - q) / (p + q),  w <- w exp(-y g(x)),  F = sum of g

    with p, q the weights of the two classes in a leaf. Leaf values are within [-1, 1], so that
    noisy rows have less influence than in RealBoost. Cost-blind.

    {advice}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Friedman, J., Hastie, T. & Tibshirani, R. (2000). Additive logistic regression: a statistical
    view of boosting. Annals of Statistics 28(2), 337-407.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from costboost import GentleBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = GentleBoostClassifier(n_estimators=20).fit(X, y)
    >>> print(f"{clf.score(X, y):.3f}")
    0.996
    """

    advice: ClassVar[str] = "Take it on noisy rows when all mistakes cost the same."

    rule: ClassVar[Rule] = rules.GENTLEBOOST
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Friedman, Hastie & Tibshirani (2000), Annals of Statistics 28(2)"


@dataclass(kw_only=True, eq=False, repr=False)
class RareBoostClassifier(BoostingClassifier):
    """RareBoost: rows predicted positive and rows predicted negative each have their own step.

    ::

        alpha+ = 1/2 log((TP + e) / (FP + e)),  alpha- = 1/2 log((TN + e) / (FN + e))
        w <- w exp(-y alpha h(x))

    with TP, FP, TN, FN the weights of the cells of the confusion matrix and e the ``smoothing``. On
    stumps it is exactly RealBoost with ``criterion="error"``; on trees all leaves that predict the
    same class share a step. Cost-blind; meant for rare classes, where one step for both predictions
    is a poor compromise.

    {advice}

    Parameters
    ----------
    smoothing : float, default=1e-4
        The number e that keeps the values of pure leaves finite, from 1e-12 to 1. Weights sum to 1
        over all rows; a greater number shrinks the values of leaves with little weight.
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Joshi, M. V., Kumar, V. & Agarwal, R. C. (2001). Evaluating boosting algorithms to classify rare
    classes: comparison and improvements. ICDM, 257-264.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from costboost import RareBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = RareBoostClassifier(n_estimators=20).fit(X, y)
    >>> print(f"{clf.score(X, y):.3f}")
    0.996
    """

    advice: ClassVar[str] = (
        "Take it for a rare class whose costs are unknown; take a cost-sensitive algorithm "
        "otherwise."
    )

    rule: ClassVar[Rule] = rules.RAREBOOST
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Joshi, Kumar & Agarwal (2001), ICDM, 257-264"

    smoothing: float = rules.SMOOTHING

    def _rule(self) -> Rule:
        return smoothed_rule(self, rules.RAREBOOST)


@dataclass(kw_only=True, eq=False, repr=False)
class CSRAClassifier(BoostingClassifier):
    """Cost-sensitive RealBoost by Nyga: every round puts its share of the costs into the weights.

    ::

        w_1 = c^(1/M),  g = 1/2 log((p + e) / (q + e)),  w <- w c^(1/M) exp(-y g(x))

    with c the cost of the row, M the number of rounds, p, q the weights of the two classes in a
    leaf and e the ``smoothing``. It changes RealBoost as `AsymAdaClassifier` changes AdaBoost. M is
    part of the algorithm: an ensemble that ends early has used only part of the costs.

    {advice}

    Parameters
    ----------
    smoothing : float, default=1e-4
        The number e that keeps the values of pure leaves finite, from 1e-12 to 1. Weights sum to 1
        over all rows; a greater number shrinks the values of leaves with little weight.
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Nyga, D. (2010). Ensemble learning for classification of imbalanced data. Master's thesis,
    Technische Universitaet Muenchen.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.metrics import confusion_matrix
    >>> from costboost import CSRAClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = CSRAClassifier(n_estimators=20, fn_cost=5, fp_cost=1, pos_label=0).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[212, 0], [5, 352]]
    """

    advice: ClassVar[str] = (
        "Take it to reproduce the literature; take `CSGAClassifier`, whose steps are "
        "bounded, otherwise."
    )

    rule: ClassVar[Rule] = rules.CSRA
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = True
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Nyga (2010), Master's thesis, TU Muenchen"

    smoothing: float = rules.SMOOTHING

    def _rule(self) -> Rule:
        return smoothed_rule(self, rules.CSRA)


@dataclass(kw_only=True, eq=False, repr=False)
class CSGAClassifier(BoostingClassifier):
    """Cost-sensitive GentleBoost by Nyga: every round puts its share of the costs into the weights.

    ::

        w_1 = c^(1/M),  g = (p - q) / (p + q),  w <- w c^(1/M) exp(-y g(x))

    with c the cost of the row, M the number of rounds and p, q the weights of the two classes in a
    leaf. It changes GentleBoost as `AsymAdaClassifier` changes AdaBoost. M is part of the
    algorithm: an ensemble that ends early has used only part of the costs.

    {advice}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Nyga, D. (2010). Ensemble learning for classification of imbalanced data. Master's thesis,
    Technische Universitaet Muenchen.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.metrics import confusion_matrix
    >>> from costboost import CSGAClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = CSGAClassifier(n_estimators=20, fn_cost=5, fp_cost=1, pos_label=0).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[212, 0], [4, 353]]
    """

    advice: ClassVar[str] = (
        "Take it when costs and the number of rounds are fixed before training: the most stable "
        "of the algorithms in Nyga (2010)."
    )

    rule: ClassVar[Rule] = rules.CSGA
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = True
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Nyga (2010), Master's thesis, TU Muenchen"


@dataclass(kw_only=True, eq=False, repr=False)
class CSRealBoostClassifier(BoostingClassifier):
    """Cost-sensitive RealBoost by Masnadi-Shirazi and Vasconcelos: CSAda's loss, real values.

    ::

        g = log[(p + e) C+ / ((q + e) C-)] / (C+ + C-),  w <- w exp(-c y g(x)),  F = sum of g

    with p, q the weights of the two classes in a leaf and e the ``smoothing``. The loss is that of
    `CSAdaClassifier`, ``sum exp(-c y F(x))``, and so is the link to probabilities. The weak learner
    of the paper is one feature cut into bins with a value each (``estimator="lookup"``, the
    default, 16 bins unless ``max_bins`` is set); ``estimator="stump"`` has two leaves and
    ``"tree"`` two or more. With example-dependent costs a leaf's value is the root g of
    ``sum c y w exp(-c y g)``.

    A single round uses all of a feature, so that few rounds are needed and many overfit.

    {advice}

    Parameters
    ----------
    smoothing : float, default=1e-4
        The number e that keeps the values of pure leaves finite, from 1e-12 to 1. Weights sum to 1
        over all rows; a greater number shrinks the values of leaves with little weight.
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Masnadi-Shirazi, H. & Vasconcelos, N. (2011). Cost-sensitive boosting. IEEE Transactions on
    Pattern Analysis and Machine Intelligence 33(2), 294-309.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.metrics import confusion_matrix
    >>> from costboost import CSRealBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = CSRealBoostClassifier(n_estimators=20, fn_cost=5, fp_cost=1, pos_label=0).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[212, 0], [0, 357]]
    """

    advice: ClassVar[str] = (
        "Take it at costs that are known before training, where only few rounds are affordable."
    )

    rule: ClassVar[Rule] = rules.CSREALBOOST
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = True
    asymmetry_preserving: ClassVar[bool] = False
    reference: ClassVar[str] = "Masnadi-Shirazi & Vasconcelos (2011), IEEE TPAMI 33(2)"

    smoothing: float = rules.SMOOTHING

    def _rule(self) -> Rule:
        return smoothed_rule(self, rules.CSREALBOOST)
