"""Which leaf of a growing tree is divided next, and what is known of its sides."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from costboost._core.engine._kernels import ALL_LEVELS, Frontier, Interactions, Split, TreeLimits
from costboost._core.growing.grow import Candidate

TOLERANCE = 1e-12
GAINS = st.lists(st.sampled_from([None, 3e-12, 0.25, 0.25 + 5e-13, 0.5]), max_size=60)


def candidate(gain: float | None, feature: int = 0) -> Candidate | None:
    return None if gain is None else Candidate(Split(feature), gain)


@given(GAINS, st.sampled_from([None, 1, 2, 5, 100]), st.booleans())
def test_leaves_are_divided_in_order(
    gains: list[float | None], most: int | None, last_found: bool
) -> None:
    frontier = Frontier(TreeLimits(None, most, 1, TOLERANCE), 1, last_found)
    frontier.root((0.5, 0.5))
    waiting: dict[int, float] = {}
    left = []
    new = [0]
    for n_leaves in count(1):
        for k in new:
            gain = gains.pop() if gains else None
            frontier.found(k, candidate(gain))
            if gain is not None:
                waiting[k] = gain
        if not waiting or n_leaves == most:
            break
        greatest = max(waiting.values())
        if last_found:
            expected = list(waiting)[-1]
        else:
            expected = min(k for k, g in waiting.items() if g >= greatest - TOLERANCE)
        assert frontier.next() == expected
        assert sorted(waiting, key=lambda k: (-waiting[k], k))[: most and most - n_leaves] == (
            frontier.promising()
        )
        del waiting[expected]
        assert frontier.divide(expected) == 2 * n_leaves - 1
        left.append(expected)
        new = [2 * n_leaves, 2 * n_leaves - 1]
    assert frontier.next() is None
    assert frontier.last == (n_leaves == most)
    children, splits, *_ = frontier.laid()
    assert {k: children[k] for k in np.flatnonzero(children >= 0)} == {
        k: 2 * n + 1 for n, k in enumerate(left)
    }
    assert len(splits) == len(left)


def test_shares_levels_and_depths_are_those_of_the_side() -> None:
    frontier = Frontier(TreeLimits(2), 3)
    frontier.root((0.25, 0.75))
    assert frontier.shares(0) == (0.25, 0.75)
    assert frontier.levels(0) == ALL_LEVELS
    sides = ((0.25, 0.5), (0.0, 0.25)), ((-1.0, 0.5), (0.5, 2.0))
    frontier.found(0, Candidate(Split(2), 0.1, *sides))
    assert frontier.split(0).feature == 2
    assert frontier.divide(0) == 1
    assert [frontier.shares(k) for k in (1, 2)] == list(sides[0])
    assert [frontier.levels(k) for k in (1, 2)] == list(sides[1])
    assert frontier.searchable(2)
    frontier.found(2, candidate(0.1))
    assert frontier.divide(2) == 3
    assert not frontier.searchable(3)
    _, _, gain, share, levels = frontier.laid()
    assert gain.tolist() == [0.1, 0, 0.1, 0, 0]
    assert share[:3].tolist() == [[0.25, 0.75], *map(list, sides[0])]
    assert levels[1:3].tolist() == list(map(list, sides[1]))


def allowed(interactions: Interactions | None, path: list[int]) -> list[int]:
    """Flags of the features that may follow those of a path."""
    frontier, k = Frontier(TreeLimits(interactions=interactions), 4), 0
    frontier.root((0.5, 0.5))
    for feature in path:
        frontier.found(k, candidate(1.0, feature))
        k = frontier.divide(k) + 1
    flags = frontier.allowed(k)
    return [1, 1, 1, 1] if flags is None else flags.tolist()


def test_features_that_may_follow() -> None:
    groups = Interactions(0, np.array([0, 1, 1, 2, 3], np.int32), np.array([2, 4, 5], np.int64))
    assert allowed(groups, []) == [1, 1, 1, 1]
    assert allowed(groups, [1]) == [1, 1, 1, 0]
    assert allowed(groups, [1, 2, 1]) == [0, 1, 1, 0]
    assert allowed(Interactions(2), [3, 3]) == [1, 1, 1, 1]
    assert allowed(Interactions(2), [3, 0]) == [1, 0, 0, 1]
    assert allowed(None, [3, 0, 1]) == [1, 1, 1, 1]
    with pytest.raises(ValueError, match="feature 3 does not exist"):
        Frontier(TreeLimits(interactions=groups), 3)


def test_nodes_that_do_not_exist_or_cannot_be_divided() -> None:
    frontier = Frontier(TreeLimits(), 1)
    with pytest.raises(ValueError, match="node 0 does not exist"):
        frontier.found(0, candidate(1.0))
    frontier.root((0.5, 0.5))
    with pytest.raises(ValueError, match="a root already"):
        frontier.root((0.5, 0.5))
    with pytest.raises(ValueError, match="no leaf with a split"):
        frontier.divide(0)
    frontier.found(0, candidate(1.0))
    frontier.divide(0)
    with pytest.raises(ValueError, match="divided already"):
        frontier.found(0, candidate(1.0))
