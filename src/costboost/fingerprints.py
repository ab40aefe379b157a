"""Recognise the rows that a model was trained on, from a small sketch of their hashes.

The hash of a row is taken over its values as the model reads them, categories by their codes, so
that the same row has the same hash whatever file or container it comes from. A sketch keeps the
smallest hashes. A row whose hash is not above the greatest of them is known to be a training row or
not; such rows are a random sample of all, since hashes know nothing of the values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc

from costboost.engine._kernels import add_hashes
from costboost.tables import Coder, Table

Hashes = NDArray[np.uint64]

KEPT = 2048
"""Hashes in a sketch: 16 kB, exact for training data of up to so many different rows."""
RARE = 1e-3
"""Rows are taken for training rows if so many agree by chance with at most this probability."""

_GOLDEN = 0x9E3779B97F4A7C15
_FIRST, _SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


class Overlap(NamedTuple):
    """How many rows have the values of a training row."""

    n_rows: int
    n_known: int
    """Rows of which the sketch knows whether they do, ..."""
    n_seen: int
    """... and those that do."""
    by_chance: float
    """Share of new rows that would, estimated from the copies among the training rows."""

    @property
    def exact(self) -> bool:
        """Whether every row could be looked up."""
        return self.n_known == self.n_rows

    @property
    def share(self) -> float:
        """Share of the rows that have the values of a training row."""
        return self.n_seen / self.n_known if self.n_known else 0.0

    @property
    def beyond_chance(self) -> bool:
        """Whether more rows agree with training rows than new rows would."""
        if not self.n_seen:
            return False
        return bool(bdtrc(self.n_seen - 1, self.n_known, self.by_chance) <= RARE)


@dataclass(frozen=True)
class Fingerprint:
    """The smallest hashes of training rows, and how many of these rows have copies."""

    keys: Hashes
    """In rising order, each once."""
    n_rows: int
    """Training rows with these hashes, ..."""
    n_copies: int
    """... and those among them whose values another training row has too."""
    whole: bool
    """Whether there are no other hashes."""

    def overlap(self, table: Table, coders: Sequence[Coder | None]) -> Overlap:
        """How many rows of a table were training rows."""
        hashes = row_hashes(table, coders)
        known = hashes if self.whole else hashes[hashes <= self.keys[-1]]
        place = np.searchsorted(self.keys, known).clip(max=self.keys.size - 1)
        seen = int(np.count_nonzero(self.keys[place] == known))
        by_chance = (self.n_copies + 1) / (self.n_rows + 2)
        return Overlap(hashes.size, known.size, seen, by_chance)


def fingerprint(
    table: Table, coders: Sequence[Coder | None], counting: NDArray[np.bool_] | None = None
) -> Fingerprint:
    """The sketch of the rows of a table, or of those that count."""
    hashes = row_hashes(table, coders)
    hashes = hashes if counting is None else hashes[counting]
    keys, count, whole = _smallest(hashes)
    return Fingerprint(keys, int(count.sum()), int(count[count > 1].sum()), whole)


def _smallest(hashes: Hashes) -> tuple[Hashes, NDArray[np.intp], bool]:
    """The smallest different hashes, how often each occurs, and whether these are all."""
    near = hashes
    if hashes.size > 8 * KEPT:
        near = hashes[hashes <= np.partition(hashes, 4 * KEPT)[4 * KEPT]]
    keys, count = np.unique(near, return_counts=True)
    if keys.size < KEPT and near.size < hashes.size:  # so many copies that all have to be sorted
        keys, count = np.unique(hashes, return_counts=True)
        near = hashes
    whole = keys.size <= KEPT and near.size == hashes.size
    return keys[:KEPT], count[:KEPT], whole


def row_hashes(table: Table, coders: Sequence[Coder | None]) -> Hashes:
    """A hash of the values of each row, as single floats."""
    total = np.zeros(table.n_rows, dtype=np.uint64)
    for first, block in table.numbers(coders):
        column = np.arange(first + 1, first + block.shape[1] + 1, dtype=np.uint64)
        add_hashes(block, _mixed(column) | np.uint64(1), total)
    return _mixed(total)


def _mixed(values: Hashes) -> Hashes:
    """The output function of SplitMix64: every bit depends on all bits."""
    z = values * np.uint64(_GOLDEN)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(_FIRST)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(_SECOND)
    return z ^ (z >> np.uint64(31))
