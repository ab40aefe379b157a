"""A trained ensemble of straight lines as plain arrays, and its scores on raw values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

LARGEST = 1e300
"""Upper limit of what a line adds to a score, however far from the training rows."""


@dataclass(frozen=True, eq=False)
class Lines:
    """Lines in one feature each; their sum is a linear model.

    Attributes
    ----------
    feature : int32 array
        Feature of each line.
    slope, intercept : float64 arrays
        What a line adds to the score is slope * x + intercept, the step included.
    """

    feature: NDArray[np.int32]
    slope: NDArray[np.float64]
    intercept: NDArray[np.float64]

    @classmethod
    def from_rounds(cls, rounds: Iterable[tuple[int, float, float, float]]) -> Lines:
        """From feature, slope, intercept and step of every round."""
        feature, slope, intercept, step = (np.array(part) for part in zip(*rounds, strict=True))
        return cls(feature.astype(np.int32), step * slope, step * intercept)

    def __len__(self) -> int:
        return len(self.feature)

    def __getitem__(self, rounds: slice) -> Lines:
        return Lines(self.feature[rounds], self.slope[rounds], self.intercept[rounds])

    @staticmethod
    def reversed(line: Lines) -> Lines:
        """The line with the opposite sign."""
        return Lines(line.feature, -line.slope, -line.intercept)

    def rounds(self) -> Iterator[Lines]:
        """The lines, one by one."""
        return (self[t : t + 1] for t in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Lines):
            return NotImplemented
        return self.tobytes() == other.tobytes()

    __hash__ = None  # type: ignore[assignment]

    def tobytes(self) -> bytes:
        """All arrays as bytes: two ensembles are the same exactly if these are."""
        return b"".join(getattr(self, field.name).tobytes() for field in fields(self))

    def add_scores(
        self,
        blocks: Iterator[tuple[slice, NDArray[Any]]],
        score: NDArray[np.float64],
        n_threads: int,
        first: int = 0,
        last: int | None = None,
    ) -> None:
        """Add the lines first, ..., last - 1 to the scores, in their order."""
        chosen = self[slice(first, last)]
        for rows, block in blocks:
            for f, slope, intercept in zip(
                chosen.feature.tolist(),
                chosen.slope.tolist(),
                chosen.intercept.tolist(),
                strict=True,
            ):
                score[rows] += _line(slope, block[:, f], intercept)

    def importances(self, steps: NDArray[np.float64], n_features: int) -> NDArray[np.float64]:
        """Share of each feature in the sizes of the steps."""
        total = np.bincount(self.feature, np.abs(steps), minlength=n_features)
        return np.asarray(total / total.sum())


def _line(slope: float, x: NDArray[Any], intercept: float) -> NDArray[np.float64]:
    with np.errstate(over="ignore"):
        value = slope * x.astype(np.float64) + intercept
    result: NDArray[np.float64] = np.clip(value, -LARGEST, LARGEST, out=value)
    return result
