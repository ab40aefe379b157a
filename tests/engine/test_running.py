"""Threads that cannot be started, forks, exhausted memory, and Ctrl-C."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from pathlib import Path
from threading import Barrier
from typing import Any, cast

import joblib
import numpy as np
import pytest
from divided import rows_of
from numpy.typing import NDArray
from sklearn.base import clone

from costboost._core.engine import _kernels as kernels
from costboost._core.engine.ensemble import Ensemble
from costboost._core.engine.node import Node
from costboost._core.learners.tree import TreeLearner
from costboost._core.rules.record import Criterion
from costboost._core.tables import Team
from costboost._core.threads import counts
from costboost._core.threads.team import Running
from costboost.algorithms import (
    AdaBoostClassifier,
    LogitBoostClassifier,
    MultinomialLogitBoostClassifier,
)

linux_only = pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="limits memory as Linux does"
)


def run(code: str, **options: Any) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        capture_output=True, text=True, timeout=300, **options,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


# ---- how many threads ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("openmp", "cpus", "n_jobs", "expected"),
    [
        (8, 2, None, 2),
        (8, 2, -1, 2),
        (8, 3, -2, 2),
        (8, 2, -9, 1),
        (2, 8, None, 2),
        (2, 8, -1, 2),
        (8, 2, 5, 5),
        (8, 2, 2**40, counts.MOST_THREADS),
    ],
)
def test_threads_keep_to_the_cpus_of_the_process(
    monkeypatch: pytest.MonkeyPatch, openmp: int, cpus: int, n_jobs: int | None, expected: int
) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(counts, "available_threads", lambda: openmp)
    monkeypatch.setattr(joblib, "cpu_count", lambda: cpus)
    assert counts.threads(n_jobs, counts.PARALLEL_CELLS) == expected
    assert counts.threads(n_jobs, counts.PARALLEL_CELLS - 1) == 1


def test_omp_num_threads_overrides_the_number_of_cpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "8")
    monkeypatch.setattr(counts, "available_threads", lambda: 8)
    monkeypatch.setattr(joblib, "cpu_count", lambda: 2)
    assert counts.threads(None, counts.PARALLEL_CELLS) == 8


@pytest.mark.skipif(
    not hasattr(os, "sched_setaffinity") or len(os.sched_getaffinity(0)) < 2,
    reason="needs two CPUs and a way to be kept from one",
)
def test_affinity_is_followed_as_it_changes() -> None:
    code = """
import os
from costboost._core.threads.counts import offered_threads
before = offered_threads()
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
print(before, offered_threads())
"""
    environment = {k: v for k, v in os.environ.items() if k != "OMP_NUM_THREADS"}
    before, after = map(int, run(code, env=environment).split())
    assert before > 1
    assert after == 1


# ---- threads that cannot be started, forks, memory -----------------------------------------------


@linux_only
def test_without_threads_the_caller_does_all_work() -> None:
    """Each thread needs a stack of a gigabyte, but only half of one is available."""
    code = """
import os, resource, numpy as np
from costboost._core.engine import _kernels as kernels
x = np.random.default_rng(0).normal(size=(40_000, 33))
expected = kernels.find_cuts(x, None, 255, 1)[0].tobytes()
pages = int(open("/proc/self/statm").read().split()[0])
limit = pages * os.sysconf("SC_PAGE_SIZE") + 2**29
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
before = len(os.listdir("/proc/self/task"))
for _ in range(3):
    assert kernels.find_cuts(x, None, 255, 4)[0].tobytes() == expected
print(len(os.listdir("/proc/self/task")) - before)
"""
    import resource

    def large_stacks() -> None:
        hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
        resource.setrlimit(resource.RLIMIT_STACK, (2**30, hard))

    assert run(code, preexec_fn=large_stacks).split() == ["0"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_forked_while_others_use_the_pool_can_use_its_own() -> None:
    """Other threads use the pool all the time; a lock held in a fork would be held for ever."""
    code = """
import os, threading, numpy as np
from costboost.algorithms import AdaBoostClassifier
from costboost._core.engine import _kernels as kernels
rng = np.random.default_rng(0)
x = rng.normal(size=(300, 40))
y = (x[:, 0] > 0).astype(int)
ending = threading.Event()
def use_pool():
    while not ending.is_set():
        kernels.find_cuts(x, None, 255, 3)
