"""Waiting for a Dask cluster: settings in seconds, warnings about workers that stand still."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from math import isfinite
from time import monotonic
from typing import Any, NoReturn

from costboost._core.checks import warn

LOG = logging.getLogger(__name__)

POLL = 0.5
"""Seconds after which an answer that has not come makes the driver look for the worker."""
SURE = 1.5
"""Seconds without a sign of life that count: a worker gives several in them."""
TIMEOUTS: dict[str, float | None] = {"no-worker": 30.0, "warn": 10.0, "answer": None}
"""Settings ``costboost.timeouts`` of Dask's configuration, and their defaults; see `timeout`."""


class ClusterError(RuntimeError):
    """The cluster cannot go on with a fit."""


def timeout(name: str) -> float | None:
    """Seconds of the setting ``costboost.timeouts.<name>`` of Dask's configuration.

    - ``no-worker``: how long to wait for a worker when none is left, as one may be starting.
    - ``warn``: how long a worker may give no sign of life before a warning names it.
    - ``answer``: how long an answer may take before the fit ends with an error; None for no limit.
    """
    from dask import config
    from dask.utils import parse_timedelta

    key = f"costboost.timeouts.{name}"
    value = config.get(key, TIMEOUTS[name])
    if value is None:
        return None
    try:
        seconds = float(parse_timedelta(value))
    except (AttributeError, TypeError, ValueError, KeyError) as error:
        raise ValueError(f"{key} must be a time such as '30 s', got {value!r}") from error
    if not (isfinite(seconds) and seconds > 0):
        raise ValueError(f"{key} must be a time above 0, or None for no limit; got {value!r}")
    return seconds


def check_timeouts() -> None:
    """Raise a ValueError if a setting is not a time."""
    for name in TIMEOUTS:
        timeout(name)


def workers_of(client: Any) -> dict[str, int]:
    """Addresses of the workers, and their numbers of threads."""
    if client.status != "running":
        _scheduler_lost()
    try:
        found: dict[str, int] = client.sync(client.scheduler.ncores, callback_timeout=10)
    except (OSError, TimeoutError):
        _scheduler_lost()
    return found


def _scheduler_lost() -> NoReturn:
    raise ClusterError(
        "the connection to the Dask scheduler is lost; the fit cannot go on: start a cluster and "
        "fit again"
    )


class Wait:
    """The wait for one answer, of one worker or of any.

    It warns, once, of workers that give no sign of life, or that Dask has paused, and raises a
    `ClusterError` after the time limit, or if no worker is left.

    Parameters
    ----------
    client : distributed.Client
    what : str
        What is waited for, for messages.
    address : str or None
        Address of the worker that has to answer; None if any may.
    """

    def __init__(self, client: Any, what: str, address: str | None = None) -> None:
        self._client = client
        self.what = what
        self._address = address
        self._begun = monotonic()
        self._warn_after, self._limit = timeout("warn"), timeout("answer")
        self._next_warning = float("inf") if self._warn_after is None else self._warn_after
        self._seen: dict[str, Any] = {}
        """Last sign of life of each worker that may answer, at the time ``_seen_at``."""
        self._seen_at = 0.0
        self._deadline: float | None = None

    def look(self) -> dict[str, int]:
        """Addresses of the workers, and their numbers of threads; called every `POLL` seconds."""
        workers = workers_of(self._client)
        self.expect_workers(workers)
        if not self._seen:
            self._standing_still()
        waited = monotonic() - self._begun
        if self._limit is not None and waited > self._limit:
            answer = self._no_answer(waited, self._standing_still())
            raise ClusterError(
                f"{answer}, longer than the setting costboost.timeouts.answer allows"
            )
        if self._warn_after is not None and waited >= self._next_warning:
            self._next_warning = waited + self._warn_after
            self._report(waited)
        return workers

    def expect_workers(self, workers: Any) -> None:
        """Raise a `ClusterError` if there have been no workers for too long."""
        if workers:
            self._deadline = None
            return
        limit = timeout("no-worker")
        now = monotonic()
        self._deadline = self._deadline or now + (float("inf") if limit is None else limit)
        if now > self._deadline:
            raise ClusterError("no worker is left in the cluster; start workers and fit again")

    def _report(self, waited: float) -> None:
        """Log the wait, with a warning the first time that a worker stands still."""
        found = self._standing_still()
        message = self._no_answer(waited, found)
        if not found:
            LOG.info(message)
            return
        self._next_warning = float("inf")
        message += (
            ". The work goes on when it answers, or on another worker when its process ends; the "
            "setting costboost.timeouts.answer is a limit"
        )
        LOG.warning(message)
        warn(message)

    def _no_answer(self, waited: float, found: Sequence[str]) -> str:
        """What is waited for, and the workers that stand still."""
        whom = "the Dask cluster" if self._address is None else f"worker {self._address}"
        text = f"no answer of {whom} for {waited:.0f} s ({self.what})"
        return f"{text}: {', '.join(found)}" if found else text

    def _standing_still(self) -> list[str]:
        """Workers that do, by comparison with the last time; clocks need not agree."""
        workers = self._client.scheduler_info(n_workers=-1)["workers"]
        asked = {name: one for name, one in workers.items() if self._address in (None, name)}
        found, now = [], monotonic()
        for name, one in asked.items():
            if one["last_seen"] == self._seen.get(name) and now - self._seen_at >= SURE:
                found.append(f"{name} gives no sign of life")
            elif one.get("status") == "paused":
                found.append(f"{name} is paused, as its memory is nearly full")
        self._seen, self._seen_at = {name: one["last_seen"] for name, one in asked.items()}, now
        return found


def awaited(future: Any, look: Callable[[], object]) -> Any:
    """The result of a future; ``look`` is called again and again while it has not come."""
    while True:
        try:
            return future.result(timeout=POLL)
        # On a machine without a free core, distributed may end a wait that is over by the latter:
        # https://github.com/dask/distributed/issues/8514
        except (TimeoutError, UnboundLocalError):
            look()


def gathered(client: Any, futures: Sequence[Any], what: str) -> list[Any]:
    """The results of tasks, with warnings about workers that stand still meanwhile."""
    from distributed import wait

    watch = Wait(client, what)
    while True:
        try:
            wait(futures, timeout=POLL)  # type: ignore[no-untyped-call]
            break
        except TimeoutError:
            n_done = sum(one.done() for one in futures)
            watch.what = what if len(futures) == 1 else f"{what}: {n_done} of {len(futures)} done"
            watch.look()
    results: list[Any] = client.gather(list(futures))
    return results
