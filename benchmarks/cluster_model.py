"""The cost model of a round on a cluster: measured on local workers, checked, and extrapolated.

Measures computation, messages and bytes of a round on one, two and four local workers, predicts the
rounds that were measured, and then those of a billion rows on many workers.
"""

from __future__ import annotations

import argparse
import os
import pickle
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np
from cluster_simulation import Costs, Messages, best_fan_in, line, round_seconds
from cluster_systems import LEAVES, cluster_of, ours, rows_of, seconds_of_round
from printing import busy_note, duration, environment, figure, insert, markdown, publish
from systems import Size, short
from timing import log

WORKERS = (1, 2, 4)
ROUNDS = {2: 30, 31: 6}
FEW_FEATURES, FEATURES, MANY_FEATURES = 10, 30, 100
FEW_ROWS = 5_000
CALLS = 200
ANSWER_FLOATS = (1, 10_000, 100_000)
TARGET_ROWS, TARGET_WORKERS = 10**9, (10, 100, 1_000)
THREADS = (1, 16)


Rounds = dict[tuple[int, int, int], float]
"""Seconds of a round by leaves, rows and features."""


def name_of(leaves: int) -> str:
    return "stumps" if leaves == 2 else f"{leaves}-leaf trees"


# ---- measurements --------------------------------------------------------------------------------


def measure_calls(client: Any) -> dict[str, float]:
    """Fields of `Costs` that follow from calls without computation to the one worker of a cluster.

    What the driver does for an answer is measured as its processor time, so that it does not
    include waiting for the worker.
    """
    from costboost.cluster.driver import Log
    from costboost.cluster.table import open_table
    from costboost.cluster.worker import Call

    table, _ = open_table(client, "fit", rows_of(client, Size(FEW_ROWS, 5, 1)).lazy[0])
    cluster, walls, busy = table.cluster, [], []
    try:
        for n in ANSWER_FLOATS:
            calls, repeats = {0: [Call(np.zeros, (n,))]}, CALLS if n < 50_000 else CALLS // 4
            times, begin = [], process_time()
            for _ in range(repeats):
                start = perf_counter()
                cluster.ask(Log(cluster.n_shards), calls, 0)
                times.append(perf_counter() - start)
            busy.append((process_time() - begin) / repeats)
            walls.append(median(times))
    finally:
        cluster.close()
    n_bytes = [8.0 * n for n in ANSWER_FLOATS]
    per_answer, per_byte = line(n_bytes, busy)
    latency, both = line(n_bytes, walls)
    return {
        "latency": max(0.0, latency - per_answer),
        "per_answer": per_answer,
        "per_byte": per_byte,
        "per_sent_byte": max(0.0, both - per_byte),
    }


@contextmanager
def counted_messages() -> Iterator[list[int]]:
    """Lengths of the answers of one worker to the calls of fits in this context."""
    from costboost.cluster.driver import Cluster

    found: list[int] = []
    ask = Cluster.ask

    def counting(self: Any, *given: Any, **named: Any) -> list[Any]:
        answers = ask(self, *given, **named)
        found.append(len(pickle.dumps(answers[0], protocol=5)))
        return answers

    Cluster.ask = counting  # type: ignore[method-assign]
    try:
        yield found
    finally:
        Cluster.ask = ask  # type: ignore[method-assign]


def count_messages(client: Any, leaves: int, n_features: int) -> Messages:
    """Messages of a round, from fits of two numbers of rounds."""
    rows = rows_of(client, Size(FEW_ROWS, n_features, 1))
    few, many = ROUNDS[leaves] // 3, ROUNDS[leaves]
    totals = []
    for rounds in (few, many):
        with counted_messages() as found:
            ours(rounds, leaves).fit(*rows.lazy)
        totals.append((len(found), sum(found)))
    (n_few, bytes_few), (n_many, bytes_many) = totals
    count = (n_many - n_few) / (many - few)
    return Messages(count, (bytes_many - bytes_few) / max(1, n_many - n_few))


