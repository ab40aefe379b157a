"""AdaBoost and variants with another start (CGAda), decision (AdaMEC) or update (AsymAda)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from costboost import rules
from costboost.checks import check_choice
from costboost.classifiers.base import BoostingClassifier
from costboost.rules import Rule


@dataclass(kw_only=True, eq=False, repr=False)
class AdaBoostClassifier(BoostingClassifier):
    """Discrete AdaBoost: the cost-blind algorithm that all others here start from.

    In each round the learner ``h`` of least weighted error is added with the step::

        alpha = 1/2 log(W= / W!=)            W=, W!=: weight of the rows that h gets right, wrong
        w <- w exp(-alpha y h(x))            and normalised
        F(x) = sum of alpha h(x)             predict: the sign of F

    It minimises the exponential loss, whose minimiser is half the log-odds, so that
    ``predict_proba`` is ``1 / (1 + exp(-2F))``.

    {advice}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Freund, Y. & Schapire, R. E. (1997). A decision-theoretic generalization of on-line learning
    and an application to boosting. Journal of Computer and System Sciences 55(1), 119-139.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from costboost import AdaBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = AdaBoostClassifier(n_estimators=20).fit(X, y)
    >>> print(f"{clf.score(X, y):.3f} with {clf.n_iter_} stumps")
    0.993 with 20 stumps
    """

    advice: ClassVar[str] = (
        "Take it as the baseline, or when all mistakes cost the same. It ignores ``fn_cost`` and "
        "``fp_cost`` but for the score of early stopping, and warns if they differ: take "
        "`CostBoostClassifier` then. Its probabilities are pushed towards 0 and 1: they rank rows "
        "well, but are not calibrated."
    )

    rule: ClassVar[Rule] = rules.ADABOOST
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Freund & Schapire (1997), JCSS 55(1), 119-139"


@dataclass(kw_only=True, eq=False, repr=False)
class CGAdaClassifier(BoostingClassifier):
    """Cost-generalised AdaBoost: AdaBoost that starts from weights proportional to the costs.

    Rows of the positive class start with the weight ``fn_cost``, the others with ``fp_cost``;
    everything else is AdaBoost::

        w_1 = cost of a mistake on the row
        alpha = 1/2 log(W= / W!=),  w <- w exp(-alpha y h(x)),  predict: the sign of F

    The loss is ``c exp(-yF)``, so the costs stay in the weights as a constant factor throughout
    and the sign of F is the decision of least expected cost. ``predict_proba`` takes the costs out
    again: the logit is ``2F - log(fn_cost / fp_cost)``.

    {advice}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Landesa-Vazquez, I. & Alba-Castro, J. L. (2012). Shedding light on the asymmetric learning
    capability of AdaBoost. Pattern Recognition Letters 33(3), 247-255.

    Examples
    --------
    Malignant tumours are class 0; a false negative costs ten times a false positive.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.metrics import confusion_matrix
    >>> from costboost import CGAdaClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = CGAdaClassifier(n_estimators=20, fn_cost=10, fp_cost=1, pos_label=0).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X))
    array([[212,   0],
           [ 10, 347]])
    """

    advice: ClassVar[str] = (
        "Take it when the costs are known before training, also where each row has its own. It is "
        "consistent with gradient descent on its loss, cost-consistent and asymmetry-preserving. "
        "If costs change it must be trained again: `CostBoostClassifier` need not."
    )

    rule: ClassVar[Rule] = rules.CGADA
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = True
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = (
        "Landesa-Vazquez & Alba-Castro (2012), Pattern Recognition Letters 33(3), 247-255"
    )


@dataclass(kw_only=True, eq=False, repr=False)
class AdaMECClassifier(BoostingClassifier):
    """AdaBoost with decisions of minimum expected cost: costs may change after training.

    Trained as AdaBoost, it predicts the positive class where that has the lower expected cost::

        P(y = +1 | x) > fp_cost / (fp_cost + fn_cost)

    with P ``1 / (1 + exp(-2F))`` (``probability="logistic"``, the minimiser of the loss) or the
    share of the steps that vote +1 (``probability="votes"``, Ting). ``predict(X, fn_cost=...,
    fp_cost=...)`` decides under other costs, one for all rows or one for each, without refitting.

    {advice}

    Parameters
    ----------
    probability : {"logistic", "votes"}, default="logistic"
        How the score becomes a probability.
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Ting, K. M. (2000). A comparative study of cost-sensitive boosting algorithms. ICML, 983-990.

    Nikolaou, N., Edakunni, N., Kull, M., Flach, P. & Brown, G. (2016). Cost-sensitive boosting
    algorithms: do we really need them? Machine Learning 104, 359-384.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from costboost import AdaMECClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = AdaMECClassifier(n_estimators=20, pos_label=0).fit(X, y)
    >>> [int((clf.predict(X, fn_cost=cost) == 0).sum()) for cost in (1, 2, 5)]
    [208, 213, 217]
    """

    advice: ClassVar[str] = (
        "Take it when costs change, differ from row to row or are known only when the model is "
        "used, and `CostBoostClassifier`, which is calibrated, before it. Both probabilities are "
        "rough: the logistic ones crowd around 0 and 1, and shares of votes around 1/2, so that "
        "with votes and very unequal costs one class is predicted for all rows. Decisions are "
        "better after calibration."
    )

    rule: ClassVar[Rule] = rules.ADAMEC_LOGISTIC
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = True
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Ting (2000), ICML, 983-990"

    probability: str = "logistic"

    def _rule(self) -> Rule:
        check_choice(self, "probability", ("logistic", "votes"))
        return rules.ADAMEC if self.probability == "votes" else rules.ADAMEC_LOGISTIC


@dataclass(kw_only=True, eq=False, repr=False)
class AsymAdaClassifier(BoostingClassifier):
    """Asymmetric AdaBoost: every round puts its share of the cost ratio into the weights.

    ::

        w_1 = c^(1/M),  alpha = 1/2 log(W= / W!=),  w <- w c^(1/M) exp(-alpha y h(x))

    After all M rounds the loss is ``c exp(-yF)``, that of `CGAdaClassifier`. As every round gets an
    equal share of the cost ratio, the first round alone cannot cancel it.

    {advice}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Viola, P. & Jones, M. (2002). Fast and robust classification using asymmetric AdaBoost and a
    detector cascade. NIPS 14, 1311-1318.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.metrics import confusion_matrix
    >>> from costboost import AsymAdaClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = AsymAdaClassifier(n_estimators=20, fn_cost=5, fp_cost=1, pos_label=0).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[212, 0], [14, 343]]
    """

    advice: ClassVar[str] = (
        "Take it, like `CGAdaClassifier`, when costs are fixed before training. The number of "
        "rounds M is part of the algorithm: an ensemble that ends early has used only part of the "
        "costs."
    )

    rule: ClassVar[Rule] = rules.ASYMADA
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = True
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Viola & Jones (2002), NIPS 14, 1311-1318"


# ---- CSAda and AdaDB: the loss exp(-c y F) itself, minimised round by round ----------------------


@dataclass(kw_only=True, eq=False, repr=False)
class CSAdaClassifier(BoostingClassifier):
    """Cost-sensitive AdaBoost by Masnadi-Shirazi and Vasconcelos: costs inside the exponential.

    Each round lowers the loss ``sum s exp(-c y F(x))``, s being the sample weight and c the cost of
    the row, as far as one weak learner can. With T+, T- the weights of the two classes and b, d
    those of the positives and negatives that h gets wrong, the step is the root alpha > 0 of::

        2 C+ b cosh(C+ alpha) + 2 C- d cosh(C- alpha) = C+ T+ e^(-C+ alpha) + C- T- e^(-C- alpha)
        w <- w exp(-c alpha y h(x))

    The stump is chosen together with its step: each candidate is judged by the loss it reaches with
    a step of its own. Other weak learners are trained with the weights ``c w`` and then given their
    step. The sign of F is the decision of least expected cost.

    F is measured in 1 / cost: doubling all costs halves it and leaves the decisions unchanged. The
    loss of a costly row grows very steeply, so that at high cost ratios a few hard rows can
    dominate the ensemble; in Nikolaou et al. (2016) `CGAdaClassifier` and calibrated
    `AdaMECClassifier` rank above it.

    {advice}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Masnadi-Shirazi, H. & Vasconcelos, N. (2007). Asymmetric boosting. ICML 24, 609-616.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.metrics import confusion_matrix
    >>> from costboost import CSAdaClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = CSAdaClassifier(n_estimators=20, fn_cost=5, fp_cost=1, pos_label=0).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[211, 1], [9, 348]]
    """

    advice: ClassVar[str] = (
        "Take it at mild costs that are known before training, or to reproduce the literature."
    )

    rule: ClassVar[Rule] = rules.CSADA
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = True
    asymmetry_preserving: ClassVar[bool] = False
    reference: ClassVar[str] = "Masnadi-Shirazi & Vasconcelos (2007), ICML 24, 609-616"


@dataclass(kw_only=True, eq=False, repr=False)
class AdaDBClassifier(BoostingClassifier):
    """AdaBoost with double base: CSAda, its step found as the root of a polynomial.

    Its loss is that of `CSAdaClassifier`, ``sum s exp(-c y F(x))``, and so is the model up to
    rounding. With T+, T- the weights of the two classes, b, d those of the positives and negatives
    that h gets wrong, x = e^(-alpha) and m the greater cost, the step is the only root in (0, 1)
    of::

        C+ (T+ - b) x^(m + C+) + C- (T- - d) x^(m + C-) = C+ b x^(m - C+) + C- d x^(m - C-)

    This is a polynomial if the costs are whole numbers; other costs are solved in the same way.

    {advice}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Landesa-Vazquez, I. & Alba-Castro, J. L. (2013). Double-base asymmetric AdaBoost.
    Neurocomputing 118, 101-114.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.metrics import confusion_matrix
    >>> from costboost import AdaDBClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = AdaDBClassifier(n_estimators=20, fn_cost=5, fp_cost=1, pos_label=0).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[211, 1], [9, 348]]
    """

    advice: ClassVar[str] = "Take it to reproduce the literature; take `CSAdaClassifier` otherwise."

    rule: ClassVar[Rule] = rules.ADADB
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = True
    asymmetry_preserving: ClassVar[bool] = False
    reference: ClassVar[str] = "Landesa-Vazquez & Alba-Castro (2013), Neurocomputing 118"
