"""The simulation of a round in benchmarks/: cases that can be computed by hand."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PATH = Path(__file__).parents[2] / "benchmarks" / "cluster_simulation.py"


@pytest.fixture(scope="module")
def simulation() -> Any:
    spec = importlib.util.spec_from_file_location("cluster_simulation", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look it up
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def costs(simulation: Any) -> Any:
    return simulation.Costs(latency=1e-3, per_answer=1e-4, per_byte=1e-9)


def test_a_queue_serves_one_at_a_time(simulation: Any) -> None:
    assert simulation.queue(np.zeros(5), 2.0) == 10
    assert simulation.queue(np.array([10.0, 0.0, 1.0]), 2.0) == 12
    assert simulation.queue(np.array([3.0, 0.0]), 2.0) == 5


def test_all_answers_to_the_driver(simulation: Any, costs: Any) -> None:
    found = simulation.exchange_seconds(np.full(10, 0.5), 1e6, costs)
    assert found == pytest.approx(1e-3 + 0.5 + 10 * (1e-4 + 1e-3))


def test_a_slow_worker_hides_the_answers_of_the_others(simulation: Any, costs: Any) -> None:
    compute = np.full(10, 0.5)
    compute[3] = 2.0
    found = simulation.exchange_seconds(compute, 1e6, costs)
    assert found == pytest.approx(1e-3 + 2.0 + (1e-4 + 1e-3))


def test_levels_of_tree_reduction(simulation: Any, costs: Any) -> None:
    """1000 workers at a fan-in of 10: three levels of ten answers each."""
    found = simulation.exchange_seconds(np.zeros(1000), 1e6, costs, fan_in=10)
    assert found == pytest.approx(3 * (1e-3 + 10 * 1.1e-3))
    flat = simulation.exchange_seconds(np.zeros(1000), 1e6, costs)
    assert flat == pytest.approx(1e-3 + 1000 * 1.1e-3)
    few = simulation.exchange_seconds(np.zeros(10), 1e6, costs, fan_in=10)
    assert few == pytest.approx(1e-3 + 10 * 1.1e-3)


def test_a_round_adds_up(simulation: Any, costs: Any) -> None:
    work = simulation.Work(computing=0.03, exchanges=4, n_bytes=4e6, own=2e-3)
    found = simulation.round_seconds(work, 2, costs)
    assert found == pytest.approx(0.03 + 4 * (1e-3 + 2 * (1e-4 + 1e-3)) + 2e-3)


def test_the_slowest_worker_decides(simulation: Any, costs: Any) -> None:
    work = simulation.Work(computing=1.5, exchanges=1, n_bytes=0)
    same = simulation.round_seconds(work, 4, costs)
    slow = simulation.round_seconds(work, 4, costs, speeds=[1, 1, 0.5, 1])
    assert slow - same == pytest.approx(1.5 - 3e-4)


def test_reduction_is_chosen_where_the_driver_would_saturate(simulation: Any, costs: Any) -> None:
    assert simulation.best_fan_in(2, 1e6, costs) is None
    fan_in = simulation.best_fan_in(1000, 1e6, costs)
    assert fan_in is not None
    idle = np.zeros(1000)
    reduced = simulation.exchange_seconds(idle, 1e6, costs, fan_in)
    assert reduced < simulation.exchange_seconds(idle, 1e6, costs) / 10


def test_costs_follow_from_exchanges_and_are_not_negative(simulation: Any, costs: Any) -> None:
    workers, n_bytes = [1, 1, 2, 2], [0, 1e6, 0, 1e6]
    points = list(zip(workers, n_bytes, strict=True))
    seconds = [simulation.exchange_seconds(np.zeros(k), b, costs) for k, b in points]
    found = simulation.costs_of(workers, n_bytes, seconds)
    assert found.latency == pytest.approx(costs.latency)
    assert found.per_answer == pytest.approx(costs.per_answer)
    assert found.per_byte == pytest.approx(costs.per_byte)
    falling = simulation.costs_of(workers, n_bytes, [4.0, 3.0, 4.0, 3.0])
    assert falling.per_byte == 0
    assert min(falling.latency, falling.per_answer) >= 0
