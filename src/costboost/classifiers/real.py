"""Real-valued algorithms: leaves hold values instead of votes, by minimisation or Newton steps."""

from __future__ import annotations

from typing import ClassVar

from costboost._core.parameters.parameter import Between, OneOf, parameter
from costboost._core.rules import multinomial, newton, real
from costboost._core.rules.real import LEAST_SMOOTHING, MOST_SMOOTHING
from costboost._core.rules.record import Rule, SeveralRule
from costboost.classifiers.base import BoostingClassifier
from costboost.classifiers.documented import classifier

SMOOTHING = (
    Between(LEAST_SMOOTHING, MOST_SMOOTHING),
    """The number e that keeps the values of pure leaves finite, from 1e-12 to 1. Weights sum to 1
    over all rows; a greater number shrinks the values of leaves with little weight.""",
)
"""Values and description of the parameter ``smoothing``."""


@classifier
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
    >>> from costboost.algorithms import RealBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = RealBoostClassifier(n_estimators=20).fit(X, y)
    >>> print(f"{clf.score(X, y):.3f}")
    0.998
    """

    advice: ClassVar[str] = (
        "Take it instead of AdaBoost where only few rounds are affordable and all mistakes cost "
        "the same."
    )

    rule: ClassVar[Rule] = real.REALBOOST
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Friedman, Hastie & Tibshirani (2000), Annals of Statistics 28(2)"

    criterion: str = parameter(
        "loss",
        OneOf("loss", "error"),
        "What a split minimises: the exponential loss, or the weighted error (Nyga).",
    )
    smoothing: float = parameter(real.SMOOTHING, *SMOOTHING)

    def _rule(self) -> Rule:
        rule = real.REALBOOST if self.criterion == "loss" else real.REALBOOST_ERROR
        return real.smoothed(rule, self.smoothing)


@classifier
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
    >>> from costboost.algorithms import GentleBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = GentleBoostClassifier(n_estimators=20).fit(X, y)
    >>> print(f"{clf.score(X, y):.3f}")
    0.996
    """

    advice: ClassVar[str] = "Take it on noisy rows when all mistakes cost the same."

    rule: ClassVar[Rule] = real.GENTLEBOOST
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Friedman, Hastie & Tibshirani (2000), Annals of Statistics 28(2)"


@classifier
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
    >>> from costboost.algorithms import RareBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = RareBoostClassifier(n_estimators=20).fit(X, y)
    >>> print(f"{clf.score(X, y):.3f}")
    0.996
    """

    advice: ClassVar[str] = (
        "Take it for a rare class whose costs are unknown; take a cost-sensitive algorithm "
        "otherwise."
    )

    rule: ClassVar[Rule] = real.RAREBOOST
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Joshi, Kumar & Agarwal (2001), ICDM, 257-264"

    smoothing: float = parameter(real.SMOOTHING, *SMOOTHING)

    def _rule(self) -> Rule:
        return real.smoothed(real.RAREBOOST, self.smoothing)


@classifier
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
    >>> from costboost.algorithms import CSRAClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = CSRAClassifier(n_estimators=20, fn_cost=5, fp_cost=1, pos_label=0).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[212, 0], [5, 352]]
    """

    advice: ClassVar[str] = (
        "Take it to reproduce the literature; take `CSGAClassifier`, whose steps are "
        "bounded, otherwise."
    )

    rule: ClassVar[Rule] = real.CSRA
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = True
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Nyga (2010), Master's thesis, TU Muenchen"

    smoothing: float = parameter(real.SMOOTHING, *SMOOTHING)

    def _rule(self) -> Rule:
        return real.smoothed(real.CSRA, self.smoothing)


@classifier
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
    >>> from costboost.algorithms import CSGAClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = CSGAClassifier(n_estimators=20, fn_cost=5, fp_cost=1, pos_label=0).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[212, 0], [4, 353]]
    """

    advice: ClassVar[str] = (
        "Take it when costs and the number of rounds are fixed before training: the most stable "
        "of the algorithms in Nyga (2010)."
    )

    rule: ClassVar[Rule] = real.CSGA
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = True
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Nyga (2010), Master's thesis, TU Muenchen"


@classifier
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
    >>> from costboost.algorithms import CSRealBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = CSRealBoostClassifier(n_estimators=20, fn_cost=5, fp_cost=1, pos_label=0).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[212, 0], [0, 357]]
    """

    advice: ClassVar[str] = (
        "Take it at costs that are known before training, where only few rounds are affordable."
    )

    rule: ClassVar[Rule] = real.CSREALBOOST
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = True
    asymmetry_preserving: ClassVar[bool] = False
    reference: ClassVar[str] = "Masnadi-Shirazi & Vasconcelos (2011), IEEE TPAMI 33(2)"

    smoothing: float = parameter(real.SMOOTHING, *SMOOTHING)

    def _rule(self) -> Rule:
        return real.smoothed(real.CSREALBOOST, self.smoothing)


