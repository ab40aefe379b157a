"""Actions under capacities: plans for groups of rows, prices for rows that arrive one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost.checks import Floats, check_group_labels, check_numbers, quoted
from costboost.cluster.collections import in_memory
from costboost.decisions.assignment import Codes, separating_prices, solve

Counts = NDArray[np.int64]

GROUP = "group"
"""Name of a group of rows if ``groups`` has no name."""


# ---- groups and limits ---------------------------------------------------------------------------


class Groups(NamedTuple):
    """Rows divided into groups, each of which has the capacity anew."""

    labels: NDArray[Any]
    """Sorted labels of the groups; empty if all rows are one group."""
    codes: Codes
    """The group of each row."""
    name: str
    """What a group is, such as "day"; empty if all rows are one group."""

    @property
    def number(self) -> int:
        return max(1, len(self.labels))


def check_groups(groups: Any, n_rows: int) -> Groups:
    """Validate labels of groups; None stands for one group."""
    if isinstance(groups, Groups):
        return groups
    if groups is None:
        return Groups(np.empty(0), np.zeros(n_rows, dtype=np.intp), "")
    name = getattr(groups, "name", None)
    (groups,) = in_memory(groups)
    labels, codes = check_group_labels(groups, n_rows)
    return Groups(labels, codes, name if isinstance(name, str) else GROUP)


def check_capacity(capacity: Any, actions: Sequence[str], groups: Groups) -> Floats:
    """Limit of each action (column) in each group (row); infinite if there is none."""
    if not isinstance(capacity, Mapping) or not capacity:
        raise ValueError(
            "capacity must be a dict of at least one action and the number of rows that can have "
            f'it, such as {{"{actions[0]}": 50}}, got {quoted(capacity)}'
        )
    limits = np.full((groups.number, len(actions)), np.inf)
    for action, limit in capacity.items():
        if action not in actions:
            raise ValueError(
                f"capacity has the action {action!r}, which is none of {', '.join(actions)}"
            )
        limits[:, actions.index(action)] = _limits_of(action, limit, groups)
    _check_feasible(limits, groups)
    return limits


def _limits_of(action: str, limit: Any, groups: Groups) -> Any:
    """The limit of an action: one number for all groups, or one for each group by its label."""
    if not isinstance(limit, Mapping):
        return _check_limit(f"the capacity of {action!r}", limit)
    known = groups.labels.tolist()
    missing = [label for label in known if label not in limit]
    if not known or missing:
        raise ValueError(
            f"the capacity of {action!r} is a dict, so that it needs a number for each group, but "
            + (f"there is none for {missing[0]!r}" if known else "groups is not given")
        )
    return [_check_limit(f"the capacity of {action!r} in {one!r}", limit[one]) for one in known]


def _check_limit(what: str, limit: Any) -> float:
    is_number = isinstance(limit, (Real, np.number)) and not isinstance(limit, (bool, np.bool_))
    if not is_number or not 0 <= float(limit) < np.inf or float(limit) % 1 != 0:
        raise ValueError(
            f"{what} must be a whole number of at least 0, got {limit!r}; leave out an action that "
            "has no limit"
        )
    return float(limit)


def _check_feasible(limits: Floats, groups: Groups) -> None:
    n_rows = np.bincount(groups.codes, minlength=groups.number)
    short = np.flatnonzero(limits.sum(axis=1) < n_rows)
    if short.size:
        k = int(short[0])
        where = f" of {groups.name} {groups.labels[k]}" if groups.name else ""
        raise ValueError(
            f"all actions are limited, to {limits[k].sum():.0f} rows in total, but there are "
            f"{n_rows[k]} rows{where}; raise a limit, or leave one action without"
        )


# ---- plans ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plan:
    """Actions of least total expected cost within capacities; ``print`` shows a summary.

    Attributes
    ----------
    actions : array of str
        The action of each row.
    expected_cost : float
        Total expected cost of these actions.
    groups : array
        Labels of the groups, sorted; empty if all rows are one group.
    usage : dict of arrays
        For each action, the number of rows that have it in each group.
    limits : dict of arrays
        For each limited action, its limit in each group.
    shadow_prices : dict of arrays
        For each limited action and each group, by how much the total expected cost would fall if
        the limit were raised by one. 0 where the limit is not reached.
    per : str
        What a group is, such as "day"; empty if all rows are one group.
    """

    actions: NDArray[Any]
    expected_cost: float
    groups: NDArray[Any]
    usage: dict[str, Counts]
    limits: dict[str, Counts]
    shadow_prices: dict[str, Floats]
    per: str

    def __str__(self) -> str:
        lines = [f"{len(self.actions):,} rows, expected cost {self.expected_cost:,.6g}"]
        for action, prices in self.shadow_prices.items():
            reached = int(np.sum(self.usage[action] >= self.limits[action]))
            used = f"{int(self.usage[action].sum()):,} of {int(self.limits[action].sum()):,} used"
            a_group = f" a {self.per}" if self.per else ""
            if self.per:
                used += f", limit reached in {reached:,} of {len(prices):,} groups ({self.per})"
            worth = f"one more {action} is worth {prices.mean():,.4g}{a_group}"
            lines.append(f"{action}: {used}; {worth}")
        return "\n".join(lines)


def assign(costs: Any, capacity: Any, groups: Any = None, actions: Any = None) -> Plan:
    r"""Assign each row the action such that the total cost is least within the capacities.

    .. math::

        \min_a \sum_i c_{i, a(i)} \quad \text{such that} \quad
        |\{i \in g : a(i) = j\}| \le u_{gj} \text{ for all groups } g

    The assignment is exact. With one limited action it sorts rows by what the action saves; with
    several it solves the linear program, whose solutions are whole numbers.

    Parameters
    ----------
    costs : array or data frame of shape (n_rows, n_actions)
        Expected cost of each action for each row.
    capacity : dict
        Greatest number of rows of an action in each group; a number, or a dict with a number for
        each group. Actions that are not listed have no limit.
    groups : array of shape (n_rows,), optional
        Each group has the capacity anew: days, teams. Default: all rows are one group.
    actions : list of str, optional
        Names of the columns. Default: those of the data frame.

    Returns
    -------
    Plan

    Notes
    -----
    Among equally cheap assignments, rows prefer the action that is listed first, and of equal rows
    the first have the limited actions. The total cost does not depend on the order of rows.

    References
    ----------
    Ahuja, R. K., Magnanti, T. L. & Orlin, J. B. (1993). Network flows. Prentice Hall; section 9.7.

    Examples
    --------
    >>> from costboost.decisions import assign
    >>> plan = assign([[9, 4], [7, 4], [2, 4]], {"review": 1}, actions=["allow", "review"])
    >>> print(plan)
    3 rows, expected cost 13
    review: 1 of 1 used; one more review is worth 3
    >>> plan.actions.tolist()
    ['review', 'allow', 'allow']
    """
    names = list(getattr(costs, "columns", ())) if actions is None else list(actions)
    table = check_numbers("costs", costs)
    if table.ndim != 2 or len(names) != table.shape[1] or not all(table.shape):
        raise ValueError(
            "costs must have a row for each row of the data and a column for each action, named by "
            f"actions, got an array of shape {table.shape} and {len(names)} names"
        )
    if not np.all(np.isfinite(table)):
        row, column = (int(k[0]) for k in np.nonzero(~np.isfinite(table)))
        raise ValueError(
            f"costs must be finite, got {table[row, column]} for {names[column]!r} in row {row}"
        )
    return plan_rows(table, table, names, capacity, check_groups(groups, len(table)))


def plan_rows(
    decisive: Floats, expected: Floats, actions: Sequence[str], capacity: Any, groups: Groups
) -> Plan:
    """The plan of least total ``decisive`` cost; ``expected`` costs are added up and reported."""
    limits = check_capacity(capacity, actions, groups)
    codes, one_more = _assign(decisive, limits, groups)
    n, m = expected.shape
    usage = _usage(codes, groups, m)
    limited = [k for k in range(m) if np.isfinite(limits[0, k])]
    return Plan(
        np.array(actions)[codes],
        float(expected[np.arange(n), codes].sum()),
        groups.labels,
        {name: usage[:, k] for k, name in enumerate(actions)},
        {actions[k]: limits[:, k].astype(np.int64) for k in limited},
        {actions[k]: one_more[:, k] for k in limited},
        groups.name,
    )


def assign_codes(costs: Floats, actions: Sequence[str], capacity: Any, groups: Groups) -> Codes:
    """Positions of the actions of least total cost within the capacities."""
    return _assign(costs, check_capacity(capacity, actions, groups), groups)[0]


def _usage(codes: Codes, groups: Groups, n_actions: int) -> Counts:
    """Number of rows of each action (column) in each group (row)."""
    pairs = groups.codes * n_actions + codes
    counts = np.bincount(pairs, minlength=groups.number * n_actions)
    return counts.reshape(groups.number, n_actions)


def _assign(costs: Floats, limits: Floats, groups: Groups) -> tuple[Codes, Floats]:
    """Actions of all rows, and the value of one more unit: a row for each group."""
    m = costs.shape[1]
    limited = np.flatnonzero(np.isfinite(limits[0]))
    if limited.size == 1:
        return _one_limited(costs, limits, groups, int(limited[0]))
    codes: Codes = costs.argmin(axis=1)
    one_more = np.zeros((groups.number, m))
    order = np.argsort(groups.codes, kind="stable")
    ends = np.searchsorted(groups.codes[order], np.arange(groups.number + 1))
    exceeded = np.any(_usage(codes, groups, m) > limits, axis=1)
    for k in np.flatnonzero(exceeded):
        rows = order[ends[k] : ends[k + 1]]
        codes[rows], one_more[k] = solve(costs[rows], limits[k])
    return codes, one_more


def _one_limited(
    costs: Floats, limits: Floats, groups: Groups, action: int
) -> tuple[Codes, Floats]:
    """As `_assign` for one limited action, which the rows with the greatest savings have."""
    codes: Codes = costs.argmin(axis=1)
    others = np.delete(np.arange(costs.shape[1]), action)
    saving = costs[:, others].min(axis=1) - costs[:, action]
    wanted = np.flatnonzero(codes == action)
    order = wanted[np.lexsort((-saving[wanted], groups.codes[wanted]))]
    group = groups.codes[order]
    starts = np.searchsorted(group, np.arange(groups.number))
    place = np.arange(order.size) - starts[group]
    out = place >= limits[group, action]
    codes[order[out]] = others[costs[np.ix_(order[out], others)].argmin(axis=1)]
    one_more = np.zeros_like(limits)
    first_out = out & (place == limits[group, action])
    one_more[group[first_out], action] = saving[order[first_out]]
    return codes, one_more


# ---- prices for rows that arrive one by one ------------------------------------------------------


@dataclass(frozen=True)
class CapacityPrices:
    """Prices of limited actions for rows that are decided one by one; ``print`` shows a summary.

    Each row has the action of least expected cost plus price. The numbers of rows are those of the
    past groups that the prices were fitted on.

    Attributes
    ----------
    prices : dict of float
        Price of each limited action.
    limits : dict of float
        Mean limit of the past groups.
    usage : dict of float
        Mean number of rows in a past group.
    spread : dict of float
        Standard deviation of that number over the past groups.
    most : dict of int
        Greatest number of rows in a past group.
    exceeded : dict of float
        Share of past groups with more rows than the limit.
    n_groups : int
        Number of past groups.
    per : str
        What a group is, such as "day".
    """

    prices: dict[str, float]
    limits: dict[str, float]
    usage: dict[str, float]
    spread: dict[str, float]
    most: dict[str, int]
    exceeded: dict[str, float]
    n_groups: int
    per: str

    def __str__(self) -> str:
        return "\n".join(
            f"{name}: price {price:,.4g}; expect {self.usage[name]:,.4g} a {self.per} (standard "
            f"deviation {self.spread[name]:,.3g}, most {self.most[name]:,}), limit "
            f"{self.limits[name]:,.4g}, exceeded in {self.exceeded[name]:.0%} of {self.n_groups:,}"
            for name, price in self.prices.items()
        )


def fit_prices(
    costs: Floats, actions: Sequence[str], capacity: Any, groups: Groups
) -> CapacityPrices:
    """Prices at which past groups together use no more than the sum of their limits.

    They are a dual solution of the problem without groups. Of all dual solutions, it is one in the
    middle, which separates the last row within a limit from the first one beyond it.
    """
    if groups.number < 2:
        raise ValueError(
            "prices need at least two past groups, such as days, for the spread of the usage; pass "
            "groups with the group of each past row"
        )
    limits = check_capacity(capacity, actions, groups)
    together = limits.sum(axis=0)
    if np.any(together == 0):
        action = actions[int(np.argmin(together))]
        raise ValueError(
            f"the capacity of {action!r} is 0 in all past groups, and no price is high enough for "
            "an action that no row can have; leave it out of costs"
        )
    prices = separating_prices(costs, solve(costs, together).codes, together)
    usage = _usage(decide_by_prices(costs, prices), groups, len(actions))
    limited = [k for k in range(len(actions)) if np.isfinite(limits[0, k])]
    over = usage > limits

    def by_name(values: Any) -> dict[str, Any]:
        return {actions[k]: values[k].item() for k in limited}

    return CapacityPrices(
        by_name(prices),
        by_name(limits.mean(axis=0)),
        by_name(usage.mean(axis=0)),
        by_name(usage.std(axis=0, ddof=1)),
        by_name(usage.max(axis=0)),
        by_name(over.mean(axis=0)),
        groups.number,
        groups.name,
    )


def check_prices(prices: Any, actions: Sequence[str]) -> Floats:
    """Price of every action, 0 where none is given."""
    if isinstance(prices, CapacityPrices):
        prices = prices.prices
    if not isinstance(prices, Mapping):
        raise ValueError(
            "prices must be a dict of actions and numbers, what fit_prices returns, or 'fitted', "
            f"got {quoted(prices)}"
        )
    found = np.zeros(len(actions))
    for action, price in prices.items():
        if action not in actions:
            raise ValueError(
                f"prices has the action {action!r}, which is none of {', '.join(actions)}"
            )
        is_number = isinstance(price, (Real, np.number)) and not isinstance(price, bool)
        if not is_number or not 0 <= float(price) < np.inf:
            raise ValueError(
                f"the price of {action!r} must be a number of at least 0, got {price!r}"
            )
        found[actions.index(action)] = price
    return found


def decide_by_prices(costs: Floats, prices: Floats) -> Codes:
    """Action of least cost plus price; of equal ones, that of the least price, then the first."""
    order = np.argsort(prices, kind="stable")
    return np.asarray(order[(costs[:, order] + prices[order]).argmin(axis=1)])
