"""CostBoost with a score for each class against its peers, under random cost matrices.

A third of the rows is held out, in five splits. Decisions are made under twenty cost matrices,
drawn as Domingos (1999) draws them: C(i, j) is uniform from 0 to 2000 P(j) / P(i). Systems that
estimate probabilities are trained once for a split; GBSE is trained for each matrix. The systems
are those of multiclass_peers.py. With --speed, the time of 100 rounds on letter is printed instead.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from multiclass_peers import (
    COSTBOOST,
    DRAWS,
    GBSE,
    LEARNERS,
    ONE_VS_REST,
    OTHERS,
    OURS,
    SETS,
    compute,
)
from printing import environment, insert, markdown, publish
from running import Experiment, add_running_options, check_running_options, read, run
from scipy import stats

from costboost.algorithms import MultinomialLogitBoostClassifier
from costboost_lab.studies import Cell

SPLITS = 5
CSV = Path("multiclass_native.csv")
PAGE = Path(__file__).parents[1] / "docs" / "studies" / "multiclass.md"
LEAVES, RATE, ROUNDS, LEAST_LEAF = 31, 0.1, 100, 20
KEYS = ["set", "split", "system"]
FIGURES = ["cost", "log_loss", "seconds"]


def grid(names: Sequence[str], learners: Sequence[str], splits: int) -> list[Cell]:
    """The cells, split by split; large sets first."""
    return [
        {"set": name, "split": split, "learner": learner}
        for split in range(splits)
        for learner in learners
        for name in reversed(names)
    ]


# ---- tables --------------------------------------------------------------------------------------


def means(lines: pd.DataFrame, column: str) -> pd.DataFrame:
    """Means over splits: sets as rows, systems as columns."""
    found = lines.groupby(["set", "system"])[column].mean().unstack()
    return found.loc[[name for name in SETS if name in found.index]]


def ratio(figures: pd.DataFrame, system: str) -> np.ndarray:
    """Logarithms of the figures of a system, as multiples of CostBoost's, by set."""
    both = figures[[COSTBOOST, system]].dropna()
    return np.log(both[system] / both[COSTBOOST]).to_numpy()


def shown(logs: np.ndarray) -> str:
    """Geometric mean with the 95% interval of Student's t over sets."""
    half = stats.t.ppf(0.975, logs.size - 1) * stats.sem(logs)
    low, mean, high = np.exp(logs.mean() + np.array([-half, 0, half]))
    return f"{mean:.3f} [{low:.3f}, {high:.3f}]"


def summary(lines: pd.DataFrame) -> str:
    costs, losses = means(lines, "cost"), means(lines, "log_loss")
    table = [[COSTBOOST, "1", "", "1", str(len(costs))]]
    others = [name for name in costs if name != COSTBOOST]
    for name in sorted(others, key=lambda name: ratio(costs, name).mean()):
        of_cost, of_loss = ratio(costs, name), ratio(losses, name)
        cheaper = f"{(of_cost > 0).sum()} of {of_cost.size}"
        loss = f"{np.exp(of_loss.mean()):.3f}" if of_loss.size else ""
        table.append([name, shown(of_cost), cheaper, loss, str(of_cost.size)])
    header = ["", "cost / CostBoost's [95%]", "CostBoost cheaper on"]
    return markdown([*header, "log loss / CostBoost's", "sets"], table)


def best_forms(costs: pd.DataFrame) -> list[str]:
    """Our two, the cheapest form of each peer, and GBSE."""
    names = [name for name in (COSTBOOST, ONE_VS_REST) if name in costs]
    for peer in OTHERS:
        forms = [name for name in costs if name.split(",")[0] == peer]
        names += sorted(forms, key=lambda name: ratio(costs, name).mean())[:1]
    return names + [name for name in (GBSE,) if name in costs]


