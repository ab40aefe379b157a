"""The experiments of Abe, Zadrozny & Langford (2004): six methods on six data sets.

Prints mean cost and standard error over runs (Table 2), the rows that component learners saw
(Table 3), times and ranks. Results are kept in a CSV as they come; a second call goes on.
README.md in this folder describes how the numbers come about.
"""

import argparse
import csv
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from multiclass_data import LARGE, SETS, Split, split
from printing import environment, markdown, publish
from sklearn.ensemble import BaggingClassifier
from sklearn.tree import DecisionTreeClassifier
from timing import log

from costboost import CostBoostClassifier
from costboost.multiclass import (
    AverageCostClassifier,
    CostingClassifier,
    DSEClassifier,
    GBSEClassifier,
    IterativeWeightingClassifier,
    MetaCostClassifier,
)

RUNS = 20
FIRST_SEED = 100
"""Defaults were chosen with the seeds below it, which is why these are others."""
ROUNDS = 30
FIELDS = ("set", "run", "method", "cost", "rows", "seconds")
PAPER = {
    "annealing": "1059, 127.4, 206.8, 67.38, 127.1, 33.72",
    "solar_flare": "5403, 237.8, 5317, 174.2, 110.9, 48.17",
    "kdd99": "319.4, 42.43, 49.39, 50.43, 46.68, 1.69",
    "letter": "151.0, 91.90, 129.6, 247.7, 114.0, 84.63",
    "splice": "64.19, 60.78, 49.95, 67.26, 135.5, 57.50",
    "satellite": "189.9, 107.8, 104.4, 140.1, 116.8, 93.05",
}
"""Their Table 2, in the order of the methods below."""

Result = tuple[float, int, float]
"""Mean cost of the test rows, rows that component learners saw, seconds to fit."""


def ours(make: Callable[..., Any], **options: Any) -> Callable[[Split, int, str], Result]:
    def run(data: Split, seed: int, name: str) -> Result:
        given = {"n_estimators": ROUNDS} | options
        clf = make(cost_matrix=data.matrix, random_state=seed, n_jobs=1, **given)
        start = time.perf_counter()
        clf.fit(data.X, data.y)
        seconds = time.perf_counter() - start
        return data.cost(clf.predict(data.X_test)), clf.rows_used_, seconds

    return run


def small_share(name: str) -> float:
    """The share of the rows that a bag of the paper has (Table 3)."""
    return 0.1 if name in LARGE else 2 / 3


def bagging(rounds: int) -> Callable[[Split, int, str], Result]:
    def run(data: Split, seed: int, name: str) -> Result:
        tree = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2)
        share = small_share(name)
        clf = BaggingClassifier(tree, rounds, max_samples=share, bootstrap=False, random_state=seed)
        X, X_test = data.numbers
        start = time.perf_counter()
        clf.fit(X, data.y)
        seconds = time.perf_counter() - start
        return data.cost(clf.predict(X_test)), rounds * int(share * len(X)), seconds

    return run


def metacost(data: Split, seed: int, name: str) -> Result:
    one = ours(MetaCostClassifier, relabel=False, max_samples=small_share(name))
    return one(data, seed, name)


def one_for_all(data: Split, seed: int, name: str) -> Result:
    """The class that costs least if it is predicted for every training row."""
    classes, counts = np.unique(data.y, return_counts=True)
    best = classes[int((counts @ data.matrix).argmin())]
    return data.cost(np.full(len(data.y_test), best)), 0, 0.0


def against_rest(data: Split, seed: int, name: str) -> Result:
    clf = CostBoostClassifier(cost_matrix=data.matrix, random_state=seed, n_jobs=1)
    start = time.perf_counter()
    clf.fit(data.X, data.y)
    seconds = time.perf_counter() - start
    return data.cost(clf.predict(data.X_test)), 0, seconds


METHODS = {
    "Bagging": bagging(ROUNDS),
    "AvgCost": ours(AverageCostClassifier),
    "MetaCost": metacost,
    "IW": ours(IterativeWeightingClassifier),
    "DSE": ours(DSEClassifier),
    "GBSE": ours(GBSEClassifier),
}
"""The six methods of the paper."""
OTHERS = {
    "one class for all": one_for_all,
    "Bagging, 100 rounds": bagging(100),
    "GBSE, 100 rounds": ours(GBSEClassifier, n_estimators=100),
    "GBSE, 100 rounds, calibrated": ours(GBSEClassifier, n_estimators=100, calibration="dirichlet"),
    "GBSE by weight": ours(GBSEClassifier, sampling="weight"),
    "GBSE-T": ours(GBSEClassifier, variant="gbse-t"),
    "Costing": ours(CostingClassifier),
    "CostBoost one-vs-rest": against_rest,
}
"""Methods that are not in the paper."""
UNCOUNTED = ("one class for all", "CostBoost one-vs-rest")
"""Methods without a component learner, whose rows are not counted."""
PAIRS = (
    ("Bagging", "GBSE"),
    ("Bagging", "GBSE, 100 rounds"),
    ("Bagging, 100 rounds", "GBSE, 100 rounds"),
)


# ---- results -------------------------------------------------------------------------------------


