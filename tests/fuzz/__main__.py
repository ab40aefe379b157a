"""Run mutants of model files and of data files, and malformed calls, in the numbers of a release.

``PYTHONPATH=tests python -m fuzz`` runs all; options choose numbers and a first number. Defects are
printed with the number of the case, and make the exit code 1.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from functools import partial

from fuzz import calls, commands, isolation, model_files

COUNTS = {"models": 100_000, "commands": 20_000, "calls": None}
CASES: dict[str, tuple[Callable[[], None], isolation.Case]] = {
    "models": (model_files.prepare, model_files.case),
    "commands": (commands.prepare, commands.case),
    "calls": (calls.prepare, calls.case),
}


def main() -> int:
    """Run the cases that the options choose; 1 if there are defects."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    for name, count in COUNTS.items():
        shown = "all" if count is None else f"{count:,}"
        parser.add_argument(f"--{name}", type=int, default=count, help=f"cases; {shown} by default")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    n_defects = 0
    for name, (prepare, case) in CASES.items():
        count = getattr(given, name)
        if count == 0:
            continue
        prepare()
        if name == "calls":
            last = len(calls.catalogue())
            numbers = range(
                given.first, min(last, given.first + (last if count is None else count))
            )
        else:
            numbers = range(given.first, given.first + count)
        outcome = isolation.run(
            case,
            numbers,
            given.workers,
            tell=partial(_tell, name),
            tell_defect=partial(_tell_defect, name),
        )
        print(f"{name}: {outcome}")
        n_defects += len(outcome.defects)
    commands.clean()
    return 1 if n_defects else 0


def _tell(name: str, outcome: isolation.Outcome) -> None:
    print(f"{name}: {outcome}", file=sys.stderr)


def _tell_defect(name: str, number: int, trace: str) -> None:
    """At once: a run takes hours, and may be stopped."""
    print(f"---- {name}: defect of case {number}\n{trace}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
