"""Classifier that decides by estimates of costs which are not known when it decides."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from costboost._core.backends.dask.collections import refuse_collections
from costboost._core.checks import refuse_unread
from costboost._core.costs import Costs, known_costs
from costboost._core.docstrings import sharing
from costboost._core.model.log_odds import threshold_log_odds
from costboost._core.model.threshold import signed
from costboost._core.names import COST_NAMES
from costboost.classifiers.checks import check_two_classes, check_weights, costs_of_fit
from costboost.decisions.wrapping import (
    SHARED,
    CostPredictions,
    check_estimator,
    positive_label,
    positive_score,
    take,
)
from costboost.metrics.checks import Floats


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
    costs : Costs, default=None
        All costs in one record, instead of the four.
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
    >>> from costboost import Costs, EstimatedCostClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 2))
    >>> y = (rng.random(1000) < 0.1).astype(int)
    >>> gift = np.where(y == 1, 10 + 5 * X[:, 0], np.nan)  # of the donors only
    >>> costs = Costs.direct_mail(np.maximum(gift, 0), mailing_cost=1)
    >>> clf = EstimatedCostClassifier(LogisticRegression(), LinearRegression())
    >>> clf = clf.fit(X, y, costs=costs)
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
    costs: Any = None
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
        costs: Any = None,
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
        costs : Costs, optional
            All costs in one record, instead of the four.

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
        given = costs_of_fit(self, known_costs(costs, fn_cost, fp_cost, tp_cost, tn_cost))
        refuse_collections(type(self).__name__, X, y, sample_weight, *given.values())
        refuse_unread("X", X)
        stated = positive_label(self.estimator, self.pos_label)
        classes, _ = check_two_classes(y, stated)
        usual = {name: getattr(self, name) for name in COST_NAMES}
        record = Costs.outcomes(**(usual | given))
        cells, n_rows = record.named, record.n_rows
        if n_rows is None:
            raise ValueError(
                "all costs are numbers, so that there is nothing to estimate; give fit the costs "
                "of the rows, NaN where they were not observed, or take the estimator itself"
            )
        if n_rows != len(np.asarray(y)):
            raise ValueError(f"costs have {n_rows} rows, but y has {len(np.asarray(y))}")
        weights = {}
        if sample_weight is not None:
            check_weights(sample_weight, n_rows)
            weight = np.asarray(sample_weight, dtype=float)
            weights = {"sample_weight": np.array(np.broadcast_to(weight, n_rows))}
        known = {name: cost for name, cost in cells.items() if not np.ndim(cost)}
        regressors = {
            name: self._regressor(name, cells[name], X, weights)
            for name in COST_NAMES
            if name not in known
        }
        filled = dict(known)
        for name, regressor in regressors.items():
            observed = ~np.isnan(cells[name])
            filled[name] = np.where(observed, cells[name], _estimate(name, regressor, X))
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
        costs: Any = None,
    ) -> Costs:
        """Costs of each row: the given ones, the estimates, and those that are the same for all."""
        check_is_fitted(self, self._inner)
        given = known_costs(costs, fn_cost, fp_cost, tp_cost, tn_cost)
        cells = self.known_costs_ | given
        for name, regressor in self.cost_estimators_.items():
            if name not in given:
                cells[name] = _estimate(name, regressor, X)
        return Costs.outcomes(**cells)

    @property
    def decides_by_cost(self) -> bool:
        """Always True: `predict` takes the costs that are known."""
        return True

    def _has_unequal_costs(self) -> bool:
        return True  # each row has costs of its own

    def _can_score(self) -> bool:
        """Always True: scores are expected savings."""
        return True

    def _scores(self, X: Any, given: dict[str, Any]) -> NDArray[Any]:
        """Expected saving of predicting the second class instead of the first one."""
        beyond = self._beyond(X, given)
        if self.classes_[1] == self._label:
            return beyond
        return signed(-beyond, beyond <= 0)

    def _limits(self, X: Any, given: dict[str, Any]) -> Any:
        return threshold_log_odds(self.estimate_costs(X, **given).net.threshold)

    def _beyond(self, X: Any, given: dict[str, Any]) -> Floats:
        """Expected saving of predicting each row positive."""
        model = self._fitted()
        net = self.estimate_costs(X, **given).net
        probability = positive_score(model, X, self._label)
        saved = probability * net.fn - (1 - probability) * net.fp
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
