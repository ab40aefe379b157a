"""Ting's CSB: the weight of a misclassified row is multiplied by its cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from costboost import rules
from costboost.classifiers.base import BoostingClassifier
from costboost.rules import Rule


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