others = [threading.Thread(target=use_pool) for _ in range(3)]
for other in others:
    other.start()
for _ in range(60):
    child = os.fork()
    if child == 0:
        kernels.find_cuts(x, None, 255, 3)
        AdaBoostClassifier(n_estimators=2, n_jobs=2).fit(x, y)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
ending.set()
"""
    run(code)


@linux_only
def test_running_out_of_memory_raises_memory_error() -> None:
    code = """
import os, resource, numpy as np
from costboost._core.engine import _kernels as kernels
n_features = 100_000
histogram = np.zeros((2, n_features, 256), dtype=np.int64)  # not there until it is written to
n_bins, flags = np.ones(n_features, dtype=np.int32), np.zeros(n_features, dtype=np.uint8)
criterion = "exponential", 0.0, 1.0, 1.0, 0.0
few, features = kernels.Features(n_bins[:9], flags[:9]), kernels.Features(n_bins, flags)
kernels.search(histogram[:, :9].copy(), (1.0, 1.0), few, criterion)
size = lambda: int(open("/proc/self/statm").read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
limit = size() + 2**19
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
for counts in (None, histogram):
    for _ in range(6_000):  # what each leaves behind would soon be more than there is
        try:
            kernels.search(histogram, (1.0, 1.0), features, criterion, counts)
        except MemoryError:
            continue
        raise SystemExit("there was enough memory")
"""
    run(code)


# ---- Ctrl-C --------------------------------------------------------------------------------------


@contextmanager
def interrupted(seconds: float) -> Iterator[None]:
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def tree(rng: np.random.Generator, depth: int) -> list[Node]:
    n = 2**depth - 1
    inner = [Node(int(rng.integers(3)), float(rng.normal()), 2 * k + 1, True) for k in range(n)]
    return inner + [Node(value=1.0) for _ in range(n + 1)]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer")
def test_predictions_can_be_interrupted() -> None:
    rng = np.random.default_rng(0)
    ensemble = Ensemble.from_trees(tree(rng, 6) for _ in range(400))
    x = rng.normal(size=(2_000_000, 3)).astype(np.float32)
    score = np.zeros(len(x))
    with pytest.raises(KeyboardInterrupt), interrupted(0.05):
        ensemble.add_scores(iter([(slice(None), x)]), score, 1)
    assert np.count_nonzero(score) < len(x)


@pytest.mark.parametrize("stumps", [True, False])
def test_rows_in_parts_are_the_rows(stumps: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    ensemble = Ensemble.from_trees(tree(rng, 1 if stumps else 3) for _ in range(5))
    x = rng.normal(size=(70_001, 3))
    whole = np.zeros((1, len(x)))
    kernels.CompiledTrees(ensemble, [0, 5]).add_scores(x, whole, 1)
    sizes = []

    class Recorded(kernels.CompiledTrees):
        def add_scores(self, x: NDArray[Any], score: NDArray[Any], n_threads: int) -> bool:
            sizes.append(len(x))
            return super().add_scores(x, score, n_threads)

    monkeypatch.setattr("costboost._core.engine.ensemble.TESTS_AT_A_TIME", 1)
    monkeypatch.setattr(kernels, "CompiledTrees", Recorded)
    score = np.zeros(len(x))
    ensemble.add_scores(iter([(slice(None), x)]), score, 1)
    assert len(sizes) > 2
    assert sum(sizes) == len(x)
    assert score.tobytes() == whole.tobytes()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer")
@pytest.mark.parametrize("classifier", [AdaBoostClassifier, LogitBoostClassifier])
def test_a_tree_can_be_interrupted_while_it_grows(
    classifier: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    grown = []

    class Timed(kernels.Grower):
        def grow(self, *given: Any) -> Any:
            signal.setitimer(signal.ITIMER_REAL, 0.01)
            tree = super().grow(*given)
            grown.append(tree)
            return tree

    monkeypatch.setattr("costboost._core.backends.shard.nodes.Grower", Timed)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60_000, 50)).astype(np.float32)
    y = (X[:, 0] + rng.normal(size=len(X)) > 0).astype(int)
    clf = classifier(
        estimator="tree", max_depth=None, n_estimators=1, min_samples_leaf=20, n_jobs=1
    )
    with pytest.raises(KeyboardInterrupt), interrupted(600):
        clf.fit(X, y)
    assert not grown


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer")
def test_trees_that_grow_side_by_side_can_be_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The main thread waits for two fits, each in a thread of its own, which grow large trees."""
    growing, grown = Barrier(2), []

    class Timed(kernels.Grower):
        def grow(self, *given: Any) -> Any:
            growing.wait()
            signal.setitimer(signal.ITIMER_REAL, 0.01)
            tree = super().grow(*given)
            grown.append(tree)
            return tree

    monkeypatch.setattr("costboost._core.backends.shard.nodes.Grower", Timed)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60_000, 50)).astype(np.float32)
    y = (X[:, 0] + rng.normal(size=len(X)) > 0).astype(int)
    clf = LogitBoostClassifier(estimator="tree", max_depth=None, n_estimators=1, n_jobs=1)
    with (
        pytest.raises(KeyboardInterrupt),
        interrupted(600),
        Running([partial(clone(clf).fit, X, y)] * 2, Team(2, computes=True)) as running,
    ):
        running.result(0)
    assert not grown


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer")
def test_trees_of_classes_that_grow_side_by_side_can_be_interrupted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    growing, grown = Barrier(2), []

    class Timed(kernels.Grower):
        def grow(self, *given: Any) -> Any:
            growing.wait()
            signal.setitimer(signal.ITIMER_REAL, 0.01)
            tree = super().grow(*given)
            grown.append(tree)
            return tree

    rng = np.random.default_rng(0)
    X = rng.normal(size=(60_000, 50)).astype(np.float32)
    y = np.digitize(X[:, 0] + rng.normal(size=len(X)), [-1, 0, 1])
    clf = MultinomialLogitBoostClassifier(
        estimator="tree", max_depth=None, n_estimators=1, n_jobs=2
    ).fit(X[:300], y[:300])
    before = pickle.dumps(clf)
    monkeypatch.setattr("costboost._core.backends.shard.nodes.Grower", Timed)
    with pytest.raises(KeyboardInterrupt), interrupted(600):
        clf.fit(X, y)
    assert not grown
    assert pickle.dumps(clf) == before


