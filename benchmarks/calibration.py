"""How to calibrate: how many rows to hold out, folds or once, and which calibrator; on many sets.

README.md in this folder describes how the numbers come about and how to read them.
"""

import argparse
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from calibration_tables import report
from calibration_trials import BASES, FIELDS, compute, disagreement
from printing import environment, publish
from running import Defaults, Experiment, available, read, run
from value_data import chosen_sets

from costboost_lab.studies import Cell

REPEATS = 10
QUICK_SETS = ["haberman", "breast_cancer_ljubljana", "pima", "solar_flare", "banana"]
CSV = Path("calibration.csv")
MOST_DISAGREEMENT = 1e-6  # the classifiers round scores to twelve digits before they calibrate


def grid(names: Sequence[str], repeats: int) -> list[Cell]:
    """The cells, set by set."""
    return [
        {"set": name, "split": number, "base": base.name}
        for name in names
        for number in range(repeats)
        for base in BASES
    ]


def tidy(lines: pd.DataFrame | None) -> pd.DataFrame:
    """The results with empty text where a field does not apply, and counts as numbers."""
    if lines is None:
        return pd.DataFrame(columns=FIELDS)
    counts = lines[["held", "rarer"]].apply(pd.to_numeric, errors="coerce")  # empty where none
    return lines[FIELDS].fillna({"way": ""}).assign(**counts)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    defaults = Defaults(chosen_sets(), REPEATS, CSV, QUICK_SETS)
    defaults.add_options(parser)
    return defaults.settle(parser)


def main() -> None:
    warnings.simplefilter("ignore")
    chosen = arguments()
    header = environment()
    lines = read(chosen.csv)
    if not chosen.report:
        apart = disagreement()
        if apart > MOST_DISAGREEMENT:
            sys.exit(f"not the probabilities of the classifiers themselves: {apart:.2g} apart")
        cells = grid(available(chosen.sets), chosen.repeats)
        lines, _ = run(Experiment("calibration", compute), cells, chosen.csv, chosen.jobs)
    lines = tidy(lines)
    publish([header, *report(lines[lines["set"].isin(chosen.sets)])], chosen.out)


if __name__ == "__main__":
    main()
