"""Search for the split of a node whose sides vote for classes, or will be split further."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, first_least
from costboost._core.engine._kernels import BINS, MISSING, TIE, Split, order_categories
from costboost._core.rows import Rows


class BinSums(NamedTuple):
    """Sums over the rows of a node in the bins of all features."""

    amounts: Floats
    """Weight of each class: classes x features x bins."""
    counts: NDArray[np.int64]
    """Number of rows: features x bins."""

    @property
    def total(self) -> Floats:
        """Weight of each class."""
        totals: Floats = self.amounts[:, 0].sum(axis=1)
        return totals


def combined(matrix: Floats, amounts: Floats) -> Floats:
    """Sums over j of matrix[j, k] amounts[j] for each k, added in the order of j."""
    result = np.zeros(amounts.shape)
    for row, amount in zip(matrix, amounts, strict=True):
        for k, factor in enumerate(row.tolist()):
            if factor:
                result[k] += factor * amount
    return result


# ---- candidates ----------------------------------------------------------------------------------


class Cuts(NamedTuple):
    """Ways to divide the bins of a feature, missing values apart: a row for each."""

    left: NDArray[np.bool_]
    """Bins that go left."""
    right: NDArray[np.bool_]
    """Bins that go right."""
    n_ordered: int = 0
    """Number of bins if the cuts are those between neighbouring ones, else 0."""

    def sums(self, values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Sums of the last axis over the bins on the left and on the right of each cut."""
        n = self.n_ordered
        if n:
            inside = values[..., :n]
            below = inside.cumsum(axis=-1)[..., :-1]
            above = inside[..., ::-1].cumsum(axis=-1)[..., ::-1][..., 1:]
            return below, above
        left, right = (
            np.where(mask, values[..., None, :], 0).cumsum(axis=-1)[..., -1]
            for mask in (self.left, self.right)
        )
        return left, right


def cuts_of_numbers(n_bins: int) -> Cuts:
    """Every cut between two neighbouring bins."""
    below = np.arange(BINS) <= np.arange(n_bins - 1)[:, None]
    inside = np.arange(BINS) < n_bins
    return Cuts(below & inside, ~below & inside, n_bins)


def cuts_of_categories(merit: Floats, counts: NDArray[np.int64]) -> Cuts:
    """For each class, categories by the share of its merit: every prefix of this order."""
    total = merit.sum(axis=0)
    sides = []
    for own in merit:
        order = order_categories(np.ascontiguousarray(own), np.ascontiguousarray(total))
        for m in range(1, order.size):
            chosen = np.zeros(BINS, dtype=bool)
            chosen[order[:m]] = True
            sides.append(chosen)
    left = np.array(sides, dtype=bool).reshape(-1, BINS)
    inside = np.zeros(BINS, dtype=bool)
    inside[: counts.size] = True
    return Cuts(left, ~left & inside)


