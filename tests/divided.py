"""Rows in several shards of this process, and everything that training determines."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from costboost._core.arithmetic import Vector
from costboost._core.backends.local import LocalData
from costboost._core.backends.protocol import Backend
from costboost._core.backends.several import SeveralShards, several
from costboost._core.backends.shard import Shard
from costboost._core.engine._kernels import BinnedRows
from costboost._core.engine.binning import positives_first
from costboost._core.rows import Rows


def model(clf: Any) -> list[Any]:
    """Everything that training determines."""
    ensemble = clf.ensemble_
    arrays = [getattr(ensemble, name) for name in ("feature", "threshold", "left", "value")]
    return [clf.n_iter_, *(np.asarray(a).tobytes() for a in (*arrays, clf.estimator_weights_))]


def in_shards(monkeypatch: pytest.MonkeyPatch, n_shards: int, n_threads: int = 1) -> None:
    """Let every training divide its rows into shards, and use so many threads for classes."""

    def opened(
        data: LocalData, rows: Any, positive: NDArray[np.uint8], *given: Any
    ) -> Backend[Vector]:
        ends = np.linspace(0, positive.size, n_shards + 1).astype(int)[1:].tolist()
        numbers = np.arange(positive.size) if rows is None else rows

        runs = list(pairwise([0, *ends]))

        class Runs(SeveralShards):
            """Shards of rows that belong to given runs of the problem."""

            def arranged(self, values: NDArray[Any], positive: NDArray[np.uint8]) -> NDArray[Any]:
                parts = [positives_first(values[a:b], positive[a:b]) for a, b in runs]
                return np.concatenate(parts)

        return several(
            [Shard(data.take(numbers[a:b], positive[a:b], n_threads)) for a, b in runs], Runs
        )

    monkeypatch.setattr(LocalData, "open", opened)


def rows_of(
    parts: Sequence[BinnedRows],
    n_bins: NDArray[np.int32],
    categorical: NDArray[np.uint8],
    columns: Sequence[Any] | None = None,
) -> Rows:
    """Rows of a training, from the binned rows of each shard.

    ``columns`` are the raw values of each shard's rows, for learners that score them.
    """
    views = [None] * len(parts) if columns is None else columns
    shards = [Shard(part, view) for part, view in zip(parts, views, strict=True)]
    backend: Any = shards[0] if len(shards) == 1 else several(shards)
    return Rows(backend, n_bins, categorical)
