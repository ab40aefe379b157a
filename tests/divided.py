"""Rows of a training divided into shards, and everything that training determines."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from costboost._core.backends.several import SeveralShards, several
from costboost._core.backends.shard import Shard
from costboost._core.engine.binning import positives_first
from costboost._core.rows import Rows
from costboost._core.training import Problem


def model(clf: Any) -> list[Any]:
    """Everything that training determines."""
    ensemble = clf.ensemble_
    arrays = [getattr(ensemble, name) for name in ("feature", "threshold", "left", "value")]
    return [clf.n_iter_, *(np.asarray(a).tobytes() for a in (*arrays, clf.estimator_weights_))]


def in_shards(monkeypatch: pytest.MonkeyPatch, n_shards: int, n_threads: int = 1) -> None:
    """Let every training divide its rows into shards, and use so many threads for classes."""

    def training_rows(problem: Problem, settings: Any, columns: Any = None) -> Rows:
        ends = np.linspace(0, problem.n_rows, n_shards + 1).astype(int)[1:].tolist()
        numbers, data = problem.row_numbers, problem.data

        runs = list(pairwise([0, *ends]))

        class Runs(SeveralShards):
            """Shards of rows that belong to given runs of the problem."""

            def arranged(self, values: NDArray[Any], positive: NDArray[np.uint8]) -> NDArray[Any]:
                parts = [positives_first(values[a:b], positive[a:b]) for a, b in runs]
                return np.concatenate(parts)

        shards = [Shard(data.take(numbers[a:b], problem.positive[a:b], 1)) for a, b in runs]
        binning = data.binning
        return Rows(several(shards, Runs), binning.n_bins, binning.categorical, n_threads)

    monkeypatch.setattr(Problem, "training_rows", training_rows)
