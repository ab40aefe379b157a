"""What decisions by cost save: our classifiers and their peers on the same splits of many sets.

README.md in this folder says how the numbers come about and how to read them.
"""

import argparse
import time
import warnings
from collections.abc import Sequence
from pathlib import Path

from printing import environment, publish
from timing import say
from value_data import THREADS, chosen_sets, load
from value_results import Results
from value_systems import BY_NAME, COSTBOOST, System, reason, trials, working
from value_tables import report

PEERS = ("lightgbm", "xgboost", "empulse")
REPEATS = 5
QUICK_REPEATS = 2
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
            say(f"[{position}/{len(names)}] {about}: {len(todo)} systems x splits, {took:.0f} s")


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
                say(f"{system.name} failed on {name}, split {number}: {reason(error)}")
    return problem.about


def failures(results: Results) -> list[str]:
    lines = [
        f"- {system} on {name}, split {split}: {error}"
        for name, split, system, error in results.failures()
    ]
    return ["Failed:", "\n".join(lines)] if lines else []


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    sets, systems = chosen_sets(), list(BY_NAME)

    def choice(flag: str, choices: Sequence[str], about: str) -> None:
        parser.add_argument(
            flag,
            nargs="+",
            choices=choices,
            metavar="NAME",
            help=f"{about}: {', '.join(choices)}",
        )

    choice("--sets", sets, "only these data sets")
    choice(
        "--systems", systems, "run these systems (all in the CSV are shown); --report: show them"
    )
    choice("--skip", systems, "not these systems")
    choice("--redo", systems, "with --resume: run these again")
    parser.add_argument("--repeats", type=int, help=f"splits of each set, {REPEATS} if absent")
    parser.add_argument("--threads", type=int, default=THREADS, help="of each system; default 2")
    parser.add_argument("--quick", action="store_true", help="a few small sets and systems")
    parser.add_argument(
        "--csv",
        type=Path,
        metavar="FILE",
        help=f"where results are kept, {CSV} if absent (nowhere with --quick)",
    )
    parser.add_argument("--resume", action="store_true", help="go on with what the CSV has")
    parser.add_argument("--report", action="store_true", help="run nothing, show what the CSV has")
    parser.add_argument(
        "--merge", nargs="+", type=Path, default=[], metavar="FILE", help="CSVs to be shown as well"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the Markdown here as well")
    chosen = parser.parse_args()
    if min(chosen.threads, 1 if chosen.repeats is None else chosen.repeats) < 1:
        parser.error("--repeats and --threads must be positive")
    chosen.repeats = chosen.repeats or (QUICK_REPEATS if chosen.quick else REPEATS)
    chosen.csv = chosen.csv or (None if chosen.quick else CSV)
    named = chosen.sets or quick(chosen, QUICK_SETS, sets)
    chosen.sets = [name for name in sets if name in named]
    named = [*(chosen.systems or quick(chosen, QUICK_SYSTEMS, systems)), *(chosen.redo or [])]
    chosen.systems = [BY_NAME[k] for k in systems if k in named and k not in (chosen.skip or [])]
    missing = [file for file in chosen.merge if not file.exists()]
    if missing:
        parser.error(f"there is no file {missing[0]}")
    if chosen.csv and chosen.csv.exists() and not (chosen.resume or chosen.report):
        parser.error(f"{chosen.csv} exists: go on with it by --resume, or name another by --csv")
    return chosen


def quick(chosen: argparse.Namespace, few: list[str], every: list[str]) -> list[str]:
    return few if chosen.quick else every


def main() -> None:
    warnings.simplefilter("ignore")  # what systems have to say about data is not our subject
    chosen = arguments()
    parts = [environment(*PEERS)]
    results = Results(chosen.csv, chosen.merge)
    if not chosen.report:
        systems, messages = working(chosen.systems)
        for message in messages:
            say(message)
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