class Sides(NamedTuple):
    """Sums of the two sides of every cut of a feature, and of the missing values."""

    left: Floats
    """classes x cuts."""
    right: Floats
    missing: Floats
    """Of each class."""
    heavier_left: NDArray[np.bool_]
    """Whether the left side of each cut weighs at least as much as the right one."""
    allowed: NDArray[np.bool_]
    """Whether both sides are large enough with missing values right, and left: 2 x cuts."""

    @classmethod
    def of(
        cls, sums: Floats, weight: Floats, counts: NDArray[np.int64], cuts: Cuts, least: int
    ) -> Sides:
        """``sums`` (classes x bins), weights and counts of the bins of a feature."""
        left, right = cuts.sums(sums)
        below, above = cuts.sums(weight)
        n_left, n_right = cuts.sums(counts)
        n_missing = int(counts[MISSING])
        allowed = np.array(
            [
                (n_left >= least) & (n_right + n_missing >= least),
                (n_left + n_missing >= least) & (n_right >= least),
            ]
        )
        if n_missing == 0:
            allowed[:] = allowed[0]
        return cls(left, right, sums[:, MISSING], above <= below + TIE, allowed)

    def placed(self, if_right: Floats, if_left: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        """Values of candidates and whether missing values go left; cuts are the last axis."""
        value = np.where(self.allowed[0], if_right, np.inf)
        other = np.where(self.allowed[1], if_left, np.inf)
        with np.errstate(invalid="ignore"):
            tied = np.abs(value - other) <= TIE
        goes_left = np.where(tied, self.heavier_left, other < value)
        return np.where(goes_left, other, value), goes_left


class FoundSplit(NamedTuple):
    """A split of a node, its criterion, and the votes of its sides if it is a stump."""

    split: Split
    value: float
    votes: tuple[int, int] | None = None


# ---- the search ----------------------------------------------------------------------------------


class Search:
    """Candidates for the split of a node."""

    def __init__(self, rows: Rows, sums: BinSums, price: Floats, least: int, scale: float) -> None:
        self.rows = rows
        self.sums = sums
        self.least = least
        greatest = price.max(axis=1, keepdims=True)
        self.weight = (sums.amounts * (greatest / scale)[:, :, None]).sum(axis=0)
        self.price = combined(price / scale, sums.amounts)
        self.merit = combined((greatest - price) / scale, sums.amounts)

    def _cuts(self, f: int) -> Cuts:
        n_bins = int(self.rows.n_bins[f])
        if self.rows.categorical[f]:
            return cuts_of_categories(self.merit[:, f, :n_bins], self.sums.counts[f, :n_bins])
        return cuts_of_numbers(n_bins)

    def _sides(self, f: int, sums: Floats, cuts: Cuts) -> Sides:
        return Sides.of(sums[:, f], self.weight[f], self.sums.counts[f], cuts, self.least)

    def votes_of(self, f: int) -> tuple[Floats, NDArray[np.bool_], Cuts]:
        """Price of every cut and pair of different votes (cuts x left x right)."""
        cuts = self._cuts(f)
        sides = self._sides(f, self.price, cuts)
        both = sides.left[:, None, :] + sides.right[None, :, :]
        missing = sides.missing
        value, goes_left = sides.placed(
            both + missing[None, :, None], both + missing[:, None, None]
        )
        n_classes = len(missing)
        value[np.arange(n_classes), np.arange(n_classes)] = np.inf
        return value.transpose(2, 0, 1), goes_left.transpose(2, 0, 1), cuts

    def spread_of(self, f: int) -> tuple[Floats, NDArray[np.bool_], Cuts]:
        """Criterion of a tree for every cut."""
        cuts = self._cuts(f)
        sides = self._sides(f, self.merit, cuts)
        missing = sides.missing[:, None]
        value, goes_left = sides.placed(
            spread(sides.left) + spread(sides.right + missing),
            spread(sides.left + missing) + spread(sides.right),
        )
        return value, goes_left, cuts

    def features(self, group: NDArray[np.intp] | None) -> Iterator[int]:
        """Features with a value that is not missing."""
        every = range(self.rows.n_features) if group is None else group.tolist()
        return (f for f in every if self.rows.varies[f])

    def best(self, of: Any, group: NDArray[np.intp] | None, worst: float) -> FoundSplit | None:
        """The first candidate within `TIE` of the least, of those not above ``worst``."""
        least = [(float(of(f)[0].min(initial=np.inf)), f) for f in self.features(group)]
        lowest = min((value for value, _ in least), default=np.inf)
        if lowest == np.inf or lowest > worst:
            return None
        f = next(f for value, f in least if value <= lowest + TIE)
        value, goes_left, cuts = of(f)
        place = int(np.flatnonzero(value.ravel() <= lowest + TIE)[0])
        index = np.unravel_index(place, value.shape)
        left = cuts.left[index[0]].copy()
        missing_left = bool(goes_left[index])
        left[MISSING] = missing_left
        bin_ = 0 if self.rows.categorical[f] else int(index[0])
        split = Split(f, bin_, 1, missing_left, left.astype(np.uint8))
        votes = (int(index[1]), int(index[2])) if len(index) == 3 else None
        return FoundSplit(split, float(value[index]), votes)

    def vote(self) -> int:
        """The class of least price if the node is a leaf."""
        return first_least(self.constants)

    @property
    def constants(self) -> Floats:
        """Price of a vote for each class by all rows of the node."""
        prices: Floats = self.price[:, 0].cumsum(axis=1)[:, -1]
        return prices

    @property
    def whole(self) -> float:
        """Criterion of a tree if the node is a leaf."""
        return float(spread(self.merit[:, 0].cumsum(axis=1)[:, -1:])[0])


def spread(merit: Floats) -> Floats:
    """Sum over the classes of sqrt(V_k (V - V_k)); classes are the first axis."""
    total = merit[0].copy()
    for one in merit[1:]:
        total += one
    result = np.zeros(total.shape)
    for one in merit:
        result += np.sqrt(np.maximum(one * (total - one), 0.0))
    return result
