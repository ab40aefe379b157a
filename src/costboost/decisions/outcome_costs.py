"""Costs of the four outcomes of a decision about two classes, known or estimated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from costboost._core.backends.dask.collections import refuse_collections
from costboost._core.checks import check_finite, check_numbers, refuse_no_number, refuse_unread
from costboost._core.docstrings import sharing
from costboost._core.model.log_odds import threshold_log_odds
from costboost._core.model.threshold import signed
from costboost._core.names import COST_NAMES
from costboost._core.rules.record import NetCosts
from costboost.classifiers.checks import (
    GivenCosts,
    check_two_classes,
    check_weights,
    clip_cost,
    top_share,
)
from costboost.decisions.wrapping import (
    SHARED,
    CostPredictions,
    check_estimator,
    positive_label,
    positive_score,
    take,
)
from costboost.metrics import mean_cost, total_cost
from costboost.metrics.checks import Floats

# ---- costs that are known ------------------------------------------------------------------------


class OutcomeCosts(Mapping[str, Any]):
    r"""Costs of true and false positives and negatives, for all rows or one for each row.

    A mapping with the names that classifiers and measures take, so that it can be passed on as
    ``clf.fit(X, y, **costs)``, ``clf.predict(X, **costs)`` and ``mean_cost(y, y_pred, **costs)``. A
    gain is a negative cost. A row is predicted positive where that has the lower expected cost,

    .. math:: p\,(C_{FN} - C_{TP}) > (1 - p)\,(C_{FP} - C_{TN}),

    with p the probability of the positive class.

    The class methods make the costs of usual cases: `fraud`, `credit`, `churn`, `maintenance`,
    `direct_mail` and `triage`.

    Parameters
    ----------
    fn_cost, fp_cost : number or array of shape (n_rows,), default=1.0
        Cost of a false negative (a positive row predicted negative) and of a false positive.
    tp_cost, tn_cost : number or array of shape (n_rows,), default=0.0
        Cost of a true positive and of a true negative.

        NaN in an array is a cost that was not observed. Classifiers refuse it;
        `EstimatedCostClassifier` estimates it.

    Attributes
    ----------
    fn_cost, fp_cost, tp_cost, tn_cost : float or array of shape (n_rows,)
        The costs.

    References
    ----------
    Elkan, C. (2001). The foundations of cost-sensitive learning. IJCAI 2001, 973-978.

    Examples
    --------
    >>> from costboost import OutcomeCosts
    >>> costs = OutcomeCosts.fraud(amount=[20.0, 500.0, 3.0], review_cost=4.0)
    >>> costs.total([0, 1, 1], [0, 1, 0])  # a review of the second, the amount of the third
    7.0
    >>> costs.net.fn_cost
    array([ 16., 496.,  -1.])
    >>> costs.rows([1]).to_frame()
       fn_cost  fp_cost  tp_cost  tn_cost
    0    500.0      4.0      4.0      0.0
    """

    fn_cost: Any
    fp_cost: Any
    tp_cost: Any
    tn_cost: Any

    def __init__(
        self,
        *,
        fn_cost: Any = 1.0,
        fp_cost: Any = 1.0,
        tp_cost: Any = 0.0,
        tn_cost: Any = 0.0,
    ) -> None:
        given = dict(zip(COST_NAMES, (fn_cost, fp_cost, tp_cost, tn_cost), strict=True))
        sizes = {name: np.size(cost) for name, cost in given.items() if np.ndim(cost)}
        self._n_rows = next(iter(sizes.values()), None)
        for name, size in sizes.items():
            if size != self._n_rows:
                first = next(iter(sizes))
                raise ValueError(
                    f"costs must have as many rows, but {first} has {self._n_rows} and {name} "
                    f"{size}"
                )
        for name, cost in given.items():
            setattr(self, name, check_cell(name, cost))

    # ---- usual cases -----------------------------------------------------------------------------

    @classmethod
    def fraud(cls, amount: Any, review_cost: Any, *, recovered: float = 1.0) -> Self:
        r"""Costs of reviewing payments; positive is a fraud, predicted positive is reviewed.

        .. math:: C_{FN} = A_i, \quad C_{TP} = c + (1 - r) A_i, \quad C_{FP} = c, \quad C_{TN} = 0

        Parameters
        ----------
        amount : number or array of shape (n_rows,)
            Amount A that a fraud which is let through loses.
        review_cost : number or array of shape (n_rows,)
            Cost c of a review.
        recovered : float, default=1.0
            Share r of the amount that the review of a fraud saves.

        References
        ----------
        Bahnsen, A. C., Stojanovic, A., Aouada, D. & Ottersten, B. (2013). Cost sensitive credit
        card fraud detection using Bayes minimum risk. ICMLA 2013, 333-338.
        """
        lost, cost = _amounts(amount=amount, review_cost=review_cost)
        share = _rate("recovered", recovered)
        left = (1 - share) * lost if share < 1 else 0.0
        return cls(fn_cost=lost, tp_cost=cost + left, fp_cost=cost)

    @classmethod
    def credit(
        cls,
        exposure: Any,
        *,
        margin: Any,
        loss_given_default: Any = 0.75,
        default_rate: float | None = None,
    ) -> Self:
        r"""Costs of granting loans; positive is a default, predicted positive is rejected.

        .. math::

            C_{FN} = L E_i, \quad C_{FP} = \max(0,\ m E_i + C^a), \quad C_{TP} = C_{TN} = 0,

            C^a = \pi L \bar E - (1 - \pi)\, m \bar E

        where the money of a rejected loan goes to an average borrower, who defaults with
        probability :math:`\pi`. Without ``default_rate`` it is not lent: :math:`C^a = 0`.

        `costboost.datasets.lending_costs` computes the profit from interest rates and terms.

        Parameters
        ----------
        exposure : number or array of shape (n_rows,)
            Amount E that is lent.
        margin : number or array of shape (n_rows,)
            Profit m on a loan that is repaid, as a share of the exposure.
        loss_given_default : number or array of shape (n_rows,), default=0.75
            Share L of the exposure that a default loses.
        default_rate : float, optional
            Share of the borrowers who default.

        References
        ----------
        Bahnsen, A. C., Aouada, D. & Ottersten, B. (2014). Example-dependent cost-sensitive logistic
        regression for credit scoring. ICMLA 2014, 263-269.
        """
        lent, share, loss = _amounts(
            exposure=exposure, margin=margin, loss_given_default=loss_given_default
        )
        lost, profit = loss * lent, share * lent
        alternative: Any = 0.0
        if default_rate is not None:
            rate = _rate("default_rate", default_rate)
            alternative = rate * np.mean(lost) - (1 - rate) * np.mean(profit)
        return cls(fn_cost=lost, fp_cost=np.maximum(0.0, profit + alternative))

    @classmethod
    def churn(
        cls,
        lifetime_value: Any,
        *,
        incentive: Any,
        contact_cost: Any,
        acceptance_rate: float = 0.3,
    ) -> Self:
        r"""Costs of a retention campaign; positive is a churner, predicted positive is contacted.

        .. math::

            C_{TP} = f - \gamma (V_i - d), \quad C_{FP} = d + f, \quad C_{FN} = C_{TN} = 0

        A churner who is contacted stays with probability :math:`\gamma` and takes the incentive d
        then; a customer who would have stayed takes it in any case. Minus the total is the profit
        of the campaign.

        Parameters
        ----------
        lifetime_value : number or array of shape (n_rows,)
            Value V of a customer who stays.
        incentive : number or array of shape (n_rows,)
            Cost d of the offer.
        contact_cost : number or array of shape (n_rows,)
            Cost f of contacting a customer.
        acceptance_rate : float, default=0.3
            Share :math:`\gamma` of the churners who accept the offer and stay.

        References
        ----------
        Verbraken, T., Verbeke, W. & Baesens, B. (2013). A novel profit maximizing metric for
        measuring classification performance of customer churn prediction models. IEEE Transactions
        on Knowledge and Data Engineering 25(5), 961-973.
        """
        value, offer, contact = _amounts(
            lifetime_value=lifetime_value, incentive=incentive, contact_cost=contact_cost
        )
        rate = _rate("acceptance_rate", acceptance_rate)
        return cls(tp_cost=contact - rate * (value - offer), fp_cost=offer + contact, fn_cost=0.0)

    @classmethod
    def maintenance(
        cls, failure_cost: Any, inspection_cost: Any, *, repair_cost: Any = 0.0
    ) -> Self:
        r"""Costs of inspecting machines; positive fails otherwise, predicted positive is inspected.

        .. math:: C_{FN} = F_i, \quad C_{TP} = c + R, \quad C_{FP} = c, \quad C_{TN} = 0

        Parameters
        ----------
        failure_cost : number or array of shape (n_rows,)
            Cost F of a failure: repair, downtime and damage.
        inspection_cost : number or array of shape (n_rows,)
            Cost c of an inspection.
        repair_cost : number or array of shape (n_rows,), default=0.0
            Cost R of the planned repair that prevents the failure.

        References
        ----------
        Elkan, C. (2001). The foundations of cost-sensitive learning. IJCAI 2001, 973-978, on costs
        against a common baseline.
        """
        failure, inspection, repair = _amounts(
            failure_cost=failure_cost, inspection_cost=inspection_cost, repair_cost=repair_cost
        )
        return cls(fn_cost=failure, tp_cost=inspection + repair, fp_cost=inspection)

    @classmethod
    def direct_mail(cls, donation: Any, mailing_cost: Any = 0.68) -> Self:
        r"""Costs of a mailing; positive donates if asked, predicted positive gets a letter.

        .. math:: C_{TP} = c - D_i, \quad C_{FP} = c, \quad C_{FN} = C_{TN} = 0

        Minus the total is the profit of the mailing. The donation of a person who has not donated
        is not known, NaN: `EstimatedCostClassifier` estimates it.

        Parameters
        ----------
        donation : number or array of shape (n_rows,)
            Donation D, or what an order earns.
        mailing_cost : number or array of shape (n_rows,), default=0.68
            Cost c of a letter; the default is that of the KDD Cup 1998, in USD.

        References
        ----------
        Zadrozny, B. & Elkan, C. (2001). Learning and making decisions when costs and probabilities
        are both unknown. KDD 2001, 204-213.
        """
        gift, cost = _amounts(donation=donation, mailing_cost=mailing_cost)
        return cls(tp_cost=cost - gift, fp_cost=cost, fn_cost=0.0)

    @classmethod
    def triage(cls, benefit: Any, harm: Any) -> Self:
        r"""Costs of treating patients; positive is ill, predicted positive is treated.

        .. math:: C_{TP} = -B_i, \quad C_{FP} = H_i, \quad C_{FN} = C_{TN} = 0

        A patient is treated where the probability of the disease is above H / (H + B).

        Parameters
        ----------
        benefit : number or array of shape (n_rows,)
            Benefit B of the treatment, net of its costs and risks, for a patient who is ill.
        harm : number or array of shape (n_rows,)
            Costs and risks H of the treatment for a patient who is not.

        References
        ----------
        Pauker, S. G. & Kassirer, J. P. (1980). The threshold approach to clinical decision making.
        New England Journal of Medicine 302(20), 1109-1117.
        """
        gain, loss = _amounts(benefit=benefit, harm=harm)
        return cls(tp_cost=-gain, fp_cost=loss, fn_cost=0.0)

    # ---- a mapping -------------------------------------------------------------------------------

    def __getitem__(self, name: str) -> Any:
        if name not in COST_NAMES:
            raise KeyError(name)
        return getattr(self, name)

    def __iter__(self) -> Iterator[str]:
        return iter(COST_NAMES)

    def __len__(self) -> int:
        return len(COST_NAMES)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OutcomeCosts):
            return NotImplemented
        return all(np.array_equal(self[name], other[name], equal_nan=True) for name in COST_NAMES)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        parts = [f"{name}={_shown(cost)}" for name, cost in self.items()]
        return f"{type(self).__name__}({', '.join(parts)})"

    # ---- rows ------------------------------------------------------------------------------------

    @property
    def n_rows(self) -> int | None:
        """Number of rows; None if all costs are numbers."""
        return self._n_rows

    def rows(self, index: Any) -> Self:
        """Costs of some rows.

        Parameters
        ----------
        index : slice, mask or array of row numbers
            What an array of the rows would be indexed by. Numbers stay as they are.
        """
        index = index if isinstance(index, slice) else np.atleast_1d(np.asarray(index))
        if isinstance(index, np.ndarray) and index.size == 0:
            index = index.astype(np.intp)
        return type(self)(**{k: c[index] if np.ndim(c) else c for k, c in self.items()})

    def to_frame(self) -> Any:
        """The costs as a pandas data frame: a row for each row, or one if costs are numbers."""
        import pandas as pd

        n_rows = 1 if self._n_rows is None else self._n_rows
        return pd.DataFrame({name: np.broadcast_to(cost, n_rows) for name, cost in self.items()})

    def table(self) -> Floats:
        """Mean costs as an array of shape (2, 2): truth by prediction, negative first."""
        fn, fp, tp, tn = (float(np.mean(cost)) for cost in self.values())
        return np.array([[tn, fp], [fn, tp]])

    # ---- what follows from them ------------------------------------------------------------------

    @property
    def net(self) -> OutcomeCosts:
        """Costs of mistakes beyond those of right predictions, which cost 0.

        Decisions are the same under them; the money is not.
        """
        fn, fp = self.fn_cost - self.tp_cost, self.fp_cost - self.tn_cost
        return OutcomeCosts(fn_cost=fn, fp_cost=fp)

    @property
    def dominated(self) -> Any:
        """Whether one prediction costs no more than the other whichever class is true."""
        net = self.net
        return np.less_equal(net.fn_cost, 0) | np.less_equal(net.fp_cost, 0)

    def swapped(self) -> Self:
        """The costs if the other class is the positive one."""
        right = {"tp_cost": self.tn_cost, "tn_cost": self.tp_cost}
        return type(self)(fn_cost=self.fp_cost, fp_cost=self.fn_cost, **right)

    def total(
        self, y: Any, predicted: Any, *, pos_label: Any = None, sample_weight: Any = None
    ) -> float:
        """Total cost of predictions; minus it is the profit.

        Parameters
        ----------
        y, predicted : array of shape (n_rows,)
            True and predicted labels of two classes.
        pos_label : label, optional
            The positive class. Default: the greater one.
        sample_weight : array of shape (n_rows,), optional
            How often each row counts.
        """
        return total_cost(y, predicted, pos_label=pos_label, sample_weight=sample_weight, **self)

    def mean(
        self, y: Any, predicted: Any, *, pos_label: Any = None, sample_weight: Any = None
    ) -> float:
        """Mean cost of predictions, with the parameters of `total`."""
        return mean_cost(y, predicted, pos_label=pos_label, sample_weight=sample_weight, **self)

    def clip(self, quantile: float) -> Self:
        """The costs with outlying net costs lowered to a quantile of the rows.

        Each net cost that differs from row to row is lowered to its quantile over all rows, by
        lowering ``fn_cost`` or ``fp_cost``. `top_share` shows whether it is needed, and comparing
        with the result how many rows it changes.

        Parameters
        ----------
        quantile : float
            Above 0 and at most 1, such as 0.99.
        """
        fn = self.tp_cost + clip_cost(self.fn_cost - self.tp_cost, quantile)
        fp = self.tn_cost + clip_cost(self.fp_cost - self.tn_cost, quantile)
        return type(self)(fn_cost=fn, fp_cost=fp, tp_cost=self.tp_cost, tn_cost=self.tn_cost)

    @property
    def top_share(self) -> float:
        """Share of the total cost that the costliest 1% of the rows have.

        The cost of a row is the greater one of its two net costs, 0 if both are below. NaN if costs
        are numbers.
        """
        if self._n_rows is None:
            return float("nan")
        net = self.net
        return top_share(np.maximum(np.maximum(net.fn_cost, net.fp_cost), 0.0))


def _amounts(**amounts: Any) -> list[Any]:
    """Amounts of money that are not negative, as numbers or arrays of one dimension."""
    found: list[Any] = []
    for name, value in amounts.items():
        amount = check_cell(name, value)
        if np.any(np.asarray(amount) < 0):
            first = int(np.argmax(np.asarray(amount) < 0))
            where = f" in row {first}" if np.ndim(amount) else ""
            raise ValueError(
                f"{name} must not be negative, got {np.atleast_1d(amount)[first]:g}{where}"
            )
        found.append(amount)
    return found


def check_cell(name: str, value: Any) -> Any:
    """A finite number, or one for each row, NaN where it is not known."""
    refuse_no_number(name, value)
    cost = check_numbers(name, value)
    if cost.ndim > 1:
        raise ValueError(
            f"{name} must be a number or one for each row, got an array of shape {cost.shape}"
        )
    bad = np.isinf(cost) | (np.isnan(cost) if cost.ndim == 0 else False)
    if np.any(bad):
        raise ValueError(f"{name} must be finite, got {cost.flat[int(np.argmax(bad))]:g}")
    if cost.ndim == 0:
        return float(cost)
    cost.flags.writeable = False
    return cost


def _rate(name: str, value: Any) -> float:
    rate = check_finite(name, value)
    if rate.ndim or not 0 <= rate <= 1:
        raise ValueError(f"{name} must be a number from 0 to 1, got {value!r}")
    return float(rate)


def _shown(cost: Any) -> str:
    """A number, or the range of an array."""
    if not np.ndim(cost):
        return f"{cost:g}"
    values: NDArray[np.float64] = np.asarray(cost)
    known = values[~np.isnan(values)]
    if not known.size:
        return f"<{values.size} rows>"
    return f"<{values.size} rows, {known.min():g} to {known.max():g}>"


# ---- costs that are not known yet, estimated from the features -----------------------------------


@sharing(SHARED)
@dataclass(eq=False, repr=False)
class EstimatedCostClassifier(CostPredictions, ClassifierMixin, BaseEstimator):
    r"""Classifier that decides by estimates of costs which are not known when it decides.

    What a donor will give, or a defaulted loan will lose, is known only for past rows, and often
    only for those of one outcome. A regressor is trained on the rows where the cost was observed,
    and decides with the probabilities of a classifier:

    .. math::

        \hat p(x)\,(\hat C_{FN}(x) - \hat C_{TP}(x)) >
        (1 - \hat p(x))\,(\hat C_{FP}(x) - \hat C_{TN}(x))

    Each cost that `fit` is given as an array is estimated in `predict`, unless `predict` is given
    it. NaN in the array is a cost that was not observed; in training it is replaced by its
    estimate. Costs that are numbers are known.

    Use it if costs depend on the row and are learnt later than the decision. If they are known, as
    the amount of a payment is, pass them to `predict` instead.

    Parameters
    ----------
    estimator : classifier
        Any scikit-learn classifier for two classes with probabilities, also a pipeline.
    cost_estimator : regressor
        Any scikit-learn regressor, also a pipeline. A copy of it is trained for each cost that
        differs from row to row.
    fn_cost, fp_cost : float, default=1.0
        Cost of a false negative and of a false positive; `fit` takes arrays, with NaN where a cost
        was not observed.
    tp_cost, tn_cost : float, default=0.0
        Cost of a true positive and of a true negative; a gain is a negative cost.
    {pos_label}

    Attributes
    ----------
    estimator_ : classifier
        The fitted classifier.
    cost_estimators_ : dict
        Fitted regressors by the name of the cost, such as "tp_cost".
    known_costs_ : dict
        Costs that are the same for all rows, by name.
    {two_classes}
    {features}

    Notes
    -----
    The regressor learns from rows whose cost was observed, and is applied to all. If those rows
    differ from the others in ways that the features do not show, the estimates are biased:
    whoever donates often may give less. Zadrozny and Elkan reduce this bias by giving the
    probability of the positive class to the regressor as a further feature.

    References
    ----------
    Zadrozny, B. & Elkan, C. (2001). Learning and making decisions when costs and probabilities are
    both unknown. KDD 2001, 204-213.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression, LogisticRegression
    >>> from costboost import EstimatedCostClassifier, OutcomeCosts
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 2))
    >>> y = (rng.random(1000) < 0.1).astype(int)
    >>> gift = np.where(y == 1, 10 + 5 * X[:, 0], np.nan)  # of the donors only
    >>> costs = OutcomeCosts.direct_mail(np.maximum(gift, 0), mailing_cost=1)
    >>> clf = EstimatedCostClassifier(LogisticRegression(), LinearRegression()).fit(X, y, **costs)
    >>> clf.predict([[2.0, 0.0], [-1.0, 0.0]])  # gifts of about 20 and 5
    array([1, 0])
    """

    _inner: ClassVar[str] = "estimator_"

    estimator: Any
    cost_estimator: Any
    _: KW_ONLY
    fn_cost: float = 1.0
    fp_cost: float = 1.0
    tp_cost: float = 0.0
    tn_cost: float = 0.0
    pos_label: Any = None

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        fn_cost: Any = None,
        fp_cost: Any = None,
        tp_cost: Any = None,
        tn_cost: Any = None,
    ) -> Self:
        """Train the classifier, and a regressor for each cost that is an array.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            Whatever classifier and regressor take.
        y : array of shape (n_samples,)
            Two classes, any labels.
        sample_weight : array of shape (n_samples,), optional
            How often each row counts, in both.
        fn_cost, fp_cost, tp_cost, tn_cost : number or array of shape (n_samples,), optional
            Costs instead of those of the constructor; NaN where a cost was not observed.

        Returns
        -------
        self
        """
        check_estimator(self.estimator)
        if isinstance(self.cost_estimator, type) or not hasattr(self.cost_estimator, "predict"):
            raise ValueError(
                f"cost_estimator must be a scikit-learn regressor, got {self.cost_estimator!r}"
            )
        if not hasattr(self.estimator, "predict_proba"):
            raise ValueError(
                f"{type(self.estimator).__name__} has no predict_proba; expected costs need "
                "probabilities, such as those of CalibratedClassifierCV around it"
            )
        given = GivenCosts(fn_cost, fp_cost, tp_cost, tn_cost)
        refuse_collections(type(self).__name__, X, y, sample_weight, *given)
        refuse_unread("X", X)
        stated = positive_label(self.estimator, self.pos_label)
        classes, _ = check_two_classes(y, stated)
        usual = GivenCosts(self.fn_cost, self.fp_cost, self.tp_cost, self.tn_cost)
        costs = OutcomeCosts(**given.or_else(usual)._asdict())
        if costs.n_rows is None:
            raise ValueError(
                "all costs are numbers, so that there is nothing to estimate; give fit the costs "
                "of the rows, NaN where they were not observed, or take the estimator itself"
            )
        if costs.n_rows != len(np.asarray(y)):
            raise ValueError(f"costs have {costs.n_rows} rows, but y has {len(np.asarray(y))}")
        weights = {}
        if sample_weight is not None:
            check_weights(sample_weight, costs.n_rows)
            weight = np.asarray(sample_weight, dtype=float)
            weights = {"sample_weight": np.array(np.broadcast_to(weight, costs.n_rows))}
        known = {name: cost for name, cost in costs.items() if not np.ndim(cost)}
        regressors = {
            name: self._regressor(name, costs[name], X, weights)
            for name in COST_NAMES
            if name not in known
        }
        filled = dict(known)
        for name, regressor in regressors.items():
            observed = ~np.isnan(costs[name])
            filled[name] = np.where(observed, costs[name], _estimate(name, regressor, X))
        fitted = clone(self.estimator)
        if stated is not None and "pos_label" in fitted.get_params():
            fitted.set_params(pos_label=stated)
        takes_costs = has_fit_parameter(fitted, "tp_cost")
        fitted.fit(X, y, **weights, **(filled if takes_costs else {}))
        self.estimator_, self.classes_ = fitted, classes
        self.cost_estimators_, self.known_costs_ = regressors, known
        self._label = classes[1] if stated is None else classes[classes == stated][0]
        self._remember_features()
        return self

    def _regressor(self, name: str, cost: Floats, X: Any, weights: dict[str, Any]) -> Any:
        """A regressor fitted to the rows whose cost was observed."""
        rows = np.flatnonzero(~np.isnan(cost))
        if not rows.size:
            raise ValueError(f"{name} is NaN in every row: there is no cost to learn from")
        regressor, own = clone(self.cost_estimator), {}
        if weights and has_fit_parameter(regressor, "sample_weight"):
            own = {"sample_weight": weights["sample_weight"][rows]}
        return regressor.fit(take(X, rows), cost[rows], **own)

    def estimate_costs(
        self,
        X: Any,
        fn_cost: Any = None,
        fp_cost: Any = None,
        tp_cost: Any = None,
        tn_cost: Any = None,
    ) -> OutcomeCosts:
        """Costs of each row: the given ones, the estimates, and those that are the same for all."""
        check_is_fitted(self, self._inner)
        given = GivenCosts(fn_cost, fp_cost, tp_cost, tn_cost).named
        costs = self.known_costs_ | given
        for name, regressor in self.cost_estimators_.items():
            if name not in given:
                costs[name] = _estimate(name, regressor, X)
        return OutcomeCosts(**costs)

    @property
    def decides_by_cost(self) -> bool:
        """Always True: `predict` takes the costs that are known."""
        return True

    def _has_unequal_costs(self) -> bool:
        return True  # each row has costs of its own

    def _can_score(self) -> bool:
        """Always True: scores are expected savings."""
        return True

    def _scores(self, X: Any, given: GivenCosts) -> NDArray[Any]:
        """Expected saving of predicting the second class instead of the first one."""
        beyond = self._beyond(X, given)
        if self.classes_[1] == self._label:
            return beyond
        return signed(-beyond, beyond <= 0)

    def _limits(self, X: Any, given: GivenCosts) -> Any:
        net = self.estimate_costs(X, **given.named).net
        return threshold_log_odds(NetCosts(net.fn_cost, net.fp_cost).threshold)

    def _beyond(self, X: Any, given: GivenCosts) -> Floats:
        """Expected saving of predicting each row positive."""
        model = self._fitted()
        costs = self.estimate_costs(X, **given.named)
        net = costs.net
        probability = positive_score(model, X, self._label)
        saved = probability * net.fn_cost - (1 - probability) * net.fp_cost
        return np.asarray(saved)


def _estimate(name: str, regressor: Any, X: Any) -> Floats:
    """Costs that a fitted regressor predicts; what it cannot read is a ValueError."""
    try:
        return np.asarray(regressor.predict(X), dtype=float)
    except (TypeError, OverflowError) as error:
        raise ValueError(
            f"{type(regressor).__name__}, which estimates {name}, cannot predict X, whose values "
            "have to be numbers that a float can hold"
        ) from error
