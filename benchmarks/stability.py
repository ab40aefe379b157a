"""How far the probabilities of CostBoostClassifier move if it is trained again.

README.md in this folder describes how the numbers come about and how to read them.
"""

import argparse
import warnings
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from printing import environment, markdown, publish
from running import available
from timing import log
from value_data import chosen_sets, load

from costboost import CostBoostClassifier
from costboost_lab.studies.decisions2026 import Part


def probabilities(
    train: Part, test: Part, order: NDArray[np.intp], seed: int
) -> NDArray[np.float64]:
    """Of the test rows, after training on rows in the given order."""
    clf = CostBoostClassifier(random_state=seed, pos_label=1)
    clf.fit(train.frame.iloc[order], train.y[order])
    p: NDArray[np.float64] = clf.predict_proba(test.frame)[:, 1]
    return p


def moved(runs: Sequence[NDArray[np.float64]]) -> tuple[float, float]:
    """Mean and greatest difference of a probability between two runs."""
    differences = [np.abs(a - b) for a, b in combinations(runs, 2)]
    return float(np.mean(differences)), float(np.max(differences))


def of_set(name: str, n_runs: int) -> tuple[float, ...]:
    """Differences with other seeds, and with the training rows in other orders."""
    parts = load(name).split(0)
    same = np.arange(len(parts.train.y))
    seeds = [probabilities(parts.train, parts.test, same, seed) for seed in range(n_runs)]
    random = np.random.default_rng(0)
    orders = [random.permutation(same) for _ in range(n_runs - 1)]
    others = [probabilities(parts.train, parts.test, order, 0) for order in orders]
    return *moved(seeds), *moved([seeds[0], *others])


def main() -> None:
    warnings.simplefilter("ignore")  # about the data
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", choices=chosen_sets(), default=chosen_sets())
    parser.add_argument("--runs", type=int, default=3, help="fits of each kind; default 3")
    parser.add_argument("--out", type=Path, help="write the tables to this file as well")
    chosen = parser.parse_args()
    if chosen.runs < 2:
        parser.error("--runs must be at least 2")
    found = {}
    for name in available(chosen.sets):
        found[name] = of_set(name, chosen.runs)
        log(f"{name}: " + ", ".join(f"{move:.4f}" for move in found[name]))
    rows = [[name, *(f"{value:.4f}" for value in moves)] for name, moves in found.items()]
    mean = np.mean(list(found.values()), axis=0)
    rows.append(["mean", *(f"{value:.4f}" for value in mean)])
    header = ["set", "another random_state", "greatest", "rows in another order", "greatest"]
    publish([environment(), markdown(header, rows)], chosen.out)


if __name__ == "__main__":
    main()
