"""Trainings that do not depend on each other: one after the other, or side by side on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from types import TracebackType
from typing import Any, Generic, TypeVar

T = TypeVar("T")

AT_A_TIME = 4
"""Trainings that run side by side; each has a copy of its rows' bins on the workers."""


PAUSE = 0.3
"""Seconds after which an interrupt is looked for while a result is waited for."""


class Jobs(Generic[T]):
    """Functions whose results are asked for by number.

    In this process a function is called when its result is asked for. With rows on a cluster all
    are called at once, several at a time, so that one training computes while another waits for
    messages. Results that nobody asks for are dropped.
    """

    def __init__(self, functions: Sequence[Callable[[], T]], side_by_side: bool) -> None:
        self._functions = list(functions)
        self._pool: ThreadPoolExecutor | None = None
        self._futures: list[Future[Any]] = []
        if side_by_side and len(functions) > 1:
            self._pool = ThreadPoolExecutor(AT_A_TIME, thread_name_prefix="costboost")
            run = [copy_context().run for _ in functions]
            pairs = zip(run, functions, strict=True)
            self._futures = [self._pool.submit(one, function) for one, function in pairs]

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
            self._pool.shutdown(wait=False, cancel_futures=True)
