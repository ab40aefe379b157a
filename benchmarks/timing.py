"""Times: the systems race on the same rows, interleaved, and the best repetition counts."""

import gc
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data
from systems import ROUNDS, Maker, Size, System, make_data
from threadpoolctl import threadpool_limits

SLOW_BUDGET = 10.0  # seconds of fitting that a "slow" system may take on one size
PAUSE = 0.02  # OpenMP threads of the last system spin for a while after their work
SHORT = 0.1  # seconds of a turn; within it an action is repeated
WARM_UP = Size(40_000, 30, 1)


@dataclass
class Best:
    """The best seconds so far, scaled to all rounds if only some of them were run."""

    rounds: int
    fit: float = np.inf
    predict: float = np.inf
    spent: float = 0.0

    @property
    def extrapolated(self) -> bool:
        return self.rounds < ROUNDS

    def improve(self, fit: float, predict: float) -> None:
        scale = ROUNDS / self.rounds
        self.fit = min(self.fit, fit * scale)
        self.predict = min(self.predict, predict * scale)
        self.spent += fit


def log(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def seconds(action: Callable[[], object]) -> float:
    gc.collect()
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def turn(action: Callable[[], object]) -> float:
    """Best of up to three calls in a row: the first short one finds the caches cold."""
    best = total = seconds(action)
    for _ in range(2):
        if total < SHORT:
            again = seconds(action)
            best, total = min(best, again), total + again
    return best


def time_size(
    size: Size, systems: Sequence[System], threads: Sequence[int], repeats: int
) -> dict[int, dict[str, Best]]:
    """Best times by thread count and system.

    A "slow" system has one thread however many it is offered: it races once, for all counts.
    """
    X, y = make_data(size)
    times: dict[int, dict[str, Best]] = {}
    slow: dict[str, Best] = {}
    for n_threads in threads:
        log(f"{size.name}, threads: {n_threads}")
        racing = [system for system in systems if system.name not in slow]
        times[n_threads] = race(racing, n_threads, repeats, X, y) | slow
        slow = {s.name: times[n_threads][s.name] for s in systems if s.kind == "slow"}
    return times


def race(
    systems: Sequence[System], n_threads: int, repeats: int, X: np.ndarray, y: np.ndarray
) -> dict[str, Best]:
    with threadpool_limits(n_threads):
        warm_up([system.make for system in systems], n_threads)
        best = {system.name: Best(affordable_rounds(system, X, y)) for system in systems}
        for _ in range(repeats):
            for system in systems:
                if system.kind != "slow" or best[system.name].spent < SLOW_BUDGET / 3:
                    time_once(system, n_threads, X, y, best[system.name])
    return best


def time_once(system: System, n_threads: int, X: np.ndarray, y: np.ndarray, best: Best) -> None:
    time.sleep(PAUSE)
    model = system.make(n_threads, best.rounds)
    best.improve(turn(lambda: model.fit(X, y)), turn(lambda: model.predict(X)))
    note_early_end(system, model, best.rounds)


def note_early_end(system: System, model: Any, rounds: int) -> None:
    """Only the two AdaBoosts can end early, and they list the weights of their rounds."""
    done = np.count_nonzero(getattr(model, "estimator_weights_", np.ones(rounds)))
    if done < rounds:
        log(f"{system.name} ended after {done} of {rounds} rounds: its time is too low")


def affordable_rounds(system: System, X: np.ndarray, y: np.ndarray) -> int:
    """All rounds, or as many (two at least) as the budget allows at the first one's pace."""
    if system.kind != "slow":
        return ROUNDS
    one = seconds(lambda: system.make(1, 1).fit(X, y))
    return int(np.clip(SLOW_BUDGET / one, 2, ROUNDS))


def warm_up(makers: Iterable[Maker], n_threads: int) -> None:
    """Imports, thread pools and first-call caches are not what is measured."""
    X, y = make_data(WARM_UP)
    for make in makers:
        make(n_threads, 2).fit(X, y).predict(X)
    gc.freeze()  # what the imports left behind would make each collection long


class Bare(ClassifierMixin, BaseEstimator):
    """An estimator with nothing of its own, to see what scikit-learn's checks alone cost."""


def input_checks(size: Size, repeats: int) -> float:
    X, y = make_data(size)

    def check() -> None:
        validate_data(Bare(), X, y, dtype=[np.float32, np.float64])
        check_classification_targets(y)

    return min(turn(check) for _ in range(repeats))
