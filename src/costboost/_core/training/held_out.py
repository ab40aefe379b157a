"""Rows that are not trained on, by their values or after several rounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from costboost._core.arithmetic import Floats
from costboost._core.backends.data import SumsTrees
from costboost._core.backends.protocol import HasScores
from costboost._core.loop import Round


class OtherValues:
    """Values of rows that are not trained on, for hypotheses that read values."""

    trees = None

    def __init__(self, rows: Any) -> None:
        self._rows = rows

    def scores(self, hypothesis: HasScores) -> Floats:
        """Value of a hypothesis for every row, in the order of the table."""
        scores: Floats = hypothesis.scores(self._rows)
        return scores


class TreeScores:
    """Scores of rows that are not trained on, after several rounds of trees or stumps."""

    def __init__(self, rows: SumsTrees) -> None:
        self._rows = rows

    def after(self, rounds: Sequence[Round], ends: Sequence[int]) -> Floats:
        """Scores after the first n rounds for every n in ``ends``, as an ensemble predicts them.

        Leaf values are rounded as in the ensemble of all the rounds.
        """
        trees = [one.hypothesis.laid for one in rounds]  # type: ignore[attr-defined]
        steps = [one.step for one in rounds]
        return self._rows.staged_sums(trees, steps, ends)
