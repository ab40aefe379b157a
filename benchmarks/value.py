"""What decisions by cost save: our classifiers and their peers on the same splits of many sets.

README.md in this folder describes how the numbers come about and how to read them.
"""

import argparse
import warnings
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from printing import environment, insert, publish
from running import Defaults, Experiment, available, choice, read, run
from timing import log
from value_data import chosen_sets, half
from value_systems import ASIDE, COSTBOOST, LEARNERS, compute, varies, working
from value_tables import all_systems, compare, report, short_summary

from costboost_lab.studies import Cell

SPLITS, SEEDS = 10, 5
QUICK_SETS = ["haberman", "breast_cancer_ljubljana", "heart_cleveland", "pima"]
CSV = Path("value.csv")
FIELDS = ["set", "split", "repeat", "system", "ratio", "share", "brier", "seconds"]
ROOT = Path(__file__).parents[1]
PAGE, README = ROOT / "docs" / "value.md", ROOT / "README.md"
TABLE = ROOT / "docs" / "studies" / "value.md"
PICTURE = ROOT / "docs" / "images" / "value-differences.png"
CAPTION = (
    "![What other systems cost more than CostBoost: a mean with its interval and a dot for each "
    f"set](images/{PICTURE.name})\n\nIn the picture, each peer has the form that is cheapest on "
    "these sets, which favours the peers."
)
DIGITS = 4


def grid(names: Sequence[str], learners: Sequence[str], splits: int, seeds: int) -> list[Cell]:
    """The cells: a split of all sets, then the next one, then with other seeds; slow ones first.

    Large sets come first, so that no process works alone at the end.
    """
    return [
        {"set": name, "split": split, "repeat": repeat, "learner": learner}
        for repeat in range(seeds)
        for split in range(splits)
        for learner in learners
        for name in reversed(names)
        if repeat == 0 or varies(learner)
    ]


# ---- results -------------------------------------------------------------------------------------


def by_split(lines: pd.DataFrame) -> pd.DataFrame:
    """Means over the seeds of each split."""
    keys = ["set", "split", "system", "ratio"]
    figures = {name: (name, "mean") for name in ("share", "brier", "seconds")}
    return lines.groupby(keys, as_index=False).agg(seeds=("repeat", "nunique"), **figures)


def kept(lines: pd.DataFrame) -> pd.DataFrame:
    """Shares of each system on a set at a ratio, in a column for each split."""
    keys = ["set", "system", "ratio"]
    shares = lines.pivot(index=keys, columns="split", values="share").round(DIGITS)
    found = lines.groupby(keys)
    shares.insert(0, "seeds", found["seeds"].min())
    shares.insert(1, "seconds", found["seconds"].mean().round(3))
    return shares.reset_index()


def from_kept(file: Path) -> pd.DataFrame:
    """The results in a file that `kept` has made."""
    table = pd.read_csv(file)
    fields = ["set", "system", "ratio", "seeds", "seconds"]
    lines = table.melt(fields, var_name="split", value_name="share")
    return lines.astype({"split": int}).dropna(subset="share")


def together(own: pd.DataFrame, others: Sequence[Path]) -> pd.DataFrame:
    """Results of this run and of files, by split; the run's own where both have some."""
    tables = [*map(from_kept, others), *([by_split(own)] if len(own) else [])]
    if not tables:
        return pd.DataFrame(columns=FIELDS)
    lines = pd.concat(tables, ignore_index=True)
    return lines.drop_duplicates(["set", "split", "system", "ratio"], keep="last")


# ---- the command ---------------------------------------------------------------------------------


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    defaults = Defaults(chosen_sets(), SPLITS, CSV, QUICK_SETS)
    defaults.add_options(parser)
    choice(parser, "--learners", LEARNERS, "train these, and show what is made of them")
    choice(parser, "--skip", LEARNERS, "not these")
    choice(parser, "--redo", LEARNERS, "train these again")
    parser.add_argument("--seeds", type=int, default=SEEDS, help=f"of models; default {SEEDS}")
    parser.add_argument(
        "--half", choices=["design", "test"], help="sets that CostBoost was designed on, or others"
    )
    parser.add_argument(
        "--merge", nargs="+", type=Path, default=[], metavar="FILE", help="kept results to show"
    )
    parser.add_argument(
        "--keep", type=Path, metavar="FILE", help="write the results of the peers here"
    )
    parser.add_argument(
        "--page", action="store_true", help="write tables and picture into docs/ and README.md"
    )
    chosen = defaults.settle(parser)
    if chosen.half:
        chosen.sets = [name for name in chosen.sets if name in half(chosen.half)]
    if chosen.seeds < 1:
        parser.error("--seeds must be positive")
    named = [*(chosen.learners or LEARNERS), *(chosen.redo or [])]
    chosen.learners = [k for k in LEARNERS if k in named and k not in (chosen.skip or [])]
    missing = [file for file in chosen.merge if not file.exists()]
    if missing:
        parser.error(f"there is no file {missing[0]}")
    return chosen


def results(chosen: argparse.Namespace) -> tuple[pd.DataFrame, list[str]]:
    """What was computed, now or earlier, and messages about what is missing."""
    own, messages = read(chosen.csv), []
    if not chosen.report:
        learners, messages = working(chosen.learners)
        for message in messages:
            log(message)
        own, failures = run(
            Experiment("value", compute),
            grid(available(chosen.sets), learners, chosen.repeats, chosen.seeds),
            chosen.csv,
            chosen.jobs,
            lambda cell: cell["learner"] in (chosen.redo or []),
            chosen.minutes,
        )
        messages += [f"failed: {failure}" for failure in failures]
    lines = pd.DataFrame(columns=FIELDS) if own is None else own
    return lines[lines["set"].isin(chosen.sets)], messages


def write_page(lines: pd.DataFrame, parts: Sequence[str]) -> None:
    from value_picture import draw

    found = compare(lines)
    if found is None:
        return
    insert("value", [*parts, CAPTION], PAGE)
    insert("value", [parts[0], *all_systems(lines)], TABLE)
    insert("value", [short_summary(found)], README)
    draw(found, PICTURE)


def main() -> None:
    warnings.simplefilter("ignore")  # those of the systems about the data
    chosen = arguments()
    own, messages = results(chosen)
    lines = together(own, chosen.merge)
    lines = lines[lines["set"].isin(chosen.sets)]
    if chosen.keep:
        ours = [COSTBOOST, *ASIDE]
        kept(lines[~lines["system"].isin(ours)]).to_csv(chosen.keep, index=False)
    parts = [environment("lightgbm", "xgboost", "catboost"), *report(lines), *messages]
    if chosen.page:
        write_page(lines, parts)
    publish([*parts, *all_systems(lines)], chosen.out)


if __name__ == "__main__":
    main()
