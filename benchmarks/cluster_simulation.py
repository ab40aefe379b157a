"""A round of boosting on a cluster, simulated: what workers, messages and the driver take.

In a round the driver sends some messages to all workers, one after the other. For each, every
worker computes and answers, and the driver takes in the answers one at a time: it unpacks each and
adds it up. With tree reduction, groups of workers add up their answers first, in levels, and the
driver takes in only those of the last level.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Costs:
    """Seconds of the parts of a round."""

    per_cell: float
    """Of a worker's thread for each of its rows and features, in all messages of a round."""
    per_row: float
    """Of a worker's thread for each of its rows."""
    latency: float
    """From sending a message to an answer without computation and of no length."""
    per_answer: float
    """Of the driver for each answer."""
    per_byte: float
    """Of the driver for each byte of an answer."""
    per_sent_byte: float = 0.0
    """Of a worker for each byte of its answer, while the other workers do the same."""
    own: float = 0.0
    """Of the driver's own work in a round, such as the search of a split in the sums."""


@dataclass(frozen=True)
class Messages:
    """Messages of a round that wait for an answer."""

    count: float
    n_bytes: float
    """Mean length of an answer."""


def queue(arrivals: Floats, service: float) -> float:
    """When the last of the arrivals has been served, one at a time, in the order they come."""
    end = -np.inf
    for arrival in np.sort(arrivals):
        end = max(end, float(arrival)) + service
    return end


def message_seconds(
    compute: Floats, n_bytes: float, costs: Costs, fan_in: int | None = None
) -> float:
    """Seconds of one message to all workers, until the driver has added up their answers.

    ``compute`` has the seconds that each worker computes; ``fan_in`` is the most answers that a
    node of tree reduction takes in, None if all come to the driver.
    """
    service = costs.per_answer + n_bytes * costs.per_byte
    arrivals = costs.latency + n_bytes * costs.per_sent_byte + compute
    while fan_in is not None and arrivals.size > fan_in:
        groups = np.array_split(arrivals, -(-arrivals.size // fan_in))
        hop = costs.latency + n_bytes * costs.per_sent_byte
        arrivals = np.array([queue(group, service) + hop for group in groups])
    return queue(arrivals, service)


def round_seconds(
    n_rows: float,
    n_features: float,
    n_workers: int,
    costs: Costs,
    messages: Messages,
    n_threads: float = 1,
    fan_in: int | None = None,
    speeds: Sequence[float] | None = None,
) -> float:
    """Seconds of a round of boosting.

    Parameters
    ----------
    n_rows, n_features : float
        Size of the data, of which each worker has the same share.
    n_workers : int
    costs : Costs
    messages : Messages
    n_threads : float, default=1
        Threads of a worker, each of which takes the same share of its rows. Below 1 if workers
        share cores.
    fan_in : int, optional
        As in `message_seconds`.
    speeds : sequence of float, optional
        Relative speed of each worker. Default: all alike.
    """
    share = n_rows / n_workers / n_threads
    work = share * (n_features * costs.per_cell + costs.per_row)
    compute = np.full(n_workers, work / messages.count)
    if speeds is not None:
        compute = compute / np.asarray(speeds)
    one = message_seconds(compute, messages.n_bytes, costs, fan_in)
    return messages.count * one + costs.own


def best_fan_in(n_workers: int, n_bytes: float, costs: Costs) -> int | None:
    """The fan-in with which idle workers are answered soonest; None if no reduction is best."""
    idle = np.zeros(n_workers)
    choices = [None, *(k for k in (4, 8, 16, 32, 64, 128) if k < n_workers)]
    return min(choices, key=lambda k: message_seconds(idle, n_bytes, costs, k))


def line(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    """Intercept and slope of the least-squares line, neither below 0."""
    a, b = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    slope = max(0.0, float(np.polyfit(a, b, 1)[0]))
    return max(0.0, float(np.mean(b - slope * a))), slope
