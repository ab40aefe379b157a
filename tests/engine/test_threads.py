"""Kernels on several threads, and what their binding refuses."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from engine.inputs import THREADS, TYPES, lay_out, random_split
from numpy.typing import NDArray

from costboost._core.engine import _kernels as kernels
from costboost._core.engine.ensemble import Ensemble
from costboost._core.engine.node import Node

# ---- threads -------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_threads", THREADS)
def test_many_rows_by_many_threads(n_threads: int) -> None:
    """Every kernel divides so many rows into chunks; results agree with NumPy."""
    rng = np.random.default_rng(1)
    n, d = 70_000, 11
    x = rng.integers(0, 200, (n, d)).astype(np.float32)
    x[rng.random((n, d)) < 0.1] = np.nan
    cuts = np.tile(np.arange(255) + 0.5, (d, 1))
    positive = (rng.random(n) < 0.3).astype(np.uint8)
    place = np.argsort(1 - positive, kind="stable")
    rows = kernels.BinnedRows(n, int(positive.sum()), d, n_threads)
    rows.fill(x, cuts, np.full(d, 254, dtype=np.int32), np.zeros(d, dtype=np.uint8), positive)
    expected = np.nan_to_num(x[place], nan=255).astype(np.uint8)
    for f in range(d):
        np.testing.assert_array_equal(rows.column(f), expected[:, f])

    def sums(amount: NDArray[np.int64]) -> NDArray[np.int64]:
        out = np.zeros((2, d, 256), dtype=np.int64)
        for z, part in enumerate((slice(rows.n_positive), slice(rows.n_positive, None))):
            for f in range(d):
                np.add.at(out[z, f], expected[part, f], amount[part])
        return out

    rows.prepare()
    np.testing.assert_array_equal(rows.count(), sums(np.ones(n, dtype=np.int64)))
    weight = 2.0 ** rng.uniform(-5, 40, n)
    rows.weight[:] = weight
    rows.build()
    np.testing.assert_array_equal(rows.histogram, sums(np.rint(weight).astype(np.int64)))
    left = (np.arange(256) <= 60).astype(np.uint8)
    split = kernels.Split(9, 60, 1, False, left)
    goes_left = left[expected[:, 9]] == 1
    of_class = np.arange(n) >= rows.n_positive
    rows.reweigh_side(split, (0.3, 1.7), (True, False), (True, True))
    weight[goes_left & ~of_class] *= 0.3
    weight[~goes_left & of_class] *= 1.7
    rows.reweigh_all(split, (1.1, 0.9, 1.2, 0.8), (False, True))
    weight[of_class] *= np.where(goes_left, 1.2, 0.8)[of_class]
    assert rows.weight.tobytes() == weight.tobytes()
    quanta = np.rint(weight).astype(np.int64)
    rows.build(False, True)
    np.testing.assert_array_equal(rows.histogram, sums(quanta))
    order = np.arange(n, dtype=np.uint32)
    node = np.empty((2, d, 256), dtype=np.int64)
    runs = 0, rows.n_positive, rows.n_positive, n
    rows.build_node((order, runs), node, False, n_threads)
    np.testing.assert_array_equal(node, rows.histogram)

    leaf = rows.leaves(kernels.Splits([split]), np.array([~0, ~1], dtype=np.int32))
    np.testing.assert_array_equal(leaf, ~goes_left)
    opposite = kernels.Split(9, 60, 1, False, 1 - left)
    above = rows.sum_staged(
        kernels.Splits([split, opposite]), np.array([[1.0, 2.0], [3.0, 0.0]]),
        np.array([1.0, 3.0]), None, quanta,
    )  # fmt: skip
    right = [int(quanta[~goes_left & (of_class == z)].sum()) for z in (False, True)]
    assert above.tolist() == [right, right]


@pytest.mark.parametrize("dtype", TYPES)
def test_many_rows_are_predicted_by_many_threads(dtype: Any) -> None:
    rng = np.random.default_rng(4)
    x = lay_out(rng.normal(size=(9001, 3)).astype(dtype), "F")
    tests = rng.normal(size=40)
    ensemble = Ensemble.from_trees(
        [Node(k % 3, float(t), 1, True), Node(value=-float(t)), Node(value=0.3)]
        for k, t in enumerate(tests)
    )
    votes = ensemble.value.reshape(-1, 3)
    expected = sum(
        np.where(x[:, k % 3].astype(np.float64) <= t, votes[k, 1], votes[k, 2])
        for k, t in enumerate(tests)
    )
    for n_threads in THREADS:
        for ends in ([0, 40], [0, 1, 40]):  # one table for each feature, and trees
            score = np.zeros((len(ends) - 1, 9001))
            kernels.CompiledTrees(ensemble, ends).add_scores(x, score, n_threads)
            assert score.sum(axis=0).tobytes() == expected.tobytes()


def test_callers_from_many_threads_do_not_disturb_each_other() -> None:
    def work(seed: int) -> bytes:
        rng = np.random.default_rng(seed)
        n, d = 20_000, 9
        x = rng.normal(size=(n, d))
        cuts, n_cuts = kernels.find_cuts(x, None, 255, 3)
        positive = (rng.random(n) < 0.4).astype(np.uint8)
        rows = kernels.BinnedRows(n, int(positive.sum()), d, 3)
        rows.fill(x, cuts, n_cuts, np.zeros(d, dtype=np.uint8), positive)
        rows.prepare()
        rows.weight[:] = 2.0**40
        rows.build()
        for _ in range(10):
            split = random_split(rng, d)
            rows.reweigh_side(split, rng.random(2), (True, False), (True, True))
        return rows.bytes.tobytes() + rows.histogram.tobytes() + cuts.tobytes()

    serial = [work(seed) for seed in range(8)]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            assert list(pool.map(work, range(8))) == serial


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_has_threads_of_its_own() -> None:
    code = """
import os, numpy as np
from costboost._core.engine import _kernels as kernels
x = np.random.default_rng(0).normal(size=(40_000, 33))
expected = kernels.find_cuts(x, None, 255, 4)[0].tobytes()
child = os.fork()
same = kernels.find_cuts(x, None, 255, 4)[0].tobytes() == expected
if child == 0:
    os._exit(0 if same else 7)
assert same and os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, timeout=60)
