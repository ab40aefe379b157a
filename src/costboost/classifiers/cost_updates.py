"""Costs in the update of the weights: AdaC1, AdaC2, AdaC3, AdaCost, and CSB0, CSB1, CSB2."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from costboost import rules
from costboost.checks import check_choice, check_number
from costboost.classifiers.base import BoostingClassifier
from costboost.rules import GREATEST_UNSCALED, DiscreteRule, Rule


def scaled_rule(clf: Any, rule: DiscreteRule) -> DiscreteRule:
    """The rule with costs scaled to the parameter ``max_cost`` of a classifier."""
    if clf.max_cost is None:
        return replace(rule, scale=rules.not_scaled)
    check_number(clf, "max_cost", 0, strict=True)
    if clf.max_cost > GREATEST_UNSCALED:
        raise ValueError(f"max_cost must be at most {GREATEST_UNSCALED:g}, got {clf.max_cost!r}")
    return replace(rule, scale=rules.greatest_is(float(clf.max_cost)))


@dataclass(kw_only=True, eq=False, repr=False)
class AdaC1Classifier(BoostingClassifier):
    """AdaC1: the cost stands inside the exponent of the update.

    ::

        alpha = 1/2 log((1 + r) / (1 - r)),  r = sum of w c y h(x)      (``step="sun"``, c <= 1)
        alpha = 1/2 log(sum of w c right / sum of w c wrong)            (``step="nyga"``, c >= 1)
        w <- w exp(-c alpha y h(x))

    Steps and updates depend on the unit of the costs, so that costs are scaled; see ``max_cost``.
    With Nyga's step the weights may oscillate without end, as in his example of three points on a
    line.

    {advice}

    Parameters
    ----------
    step : {"sun", "nyga"}, default="sun"
        Which step, and with it how the costs are scaled.
    max_cost : "auto", float or None, default="auto"
        Greatest cost after scaling, above 0 and at most 1e100. "auto" is 1 for Sun's step; for
        Nyga's, costs are scaled so that the least is 1. None takes the costs as they are. Sun's
        derivation needs costs of at most 1: with greater ones 1 - r may be negative, and the step
        is then as large as that of a perfect learner.
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Sun, Y., Wong, A. K. C. & Wang, Y. (2005). Parameter inference of cost-sensitive boosting
    algorithms. MLDM, 21-30.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.metrics import confusion_matrix
    >>> from costboost import AdaC1Classifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = AdaC1Classifier(n_estimators=20, fn_cost=5, fp_cost=1, pos_label=0).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[207, 5], [33, 324]]
    """

    advice: ClassVar[str] = "Take it to reproduce the literature."

    rule: ClassVar[Rule] = rules.ADAC1
    fgd_consistent: ClassVar[bool] = False
    cost_consistent: ClassVar[bool] = True
    asymmetry_preserving: ClassVar[bool] = False
    reference: ClassVar[str] = "Sun, Wong & Wang (2005), MLDM, 21-30"

    step: str = "sun"
    max_cost: Any = "auto"

    def _rule(self) -> Rule:
        check_choice(self, "step", ("sun", "nyga"))
        rule = rules.ADAC1 if self.step == "sun" else rules.ADAC1_NYGA
        if isinstance(self.max_cost, str) and self.max_cost == "auto":
            return rule
        return scaled_rule(self, rule)


@dataclass(kw_only=True, eq=False, repr=False)
class AdaC2Classifier(BoostingClassifier):
    """AdaC2: the cost multiplies the weight in every round.

    ::

        alpha = 1/2 log(sum of w c right / sum of w c wrong),  w <- w c exp(-alpha y h(x))

    The cost enters in every round, so that after t rounds the weights contain its t-th power: soon
    only the costly class has any weight, and that class is predicted for every row.

    {advice}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Sun, Y., Wong, A. K. C. & Wang, Y. (2005). Parameter inference of cost-sensitive boosting
    algorithms. MLDM, 21-30.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.metrics import confusion_matrix
    >>> from costboost import AdaC2Classifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = AdaC2Classifier(n_estimators=20, fn_cost=5, fp_cost=1, pos_label=0).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[212, 0], [273, 84]]
    """

    advice: ClassVar[str] = "Take it for few rounds, or to reproduce the literature."

    rule: ClassVar[Rule] = rules.ADAC2
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Sun, Wong & Wang (2005), MLDM, 21-30"


@dataclass(kw_only=True, eq=False, repr=False)
class AdaC3Classifier(BoostingClassifier):
    """AdaC3: the cost multiplies the weight and stands in the exponent.

    ::

        alpha = 1/2 log((S + r) / (S - r)),  S = sum of w c,  r = sum of w c^2 y h(x)
        w <- w c exp(-c alpha y h(x))

    Costs are scaled so that the greatest is ``max_cost``. It combines AdaC1 and AdaC2, with the
    flaws of both.

    {advice}

    Parameters
    ----------
    max_cost : float or None, default=1.0
        Greatest cost after scaling, above 0 and at most 1e100; None takes the costs as they are.
        Sun's derivation needs costs of at most 1: with greater ones S - r may be negative, and the
        step is then as large as that of a perfect learner.
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Sun, Y., Wong, A. K. C. & Wang, Y. (2005). Parameter inference of cost-sensitive boosting
    algorithms. MLDM, 21-30.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.metrics import confusion_matrix
    >>> from costboost import AdaC3Classifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = AdaC3Classifier(n_estimators=20, fn_cost=5, fp_cost=1, pos_label=0).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[212, 0], [256, 101]]
    """

    advice: ClassVar[str] = "Take it to reproduce the literature."

    rule: ClassVar[Rule] = rules.ADAC3
    fgd_consistent: ClassVar[bool] = False
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = False
    reference: ClassVar[str] = "Sun, Wong & Wang (2005), MLDM, 21-30"

    max_cost: float | None = 1.0

    def _rule(self) -> Rule:
        return scaled_rule(self, rules.ADAC3)


# ---- AdaCost: the exponent of AdaBoost's update, adjusted by the cost ----------------------------


@dataclass(kw_only=True, eq=False, repr=False)
class AdaCostClassifier(BoostingClassifier):
    """AdaCost: the exponent of the update is adjusted by the cost of the row.

    ::

        beta = (1 + c) / 2 where h is wrong, (1 - c) / 2 where it is right
        alpha = 1/2 log((1 + r) / (1 - r)),  r = sum of w beta y h(x)     (``beta="fan"``)
        alpha = 1/2 log(W= / W!=)                                         (``beta="ting"``)
        w <- w exp(-beta alpha y h(x))

    Costs are scaled so that the greatest is ``max_cost``. At 1, the value in
    the literature, training mostly stops at once: correct predictions of the costly class have
    beta = 0, and the first step is already negative.

    {advice}

    Parameters
    ----------
    beta : {"fan", "ting"}, default="fan"
        The step: that of Fan, which depends on beta, or that of Ting's AdaCost(beta2), which does
        not.
    max_cost : float, default=0.5
        Greatest cost after scaling, above 0 and at most 1.
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Fan, W., Stolfo, S. J., Zhang, J. & Chan, P. K. (1999). AdaCost: misclassification
    cost-sensitive boosting. ICML, 97-105.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.metrics import confusion_matrix
    >>> from costboost import AdaCostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = AdaCostClassifier(n_estimators=20, fn_cost=5, fp_cost=1, pos_label=0).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[209, 3], [56, 301]]
    """

    advice: ClassVar[str] = (
        "Take it to reproduce the literature; it is among the worst of Nikolaou et al. (2016)."
    )

    rule: ClassVar[Rule] = rules.ADACOST
    fgd_consistent: ClassVar[bool] = False
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = False
    reference: ClassVar[str] = "Fan, Stolfo, Zhang & Chan (1999), ICML, 97-105"

    beta: str = "fan"
    max_cost: float = 0.5

    def _rule(self) -> Rule:
        check_choice(self, "beta", ("fan", "ting"))
        check_number(self, "max_cost", 0, strict=True)
        if self.max_cost > 1:
            raise ValueError(f"max_cost must be at most 1, got {self.max_cost!r}")
        rule = rules.ADACOST if self.beta == "fan" else rules.ADACOST_TING
        return replace(rule, scale=rules.greatest_is(self.max_cost))


# ---- Ting's CSB: the weight of a misclassified row is multiplied by its cost ---------------------


@dataclass(kw_only=True, eq=False, repr=False)
class CSB0Classifier(BoostingClassifier):
    """CSB0: only the weights of misclassified rows change, multiplied by their cost.

    ::

        w_1 = c,  alpha = 1/2 log(W= / W!=),  w <- w gamma

    with gamma the cost where h is wrong and 1 where it is right; costs are scaled so that the least
    is 1. The weights do not depend on the steps, so that it is not AdaBoost even at equal costs.

    A heuristic: it saturates, because a costly row that is often misclassified soon outweighs all
    others.

    {advice}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Ting, K. M. (2000). A comparative study of cost-sensitive boosting algorithms. ICML, 983-990.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.metrics import confusion_matrix
    >>> from costboost import CSB0Classifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = CSB0Classifier(n_estimators=20, fn_cost=5, fp_cost=1, pos_label=0).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[212, 0], [201, 156]]
    """

    advice: ClassVar[str] = (
        "Take it to reproduce the literature, and `CostBoostClassifier` otherwise; "
        "`CGAdaClassifier` and `AdaMECClassifier` do better in Nikolaou et al. (2016)."
    )

    rule: ClassVar[Rule] = rules.CSB0
    fgd_consistent: ClassVar[bool] = False
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Ting (2000), ICML, 983-990"


@dataclass(kw_only=True, eq=False, repr=False)
class CSB1Classifier(BoostingClassifier):
    """CSB1: AdaBoost's update with a step of 1, times the cost of misclassified rows.

    ::

        w_1 = c,  alpha = 1/2 log(W= / W!=),  w <- w gamma exp(-y h(x))

    with gamma the cost where h is wrong and 1 where it is right; costs are scaled so that the least
    is 1. At equal costs it is AdaBoost with unit steps in the weights.

    A heuristic: it saturates, because a costly row that is often misclassified soon outweighs all
    others.

    {advice}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Ting, K. M. (2000). A comparative study of cost-sensitive boosting algorithms. ICML, 983-990.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.metrics import confusion_matrix
    >>> from costboost import CSB1Classifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = CSB1Classifier(n_estimators=20, fn_cost=5, fp_cost=1, pos_label=0).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[212, 0], [140, 217]]
    """

    advice: ClassVar[str] = (
        "Take it to reproduce the literature, and `CostBoostClassifier` otherwise; "
        "`CGAdaClassifier` and `AdaMECClassifier` do better in Nikolaou et al. (2016)."
    )

    rule: ClassVar[Rule] = rules.CSB1
    fgd_consistent: ClassVar[bool] = False
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Ting (2000), ICML, 983-990"


@dataclass(kw_only=True, eq=False, repr=False)
class CSB2Classifier(BoostingClassifier):
    """CSB2: AdaBoost's update, times the cost of misclassified rows.

    ::

        w_1 = c,  alpha = 1/2 log(W= / W!=),  w <- w gamma exp(-alpha y h(x))

    with gamma the cost where h is wrong and 1 where it is right; costs are scaled so that the least
    is 1. At equal costs it is AdaBoost.

    A heuristic: it saturates, because a costly row that is often misclassified soon outweighs all
    others.

    {advice}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Ting, K. M. (2000). A comparative study of cost-sensitive boosting algorithms. ICML, 983-990.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.metrics import confusion_matrix
    >>> from costboost import CSB2Classifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = CSB2Classifier(n_estimators=20, fn_cost=5, fp_cost=1, pos_label=0).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[212, 0], [165, 192]]
    """

    advice: ClassVar[str] = (
        "Take it to reproduce the literature, and `CostBoostClassifier` otherwise; "
        "`CGAdaClassifier` and `AdaMECClassifier` do better in Nikolaou et al. (2016)."
    )

    rule: ClassVar[Rule] = rules.CSB2
    fgd_consistent: ClassVar[bool] = False
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Ting (2000), ICML, 983-990"
