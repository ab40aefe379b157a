"""Functions side by side, whose results are requested by number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from functools import partial
from types import TracebackType
from typing import Any, Generic, TypeVar

from costboost._core.engine._kernels import Stop, obey, share_threads
from costboost._core.loop import LISTENER, listening
from costboost._core.tables import Team
from costboost._core.threads import PAUSE

T = TypeVar("T")


class Jobs(Generic[T]):
    """Functions whose results are requested by number.

    With one thread, a function is called when its result is requested. With several, the functions
    are called in threads, one in each; as long as fewer functions than threads are running, each
    has several threads for its kernels. With rows on a cluster, one training computes there while
    another waits for messages. Results that are not requested are
    dropped, and at the end the functions that still run are stopped, in a tree or after a round.

    Parameters
    ----------
    functions : sequence of callables
    team : Team
        How many are called at a time, and whether they compute in this process.
    """

    def __init__(self, functions: Sequence[Callable[[], T]], team: Team) -> None:
        self._functions = list(functions)
        self._computes = team.computes
        self._pool: ThreadPoolExecutor | None = None
        self._futures: list[Future[Any]] = []
        self._stopped = Stop()
        at_a_time = min(team.most, len(functions))
        if at_a_time > 1:
            self._pool = ThreadPoolExecutor(at_a_time, thread_name_prefix="costboost")
            run = [copy_context().run for _ in functions]
            called = [partial(self._call, one) if team.computes else one for one in functions]
            pairs = zip(run, called, strict=True)
            self._futures = [self._pool.submit(one, function) for one, function in pairs]

    def _call(self, function: Callable[[], T]) -> T:
        """Call a function in a thread that shares the other threads with those at its side."""
        listener = LISTENER.get()

        def listen(m: int, n_rounds: int) -> None:
            if self._stopped.is_set():
                raise CancelledError
            if listener is not None:
                listener(m, n_rounds)

        share_threads(1)
        obey(self._stopped)
        try:
            with listening(listen):
                return function()
        finally:
            obey(None)
            share_threads(-1)

    def result(self, k: int) -> T:
        """The result of function k."""
        if self._pool is None:
            return self._functions[k]()
        while True:
            # A thread that waits without end does not hear an interrupt that another one received.
            done, _ = wait([self._futures[k]], timeout=PAUSE)
            if done:
                result: T = self._futures[k].result()
                return result

    def cancel(self, k: int) -> None:
        """Do not start function k if it has not been started."""
        if self._pool is not None:
            self._futures[k].cancel()

    def __enter__(self) -> Jobs[T]:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._stopped.set()
            self._pool.shutdown(wait=self._computes, cancel_futures=True)
