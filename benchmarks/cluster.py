"""Fits on a Dask cluster of local processes, against lightgbm.dask and xgboost.dask.

Also prints how far models of 1, 2 and 4 workers differ, the time of a round on few rows, and the
time on two workers over that of two local threads; with --only-ours nothing but the last of these.
README.md in this folder describes how.
"""

import argparse
import warnings
from collections.abc import Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from alone import ALONE, NOT_DONE, Journal, add_options, undisturbed
from cluster_systems import (
    LEAVES,
    SYSTEMS,
    Rows,
    cluster_of,
    local_model,
    ours,
    rows_of,
    seconds_of_fit,
    seconds_of_round,
)
from printing import duration, environment, figure, insert, markdown, publish
from systems import Size, short
from timing import log

Times = dict[tuple[str, int], float]
OVERHEAD = Size(2_000, 50, 1)
OVERHEAD_ROUNDS = (200, 20)


def name_of(leaves: int) -> str:
    return "stumps" if leaves == 2 else f"{leaves}-leaf trees"


# ---- times ---------------------------------------------------------------------------------------


def rounds_of(chosen: Any, leaves: int) -> int:
    return int(chosen.rounds if leaves == 2 else chosen.tree_rounds or chosen.rounds)


def race(client: Any, size: Size, names: Sequence[str], chosen: Any, journal: Journal) -> Times:
    """Median seconds of a fit; the systems take turns, and so does our local fit of two threads."""

    @cache
    def rows() -> Rows:
        return rows_of(client, size)

    def seconds(name: str, leaves: int) -> float:
        rounds = rounds_of(chosen, leaves)
        if name == "local":
            return seconds_of_fit(ours(rounds, leaves, 2), rows().X, rows().y)
        return seconds_of_fit(SYSTEMS[name](rounds, leaves), *rows().lazy)

    taken: dict[tuple[str, int], list[float]] = {}
    for leaves in LEAVES:
        for k in range(chosen.repeats):
            for name in [*names, "local"]:
                took = journal.value(
                    f"{name}, {name_of(leaves)}, {size.rows} rows, fit {k + 1}",
                    partial(undisturbed, partial(seconds, name, leaves)),
                )
                taken.setdefault((name, leaves), []).append(took)
    return {key: median(values) for key, values in taken.items()}


def warm_up(client: Any, names: Sequence[str]) -> None:
    """Imports on the workers are not measured."""
    rows = rows_of(client, Size(4_000, 5, 1))
    for leaves in LEAVES:
        for name in names:
            seconds_of_fit(SYSTEMS[name](2, leaves), *rows.lazy)


def overheads(client: Any, repeats: int, journal: Journal) -> dict[int, float]:
    """Median milliseconds of a round on few rows of 50 features, by leaves."""

    @cache
    def rows() -> Rows:
        return rows_of(client, OVERHEAD)

    def milliseconds(leaves: int, n: int) -> float:
        def once() -> float:
            return seconds_of_round(ours(n, leaves), *rows().lazy)

        return 1e3 * median(undisturbed(once) for _ in range(repeats))

    return {
        leaves: journal.value(
            f"a round on few rows, {name_of(leaves)}", partial(milliseconds, leaves, n)
        )
        for leaves, n in zip(LEAVES, OVERHEAD_ROUNDS, strict=True)
    }


# ---- models of 1, 2 and 4 workers ----------------------------------------------------------------


def predictions(n_workers: int, names: Sequence[str], size: Size, rounds: int) -> dict[Any, Any]:
    """Probabilities of the models that so many workers train on the same rows, and their bytes."""
    found: dict[Any, Any] = {}
    with cluster_of(n_workers) as client:
        rows = rows_of(client, size)
        for leaves in LEAVES:
            for name in names:
                log(f"{name}, {name_of(leaves)}, {n_workers} workers")
                model = SYSTEMS[name](rounds, leaves)
                model.fit(*rows.lazy)
                model = local_model(model)
                found[name, leaves] = model.predict_proba(rows.X)[:, 1]
    return found


def differences(names: Sequence[str], size: Size, rounds: int) -> Iterator[list[str]]:
    """For each system, how far the predictions of models of 2 and 4 workers differ from one's."""
    found = {n: predictions(n, names, size, rounds) for n in (1, 2, 4)}
    for leaves in LEAVES:
        for name in names:
            cells = []
            for n in (2, 4):
                one, other = found[1][name, leaves], found[n][name, leaves]
                changed = np.mean(one != other)
                greatest = float(np.abs(one - other).max())
                flipped = int(np.sum((one > 0.5) != (other > 0.5)))
                cells += [f"{changed:.0%}", f"{greatest:.2g}", f"{flipped:,}"]
            yield [f"{name}, {name_of(leaves)}", *cells]


# ---- printing ------------------------------------------------------------------------------------


