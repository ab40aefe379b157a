"""What explanations compare rows with: sums over training rows, kept with a fitted model.

Of trees, the number of training rows that reach each node; of lines, the mean of the feature of
each. No row can be read off these sums, so that model files hold them without being asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import fsum, ldexp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats
from costboost._core.arrays import Flags
from costboost._core.engine._kernels import add_reached
from costboost._core.engine.ensemble import Ensemble
from costboost._core.engine.lines import Lines
from costboost._core.tables import Table
from costboost._core.threads.counts import threads

MOST_ROWS = 512
"""Training rows that are counted, evenly spread: a share of 5% is then known to a fifth of it."""


def with_background(model: Any, table: Table, counting: Flags | None, n_jobs: int | None) -> Any:
    """The model with sums over its training rows, those of the mask ``counting`` if it is given.

    Models that cannot be explained are returned as they are.
    """
    providers = [member.provider for member in model.members]
    sums = all(one.learner != "wrapped" and one.combine is None for one in providers)
    if table.computed or not sums:
        return model
    chosen = table.divided(_spread(table.n_rows, counting))
    ensembles = [one.ensemble for one in providers]
    parts = table.each(_sums, ensembles, model.coders, chosen, table.jobs(n_jobs))
    kept = map(_total, ensembles, zip(*parts, strict=True))
    return model.with_providers(
        [replace(one, background=rows) for one, rows in zip(providers, kept, strict=True)]
    )


def _spread(n_rows: int, counting: Flags | None) -> Flags:
    """At most `MOST_ROWS` rows of those that count, evenly spread, as a mask."""
    rows = np.arange(n_rows) if counting is None else np.flatnonzero(counting)
    if rows.size > MOST_ROWS:
        rows = rows[np.linspace(0, rows.size - 1, MOST_ROWS).astype(np.int64)]
    chosen = np.zeros(n_rows, dtype=bool)
    chosen[rows] = True
    return chosen


def _sums(table: Table, ensembles: Sequence[Any], coders: Any, chosen: Flags, n_jobs: Any) -> Any:
    """Of each ensemble, the chosen rows of a table at each node, or their values in each line."""
    found: list[Any] = [
        np.empty((0, len(one))) if isinstance(one, Lines) else np.zeros(len(one.feature), np.int64)
        for one in ensembles
    ]
    if not chosen.any():
        return found
    for _, block in table.take(np.flatnonzero(chosen)).row_blocks(coders):
        numbers = np.asarray(block, dtype=np.float64)
        for k, one in enumerate(ensembles):
            if isinstance(one, Lines):
                found[k] = np.concatenate([found[k], numbers[:, one.feature]])
            else:
                add_reached(one, numbers, found[k], threads(n_jobs, len(numbers) * len(one)))
    return found


def _total(ensemble: Ensemble | Lines, parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Number of rows at each node, or mean of the feature of each line, over all parts."""
    if isinstance(ensemble, Lines):
        return np.array([_mean(column) for column in np.concatenate(parts).T])
    return np.asarray(sum(parts), dtype=np.int32)


def _mean(values: Floats) -> float:
    """The mean of numbers whose sum may be greater than any number."""
    shift = 64 if np.abs(values).max() > 2.0**900 else 0
    return ldexp(fsum(np.ldexp(values, -shift).tolist()) / values.size, shift)


def node_shares(ensemble: Ensemble, reached: NDArray[Any]) -> Floats:
    """Share of the rows of a tree's root that reach each node."""
    root = np.repeat(ensemble.first[:-1], np.diff(ensemble.first))
    return np.asarray(reached / reached[root], dtype=np.float64)
