"""CostBoost with a score for each class against its peers, under random cost matrices.

A third of the rows is held out, in ten splits, each with a seed of its own. Decisions are made
under twenty cost matrices, drawn as Domingos (1999) draws them: C(i, j) is uniform from 0 to
2000 P(j) / P(i). Systems that estimate probabilities are trained once for a split; GBSE is trained
for each matrix. The systems are those of multiclass_peers.py. With --speed, the time of 100 rounds
on letter is printed instead.
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
    ONE_CLASS,
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

SPLITS = 10
CSV = Path("multiclass_native.csv")
PAGE = Path(__file__).parents[1] / "docs" / "studies" / "multiclass.md"
LEAVES, RATE, ROUNDS, LEAST_LEAF = 31, 0.1, 100, 20
LITTLE = 0.05  # a system that saves less hardly decides
TIE = 1e-9
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


def paired(lines: pd.DataFrame, system: str, column: str = "cost") -> pd.DataFrame:
    """A system beside CostBoost, each with its means over the splits that both have, by set."""
    names = [system, COSTBOOST]
    table = lines[lines["system"].isin(names)].pivot(
        index=KEYS[:2], columns="system", values=column
    )
    found = table.reindex(columns=names).dropna().groupby(level="set").mean()
    return found.loc[[name for name in SETS if name in found.index]]


def ratio(lines: pd.DataFrame, system: str, column: str = "cost") -> np.ndarray:
    """Logarithms of the figures of a system, as multiples of CostBoost's, by set."""
    both = paired(lines, system, column)
    return np.log(both[system] / both[COSTBOOST]).to_numpy()


def shown(logs: np.ndarray) -> str:
    """Geometric mean with the 95% interval of Student's t over sets."""
    half = stats.t.ppf(0.975, logs.size - 1) * stats.sem(logs)
    low, mean, high = np.exp(logs.mean() + np.array([-half, 0, half]))
    return f"{mean:.3f} [{low:.3f}, {high:.3f}]"


def cheaper(logs: np.ndarray) -> str:
    return f"{(logs > TIE).sum()} of {logs.size}"


def span(counts: pd.Series) -> str:
    """A number, or the least and the greatest."""
    low, high = int(counts.min()), int(counts.max())
    return str(low) if low == high else f"{low} to {high}"


def splits_of(lines: pd.DataFrame, system: str) -> pd.Series:
    """Number of splits by set."""
    return lines[lines["system"] == system].groupby("set")["split"].nunique()


def from_cheapest(lines: pd.DataFrame) -> list[str]:
    """All but CostBoost, by their cost."""
    others = set(lines["system"]) - {COSTBOOST}
    return sorted(others, key=lambda name: ratio(lines, name).mean())


def summary(lines: pd.DataFrame, systems: Sequence[str]) -> str:
    table = []
    for name in systems:
        of_cost, of_loss = ratio(lines, name), ratio(lines, name, "log_loss")
        loss = f"{np.exp(of_loss.mean()):.3f}" if of_loss.size else ""
        table.append(
            [
                name,
                shown(of_cost),
                f"{np.exp(np.median(of_cost)):.3f}",
                cheaper(of_cost),
                loss,
                str(of_cost.size),
                span(splits_of(lines, name)),
            ]
        )
    header = ["", "cost / CostBoost's [95%]", "median of sets", "CostBoost cheaper on"]
    return markdown([*header, "log loss / CostBoost's", "sets", "splits"], table)


def closest(lines: pd.DataFrame, system: str) -> str:
    """The cheapest peer in words, and what varies from split to split."""
    logs = ratio(lines, system)
    each = [
        np.exp(ratio(lines[lines["split"] == k], system).mean()) for k in lines["split"].unique()
    ]
    return (
        f"Cheapest of the peers on all splits: {system}, {shown(logs)} times CostBoost's cost "
        f"(Wilcoxon p = {stats.wilcoxon(logs).pvalue:.2g}; CostBoost is cheaper on "
        f"{cheaper(logs)} sets). In a single split the mean over sets is from {min(each):.3f} to "
        f"{max(each):.3f}."
    )


def figures(lines: pd.DataFrame, systems: Sequence[str], column: str, digits: str) -> str:
    """Means over splits: sets as rows, systems as columns."""
    means = lines.groupby(["set", "system"])[column].mean().unstack()
    means = means.reindex(columns=systems).dropna(axis="columns", how="all")
    table = [
        [name, *(format(v, digits) for v in means.loc[name])]
        for name in SETS
        if name in means.index
    ]
    return markdown(["", *means.columns], table)


def beside(lines: pd.DataFrame, system: str) -> str:
    """A system on the sets and splits it has, and CostBoost on the same."""
    losses = paired(lines, system, "log_loss").add_suffix(", log loss")
    both = paired(lines, system).join(losses)
    both = both.dropna(axis="columns", how="all")
    counts = splits_of(lines, system)
    table = [
        [str(name), str(counts[name]), *map("{:.4g}".format, row)]
        for name, *row in both.itertuples()
    ]
    return markdown(["", "splits", *both.columns], table)


def nothing_to_decide(lines: pd.DataFrame) -> str:
    """A sentence on the sets where no system saves much against one class for all rows."""
    costs = lines.groupby(["set", "system"])["cost"].mean().unstack()
    little = costs.drop(columns=ONE_CLASS).min(axis=1) > (1 - LITTLE) * costs[ONE_CLASS]
    names = [name for name in SETS if name in costs.index[little]]
    where = f"on {', '.join(names)}" if names else "on no set"
    return (
        f"{ONE_CLASS} is the class of least cost in training. No system saves {LITTLE:.0%} "
        f"against it {where}."
    )


def report(lines: pd.DataFrame) -> list[str]:
    """Ratios to CostBoost over all sets; and costs and log loss set by set.

    Every system is compared with CostBoost on the same sets and splits. Times are not shown: kept
    results of peers may be of another machine.
    """
    if COSTBOOST not in set(lines["system"]):
        return [f"{COSTBOOST} is missing, with which all others are compared."]
    own = splits_of(lines, COSTBOOST)
    systems = from_cheapest(lines)
    complete = {name for name in systems if splits_of(lines, name).equals(own)}
    best = {peer: [one for one in systems if one.split(",")[0] == peer][:1] for peer in OTHERS}
    forms = [name for forms in best.values() for name in forms]
    peers = [name for name in forms if name in complete]
    parts = [
        environment("lightgbm", "xgboost", "catboost"),
        f"Cost over CostBoost's on the same splits: geometric means over sets, of means over "
        f"{span(own)} splits and {DRAWS} matrices, with 95% intervals of Student's t over sets, "
        f"each for itself, not for all {len(systems)} at once.",
        summary(lines, systems),
    ]
    if peers:
        parts.append(closest(lines, min(peers, key=systems.index)))
    if ONE_CLASS in complete:
        parts.append(nothing_to_decide(lines))
    columns = [
        COSTBOOST,
        *(name for name in systems if name in {ONE_VS_REST, *peers, ONE_CLASS} & complete),
    ]
    parts += [
        "Mean cost, of each peer its cheapest form.",
        figures(lines, columns, "cost", ".4g"),
        "Log loss of the test rows.",
        figures(lines, columns, "log_loss", ".4f"),
    ]
    for name in [one for one in systems if one in {*forms, GBSE} - complete]:
        parts += [
            f"{name}, on the splits it was done on, and CostBoost on the same.",
            beside(lines, name),
        ]
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
