"""A Dask collection as the table of a fit: values, shards and vectors stay on the workers."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost._core.backends.dask.blocks import Shape, refuse_other_columns, shape_of
from costboost._core.backends.dask.calls import Call, Log
from costboost._core.backends.dask.cluster import Cluster
from costboost._core.backends.dask.cuts import find_bins
from costboost._core.backends.dask.data import RemoteData
from costboost._core.backends.dask.matrix import RemoteMatrix
from costboost._core.backends.dask.placement import Place, Placement, balanced, scattered
from costboost._core.backends.dask.waiting import ClusterError, check_timeouts, gathered
from costboost._core.backends.data import BinsRows
from costboost._core.caching import cached_property
from costboost._core.checks import quoted
from costboost._core.engine.binning import Binning
from costboost._core.tables import Coder, Features, Labels, Table, Team, features_of

AT_A_TIME = 4
"""Trainings that run side by side; each has a copy of its bins on the workers."""

LOG = logging.getLogger(__name__)


class RemoteTable(Table, BinsRows):
    """Rows of a collection, or some of them, on the workers of a cluster."""

    def __init__(
        self, cluster: Cluster, placement: Placement, features: Features, kinds: Kinds
    ) -> None:
        names = features.feature_names_in
        self.names = list(range(features.n_features_in) if names is None else names)
        self.n_features = features.n_features_in
        self.n_rows = placement.n_rows
        self.cluster = cluster
        self.placement = placement
        self.kinds = kinds
        self.rows: NDArray[np.intp] | None = None

    @property
    def X(self) -> Any:  # noqa: N802, an attribute of all tables
        raise ValueError(
            "this needs the rows in memory, but X is a Dask collection; pass X.compute()"
        )

    def is_categorical(self, j: int) -> bool:
        return bool(self.kinds.categorical[j])

    def is_text(self, j: int) -> bool:
        return bool(self.kinds.text[j])

    def take(self, rows: Any) -> Table:
        part = copy(self)
        numbers = np.arange(self.n_rows) if self.rows is None else self.rows
        part.rows = numbers[rows]
        part.n_rows = part.rows.size
        part.__dict__.pop("places", None)
        return part

    @cached_property
    def places(self) -> list[Place]:
        """Where the rows are."""
        return self.placement.places(self.rows)

    def labels(self, j: int) -> Labels:
        counts = self.label_counts(j)
        codes = np.arange(len(counts))
        return Counted(codes, list(counts), int(sum(counts.values())))

    def refuse_missing(self, advice: str) -> None:
        self.each(Table.refuse_missing, advice)

    # ---- functions of the rows of each shard -----------------------------------------------------

    def each(self, function: Callable[..., Any], *given: Any) -> list[Any]:
        """Apply a function to the rows in each shard, as a local table; return its results.

        Of a `Divided` argument each shard is given its part. Shards without rows are left out.
        """
        calls = {}
        for k, place in enumerate(self.places):
            own = tuple(one.parts[k] if isinstance(one, Divided) else one for one in given)
            arguments = self.cluster.table, place.local, function, *own
            calls[place.shard] = [Call(_on_rows, arguments)]
        return self.cluster.ask(Log(self.cluster.n_shards), calls, 0)

    def mapped(self, function: Callable[..., NDArray[Any]], *given: Any) -> NDArray[Any]:
        return scattered(self.places, self.each(function, *given))

    def staged(
        self, function: Callable[..., Iterator[NDArray[Any]]], *given: Any
    ) -> Iterator[NDArray[Any]]:
        yield from self.mapped(_stacked, function, *given)

    def matrix(self, reads: Callable[[Table], Any]) -> RemoteMatrix:
        return RemoteMatrix(self, reads)

    def team(self, n_threads: int) -> Team:
        return Team(AT_A_TIME, computes=False)

    def jobs(self, n_jobs: int | None) -> Any:
        return self.cluster.jobs(n_jobs)

    def divided(self, values: NDArray[Any] | None) -> Any:
        if values is None:
            return Divided([None] * len(self.places))
        return Divided([values[place.where] for place in self.places])

    # ---- bins ------------------------------------------------------------------------------------

    def find_bins(
        self,
        max_bins: int,
        categorical_features: object,
        n_threads: int,
        copies: NDArray[np.int64] | None = None,
    ) -> Binning:
        """The bins that the same rows have on one machine."""
        return find_bins(self, max_bins, categorical_features, n_threads, copies)

    def coder(self, j: int, max_codes: int, copies: NDArray[Any] | None = None) -> Coder:
        counts = self.label_counts(j, copies)
        return Coder(
            Labels(np.arange(len(counts)), list(counts)), max_codes, np.array([*counts.values()])
        )

    def label_counts(self, j: int, copies: NDArray[np.int64] | None = None) -> Counter[Any]:
        """How often each label of a column occurs."""
        total: Counter[Any] = Counter()
        for labels, counts in self.each(count_labels, j, self.divided(copies)):
            total.update(dict(zip(labels, counts, strict=True)))
        return total

    def binned(
        self,
        binning: Binning,
        positive: NDArray[np.uint8],
        n_jobs: int | None,
        n_labels: int = 1,
    ) -> RemoteData:
        """The rows, binned on their workers."""
        return RemoteData(self, binning, positive, n_jobs)


class Divided(NamedTuple):
    """An argument with a separate value for each shard."""

    parts: Sequence[Any]


class Counted(Labels):
    """The labels of a column whose codes stay elsewhere, and how many rows have one."""

    def __init__(self, codes: NDArray[Any], labels: Sequence[Any], n_known: int) -> None:
        super().__init__(codes, labels)
        self._n_known = n_known

    @property
    def n_known(self) -> int:
        return self._n_known


def _on_rows(table: Table, rows: Any, function: Callable[..., Any], *given: Any) -> Any:
    return function(table if rows is None else table.take(rows), *given)


def _stacked(
    table: Table, function: Callable[..., Iterator[NDArray[Any]]], *given: Any
) -> NDArray[Any]:
    return np.stack(list(function(table, *given)))


def count_labels(table: Table, j: int, copies: Any) -> tuple[list[Any], list[int]]:
    """The labels of a column that occur, and how often; rows count as their copies."""
    column = table.labels(j)
    there = column.codes >= 0
    counts = np.zeros(len(column.labels), dtype=np.int64)
    np.add.at(counts, column.codes[there], 1 if copies is None else copies[there])
    seen = np.flatnonzero(counts).tolist()
    return [column.labels[k] for k in seen], counts[seen].tolist()


# ---- from a collection to a table ----------------------------------------------------------------


class Kinds(NamedTuple):
    """Which columns are categorical, by type or as text, and which are text."""

    categorical: NDArray[np.bool_]
    text: NDArray[np.bool_]


def column_kinds(table: Table) -> Kinds:
    """Kinds of the columns of a table."""
    columns = range(table.n_features)
    return Kinds(
        np.array([table.is_categorical(j) for j in columns]),
        np.array([table.is_text(j) for j in columns]),
    )


def open_table(client: Any, name: str, X: Any) -> tuple[RemoteTable, Features]:
    """Validate a collection and place its partitions on the workers of the cluster.

    The caller closes the cluster of the table.
    """
    check_timeouts()
    features = features_of(X)
    parts = client.compute(partitions(X))
    LOG.info("%d partitions of X are computed", len(parts))
    shapes = gathered(client, client.map(shape_of, parts, pure=False), "partitions of X")
    expected = Shape(X.shape, list(X.columns) if hasattr(X, "columns") else None)
    for k, shape in enumerate(shapes):
        refuse_other_columns(f"partition {k} of X", expected, shape)
    lengths = [shape.n_rows for shape in shapes]
    if not sum(lengths) or not features.n_features_in:
        raise ValueError(
            f"Found array with {sum(lengths)} sample(s) and {features.n_features_in} feature(s) "
            f"while a minimum of 1 is required by {name}."
        )
    kept = [k for k, n in enumerate(lengths) if n]
    holders = client.who_has(parts)
    workers = sorted(client.scheduler_info(n_workers=-1)["workers"])
    if not workers:
        raise ClusterError(
            f"the cluster has no worker to train {name} on: start some, or try again"
        )
    found = [next(iter(holders[parts[k].key]), workers[0]) for k in kept]
    chosen = balanced([lengths[k] for k in kept], found, workers)
    used = sorted(set(chosen))
    groups = [
        (workers[w], [parts[k] for k, one in zip(kept, chosen, strict=True) if one == w])
        for w in used
    ]
    LOG.info("%d rows are placed on %d workers", sum(lengths), len(used))
    placement = Placement([lengths[k] for k in kept], [used.index(w) for w in chosen], len(used))
    cluster = Cluster(client, groups)
    try:
        none = np.zeros(features.n_features_in, dtype=bool)
        table = RemoteTable(cluster, placement, features, Kinds(none, none))
        found_kinds = table.each(column_kinds)
        categorical, text = (np.array(flags) for flags in zip(*found_kinds, strict=True))
        _check_kinds(table, categorical)
        table.kinds = Kinds(np.all(categorical, axis=0), np.all(text, axis=0))
    except BaseException:
        cluster.close()
        raise
    return table, features


def _check_kinds(table: RemoteTable, categorical: NDArray[np.bool_]) -> None:
    """Raise a ValueError if a column is categorical in some partitions only."""
    mixed = np.flatnonzero(categorical.any(axis=0) & ~categorical.all(axis=0))
    if mixed.size:
        raise ValueError(
            f"column {quoted(table.names[mixed[0]])} holds text or categories in some partitions "
            "and numbers in others; make all of it text (astype(str)), or all of it numbers"
        )


def partitions(X: Any) -> list[Any]:
    """The partitions of a collection, of whole rows, as delayed objects."""
    if hasattr(X, "columns"):
        return list(X.to_delayed())
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions, got a Dask array with {X.ndim}")
    return list(X.rechunk({1: -1}).to_delayed()[:, 0])
