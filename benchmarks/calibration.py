"""How to calibrate: how many rows to hold out, folds or once, and which calibrator; on many sets.

README.md in this folder describes how the numbers come about and how to read them.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from calibration_tables import report
from calibration_trials import BASES, BY_NAME, FIELDS, KEY, disagreement, n_lines, trials
from printing import environment, publish
from resuming import Defaults
from timing import log
from value_data import chosen_sets, load
from value_results import append

REPEATS = 10
QUICK_SETS = ["haberman", "breast_cancer_ljubljana", "pima", "solar_flare", "banana"]
CSV = Path("calibration.csv")
MOST_DISAGREEMENT = 1e-6  # the classifiers round scores to twelve digits before they calibrate

Done = set[tuple[str, int, str]]


def run(
    names: Sequence[str], repeats: int, csv: Path | None, done: Done
) -> Iterator[dict[str, Any]]:
    """Run whatever is not done yet, set by set, and keep it at once."""
    for position, name in enumerate(names, 1):
        todo = [
            (number, base)
            for number in range(repeats)
            for base in BASES
            if (name, number, base.name) not in done
        ]
        if not todo:
            continue
        start = time.perf_counter()
        try:
            problem = load(name)
        except FileNotFoundError as error:
            log(f"{name} is left out: {error}")
            continue
        for number, base in todo:
            lines = trials(name, base, problem.split(number, 1))
            if csv:
                append(csv, FIELDS, lines)
            yield from lines
        took = time.perf_counter() - start
        log(f"[{position}/{len(names)}] {problem.about}: {took:.0f} s")


def read(csv: Path | None) -> pd.DataFrame:
    if csv is None or not csv.exists():
        return pd.DataFrame(columns=FIELDS)
    return pd.read_csv(csv, keep_default_na=False)


def together(earlier: pd.DataFrame, found: list[dict[str, Any]]) -> pd.DataFrame:
    fresh = pd.DataFrame(found, columns=FIELDS)
    lines = pd.concat([table for table in (earlier, fresh) if len(table)] or [fresh])
    counts = lines[["held", "rarer"]].apply(pd.to_numeric, errors="coerce")  # empty where none
    return lines.assign(**counts).drop_duplicates(KEY, keep="last").reset_index(drop=True)


def finished(lines: pd.DataFrame) -> Done:
    """What has all its lines: a run may have been cut short while writing."""
    counts = lines.drop_duplicates(KEY).groupby(["set", "split", "base"]).size()
    return {one for one, count in counts.items() if count == n_lines(one[0], BY_NAME[one[2]])}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    defaults = Defaults(chosen_sets(), REPEATS, CSV, QUICK_SETS)
    defaults.add_options(parser)
    return defaults.settle(parser)


def main() -> None:
    warnings.simplefilter("ignore")
    chosen = arguments()
    header = environment()
    earlier, found = read(chosen.csv), []
    if not chosen.report:
        apart = disagreement()
        if apart > MOST_DISAGREEMENT:
            sys.exit(f"not the probabilities of the classifiers themselves: {apart:.2g} apart")
        done = finished(earlier)
        found = list(run(chosen.sets, chosen.repeats, chosen.csv, done))
    lines = together(earlier, found)
    publish([header, *report(lines[lines["set"].isin(chosen.sets)])], chosen.out)


if __name__ == "__main__":
    main()
