"""CSAda and AdaDB: the loss exp(-c y F) itself, minimised round by round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from costboost import rules
from costboost.classifiers.base import BoostingClassifier
from costboost.rules import Rule


@dataclass(kw_only=True, eq=False, repr=False)
class CSAdaClassifier(BoostingClassifier):
    """Cost-sensitive AdaBoost by Masnadi-Shirazi and Vasconcelos: costs inside the exponential.

    Each round lowers the loss ``sum s exp(-c y F(x))`` as far as one vote can. With T+, T- the
    weights of the two classes and b, d those of the positives and negatives that h gets wrong, the
    step is the root alpha > 0 of::

        2 C+ b cosh(C+ alpha) + 2 C- d cosh(C- alpha) = C+ T+ e^(-C+ alpha) + C- T- e^(-C- alpha)
        w <- w exp(-c alpha y h(x))

    The stump is chosen together with its step: each candidate is judged by the loss it reaches with
    a step of its own. Other weak learners are trained with the weights ``c w`` and then given their
    step. The sign of F is the decision of least expected cost.

    F is measured in 1 / cost: costs twice as large make it half as large, and decide alike. The
    loss on a dear row grows very steeply, so that a few hard ones can rule the ensemble at
    high cost ratios; in Nikolaou et al. (2016) `CGAdaClassifier` and calibrated
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

    The same loss as `CSAdaClassifier`, and the same model but for rounding. With x = e^(-alpha) and
    m the greater cost, the step is the only root in (0, 1) of::

        C+ (T+ - b) x^(m + C+) + C- (T- - d) x^(m + C-) = C+ b x^(m - C+) + C- d x^(m - C-)

    a true polynomial where costs are whole numbers, and solved in the same way where they are not.

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

    advice: ClassVar[str] = "Take it to reproduce the literature, `CSAdaClassifier` otherwise."

    rule: ClassVar[Rule] = rules.ADADB
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = True
    asymmetry_preserving: ClassVar[bool] = False
    reference: ClassVar[str] = "Landesa-Vazquez & Alba-Castro (2013), Neurocomputing 118"