def test_a_stop_is_for_the_threads_that_obey_it() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 40))
    y = (X[:, 0] + rng.normal(size=len(X)) > 0).astype(int)
    clf = AdaBoostClassifier(estimator="tree", max_depth=None, n_estimators=1, n_jobs=1)
    stop = kernels.Stop()
    kernels.obey(stop)
    try:
        assert not stop.is_set()
        clf.fit(X, y)
        stop.set()
        assert stop.is_set()
        with ThreadPoolExecutor(1) as pool:
            pool.submit(clf.fit, X, y).result()
        with pytest.raises(KeyboardInterrupt):
            clf.fit(X, y)
    finally:
        kernels.obey(None)
    clf.fit(X, y)


# ---- memory of histograms ------------------------------------------------------------------------


def test_histograms_that_were_given_up_are_built_again() -> None:
    """With many features, open leaves of few rows cannot all keep their histograms."""
    rng = np.random.default_rng(0)
    n, d = 500, 2000
    x = rng.integers(0, 30, (n, d)).astype(np.float64)
    x[rng.random((n, d)) < 0.05] = np.nan
    positive = (rng.random(n) < 0.5).astype(np.uint8)
    cuts, n_cuts = kernels.find_cuts(x, None, 255, 1)
    flags = np.zeros(d, dtype=np.uint8)

    def grown(ends: list[int], least: int) -> Any:
        shards = []
        for a, b in pairwise(ends):
            shards.append(kernels.BinnedRows(b - a, int(positive[a:b].sum()), d, 1))
            shards[-1].fill(x[a:b], cuts, n_cuts, flags, positive[a:b])
        rows = rows_of(shards, n_cuts + np.int32(1), flags)
        rows.weights.set_classes((1.0, 1.0))
        learner = TreeLearner(cast(Any, None), None, None, least)
        return learner.find(rows, Criterion("exponential")).grown

    for least in (1, 7):
        whole, step_by_step = grown([0, n], least), grown([0, 200, n], least)
        assert whole.left.size > 50
        for name in ("left", "gain", "share"):
            assert getattr(whole, name).tobytes() == getattr(step_by_step, name).tobytes()
        for name in ("feature", "bin", "missing_left", "left"):
            one, other = (getattr(one.splits, name) for one in (whole, step_by_step))
            np.testing.assert_array_equal(one, other)