def race_table(times: Times, names: Sequence[str]) -> str:
    rows = []
    for leaves in LEAVES:
        us = times["costboost", leaves]
        cells = [
            duration(times[name, leaves])
            + ("" if name == "costboost" else f" ({figure(times[name, leaves] / us)}x)")
            for name in names
        ]
        local = times["local", leaves]
        rows.append([name_of(leaves), *cells, f"{duration(local)} ({figure(us / local)}x)"])
    return markdown(["", *names, "costboost, two local threads (cluster / local)"], rows)


def goals_of_peers(times: Times, names: Sequence[str]) -> Iterator[str]:
    for leaves, wanted in zip(LEAVES, (3.0, 1.0), strict=True):
        for name in names[1:]:
            value = times[name, leaves] / times["costboost", leaves]
            yield line(f"{name_of(leaves)}, {name} / ours", value, wanted, "x", at_most=False)


def goals_of_threads(times: Times) -> Iterator[str]:
    for leaves, wanted in zip(LEAVES, (1.3, 2.0), strict=True):
        value = times["costboost", leaves] / times["local", leaves]
        yield line(f"{name_of(leaves)}, two workers / two local threads", value, wanted, "x")


def line(text: str, value: float, wanted: float, unit: str, at_most: bool = True) -> str:
    sense = "at most" if at_most else "at least"
    reached = value <= wanted if at_most else value >= wanted
    verdict = "reached" if reached else "not reached"
    return f"- {text}, {sense} {wanted:g}{unit}: {figure(value)}{unit}, {verdict}"


def installed() -> list[str]:
    names = []
    for name, make in SYSTEMS.items():
        try:
            make(1, 2)
            names.append(name)
        except ImportError as error:
            log(f"{name} is skipped ({error}): pip install costboost[peers]")
    return names


def report_of_ours(chosen: Any, size: Size, journal: Journal) -> Iterator[str]:
    """Our fits on two workers and on two local threads."""
    with cluster_of(2) as client:
        warm_up(client, ["costboost"])
        times = race(client, size, ["costboost"], chosen, journal)
    yield what_is_timed(size, chosen, "")
    yield race_table(times, ["costboost"])
    yield "\n".join(goals_of_threads(times))


def report_of_all(chosen: Any, size: Size, journal: Journal) -> Iterator[str]:
    """Fits of all systems, rounds on few rows, and models of several numbers of workers."""
    names = installed()
    with cluster_of(2) as client:
        warm_up(client, names)
        rounds = overheads(client, chosen.repeats, journal)
        times = race(client, size, names, chosen, journal)
    compared = Size(chosen.compared_rows, chosen.features, 1)
    table = journal.value(
        f"models of 1, 2 and 4 workers, {compared.rows} rows",
        lambda: list(differences(names, compared, chosen.rounds)),
    )
    yield what_is_timed(size, chosen, " (in brackets: their time / ours)")
    yield race_table(times, names)
    yield (
        f"A round on {short(OVERHEAD.rows)} x {OVERHEAD.features} with two workers: "
        + ", ".join(f"{figure(ms)} ms for {name_of(k)}" for k, ms in rounds.items())
        + "."
    )
    yield (
        f"Models of one worker against those of 2 and 4, on {short(compared.rows)} x "
        f"{compared.features}: rows whose probability changes, the greatest change, and rows "
        "that get another class."
    )
    head = [f"{n} workers: {what}" for n in (2, 4) for what in ("rows", "most", "class")]
    yield markdown(["", *head], table)
    overhead = line("a round of stumps on few rows of 50 features", rounds[2], 10.0, " ms")
    yield "\n".join([*goals_of_peers(times, names), overhead])


def what_is_timed(size: Size, chosen: Any, brackets: str) -> str:
    trees = f" of stumps and {chosen.tree_rounds} of trees" if chosen.tree_rounds else ""
    return (
        f"Fit of {short(size.rows)} x {size.features} float32, {chosen.rounds} rounds{trees}, on "
        f"two worker processes with one thread each{brackets}, and on two threads of one process. "
        "Medians of fits that took turns."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--features", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--tree-rounds", type=int, help="of the timed fits of trees, if others")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--compared-rows", type=int, default=100_000, help="for 1, 2, 4 workers")
    parser.add_argument("--only-ours", action="store_true", help="on workers and on local threads")
    add_options(parser)
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the Markdown here as well")
    parser.add_argument("--docs", action="store_true", help="and into docs/studies/scaling.md")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    report = report_of_ours if chosen.only_ours else report_of_all
    size = Size(chosen.rows, chosen.features, 1)
    peers = () if chosen.only_ours else ("lightgbm", "xgboost")
    header = environment("dask", "distributed", *peers, with_load=False) + " " + ALONE
    try:
        parts = [header, *report(chosen, size, Journal(chosen))]
    except NOT_DONE as error:
        log(f"not all has been measured, run the command again: {error}")
        return
    publish(parts, chosen.out)
    if chosen.docs:
        insert("cluster_local" if chosen.only_ours else "cluster", parts)


if __name__ == "__main__":
    main()
