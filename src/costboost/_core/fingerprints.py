"""Recognise the rows that a model was trained on, from a small sketch of their hashes.

The hash of a row is taken over its values as they are given, before rare categories are joined, so
that the same row has the same hash whatever file or container it comes from. A sketch keeps the
smallest hashes. For a row whose hash is not above the greatest of them, the sketch decides whether
it is a training row; such rows are a random sample, since hashes behave like random numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, gammaln

from costboost._core.engine._kernels import add_hashes
from costboost._core.tables import Coder, Table

Hashes = NDArray[np.uint64]
Sketch = tuple[Hashes, NDArray[np.intp], bool]
"""Smallest distinct hashes, their counts, and whether these are all hashes."""

KEPT = 2048
"""Number of hashes in a sketch (16 kB); exact for up to so many distinct training rows."""
RARE = 1e-3
"""Largest probability of a chance agreement at which rows are taken for training rows."""

MISSING = 0x7FC00000
"""The word of a missing value: the bits of NaN."""

LARGE = 2.0**1023
"""Larger numbers among categories are hashed as text: not all of them are floats."""

_GOLDEN = 0x9E3779B97F4A7C15
_FIRST, _SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


class Overlap(NamedTuple):
    """Number of rows that have the values of a training row."""

    n_rows: int
    n_known: int
    """Number of rows that the sketch could decide on."""
    n_seen: int
    """Number of those that have the values of a training row."""
    n_training: int
    """Number of training rows in the sketch."""
    n_copies: int
    """Number of those whose values occur in another training row too."""

    @property
    def exact(self) -> bool:
        """Whether the sketch could decide on every row."""
        return self.n_known == self.n_rows

    @property
    def share(self) -> float:
        """Share of the rows that have the values of a training row."""
        return self.n_seen / self.n_known if self.n_known else 0.0

    @property
    def by_chance(self) -> float:
        """Expected share of these among new rows, estimated from copies among training rows."""
        return (self.n_copies + 1) / (self.n_training + 2)

    @property
    def beyond_chance(self) -> bool:
        """Whether more rows agree with training rows than expected by chance.

        The share by chance is only estimated, so that the number of rows is beta-binomial. With
        n training rows, N1 of them without a copy and N2 values that occur twice, the variance of
        the estimate is (N1 (1 - N1 / n) + 2 N2) / n^2 (Esty, 1983), in which N2 is at most half of
        the copies. ``trust`` is the ratio of N1 (1 - N1 / n) to the numerator.
        """
        if not self.n_seen:
            return False
        copied, alone = self.n_copies + 1, self.n_training - self.n_copies + 1
        trust = alone / (alone + self.n_training + 1)
        return _at_least(self.n_seen, self.n_known, trust * copied, trust * alone) <= RARE


def _at_least(k: int, n: int, a: float, b: float) -> float:
    """Probability of k or more of n under the beta-binomial distribution."""
    seen = np.arange(k, n + 1)
    ways = gammaln(n + 1) - gammaln(seen + 1) - gammaln(n - seen + 1)
    return float(np.exp(ways + betaln(seen + a, n - seen + b) - betaln(a, b)).sum())


@dataclass(frozen=True)
class Fingerprint:
    """Sketch of training rows: their smallest hashes, and how many of these rows have copies.

    Up to version 0.2, categories were hashed by their codes. Where rare categories share a code,
    different rows then have the same hash, and such a sketch is of no use.
    """

    keys: Hashes
    """Distinct hashes in increasing order."""
    n_rows: int
    """Number of training rows with these hashes."""
    n_copies: int
    """Number of those whose values occur in another training row too."""
    whole: bool
    """Whether the sketch holds the hashes of all training rows."""
    of_values: bool = False
    """Whether categories are hashed by their values; otherwise by their codes."""

    @property
    def n_training(self) -> float:
        """Number of training rows: counted, or estimated from the share of all hashes it holds."""
        if self.whole:
            return float(self.n_rows)
        return self.n_rows * 2.0**64 / float(self.keys[-1])

    def overlap(self, table: Table, coders: Sequence[Coder | None]) -> Overlap | None:
        """Count the rows of a table that were training rows; None if the sketch is of no use."""
        if not self.of_values and any(coder is not None and coder.shared for coder in coders):
            return None
        hashes = (row_hashes if self.of_values else hashes_of_codes)(table, coders)
        known = hashes if self.whole else hashes[hashes <= self.keys[-1]]
        place = np.searchsorted(self.keys, known).clip(max=self.keys.size - 1)
        seen = int(np.count_nonzero(self.keys[place] == known))
        return Overlap(hashes.size, known.size, seen, self.n_rows, self.n_copies)


def fingerprint(
    table: Table, coders: Sequence[Coder | None], counting: NDArray[np.bool_] | None = None
) -> Fingerprint:
    """Sketch of the rows of a table, or of those selected by the mask ``counting``."""
    parts = table.each(_sketch, coders, table.divided(counting))
    keys, count, whole = parts[0] if len(parts) == 1 else _merged(parts)
    return Fingerprint(keys, int(count.sum()), int(count[count > 1].sum()), whole, True)


def _sketch(table: Table, coders: Sequence[Coder | None], counting: Any) -> Sketch:
    hashes = row_hashes(table, coders)
    return _smallest(hashes if counting is None else hashes[counting])


def _merged(parts: Sequence[Sketch]) -> Sketch:
    """The sketch of all rows, from those of several parts."""
    keys, place = np.unique(np.concatenate([keys for keys, _, _ in parts]), return_inverse=True)
    count = np.zeros(keys.size, dtype=np.intp)
    np.add.at(count, place, np.concatenate([count for _, count, _ in parts]))
    whole = keys.size <= KEPT and all(whole for _, _, whole in parts)
    return keys[:KEPT], count[:KEPT], whole


def _smallest(hashes: Hashes) -> Sketch:
    """The smallest distinct hashes, their counts, and whether these are all hashes."""
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
    """Hash of the values of each row: numbers in single precision, categories by their labels."""
    if not any(coders):
        return hashes_of_codes(table, coders)
    total = np.zeros(table.n_rows, dtype=np.uint64)
    for j, coder in enumerate(coders):
        if coder is None:
            add_hashes(table.column(j)[:, np.newaxis], _factors(j, 1), total)
            continue
        column = table.labels(j)
        words = np.array([*map(_word, column.labels), MISSING], dtype=np.uint64)
        total += _factors(j, 1) * words[column.codes]
    return _mixed(total)


def hashes_of_codes(table: Table, coders: Sequence[Coder | None]) -> Hashes:
    """Hash of each row with categories as codes, as it was up to version 0.2."""
    total = np.zeros(table.n_rows, dtype=np.uint64)
    for first, block in table.numbers(coders):
        add_hashes(block, _factors(first, block.shape[1]), total)
    return _mixed(total)


def _word(label: Any) -> int:
    """The word of a category: the bits of a number that a float holds, else a hash of its text."""
    label = label.item() if isinstance(label, np.generic) else label
    if isinstance(label, (int, float)) and abs(label) < LARGE and float(label) == label:
        return int(np.float64(label + 0.0).view(np.uint64))
    text = str(label).encode("utf-8", "surrogatepass")
    return int.from_bytes(sha256(text).digest()[:8], "little")


def _factors(first: int, n: int) -> Hashes:
    """Odd factors of n columns."""
    return _mixed(np.arange(first + 1, first + n + 1, dtype=np.uint64)) | np.uint64(1)


def _mixed(values: Hashes) -> Hashes:
    """The output function of SplitMix64: every bit depends on all bits."""
    z = values * np.uint64(_GOLDEN)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(_FIRST)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(_SECOND)
    return z ^ (z >> np.uint64(31))
