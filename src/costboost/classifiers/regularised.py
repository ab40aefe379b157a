"""Regularised boosting: rows that are hard to classify get less weight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from costboost import rules
from costboost.checks import check_flag, check_number
from costboost.classifiers.base import BoostingClassifier
from costboost.rules import Rule


@dataclass(kw_only=True, eq=False, repr=False)
class WeightBoostClassifier(BoostingClassifier):
    """WeightBoost: a weak learner counts less where the ensemble is already confident.

    ::

        F <- F + alpha exp(-|beta F|) h(x),  w = exp(-y F - |beta F|),  alpha = 1/2 log(W= / W!=)

    Rows far from the decision boundary get less weight, so that noise is fitted later. beta = 0 is
    AdaBoost. Cost-blind. Prediction evaluates the rounds one after the other and is slower than
    that of the additive algorithms.

    {advice}

    Parameters
    ----------
    beta : float, default=0.5
        How strongly a large score damps the next weak learner; 0 does not damp.
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Jin, R., Liu, Y., Si, L., Carbonell, J. & Hauptmann, A. G. (2003). A new boosting algorithm
    using input-dependent regularizer. ICML.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from costboost import WeightBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = WeightBoostClassifier(n_estimators=20).fit(X, y)
    >>> print(f"{clf.score(X, y):.3f}")
    0.989
    """

    advice: ClassVar[str] = (
        "Take it where classes overlap, all mistakes cost the same, and predictions need not be "
        "fast."
    )

    rule: ClassVar[Rule] = rules.weightboost(0.5)
    fgd_consistent: ClassVar[bool] = False
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Jin, Liu, Si, Carbonell & Hauptmann (2003), ICML"

    beta: float = 0.5

    def _rule(self) -> Rule:
        check_number(self, "beta", 0, strict=False)
        return rules.weightboost(self.beta)


@dataclass(kw_only=True, eq=False, repr=False)
class AdaBoostRegClassifier(BoostingClassifier):
    """AdaBoost_Reg: rows that had large weights in many rounds are penalised less.

    ::

        loss = sum of exp(-(rho + C A mu^p) / 2)

    with rho the margin yF, A the sum of the steps and mu the mean weight the row has had, weighted
    by the steps. The step is the root of the derivative of the loss, and the next weights are the
    terms of its sum. C = 0 is AdaBoost with F doubled. Cost-blind.

    The few rows of a rare class have large weights, so that the regularisation may give the class
    up; ``class_aware=True`` takes mu relative to the mean of the row's own class instead.

    {advice}

    Parameters
    ----------
    C : float, default=1.0
        Strength of the regularisation.
    p : float, default=1.0
        Exponent of the mean weight mu.
    class_aware : bool, default=False
        Whether mu is relative to the mean of the row's own class.
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Raetsch, G., Onoda, T. & Mueller, K.-R. (2001). Soft margins for AdaBoost. Machine Learning
    42(3), 287-320.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from costboost import AdaBoostRegClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = AdaBoostRegClassifier(n_estimators=20).fit(X, y)
    >>> print(f"{clf.score(X, y):.3f}")
    0.996
    """

    advice: ClassVar[str] = "Take it where some labels are wrong and all mistakes cost the same."

    rule: ClassVar[Rule] = rules.adaboost_reg(1.0, 1.0, False)
    fgd_consistent: ClassVar[bool] = False
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Raetsch, Onoda & Mueller (2001), Machine Learning 42(3), 287-320"

    C: float = 1.0
    p: float = 1.0
    class_aware: bool = False

    def _rule(self) -> Rule:
        check_number(self, "C", 0, strict=False)
        check_number(self, "p", 0, strict=True)
        check_flag(self, "class_aware")
        return rules.adaboost_reg(self.C, self.p, self.class_aware)
