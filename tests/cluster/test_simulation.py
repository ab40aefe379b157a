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
    return simulation.Costs(
        per_cell=1e-9, per_row=1e-8, latency=1e-3, per_answer=1e-4, per_byte=1e-9, own=2e-3
    )


def test_a_queue_serves_one_at_a_time(simulation: Any) -> None:
    assert simulation.queue(np.zeros(5), 2.0) == 10
    assert simulation.queue(np.array([10.0, 0.0, 1.0]), 2.0) == 12
    assert simulation.queue(np.array([3.0, 0.0]), 2.0) == 5


def test_all_answers_to_the_driver(simulation: Any, costs: Any) -> None:
    found = simulation.message_seconds(np.full(10, 0.5), 1e6, costs)
    assert found == pytest.approx(1e-3 + 0.5 + 10 * (1e-4 + 1e-3))


def test_a_slow_worker_hides_the_answers_of_the_others(simulation: Any, costs: Any) -> None:
    compute = np.full(10, 0.5)
    compute[3] = 2.0
    found = simulation.message_seconds(compute, 1e6, costs)
    assert found == pytest.approx(1e-3 + 2.0 + (1e-4 + 1e-3))


def test_levels_of_tree_reduction(simulation: Any, costs: Any) -> None:
    """1000 workers at a fan-in of 10: three levels of ten answers each."""
    found = simulation.message_seconds(np.zeros(1000), 1e6, costs, fan_in=10)
    assert found == pytest.approx(3 * (1e-3 + 10 * 1.1e-3))
    flat = simulation.message_seconds(np.zeros(1000), 1e6, costs)
    assert flat == pytest.approx(1e-3 + 1000 * 1.1e-3)
    few = simulation.message_seconds(np.zeros(10), 1e6, costs, fan_in=10)
    assert few == pytest.approx(1e-3 + 10 * 1.1e-3)


def test_a_round_adds_up(simulation: Any, costs: Any) -> None:
    messages = simulation.Messages(count=4, n_bytes=0)
    found = simulation.round_seconds(1e6, 50, 2, costs, messages)
    work = 5e5 * (50 * 1e-9 + 1e-8)
    assert found == pytest.approx(work + 4 * (1e-3 + 2 * 1e-4) + 2e-3)
    threads = simulation.round_seconds(1e6, 50, 2, costs, messages, n_threads=4)
    assert found - threads == pytest.approx(0.75 * work)


def test_the_slowest_worker_decides(simulation: Any, costs: Any) -> None:
    messages = simulation.Messages(count=1, n_bytes=0)
    same = simulation.round_seconds(1e8, 50, 4, costs, messages)
    slow = simulation.round_seconds(1e8, 50, 4, costs, messages, speeds=[1, 1, 0.5, 1])
    work = 2.5e7 * (50 * 1e-9 + 1e-8)
    assert slow - same == pytest.approx(work - 3e-4)


def test_reduction_is_chosen_where_the_driver_would_saturate(simulation: Any, costs: Any) -> None:
    assert simulation.best_fan_in(2, 1e6, costs) is None
    fan_in = simulation.best_fan_in(1000, 1e6, costs)
    assert fan_in is not None
    idle = np.zeros(1000)
    reduced = simulation.message_seconds(idle, 1e6, costs, fan_in)
    assert reduced < simulation.message_seconds(idle, 1e6, costs) / 10


def test_lines_have_no_negative_part(simulation: Any) -> None:
    assert simulation.line([1, 2, 4], [3, 5, 9]) == pytest.approx((1, 2))
    assert simulation.line([1, 2, 4], [3, 2, 1]) == pytest.approx((2, 0))
    assert simulation.line([1, 2], [1, 3]) == pytest.approx((0, 2))
