"""Algorithms that reweight rows by the ensemble's score, or make votes uneven by cost.

WeightBoost and AdaBoost_Reg give less weight to rows that are hard to classify. The costs of AdaCC1
and AdaCC2 follow the ensemble's mistakes; those of AdaUBoost make its votes uneven.
"""

from __future__ import annotations

from typing import ClassVar

from costboost._core.parameters.parameter import Flag, Number, OneOf, parameter
from costboost._core.rules import score_weighted
from costboost._core.rules.record import Rule
from costboost.classifiers.base import BoostingClassifier
from costboost.classifiers.documented import classifier

# ---- regularised boosting: rows that are hard to classify get less weight ------------------------


@classifier
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
    >>> from costboost.algorithms import WeightBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = WeightBoostClassifier(n_estimators=20).fit(X, y)
    >>> print(f"{clf.score(X, y):.3f}")
    0.989
    """

    advice: ClassVar[str] = (
        "Take it where classes overlap, all mistakes cost the same, and predictions need not be "
        "fast."
    )

    rule: ClassVar[Rule] = score_weighted.weightboost(0.5)
    fgd_consistent: ClassVar[bool] = False
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Jin, Liu, Si, Carbonell & Hauptmann (2003), ICML"

    beta: float = parameter(
        0.5, Number(0), "How strongly a large score damps the next weak learner; 0 does not damp."
    )

    def _rule(self) -> Rule:
        return score_weighted.weightboost(self.beta)


@classifier
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
    >>> from costboost.algorithms import AdaBoostRegClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = AdaBoostRegClassifier(n_estimators=20).fit(X, y)
    >>> print(f"{clf.score(X, y):.3f}")
    0.996
    """

    advice: ClassVar[str] = "Take it where some labels are wrong and all mistakes cost the same."

    rule: ClassVar[Rule] = score_weighted.adaboost_reg(1.0, 1.0, False)
    fgd_consistent: ClassVar[bool] = False
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Raetsch, Onoda & Mueller (2001), Machine Learning 42(3), 287-320"

    C: float = parameter(1.0, Number(0), "Strength of the regularisation.")
    p: float = parameter(1.0, Number(0, above=True), "Exponent of the mean weight mu.")
    class_aware: bool = parameter(
        False, Flag(), "Whether mu is relative to the mean of the row's own class."
    )

    def _rule(self) -> Rule:
        return score_weighted.adaboost_reg(self.C, self.p, self.class_aware)


# ---- uneven votes: AdaCC1, AdaCC2 and AdaUBoost --------------------------------------------------


@classifier
class AdaCC1Classifier(BoostingClassifier):
    """AdaCC1: costs that follow the error rates of the ensemble, in the exponent of the update.

    No costs are given. After every round, the class of which the ensemble so far misclassifies the
    greater share of the training rows has a cost above 1, and the other one the cost 1::

        c+ = 1 + FNR, c- = 1   if FNR >= FPR,   else   c+ = 1, c- = 1 + FPR
        alpha = 1/2 log(W= / W!=),  w <- w exp(2 c alpha) where h is wrong

    FNR and FPR are the rates of false negatives and false positives of sign(F), weighted by the
    initial weights. While both are 0 a round is one of AdaBoost. It is made for imbalanced classes
    and balances the two rates; it knows nothing of what mistakes cost.

    The formulas are those of the authors' program, which takes twice AdaBoost's step; a learner
    without mistakes ends the ensemble as in AdaBoost, instead of having no vote.

    {advice}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Iosifidis, V., Papadopoulos, S., Rosenhahn, B. & Ntoutsi, E. (2022). AdaCC: cumulative
    cost-sensitive boosting for imbalanced classification. Knowledge and Information Systems.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.metrics import confusion_matrix
    >>> from costboost.algorithms import AdaCC1Classifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = AdaCC1Classifier(n_estimators=20, pos_label=0).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[211, 1], [4, 353]]
    """

    advice: ClassVar[str] = (
        "Take it where classes are imbalanced, costs are unknown and both error rates should be "
        "alike; with known costs, take `CostBoostClassifier`."
    )

    rule: ClassVar[Rule] = score_weighted.ADACC1
    fgd_consistent: ClassVar[bool] = False
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = False
    reference: ClassVar[str] = (
        "Iosifidis, Papadopoulos, Rosenhahn & Ntoutsi (2022), Knowledge and Information Systems"
    )


