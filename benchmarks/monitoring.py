"""False alarms of `costboost.monitoring` on rows without shift, and whether its intervals cover.

Each set is split at random: a model is trained, a reference is made of other rows, and further rows
are monitored, without labels and with them. Nothing has changed, so that every report of a change
is wrong. Then a column is broken. README.md in this folder describes how to read the tables.
"""

import argparse
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from prevalence import SETS
from printing import environment, markdown, publish
from running import available
from timing import log
from value_data import load

from costboost import CostBoostClassifier
from costboost.monitoring import Monitoring, monitor, reference

ROWS = 2000  # of a set for training, reference and monitoring
N_NEW = 60_000
"""Rows of a large window, drawn with replacement from all rows that training has not seen."""


class Split:
    """A model, its reference, and rows to monitor."""

    def __init__(self, name: str, seed: int) -> None:
        problem = load(name)
        random = np.random.default_rng(seed)
        rows = random.permutation(len(problem.y))
        n = min(len(rows), ROWS)
        train, held_out, new = np.split(rows[:n], [n // 2, 3 * n // 4])
        self.random, self.X, self.y = random, problem.X, problem.y
        self.fn_cost = max(1.0, 1 / problem.y[train].mean() - 1)
        self.model = CostBoostClassifier(
            n_estimators=20, fn_cost=self.fn_cost, random_state=seed, n_jobs=1
        )
        self.model.fit(self.X.iloc[train], self.y[train])
        self.new, self.others = new, rows[n // 2 :]
        self.held_out = held_out

    def with_reference(self) -> None:
        reference(self.model, self.X.iloc[self.held_out], self.y[self.held_out])

    def monitor(self, rows: Any, labelled: bool, X: Any = None) -> Monitoring:
        X = self.X.iloc[rows] if X is None else X
        return monitor(self.model, X, self.y[rows] if labelled else None, alarm=0)

    def covers(self, rows: Any) -> bool:
        """Whether the interval of the expected cost, without labels, holds the realised cost."""
        found = self.monitor(rows, False)
        known = self.monitor(rows, True).realised_cost
        return bool(found.expected_cost.low <= known.value <= found.expected_cost.high)


def of_split(split: Split) -> dict[str, float]:
    """What is reported without any change."""
    found: dict[str, float] = {"cost": split.covers(split.new)}
    large = split.random.choice(split.others, N_NEW) if len(split.others) > 5000 else None
    found["cost, large"] = np.nan if large is None else split.covers(large)
    found["share, no reference"] = split.monitor(split.new, False).shifted
    split.with_reference()
    found["cost, reference"] = split.covers(split.new)
    blind, seen = split.monitor(split.new, False), split.monitor(split.new, True)
    found["share"], found["features"] = blind.shifted, bool(blind.drifted)
    found["alarm"], found["labels"] = blind.alarmed, seen.miscalibrated
    found["labels, share"], found["labels, alarm"] = seen.shifted, seen.alarmed
    return found | broken(split)


def broken(split: Split) -> dict[str, float]:
    """Whether a broken column is named, and whether the prevalence is blamed."""
    X = split.X.iloc[split.new].copy()
    importance = split.model.feature_importances_
    numbers = [k for k, kind in enumerate(X.dtypes) if kind.kind == "f" or kind.kind == "i"]
    if not numbers:
        return {"named": np.nan, "blamed": np.nan}
    name = X.columns[max(numbers, key=lambda k: importance[k])]
    X[name] = 12 * X[name].astype(float)
    found = split.monitor(split.new, False, X)
    return {"named": name in [one.name for one in found.drifted], "blamed": found.shifted}


def rates(names: list[str], n_splits: int) -> Iterator[tuple[str, dict[str, float]]]:
    """Means over the splits of each set, and over all sets."""
    every = []
    for name in names:
        found = [of_split(Split(name, seed)) for seed in range(n_splits)]
        every += found
        log(name)
        yield name, mean(found)
    yield "all", mean(every)


def mean(found: list[dict[str, float]]) -> dict[str, float]:
    return {
        name: float(np.nanmean([one[name] for one in found]))
        if any(one[name] == one[name] for one in found)
        else np.nan
        for name in found[0]
    }


def main() -> None:
    warnings.simplefilter("ignore")  # about the data
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=20, help="of each set; default 20")
    parser.add_argument("--sets", nargs="+", default=list(SETS))
    parser.add_argument("--out", type=Path, help="write the tables to this file as well")
    chosen = parser.parse_args()
    found = list(rates(available(chosen.sets), chosen.splits))
    head = ["set", *found[0][1]]
    rows = ([name, *("" if v != v else f"{v:.0%}" for v in one.values())] for name, one in found)
    publish([environment(with_load=False), markdown(head, rows)], chosen.out)


if __name__ == "__main__":
    main()
