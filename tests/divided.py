"""Rows of a training divided into shards, and everything that training determines."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from costboost._core.engine.binning import positives_first
from costboost._core.rows import LocalShards, Rows, Shard
from costboost._core.training import Problem


def model(clf: Any) -> list[Any]:
    """Everything that training determines."""
    ensemble = clf.ensemble_
    arrays = [getattr(ensemble, name) for name in ("feature", "threshold", "left", "value")]
    return [clf.n_iter_, *(np.asarray(a).tobytes() for a in (*arrays, clf.estimator_weights_))]


class DividedShards(LocalShards):
    """Shards of rows that belong to given runs of the problem."""

    def __init__(self, shards: Sequence[Shard], ends: Sequence[int]) -> None:
        super().__init__(shards)
        self._ends = ends

    def arranged(self, values: NDArray[Any], positive: NDArray[np.uint8]) -> NDArray[Any]:
        runs = pairwise([0, *self._ends])
        return np.concatenate([positives_first(values[a:b], positive[a:b]) for a, b in runs])


def in_shards(monkeypatch: pytest.MonkeyPatch, n_shards: int, n_threads: int = 1) -> None:
    """Let every training divide its rows into shards, and use so many threads for classes."""

    def training_rows(problem: Problem, settings: Any, columns: Any = None) -> Rows:
        ends = np.linspace(0, problem.n_rows, n_shards + 1).astype(int)[1:].tolist()
        numbers, data = problem.row_numbers, problem.data
        shards = [
            Shard(data.take(numbers[a:b], problem.positive[a:b], 1))
            for a, b in pairwise([0, *ends])
        ]
        binning = data.binning
        divided = DividedShards(shards, ends)
        return Rows(divided, binning.n_bins, binning.categorical, n_threads)

    monkeypatch.setattr(Problem, "training_rows", training_rows)