# ---- Newton steps: LogitBoost and its variants ---------------------------------------------------


@classifier
class LogitBoostClassifier(BoostingClassifier):
    """LogitBoost: Newton steps on the logistic loss.

    Each round fits the working response by weighted least squares and adds half of the fit::

        p = 1 / (1 + exp(-2F)),  w = p (1 - p),  z = (y* - p) / w
        F <- F + g / 2,  g: weighted least squares of z

    The step is halved until the loss does not rise; leaf values are clipped to [-4, 4], z never.
    Cost-blind, but its probabilities are those of a likelihood, and noisy rows have less influence
    than under an exponential loss.

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
    >>> from costboost.algorithms import LogitBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = LogitBoostClassifier(n_estimators=20).fit(X, y)
    >>> print(f"{clf.score(X, y):.3f}")
    0.996
    """

    advice: ClassVar[str] = (
        "Take it for probabilities when all mistakes cost the same; take `CostBoostClassifier`, "
        "which is LogitBoost calibrated, otherwise."
    )

    rule: ClassVar[Rule] = newton.LOGITBOOST
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Friedman, Hastie & Tibshirani (2000), Annals of Statistics 28(2)"


@classifier
class CSLBClassifier(BoostingClassifier):
    """Cost-sensitive LogitBoost by Nyga: the log-odds move towards the costs round by round.

    It is LogitBoost with other probabilities in round m of M::

        p = 1 / (1 + k^m exp(-2F)),  k = (C+ / C-)^(1/M)

    After all rounds the sign of F is the decision of least expected cost.

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
    >>> from costboost.algorithms import CSLBClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = CSLBClassifier(n_estimators=20, fn_cost=5, fp_cost=1, pos_label=0).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[212, 0], [6, 351]]
    """

    advice: ClassVar[str] = (
        "Take it when costs and the number of rounds are fixed before training and rows are noisy."
    )

    rule: ClassVar[Rule] = newton.CSLB
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = True
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Nyga (2010), Master's thesis, TU Muenchen"


@classifier
class CSLogitBoostClassifier(BoostingClassifier):
    """Cost-sensitive LogitBoost by Masnadi-Shirazi and Vasconcelos: Newton on a tilted likelihood.

    With gamma = (C+ + C-) / 2 and eta = 1/2 log(C- / C+)::

        p = 1 / (1 + exp(-2 (gamma F + eta))),  w = p (1 - p),  z = (y* - p) / w
        F <- F + g / (2 gamma),  g: weighted least squares of z

    A step that raises the loss is halved until it lowers it. The weak learner of the paper is a
    line in one feature (``estimator="linear"``, the default here), which makes the whole model
    linear and takes neither missing values nor categories; ``estimator="stump"`` and ``"tree"``
    take both. If no weak learner lowers the loss, as on classes that no line separates, training
    stops early.

    {advice}

    Parameters
    ----------
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
    >>> from costboost.algorithms import CSLogitBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = CSLogitBoostClassifier(n_estimators=20, fn_cost=5, fp_cost=1, pos_label=0).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[208, 4], [17, 340]]
    """

    advice: ClassVar[str] = (
        "Take it when costs are known before training and an interpretable linear model is enough."
    )

    rule: ClassVar[Rule] = newton.CSLOGITBOOST
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = True
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Masnadi-Shirazi & Vasconcelos (2011), IEEE TPAMI 33(2)"

    weighting: str = parameter(
        "newton",
        OneOf("newton", "margin"),
        """Weights of the regression: those of Newton's method, or the paper's ``p (1 - p)`` with
        ``p = 1 / (1 + exp(-2F))``, under which a weak learner can point uphill: training then ends
        before the loss is at its minimum, sooner at high cost ratios.""",
    )

    def _rule(self) -> Rule:
        return newton.CSLOGITBOOST if self.weighting == "newton" else newton.CSLOGITBOOST_MARGIN


