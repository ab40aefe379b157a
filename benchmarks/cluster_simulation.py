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
    """Seconds of an exchange of messages, apart from what the workers compute."""

    latency: float
    """From sending a message to the arrival of an answer, while the driver waits."""
    per_answer: float
    """Of the driver for each worker: to send the message, and to take in the answer."""
    per_byte: float
    """Of the driver for each byte of an answer."""


@dataclass(frozen=True)
class Work:
    """What has to be done in a round."""

    computing: float
    """Seconds of a worker, in all exchanges."""
    exchanges: float
    n_bytes: float
    """Bytes of the answers of a worker, in all exchanges."""
    own: float = 0.0
    """Seconds of the driver's own work, such as the search of a split in the sums."""


def queue(arrivals: Floats, service: float) -> float:
    """When the last of the arrivals has been served, one at a time, in the order they come."""
    end = -np.inf
    for arrival in np.sort(arrivals):
        end = max(end, float(arrival)) + service
    return end


def exchange_seconds(
    computing: Floats, n_bytes: float, costs: Costs, fan_in: int | None = None
) -> float:
    """Seconds of one message to all workers, until the driver has added up their answers.

    ``computing`` has the seconds that each worker computes; ``fan_in`` is the most answers that a
    node of tree reduction takes in, None if all come to the driver.
    """
    service = costs.per_answer + n_bytes * costs.per_byte
    arrivals = costs.latency + computing
    while fan_in is not None and arrivals.size > fan_in:
        groups = np.array_split(arrivals, -(-arrivals.size // fan_in))
        arrivals = np.array([queue(group, service) + costs.latency for group in groups])
    return queue(arrivals, service)


def round_seconds(
    work: Work,
    n_workers: int,
    costs: Costs,
    fan_in: int | None = None,
    speeds: Sequence[float] | None = None,
) -> float:
    """Seconds of a round of boosting.

    Parameters
    ----------
    work : Work
    n_workers : int
    costs : Costs
    fan_in : int, optional
        As in `exchange_seconds`.
    speeds : sequence of float, optional
        Relative speed of each worker. Default: all alike.
    """
    computing = np.full(n_workers, work.computing / work.exchanges)
    if speeds is not None:
        computing = computing / np.asarray(speeds)
    one = exchange_seconds(computing, work.n_bytes / work.exchanges, costs, fan_in)
    return work.exchanges * one + work.own


def best_fan_in(n_workers: int, n_bytes: float, costs: Costs) -> int | None:
    """The fan-in with which idle workers are answered soonest; None if no reduction is best."""
    idle = np.zeros(n_workers)
    choices = [None, *(k for k in (4, 8, 16, 32, 64, 128) if k < n_workers)]
    return min(choices, key=lambda k: exchange_seconds(idle, n_bytes, costs, k))


def costs_of(workers: Sequence[int], n_bytes: Sequence[float], seconds: Sequence[float]) -> Costs:
    """Costs from exchanges with some numbers of workers and lengths of answers.

    They are latency + workers x (per_answer + bytes x per_byte), by least squares of the relative
    errors, and not negative.
    """
    k, b, t = (np.asarray(values, dtype=float) for values in (workers, n_bytes, seconds))
    columns = np.column_stack([np.ones(k.size), k, k * b]) / t[:, None]
    used = [0, 1, 2]
    while True:
        found = np.zeros(3)
        found[used] = np.linalg.lstsq(columns[:, used], np.ones(k.size), rcond=None)[0]
        if found.min() >= 0:
            return Costs(*found.tolist())
        used.remove(int(found.argmin()))
