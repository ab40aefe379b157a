"""Lines in one feature, the learner of Masnadi-Shirazi and Vasconcelos' LogitBoost."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, first_least
from costboost._core.backends.offers import Needs
from costboost._core.backends.protocol import RunsNewton
from costboost._core.cells import Outcome
from costboost._core.engine._kernels import line_losses
from costboost._core.engine.lines import Lines
from costboost._core.learners.hypothesis import Laid
from costboost._core.learners.raw_values import BinValues, Columns
from costboost._core.rows import Rows
from costboost._core.rules.record import Criterion

STEEPEST = 1e305
"""A line with a greater slope is replaced by a constant, so that its products stay finite."""


class Line:
    """g(x) = slope x_j + intercept. It has no leaves: rows are scored one by one."""

    many_leaves = False
    solved: Floats | None = None
    tree = None
    pooled: Floats | None = None
    weight: Floats = np.empty(0)
    outcome = Outcome(np.empty(0))

    def __init__(self, feature: int, slope: float, intercept: float) -> None:
        self.feature = feature
        self.slope = slope
        self.intercept = intercept

    def scores(self, rows: Columns) -> NDArray[np.float64]:
        x = rows.column(self.feature)
        result: NDArray[np.float64] = np.multiply(x, self.slope, dtype=np.float64)
        result += self.intercept
        return result


class LineLearner:
    """Finds the feature whose line fits the response best.

    The feature is chosen by its bins, which is exact if every bin holds one value only. The line
    is fitted to the values of the rows.
    """

    needs: Needs = (RunsNewton,)

    def __init__(self, columns: Columns, values: BinValues) -> None:
        self.columns = columns
        seen = np.isfinite(values.value)
        x = np.where(seen, values.value, 0.0)
        n_seen = np.maximum(seen.sum(axis=1, keepdims=True), 1)
        middle = (x / n_seen).sum(axis=1, keepdims=True)  # centred, so that squares do not cancel
        self.x = np.where(seen, x - middle, 0.0)
        size = np.abs(self.x).max(axis=1, keepdims=True)
        self.x /= np.where(size > 0, size, 1.0)

    def find(self, rows: Rows, criterion: Criterion) -> Line:
        loss = line_losses(rows.histogram(), rows.response.unit, rows.features, self.x)
        return self._fit(rows, first_least(loss))

    def recall(self, rows: Rows, memory: Any, criterion: Criterion) -> Line:
        return self._fit(rows, int(memory.feature[0]))

    def model(self, rounds: Laid) -> Lines:
        return Lines.from_rounds((h.feature, h.slope, h.intercept, step) for h, step in rounds)

    def _fit(self, rows: Rows, feature: int) -> Line:
        """Weighted least squares on the rows, whose values are first scaled to [-1, 1]."""
        middle, reach, scaled = self.columns.scaled(feature)
        slope, intercept = rows.response.line(rows.vector(scaled))
        if abs(slope) > STEEPEST * reach:
            slope, intercept = rows.response.line(rows.vector(np.zeros_like(scaled)))
        slope /= reach
        return Line(feature, slope, intercept - slope * middle)
