"""Categories that training has not seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from costboost.cli import console, modelfile
from costboost.cli.layout import Layout
from costboost.inspection.columns import count_unseen

MOST = 0.5
"""Share of the rows from which on a column is probably another, or spelt in another way."""


@dataclass
class Unseen:
    """Counts values that count as missing because training has not seen them, by column."""

    model: Any
    layout: Layout
    counts: Counter[str] = field(default_factory=Counter)
    n_rows: int = 0

    def add(self, X: Any) -> None:
        """Count those of some rows."""
        self.n_rows += X.num_rows
        for name, known in modelfile.categories(self.model, self.layout).items():
            if n := count_unseen(X.column(name), known):
                self.counts[name] += n

    def tell(self) -> None:
        """A warning where it is most of the rows, else a note."""
        for text, many in self._texts():
            (console.warn if many else console.note)(text)

    def _texts(self) -> Iterator[tuple[str, bool]]:
        for column, n in self.counts.items():
            share = n / self.n_rows
            text = (
                f"column {column!r}: {console.plural(n, 'value')} in {self.n_rows:,} rows "
                f"({console.percent(share)}) never seen in training, counted as missing"
            )
            many = share > MOST
            yield f"{text}; is it the same column, spelt as in training?" if many else text, many


def tell_unseen(model: Any, layout: Layout, X: Any) -> None:
    """Count the unseen values of all rows at once, and tell of them."""
    found = Unseen(model, layout)
    found.add(X)
    found.tell()
