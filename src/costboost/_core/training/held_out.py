"""Rows that are not trained on, scored round by round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats
from costboost._core.engine._kernels import BinnedRows, staged_sums
from costboost._core.engine.binning import Binning
from costboost._core.loop import Round


class OtherRows:
    """Rows that are not trained on, such as those that early stopping watches."""

    def __init__(self, rows: Any) -> None:
        self._rows = rows

    def scores(self, hypothesis: Any) -> Floats:
        """Value of a hypothesis for every row, in the order of the table."""
        scores: Floats = hypothesis.scores(self._rows)
        return scores


class TreeScores:
    """Scores of rows that are not trained on, after several rounds of trees or stumps."""

    def __init__(self, rows: BinnedRows, categorical: NDArray[np.uint8]) -> None:
        self._rows = rows
        self._categorical = categorical

    def after(self, rounds: Sequence[Round], ends: Sequence[int]) -> Floats:
        """Scores after the first n rounds for every n in ``ends``, as an ensemble predicts them.

        Leaf values are rounded as in the ensemble of all the rounds.
        """
        trees = [one.hypothesis.laid for one in rounds]  # type: ignore[attr-defined]
        steps = [one.step for one in rounds]
        return staged_sums(self._rows, self._categorical, trees, steps, ends)


class OtherRemoteRows(OtherRows):
    """Rows on a cluster that are not trained on."""

    def __init__(self, table: Any, binning: Binning, n_jobs: int | None) -> None:
        none = np.zeros(table.n_rows, dtype=np.uint8)
        super().__init__(table.binned(binning, none, n_jobs).open(None, none))
        self._order = self._rows.arranged(np.arange(table.n_rows), none)

    def scores(self, hypothesis: Any) -> Floats:
        gathered = self._rows.gather(self._rows.scores(hypothesis))
        scores: Floats = np.empty_like(gathered)
        scores[self._order] = gathered
        return scores
