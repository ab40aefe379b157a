"""Which of many candidates can be the best, by bounds from a few looks at all of them.

A candidate is made of pieces, each a convex function of one number. All pieces are looked at for
the same numbers; tangents bound every piece from below, and a candidate that cannot win by these
bounds is gone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost.cells import Floats

TIE = 1e-12
FEW = 2
"""So many candidates are judged one by one rather than looked at once more."""
LOOKS = 24
ASKED = 64
"""So many candidates, the most promising first, are asked for a number worth a look."""
FARTHEST = 200.0
"""Numbers are not looked at beyond this, in units of 1 / greatest cost: e^x would be too large."""


class Look(NamedTuple):
    """Loss and slope of every piece at one number, and how far rounding may have moved them."""

    at: float
    value: Floats
    slope: Floats
    errors: tuple[float, float]


class Bounds:
    """What the looks so far tell of the least loss of every piece."""

    def __init__(self, first: Look, reach: float) -> None:
        shape = first.value.shape
        self.reach = reach
        """No minimum is farther from a number that is looked at."""
        self.pinned = np.full(shape, -np.inf)
        """The least that a piece can have by looks whose slope was hidden by rounding."""
        self.at = np.stack([np.full(shape, -np.inf), np.full(shape, np.inf)])
        self.value = np.full((2, *shape), np.inf)
        self.reached = np.full(shape, np.inf)
        self.slope = np.zeros((2, *shape))
        self.errors = np.zeros((2, 2, *shape))
        """How far values and slopes on either side may be off."""
        self.see(first)

    def see(self, look: Look) -> None:
        """Take another look into account: it lies below or above the minimum of each piece.

        Where rounding hides on which side, the piece is as good as flat there.
        """
        self.reached = np.minimum(self.reached, look.value + look.errors[0])
        hidden = look.errors[1]
        flat = look.value - look.errors[0] - 2 * hidden * self.reach
        unclear = (np.abs(look.slope) <= hidden) & (look.slope != 0)
        self.pinned = np.where(unclear, np.maximum(self.pinned, flat), self.pinned)
        sides = look.slope < -hidden, (look.slope > hidden) | (look.slope == 0)
        for side, here in enumerate(sides):
            nearer = here & (look.at > self.at[0] if side == 0 else look.at < self.at[1])
            self.at[side][nearer] = look.at
            self.value[side][nearer] = look.value[nearer]
            self.slope[side][nearer] = look.slope[nearer]
            for kind, error in enumerate(look.errors):
                self.errors[kind, side][nearer] = error

    @property
    def bracketed(self) -> NDArray[np.bool_]:
        return np.asarray(np.isfinite(self.at).all(axis=0))

    def crossing(self) -> Floats:
        """Where the tangents from both sides meet."""
        (a, b), (u, v), (s, t) = self.at, self.value, self.slope
        with np.errstate(invalid="ignore", divide="ignore"):
            x = (v - u + s * a - t * b) / (s - t)
        return np.where(self.bracketed, np.clip(x, a, b), np.nan)

    def below(self) -> Floats:
        """No piece has less."""
        with np.errstate(invalid="ignore"):
            tangent = self.value[0] + self.slope[0] * (self.crossing() - self.at[0])
            values, slopes = self.errors.sum(axis=1)
            rounding = values + slopes * (self.at[1] - self.at[0])
            by_tangents = np.where(self.bracketed, np.maximum(tangent - rounding, 0), 0)
        return np.asarray(np.maximum(by_tangents, self.pinned))

    def above(self) -> Floats:
        """Every piece reaches this."""
        return self.reached


def screen(
    look: Callable[[float], Look],
    judge: Callable[[Bounds], tuple[Floats, Floats]],
    pieces_of: Callable[[int], tuple[NDArray[np.intp], ...]],
    unit: float,
    lowest: float = -np.inf,
) -> NDArray[np.intp]:
    """The candidates that may be the best, in their order.

    ``judge`` gives the least and the most that every candidate may have, ``pieces_of`` where the
    pieces of a candidate are, ``unit`` the size of a first step; no number below ``lowest`` counts.
    """
    bounds = Bounds(look(0.0), FARTHEST * unit)
    looked = {0.0}
    for k in range(LOOKS):
        least, most = judge(bounds)
        left = np.flatnonzero(least <= most.min() + TIE)
        if left.size <= FEW and k > 2:
            break
        promising = left[np.argsort(least[left], kind="stable")][:ASKED].tolist()
        numbers = (_next_look(bounds, pieces_of(one), unit) for one in promising)
        at = next((x for x in numbers if x is not None and x >= lowest and x not in looked), None)
        if at is None:
            break
        looked.add(at)
        bounds.see(look(at))
    least, most = judge(bounds)
    return np.flatnonzero(least <= most.min() + TIE)


def _next_look(bounds: Bounds, where: tuple[NDArray[np.intp], ...], unit: float) -> float | None:
    """A number that tells more of the piece that is known least."""
    known = bounds.bracketed[where] | (bounds.pinned[where] > -np.inf)
    gap = np.where(known, bounds.above()[where] - bounds.below()[where], np.inf)
    piece = tuple(axis[int(np.argmax(gap))] for axis in where)
    low, high = (float(side[piece]) for side in bounds.at)
    if bounds.bracketed[piece]:
        at = float(bounds.crossing()[piece])
        return at if low < at < high else None
    at = 2 * low + unit if np.isfinite(low) else 2 * high - unit
    farthest = FARTHEST * unit
    return at if abs(at) <= farthest else None