@classifier
class CSBoostClassifier(BoostingClassifier):
    """CSBoost: gradient boosting of the expected cost itself, with costs of every row.

    With p = 1 / (1 + exp(-F)), the average expected cost of the four outcomes is minimised::

        sum of  p tp_cost + (1 - p) fn_cost   over positives
              + p fp_cost + (1 - p) tn_cost   over negatives

    which depends on the net cost d of a mistake alone (fn_cost - tp_cost of a positive, fp_cost -
    tn_cost of a negative): a constant plus the sum of d / (1 + exp(y F)). Each round::

        w = d p (1 - p),  z = y,  F <- F + g,  g: weighted least squares of z

    so that a leaf has the mean label under w. The loss is concave where F is wrong: d p (1 - p),
    never below the size of its second derivative, takes the place of that, where the authors'
    program takes the size itself, which is 0 at F = 0. The step is halved until the loss does not
    rise.

    The minimum over p is at 0 or 1: p is a decision and not a probability. Rows for which one
    prediction is best whichever their class is are not trained on.

    {advice}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Hoeppner, S., Baesens, B., Verbeke, W. & Verdonck, T. (2022). Instance-dependent cost-sensitive
    learning for detecting transfer fraud. European Journal of Operational Research 297(1), 291-300.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.metrics import confusion_matrix
    >>> from costboost.algorithms import CSBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> fn_cost = 1 + X[:, 3] / 100  # of each row
    >>> clf = CSBoostClassifier(n_estimators=20, pos_label=0)
    >>> clf = clf.fit(X, y, fn_cost=fn_cost, fp_cost=1, tp_cost=0.5)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[204, 8], [49, 308]]
    """

    advice: ClassVar[str] = (
        "Take it as a peer of the literature where every row has costs; `CostBoostClassifier` "
        "estimates probabilities and can be given other costs after training."
    )

    rule: ClassVar[Rule] = newton.CSBOOST
    fgd_consistent: ClassVar[bool] = False
    cost_consistent: ClassVar[bool] = True
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = (
        "Hoeppner, Baesens, Verbeke & Verdonck (2022), European Journal of Operational Research 297"
    )


# ---- a score for each class ----------------------------------------------------------------------


@classifier
class MultinomialLogitBoostClassifier(BoostingClassifier):
    """LogitBoost for several classes: Newton steps on the multinomial loss, a tree for each class.

    Each of K classes has a score. Each round fits the working response of every class by weighted
    least squares, all at the same scores, and adds the fits::

        p = softmax(F),  w_k = p_k (1 - p_k),  z_k = ([y = k] - p_k) / w_k
        F_k <- F_k + (K - 1) / K (g_k - mean over j of g_j),  g_k: weighted least squares of z_k

    The step is halved until the loss ``-log p_y`` does not rise; leaf values are clipped to
    [-4, 4]. With two classes it is LogitBoost, and ``F_1 = -F_0`` its score. Cost-blind.

    {advice}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Notes
    -----
    With more than two classes, ``n_iter_`` counts rounds; ``ensemble_`` has a tree for each class
    in every round, and its array ``column`` states which class a leaf belongs to. Scores of a row
    add up to 0. Weak learners are trees, stumps and lookup tables.

    Splits are those of Newton's method, as in LogitBoost; Friedman (2001) chooses them by the
    unweighted residuals. Costs of a ``cost_matrix`` are used for early stopping and, if
    ``calibration`` is given, for decisions: ``"log-odds"`` is then temperature scaling with an
    offset for each class, and other calibrators are applied to each class against the rest.

    References
    ----------
    Friedman, J., Hastie, T. & Tibshirani, R. (2000). Additive logistic regression: a statistical
    view of boosting. Annals of Statistics 28(2), 337-407 (Algorithm 6). Friedman, J. (2001). Greedy
    function approximation: a gradient boosting machine. Annals of Statistics 29(5), 1189-1232.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from costboost.algorithms import MultinomialLogitBoostClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> clf = MultinomialLogitBoostClassifier(n_estimators=5).fit(X[::2], y[::2])
    >>> print(f"{clf.score(X[1::2], y[1::2]):.3f}")
    0.955
    >>> clf.predict_proba(X[1::60]).round(2).tolist()
    [[0.99, 0.01, 0.0], [0.01, 0.25, 0.74], [0.39, 0.57, 0.04]]
    """

    advice: ClassVar[str] = (
        "Take it for the probabilities of several classes when all mistakes cost the same; take "
        "`CostBoostClassifier`, which averages and calibrates such ensembles, otherwise."
    )

    rule: ClassVar[Rule] = newton.LOGITBOOST_OF_TWO
    rule_of_several: ClassVar[SeveralRule | None] = multinomial.LOGITBOOST_SEVERAL
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Friedman, Hastie & Tibshirani (2000), Annals of Statistics 28(2)"


