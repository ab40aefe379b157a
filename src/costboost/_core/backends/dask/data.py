"""Binned rows on the workers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, Vector
from costboost._core.backends.dask.actor import bin_rows, of_binned, open_pairs, open_shard
from costboost._core.backends.dask.calls import Call, Log, Ref
from costboost._core.backends.dask.placement import scattered
from costboost._core.backends.dask.rows import RemoteRows, RemoteShards, answering
from costboost._core.backends.data import HoldsPairs
from costboost._core.backends.protocol import Backend, HasScores
from costboost._core.engine.binning import Binning, RowNumbers

if TYPE_CHECKING:
    from costboost._core.backends.dask.table import RemoteTable


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
        self.log = Log(table.cluster.n_shards)
        self._data = Ref(table.cluster.new_number())
        calls = {}
        for place in table.places:
            own = positive[place.where]
            given = table.cluster.table, binning, place.local, own, table.jobs(n_jobs)
            made = Call(bin_rows, given, self._data.number)
            calls[place.shard] = [made, Call(len, ((),))]
        table.cluster.ask(self.log, calls, 1)

    def open(
        self,
        rows: RowNumbers | None,
        positive: NDArray[np.uint8],
        n_jobs: int | None,
        columns: object = None,
        n_scores: int = 1,
    ) -> Backend[Vector]:
        """Rows of a training, with weights and scores of their own."""
        table = self.table
        places = table.places if rows is None else table.placement.places(rows)
        given = [
            (
                self._data,
                None if rows is None else own.local,
                positive[own.where],
                table.jobs(n_jobs),
            )
            for own in places
        ]
        opened: Backend[Vector] = answering(RemoteRows, Backend)(self, places, open_shard, given)
        return opened

    def other_rows(self, rows: RowNumbers | None, n_jobs: int | None) -> RemoteOtherRows:
        """Rows that are not trained on."""
        none = np.zeros(self.table.n_rows if rows is None else rows.size, dtype=np.uint8)
        opened = self.open(rows, none, n_jobs)
        return RemoteOtherRows(opened, opened.arranged(np.arange(none.size), none))

    pair_trees = None

    def pairs(self, weight: NDArray[np.int64], counting: bool) -> HoldsPairs:
        """Shards with the weights of all pairs (row, label), for one tree; see `PairData`."""
        places = self.table.places
        bits = int(np.bitwise_or.reduce(weight, axis=None))
        unit = max(bits & -bits, 1)  # divides all weights, so that equal ones take a byte each
        sent = weight // unit
        sent = sent.astype(np.min_scalar_type(-int(np.abs(sent).max())))
        given = [(self._data, sent[own.where], unit, counting) for own in places]
        opened: HoldsPairs = answering(RemoteShards, HoldsPairs)(self, places, open_pairs, given)
        return opened

    def values(self, function: Callable[..., NDArray[Any]], *given: Any) -> NDArray[Any]:
        """Values of a function of the binned rows that has one for each row, the last axis."""
        places, call = self.table.places, Call(of_binned, (self._data, function, *given))
        answers = self.table.cluster.ask(self.log, {own.shard: [call] for own in places}, 0)
        parts, numbers = zip(*answers, strict=True)
        values = scattered(places, parts)
        n_flags = numbers[0]
        return values if n_flags is None else np.unpackbits(values, 0, n_flags).view(np.bool_)

    def __del__(self) -> None:
        self.table.cluster.drop([self._data.number])


class RemoteOtherRows:
    """Binned rows on the workers that are not trained on."""

    trees = None

    def __init__(self, rows: Backend[Vector], order: NDArray[np.intp]) -> None:
        self._rows = rows
        self._order = order

    def scores(self, hypothesis: HasScores) -> Floats:
        """Value of a hypothesis for every row, in the order of the table."""
        gathered = self._rows.gather(self._rows.scores(hypothesis))
        scores: Floats = np.empty_like(gathered)
        scores[self._order] = gathered
        return scores
