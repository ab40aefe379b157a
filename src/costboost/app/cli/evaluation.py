"""What the decisions of a model cost on held-out rows, beside decisions without it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from numpy.typing import NDArray

from costboost._core.baselines import ABOUT_BY_COSTS, BY_COSTS, Difference
from costboost._core.wording import amount
from costboost.app.cli import terminal
from costboost.app.inspection.leaks import sample_rows
from costboost.app.reading.partitioned_features import PartitionedFeatures
from costboost.app.report.words import Cautions


class Way(NamedTuple):
    """One way to decide on the rows, by the model or without it."""

    name: str
    amounts: Sequence[float]
    """Numbers of mistakes, and what they cost."""
    facts: Mapping[str, Any]
    saved: Difference | None
    """What the model saves compared with it; None for the model."""

    @property
    def saving(self) -> str:
        """What the model saves, with the half width of its interval; empty for the model."""
        if self.saved is None:
            return ""
        return f"{amount(self.saved.money)} ± {amount(self.saved.high - self.saved.money)}"


@dataclass(frozen=True)
class Evaluation:
    """Decisions of a model, decisions without costs, and decisions without a model."""

    opening: str
    """A sentence about the classes and the costs."""
    n_rows: int
    about: Mapping[str, Any]
    """Facts about the classes."""
    ways: Sequence[Way]
    """Ways to decide; the model's comes first."""
    amounts: Sequence[str]
    """Heads of the amounts of a way."""
    savings: Difference | None
    """Share of the cost of the best rule without a model that the model saves."""
    best: str
    """Name of the best rule without a model."""
    saved: Difference
    """What the model saves compared with that rule."""
    cautions: Cautions
    show_mistakes: Callable[[], None]
    """Prints a table of the mistakes of the model."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """Further facts."""

    def show(self) -> None:
        """Print tables of mistakes, costs and savings."""
        terminal.heading(terminal.plural(self.n_rows, self.cautions.rows))
        self.show_mistakes()
        terminal.write()
        terminal.table(
            ["decision", *self.amounts, "the model saves"],
            [[way.name, *map(amount, way.amounts), way.saving] for way in self.ways],
            numbers=1 + len(self.amounts),
        )
        terminal.write()
        terminal.write(terminal.savings(self.savings, self.best))
        if any(way.name == BY_COSTS for way in self.ways):
            terminal.write(ABOUT_BY_COSTS)
        terminal.cautions(self.cautions)

    def facts(self) -> dict[str, Any]:
        """The numbers of the tables for JSON."""
        savings = self.savings
        return {
            "n_rows": self.n_rows,
            **self.about,
            "decisions": {way.name: way.facts for way in self.ways},
            "savings": savings and dict(zip(("share", "low", "high"), savings, strict=True)),
            "without_model": {"decision": self.best, "saved": self.saved._asdict()},
            **self.more,
            "seen_in_training": not self.cautions.held_out,
            "warnings": [caution.text for caution in self.cautions.found],
            "saved": {way.name: way.saved._asdict() for way in self.ways if way.saved},
        }

    def facts_on_rows(self) -> dict[str, Any]:
        """The facts for JSON that are not about predictions of classes."""
        warnings = [caution.text for caution in self.cautions.on_rows.found]
        seen = not self.cautions.held_out
        return {"n_rows": self.n_rows, "seen_in_training": seen, "warnings": warnings}


def examined_rows(X: Any, truth: NDArray[Any]) -> tuple[Any, NDArray[Any] | None]:
    """The rows that cautions come from, and their numbers if they are some rows of a cluster."""
    if not isinstance(X, PartitionedFeatures):
        return X, None
    rows = sample_rows(truth)
    return X.take(rows).in_memory(), rows
