"""A Dask collection as the table of a fit: values, shards and vectors stay on the workers."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import RowVector, Vector
from costboost._core.caching import cached_property
from costboost._core.checks import quoted
from costboost._core.cluster.collections import Shape, refuse_other_columns, shape_of
from costboost._core.cluster.driver import Cluster, Log
from costboost._core.cluster.waiting import check_timeouts, gathered
from costboost._core.cluster.worker import (
    Call,
    Place,
    Placement,
    Ref,
    balanced,
    bin_rows,
    of_binned,
    open_pairs,
    open_shard,
    scattered,
)
from costboost._core.engine import _kernels
from costboost._core.engine.binning import SAMPLE_ROWS, Binning, positives_first
from costboost._core.rows import Histogram, Rows, added, greatest
from costboost._core.tables import (
    Coder,
    Features,
    Labels,
    Table,
    categorical_columns,
    features_of,
    make_coders,
)

LOG = logging.getLogger(__name__)

# ---- shards of rows, and vectors over their rows -------------------------------------------------

MOST_WAITING = 1000
"""Calls without an answer wait for one that has, but not more than so many."""
PURE = {"histogram", "count", "largest_weights", "sum_weights", "node_counts", "sums", "moments"}
PURE |= {"sum_losses", "sum_staged", "label", "members"}
PURE |= {"count_drawn", "is_drawn", "total_weight", "rate_moments", "confusion"}
"""Messages that leave a shard as it is, so that a replacement need not be sent them."""
KEEPS_HISTOGRAM = PURE | {"propose", "accept", "linearise", "losses", "begin_tree"}
KEEPS_HISTOGRAM |= {"divide", "release", "end_tree", "set_weights", "set_likelihood"}
KEEPS_HISTOGRAM |= {"number_rows", "weigh_leaves"}
KEEPS_HISTOGRAM |= {"set_score_loss", "linearise_scores", "propose_class", "accept_scores"}
"""Messages after which the histogram is what it was."""


class RemoteShards:
    """Shards on the workers: messages that need no answer are sent together with the next other.

    Parameters
    ----------
    cluster : Cluster
    base : Log
        How the objects were made that the shards are opened with.
    places : sequence of Place
        The rows of the training in each shard.
    function : callable
        Opens the shard on a worker.
    given : sequence of tuples
        Its arguments for each shard.
    """

    alone = False
    only = None

    def __init__(
        self,
        cluster: Cluster,
        base: Log,
        places: Sequence[Place],
        function: Callable[..., Any],
        given: Sequence[tuple[Any, ...]],
    ) -> None:
        self.n_shards = len(places)
        self._cluster = cluster
        self._log = Log(cluster.n_shards, base)
        self._places = places
        self._unused: list[int] = []
        self._histogram: Histogram | None = None
        self._shard = Ref(cluster.new_number())
        number = self._shard.number
        self._waiting = {
            place.shard: [Call(function, own, number)]
            for place, own in zip(places, given, strict=True)
        }

    # ---- messages --------------------------------------------------------------------------------

    def tell(self, message: str, *given: Any) -> None:
        if message not in KEEPS_HISTOGRAM:
            self._histogram = None
        self._wait(message, (self._shard, *given), None)

    def total(self, message: str, *given: Any) -> Any:
        if message == "histogram":
            if self._histogram is None:
                self._histogram = added(self._ask(message, (self._shard,), False))
            return self._histogram
        if message == "losses_and_histogram":
            losses, self._histogram = added(self._ask(message, (self._shard, *given), False))
            return losses, self._histogram
        return added(self.answers(message, *given))

    def largest(self, message: str, *given: Any) -> Any:
        return greatest(self.answers(message, *given))

    def answers(self, message: str, *given: Any) -> list[Any]:
        if message not in KEEPS_HISTOGRAM:
            self._histogram = None
        return self._ask(message, (self._shard, *given), message not in PURE)

    def vector(self, message: str, *given: Any) -> Vector:
        return self.kept(message, (self._shard, *given))

    def beside(self, n: int) -> list[RemoteShards]:
        """None: other threads of this process would only send their messages one by one."""
        return []

    # ---- vectors ---------------------------------------------------------------------------------

    def kept(self, function: Callable[..., Any] | str, given: Sequence[Any]) -> RemoteVector:
        """Apply a function on every shard; its results are the parts of a vector."""
        vector = RemoteVector(self, self._cluster.new_number())
        self._wait(function, given, vector.number)
        return vector

    def collected(self, function: Callable[..., Any] | str, given: Sequence[Any]) -> list[Any]:
        """Apply a function on every shard; return its results."""
        return self._ask(function, given, False)

    def spread(self, values: NDArray[Any]) -> Vector:
        ends = np.cumsum([place.n_rows for place in self._places])
        vector = RemoteVector(self, self._cluster.new_number())
        for place, part in zip(self._places, np.split(values, ends[:-1]), strict=True):
            self._waiting[place.shard].append(Call(np.asarray, (part,), vector.number))
        return vector

    def gather(self, vector: Vector) -> NDArray[Any]:
        return np.concatenate(self.collected(np.asarray, (vector,)))

    def arranged(self, values: NDArray[Any], positive: NDArray[np.uint8]) -> NDArray[Any]:
        parts = (place.where for place in self._places)
        return np.concatenate([positives_first(values[one], positive[one]) for one in parts])

    def forget(self, number: int) -> None:
        """Let the workers drop a vector, with the next messages."""
        self._unused.append(number)

    # ---- calls -----------------------------------------------------------------------------------

    def _wait(self, function: Any, given: Sequence[Any], result: int | None) -> None:
        self._drop_unused()
        call = Call(function, _sent(given), result)
        for calls in self._waiting.values():
            calls.append(call)
        if len(calls) >= MOST_WAITING:
            self.collected(len, ((),))

    def _ask(self, function: Any, given: Sequence[Any], changes: bool) -> list[Any]:
        self._drop_unused()
        call = Call(function, _sent(given))
        calls = {k: [*waiting, call] for k, waiting in self._waiting.items()}
        self._waiting = {k: [] for k in calls}
        n_calls = max(map(len, calls.values()))  # the same for all
        keep = n_calls if changes else n_calls - 1
        return self._cluster.ask(self._log, calls, keep)

    def _drop_unused(self) -> None:
        if self._unused:
            call = Call("forget", tuple(self._unused))
            self._unused = []
            for calls in self._waiting.values():
                calls.append(call)

    def __del__(self) -> None:
        self._cluster.drop([self._shard.number, *self._unused])


def _sent(given: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(Ref(one.number) if isinstance(one, RemoteVector) else one for one in given)


class RemoteVector(RowVector):
    """A vector whose parts are on the workers."""

    __slots__ = ("number", "owner")

    def __init__(self, shards: RemoteShards, number: int) -> None:
        self.owner = shards
        self.number = number

    def apply(self, function: Callable[..., Any], given: Sequence[Any]) -> RemoteVector:
        return self.owner.kept(function, given)

    def collect(self, function: Callable[..., Any], given: Sequence[Any]) -> list[Any]:
        return self.owner.collected(function, given)

    def __del__(self) -> None:
        self.owner.forget(self.number)


# ---- tables --------------------------------------------------------------------------------------

CUT_CELLS = 2**25
"""Values of sampled rows that the driver holds at a time when it searches for cuts."""
CHUNK = 2**17
"""Rows of which the distinct values are found at a time."""
FIRST_ROWS = 2**12
"""Rows of which they are found first: enough for most features that have many values."""


class RemoteTable(Table):
    """Rows of a collection, or some of them, on the workers of a cluster."""

    remote = True

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
        categorical_features: Any,
        n_threads: int,
        copies: NDArray[np.int64] | None,
    ) -> Binning:
        """The bins that the same rows have on one machine."""
        flags = categorical_columns(self, categorical_features)
        coders = make_coders(self, flags, max_bins, copies)
        cuts = np.full((self.n_features, max_bins - 1), np.inf)
        n_cuts = np.zeros(self.n_features, dtype=np.int32)
        for j, coder in enumerate(coders):
            if coder is not None:
                n_cuts[j] = max(coder.n_codes - 1, 0)
        numeric = np.flatnonzero(~np.array(flags))
        sample = None
        if self.n_rows > SAMPLE_ROWS:
            sample = _kernels.sample_rows(0, self.n_rows, self.n_rows, SAMPLE_ROWS)
        sampled = self if sample is None else self.take(sample)
        if copies is not None:
            copies = copies if sample is None else copies[sample]
        width = max(1, CUT_CELLS // sampled.n_rows)
        for begin in range(0, numeric.size, width):
            some = numeric[begin : begin + width]
            block = sampled.mapped(read_columns, some)
            found = self._cuts(block.T, some, max_bins, sample is not None, copies, n_threads)
            cuts[some], n_cuts[some] = found[0][:, : max_bins - 1], found[1]
        return Binning.of_parts(np.array(flags, dtype=np.uint8), coders, cuts, n_cuts)

    def _cuts(
        self,
        block: NDArray[np.float64],
        features: NDArray[np.intp],
        max_bins: int,
        is_sample: bool,
        copies: NDArray[np.int64] | None,
        n_threads: int,
    ) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Cuts from all rows or, if there are many, from a sample and the values of all rows.

        Features of few cuts may have further values, or missing ones, outside the sample: these
        are put behind it.
        """
        cuts, n_cuts = _kernels.find_cuts(block, None, max_bins, n_threads, copies)
        few = np.flatnonzero(n_cuts < max_bins - 1)
        if not is_sample or not few.size:
            return cuts, n_cuts
        found = zip(*self.each(distinct_values, features[few], max_bins), strict=True)
        values = [np.unique(np.concatenate(parts)) for parts in found]
        longest = max(one.size for one in values)
        extra = np.column_stack([np.resize(one, longest) for one in values])
        if copies is not None:
            copies = np.concatenate([copies, np.ones(longest, dtype=np.int64)])
        joined = np.concatenate([block[:, few], extra])
        sample = np.arange(len(block))
        cuts[few], n_cuts[few] = _kernels.find_cuts(joined, sample, max_bins, n_threads, copies)
        return cuts, n_cuts

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


