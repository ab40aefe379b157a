"""What the decisions of a model cost on held-out rows, to be printed."""

from __future__ import annotations

from typing import Any, Protocol

from numpy.typing import NDArray

from costboost.app.inspection.leaks import sample_rows
from costboost.app.reading.partitioned_features import PartitionedFeatures
from costboost.app.report.words import Cautions


class Evaluation(Protocol):
    """Decisions of a model on held-out rows, to be printed."""

    @property
    def cautions(self) -> Cautions:
        """Cautions about the numbers."""
        ...

    @property
    def opening(self) -> str:
        """A sentence about the classes and the costs."""
        ...

    def show(self) -> None:
        """Print tables of mistakes, costs and savings."""
        ...

    def facts(self) -> dict[str, Any]:
        """The numbers of the tables for JSON."""
        ...


def facts_on_rows(evaluation: Evaluation) -> dict[str, Any]:
    """The facts for JSON that are not about predictions of classes."""
    facts = evaluation.facts()
    on_rows = {name: facts[name] for name in ("n_rows", "seen_in_training")}
    return {**on_rows, "warnings": [caution.text for caution in evaluation.cautions.on_rows.found]}


def examined_rows(X: Any, truth: NDArray[Any]) -> tuple[Any, NDArray[Any] | None]:
    """The rows that cautions come from, and their numbers if they are some rows of a cluster."""
    if not isinstance(X, PartitionedFeatures):
        return X, None
    rows = sample_rows(truth)
    return X.take(rows).in_memory(), rows
