"""Measurements that are repeated if other programs use the processors meanwhile, and kept."""

import argparse
import json
import os
from collections.abc import Callable
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any

from timing import log

MOST_FOREIGN = 0.1
"""Most processor seconds of other programs in a second of a measurement."""
TRIES = 4
ALONE = f"Other programs used less than {MOST_FOREIGN:.0%} of a processor meanwhile."


def _process_times() -> tuple[float, float]:
    """Processor seconds of all processes, and of this one and those that it has started."""
    ticks = os.sysconf("SC_CLK_TCK")
    user, nice, system, _, _, irq, soft = map(
        int, Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:8]
    )
    parent, own = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            cells = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        number = int(folder.name)
        parent[number], own[number] = int(cells[1]), int(cells[11]) + int(cells[12])

    def is_ours(number: int) -> bool:
        while number > 1 and number != os.getpid():
            number = parent.get(number, 0)
        return number == os.getpid()

    ours = sum(time for number, time in own.items() if is_ours(number))
    return (user + nice + system + irq + soft) / ticks, ours / ticks


class DisturbedError(Exception):
    """Other programs do not let the processors alone."""


def undisturbed(measure: Callable[[], Any]) -> Any:
    """What ``measure`` returns while other programs hardly use the processors."""
    if not Path("/proc/stat").exists():
        return measure()
    for _ in range(TRIES):
        begin, before = perf_counter(), _process_times()
        found = measure()
        after, took = _process_times(), perf_counter() - begin
        foreign = (after[0] - before[0] - (after[1] - before[1])) / took
        if foreign < MOST_FOREIGN:
            return found
    raise DisturbedError(f"other programs use {foreign:.0%} of a processor")


# ---- measurements that are kept ------------------------------------------------------------------


class OutOfTimeError(Exception):
    """The time for measurements is over."""


NOT_DONE = OutOfTimeError, DisturbedError


class Journal:
    """Measurements by name, kept in a file, so that they can be made in several runs."""

    def __init__(self, chosen: argparse.Namespace) -> None:
        self._path = chosen.journal
        self._end = monotonic() + chosen.seconds
        self._values: dict[str, Any] = {}
        if self._path is not None and self._path.exists():
            self._values = json.loads(self._path.read_text())

    def value(self, name: str, measure: Callable[[], Any]) -> Any:
        """A measurement, as JSON has it, made now if it has not been made before."""
        if name not in self._values:
            if monotonic() > self._end:
                raise OutOfTimeError("the time is over")
            log(name)
            self._values[name] = measure()
            if self._path is not None:
                self._path.write_text(json.dumps(self._values, indent=1))
        return self._values[name]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Options of a `Journal`."""
    what = "keep measurements here, and do not repeat them"
    parser.add_argument("--journal", type=Path, metavar="FILE", help=what)
    what = "stop then, to go on by the same command"
    parser.add_argument("--seconds", type=float, default=float("inf"), help=what)
