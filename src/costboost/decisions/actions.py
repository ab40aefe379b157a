"""Classifier that chooses the action of least expected cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import check_consistent_length
from sklearn.utils.metadata_routing import process_routing

from costboost._core.arrays import Codes
from costboost._core.backends.dask.blocks import is_collection
from costboost._core.backends.dask.collections import in_memory
from costboost._core.checks import check_weight, one_class_allowed, refuse_unread
from costboost._core.costs import Costs
from costboost._core.costs.actions import check_table
from costboost._core.costs.record import ACTIONS
from costboost._core.costs.reviews import check_reviewers
from costboost._core.docstrings import sharing
from costboost._core.model.prevalence import ESTIMATE, check_prevalence, reweighted_shares
from costboost._core.model.shares import estimated_shares
from costboost._core.parameters.parameter import OneOf
from costboost.classifiers.lazy import lazy
from costboost.decisions.capacity import (
    CapacityPrices,
    Plan,
    assign_codes,
    check_groups,
    check_prices,
    decide_by_prices,
    fit_prices,
    plan_rows,
)
from costboost.decisions.prevalence import rows_of_calibration, shares_without_model
from costboost.decisions.reports import (
    DecisionReport,
    Robustness,
    UncertainDecisions,
    make_report,
)
from costboost.decisions.wrapping import (
    SHARED,
    Delegating,
    check_estimator,
    given_prevalence,
    parameter_paths,
    positive_label,
    takes_prevalence,
)
from costboost.metrics.checks import Floats, check_known_labels, check_labels, distinct

FITTED = "fitted"
"""Value of ``prices`` for those of `ActionClassifier.fit_prices`."""


@sharing(SHARED)
@dataclass(eq=False, repr=False)
class ActionClassifier(Delegating, ClassifierMixin, BaseEstimator):
    r"""Chooses the action of least expected cost for each row, such as block, review or allow.

    .. math:: a(x) = \arg\min_a \sum_k P(k \mid x)\, C_{ka}(x)

    Classes k are what is true, actions a what can be done; there may be more actions than classes,
    or fewer. On a tie the first listed action is taken. To abstain is an action like any other.

    A review has errors of its own. With ``reviewer``, the cell of the review action is the cost of
    the review itself, and afterwards the row is treated as the reviewer states: it has the action
    that is cheapest if the stated class s is true. So a review costs

    .. math::

        C_{k,\text{review}} + \sum_s P(s \mid k)\, C_{k,\,a(s)}, \qquad
        a(s) = \arg\min_{a \ne \text{review}} C_{sa}

    where P(s | k) is the recall or the specificity for s = k. With two classes, a recall r and the
    actions block and allow, a review of a fraud costs
    review + r C[fraud, block] + (1 - r) C[fraud, allow].

    Use it if there are other actions than to predict one of the classes, if capacities are limited
    or if costs are uncertain. Otherwise ``predict`` of `CostBoostClassifier` with its costs is the
    same. Probabilities must be calibrated, as those of `CostBoostClassifier` are.

    Parameters
    ----------
    estimator : classifier
        Any scikit-learn classifier with ``predict_proba``, also a pipeline. A fitted one is not
        trained again if it is wrapped in scikit-learn's ``FrozenEstimator``.
    costs : Costs, pandas frame or dict of dicts
        What `Costs.by_action` makes, or a table for it: ``costs[truth][action]``, or a frame with a
        row for each class and a column for each action. A cell is a number, the name of a column of
        X, an array with one cost for each row of X, a range ``(low, high)``, whose ends may also be
        names or arrays, or a frozen distribution of ``scipy.stats``. A gain is a negative cost.
    reviewer : dict, default=None
        Error rates of the action named "review", ``{"recall": 0.9, "specificity": 0.95}``, or a
        dict with review actions as keys. For more than two classes the rates are a table
        ``{true class: {stated class: rate}}``, whose rows add up to 1.
    uncertain : {"mean", "regret"}, default="mean"
        How to decide where costs are ranges or distributions: by their means, or by the least
        regret, which is the most that an action can cost beyond the best one. The mean of a range
        is its middle. For the regret, a distribution stands for its central 95% interval. With
        capacities, the sum of the regrets is minimised.
    pos_label : label, default=None
        The positive class of recall, specificity and prevalence, also for the estimator; by default
        that of the estimator, or else the greater one of the two in sorted order.

    Attributes
    ----------
    actions_ : array of str
        The actions, in the order of the columns of ``costs``.
    classes_ : array
        The classes, sorted.
    estimator_ : classifier
        The fitted classifier.
    class_prior_ : array
        Shares of the classes among the training rows, which probabilities for another prevalence
        are re-weighted from. Only if the classifier inside takes no ``prevalence`` itself.
    prices_ : CapacityPrices
        Prices for rows that arrive one by one, after `fit_prices`.
    {features}

    Notes
    -----
    A column of X that a cell refers to is also a feature of the estimator. If it must not be, drop
    it in a pipeline, or pass the costs of the rows to `predict` as arrays.

    References
    ----------
    Elkan, C. (2001). The foundations of cost-sensitive learning. IJCAI.

    Chow, C. K. (1970). On optimum recognition error and reject tradeoff. IEEE Transactions on
    Information Theory 16(1), 41-46.

    Savage, L. J. (1951). The theory of statistical decision. Journal of the American Statistical
    Association 46(253), 55-67.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from costboost import ActionClassifier, CostBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)  # 0 is malignant
    >>> costs = {
    ...     0: {"operate": 0, "biopsy": 5, "discharge": 200},
    ...     1: {"operate": 40, "biopsy": 5, "discharge": 0},
    ... }
    >>> clf = ActionClassifier(CostBoostClassifier(random_state=0), costs=costs).fit(X, y)
    >>> plan = clf.plan(X, capacity={"biopsy": 20})
    >>> {action: int(number[0]) for action, number in plan.usage.items()}
    {'operate': 212, 'biopsy': 20, 'discharge': 337}
    """

    _inner: ClassVar[str] = "estimator_"

    estimator: Any
    _: KW_ONLY
    costs: Any
    reviewer: Any = None
    uncertain: str = "mean"
    pos_label: Any = None

    # ---- training --------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Train the classifier inside, and check the costs.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            Whatever the estimator takes.
        y : array of shape (n_samples,)
            The classes. Not needed if the estimator is frozen.
        **params
            Passed on to ``fit`` of the estimator, such as ``sample_weight``.

        Returns
        -------
        self
        """
        check_estimator(self.estimator)
        if not hasattr(self.estimator, "predict_proba"):
            raise ValueError(
                f"{type(self.estimator).__name__} has no predict_proba: expected costs need "
                "probabilities. Take another classifier, or CalibratedClassifierCV around it"
            )
        refuse_unread("X", X)
        frozen = isinstance(self.estimator, FrozenEstimator)
        labels: NDArray[Any] | None = None
        if not frozen:
            if y is None:
                raise ValueError("y is missing: fit needs the class of each row")
            check_consistent_length(X, y)
            labels = check_labels("y", y)
        classes = self.estimator.classes_ if labels is None else distinct(labels)
        table, _ = self._read_costs(np.asarray(classes))
        if table.columns:
            table.for_rows(X, _n_rows(X))
        if get_config()["enable_metadata_routing"]:
            params = dict(process_routing(self, "fit", **params).estimator.fit)
        fresh = clone(self.estimator)
        if self.pos_label is not None and len(classes) == 2 and not frozen:
            paths = parameter_paths(fresh, "pos_label")
            fresh.set_params(**dict.fromkeys(paths, self.pos_label))
        with one_class_allowed():
            fitted = fresh.fit(X, y, **params)
        restore(self, fitted)
        if labels is not None and not takes_prevalence(fitted.predict_proba):
            self.class_prior_ = _shares(labels, classes, params.get("sample_weight"))
        return self

    def _read_costs(self, classes: NDArray[Any]) -> tuple[Costs, int]:
        """Validate the parameters that state costs; also the position of the positive class."""
        OneOf("mean", "regret").check("uncertain", self.uncertain)
        if self.costs is None:
            raise ValueError(
                "costs is missing: give a table with a row for each true class and a column for "
                "each action"
            )
        table = read_table(self.costs, classes)
        stated = positive_label(self.estimator, self.pos_label) if len(classes) == 2 else None
        if stated is not None and stated not in classes.tolist():
            raise ValueError(f"pos_label is {stated!r}, but the classes are {classes.tolist()}")
        positive = classes[-1] if stated is None else stated
        if self.reviewer is not None or not table.reviewers:
            reviewers = check_reviewers(self.reviewer, table.actions, classes, positive)
            table = replace(table, reviewers=reviewers)
        table.check_decision()
        return table, classes.tolist().index(positive)

    # ---- costs of rows ---------------------------------------------------------------------------

    def _probabilities(self, X: Any, prevalence: Any) -> NDArray[Any]:
        """Probabilities of the classifier inside, whether or not it takes a prevalence itself."""
        estimator, prior = self._fitted(), getattr(self, "class_prior_", None)
        if prevalence is None:
            return np.asarray(estimator.predict_proba(X))
        estimated = isinstance(prevalence, str) and prevalence == ESTIMATE
        if not estimated:
            positive = self._positive if len(self.classes_) == 2 else None
            prevalence = check_prevalence(prevalence, self.classes_, positive)
        if prior is None:
            given = given_prevalence(estimator.predict_proba, prevalence)
            return np.asarray(estimator.predict_proba(X, **given))
        found = np.asarray(estimator.predict_proba(X), dtype=float)
        if estimated:
            prevalence = estimated_shares(found, prior, rows_of_calibration(estimator))
        return reweighted_shares(found, prevalence / prior)

    def _probability(self, X: Any, prevalence: Any = None) -> Floats:
        estimator = self._fitted()
        if is_collection(X):
            (given,) = in_memory(self.predict_proba(X, prevalence))
        else:
            refuse_unread("X", X)
            given = self._probabilities(X, prevalence)
        found = np.asarray(given, dtype=float)
        if not np.all(np.isfinite(found)):
            raise ValueError(
                f"{type(estimator).__name__} returns probabilities that are not finite for some "
                "rows; expected costs need finite ones"
            )
        return found

    def _costs_of(self, X: Any, n_rows: int, costs: Any) -> Costs:
        table: Costs = self._table
        if costs is not None:
            other = read_table(costs, self.classes_, table.actions)
            table = replace(other, reviewers=table.reviewers)
        return table.for_rows(X, n_rows)

    def expected_costs(self, X: Any, costs: Any = None, prevalence: Any = None) -> Floats:
        """Expected cost of each action for each row, by the mean costs.

        Parameters
        ----------
        X : array, data frame, sparse matrix or Dask collection of shape (n_samples, n_features)
        costs : Costs, pandas frame or dict of dicts, optional
            Costs of these rows, instead of those of the constructor; for the same actions.
        prevalence : number, mapping, array or "estimate", optional
            Shares of the classes among these rows, as in `CostBoostClassifier.predict_proba`.

        Returns
        -------
        array of shape (n_samples, n_actions)
            Columns in the order of ``actions_``. A lazy one for a Dask collection.
        """
        if is_collection(X):
            return self._lazy("expected_costs", X, {"costs": costs, "prevalence": prevalence})
        probability = self._probability(X, prevalence)
        return self._costs_of(X, len(probability), costs).expected(probability)

    # ---- decisions: each row alone, within capacities, at prices ---------------------------------

    def predict(
        self,
        X: Any,
        costs: Any = None,
        capacity: Any = None,
        groups: Any = None,
        prices: Any = None,
        prevalence: Any = None,
    ) -> NDArray[Any]:
        """Choose an action for each row.

        Parameters
        ----------
        X : array, data frame, sparse matrix or Dask collection of shape (n_samples, n_features)
        costs : Costs, pandas frame or dict of dicts, optional
            Costs of these rows, instead of those of the constructor; for the same actions.
        capacity : dict, optional
            Greatest number of rows of an action in each group, such as ``{"review": 50}``; see
            `plan`.
        groups : array of shape (n_samples,), optional
            Groups of rows that have the capacity anew, such as days. Default: one group.
        prices : "fitted", dict or CapacityPrices, optional
            Prices of limited actions. Each row has the action of least expected cost plus price,
            whatever the other rows are; on a tie, that of the least price. "fitted" are those of
            `fit_prices`. Not together with ``capacity``.
        prevalence : number, mapping, array or "estimate", optional
            Shares of the classes among these rows, as in `CostBoostClassifier.predict_proba`.

        Returns
        -------
        array of str of shape (n_samples,)
            For a Dask collection and without ``capacity``, a lazy one with the blocks of X.
        """
        if is_collection(X) and capacity is None and groups is None:
            prices = self._fitted_prices(prices)
            given = {"costs": costs, "prices": prices, "prevalence": prevalence}
            return self._lazy("predict", X, given)
        _, _, codes = self._decide(X, costs, capacity, groups, prices, prevalence)
        return np.asarray(self.actions_[codes])

    def _lazy(self, method: str, X: Any, given: dict[str, Any]) -> NDArray[Any]:
        """Lazy array of the results of a method for a Dask collection, block by block."""
        known = {name: value for name, value in given.items() if value is not None}
        return lazy(self, method, X, known)  # type: ignore[no-any-return]

    def _decide(
        self,
        X: Any,
        costs: Any = None,
        capacity: Any = None,
        groups: Any = None,
        prices: Any = None,
        prevalence: Any = None,
    ) -> tuple[Floats, Costs, Codes]:
        """Probabilities, costs and actions of the rows; arguments as in `predict`."""
        if capacity is not None and prices is not None:
            raise ValueError(
                "capacity and prices exclude each other: a capacity is for all rows together, "
                "prices are for rows one by one"
            )
        if capacity is None and groups is not None:
            raise ValueError("groups share a capacity, but capacity is not given")
        probability = self._probability(X, prevalence)
        own = self._costs_of(X, len(probability), costs)
        decisive = own.beyond_least(probability, self.uncertain)
        if capacity is not None:
            of_groups = check_groups(groups, len(probability))
            codes = assign_codes(decisive, self._table.actions, capacity, of_groups)
            return probability, own, codes
        if prices is None:
            return probability, own, decisive.argmin(axis=1)
        each = check_prices(self._fitted_prices(prices), self._table.actions)
        return probability, own, decide_by_prices(decisive, each)

    def _fitted_prices(self, prices: Any) -> Any:
        if not isinstance(prices, str) or prices != FITTED:
            return prices
        if not hasattr(self, "prices_"):
            raise ValueError("prices='fitted' needs prices: call fit_prices with past rows first")
        return self.prices_

    def plan(
        self,
        X: Any,
        capacity: Any,
        groups: Any = None,
        costs: Any = None,
        prevalence: Any = None,
    ) -> Plan:
        """Actions of least total expected cost within capacities, and what the capacities cost.

        Parameters
        ----------
        X : array, data frame, sparse matrix or Dask collection of shape (n_samples, n_features)
        capacity : dict
            Greatest number of rows of an action in each group: a number, or a dict with a number
            for each group. Other actions have no limit.
        groups : array of shape (n_samples,), optional
            Groups of rows that have the capacity anew, such as days. The name of a pandas series
            is what a group is called in texts. Default: one group.
        costs : Costs, pandas frame or dict of dicts, optional
            Costs of these rows, instead of those of the constructor; for the same actions.
        prevalence : number, mapping, array or "estimate", optional
            Shares of the classes among these rows, as in `predict`.

        Returns
        -------
        Plan
            With ``actions``, ``usage``, ``shadow_prices`` and ``expected_cost``.
        """
        probability = self._probability(X, prevalence)
        own = self._costs_of(X, len(probability), costs)
        return plan_rows(
            own.beyond_least(probability, self.uncertain),
            own.expected(probability),
            self._table.actions,
            capacity,
            check_groups(groups, len(probability)),
        )

    def fit_prices(self, X: Any, capacity: Any, groups: Any, costs: Any = None) -> CapacityPrices:
        """Fit prices of limited actions to past rows, for rows that will arrive one by one.

        At these prices the past groups together use no more than the sum of their limits; a single
        group may use more or less, see ``spread`` and ``exceeded`` of the result.

        Parameters
        ----------
        X : array, data frame, sparse matrix or Dask collection of shape (n_samples, n_features)
            Past rows.
        capacity : dict
            As in `plan`.
        groups : array of shape (n_samples,)
            Past groups, at least two.
        costs : Costs, pandas frame or dict of dicts, optional
            Costs of these rows, instead of those of the constructor; for the same actions.

        Returns
        -------
        CapacityPrices
            Also kept as ``prices_``.
        """
        probability = self._probability(X)
        own = self._costs_of(X, len(probability), costs)
        decisive = own.beyond_least(probability, self.uncertain)
        n_rows, actions = len(probability), self._table.actions
        self.prices_ = fit_prices(decisive, actions, capacity, check_groups(groups, n_rows))
        return self.prices_

    def robustness(self, X: Any, costs: Any = None) -> Robustness:
        """For each row, whether another action is better for some costs within their ranges.

        Parameters
        ----------
        X : array, data frame, sparse matrix or Dask collection of shape (n_samples, n_features)
        costs : Costs, pandas frame or dict of dicts, optional
            Costs of these rows, instead of those of the constructor; for the same actions.

        Returns
        -------
        Robustness
            With ``robust`` and ``regret`` for each row, ``share`` and ``at_stake`` for all.
        """
        found = self._uncertain(X, costs)
        return Robustness(self.actions_[found.codes], found.regret == 0, found.regret)

    def _uncertain(self, X: Any, costs: Any) -> UncertainDecisions:
        """The decisions about rows, together with the ranges of costs."""
        probability, own, codes = self._decide(X, costs)
        return UncertainDecisions(probability, own, codes, np.ones(len(codes)))

    # ---- realised costs --------------------------------------------------------------------------

    def decision_report(
        self,
        X: Any,
        y: Any,
        costs: Any = None,
        capacity: Any = None,
        groups: Any = None,
        prices: Any = None,
        sample_weight: Any = None,
        prevalence: Any = None,
    ) -> DecisionReport:
        """Expected and realised cost of the actions that are chosen for labelled rows.

        Parameters
        ----------
        X : array, data frame, sparse matrix or Dask collection of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            The classes that are true.
        costs, capacity, groups, prices, prevalence : optional
            As in `predict`.
        sample_weight : array of shape (n_samples,), optional
            How often each row counts.

        Returns
        -------
        DecisionReport
        """
        probability, own, codes = self._decide(X, costs, capacity, groups, prices, prevalence)
        (y,) = in_memory(y)
        labels = check_known_labels(y, self.classes_)
        if labels.size != len(codes):
            raise ValueError(f"X has {len(codes)} rows, but y has {labels.size}")
        weight = check_weight(sample_weight, labels.size)
        truth = np.searchsorted(self.classes_, labels)
        shares = shares_without_model(self, truth, weight).values
        return make_report(own, probability, codes, truth, weight, shares)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Minus the mean realised cost of a row, so that greater is better.

        Parameters
        ----------
        X : array, data frame, sparse matrix or Dask collection of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            The classes that are true.
        sample_weight : array of shape (n_samples,), optional
            How often each row counts.
        """
        report = self.decision_report(X, y, sample_weight=sample_weight)
        return float(-report.realised_cost.sum() / report.rows.sum())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        return tags


def read_table(costs: Any, classes: NDArray[Any], actions: Sequence[str] | None = None) -> Costs:
    """Costs of actions, a record or a table, in the order of the classes, and of the actions."""
    if not isinstance(costs, Costs):
        known, names, entries = check_table(costs, classes, actions)
        return Costs(entries, known, names, ACTIONS)
    if costs.form != ACTIONS:
        raise ValueError(f"costs must be those of actions, as Costs.by_action makes, got {costs!r}")
    known, names, entries = check_table(costs.to_dict(), classes, actions)
    return replace(costs.for_classes(known), entries=entries, actions=names)


def costs_of(clf: ActionClassifier) -> Costs:
    """The validated costs of a fitted classifier."""
    table: Costs = clf._table
    return table


def decisions_of(
    clf: ActionClassifier, X: Any, costs: Any = None, prices: Any = None
) -> tuple[Floats, Costs, Codes]:
    """Probabilities, costs and positions of the chosen actions of rows."""
    return clf._decide(X, costs, prices=prices)


def uncertain_decisions(clf: ActionClassifier, X: Any, costs: Any = None) -> UncertainDecisions:
    """Decisions about rows, together with the ranges of costs."""
    return clf._uncertain(X, costs)


def classifier_inside(model: Any) -> Any:
    """The fitted classifier inside one of actions, also if it is frozen; other models unchanged."""
    if not isinstance(model, ActionClassifier):
        return model
    inner = model._fitted()
    return inner.estimator if isinstance(inner, FrozenEstimator) else inner


def check_actions(
    clf: ActionClassifier, classes: NDArray[Any], X: Any, columns: Mapping[str, Any]
) -> None:
    """Raise ValueError if the costs of a classifier do not fit the classes or the rows of X.

    ``columns`` are further columns that cells may refer to.
    """
    table, _ = clf._read_costs(classes)
    read_table(table.filled(columns), classes).for_rows(X, _n_rows(X))


def restore(clf: ActionClassifier, fitted: Any) -> None:
    """Set the fitted attributes, given the fitted classifier inside."""
    classes = np.asarray(fitted.classes_)
    clf._table, clf._positive = clf._read_costs(classes)
    clf.estimator_, clf.classes_ = fitted, classes
    clf.actions_ = np.array(clf._table.actions)
    for name in ("prices_", "class_prior_"):
        clf.__dict__.pop(name, None)
    clf._remember_features()


def _shares(labels: NDArray[Any], classes: NDArray[Any], sample_weight: Any) -> Floats:
    """Shares of the classes among training rows."""
    weight = check_weight(sample_weight, labels.size)
    total = np.bincount(np.searchsorted(classes, labels), weight, len(classes))
    return np.asarray(total / total.sum())


def _n_rows(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)
