"""What decisions by cost save: our classifiers and their peers on the same splits of many sets.

README.md in this folder describes how the numbers come about and how to read them.
"""

import argparse
import time
import warnings
from collections.abc import Sequence
from pathlib import Path

from printing import environment, publish
from resuming import Defaults, choice
from timing import log
from value_data import THREADS, chosen_sets, load
from value_results import Results
from value_systems import BY_NAME, COSTBOOST, System, reason, trials, working
from value_tables import report

PEERS = ("lightgbm", "xgboost", "empulse")
REPEATS = 5
QUICK_SETS = ["haberman", "breast_cancer_ljubljana", "heart_cleveland", "pima"]
QUICK_SYSTEMS = [
    COSTBOOST,
    "AdaMEC votes",
    "AdaMEC Platt",
    "LightGBM",
    "LightGBM Platt",
    "LightGBM weighted",
    "HistGradientBoosting",
    "empulse CSBoost",
]
CSV = Path("value.csv")


def run(
    names: Sequence[str],
    systems: Sequence[System],
    repeats: int,
    threads: int,
    results: Results,
    done: set[tuple[str, int, str]],
) -> None:
    """Run whatever is not done yet, set by set."""
    for position, name in enumerate(names, 1):
        todo = [
            (number, system)
            for number in range(repeats)
            for system in systems
            if (name, number, system.name) not in done
        ]
        if todo:
            start = time.perf_counter()
            about = run_set(name, todo, threads, results)
            took = time.perf_counter() - start
            log(f"[{position}/{len(names)}] {about}: {len(todo)} systems x splits, {took:.0f} s")


def run_set(name: str, todo: Sequence[tuple[int, System]], threads: int, results: Results) -> str:
    try:
        problem = load(name)
    except Exception as error:
        return f"{name} is left out ({reason(error)})"
    for number in sorted({number for number, _ in todo}):
        split = problem.split(number, threads)
        for system in (system for other, system in todo if other == number):
            try:
                results.add(name, number, system.name, trials(system, split))
            except Exception as error:
                results.add_failure(name, number, system.name, reason(error))
                log(f"{system.name} failed on {name}, split {number}: {reason(error)}")
    return problem.about


def failures(results: Results) -> list[str]:
    lines = [
        f"- {system} on {name}, split {split}: {error}"
        for name, split, system, error in results.failures()
    ]
    return ["Failed:", "\n".join(lines)] if lines else []


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    defaults = Defaults(chosen_sets(), REPEATS, CSV, QUICK_SETS)
    defaults.add_options(parser)
    systems = list(BY_NAME)
    about = "run these systems (all in the CSV are shown); --report: show them"
    choice(parser, "--systems", systems, about)
    choice(parser, "--skip", systems, "not these systems")
    choice(parser, "--redo", systems, "with --resume: run these again")
    parser.add_argument("--threads", type=int, default=THREADS, help="of each system; default 2")
    parser.add_argument(
        "--merge", nargs="+", type=Path, default=[], metavar="FILE", help="CSVs to be shown as well"
    )
    chosen = defaults.settle(parser)
    if chosen.threads < 1:
        parser.error("--threads must be positive")
    named = [
        *(chosen.systems or (QUICK_SYSTEMS if chosen.quick else systems)),
        *(chosen.redo or []),
    ]
    chosen.systems = [BY_NAME[k] for k in systems if k in named and k not in (chosen.skip or [])]
    missing = [file for file in chosen.merge if not file.exists()]
    if missing:
        parser.error(f"there is no file {missing[0]}")
    return chosen


def main() -> None:
    warnings.simplefilter("ignore")  # those of the systems about the data
    chosen = arguments()
    parts = [environment(*PEERS)]
    results = Results(chosen.csv, chosen.merge)
    if not chosen.report:
        systems, messages = working(chosen.systems)
        for message in messages:
            log(message)
        parts += messages
        redone = chosen.redo or []
        done = {one for one in results.finished if one[2] not in redone}
        run(chosen.sets, systems, chosen.repeats, chosen.threads, results, done)
    lines = results.table()
    lines = lines[lines["set"].isin(chosen.sets)]
    if chosen.report:
        lines = lines[lines["system"].isin([system.name for system in chosen.systems])]
    parts += report(lines)
    publish(parts + failures(results), chosen.out)


if __name__ == "__main__":
    main()