def read_columns(table: Table, features: NDArray[np.intp]) -> NDArray[np.float64]:
    """Some columns as floats: an array of shape (n_columns, n_rows)."""
    block = np.empty((features.size, table.n_rows))
    for k, j in enumerate(features.tolist()):
        block[k] = table.column(j)
    return block


def distinct_values(table: Table, features: NDArray[np.intp], most: int) -> list[Any]:
    """Distinct values of each feature, and NaN if some are missing.

    Of a feature with more than ``most`` values, more than so many of them.
    """
    return [_distinct(table.column(j), most) for j in features.tolist()]


def _distinct(values: NDArray[Any], most: int) -> NDArray[np.float64]:
    known, begin, end = np.empty(0), 0, FIRST_ROWS
    while begin < values.size and known.size <= most:
        part = np.asarray(values[begin:end], dtype=np.float64) + 0.0  # -0.0 is 0.0
        known = np.unique(np.concatenate([known, part[~np.isnan(part)]]))
        begin, end = end, end + CHUNK
    return np.append(known, np.nan) if np.isnan(values).any() else known


def count_labels(table: Table, j: int, copies: Any) -> tuple[list[Any], list[int]]:
    """The labels of a column that occur, and how often; rows count as their copies."""
    column = table.labels(j)
    there = column.codes >= 0
    counts = np.zeros(len(column.labels), dtype=np.int64)
    np.add.at(counts, column.codes[there], 1 if copies is None else copies[there])
    seen = np.flatnonzero(counts).tolist()
    return [column.labels[k] for k in seen], counts[seen].tolist()


