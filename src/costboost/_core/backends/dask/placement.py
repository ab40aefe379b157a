"""Which rows of a collection are in which shard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

RowNumbers = NDArray[np.intp]


class Place(NamedTuple):
    """Rows in a shard: where they are among the rows in question, and in the shard."""

    shard: int
    n_rows: int
    where: RowNumbers | slice
    local: RowNumbers | None
    """None if they are all rows of the shard."""


class Placement:
    """The partitions of a collection, one behind the other, and the shard of each."""

    def __init__(self, lengths: Sequence[int], shard_of: Sequence[int], n_shards: int) -> None:
        self.lengths = np.asarray(lengths, dtype=np.intp)
        self.first = np.cumsum(self.lengths) - self.lengths
        self.shard_of = np.asarray(shard_of, dtype=np.intp)
        self.n_shards = n_shards
        self.n_rows = int(self.lengths.sum())
        self.offset = np.zeros(self.lengths.size, dtype=np.intp)
        """Number of rows of the same shard before each partition."""
        for k in range(n_shards):
            own = np.flatnonzero(self.shard_of == k)
            self.offset[own] = np.cumsum(self.lengths[own]) - self.lengths[own]

    def places(self, rows: RowNumbers | None) -> list[Place]:
        """Where rows are, given by their numbers in the collection; None for all rows.

        There is a place for each shard that has some of them, in which numbers increase.
        """
        if rows is None:
            return [self._all_of(k) for k in range(self.n_shards)]
        partition = np.searchsorted(self.first + self.lengths, rows, side="right")
        shard = self.shard_of[partition]
        local = rows - self.first[partition] + self.offset[partition]
        result = []
        for k in range(self.n_shards):
            where = np.flatnonzero(shard == k)
            if not where.size:
                continue
            if np.any(np.diff(local[where]) < 0):
                where = where[np.argsort(local[where], kind="stable")]
            result.append(Place(k, where.size, where, local[where]))
        return result

    def partitions(self, rows: RowNumbers) -> Iterator[tuple[tuple[int, int], RowNumbers]]:
        """The partitions of rows whose numbers increase: shard, place in it, and rows of each."""
        ends = np.searchsorted(rows, self.first + self.lengths)
        for p, own in enumerate(np.split(rows, ends[:-1])):
            if own.size:
                shard = int(self.shard_of[p])
                place = int(np.count_nonzero(self.shard_of[:p] == shard))
                yield (shard, place), own - self.first[p]

    def _all_of(self, k: int) -> Place:
        """Where the rows of a shard are among all rows."""
        own = np.flatnonzero(self.shard_of == k)
        n = int(self.lengths[own].sum())
        if np.all(np.diff(own) == 1):
            return Place(k, n, slice(self.first[own[0]], self.first[own[0]] + n), None)
        runs = [np.arange(self.first[p], self.first[p] + self.lengths[p]) for p in own]
        return Place(k, n, np.concatenate(runs), None)


def scattered(places: Sequence[Place], parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Results of the shards for their rows, the last axis, in the order of the rows."""
    n = sum(place.n_rows for place in places)
    out = np.empty((*parts[0].shape[:-1], n), dtype=np.result_type(*parts))
    for place, part in zip(places, parts, strict=True):
        out[..., place.where] = part
    return out


def balanced(lengths: Sequence[int], holders: Sequence[str], workers: Sequence[str]) -> list[int]:
    """A worker for each partition: its holder, unless that has far more than its share."""
    share = sum(lengths) / len(workers)
    load = dict.fromkeys(workers, 0)
    chosen: list[str] = [""] * len(lengths)
    for k in sorted(range(len(lengths)), key=lambda k: -lengths[k]):
        worker = holders[k] if holders[k] in load else workers[0]
        least = min(workers, key=load.__getitem__)
        if load[worker] + lengths[k] > 1.2 * share and load[least] < load[worker]:
            worker = least
        chosen[k] = worker
        load[worker] += lengths[k]
    return [workers.index(worker) for worker in chosen]