@classifier
class AdaCC2Classifier(BoostingClassifier):
    """AdaCC2: costs that follow the error rates of the ensemble, as a factor of the update.

    No costs are given. After every round, the class of which the ensemble so far misclassifies the
    greater share of the training rows has a cost above 1, and the other one the cost 1::

        c+ = 1 + FNR, c- = 1   if FNR >= FPR,   else   c+ = 1, c- = 1 + FPR
        alpha = 1/2 log(W= / W!=),  w <- w c exp(2 alpha) where h is wrong

    FNR and FPR are the rates of false negatives and false positives of sign(F), weighted by the
    initial weights. Scores need not converge: on rows that no learner separates, two fifths of
    them positive, votes for the two classes alternate without end.

    The formulas are those of the authors' program, which takes twice AdaBoost's step; a learner
    without mistakes ends the ensemble as in AdaBoost, instead of having no vote.

    {advice}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Iosifidis, V., Papadopoulos, S., Rosenhahn, B. & Ntoutsi, E. (2022). AdaCC: cumulative
    cost-sensitive boosting for imbalanced classification. Knowledge and Information Systems.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.metrics import confusion_matrix
    >>> from costboost.algorithms import AdaCC2Classifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = AdaCC2Classifier(n_estimators=20, pos_label=0).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[212, 0], [0, 357]]
    """

    advice: ClassVar[str] = (
        "Take it to reproduce the literature; `AdaCC1Classifier` has the same purpose and settles."
    )

    rule: ClassVar[Rule] = score_weighted.ADACC2
    fgd_consistent: ClassVar[bool] = False
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = False
    reference: ClassVar[str] = (
        "Iosifidis, Papadopoulos, Rosenhahn & Ntoutsi (2022), Knowledge and Information Systems"
    )


@classifier
class AdaUBoostClassifier(BoostingClassifier):
    """AdaUBoost: rows of the costly class start heavier, and their weights change less.

    With costs c scaled so that the least is 1 (the paper's beta is C+ / C-) and b = 1 / c::

        w_1 = c,  alpha minimises sum of w exp(-alpha b y h(x)),  w <- w exp(-alpha b y h(x))

    The steps minimise the sum of c exp(-y F / c), in whose slope the costs cancel: its minimum is
    where F (b+ + b-) is the log-odds of the classes, and sign(F) is the decision of equal costs.
    Probabilities are exact at this minimum for costs of classes.

    The weak learner is trained on w, although the slope of the loss is w b. So the learner that is
    chosen may have no step: between the probabilities C- / (C+ + C-) and 1/2 it votes for the
    costly class, along which the loss does not fall, and training ends after a few rounds. The
    paper was not available: the formulas are those of a summary, whose step and update agree.

    {advice}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Karakoulas, G. & Shawe-Taylor, J. (1998). Optimizing classifiers for imbalanced training sets.
    NIPS 11, 253-259.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.metrics import confusion_matrix
    >>> from costboost.algorithms import AdaUBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = AdaUBoostClassifier(n_estimators=20, fn_cost=5, fp_cost=1, pos_label=0).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[209, 3], [22, 335]]
    """

    advice: ClassVar[str] = (
        "Take it to reproduce the literature; `CGAdaClassifier` starts from the same weights and "
        "keeps the costs in its decisions."
    )

    rule: ClassVar[Rule] = score_weighted.ADAUBOOST
    fgd_consistent: ClassVar[bool] = False
    cost_consistent: ClassVar[bool] = True
    asymmetry_preserving: ClassVar[bool] = False
    reference: ClassVar[str] = "Karakoulas & Shawe-Taylor (1998), NIPS 11, 253-259"

    learner_weights: str = parameter(
        "loss",
        OneOf("loss", "slope"),
        """Weights of the weak learner: w, as in the paper, or the slope w b of the loss, with which
        training does not end early.""",
    )

    def _rule(self) -> Rule:
        return (
            score_weighted.ADAUBOOST
            if self.learner_weights == "loss"
            else score_weighted.ADAUBOOST_SLOPE
        )
