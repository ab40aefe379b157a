"""A model during training, as a scorer for early stopping sees it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from costboost.model.binary import BinaryModel
from costboost.tables import Table
from costboost.vectors import Floats


class ModelInTraining(BinaryModel):
    """The first rounds of an ensemble.

    The scores of the validation rows are known already. The ensemble itself is laid out only if
    the scorer uses it, for instance to predict other rows.
    """

    _lay_out: Callable[[], Any]
    _known_score: Floats

    @cached_property
    def ensemble(self) -> Any:
        """The weak learners."""
        return self._lay_out()

    def scores(self, table: Table, n_jobs: int | None) -> Floats:
        """The score F of each row, positive for the positive class."""
        if table is self.known_table:
            return self._known_score.copy()
        return super().scores(table, n_jobs)


def model_in_training(
    empty: BinaryModel,
    rounds: tuple[Floats, Floats, float],
    lay_out: Callable[[], Any],
    known: tuple[Table, Floats],
) -> ModelInTraining:
    """A model with the given steps, errors and votes, and the known scores of a table."""
    model = object.__new__(ModelInTraining)
    weights, errors, votes = rounds
    state = {name: value for name, value in vars(empty).items() if name != "ensemble"}
    state |= {"estimator_weights": weights, "estimator_errors": errors, "votes": votes}
    state |= {"_lay_out": lay_out, "known_table": known[0], "_known_score": known[1]}
    model.__dict__.update(state)
    return model
