"""Boosting by Newton steps: LogitBoost and its variants, with one score or one for each class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from costboost import rules
from costboost.checks import check_choice
from costboost.classifiers.base import BoostingClassifier
from costboost.rules import Rule, SeveralRule


@dataclass(kw_only=True, eq=False, repr=False)
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
    >>> from costboost import LogitBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = LogitBoostClassifier(n_estimators=20).fit(X, y)
    >>> print(f"{clf.score(X, y):.3f}")
    0.996
    """

    advice: ClassVar[str] = (
        "Take it for probabilities when all mistakes cost the same; take `CostBoostClassifier`, "
        "which is LogitBoost calibrated, otherwise."
    )

    rule: ClassVar[Rule] = rules.LOGITBOOST
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Friedman, Hastie & Tibshirani (2000), Annals of Statistics 28(2)"


@dataclass(kw_only=True, eq=False, repr=False)
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
    >>> from costboost import CSLBClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = CSLBClassifier(n_estimators=20, fn_cost=5, fp_cost=1, pos_label=0).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[212, 0], [6, 351]]
    """

    advice: ClassVar[str] = (
        "Take it when costs and the number of rounds are fixed before training and rows are noisy."
    )

    rule: ClassVar[Rule] = rules.CSLB
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = True
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Nyga (2010), Master's thesis, TU Muenchen"


@dataclass(kw_only=True, eq=False, repr=False)
class CSLogitBoostClassifier(BoostingClassifier):
    """Cost-sensitive LogitBoost by Masnadi-Shirazi and Vasconcelos: Newton on a tilted likelihood.

    With gamma = (C+ + C-) / 2 and eta = 1/2 log(C- / C+)::

        p = 1 / (1 + exp(-2 (gamma F + eta))),  w = p (1 - p),  z = (y* - p) / w
        F <- F + g / (2 gamma),  g: weighted least squares of z

    The step is halved until the loss does not rise. The weak learner of the paper is a line in one
    feature (``estimator="linear"``, the default here), which makes the whole model linear and takes
    neither missing values nor categories; ``estimator="stump"`` and ``"tree"`` take both. If no
    weak learner lowers the loss, as on classes that no line separates, training stops early.

    {advice}

    Parameters
    ----------
    weighting : {"newton", "margin"}, default="newton"
        Weights of the regression: those of Newton's method, or the paper's ``p (1 - p)`` with
        ``p = 1 / (1 + exp(-2F))``, which can end early at high cost ratios.
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
    >>> from costboost import CSLogitBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = CSLogitBoostClassifier(n_estimators=20, fn_cost=5, fp_cost=1, pos_label=0).fit(X, y)
    >>> confusion_matrix(y, clf.predict(X)).tolist()
    [[208, 4], [17, 340]]
    """

    advice: ClassVar[str] = (
        "Take it when costs are known before training and an interpretable linear model is enough."
    )

    rule: ClassVar[Rule] = rules.CSLOGITBOOST
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = True
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Masnadi-Shirazi & Vasconcelos (2011), IEEE TPAMI 33(2)"

    weighting: str = "newton"

    def _rule(self) -> Rule:
        check_choice(self, "weighting", ("newton", "margin"))
        return rules.CSLOGITBOOST if self.weighting == "newton" else rules.CSLOGITBOOST_MARGIN


@dataclass(kw_only=True, eq=False, repr=False)
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
    >>> from costboost import CSBoostClassifier
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

    rule: ClassVar[Rule] = rules.CSBOOST
    fgd_consistent: ClassVar[bool] = False
    cost_consistent: ClassVar[bool] = True
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = (
        "Hoeppner, Baesens, Verbeke & Verdonck (2022), European Journal of Operational Research 297"
    )


# ---- a score for each class ----------------------------------------------------------------------


@dataclass(kw_only=True, eq=False, repr=False)
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
    >>> from costboost import MultinomialLogitBoostClassifier
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

    rule: ClassVar[Rule] = rules.LOGITBOOST_OF_TWO
    rule_of_several: ClassVar[SeveralRule | None] = rules.LOGITBOOST_SEVERAL
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Friedman, Hastie & Tibshirani (2000), Annals of Statistics 28(2)"


@dataclass(kw_only=True, eq=False, repr=False)
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
    >>> from costboost import GLLBoostClassifier
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

    rule: ClassVar[Rule] = rules.GLLBOOST
    rule_of_several: ClassVar[SeveralRule | None] = rules.GLLBOOST_SEVERAL
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Beijbom et al. (2014), ICML"


@dataclass(kw_only=True, eq=False, repr=False)
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
    >>> from costboost import GELBoostClassifier
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

    rule: ClassVar[Rule] = rules.GELBOOST
    rule_of_several: ClassVar[SeveralRule | None] = rules.GELBOOST_SEVERAL
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = True
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = "Beijbom et al. (2014), ICML"
