"""Votes for one of several classes: SAMME, SAMME.C2, AdaC2.M1 and BAdaCost."""

from __future__ import annotations

from typing import ClassVar

from costboost._core.parameters.parameter import OneOf, parameter
from costboost._core.rules import votes
from costboost._core.rules.record import Rule, SeveralRule
from costboost.classifiers.base import BoostingClassifier
from costboost.classifiers.documented import classifier


@classifier
class SAMMEClassifier(BoostingClassifier):
    """SAMME: AdaBoost for several classes, whose learners vote for one of them.

    With K classes, a learner need only be better than chance, an error below 1 - 1/K::

        a = log(W= / W!=) + log(K - 1),  w <- w exp(a) where h is wrong
        F <- F + a (K - 1)^2 / K Y_h

    with Y_k the vector of 1 at k and -1/(K - 1) elsewhere. The scores F minimise the sum of
    exp(-Y_y F / K), and softmax(F / (K - 1)) estimates the probabilities. With two classes it is
    AdaBoost. Cost-blind.

    A stump has two leaves, which vote for different classes; trees grow by the sum of
    sqrt(p_k (1 - p_k)) over the classes.

    {advice}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Zhu, J., Zou, H., Rosset, S. & Hastie, T. (2009). Multi-class AdaBoost. Statistics and Its
    Interface 2(3), 349-360.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from costboost.algorithms import SAMMEClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> clf = SAMMEClassifier(n_estimators=20).fit(X, y)
    >>> print(f"{clf.score(X, y):.3f}")
    0.994
    """

    advice: ClassVar[str] = (
        "Take it as the baseline for several classes when all mistakes cost the same; take "
        "`CostBoostClassifier` otherwise."
    )

    rule: ClassVar[Rule] = votes.SAMME_OF_TWO
    rule_of_several: ClassVar[SeveralRule | None] = votes.SAMME
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Zhu, Zou, Rosset & Hastie (2009), Statistics and Its Interface 2(3)"


@classifier
class SAMMEC2Classifier(BoostingClassifier):
    """SAMME.C2: SAMME with AdaC2's factor, the cost of the class, in every round.

    ::

        a = log(W= / W!=) + log(K - 1),  w <- w c exp(a [h != y]),  F <- F + a (K - 1)^2 / K Y_h

    with c the mean cost of a mistake on the class of the row (the mean of its row of
    ``cost_matrix``; with two classes ``fn_cost`` and ``fp_cost``) and Y_k the vector of 1 at k and
    -1/(K - 1) elsewhere. The weights start uniform, as in the authors' program, and the step is
    found under the weights without the factor of the round. After t rounds they contain the t-th
    power of the cost: soon only costly classes have any weight. Equal costs give SAMME.

    {advice}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    So, B., Boucher, J.-P. & Valdez, E. A. (2021). Cost-sensitive multi-class AdaBoost for
    understanding driving behavior based on telematics. ASTIN Bulletin 51(3), 719-751.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.metrics import confusion_matrix
    >>> from costboost.algorithms import SAMMEC2Classifier
    >>> X, y = load_wine(return_X_y=True)
    >>> matrix = [[0, 1, 1], [1, 0, 1], [2, 2, 0]]
    >>> clf = SAMMEC2Classifier(n_estimators=10, cost_matrix=matrix).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[54, 5, 0], [2, 66, 3], [0, 0, 48]]
    """

    advice: ClassVar[str] = (
        "Take it for few rounds and mild costs, found by `CostSearchCV`, or to reproduce the "
        "literature."
    )

    rule: ClassVar[Rule] = votes.SAMME_C2_OF_TWO
    rule_of_several: ClassVar[SeveralRule | None] = votes.SAMME_C2
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "So, Boucher & Valdez (2021), ASTIN Bulletin 51(3), 719-751"


