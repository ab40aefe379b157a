r"""Actions under capacities: plans for groups of rows, prices for rows that arrive one by one.

A plan is the assignment of rows to actions of least total cost, exact:

.. math::

    \min_a \sum_i c_{i, a(i)} \quad \text{such that} \quad |\{i : a(i) = j\}| \le u_j

This is a transportation problem with few columns. Its dual has one price for each limited action: a
row takes the action of least cost plus price. Prices are estimated first, one at a time, from
order statistics. The few rows that are then assigned wrongly, because of ties or because prices
have not converged, are corrected by successive shortest paths over the actions, in which an edge
from action a to action b is the cheapest row to move from a to b (Ahuja, Magnanti & Orlin 1993,
Network Flows, section 9.7).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost._core.arrays import Codes
from costboost._core.backends.dask.collections import in_memory
from costboost._core.checks import Floats, check_group_labels, check_numbers, quoted
from costboost._core.wording import amount

# ---- assignment of rows to actions under limits --------------------------------------------------


ROUNDS = 30
"""Greatest number of times that the estimates of all prices are updated."""
SAMPLE = 20_000
"""Number of rows that prices are first estimated on."""
NEAR = 4_000
"""Least number of rows that are reconsidered when an assignment is corrected."""
ROUNDING = 64 * float(np.finfo(float).eps)
"""Relative size of cost differences that are attributed to rounding errors."""


class Solution(NamedTuple):
    """An assignment of least cost, and the value of one more unit of each limited action."""

    codes: Codes
    """The action of each row."""
    one_more: Floats
    """By how much the least cost falls if the limit of an action is raised by one."""


def solve(costs: Floats, limits: Floats) -> Solution:
    """Assign each row one action such that no action has more rows than its limit.

    Parameters
    ----------
    costs : array of shape (n_rows, n_actions)
    limits : array of shape (n_actions,)
        Whole numbers; infinite for an action without a limit. They must add up to at least the
        number of rows.

    Returns
    -------
    Solution
        Of equal rows, the first have the limited actions. Other ties are resolved in favour of
        the first listed action and the first rows, as far as the limits allow.
    """
    codes: Codes = costs.argmin(axis=1)
    if np.any(_used(codes, limits) > limits):
        codes = _limited(costs, limits)
    return Solution(codes, _one_more(costs, codes, limits))


def _used(codes: Codes, limits: Floats) -> Floats:
    return np.bincount(codes, minlength=limits.size).astype(float)


def _limited(costs: Floats, limits: Floats) -> Codes:
    """The assignment if the cheapest actions of all rows exceed a limit."""
    n, prices = len(costs), np.zeros(limits.size)
    step = max(1, n // SAMPLE)
    if step > 1:
        part = np.asfortranarray(costs[::step])
        prices = _estimate_prices(part, np.ceil(limits * len(part) / n), prices)
    prices = _estimate_prices(np.asfortranarray(costs), limits, prices)
    n_near, scale = NEAR, ROUNDING * (float(np.abs(costs).max()) + float(prices.max()))
    while True:
        codes, prices = _corrected(costs, limits, prices, n_near)
        paid = costs + prices
        beyond = paid[np.arange(n), codes] - paid.min(axis=1)
        if n_near >= n or not np.any(beyond > scale):
            break
        n_near *= 8
    tied = np.flatnonzero((paid <= paid.min(axis=1, keepdims=True) + scale).sum(axis=1) > 1)
    codes[tied] = _first_rows_first(costs[tied], codes[tied], limits)
    return codes


# ---- first estimates of the prices ---------------------------------------------------------------


def _estimate_prices(costs: Floats, limits: Floats, prices: Floats) -> Floats:
    """Prices at which each limited action is chosen by as many rows as its limit, or fewer.

    One price at a time is set to the greatest saving of a row that the limit leaves out, which is
    exact for one limited action. With several, prices converge, but may stop before the optimum.
    """
    prices, n = prices.copy(), len(costs)
    limited = np.flatnonzero(limits < n).tolist()
    for _ in range(ROUNDS):
        before = prices.copy()
        for action in limited:
            limit = int(limits[action])
            saving = _least_other(costs, prices, action) - costs[:, action]
            k = n - limit - 1  # in ascending order, the first that the limit leaves out
            prices[action] = max(0.0, float(np.partition(saving, k)[k]))
        if len(limited) < 2 or np.array_equal(before, prices):
            break
        if np.abs(prices - before).max() <= 1e-9 * np.abs(prices).max():
            break
    return prices


def _least_other(costs: Floats, prices: Floats, action: int) -> Floats:
    """Least cost plus price of all actions but one, for each row."""
    others = [k for k in range(prices.size) if k != action]
    least: Floats = costs[:, others[0]] + prices[others[0]]
    for k in others[1:]:
        np.minimum(least, costs[:, k] + prices[k], out=least)
    return least


# ---- correction by shortest paths ----------------------------------------------------------------


def _corrected(costs: Floats, limits: Floats, prices: Floats, n_near: int) -> tuple[Codes, Floats]:
    """An assignment within the limits that is optimal among those that change few rows.

    Only the ``n_near`` rows whose two cheapest actions differ least, at these prices, can change.
    """
    paid = costs + prices
    codes: Codes = paid.argmin(axis=1)
    if n_near >= len(costs):
        return _balanced(costs, limits, prices, codes)
    two = np.partition(paid, 1, axis=1)
    order = np.argpartition(two[:, 1] - two[:, 0], n_near - 1)
    near = np.sort(order[:n_near])
    left = limits - _used(codes[order[n_near:]], limits)
    if np.any(left < 0) or left.sum() < n_near:
        return _corrected(costs, limits, prices, 8 * n_near)
    codes[near], prices = _balanced(costs[near], left, prices, codes[near])
    return codes, prices


def _balanced(costs: Floats, limits: Floats, prices: Floats, codes: Codes) -> tuple[Codes, Floats]:
    """Move rows along shortest paths until no limit is exceeded and no price is paid for nothing.

    Nodes are the actions and, last, a sink that each action sends its rows to, at most as many as
    its limit. At the given prices every row has an action of least cost plus price, so that every
    shortest path keeps the assignment optimal for the number of rows of each action.
    """
    codes, n_actions = codes.copy(), limits.size
    usage = _used(codes, limits)
    sent = np.where(prices > 0, limits, np.minimum(usage, limits))
    excess = np.append(usage - sent, sent.sum() - len(codes))
    potential = np.append(prices, 0.0)
    while np.any(excess > 0):
        length = np.full((n_actions + 1, n_actions + 1), np.inf)
        length[:-1, :-1] = _lengths(costs, codes, n_actions)
        length[:-1, -1] = np.where(sent < limits, 0.0, np.inf)
        length[-1, :-1] = np.where(sent > 0, 0.0, np.inf)
        reduced = np.maximum(length + potential - potential[:, None], 0.0)
        start = int(np.argmax(excess > 0))
        distance, before = _shortest_paths(reduced, start)
        end = int(np.argmin(np.where(excess < 0, distance, np.inf)))
        path = _path(before, start, end)
        amount = min(excess[start], -excess[end])
        moves = []
        for a, b in path:
            if b == n_actions:
                amount = min(amount, limits[a] - sent[a])
            elif a == n_actions:
                amount = min(amount, sent[b])
            else:
                rows = np.flatnonzero(codes == a)
                rows = rows[costs[rows, b] - costs[rows, a] == length[a, b]]
                moves.append((rows, a, b))
                amount = min(amount, rows.size)
        for rows, a, b in moves:
            stays = limits[a] < np.inf
            codes[rows[-int(amount) :] if stays else rows[: int(amount)]] = b
        for a, b in path:
            if b == n_actions:
                sent[a] += amount
            elif a == n_actions:
                sent[b] -= amount
        excess[start] -= amount
        excess[end] += amount
        potential -= np.minimum(distance, distance[end])
        potential -= potential[-1]
    prices = np.where(np.isfinite(limits), np.maximum(potential[:-1], 0.0), 0.0)
    return codes, prices


def _lengths(costs: Floats, codes: Codes, n_actions: int) -> Floats:
    """Least change of cost if one row moves from one action (row) to another (column)."""
    length = np.full((n_actions, n_actions), np.inf)
    for action in range(n_actions):
        own = costs[codes == action]
        if len(own):
            length[action] = [(own[:, b] - own[:, action]).min() for b in range(n_actions)]
    return length


def _shortest_paths(length: Floats, start: int) -> tuple[Floats, list[int]]:
    """Distances of all nodes from a node, and their predecessors, by Dijkstra's algorithm."""
    n = len(length)
    distance, before = np.full(n, np.inf), [-1] * n
    distance[start] = 0.0
    open_nodes = set(range(n))
    while open_nodes:
        node = min(open_nodes, key=lambda k: distance[k])
        open_nodes.remove(node)
        for other in open_nodes:
            through = distance[node] + length[node, other]
            if through < distance[other]:
                distance[other], before[other] = through, node
    return distance, before


