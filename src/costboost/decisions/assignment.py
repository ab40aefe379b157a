r"""Assignment of rows to actions under limits: least total cost, exact.

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

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost.checks import Floats

Codes = NDArray[np.intp]

ROUNDS = 30
"""Greatest number of times that all prices are updated."""
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
    if np.any(_usage(codes, limits) > limits):
        codes = _limited(costs, limits)
    return Solution(codes, _one_more(costs, codes, limits))


def _usage(codes: Codes, limits: Floats) -> Floats:
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


# ---- prices --------------------------------------------------------------------------------------


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
    left = limits - _usage(codes[order[n_near:]], limits)
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
    usage = _usage(codes, limits)
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


# ---- the value of a unit -------------------------------------------------------------------------


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
    n_actions, usage = limits.size, _usage(codes, limits)
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
