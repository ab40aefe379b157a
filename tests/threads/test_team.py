"""Functions side by side: results, failures, and the threads that they share."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier, Event, Thread, Timer, get_ident
from time import monotonic, sleep
from typing import Any

import numpy as np
import pytest
from sklearn import config_context, get_config
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

from costboost import CostBoostClassifier
from costboost._core.engine import _kernels as kernels
from costboost._core.tables import Team
from costboost._core.threads.team import Running, each
from costboost._core.training import calibrated, fitting, one_vs_rest
from costboost.algorithms import AdaBoostClassifier, LogitBoostClassifier

TWO = Team(2, computes=True)
WAITING = Team(2, computes=False)

# ---- items that lanes take -----------------------------------------------------------------------


def test_what_another_thread_raises_is_raised_here() -> None:
    """The others end after the item that they are at."""
    done: list[int] = []

    def work(lane: int, item: int) -> int:
        if lane == 1:
            raise MemoryError
        done.append(item)
        sleep(0.01)
        return item

    with pytest.raises(MemoryError):
        each(work, 1000, 2)
    assert len(done) < 1000
    assert not kernels.is_stopped()
    assert each(lambda lane, k: k * k, 7, 3) == [k * k for k in range(7)]


def test_a_thread_that_waits_for_others_can_be_stopped() -> None:
    stop, release = kernels.Stop(), Event()
    both = Barrier(2)

    def wait(lane: int, item: int) -> None:
        both.wait()
        if lane == 0:
            stop.set()
        else:
            release.wait(60)

    def work() -> None:
        kernels.obey(stop)
        Timer(1.0, release.set).start()
        each(wait, 2, 2)

    with ThreadPoolExecutor(1) as pool, pytest.raises(KeyboardInterrupt):
        pool.submit(work).result()


def test_without_more_threads_the_caller_takes_all_items(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(self: Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(Thread, "start", start)
    assert each(lambda lane, k: -k, 5, 3) == [0, -1, -2, -3, -4]


# ---- functions whose results are requested -------------------------------------------------------


@pytest.mark.parametrize("team", [Team(1, computes=True), TWO, WAITING], ids=str)
def test_results_are_those_of_the_functions(team: Team) -> None:
    with Running([partial(pow, k, 2) for k in range(7)], team) as running:
        assert [running.result(k) for k in (6, 0, 3, 3)] == [36, 0, 9, 9]


def test_one_thread_calls_what_is_requested() -> None:
    called: list[int] = []
    with Running([partial(called.append, k) for k in range(3)], Team(1, computes=True)) as running:
        assert not called
        running.result(2)
    assert called == [2]


def test_each_function_has_the_threads_that_others_leave() -> None:
    """Of eight threads two functions have four each, and the one that is left has all."""
    both = Barrier(2)

    def ends() -> int:
        both.wait()
        shared = kernels.shared_threads(8)
        both.wait()
        return shared

    def goes_on() -> tuple[int, int]:
        shared, until = ends(), monotonic() + 60
        while kernels.shared_threads(8) < 8 and monotonic() < until:
            sleep(0.01)
        return shared, kernels.shared_threads(8)

    with Running[Any]([ends, goes_on], TWO) as running:
        assert running.result(0) == 4
        assert running.result(1) == (4, 8)
    assert kernels.shared_threads(8) == 8


def test_functions_within_others_do_not_ask_for_more_threads() -> None:
    """Two fits with two threads have one each: what they do side by side is done in turns."""
    both = Barrier(2)

    def inner() -> set[int]:
        both.wait()
        with Running([get_ident] * 3, TWO) as running:
            return {running.result(k) for k in range(3)}

    with Running([inner, inner], TWO) as running:
        assert [len(running.result(k)) for k in range(2)] == [1, 1]


def test_an_error_is_raised_where_the_result_is_requested() -> None:
    def fails() -> int:
        raise MemoryError

    with Running([fails, lambda: 1], TWO) as running:
        assert running.result(1) == 1
        with pytest.raises(MemoryError):
            running.result(0)
    assert kernels.shared_threads(8) == 8


def test_functions_that_are_cancelled_are_not_started() -> None:
    begin, called = Event(), []
    functions = [partial(begin.wait, 60)] * 2 + [partial(called.append, k) for k in range(3)]
    with Running[Any](functions, TWO) as running:
        running.cancel(3)
        begin.set()
        running.result(2)
        running.result(4)
    assert sorted(called) == [0, 2]


def test_functions_have_the_configuration_of_the_caller() -> None:
    with (
        config_context(assume_finite=True),
        Running([get_config] * 2, TWO) as running,
    ):
        assert running.result(0)["assume_finite"]
    assert not get_config()["assume_finite"]


def test_without_more_threads_functions_are_called_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(self: Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(Thread, "start", start)
    with Running([get_ident] * 2, TWO) as running:
        assert [running.result(0), running.result(1)] == [get_ident()] * 2


# ---- trainings -----------------------------------------------------------------------------------

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(120, 4)).round(1)
BINARY = (X[:, 0] + RANDOM.normal(size=120) > 0).astype(int)
THREE = np.digitize(X[:, 0] + RANDOM.normal(size=120), [-0.5, 0.5])
DRAWN = {"subsample": 0.7, "max_features": 2, "estimator": "tree"}
FITS: dict[str, tuple[Any, Any]] = {
    "folds": (LogitBoostClassifier(calibration="platt"), BINARY),
    "folds, drawn": (LogitBoostClassifier(calibration="platt", **DRAWN), BINARY),
    "folds, early stopping": (
        AdaBoostClassifier(calibration="beta", early_stopping=True),
        BINARY,
    ),
    "many folds": (CostBoostClassifier(calibration_split=11), BINARY),
    "classes": (AdaBoostClassifier(), THREE),
    "classes, drawn": (AdaBoostClassifier(**DRAWN), THREE),
    "classes, folds": (LogitBoostClassifier(calibration="platt", **DRAWN), THREE),
}


@pytest.fixture
def threads_of_fits(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """The threads in which ensembles are trained, of however few rows."""
    found: set[int] = set()

    def recorded(train: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            found.add(get_ident())
            if len(found) < 2:
                sleep(0.01)  # for another thread to begin, before this one has done all
            return train(*given, **named)

        return call

    monkeypatch.setattr("costboost._core.threads.counts.PARALLEL_CELLS", 1)
    monkeypatch.setattr("costboost._core.threads.counts.offered_threads", lambda: 4)
    for module in (calibrated, fitting):
        monkeypatch.setattr(module, "train", recorded(module.train))
    monkeypatch.setattr(one_vs_rest, "fit_binary", recorded(one_vs_rest.fit_binary))
    return found


@pytest.mark.parametrize("name", FITS)
def test_folds_and_classes_side_by_side_are_those_in_turns(
    name: str, threads_of_fits: set[int]
) -> None:
    unfitted, y = FITS[name]

    def fitted(n_jobs: int) -> bytes:
        state = np.random.RandomState(0)  # a seed is drawn from it, whichever thread needs it first
        clf = clone(unfitted).set_params(n_estimators=4, random_state=0, n_jobs=n_jobs)
        return bytes(clf.set_params(random_state=state).fit(X, y).predict_proba(X).tobytes())

    alone = fitted(1)
    assert threads_of_fits == {get_ident()}
    assert [fitted(2), fitted(4)] == [alone, alone]
    assert len(threads_of_fits) > 1


def test_classifiers_of_others_are_trained_in_turns(threads_of_fits: set[int]) -> None:
    """They may draw from random numbers that they share."""
    clf = AdaBoostClassifier(estimator=DecisionTreeClassifier(max_depth=1), n_jobs=4)
    clf.set_params(calibration="platt", n_estimators=3).fit(X, BINARY)
    clf.fit(X, THREE)
    assert threads_of_fits == {get_ident()}


def test_bars_of_classes_are_shown_one_after_the_other(
    threads_of_fits: set[int], capsys: pytest.CaptureFixture[str]
) -> None:
    AdaBoostClassifier(n_estimators=3, n_jobs=4, verbose=1).fit(X, THREE)
    assert threads_of_fits == {get_ident()}
    assert capsys.readouterr().err.count("3/3") == 3
