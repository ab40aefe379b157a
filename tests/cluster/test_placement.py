"""Rows of a collection are found in the shards that hold them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from costboost._core.backends.dask.placement import Placement, balanced, scattered

lengths = st.lists(st.integers(1, 20), min_size=1, max_size=8)


@given(lengths, st.data())
def test_values_come_back_in_the_order_of_the_rows(sizes: list[int], data: st.DataObject) -> None:
    n_shards = data.draw(st.integers(1, len(sizes)))
    others = st.integers(0, n_shards - 1)
    shard_of = [*range(n_shards), *(data.draw(others) for _ in sizes[n_shards:])]
    placement = Placement(sizes, shard_of, n_shards)
    n = sum(sizes)
    everything = placement.places(None)
    kept = [np.arange(n)[place.where] for place in everything]  # what each shard holds
    for place, again in zip(everything, placement.places(np.arange(n)), strict=True):
        np.testing.assert_array_equal(np.arange(n)[place.where], again.where)
        np.testing.assert_array_equal(np.arange(place.n_rows), again.local)
        assert place.local is None
    some = st.lists(st.integers(0, n - 1), unique=True, min_size=1)
    rows = np.array(data.draw(some), dtype=np.intp)
    places = placement.places(rows)
    for place in places:
        assert place.n_rows
        assert np.all(np.diff(place.local) > 0)
    parts = [kept[place.shard][place.local] for place in places]
    np.testing.assert_array_equal(scattered(places, parts), rows)


@given(lengths, st.integers(1, 4), st.data())
def test_no_worker_has_far_more_than_its_share(
    sizes: list[int], n_workers: int, data: st.DataObject
) -> None:
    workers = [str(k) for k in range(n_workers)]
    holders = [data.draw(st.sampled_from([*workers, "gone"])) for _ in sizes]
    load = np.bincount(balanced(sizes, holders, workers), sizes, n_workers)
    assert load.max() <= 1.2 * sum(sizes) / n_workers + max(sizes)


def test_partitions_stay_where_they_are() -> None:
    assert balanced([5, 5, 5, 5], ["b", "a", "b", "a"], ["a", "b"]) == [1, 0, 1, 0]
