"""An artificial study of a few cells that take milliseconds, and programs that run it."""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from costboost_lab.studies import (
    REPRODUCED,
    Cell,
    Claim,
    Departure,
    Figure,
    Frame,
    Options,
    Record,
    Study,
    Table,
    Verdict,
)
from costboost_lab.studies.statistics import verdict_ordinal

METHODS = ("careful", "careless")
PAUSE = "TINY_STUDY_SECONDS"
"""Environment variable with the time that a cell takes."""
STARTED = "TINY_STUDY_STARTED"
"""Environment variable with the name of a file that is made when a cell is started."""
OBSTACLE = "TINY_STUDY_OBSTACLE"
"""Environment variable: "fail" or "kill" while one of the cells cannot be computed."""


def cells(options: Options) -> list[Cell]:
    repeats = options.repeats or (2 if options.quick else 6)
    return [
        {"data": data, "method": method, "repeat": repeat}
        for data in (options.data or ("drawn",))
        for method in METHODS
        for repeat in range(repeats)
    ]


def compute(cell: Cell, seed: int) -> list[Record]:
    if STARTED in os.environ:
        Path(os.environ[STARTED]).touch()
    time.sleep(float(os.environ.get(PAUSE, "0")))
    if cell["method"] == "careless" and cell["repeat"] == 1:
        meet_obstacle(os.environ.get(OBSTACLE, ""))
    noise = np.random.default_rng(seed).normal(0, 0.01)
    level = 0.2 if cell["method"] == "careful" else 0.3
    return [
        {"ratio": ratio, "loss": np.float64(level + noise) * ratio, "stopped": None, "odd": np.nan}
        for ratio in (1, 10)
    ]


def meet_obstacle(kind: str) -> None:
    if kind == "fail":
        raise ValueError("this cell <fails>")
    if kind == "kill":
        os.kill(os.getpid(), signal.SIGKILL)


def tables(frame: Frame) -> list[Table]:
    if frame.empty:
        return []
    means = frame.pivot_table(index="method", columns="ratio", values="loss")
    means.columns = [f"ratio {name}" for name in means.columns]
    means["ratio 1 (paper)"] = 0.25
    return [Table("Loss by method", means, note="Lower is better & <exact>.")]


def figures(frame: Frame) -> list[Figure]:
    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for method, part in frame.groupby("method"):
            axes.plot(part["ratio"], part["loss"], "o", label=method)
        axes.legend()

    return [Figure("Loss and ratio", draw, note="Each point is a repeat.")]


STUDY = Study(
    name="tiny",
    title="A tiny study",
    citation="Nobody 2026",
    question="Does care help?",
    protocol=["Draw a loss.", "Compare the means."],
    departures=[Departure("There is no paper.", "It is a test.")],
    data=(),
    quick_data=(),
    cells=cells,
    compute=compute,
    paired_by=("data", "repeat"),
    tables=tables,
    figures=figures,
    learners=("stump", "tree"),
)
WITH_DATA = replace(STUDY, data=("wdbc", "kddcup98"), quick_data=("wdbc",))


def check(frame: Frame) -> Verdict:
    wide = frame.pivot_table(index="repeat", columns="method", values="loss")
    if set(METHODS) - set(wide.columns):
        return verdict_ordinal("careless minus careful", [], "repeat")
    return verdict_ordinal("careless minus careful", wide["careless"] - wide["careful"], "repeat")


CLAIMS = [
    Claim("T01", "Nobody 2026", "Table 1", "ordinal", "Care helps.", "tiny", check),
    Claim(
        "T02", "Nobody 2026", "p. 2", "structural", "One is one.", "tiny",
        lambda frame: Verdict(REPRODUCED, "1 against 1"),
    ),
    Claim("T03", "Nobody 2026", "p. 3", "numeric", "It is fast.", why_not="no times are printed"),
]  # fmt: skip


if __name__ == "__main__":
    from costboost_lab.studies import run

    place = sys.argv[2]
    if place.startswith("tcp:"):
        options: dict[str, Any] = {"scheduler": place}
    elif place.startswith("workers="):
        options = {"workers": int(place.removeprefix("workers="))}
    else:
        options = {"n_jobs": int(place)}
    done = run(STUDY, out=Path(sys.argv[1]), **options)
    sys.exit(1 if done.failures else 0)
