"""The rows to learn from: of two classes, or of several."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.backends.data import BinsRows, Data
from costboost._core.backends.local import binner
from costboost._core.engine.binning import Binning
from costboost._core.parameters.boosting import MAX_BINS
from costboost._core.parameters.estimators import LEARNERS
from costboost._core.rows import Rows
from costboost._core.rules.record import NetCosts
from costboost._core.tables import Features, Table
from costboost._core.threads.counts import threads
from costboost._core.training.plan import Plan

RELATIVE_UNIT = 2**20
"""Count of a row of mean weight in quantiles, if weights are relative."""
MAX_COPIES = 2**53
MIN_BINS = 16
"""A feature may have this many bins, however few rows there are."""
ROWS_OF_A_STRATUM = 10
"""Rows of a class from which on held-out rows are stratified by it, with several classes."""


def are_relative(weight: NDArray[np.float64] | None, usual_weight: float) -> bool:
    """Whether weights are not counts of rows, because some are not whole numbers.

    Wherever rows are counted, each row then counts as one: weights with a sum of 1 do not make all
    rows count as a single one.
    """
    counts = np.array([usual_weight]) if weight is None else weight
    return bool(np.any(counts != np.floor(counts)) or counts.sum() > MAX_COPIES)


@dataclass(frozen=True, kw_only=True)
class Problem:
    """Rows of two classes, or of several, with weights and costs, checked."""

    table: Table
    """All rows given to `fit`."""
    rows: NDArray[np.intp] | None = None
    """Numbers of the rows of the table that belong to the problem; None for all."""
    features: Features
    classes: NDArray[Any]
    positive_index: int
    positive: NDArray[np.uint8]
    weight: NDArray[np.float64] | None
    """Sample weights, or None if they are constant."""
    costs: NetCosts
    groups: NDArray[np.intp] | None = None
    """A number for the group of each row; no split separates rows of a group."""
    usual_weight: float = 1.0
    """The constant sample weight."""
    relative: bool = False
    """Whether weights are not counts of rows."""
    data: Data | None = None
    """The rows of the fit, binned."""
    trained: NDArray[np.bool_] | None = None
    """Rows to train on, the others being for calibration only; None for all."""
    keeps_cuts: bool = False
    """Whether folds keep the cuts of all rows, instead of being binned by themselves."""
    code: NDArray[np.intp] | None = None
    """Number of the class of each row, if there are several; no row is positive then."""
    matrix: NDArray[np.float64] | None = None
    """With several classes, cost of predicting class j (column) where class i (row) is true."""
    description: str = ""
    """Which class is set against the rest, for error messages."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.positive.size)

    @property
    def truth(self) -> NDArray[Any]:
        """Number of the class of each row; with two classes, whether it is positive."""
        return self.positive if self.code is None else self.code

    @property
    def strata(self) -> NDArray[Any]:
        """Classes by which held-out rows are stratified; rare ones of several count as the largest.

        A fold then need not have rows of every class.
        """
        if self.code is None:
            return self.positive
        counting = slice(None) if self.weight is None else self.weight > 0
        sizes = np.bincount(self.code[counting], minlength=len(self.classes))
        stratum = np.where(sizes >= ROWS_OF_A_STRATUM, np.arange(sizes.size), sizes.argmax())
        if np.unique(stratum).size < 2:
            return self.code
        return np.asarray(stratum[self.code])

    @property
    def class_shares(self) -> NDArray[np.float64]:
        """Weighted share of each class, if there are several."""
        assert self.code is not None
        total = np.bincount(self.code, self.weight, len(self.classes))
        return np.asarray(total / total.sum())

    @property
    def row_numbers(self) -> NDArray[np.intp]:
        """Number of each row in the table."""
        return np.arange(self.n_rows) if self.rows is None else self.rows

    @property
    def own_table(self) -> Table:
        """The rows of the problem as a table of their own."""
        return self.table if self.rows is None else self.table.take(self.rows)

    @property
    def counts(self) -> NDArray[np.float64]:
        """The weight of each row."""
        return np.full(self.n_rows, self.usual_weight) if self.weight is None else self.weight

    @property
    def copies(self) -> NDArray[np.int64] | None:
        """Number of copies that each row stands for; None if it is one for every row."""
        if self.relative or (self.weight is None and self.usual_weight == 1):
            return None
        return self.counts.astype(np.int64)

    @property
    def quantile_counts(self) -> NDArray[np.int64] | None:
        """Count of each row in quantiles, weights being positive; None if all are equal."""
        if self.weight is None or not self.relative:
            return self.copies
        parts = np.rint(self.weight / self.weight.mean() * RELATIVE_UNIT)
        return np.asarray(np.maximum(parts, 1), dtype=np.int64)

    @property
    def seen(self) -> NDArray[np.float64]:
        """How often each row was observed: its weight, or once if weights are relative."""
        return np.ones(self.n_rows) if self.relative else self.counts

    @property
    def cost(self) -> NDArray[np.float64]:
        """Cost of a mistake on each row."""
        return np.asarray(self.costs.of_class(self.positive), dtype=np.float64)

    @property
    def largest_cost(self) -> float:
        """Greatest absolute cost of a mistake; 1 if mistakes cost nothing."""
        return float(np.abs(self.cost).max()) or 1.0

    @property
    def per_row_costs(self) -> bool:
        """Whether costs differ from row to row within a class."""
        return bool(np.ndim(self.costs.fn) or np.ndim(self.costs.fp))

    @property
    def prior(self) -> float:
        """Weighted share of the positives."""
        if self.weight is None:
            return int(np.count_nonzero(self.positive)) / self.positive.size
        return float(np.average(self.positive, weights=self.weight))

    def take(self, rows: NDArray[np.intp]) -> Problem:
        """The problem of these rows, numbered within the problem.

        Unless it keeps its cuts, it is binned by itself, so that a model of these rows does not
        depend on the others.
        """
        costs = NetCosts(*[c[rows] if np.ndim(c) else c for c in self.costs])
        weight = None if self.weight is None else self.weight[rows]
        return replace(
            self,
            rows=rows if self.rows is None else self.rows[rows],
            data=self.data if self.keeps_cuts else None,
            positive=self.positive[rows],
            code=None if self.code is None else self.code[rows],
            groups=None if self.groups is None else self.groups[rows],
            weight=weight,
            costs=costs,
            trained=None if self.trained is None else self.trained[rows],
        )

    def training_part(self) -> Problem:
        """The problem of the rows to train on."""
        return self if self.trained is None else self.take(np.flatnonzero(self.trained))

    def counting(self) -> Problem:
        """The problem without rows of weight 0."""
        if self.weight is None or self.weight.all():
            return self
        return replace(self.take(np.flatnonzero(self.weight)), data=self.data)

    def mean_costs(self) -> NetCosts:
        """The costs, averaged over rows if they differ from row to row."""
        return NetCosts(
            *[float(np.average(c, weights=self.weight)) if np.ndim(c) else c for c in self.costs]
        )

    def binned(self, plan: Plan) -> Problem:
        """The problem with its rows binned, unless they are already or the learner reads values."""
        if self.data is not None or plan.wraps:
            return self
        counting = self.counting()
        table = binner(counting.table, counting.rows)
        binning = counting.find_bins(table, plan)
        data = table.binned(binning, counting.positive, plan.parameters.n_jobs)
        return replace(self, data=data)

    def find_bins(self, table: BinsRows, plan: Plan) -> Binning:
        """Cuts and category codes of the rows of the problem."""
        max_bins = plan.parameters.max_bins
        if max_bins == MAX_BINS:
            max_bins = LEARNERS[plan.learner].usual_bins or MAX_BINS
        copies = self.copies
        n_rows = self.n_rows if copies is None else int(copies.sum())
        max_bins = min(max_bins, max(MIN_BINS, n_rows // plan.traits.rows_per_bin))
        counts = self.quantile_counts
        n_threads = threads(plan.parameters.n_jobs, self.n_rows * self.table.n_features)
        return table.find_bins(max_bins, plan.parameters.categorical_features, n_threads, counts)

    def training_rows(self, plan: Plan, columns: Any = None) -> Rows:
        """The binned rows of the problem with weights and scores of their own."""
        assert self.data is not None
        n_scores = 1 if self.code is None else len(self.classes)
        binning = self.data.binning
        opened = self.data.open(self.rows, self.positive, plan.parameters.n_jobs, columns, n_scores)
        return Rows(opened, binning.n_bins, binning.categorical)