def measure_rounds(client: Any, sizes: Sequence[tuple[int, int]], repeats: int) -> Rounds:
    """Median seconds of a round by leaves, rows and features; all take turns."""
    rows = {size: rows_of(client, Size(*size, 1)) for size in sizes}
    found: dict[tuple[int, int, int], list[float]] = {}
    for _ in range(repeats):
        for leaves in LEAVES:
            for n, d in sizes:
                log(f"{name_of(leaves)}, {short(n)} x {d}")
                took = seconds_of_round(ours(ROUNDS[leaves], leaves), *rows[n, d].lazy)
                found.setdefault((leaves, n, d), []).append(took)
    return {key: median(times) for key, times in found.items()}


# ---- the model -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Model:
    """Costs of a round and its messages, for a number of leaves."""

    costs: Costs
    messages: dict[int, Messages]
    """By number of features."""
    own: dict[int, float]
    """Seconds of the driver's own work, by number of features."""

    def slower(self, share: float) -> Model:
        """The model if each process has this share of a core only."""
        one = self.costs
        costs = Costs(
            one.per_cell / share,
            one.per_row / share,
            one.latency / share,
            one.per_answer / share,
            one.per_byte / share,
            one.per_sent_byte / share,
        )
        return replace(self, costs=costs)

    def predict(self, n_rows: float, n_features: int, n_workers: int, **how: Any) -> float:
        costs = replace(self.costs, own=self.own[n_features])
        messages = self.messages[n_features]
        return round_seconds(n_rows, n_features, n_workers, costs, messages, **how)


def model_of(
    leaves: int, n_rows: int, rounds: Rounds, calls: dict[str, float], messages: dict[int, Messages]
) -> Model:
    """The model from rounds on one worker and from calls."""
    per_row = {
        d: (rounds[leaves, n_rows, d] - rounds[leaves, FEW_ROWS, d]) / (n_rows - FEW_ROWS)
        for d in (FEW_FEATURES, FEATURES)
    }
    constant, per_cell = line(list(per_row), list(per_row.values()))
    costs = Costs(per_cell, constant, **calls)
    own = {
        d: max(0.0, rounds[leaves, FEW_ROWS, d] - round_seconds(FEW_ROWS, d, 1, costs, messages[d]))
        for d in messages
    }
    return Model(costs, messages, own)


def measure(n_rows: int, repeats: int) -> tuple[dict[int, Model], list[list[str]]]:
    """Models by leaves, and the table of measured and predicted rounds."""
    checked = n_rows // 2, FEATURES
    made_from = [(n, d) for n in (n_rows, FEW_ROWS) for d in (FEW_FEATURES, FEATURES)]
    measured: dict[int, Rounds] = {}
    for n_workers in WORKERS:
        with cluster_of(n_workers) as client:
            for leaves in LEAVES:  # imports on the workers
                ours(2, leaves).fit(*rows_of(client, Size(FEW_ROWS, 5, 1)).lazy)
            log(f"workers: {n_workers}")
            more = [*made_from, (FEW_ROWS, MANY_FEATURES)] if n_workers == 1 else []
            measured[n_workers] = measure_rounds(client, [checked, *more], repeats)
            if n_workers == 1:
                calls = measure_calls(client)
                messages = {
                    leaves: {
                        d: count_messages(client, leaves, d) for d in (FEATURES, MANY_FEATURES)
                    }
                    for leaves in LEAVES
                }
    models = {
        leaves: model_of(leaves, n_rows, measured[1], calls, messages[leaves]) for leaves in LEAVES
    }
    table = []
    for leaves in LEAVES:
        for n_workers in WORKERS:
            seconds = measured[n_workers][leaves, *checked]
            share = min(n_workers, os.cpu_count() or 1) / n_workers
            expected = models[leaves].slower(share).predict(*checked, n_workers)
            cells = [duration(seconds), duration(expected), f"{expected / seconds:.2f}"]
            workers = "1 worker" if n_workers == 1 else f"{n_workers} workers"
            table.append([f"{name_of(leaves)}, {workers}", *cells])
    return models, table


# ---- printing ------------------------------------------------------------------------------------


def parts_table(models: dict[int, Model]) -> str:
    """What a round consists of."""
    rows = []
    for leaves, model in models.items():
        costs, messages = model.costs, model.messages[MANY_FEATURES]
        rows.append(
            [
                name_of(leaves),
                f"{costs.per_cell * 1e9:.3g} ns",
                f"{costs.per_row * 1e9:.3g} ns",
                f"{messages.count:.1f}",
                f"{messages.n_bytes / 1e3:,.0f} kB",
                duration(model.own[MANY_FEATURES]),
            ]
        )
    head = ["a round of", "row x feature", "row", "messages", "bytes of an answer", "driver"]
    return markdown(head, rows)


