"""Newton boosting of a score for each class: multinomial LogitBoost and guess-averse losses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from costboost import rules
from costboost.classifiers.base import BoostingClassifier
from costboost.rules import Rule, SeveralRule


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
