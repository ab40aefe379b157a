"""Functions side by side in threads of this process."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from contextvars import copy_context
from functools import partial
from threading import Thread
from types import TracebackType
from typing import Any, Generic, TypeVar

from sklearn import config_context, get_config

from costboost._core.engine._kernels import Stop, is_stopped, obey, share_threads, shared_threads
from costboost._core.tables import Team

T = TypeVar("T")

PAUSE = 0.3
"""Seconds after which an interrupt is looked for while other threads are waited for."""


def each(work: Callable[[int, int], T], n_items: int, most: int) -> list[T]:
    """Results of ``work(lane, item)`` for the items 0 to n_items - 1, taken one after the other.

    Lane 0 is this thread, each of the others a thread of its own. If one of them fails, or this
    thread is interrupted, the others are stopped.
    """
    items = deque(range(n_items))
    results: list[Any] = [None] * n_items
    failures: list[BaseException] = []
    stop = Stop()

    def take(lane: int) -> None:
        while not stop.is_set():
            try:
                item = items.popleft()
            except IndexError:
                return
            results[item] = work(lane, item)

    def help_with(lane: int) -> None:
        try:
            take(lane)
        except BaseException as error:
            failures.append(error)
            stop.set()

    threads = _started([partial(help_with, lane) for lane in range(1, most)], stop)
    try:
        take(0)
        for thread in threads:
            while thread.is_alive():
                thread.join(PAUSE)
                _hear()
    finally:
        if items or any(thread.is_alive() for thread in threads):
            stop.set()
        for thread in threads:
            thread.join()
    if failures:
        raise failures[0]
    return results


class Running(Generic[T]):
    """Functions that are called in other threads, and whose results are requested by number.

    Each thread takes one function after the other. While fewer functions than threads are left,
    each has several threads for its kernels. Functions that wait for a cluster are as many as the
    team says, so that one training computes there while another waits for messages. If a team has
    one thread for them, a function is called when its result is requested.

    Results that are not requested are dropped, and at the end the functions that still run are
    stopped, in a tree or after a round.
    """

    def __init__(self, functions: Sequence[Callable[[], T]], team: Team) -> None:
        self._functions = functions
        self._computes = team.computes
        self._results: list[Future[T]] = [Future() for _ in functions]
        self._left = deque(range(len(functions)))
        self._stop = Stop()
        most = shared_threads(team.most) if team.computes else team.most
        n = min(most, len(functions))
        self._threads = _started([self._work] * n, self._stop) if n > 1 else []

    def _work(self) -> None:
        """Call functions as long as there are any."""
        while not self._stop.is_set():
            try:
                k = self._left.popleft()
            except IndexError:
                return
            self._call(k)

    def _call(self, k: int) -> None:
        result = self._results[k]
        if not result.set_running_or_notify_cancel():
            return
        share_threads(self._computes)
        try:
            result.set_result(self._functions[k]())
        except BaseException as error:
            result.set_exception(error)
        finally:
            share_threads(-self._computes)

    def result(self, k: int) -> T:
        """The result of function k."""
        if not self._threads:
            return self._functions[k]()
        while not wait([self._results[k]], PAUSE).done:
            _hear()
        return self._results[k].result()

    def cancel(self, k: int) -> None:
        """Do not start function k if it has not been started."""
        self._results[k].cancel()

    def __enter__(self) -> Running[T]:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        for thread in self._threads if self._computes else ():
            thread.join()


def _started(functions: Sequence[Callable[[], None]], stop: Stop) -> list[Thread]:
    """Threads that call the functions until told to stop; fewer if threads are limited.

    Each has the context and the configuration of scikit-learn of this thread.
    """
    config = get_config()

    def call(function: Callable[[], None]) -> None:
        obey(stop)
        with config_context(**config):
            function()

    started = []
    for function in functions:
        thread = Thread(target=copy_context().run, args=(call, function), name="costboost")
        try:
            thread.start()
        except RuntimeError:
            break
        started.append(thread)
    return started


def _hear() -> None:
    """Raise a KeyboardInterrupt if this thread was told to stop.

    A thread that waits without end does not hear an interrupt that another one received.
    """
    if is_stopped():
        raise KeyboardInterrupt