# ---- binned rows on the workers ------------------------------------------------------------------


class RemoteData:
    """Binned rows on the workers, of which trainings take all or some."""

    def __init__(
        self,
        table: RemoteTable,
        binning: Binning,
        positive: NDArray[np.uint8],
        n_jobs: int | None,
    ) -> None:
        self.binning = binning
        self.table = table
        self.n_jobs = table.jobs(n_jobs)
        self._log = Log(table.cluster.n_shards)
        self._data = Ref(table.cluster.new_number())
        calls = {}
        for place in table.places:
            own = positive[place.where]
            given = table.cluster.table, binning, place.local, own, self.n_jobs
            made = Call(bin_rows, given, self._data.number)
            calls[place.shard] = [made, Call(len, ((),))]
        table.cluster.ask(self._log, calls, 1)

    def training_rows(self, rows: NDArray[np.intp] | None, positive: NDArray[np.uint8]) -> Rows:
        """Rows of a training, with weights and scores of their own."""
        table = self.table
        places = table.places if rows is None else table.placement.places(rows)
        given = [
            (self._data, None if rows is None else own.local, positive[own.where], self.n_jobs)
            for own in places
        ]
        shards = RemoteShards(table.cluster, self._log, places, open_shard, given)
        return Rows(shards, self.binning.n_bins, self.binning.categorical)

    def pairs(self, weight: NDArray[np.int64], counting: bool) -> RemoteShards:
        """Shards with the weights of all pairs (row, label), for one tree; see `PairData`."""
        places = self.table.places
        bits = int(np.bitwise_or.reduce(weight, axis=None))
        unit = max(bits & -bits, 1)  # divides all weights, so that equal ones take a byte each
        sent = weight // unit
        sent = sent.astype(np.min_scalar_type(-int(np.abs(sent).max())))
        given = [(self._data, sent[own.where], unit, counting) for own in places]
        return RemoteShards(self.table.cluster, self._log, places, open_pairs, given)

    def values(self, function: Callable[..., NDArray[Any]], *given: Any) -> NDArray[Any]:
        """Values of a function of the binned rows that has one for each row, the last axis."""
        places, call = self.table.places, Call(of_binned, (self._data, function, *given))
        parts = self.table.cluster.ask(self._log, {own.shard: [call] for own in places}, 0)
        return scattered(places, parts)

    def __del__(self) -> None:
        self.table.cluster.drop([self._data.number])


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
