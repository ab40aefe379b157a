"""GBSE by rejection sampling and by weight, on the same rows under the same costs.

Prints the mean costs of the test rows, and in how many runs weighting costs less, for three kinds
of costs. README.md in this folder describes how the numbers come about.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from multiclass import digits
from multiclass_data import SETS, drawn_costs
from printing import environment, markdown, publish
from sklearn.datasets import load_digits, load_wine, make_classification
from sklearn.model_selection import train_test_split
from timing import log

from costboost.multiclass import GBSEClassifier

MOST_ROWS = 3000
FIRST_SEED = 200
SAMPLING = ("rejection", "weight")

Rows = tuple[pd.DataFrame, np.ndarray]


def overlapping() -> Rows:
    """Four classes; the labels of a fifth of the rows are random."""
    X, y = make_classification(
        MOST_ROWS, 10, n_informative=4, n_classes=4, flip_y=0.2, random_state=0
    )
    return pd.DataFrame(X), y


def of_scikit_learn(load: Any) -> Any:
    def rows() -> Rows:
        X, y = load(return_X_y=True)
        return pd.DataFrame(X), y

    return rows


DATA = {name: SETS[name] for name in ("annealing", "solar_flare", "letter", "splice", "satellite")}
DATA |= {
    "digits": of_scikit_learn(load_digits),
    "wine": of_scikit_learn(load_wine),
    "overlapping": overlapping,
}


# ---- costs of each sample (rows) for each prediction (columns) -----------------------------------


def by_rarity(code: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Those of Domingos: missing a rare class costs most."""
    return drawn_costs(code, random)[code]


def mild(code: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """A matrix drawn from 1 to 10."""
    k = code.max() + 1
    return (random.uniform(1, 10, (k, k)) * (1 - np.eye(k)))[code]


def of_rows(code: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """A matrix drawn from 1 to 10, times an amount of each row, lognormal."""
    return mild(code, random) * random.lognormal(0, 1, (len(code), 1))


COSTS = {"by rarity": by_rarity, "from 1 to 10": mild, "times an amount of the row": of_rows}


def trial(data: Rows, kind: str, seed: int, rounds: int) -> list[float]:
    """Mean cost of the test rows by either sampling."""
    X, y = data
    code = np.unique(y, return_inverse=True)[1]
    costs = COSTS[kind](code, np.random.default_rng(seed))
    kept, held = train_test_split(np.arange(len(y)), test_size=1 / 3, stratify=y, random_state=seed)
    paid = []
    for sampling in SAMPLING:
        clf = GBSEClassifier(sampling=sampling, n_estimators=rounds, random_state=seed, n_jobs=1)
        clf.fit(X.iloc[kept], code[kept], costs=costs[kept])
        paid.append(float(costs[held, clf.predict(X.iloc[held])].mean()))
    return paid


def some_rows(data: Rows) -> Rows:
    X, y = data
    if len(y) <= MOST_ROWS:
        return data
    kept, _ = train_test_split(np.arange(len(y)), train_size=MOST_ROWS, stratify=y, random_state=0)
    return X.iloc[kept], y[kept]


def line(name: str, paid: np.ndarray) -> list[str]:
    rejected, weighed = paid.T
    change = np.exp(np.log(weighed / rejected).mean()) if paid.min() > 0 else np.nan
    return [
        name,
        *(digits(values.mean(), 3) for values in (rejected, weighed)),
        f"{change:.2f}",
        f"{int((weighed < rejected).sum())} of {len(paid)}",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=list(DATA), choices=DATA)
    parser.add_argument("--costs", nargs="+", default=list(COSTS), choices=COSTS)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    header = ["", "rejection", "weight", "weight / rejection", "weight costs less"]
    parts = [environment()]
    rows = {name: some_rows(DATA[name]()) for name in given.sets}
    for kind in given.costs:
        lines = []
        for name in given.sets:
            seeds = range(FIRST_SEED, FIRST_SEED + given.runs)
            paid = [trial(rows[name], kind, seed, given.rounds) for seed in seeds]
            lines.append(line(name, np.array(paid)))
            log(f"{kind}: {' '.join(lines[-1])}")
        parts += [f"Costs {kind}:", markdown(header, lines)]
    publish(parts, given.out)


if __name__ == "__main__":
    main()