def report(lines: pd.DataFrame) -> list[str]:
    """Ratios to CostBoost over all sets; and costs and log loss set by set.

    Times are not among them: kept results of peers may be of another machine.
    """
    if COSTBOOST not in set(lines["system"]):
        return [f"{COSTBOOST} is missing, with which all others are compared."]
    splits = lines.groupby(["set", "system"])["split"].nunique()
    count = f"{splits.min()}" if splits.nunique() == 1 else f"{splits.min()} to {splits.max()}"
    parts = [
        environment("lightgbm", "xgboost", "catboost"),
        f"Geometric means over {lines['set'].nunique()} sets, of means over {count} splits and "
        f"{DRAWS} matrices; intervals are those of Student's t over sets.",
        summary(lines),
    ]
    names = best_forms(means(lines, "cost"))
    for title, column, digits in (
        ("Mean cost, of each peer its cheapest form.", "cost", ".4g"),
        ("Log loss of the test rows.", "log_loss", ".4f"),
    ):
        figures = means(lines, column).reindex(columns=names).dropna(axis="columns", how="all")
        table = [
            [str(name), *(format(v, digits) if v == v else "" for v in row)]
            for name, row in zip(figures.index, figures.to_numpy(), strict=True)
        ]
        parts += [title, markdown(["", *figures.columns], table)]
    return parts


def speed(threads: Sequence[int]) -> str:
    """Seconds of 100 rounds on letter, the least of three; processor time for one thread."""
    import lightgbm

    X, y = SETS["letter"]()
    code = np.unique(y, return_inverse=True)[1]

    def ours(n: int) -> Any:
        return MultinomialLogitBoostClassifier(
            estimator="tree", n_estimators=ROUNDS, max_depth=None, max_leaf_nodes=LEAVES,
            min_samples_leaf=LEAST_LEAF, learning_rate=RATE, n_jobs=n,
        )  # fmt: skip

    def theirs(n: int) -> Any:
        return lightgbm.LGBMClassifier(
            n_estimators=ROUNDS, num_leaves=LEAVES, min_child_samples=LEAST_LEAF,
            learning_rate=RATE, n_jobs=n, verbose=-1,
        )  # fmt: skip

    table = []
    for n in threads:
        for name, made in (("MultinomialLogitBoostClassifier", ours), ("LightGBM", theirs)):
            wall, cpu = [], []
            for _ in range(3):
                start, used = time.perf_counter(), time.process_time()
                made(n).fit(X, code)
                wall.append(time.perf_counter() - start)
                cpu.append(time.process_time() - used)
            table.append([f"{name}, n_jobs={n}", f"{min(wall):.2f}", f"{min(cpu):.2f}"])
    return markdown(["letter, 20,000 rows, 26 classes, 100 rounds", "seconds", "CPU"], table)


# ---- the command ---------------------------------------------------------------------------------


def together(own: pd.DataFrame | None, others: Sequence[Path]) -> pd.DataFrame:
    """Results of files and of this run; its own where both have some."""
    tables = [*map(pd.read_csv, others), *([] if own is None else [own])]
    lines = pd.concat(tables, ignore_index=True)[[*KEYS, *FIGURES]]
    return lines.drop_duplicates(KEYS, keep="last")


def keep(lines: pd.DataFrame, file: Path) -> None:
    """Write the results of the systems of others, and of GBSE."""
    kept = lines[~lines["system"].isin(OURS)].sort_values(KEYS)
    kept.round(dict.fromkeys(FIGURES, 5)).to_csv(file, index=False)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS), metavar="NAME")
    parser.add_argument("--learners", nargs="+", choices=LEARNERS, default=LEARNERS, metavar="NAME")
    parser.add_argument("--splits", type=int, default=SPLITS)
    parser.add_argument("--merge", nargs="+", type=Path, default=[], metavar="FILE")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="write the peers' results here")
    parser.add_argument("--page", action="store_true", help="write the tables into docs/")
    parser.add_argument("--speed", action="store_true", help="print the time on letter instead")
    add_running_options(parser, f"{CSV} if absent")
    given = parser.parse_args()
    given.csv = given.csv or CSV
    check_running_options(parser, given)
    return given


def main() -> None:
    given = arguments()
    if given.speed:
        publish([environment("lightgbm"), speed((1, 2))], given.out)
        return
    own, messages = read(given.csv), []
    if not given.report:
        cells = grid([name for name in SETS if name in given.sets], given.learners, given.splits)
        experiment = Experiment("multiclass_native", compute)
        own, failures = run(experiment, cells, given.csv, given.jobs, minutes=given.minutes)
        messages = [f"failed: {failure}" for failure in failures]
    lines = together(own, given.merge)
    if given.keep:
        keep(lines, given.keep)
    parts = [*report(lines), *messages]
    if given.page:
        insert("multiclass", parts, PAGE)
    publish(parts, given.out)


if __name__ == "__main__":
    main()
