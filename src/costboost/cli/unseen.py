"""Categories that training has not seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from costboost.cli import modelfile, telling
from costboost.cli.layout import Layout

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
            if n := _count(X.column(name), known):
                self.counts[name] += n

    def tell(self) -> None:
        """A warning where it is most of the rows, else a note."""
        for text, many in self._texts():
            (telling.warn if many else telling.note)(text)

    def _texts(self) -> Iterator[tuple[str, bool]]:
        for column, n in self.counts.items():
            share = n / self.n_rows
            text = (
                f"column {column!r}: {telling.plural(n, 'value')} in {self.n_rows:,} rows "
                f"({telling.percent(share)}) never seen in training, counted as missing"
            )
            many = share > MOST
            yield f"{text}; is it the same column, spelt as in training?" if many else text, many


def tell_unseen(model: Any, layout: Layout, X: Any) -> None:
    """Count the unseen values of all rows at once, and tell of them."""
    found = Unseen(model, layout)
    found.add(X)
    found.tell()


def _count(column: Any, known: list[str]) -> int:
    import pyarrow as pa
    from pyarrow import compute

    labels = column.unify_dictionaries().combine_chunks()
    labels = labels.chunk(0) if hasattr(labels, "chunk") else labels
    new = compute.invert(compute.is_in(labels.dictionary, value_set=pa.array(known, pa.string())))
    if not compute.any(new).as_py():
        return 0
    which = np.append(new.to_numpy(zero_copy_only=False), False)
    codes = labels.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return int(which[codes].sum())
