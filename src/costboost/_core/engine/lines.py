"""A sum of straight lines as plain arrays, with its scores on raw values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.engine.ensemble import RowBlocks
from costboost._core.engine.stored import Arrays

LARGEST = 1e300
"""Upper limit of what a line adds to a score, however far from the training rows."""


@dataclass(frozen=True, eq=False)
class Lines(Arrays):
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

    def add_scores(self, blocks: RowBlocks, score: NDArray[np.float64], n_threads: int) -> None:
        """Add all lines to the scores of blocks of rows, in their order."""
        self.add_stages(blocks, score[np.newaxis], n_threads, [0, len(self)])

    def add_stages(
        self, blocks: RowBlocks, scores: NDArray[np.float64], n_threads: int, ends: Sequence[int]
    ) -> None:
        """Add the lines ends[k], ..., ends[k + 1] - 1 to row k of the scores, for every k."""
        arrays = self.feature, self.slope, self.intercept
        lines = list(zip(*(array.tolist() for array in arrays), strict=True))
        for rows, block in blocks:
            for score, (first, last) in zip(scores, pairwise(ends), strict=True):
                for f, slope, intercept in lines[first:last]:
                    score[rows] += _line(slope, block[:, f], intercept)

    def importances(self, steps: NDArray[np.float64], n_features: int) -> NDArray[np.float64]:
        """Share of each feature in the sizes of the steps."""
        total = np.bincount(self.feature, np.abs(steps), minlength=n_features)
        return np.asarray(total / total.sum())


def _line(slope: float, x: NDArray[Any], intercept: float) -> NDArray[np.float64]:
    with np.errstate(over="ignore"):
        value = slope * x.astype(np.float64) + intercept
    return np.asarray(np.clip(value, -LARGEST, LARGEST, out=value))
