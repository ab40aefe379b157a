"""Discrete algorithms: AdaBoost, and costs in its start, decision, loss or update."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from costboost._core.parameters.parameter import Given, Number, OneOf, OrNone, parameter
from costboost._core.rules import discrete, record
from costboost._core.rules.record import GREATEST_UNSCALED, DiscreteRule, Rule
from costboost.classifiers.base import BoostingClassifier
from costboost.classifiers.documented import classifier


@classifier
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
    >>> from costboost.algorithms import AdaBoostClassifier
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

    rule: ClassVar[Rule] = discrete.ADABOOST
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Freund & Schapire (1997), JCSS 55(1), 119-139"


@classifier
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
    >>> from costboost.algorithms import CGAdaClassifier
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

    rule: ClassVar[Rule] = discrete.CGADA
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = True
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = (
        "Landesa-Vazquez & Alba-Castro (2012), Pattern Recognition Letters 33(3), 247-255"
    )


@classifier
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
    >>> from costboost.algorithms import AdaMECClassifier
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

    rule: ClassVar[Rule] = discrete.ADAMEC_LOGISTIC
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = True
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Ting (2000), ICML, 983-990"

    probability: str = parameter(
        "logistic", OneOf("logistic", "votes"), "How the score becomes a probability."
    )

    def _rule(self) -> Rule:
        return discrete.ADAMEC if self.probability == "votes" else discrete.ADAMEC_LOGISTIC


@classifier
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
    >>> from costboost.algorithms import AsymAdaClassifier
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

    rule: ClassVar[Rule] = discrete.ASYMADA
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = True
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Viola & Jones (2002), NIPS 14, 1311-1318"


# ---- CSAda and AdaDB: the loss exp(-c y F) itself, minimised round by round ----------------------


@classifier
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
    >>> from costboost.algorithms import CSAdaClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = CSAdaClassifier(n_estimators=20, fn_cost=5, fp_cost=1, pos_label=0).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[211, 1], [9, 348]]
    """

    advice: ClassVar[str] = (
        "Take it at mild costs that are known before training, or to reproduce the literature."
    )

    rule: ClassVar[Rule] = discrete.CSADA
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = True
    asymmetry_preserving: ClassVar[bool] = False
    reference: ClassVar[str] = "Masnadi-Shirazi & Vasconcelos (2007), ICML 24, 609-616"


@classifier
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
    >>> from costboost.algorithms import AdaDBClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = AdaDBClassifier(n_estimators=20, fn_cost=5, fp_cost=1, pos_label=0).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[211, 1], [9, 348]]
    """

    advice: ClassVar[str] = "Take it to reproduce the literature; take `CSAdaClassifier` otherwise."

    rule: ClassVar[Rule] = discrete.ADADB
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = True
    asymmetry_preserving: ClassVar[bool] = False
    reference: ClassVar[str] = "Landesa-Vazquez & Alba-Castro (2013), Neurocomputing 118"


# ---- AdaC1, AdaC2 and AdaC3: costs in the update of the weights ----------------------------------


MAX_COST = Number(0, GREATEST_UNSCALED, above=True)


def check_max_cost(name: str, value: Any) -> None:
    """Check that a value is "auto", None or the greatest cost after scaling."""
    if not (isinstance(value, str) and value == "auto"):
        OrNone(MAX_COST).check(name, value)


def scaled_rule(rule: DiscreteRule, max_cost: float | None) -> DiscreteRule:
    """The rule with costs scaled so that the greatest is ``max_cost``; None does not scale them."""
    scale = record.not_scaled if max_cost is None else record.greatest_is(float(max_cost))
    return replace(rule, scale=scale)


@classifier
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
    >>> from costboost.algorithms import AdaC1Classifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = AdaC1Classifier(n_estimators=20, fn_cost=5, fp_cost=1, pos_label=0).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[207, 5], [33, 324]]
    """

    advice: ClassVar[str] = "Take it to reproduce the literature."

    rule: ClassVar[Rule] = discrete.ADAC1
    fgd_consistent: ClassVar[bool] = False
    cost_consistent: ClassVar[bool] = True
    asymmetry_preserving: ClassVar[bool] = False
    reference: ClassVar[str] = "Sun, Wong & Wang (2005), MLDM, 21-30"

    step: str = parameter(
        "sun", OneOf("sun", "nyga"), "Which step, and with it how the costs are scaled."
    )
    max_cost: Any = parameter(
        "auto",
        Given('"auto", float or None', check_max_cost),
        """Greatest cost after scaling, above 0 and at most 1e100. "auto" is 1 for Sun's step; for
        Nyga's, costs are scaled so that the least is 1. None takes the costs as they are. Sun's
        derivation needs costs of at most 1: with greater ones 1 - r or 1 + r may be negative, and
        training ends there, because the step is not a real number.""",
    )

    def _rule(self) -> Rule:
        rule = discrete.ADAC1 if self.step == "sun" else discrete.ADAC1_NYGA
        if isinstance(self.max_cost, str) and self.max_cost == "auto":
            return rule
        return scaled_rule(rule, self.max_cost)