def _path(before: list[int], start: int, end: int) -> list[tuple[int, int]]:
    """The edges of the path that ends at a node."""
    edges = []
    while end != start:
        edges.append((before[end], end))
        end = before[end]
    return edges[::-1]


def _first_rows_first(costs: Floats, codes: Codes, limits: Floats) -> Codes:
    """Exchange actions among rows with equal costs: the first have the limited actions."""
    rank = np.empty(limits.size, dtype=np.intp)
    rank[np.argsort(np.isinf(limits), kind="stable")] = np.arange(limits.size)
    order = np.lexsort(costs.T)  # stable: equal rows keep their order
    ordered = costs[order]
    same = np.append(0, np.cumsum(np.any(ordered[1:] != ordered[:-1], axis=1)))[: len(order)]
    within = np.lexsort((rank[codes[order]], same))
    exchanged = codes.copy()
    exchanged[order] = codes[order][within]
    return exchanged


# ---- the value of a unit, and prices far from ties -----------------------------------------------


def _one_more(costs: Floats, codes: Codes, limits: Floats) -> Floats:
    """Fall of the least cost if the limit of each action is raised by one.

    One more unit of an action is the end of the cheapest chain of moves, of one row from each
    action to the next.
    """
    chain = _least_chains(_lengths(costs, codes, limits.size))
    return np.where(np.isfinite(limits), np.maximum(0.0, 0.0 - chain.min(axis=0)), 0.0)


