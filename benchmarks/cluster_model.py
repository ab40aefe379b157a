"""The cost model of a round on a cluster: measured in parts, checked, and extrapolated.

Measures what workers compute, exchanges of messages and the driver's own work, predicts rounds on
one, two and four local workers from these parts, and then those of a billion rows on many workers.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from alone import ALONE, NOT_DONE, Journal, add_options, undisturbed
from cluster_parts import (
    Observed,
    exchange_seconds,
    note_times,
    observe,
)
from cluster_simulation import Costs, Work, best_fan_in, costs_of, round_seconds
from cluster_systems import LEAVES, cluster_of, ours, rows_of
from printing import duration, environment, figure, insert, markdown, publish
from systems import Size, short
from timing import log

CORES = os.cpu_count() or 1
WORKERS = (1, 2, 4)
ROUNDS = {2: 60, 31: 8}
FEATURES, MANY_FEATURES = 30, 100
PARTS = {
    FEATURES: (5_000, 40_000, 200_000, 300_000, 450_000, 1_000_000),
    MANY_FEATURES: (5_000, 40_000, 80_000, 150_000, 400_000),
}
"""Rows of a worker of which the computation is measured, by number of features."""
CHECKED = ((100_000, 30), (400_000, 30), (1_000_000, 30), (100_000, 100))
"""Rows and features of the rounds that are predicted."""
FEW_ROWS = 5_000
SUMS = 2 * 256 * 8
"""Bytes of the sums of a feature."""
ANSWERS = {
    2: ((SUMS,), (SUMS * FEATURES,), (SUMS * MANY_FEATURES,)),
    31: ((SUMS,), (SUMS * FEATURES,), (SUMS * MANY_FEATURES,), (SUMS * MANY_FEATURES,) * 8),
}
"""Bytes of the arrays of answers, by leaves: those of several nodes come together."""
COMPUTING = (1e-4, 1e-3, 5e-3)
"""Seconds that workers compute before they answer; answers of all lengths after the second."""
TARGET_ROWS, TARGET_WORKERS = 10**9, (10, 100, 1_000)
THREADS = (1, 16)


def name_of(leaves: int) -> str:
    return "stumps" if leaves == 2 else f"{leaves}-leaf trees"


def workers_of(n: int) -> str:
    return "1 worker" if n == 1 else f"{n} workers"


# ---- measurements --------------------------------------------------------------------------------


@contextmanager
def one_node_at_a_time() -> Iterator[None]:
    """Trees whose nodes are split one by one, as those of very many rows are.

    The nodes of fewer rows that will probably be split go in one message.
    """
    from costboost._core.growing import node_source

    usual = node_source.SPECULATIVE_CELLS
    node_source.SPECULATIVE_CELLS = 0
    try:
        yield
    finally:
        node_source.SPECULATIVE_CELLS = usual


class Measurements:
    """Measurements on clusters of local processes, which are started when they are needed.

    All of them are made in each of several passes, and the medians count: how much of the cache
    and of the memory's speed a machine has left varies with the time.
    """

    def __init__(self, journal: Journal, passes: int) -> None:
        self.journal = journal
        self.passes = range(1, passes + 1)
        self._cluster: Any = None
        self._n_workers = 0
        self._rows: tuple[Any, Any] = None, None

    def client(self, n_workers: int) -> Any:
        """The client of a cluster whose workers have imported all they need."""
        if self._n_workers != n_workers:
            self.close()
            self._cluster, self._n_workers = cluster_of(n_workers), n_workers
            self._client = self._cluster.__enter__()
            for leaves in LEAVES:
                ours(2, leaves).fit(*rows_of(self._client, Size(FEW_ROWS, 5, 1)).lazy)
            self._client.run(note_times)
        return self._client

    def close(self) -> None:
        if self._cluster is not None:
            self._rows = None, None
            self._cluster.__exit__(None, None, None)
        self._cluster, self._n_workers = None, 0

    def rows(self, n_workers: int, n_rows: int, n_features: int) -> tuple[Any, Any]:
        """Dask arrays on the workers."""
        key = n_workers, n_rows, n_features
        if self._rows[0] != key:
            client = self.client(n_workers)
            self._rows = key, rows_of(client, Size(n_rows, n_features, 1)).lazy
        return self._rows[1]

    def _median(self, name: str, once: Callable[[], Any]) -> Any:
        """Median over the passes of what is measured, which is a number or the parts of a round."""
        found = [
            self.journal.value(f"pass {k}: {name}", lambda: undisturbed(once)) for k in self.passes
        ]
        if not isinstance(found[0], dict):
            return median(found)
        return Observed(**{key: median(one[key] for one in found) for key in found[0]})

    def fit(self, n_workers: int, n_rows: int, n_features: int, leaves: int) -> Observed:
        """A round, and its parts."""

        def once() -> dict[str, float]:
            lazy = self.rows(n_workers, n_rows, n_features)
            return asdict(observe(self.client(n_workers), ours(ROUNDS[leaves], leaves), lazy))

        name = f"{name_of(leaves)}, {n_rows} x {n_features}, {workers_of(n_workers)}"
        found: Observed = self._median(name, once)
        return found

    def node_by_node(self, n_features: int, leaves: int) -> Observed:
        """A round on few rows, with as many messages as one on very many rows."""

        def once() -> dict[str, float]:
            lazy = self.rows(1, FEW_ROWS, n_features)
            return asdict(observe(self.client(1), ours(ROUNDS[leaves], leaves), lazy))

        with one_node_at_a_time():
            name = f"{name_of(leaves)} node by node, {FEW_ROWS} x {n_features}"
            found: Observed = self._median(name, once)
        return found

    def exchange(
        self, n_workers: int, sizes: tuple[int, ...], computing: float, kept: int
    ) -> float:
        """An exchange of messages without training."""

        def once() -> float:
            lazy = self.rows(n_workers, FEW_ROWS, 5)[0]
            return exchange_seconds(self.client(n_workers), lazy, sizes, computing, kept)

        waits = f"after {computing * 1e3:g} ms, {kept} kept"
        name = f"exchange with {workers_of(n_workers)}, {sum(sizes)} bytes {waits}"
        return float(self._median(name, once))

    def make_all(self) -> None:
        """Make all measurements, pass by pass and cluster by cluster."""
        passes = self.passes
        for k in passes:
            self.passes = range(k, k + 1)
            for n_workers in WORKERS:
                for leaves in LEAVES:
                    measure_exchanges(self, n_workers, leaves)
                sizes = [(n * n_workers, d) for d, own in PARTS.items() for n in own]
                for n, d in [*(sizes if n_workers <= 2 else ()), *CHECKED]:
                    for leaves in LEAVES:
                        self.fit(n_workers, n, d, leaves)
                if n_workers == 1:
                    for leaves in LEAVES:
                        self.node_by_node(MANY_FEATURES, leaves)
        self.passes = passes


# ---- the model -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Exchanges:
    """Exchanges of messages with a number of workers of this machine, without training."""

    by_waiting: list[float]
    """Seconds after the workers have computed for each of `COMPUTING`; short answers."""
    n_bytes: list[float]
    by_bytes: list[float]
    """Seconds for answers of so many bytes, after the second of `COMPUTING`."""

    def seconds(self, waiting: float, n_bytes: float) -> float:
        """Lines between what was measured, and beyond it as between the last two."""
        longer = _line(waiting, COMPUTING, self.by_waiting) - self.by_waiting[1]
        return longer + _line(n_bytes, self.n_bytes, self.by_bytes)


def _line(x: float, known: Sequence[float], values: Sequence[float]) -> float:
    """The polygon through points, at x; constant before the first, continued after the last."""
    if x <= known[-1]:
        return float(np.interp(x, known, values))
    return values[-1] + (x - known[-1]) * (values[-1] - values[-2]) / (known[-1] - known[-2])


@dataclass(frozen=True)
class Model:
    """What rounds of one kind of learner take."""

    leaves: int
    exchanges: dict[int, Exchanges]
    """By number of workers."""
    computing: dict[tuple[int, int], list[float]]
    """Seconds of a worker by features, and by how many compute at a time; rows as in `PARTS`."""
    own: dict[int, float]
    """Seconds of the driver by features."""

    def share(self, n_rows: float, n_features: int, n_workers: int) -> float:
        """Seconds of each of some workers of this machine for its share of the rows.

        Between the numbers of rows that were measured it is a line. Workers that share a core
        take as long as one with the rows of all of them, and what does not depend on rows anew.
        """
        at_a_time = min(n_workers, CORES, 2)
        rows, seconds = PARTS[n_features], self.computing[n_features, at_a_time]
        a_core = max(1.0, n_workers / CORES)
        found = np.interp(n_rows / n_workers * a_core, rows, seconds)
        slope = (seconds[1] - seconds[0]) / (rows[1] - rows[0])
        of_messages = seconds[0] - slope * rows[0]
        return float(found + (a_core - 1) * of_messages)

    def per_cell(self, n_features: int) -> list[float]:
        """Seconds for each further row and feature, from one number of rows to the next."""
        seconds = self.computing[n_features, 2]
        return [float(one) for one in np.diff(seconds) / np.diff(PARTS[n_features]) / n_features]

    def predict(self, n_rows: float, n_features: int, n_workers: int, messages: Observed) -> float:
        """Seconds of a round on workers of this machine."""
        computing, count = self.share(n_rows, n_features, n_workers), messages.exchanges
        one = self.exchanges[n_workers].seconds(computing / count, messages.n_bytes / count)
        return computing + count * one + self.own[n_features]

    @property
    def costs(self) -> Costs:
        """Latency, and what each worker adds, of workers that have a core each."""
        points = [
            (k, size, seconds)
            for k in (1, 2)
            for size, seconds in zip(
                self.exchanges[k].n_bytes, self.exchanges[k].by_bytes, strict=True
            )
        ]
        return costs_of(*zip(*points, strict=True))


def measure_exchanges(machine: Measurements, n_workers: int, leaves: int) -> Exchanges:
    answers = ANSWERS[leaves]
    return Exchanges(
        [machine.exchange(n_workers, answers[0], one, leaves) for one in COMPUTING],
        [float(sum(sizes)) for sizes in answers],
        [machine.exchange(n_workers, sizes, COMPUTING[1], leaves) for sizes in answers],
    )


def model_of(machine: Measurements, leaves: int) -> Model:
    """The model from exchanges, and from rounds on other numbers of rows than are predicted."""
    computing, own = {}, {}
    for k in (1, 2):
        for d, rows in PARTS.items():
            parts = [machine.fit(k, m * k, d, leaves) for m in rows]
            computing[d, k] = [part.computing for part in parts]
            if k == 1:
                own[d] = median(part.own for part in parts)
    exchanges = {k: measure_exchanges(machine, k, leaves) for k in WORKERS}
    return Model(leaves, exchanges, computing, own)


@dataclass(frozen=True)
class Checked:
    """A round that was measured, and its prediction."""

    leaves: int
    n_rows: int
    n_features: int
    n_workers: int
    seconds: float
    predicted: float

    @property
    def ratio(self) -> float:
        return self.predicted / self.seconds


def check(machine: Measurements, models: dict[int, Model]) -> list[Checked]:
    """Rounds on one, two and four workers, measured and predicted."""
    found = []
    for k in WORKERS:
        for n, d in CHECKED:
            for leaves, model in models.items():
                seconds = machine.fit(k, n, d, leaves).seconds
                messages = machine.fit(
                    1, n, d, leaves
                )  # their number and length do not depend on k
                expected = model.predict(n, d, k, messages)
                found.append(Checked(leaves, n, d, k, seconds, expected))
    return found


# ---- printing ------------------------------------------------------------------------------------


def computing_table(models: dict[int, Model]) -> Iterator[str]:
    """Times of a worker for each further row and feature, for each number of features."""
    for d, sizes in PARTS.items():
        head = [f"to {short(n)} rows" for n in sizes[1:]]
        rows = [
            [name_of(leaves), *(f"{one * 1e9:.3g} ns" for one in model.per_cell(d))]
            for leaves, model in models.items()
        ]
        yield markdown([f"{d} features", *head], rows)


def checked_table(checked: Sequence[Checked]) -> str:
    rows = []
    for leaves in LEAVES:
        for n, d in CHECKED:
            cells = []
            for k in WORKERS:
                one = next(
                    c
                    for c in checked
                    if (c.leaves, c.n_rows, c.n_features, c.n_workers) == (leaves, n, d, k)
                )
                cells.append(
                    f"{duration(one.seconds)}, {duration(one.predicted)} ({one.ratio:.2f})"
                )
            rows.append([f"{name_of(leaves)}, {short(n)} x {d}", *cells])
    return markdown(["measured, predicted (ratio)", *map(workers_of, WORKERS)], rows)


def summary(checked: Sequence[Checked]) -> str:
    ratios = np.array([one.ratio for one in checked])
    apart = np.abs(ratios - 1)
    return (
        f"Predictions are {ratios.min():.2f} to {ratios.max():.2f} of what was measured, "
        f"{(apart <= 0.15).sum()} of {apart.size} of them within 15%; the median error is "
        f"{np.median(apart):.0%}. Which parts there are, and at which sizes they are measured, was "
        "chosen with these rounds in view: expect somewhat more on others."
    )


def on_network(costs: Costs, chosen: Any) -> Costs:
    """The costs with the latency and the transfer of a network in addition."""
    return replace(
        costs,
        latency=costs.latency + chosen.latency_ms / 1e3,
        per_byte=costs.per_byte + 8 / (chosen.gigabits * 1e9),
    )


def far_rounds(
    models: dict[int, Model], messages: dict[int, Observed], chosen: Any
) -> Iterator[list[str]]:
    """Times of fits on many workers, all answers to the driver and with tree reduction."""
    for leaves, model in models.items():
        per_cell = model.computing[MANY_FEATURES, 2][-1] / PARTS[MANY_FEATURES][-1] / MANY_FEATURES
        found, costs = messages[leaves], on_network(model.costs, chosen)
        fan_ins = {
            k: best_fan_in(k, found.n_bytes / found.exchanges, costs) for k in TARGET_WORKERS
        }
        for n_threads in THREADS:
            for k in TARGET_WORKERS:
                computing = TARGET_ROWS * MANY_FEATURES * per_cell / k / n_threads
                work = Work(computing, found.exchanges, found.n_bytes, model.own[MANY_FEATURES])
                flat = round_seconds(work, k, costs)
                tree = round_seconds(work, k, costs, fan_ins[k])
                yield [
                    f"{name_of(leaves)}, {k:,} workers of {n_threads} "
                    f"thread{'s' * (n_threads > 1)}",
                    duration(computing),
                    duration(flat),
                    duration(tree),
                    "-" if fan_ins[k] is None else str(fan_ins[k]),
                    f"{figure(flat * chosen.rounds / 60)} min",
                ]


def report(
    header: str,
    models: dict[int, Model],
    checked: Sequence[Checked],
    messages: dict[int, Observed],
    chosen: Any,
) -> Iterator[str]:
    yield header
    yield (
        f"Measured on one machine of {CORES} cores, with worker processes of one thread, 255 bins: "
        f"means over the rounds of a fit, medians of {chosen.passes} passes over all measurements. "
        "An exchange of messages with workers that do not train, for answers of "
        f"{SUMS * FEATURES / 1e3:.0f} kB, after the workers have computed for some time:"
    )
    head = [f"after {one * 1e3:g} ms" for one in COMPUTING]
    kinds = [(leaves, k) for leaves in LEAVES for k in WORKERS]
    rows = [
        [
            f"{name_of(leaves)}, {workers_of(k)}",
            *(
                duration(models[leaves].exchanges[k].seconds(one, SUMS * FEATURES))
                for one in COMPUTING
            ),
        ]
        for leaves, k in kinds
    ]
    yield markdown(["", *head], rows)
    rows = [
        [
            name_of(leaves),
            f"{model.costs.latency * 1e3:.2f} ms",
            f"{model.costs.per_answer * 1e3:.2f} ms",
            f"{model.costs.per_byte * 1e9:.2g} ns",
        ]
        for leaves, model in models.items()
    ]
    yield (
        "As latency + workers x (answer + bytes x byte), from one and two workers, which have a "
        "core each:"
    )
    yield markdown(["", "latency", "answer", "byte of an answer"], rows)
    yield (
        "What a worker computes for each further row and feature, while another one computes as "
        "well; beyond the cache it takes longer:"
    )
    yield from computing_table(models)
    yield "What else a round takes, on very many rows, for which each split is a message:"
    rows = [
        [
            name_of(leaves),
            f"{messages[leaves].exchanges:.0f}",
            f"{messages[leaves].n_bytes / 1e6:.2f} MB",
            duration(models[leaves].own[MANY_FEATURES]),
        ]
        for leaves in LEAVES
    ]
    yield markdown(
        [f"{MANY_FEATURES} features", "exchanges", "answers of a worker", "driver"], rows
    )
    yield (
        "Check: rounds that were measured, and the sum of the parts, none of which comes from "
        "these rounds but the number and the length of the messages. Workers that share a core "
        "are taken to compute for as long as one with the rows of both."
    )
    yield checked_table(checked)
    yield summary(checked)
    yield (
        f"Extrapolated, not measured: {TARGET_ROWS:,} rows x {MANY_FEATURES} features on a network "
        f"with {chosen.latency_ms:g} ms of latency and {chosen.gigabits:g} Gbit/s at each node, "
        "threads that share the work of a worker evenly, and workers of the same speed. In the "
        "column *all to the driver* the driver takes in all answers itself, which is what "
        "costboost does; *tree reduction* is simulated, and not built. Times of a round, and of "
        f"{chosen.rounds} rounds without tree reduction:"
    )
    head = ["", "computation", "all to the driver", "tree reduction", "fan-in"]
    yield markdown([*head, f"{chosen.rounds} rounds"], far_rounds(models, messages, chosen))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passes", type=int, default=5, help="of which the medians count")
    parser.add_argument("--rounds", type=int, default=100, help="of the extrapolated fits")
    parser.add_argument("--latency-ms", type=float, default=0.2, help="of the network")
    parser.add_argument("--gigabits", type=float, default=10.0, help="of the network, a second")
    add_options(parser)
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the Markdown here as well")
    parser.add_argument("--docs", action="store_true", help="and into docs/studies/scaling.md")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    header = environment("dask", "distributed", with_load=False) + " " + ALONE
    machine = Measurements(Journal(chosen), chosen.passes)
    try:
        machine.make_all()
        models = {leaves: model_of(machine, leaves) for leaves in LEAVES}
        messages = {leaves: machine.node_by_node(MANY_FEATURES, leaves) for leaves in LEAVES}
        checked = check(machine, models)
    except NOT_DONE as error:
        log(f"not all has been measured, run the command again: {error}")
        return
    finally:
        machine.close()
    parts = list(report(header, models, checked, messages, chosen))
    publish(parts, chosen.out)
    if chosen.docs:
        insert("cluster_model", parts)


if __name__ == "__main__":
    main()
