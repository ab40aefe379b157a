"""AdaCost: the exponent of AdaBoost's update, adjusted by the cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from costboost import rules
from costboost.classifiers.base import BoostingClassifier
from costboost.classifiers.checks import check_choice, check_number
from costboost.rules import Rule


@dataclass(kw_only=True, eq=False, repr=False)
class AdaCostClassifier(BoostingClassifier):
    """AdaCost: the exponent of the update is adjusted by the cost of the row.

    ::

        beta = (1 + c) / 2 where h is wrong, (1 - c) / 2 where it is right
        alpha = 1/2 log((1 + r) / (1 - r)),  r = sum of w beta y h(x)     (``beta="fan"``)
        alpha = 1/2 log(W= / W!=)                                         (``beta="ting"``)
        w <- w exp(-beta alpha y h(x))

    Costs are scaled so that the greatest is ``max_cost``. At the literature's 1 it mostly stalls: a
    right answer of the dear class counts for nothing, and the first step is already negative.

    {advice}

    Parameters
    ----------
    beta : {"fan", "ting"}, default="fan"
        The step: Fan's, which knows of beta, or Ting's AdaCost(beta2), which does not.
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