def separating_prices(costs: Floats, codes: Codes, limits: Floats) -> Floats:
    """Prices at which rows choose the actions of an optimal assignment, far from ties.

    Optimal prices are a polytope whose corners are distances between the actions and the sink in
    the graph of `_balanced`. The mean of corners is inside of it.
    """
    n_actions, usage = limits.size, _used(codes, limits)
    length = np.full((n_actions + 1, n_actions + 1), np.inf)
    length[:-1, :-1] = _lengths(costs, codes, n_actions)
    length[:-1, -1] = np.where(usage < limits, 0.0, np.inf)
    length[-1, :-1] = np.where(usage > 0, 0.0, np.inf)
    np.fill_diagonal(length, 0.0)
    chain = _least_chains(length)
    corners = np.concatenate([chain.T, -chain])  # distances to a node, and minus those from a node
    corners = corners[np.all(np.isfinite(corners), axis=1)]
    prices = (corners[:, :-1] - corners[:, -1:]).mean(axis=0)
    return np.where(np.isfinite(limits), np.maximum(prices, 0.0), 0.0)


def _least_chains(length: Floats) -> Floats:
    """Lengths of the shortest paths between all nodes, by the algorithm of Floyd and Warshall."""
    chain = length.copy()
    for k in range(len(chain)):
        np.minimum(chain, chain[:, [k]] + chain[[k]], out=chain)
    return chain


# ---- groups and limits ---------------------------------------------------------------------------

Counts = NDArray[np.int64]

GROUP = "group"
"""Name of a group of rows if ``groups`` has no name."""


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
        lines = [f"{len(self.actions):,} rows, expected cost {amount(self.expected_cost)}"]
        for action, prices in self.shadow_prices.items():
            reached = int(np.sum(self.usage[action] >= self.limits[action]))
            used = f"{int(self.usage[action].sum()):,} of {int(self.limits[action].sum()):,} used"
            a_group = f" a {self.per}" if self.per else ""
            if self.per:
                used += f", limit reached in {reached:,} of {len(prices):,} groups ({self.per})"
            worth = f"one more {action} is worth {amount(float(prices.mean()))}{a_group}"
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
            f"{name}: price {amount(price)}; expect {amount(self.usage[name])} a {self.per} "
            f"(standard deviation {amount(self.spread[name])}, most {self.most[name]:,}), limit "
            f"{amount(self.limits[name])}, exceeded in {self.exceeded[name]:.0%} of "
            f"{self.n_groups:,}"
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