def extrapolated(models: dict[int, Model], n_rounds: int) -> Iterator[list[str]]:
    """Times of fits on many workers, all answers to the driver and with tree reduction."""
    for leaves, model in models.items():
        for n_threads in THREADS:
            for n_workers in TARGET_WORKERS:
                how: dict[str, Any] = {"n_threads": n_threads}
                flat = model.predict(TARGET_ROWS, MANY_FEATURES, n_workers, **how)
                n_bytes = model.messages[MANY_FEATURES].n_bytes
                fan_in = best_fan_in(n_workers, n_bytes, model.costs)
                tree = model.predict(TARGET_ROWS, MANY_FEATURES, n_workers, fan_in=fan_in, **how)
                share = TARGET_ROWS / n_workers / n_threads
                cells = MANY_FEATURES * model.costs.per_cell + model.costs.per_row
                yield [
                    f"{name_of(leaves)}, {n_workers:,} workers of {n_threads} "
                    f"thread{'s' * (n_threads > 1)}",
                    duration(share * cells),
                    duration(flat),
                    duration(tree),
                    "-" if fan_in is None else str(fan_in),
                    f"{figure(min(flat, tree) * n_rounds / 60)} min",
                ]


def on_network(model: Model, latency: float, gigabits: float) -> Model:
    """The model with the latency and the transfer of a network in addition."""
    costs = model.costs
    added = replace(
        costs,
        latency=costs.latency + latency,
        per_byte=costs.per_byte + 8 / (gigabits * 1e9),
    )
    return replace(model, costs=added)


def report(
    header: str, models: dict[int, Model], table: Sequence[Sequence[str]], chosen: Any
) -> Iterator[str]:
    cores, calls = os.cpu_count(), models[2].costs
    yield header
    yield (
        f"Measured on one machine of {cores} cores, with one to {WORKERS[-1]} worker processes of "
        "one thread; more workers than cores share them. An exchange with a worker takes "
        f"{calls.latency * 1e3:.2f} ms, in which the driver waits, {calls.per_sent_byte * 1e9:.2g} "
        f"ns for each byte of the answer, and of the driver {calls.per_answer * 1e3:.2f} ms for "
        f"each answer and {calls.per_byte * 1e9:.2g} ns for each of its bytes. All rounds with "
        "255 bins, medians."
    )
    yield f"A round, for {MANY_FEATURES} features:"
    yield parts_table(models)
    yield (
        f"Check: rounds on {short(chosen.rows // 2)} x {FEATURES}, which are not among those that "
        "the model was made from. Workers that share cores are taken to be slower by as much."
    )
    yield markdown(["", "measured", "predicted", "predicted / measured"], table)
    yield (
        f"Extrapolated, not measured: {TARGET_ROWS:,} rows x {MANY_FEATURES} features on a network "
        f"with {chosen.latency_ms:g} ms of latency and {chosen.gigabits:g} Gbit/s at each node, "
        "threads that share the work of a worker evenly, and workers of the same speed. Tree "
        "reduction is simulated, the driver of today takes in all answers itself; its fan-in is "
        f"the best of some. Times of a round, and of {chosen.rounds} rounds in the better way:"
    )
    remote = {
        leaves: on_network(model, chosen.latency_ms / 1e3, chosen.gigabits)
        for leaves, model in models.items()
    }
    head = ["", "computation", "all to the driver", "tree reduction", "fan-in"]
    yield markdown([*head, f"{chosen.rounds} rounds"], extrapolated(remote, chosen.rounds))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=400_000, help="of the fits that are measured")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=100, help="of the extrapolated fits")
    parser.add_argument("--latency-ms", type=float, default=0.2, help="of the network")
    parser.add_argument("--gigabits", type=float, default=10.0, help="of the network, a second")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the Markdown here as well")
    parser.add_argument("--docs", action="store_true", help="and into docs/scaling.md")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    header = " ".join(filter(None, [environment("dask", "distributed"), busy_note()]))
    models, table = measure(chosen.rows, chosen.repeats)
    parts = list(report(header, models, table, chosen))
    publish(parts, chosen.out)
    if chosen.docs:
        insert("cluster_model", parts)


if __name__ == "__main__":
    main()