@classifier
class AdaC2M1Classifier(BoostingClassifier):
    """AdaC2.M1: AdaC2 for several classes; the cost multiplies the weight in every round.

    ::

        a = 1/2 log(sum of w c right / sum of w c wrong),  F <- F + a Y_h
        w <- w c exp(-a) where h is right, w c exp(a) where it is wrong

    with c the mean cost of a mistake on the class of the row (the mean of its row of
    ``cost_matrix``; with two classes ``fn_cost`` and ``fp_cost``) and Y_k the vector of 1 at k and
    -1/(K - 1) elsewhere. As AdaBoost.M1 it needs learners whose mistakes have less than half of the
    weight, which stumps rarely are with many classes. The authors find the costs by a search for
    the best measure of imbalance.

    The paper was not available: the formulas are those of a public program by others, with shares
    of weight floored as everywhere in this library. With two classes it is AdaC2 from uniform
    weights.

    {advice}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Sun, Y., Kamel, M. S. & Wang, Y. (2006). Boosting for learning multiple classes with imbalanced
    class distribution. ICDM, 592-602.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.metrics import confusion_matrix
    >>> from costboost.algorithms import AdaC2M1Classifier
    >>> X, y = load_wine(return_X_y=True)
    >>> matrix = [[0, 1, 1], [1, 0, 1], [2, 2, 0]]
    >>> clf = AdaC2M1Classifier(n_estimators=10, estimator="tree", cost_matrix=matrix).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[59, 0, 0], [0, 71, 0], [0, 0, 48]]
    """

    advice: ClassVar[str] = "Take it with trees, or to reproduce the literature."

    rule: ClassVar[Rule] = votes.ADAC2_M1_OF_TWO
    rule_of_several: ClassVar[SeveralRule | None] = votes.ADAC2_M1
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Sun, Kamel & Wang (2006), ICDM, 592-602"


@classifier
class BAdaCostClassifier(BoostingClassifier):
    """BAdaCost: the exponential loss of several classes with a cost matrix in the exponent.

    With C the cost matrix scaled to a greatest cost of 1, C* = C minus its row sums on the
    diagonal, G = K / (K - 1) C*, and f the sum of a Y_h (Y_k: 1 at k, -1/(K - 1) elsewhere)::

        loss = sum of exp(C*_y f),  h minimises the sum of w (exp(G[y, h]) - exp(G[y, y]))
        a = root of sum of w G[y, h] exp(a G[y, h]) = 0,  w <- w exp(a G[y, h])

    It predicts the class of least C* f; the scores here are F = -C* f. At the minimum of the
    expected loss, P is proportional to v exp(F), where v C* = 0: the class of greatest F is that of
    least expected cost with two classes, and where costs depend on the true class alone, but not
    always. With costs of 0 and 1 it is SAMME, with two classes CSAda's loss.

    {advice}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Fernandez-Baldera, A., Buenaposada, J. M. & Baumela, L. (2018). BAdaCost: multi-class boosting
    with costs. Pattern Recognition 79, 467-479.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.metrics import confusion_matrix
    >>> from costboost.algorithms import BAdaCostClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> matrix = [[0, 1, 1], [1, 0, 1], [9, 3, 0]]
    >>> clf = BAdaCostClassifier(n_estimators=20, cost_matrix=matrix).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[59, 0, 0], [0, 70, 1], [0, 0, 48]]
    """

    advice: ClassVar[str] = (
        "Take it where a cost matrix of several classes is known and fixed before training, and "
        "one small ensemble is wanted; `CostBoostClassifier` decides at less cost as a rule."
    )

    rule: ClassVar[Rule] = votes.BADACOST_OF_TWO
    rule_of_several: ClassVar[SeveralRule | None] = votes.BADACOST
    fgd_consistent: ClassVar[bool] = False
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = False
    reference: ClassVar[str] = (
        "Fernandez-Baldera, Buenaposada & Baumela (2018), Pattern Recognition 79, 467-479"
    )

    criterion: str = parameter(
        "unit",
        OneOf("unit", "gradient"),
        """What a vote costs: the loss after a step of 1, as in the authors' program, or the slope
        of the loss, C[y, h] plus the sum of the costs of class y where h is wrong.""",
    )

    def _rule(self) -> Rule:
        unit = self.criterion == "unit"
        return votes.BADACOST_OF_TWO if unit else votes.BADACOST_GRADIENT_OF_TWO

    def _rule_of_several(self) -> SeveralRule | None:
        return votes.BADACOST if self.criterion == "unit" else votes.BADACOST_GRADIENT
