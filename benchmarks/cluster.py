"""Fits on a Dask cluster of local processes, against lightgbm.dask and xgboost.dask.

Also prints how far models of 1, 2 and 4 workers differ, the time of a round on few rows, and the
time on two workers over that of two local threads. README.md in this folder describes how.
"""

import argparse
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
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
from printing import busy_note, duration, environment, figure, insert, markdown, publish
from systems import Size, short
from timing import log

Times = dict[tuple[str, int], float]
OVERHEAD = Size(2_000, 50, 1)
OVERHEAD_ROUNDS = (200, 20)


def name_of(leaves: int) -> str:
    return "stumps" if leaves == 2 else f"{leaves}-leaf trees"


# ---- times ---------------------------------------------------------------------------------------


def race(rows: Rows, names: Sequence[str], rounds: int, repeats: int) -> Times:
    """Median seconds of a fit; the systems take turns, and so does our local fit of two threads."""
    taken: dict[tuple[str, int], list[float]] = {}
    for leaves in LEAVES:
        for _ in range(repeats):
            for name in names:
                log(f"{name}, {name_of(leaves)}")
                model = SYSTEMS[name](rounds, leaves)
                took = seconds_of_fit(model, *rows.lazy)
                taken.setdefault((name, leaves), []).append(took)
            local = seconds_of_fit(ours(rounds, leaves, 2), rows.X, rows.y)
            taken.setdefault(("local", leaves), []).append(local)
    return {key: median(values) for key, values in taken.items()}


def warm_up(client: Any, names: Sequence[str]) -> None:
    """Imports on the workers are not measured."""
    rows = rows_of(client, Size(4_000, 5, 1))
    for leaves in LEAVES:
        for name in names:
            seconds_of_fit(SYSTEMS[name](2, leaves), *rows.lazy)


def overheads(client: Any, repeats: int) -> dict[int, float]:
    """Median milliseconds of a round on few rows of 50 features, by leaves."""
    rows = rows_of(client, OVERHEAD)
    return {
        leaves: 1e3 * median(seconds_of_round(ours(n, leaves), *rows.lazy) for _ in range(repeats))
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


def goals(times: Times, names: Sequence[str], rounds: dict[int, float]) -> Iterator[str]:
    for leaves, wanted in zip(LEAVES, (3.0, 1.0), strict=True):
        for name in names[1:]:
            value = times[name, leaves] / times["costboost", leaves]
            yield line(f"{name_of(leaves)}, {name} / ours", value, wanted, "x", at_most=False)
    for leaves, wanted in zip(LEAVES, (1.3, 2.0), strict=True):
        value = times["costboost", leaves] / times["local", leaves]
        yield line(f"{name_of(leaves)}, two workers / two local threads", value, wanted, "x")
    yield line("a round of stumps on few rows of 50 features", rounds[2], 10.0, " ms")


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--features", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--compared-rows", type=int, default=100_000, help="for 1, 2, 4 workers")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the Markdown here as well")
    parser.add_argument("--docs", action="store_true", help="and into docs/scaling.md")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    header = environment("dask", "distributed", "lightgbm", "xgboost")
    header = " ".join(filter(None, [header, busy_note()]))
    names, size = installed(), Size(chosen.rows, chosen.features, 1)
    with cluster_of(2) as client:
        warm_up(client, names)
        rounds = overheads(client, chosen.repeats)
        times = race(rows_of(client, size), names, chosen.rounds, chosen.repeats)
    compared = Size(chosen.compared_rows, chosen.features, 1)
    table = list(differences(names, compared, chosen.rounds))
    parts = [
        header,
        f"Fit of {short(size.rows)} x {size.features} float32, {chosen.rounds} rounds, on two "
        "worker processes with one thread each (in brackets: their time / ours), and on two "
        "threads of one process. Medians of fits that took turns in the same run.",
        race_table(times, names),
        f"A round on {short(OVERHEAD.rows)} x {OVERHEAD.features} with two workers: "
        + ", ".join(f"{figure(ms)} ms for {name_of(k)}" for k, ms in rounds.items())
        + ".",
        f"Models of one worker against those of 2 and 4, on {short(compared.rows)} x "
        f"{compared.features}: rows whose probability changes, the greatest change, and rows "
        "that get another class.",
        markdown(
            ["", *(f"{n} workers: {what}" for n in (2, 4) for what in ("rows", "most", "class"))],
            table,
        ),
        "\n".join(goals(times, names, rounds)),
    ]
    publish(parts, chosen.out)
    if chosen.docs:
        insert("cluster", parts)


if __name__ == "__main__":
    main()
