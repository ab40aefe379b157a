"""Boosting by Newton steps: LogitBoost and its cost-sensitive variants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from costboost import rules
from costboost.checks import check_choice
from costboost.classifiers.base import BoostingClassifier
from costboost.rules import Rule


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
