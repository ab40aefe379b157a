"""The search over all rows: for a split, a table or a logistic vote."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from costboost._core.arithmetic import Floats
from costboost._core.caching import cached_property
from costboost._core.engine import _kernels
from costboost._core.engine._kernels import Split, search
from costboost._core.rows.quanta import CONSTANTS_COMPETE, without_cost
from costboost._core.rows.targets import TargetRows
from costboost._core.rules.record import Criterion

MANY_FEATURES = 512
"""The search for a split uses several threads from so many features on."""


class SearchedRows(TargetRows):
    """Rows whose sums are searched."""

    @cached_property
    def _search_threads(self) -> int:
        return self.n_threads if self.n_features >= MANY_FEATURES else 1

    def best_split(self, criterion: Criterion, min_samples_leaf: int = 1) -> Split | None:
        """The split (or constant vote) with the least criterion; None if there is no split."""
        counts = self.counts_for_leaves() if min_samples_leaf > 1 else None
        kind = criterion.kind
        units: Sequence[float] = self.amounts.unit
        if kind == "joint":
            units = without_cost(units[0], units[1], criterion.fn_cost, criterion.fp_cost)
        split = search(
            self.amounts.histogram(), units, self.features, criterion,
            counts, min_samples_leaf, kind != "squares", self._search_threads,
            self._draw_of_node(0) if self.draws else None,
        )  # fmt: skip
        return split if kind in CONSTANTS_COMPETE or split.feature >= 0 else None

    def table_losses(self, criterion: Criterion) -> Floats:
        """Criterion of every feature if each of its bins is a leaf."""
        self.class_shares()
        if criterion.kind in CONSTANTS_COMPETE:
            criterion = criterion._replace(kind="error")
        units = self._units()
        losses = _kernels.table_losses(self.histogram(), units, self.features, criterion)
        return np.where(self.features_of_tables(), losses, np.inf)

    def best_logistic_vote(self, values: Floats) -> tuple[Split, float] | None:
        """The logistic regression on one feature with the best vote, and its threshold.

        ``values`` are those of the bins of every feature. None if no feature has a regression.
        """
        self.class_shares()
        return _kernels.best_logistic_vote(self.histogram(), self._units(), self.features, values)
