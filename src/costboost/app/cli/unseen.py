"""Categories that training had no rows of, counted while rows are predicted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from costboost._core.wording import percent
from costboost.app.cli import terminal
from costboost.app.cli.model_files import known_categories
from costboost.app.inspection.categories import count_unseen
from costboost.app.reading.data_layout import DataLayout
from costboost.app.reading.partitioned_features import collected

MANY_UNSEEN = 0.5
"""Share of the rows from which a column is probably another one, or spelt differently."""


@dataclass
class UnseenCategories:
    """Counts categories that are taken as missing because training had no rows of them."""

    model: Any
    layout: DataLayout
    counts: Counter[str] = field(default_factory=Counter)
    n_rows: int = 0

    def add(self, X: Any) -> None:
        """Count those of some rows."""
        self.n_rows += X.num_rows
        known = known_categories(self.model, self.layout)
        for counts in collected(X, count_in, known):
            self.counts.update(counts)

    def print_notes(self) -> None:
        """Print a note for each column, or a warning if it is most of the rows."""
        for column, n in self.counts.items():
            share = n / self.n_rows
            text = (
                f"column {column!r}: {terminal.plural(n, 'value')} in {self.n_rows:,} rows "
                f"({percent(share)}) never seen in training, counted as missing"
            )
            if share > MANY_UNSEEN:
                terminal.warning(f"{text}; is it the same column, spelt as in training?")
            else:
                terminal.note(text)


def count_in(X: Any, known: dict[str, list[str]]) -> Counter[str]:
    """Rows with an unseen category by column, given the known categories of columns."""
    counts = {name: count_unseen(X.column(name), labels) for name, labels in known.items()}
    return Counter({name: n for name, n in counts.items() if n})


def print_unseen(model: Any, layout: DataLayout, X: Any) -> None:
    """Print notes on categories of X that training had no rows of."""
    unseen = UnseenCategories(model, layout)
    unseen.add(X)
    unseen.print_notes()
