"""A file through a model, portion by portion."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from costboost.cli import console
from costboost.cli.layout import Layout
from costboost.cli.scoring import Scoring
from costboost.cli.writing import output
from costboost.reading.formats import Format


def stream(scoring: Scoring, source: Format, out: str | None) -> None:
    """Write the predictions of a file, and tell how far it has come."""
    scoring.check(source)
    _note_extra(scoring.layout, scoring.keep, source)
    silent = out is None and sys.stdout.isatty()
    with output(out) as write, console.advancing("predicting", silent) as tell:
        for lines in _with_head(scoring, source):
            write(lines)
            if tell is not None and source.share_read is not None:
                tell(source.share_read)
    if out is not None:
        console.done(f"{scoring.n_rows:,} predictions: {out}")


def _with_head(scoring: Scoring, source: Format) -> Iterator[bytes]:
    """The head waits for the first rows, so that nothing is written if these are at fault."""
    lines = scoring.lines(source)
    first = next(lines, b"")
    yield scoring.head()
    yield first
    yield from lines


def _note_extra(layout: Layout, keep: Any, source: Format) -> None:
    known = {one.name for one in layout.columns} | {layout.target, *layout.cost_columns, *keep}
    extra = [name for name in source.names if name not in known]
    if extra:
        listed = ", ".join(map(repr, extra[:5])) + (", ..." if len(extra) > 5 else "")
        number = console.plural(len(extra), "column")
        console.note(f"{number} that the model does not use: {listed}")