@classifier
class GLLBoostClassifier(BoostingClassifier):
    """Boosting of the generalised logistic loss: guess-averse, with a cost for each confusion.

    With C[y, k] the cost of predicting class k for a row of class y, the loss of a row is::

        L = log(1 + sum over k != y of C[y, k] exp(F_k - F_y))

    With q = softmax(F + log C[y]), where C[y, y] is taken as 1, each round fits for every class::

        w_k = q_k (1 - q_k),  z_k = ([y = k] - q_k) / w_k
        F_k <- F_k + (K - 1) / K (g_k - mean over j of g_j),  g_k: weighted least squares of z_k

    The step is halved until the loss does not rise. The decision is the class of greatest score. A
    loss is guess-averse if correct scores always have less loss than equal ones, as this one has.

    {advice}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Notes
    -----
    The unit of the costs matters: where costs are far below 1, as they are in a small unit, the
    loss is nearly that of `GELBoostClassifier`. The decision is not that of least expected cost: a
    class whose mistakes cost c is weighted by c / (1 + c) rather than c with two classes.
    ``predict_proba`` takes the costs out: the probabilities P are those under which the expected
    loss is least at the scores, the stationary distribution P Q = P where row y of Q is
    ``softmax(F + log C[y])``. With ``calibration`` probabilities and costs decide.

    With two classes the score is F = F_1 = -F_0, and costs of individual rows are taken.

    References
    ----------
    Beijbom, O., Saberian, M., Kriegman, D. & Vasconcelos, N. (2014). Guess-averse loss functions
    for cost-sensitive multiclass boosting. ICML, PMLR 32(2), 586-594.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.metrics import confusion_matrix
    >>> from costboost.algorithms import GLLBoostClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> costs = np.array([[0, 1, 1], [9, 0, 9], [1, 1, 0]])
    >>> clf = GLLBoostClassifier(n_estimators=3, cost_matrix=costs).fit(X[::2], y[::2])
    >>> confusion_matrix(y[1::2], clf.predict(X[1::2])).tolist()
    [[27, 2, 0], [1, 34, 1], [0, 0, 24]]
    """

    advice: ClassVar[str] = (
        "Take it to reproduce the literature on guess-averse losses, or for scores trained for "
        "the costs of particular confusions; `CostBoostClassifier` decides by least cost."
    )

    rule: ClassVar[Rule] = newton.GLLBOOST
    rule_of_several: ClassVar[SeveralRule | None] = multinomial.GLLBOOST_SEVERAL
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Beijbom et al. (2014), ICML"


@classifier
class GELBoostClassifier(BoostingClassifier):
    """Boosting of the generalised exponential loss: guess-averse, with a cost for each confusion.

    With C[y, k] the cost of predicting class k for a row of class y, the loss of a row is::

        L = sum over k != y of e_k,  e_k = C[y, k] exp(F_k - F_y)

    Each round fits a regression for every class, with the derivatives of the loss::

        w_k = e_k, z_k = -1 for k != y;   w_y = L, z_y = 1
        F_k <- F_k + (K - 1) / K (g_k - mean over j of g_j),  g_k: weighted least squares of z_k

    The step is halved until the loss does not rise. The decision is the class of greatest score.
    With two classes it is GentleBoost that starts from the costs, which decides by least expected
    cost; a common factor of all costs changes nothing.

    {advice}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Notes
    -----
    With more than two classes the decision need not be that of least expected cost.
    ``predict_proba`` takes the costs out: P balances the flows ``P_y C[y, k] exp(F_k - F_y)``
    between the classes, under which the expected loss is least at the scores. With ``calibration``
    probabilities and costs decide. As under every exponential loss, rows that are mislabelled get
    large weights.

    References
    ----------
    Beijbom, O., Saberian, M., Kriegman, D. & Vasconcelos, N. (2014). Guess-averse loss functions
    for cost-sensitive multiclass boosting. ICML, PMLR 32(2), 586-594.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.metrics import confusion_matrix
    >>> from costboost.algorithms import GELBoostClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> costs = np.array([[0, 1, 1], [9, 0, 9], [1, 1, 0]])
    >>> clf = GELBoostClassifier(n_estimators=3, cost_matrix=costs).fit(X[::2], y[::2])
    >>> confusion_matrix(y[1::2], clf.predict(X[1::2])).tolist()
    [[24, 5, 0], [1, 35, 0], [0, 3, 21]]
    """

    advice: ClassVar[str] = (
        "Take it to reproduce the literature on guess-averse losses, on data without mislabelled "
        "rows; `CostBoostClassifier` decides by least cost."
    )

    rule: ClassVar[Rule] = real.GELBOOST
    rule_of_several: ClassVar[SeveralRule | None] = multinomial.GELBOOST_SEVERAL
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = True
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Beijbom et al. (2014), ICML"
