"""What decisions by cost save: our classifiers and their peers on the same splits of many sets.

README.md in this folder describes how the numbers come about and how to read them.
"""

import argparse
import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pandas as pd
from printing import environment, publish
from running import Defaults, Experiment, available, choice, read, run
from timing import log
from value_data import THREADS, chosen_sets, half
from value_systems import BY_NAME, COSTBOOST, System, compute, working
from value_tables import diagram, report

from costboost.studies import Cell

PEERS = ("lightgbm", "xgboost", "catboost", "empulse")
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
FIELDS = ["set", "split", "system", "ratio", "cost", "share", "brier", "seconds", "n_threads"]


def grid(names: Sequence[str], systems: Sequence[System], repeats: int) -> list[Cell]:
    """The cells, set by set and split by split."""
    return [
        {"set": name, "split": number, "system": system.name}
        for name in names
        for number in range(repeats)
        for system in systems
    ]


def together(own: pd.DataFrame | None, others: Sequence[Path]) -> pd.DataFrame:
    """The results of this run and of other files; its own count where both have some."""
    tables = [*map(pd.read_csv, others), *([] if own is None else [own])]
    if not tables:
        return pd.DataFrame(columns=FIELDS)
    lines = pd.concat(tables, ignore_index=True)[FIELDS]
    lines = lines[lines["ratio"].notna()].astype({"ratio": int, "split": int, "brier": float})
    return lines.drop_duplicates(FIELDS[:4], keep="last").reset_index(drop=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    defaults = Defaults(chosen_sets(), REPEATS, CSV, QUICK_SETS)
    defaults.add_options(parser)
    systems = list(BY_NAME)
    about = "run these systems (all in the CSV are shown); --report: show them"
    choice(parser, "--systems", systems, about)
    choice(parser, "--skip", systems, "not these systems")
    choice(parser, "--redo", systems, "run these again")
    parser.add_argument(
        "--half", choices=["design", "test"], help="sets that CostBoost was designed on, or others"
    )
    parser.add_argument("--picture", type=Path, metavar="FILE", help="critical-difference diagram")
    parser.add_argument("--threads", type=int, default=THREADS, help="of each system; default 2")
    parser.add_argument(
        "--merge", nargs="+", type=Path, default=[], metavar="FILE", help="CSVs to be shown as well"
    )
    chosen = defaults.settle(parser)
    if chosen.half:
        chosen.sets = [name for name in chosen.sets if name in half(chosen.half)]
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
    own, failures = read(chosen.csv), []
    if not chosen.report:
        systems, messages = working(chosen.systems)
        for message in messages:
            log(message)
        parts += messages
        redone = chosen.redo or []
        own, failures = run(
            Experiment("value", partial(compute, threads=chosen.threads)),
            grid(available(chosen.sets), systems, chosen.repeats),
            chosen.csv,
            chosen.jobs,
            lambda cell: cell["system"] in redone,
        )
    lines = together(own, chosen.merge)
    lines = lines[lines["set"].isin(chosen.sets)]
    if chosen.report:
        lines = lines[lines["system"].isin([system.name for system in chosen.systems])]
    parts += report(lines)
    if chosen.picture:
        diagram(lines, chosen.picture)
    if failures:
        parts += ["Failed:", "\n".join(f"- {failure}" for failure in failures)]
    publish(parts, chosen.out)


if __name__ == "__main__":
    main()