@classifier
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
    >>> from costboost.algorithms import AdaC2Classifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = AdaC2Classifier(n_estimators=20, fn_cost=5, fp_cost=1, pos_label=0).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[212, 0], [273, 84]]
    """

    advice: ClassVar[str] = "Take it for few rounds, or to reproduce the literature."

    rule: ClassVar[Rule] = discrete.ADAC2
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Sun, Wong & Wang (2005), MLDM, 21-30"


@classifier
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
    >>> from costboost.algorithms import AdaC3Classifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = AdaC3Classifier(n_estimators=20, fn_cost=5, fp_cost=1, pos_label=0).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[212, 0], [256, 101]]
    """

    advice: ClassVar[str] = "Take it to reproduce the literature."

    rule: ClassVar[Rule] = discrete.ADAC3
    fgd_consistent: ClassVar[bool] = False
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = False
    reference: ClassVar[str] = "Sun, Wong & Wang (2005), MLDM, 21-30"

    max_cost: float | None = parameter(
        1.0,
        OrNone(MAX_COST),
        """Greatest cost after scaling, above 0 and at most 1e100; None takes the costs as they are.
        Sun's derivation needs costs of at most 1: with greater ones S - r or S + r may be negative,
        and training ends there, because the step is not a real number.""",
    )

    def _rule(self) -> Rule:
        return scaled_rule(discrete.ADAC3, self.max_cost)


# ---- AdaCost: the exponent of AdaBoost's update, adjusted by the cost ----------------------------


@classifier
class AdaCostClassifier(BoostingClassifier):
    """AdaCost: the exponent of the update is adjusted by the cost of the row.

    ::

        beta = (1 + c) / 2 where h is wrong, (1 - c) / 2 where it is right
        alpha = 1/2 log((1 + r) / (1 - r)),  r = sum of w beta y h(x)     (``beta="fan"``)
        alpha = 1/2 log(W= / W!=)                                         (``beta="ting"``)
        w <- w exp(-beta alpha y h(x))

    Costs are scaled so that the greatest is ``max_cost``. At 1, the value of Fan et al., training
    mostly stops at once: correct predictions of the costly class have beta = 0, and the first step
    is already negative. With costs above 1, beta of a correct prediction is below 0: it counts
    against the learner and gains weight like a mistake.

    {advice}

    Parameters
    ----------
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
    >>> from costboost.algorithms import AdaCostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = AdaCostClassifier(n_estimators=20, fn_cost=5, fp_cost=1, pos_label=0).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[209, 3], [56, 301]]
    """

    advice: ClassVar[str] = (
        "Take it to reproduce the literature; it is among the worst of Nikolaou et al. (2016)."
    )

    rule: ClassVar[Rule] = discrete.ADACOST
    fgd_consistent: ClassVar[bool] = False
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = False
    reference: ClassVar[str] = "Fan, Stolfo, Zhang & Chan (1999), ICML, 97-105"

    beta: str = parameter(
        "fan",
        OneOf("fan", "ting"),
        """The step: that of Fan, which depends on beta, or that of Ting's AdaCost(beta2), which
        does not.""",
    )
    max_cost: float | None = parameter(
        0.5,
        OrNone(MAX_COST),
        """Greatest cost after scaling, above 0 and at most 1e100; None takes the costs as they are.
        With costs above 1, 1 + r may be negative, and training ends there, because the step is not
        a real number.""",
    )

    def _rule(self) -> Rule:
        rule = discrete.ADACOST if self.beta == "fan" else discrete.ADACOST_TING
        return scaled_rule(rule, self.max_cost)


# ---- Ting's CSB: the weight of a misclassified row is multiplied by its cost ---------------------


@classifier
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
    >>> from costboost.algorithms import CSB0Classifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = CSB0Classifier(n_estimators=20, fn_cost=5, fp_cost=1, pos_label=0).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[212, 0], [201, 156]]
    """

    advice: ClassVar[str] = (
        "Take it to reproduce the literature, and `CostBoostClassifier` otherwise; "
        "`CGAdaClassifier` and `AdaMECClassifier` do better in Nikolaou et al. (2016)."
    )

    rule: ClassVar[Rule] = discrete.CSB0
    fgd_consistent: ClassVar[bool] = False
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Ting (2000), ICML, 983-990"


@classifier
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
    >>> from costboost.algorithms import CSB1Classifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = CSB1Classifier(n_estimators=20, fn_cost=5, fp_cost=1, pos_label=0).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[212, 0], [140, 217]]
    """

    advice: ClassVar[str] = (
        "Take it to reproduce the literature, and `CostBoostClassifier` otherwise; "
        "`CGAdaClassifier` and `AdaMECClassifier` do better in Nikolaou et al. (2016)."
    )

    rule: ClassVar[Rule] = discrete.CSB1
    fgd_consistent: ClassVar[bool] = False
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Ting (2000), ICML, 983-990"


@classifier
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
    >>> from costboost.algorithms import CSB2Classifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = CSB2Classifier(n_estimators=20, fn_cost=5, fp_cost=1, pos_label=0).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[212, 0], [165, 192]]
    """

    advice: ClassVar[str] = (
        "Take it to reproduce the literature, and `CostBoostClassifier` otherwise; "
        "`CGAdaClassifier` and `AdaMECClassifier` do better in Nikolaou et al. (2016)."
    )

    rule: ClassVar[Rule] = discrete.CSB2
    fgd_consistent: ClassVar[bool] = False
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Ting (2000), ICML, 983-990"
