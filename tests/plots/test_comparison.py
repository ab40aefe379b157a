"""Ranks, Pareto fronts and critical differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import rankdata

from costboost.metrics import average_ranks, friedman_test, nemenyi, pareto_front
from costboost.plots import CriticalDifferenceDisplay, ParetoDisplay, RankDisplay

TABLE = np.random.default_rng(0).normal(size=(12, 5)) + np.array([0, 2.5, 0.5, 3, 1])
NAMES = ["AdaMEC", "CSB2", "CGAda", "AdaCost", "AsymAda"]
ALL = pytest.mark.parametrize("display", [RankDisplay, CriticalDifferenceDisplay])


# ---- ranks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("greater", [False, True])
def test_bars_are_average_ranks(greater: bool) -> None:
    drawn = RankDisplay.from_values(TABLE, names=NAMES, greater_is_better=greater)
    ranks = average_ranks(TABLE, greater_is_better=greater)
    assert_allclose(drawn.average, ranks)
    order = np.argsort(ranks)
    assert_allclose([bar.get_width() for bar in drawn.bars_], ranks[order])
    shown = [tick.get_text() for tick in drawn.ax_.get_yticklabels()]
    assert shown == [NAMES[k] for k in order]
    assert drawn.ax_.get_ylim()[0] > drawn.ax_.get_ylim()[1]  # the best is on top
    assert [text.get_text() for text in drawn.ax_.texts] == [f"{r:.2f}" for r in ranks[order]]


def test_points_are_the_ranks_on_data_sets() -> None:
    drawn = RankDisplay.from_values(TABLE, names=NAMES)
    ranks = rankdata(TABLE, axis=1)
    best = int(np.argmin(ranks.mean(axis=0)))
    spots, sizes = drawn.points_.get_offsets(), drawn.points_.get_sizes()
    on_top = spots[:, 1] == 0
    values, counts = np.unique(ranks[:, best], return_counts=True)
    assert_array_equal(spots[on_top, 0], values)
    assert_allclose(sizes[on_top] / sizes[on_top][0], counts / counts[0])
    assert RankDisplay.from_values(TABLE, points=False).points_ is None


def test_names_come_with_the_table() -> None:
    frame = pd.DataFrame(TABLE, columns=NAMES)
    as_dict = {name: TABLE[:, k].tolist() for k, name in enumerate(NAMES)}
    for table in (frame, as_dict):
        drawn = RankDisplay.from_values(table)
        assert list(drawn.names) == NAMES
        assert_allclose(drawn.average, average_ranks(TABLE))
    assert RankDisplay.from_values(TABLE[:, :2]).names == ["method 1", "method 2"]


# ---- fronts --------------------------------------------------------------------------------------


def test_the_front() -> None:
    sizes = np.array([40.0, 90, 100, 20, 60])
    drawn = ParetoDisplay.from_values(TABLE, np.tile(sizes, (12, 1)), names=NAMES)
    ranks = average_ranks(TABLE)
    front = pareto_front(np.column_stack([ranks, sizes]))
    assert_array_equal(drawn.front, front)
    points = np.column_stack([sizes, ranks])
    assert_allclose(drawn.front_points_.get_offsets(), points[front])
    assert_allclose(drawn.other_points_.get_offsets(), points[~front])
    order = np.argsort(sizes[front])
    assert_allclose(drawn.front_line_.get_xydata(), points[front][order])
    assert [label.get_text() for label in drawn.labels_] == NAMES
    assert drawn.ax_.yaxis_inverted()


places = st.tuples(st.integers(0, 30), st.integers(0, 30))


@pytest.mark.slow
@settings(deadline=None, derandomize=True, max_examples=15)
@given(st.lists(places, min_size=2, max_size=9, unique=True))
def test_names_do_not_cover_one_another(points: Any) -> None:
    size, rank = np.array(points, dtype=float).T
    drawn = ParetoDisplay(size=size, rank=rank, names=[f"method {k}" for k in range(len(size))])
    drawn.plot()
    drawn.figure_.draw_without_rendering()
    boxes = [label.get_window_extent() for label in drawn.labels_]
    frame = drawn.ax_.bbox
    plt.close("all")
    assert all(frame.x0 <= box.x0 and box.x1 <= frame.x1 for box in boxes)
    touching = sum(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])
    assert touching == 0


# ---- critical differences ------------------------------------------------------------------------


def test_the_diagram() -> None:
    drawn = CriticalDifferenceDisplay.from_values(TABLE, names=NAMES, alpha=0.01)
    found = nemenyi(TABLE, alpha=0.01)
    assert_allclose(drawn.average_ranks, found.average_ranks)
    assert drawn.groups == found.groups
    for bar, group in zip(drawn.bars_, found.groups, strict=True):
        ranks = found.average_ranks[list(group)]
        left, right = bar.get_xdata()
        assert left < ranks.min() <= ranks.max() < right
        assert right - left < ranks.max() - ranks.min() + 0.1
    cd = drawn.cd_line_.get_xdata()
    assert cd[1] - cd[0] == pytest.approx(found.critical_difference)
    order = np.argsort(found.average_ranks)
    for text, method in zip(drawn.labels_, order, strict=True):
        assert NAMES[method] in text.get_text()
        assert f"({found.average_ranks[method]:.2f})" in text.get_text()
    assert drawn.pvalue == friedman_test(TABLE).f_pvalue
    note = drawn.ax_.texts[-1].get_text()
    assert "12 data sets" in note
    assert "level 0.01" in note


def test_two_methods_have_no_friedman_test() -> None:
    drawn = CriticalDifferenceDisplay.from_values(TABLE[:, :2])
    assert drawn.pvalue is None
    assert len(drawn.labels_) == 2


@pytest.mark.parametrize("k", [2, 3, 8, 15])
def test_all_names_are_inside_the_figure(k: int) -> None:
    table = np.random.default_rng(1).normal(size=(10, k))
    names = [f"a method with a long name {m}" for m in range(k)]
    drawn = CriticalDifferenceDisplay.from_values(table, names=names)
    drawn.figure_.draw_without_rendering()
    whole = drawn.figure_.bbox
    boxes = [text.get_window_extent() for text in drawn.labels_]
    assert all(whole.x0 <= box.x0 and box.x1 <= whole.x1 for box in boxes)
    assert not any(a.overlaps(b) for n, a in enumerate(boxes) for b in boxes[:n])


# ---- bad input -----------------------------------------------------------------------------------


@ALL
def test_bad_tables(display: Any) -> None:
    with pytest.raises(ValueError, match="one entry for each of the 5 methods, got 2"):
        display.from_values(TABLE, names=["a", "b"])
    with pytest.raises(ValueError, match="must be a table"):
        display.from_values([1.0, 2.0])
    with pytest.raises(ValueError, match="must be finite"):
        display.from_values([[1.0, np.nan]])
    with pytest.raises(ValueError, match="as many values"):
        display.from_values({"a": [1], "b": [1, 2]})


def test_bad_sizes() -> None:
    with pytest.raises(ValueError, match="size must have a finite number for each of the 5"):
        ParetoDisplay.from_values(TABLE, [1, 2])
    with pytest.raises(ValueError, match="alpha"):
        CriticalDifferenceDisplay.from_values(TABLE, alpha=2)
