"""Decisions of a classifier of actions: each row alone, within capacities, at prices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.checks import check_weight
from costboost.cluster.collections import in_memory, is_collection, lazy
from costboost.decisions.action_costs import ActionTable, RowCosts
from costboost.decisions.assignment import Codes
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
from costboost.decisions.reports import DecisionReport, UncertainDecisions, make_report
from costboost.decisions.uncertain import Robustness
from costboost.metrics.checks import Floats, check_known_labels

FITTED = "fitted"
"""Value of ``prices`` for those of `ActionClassifier.fit_prices`."""


class ActionDecisions:
    """Mixin of methods that choose actions, given probabilities and costs of rows."""

    actions_: NDArray[Any]
    classes_: NDArray[Any]
    prices_: CapacityPrices
    _table: ActionTable

    def _probability(self, X: Any, prevalence: Any = None) -> Floats:
        """Probability of each class for each row."""
        raise NotImplementedError

    def _costs_of(self, X: Any, n_rows: int, costs: Any) -> RowCosts:
        """Costs of the rows of X."""
        raise NotImplementedError

    def _decisive(self, probability: Floats, costs: RowCosts) -> Floats:
        """Expected cost or regret of each action beyond the least; exactly 0 for ties."""
        raise NotImplementedError

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
        costs : pandas frame or dict of dicts, optional
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
    ) -> tuple[Floats, RowCosts, Codes]:
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
        decisive = self._decisive(probability, own)
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
        costs : pandas frame or dict of dicts, optional
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
            self._decisive(probability, own),
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
        costs : pandas frame or dict of dicts, optional
            Costs of these rows, instead of those of the constructor; for the same actions.

        Returns
        -------
        CapacityPrices
            Also kept as ``prices_``.
        """
        probability = self._probability(X)
        decisive = self._decisive(probability, self._costs_of(X, len(probability), costs))
        n_rows, actions = len(probability), self._table.actions
        self.prices_ = fit_prices(decisive, actions, capacity, check_groups(groups, n_rows))
        return self.prices_

    def robustness(self, X: Any, costs: Any = None) -> Robustness:
        """For each row, whether another action is better for some costs within their ranges.

        Parameters
        ----------
        X : array, data frame, sparse matrix or Dask collection of shape (n_samples, n_features)
        costs : pandas frame or dict of dicts, optional
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
        weight = np.ones(len(codes))
        table = self._table
        return UncertainDecisions(
            list(table.classes), list(table.actions), probability, own, codes, weight
        )

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
        return make_report(self._table.actions, probability, own.table, codes, truth, weight)

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