class Results:
    """Costs, rows and seconds of every set, run and method, in a file that grows."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.found: dict[tuple[str, int, str], Result] = {}
        if path.exists():
            with path.open() as file:
                for row in csv.DictReader(file):
                    key = row["set"], int(row["run"]), row["method"]
                    self.found[key] = float(row["cost"]), int(row["rows"]), float(row["seconds"])
        else:
            path.write_text(",".join(FIELDS) + "\n")

    def add(self, key: tuple[str, int, str], result: Result) -> None:
        self.found[key] = result
        with self.path.open("a") as file:
            csv.writer(file).writerow([*key, *result])

    def of(self, name: str, method: str) -> np.ndarray:
        """runs x (cost, rows, seconds)"""
        rows = [value for (a, _, b), value in self.found.items() if (a, b) == (name, method)]
        return np.array(rows, dtype=float).reshape(-1, 3)


def run(names: Sequence[str], methods: dict[str, Any], runs: range, results: Results) -> None:
    """Run all sets with the first method, then with the next."""
    rows = cache(lambda name: SETS[name]())
    for method, name, number in product(methods, names, runs):
        if (name, number, method) in results.found:
            continue
        data = split(*rows(name), number)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            result = methods[method](data, number, name)
        results.add((name, number, method), result)
        log(f"{name}, run {number}, {method}: cost {result[0]:.4g}, {result[2]:.1f} s")


# ---- tables --------------------------------------------------------------------------------------


def digits(value: float, n: int) -> str:
    """A number of n digits, written out."""
    return f"{float(f'{value:.{n}g}'):,.10g}"


def mean_and_error(values: np.ndarray) -> str:
    """In brackets: how many runs, where there are others to come."""
    if len(values) == 0:
        return ""
    error = f" ± {digits(values.std(ddof=1) / len(values) ** 0.5, 2)}" if len(values) > 1 else ""
    runs = "" if len(values) == RUNS else f" ({len(values)})"
    return digits(values.mean(), 3) + error + runs


def table(results: Results, names: Sequence[str], methods: Sequence[str], column: int) -> str:
    lines = [
        [name, *(mean_and_error(results.of(name, method)[:, column]) for method in methods)]
        for name in names
    ]
    return markdown(["", *methods], lines)


def quickest(results: Results, names: Sequence[str], methods: Sequence[str]) -> str:
    """Least seconds: the machine may have been busy in the other runs."""
    seconds = {(n, m): results.of(n, m)[:, 2] for n in names for m in methods}
    lines = [
        [n, *(f"{seconds[n, m].min():.2g}" if len(seconds[n, m]) else "" for m in methods)]
        for n in names
    ]
    return markdown(["", *methods], lines)


def ranks(results: Results, names: Sequence[str], gbse: str) -> str:
    """Place of each of the paper's methods by mean cost, here and there."""
    methods = [*list(METHODS)[:-1], gbse]
    places = defaultdict(list)
    lines = []
    for name in names:
        here = np.array([results.of(name, method)[:, 0].mean() for method in methods])
        there = np.array([float(cost) for cost in PAPER[name].split(",")])
        own, own_there = (1 + np.argsort(np.argsort(costs)) for costs in (here, there))
        for method, place in zip(methods, own, strict=True):
            places[method].append(place)
        lines.append([name, *(f"{a} ({b})" for a, b in zip(own, own_there, strict=True))])
    if lines:
        lines.append(["mean", *(f"{np.mean(places[method]):.1f}" for method in methods)])
    return markdown(["", *methods], lines)


def saved(results: Results, names: Sequence[str], pairs: Sequence[tuple[str, str]]) -> str:
    """What the second method of a pair costs less than the first on the same splits."""
    lines = []
    for name in names:
        line = [name]
        for first, second in pairs:
            runs = [run for set_, run, method in results.found if (set_, method) == (name, second)]
            both = [run for run in runs if (name, run, first) in results.found]
            one, two = (
                np.array([results.found[name, run, m][0] for run in both]) for m in (first, second)
            )
            won = f", {int((two < one).sum())} of {len(both)}" if both else ""
            line.append(mean_and_error(one - two) + won)
        lines.append(line)
    return markdown(["", *(f"{first} - {second}" for first, second in pairs)], lines)


def report(results: Results, names: Sequence[str]) -> list[str]:
    every = [*METHODS, *OTHERS]
    complete = [name for name in names if all(len(results.of(name, m)) for m in METHODS)]
    theirs = [[name, *PAPER[name].split(", ")] for name in complete]
    return [
        environment(),
        f"Mean cost of the test rows and its standard error in {RUNS} runs, or as many as the "
        "brackets show.",
        table(results, names, list(METHODS), 0),
        table(results, names, list(OTHERS), 0),
        "The paper's Table 2.",
        markdown(["", *METHODS], theirs),
        "What GBSE saves against Bagging on the same splits, and in how many runs it costs less.",
        saved(results, names, PAIRS),
        "Place by mean cost, in brackets that in the paper.",
        ranks(results, complete, "GBSE"),
        ranks(results, complete, "GBSE, 100 rounds"),
        "Rows that component learners saw (Table 3), in all rounds together.",
        table(results, names, [m for m in every if m not in UNCOUNTED], 1),
        "Seconds to fit, one thread, in the quickest run.",
        quickest(results, names, every),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS), metavar="NAME")
    parser.add_argument("--methods", nargs="+", choices=[*METHODS, *OTHERS], metavar="NAME")
    parser.add_argument("--runs", type=int, default=RUNS, help="splits of each set")
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED, metavar="S")
    parser.add_argument("--csv", type=Path, default=Path("multiclass.csv"), help="results so far")
    parser.add_argument("--report", action="store_true", help="run nothing, show what is there")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the Markdown here as well")
    given = parser.parse_args()
    every = METHODS | OTHERS
    results = Results(given.csv)
    if not given.report:
        chosen = {name: every[name] for name in given.methods or every}
        runs = range(given.first_seed, given.first_seed + given.runs)
        run(given.sets, chosen, runs, results)
    publish(report(results, given.sets), given.out)


if __name__ == "__main__":
    main()
