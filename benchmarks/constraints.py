"""What constraints cost: CPU time of a fit, and decisions on data that satisfy them."""

import argparse
import time
import warnings
from typing import Any

import numpy as np

from costboost import algorithms as cb
from costboost.metrics import mean_cost

N_FEATURES = 20
TREE = {"estimator": "tree", "max_depth": None, "max_leaf_nodes": 31, "min_samples_leaf": 20}
FITS: dict[str, tuple[Any, dict[str, Any]]] = {
    "LogitBoost, trees": (cb.LogitBoostClassifier, {**TREE, "n_estimators": 50}),
    "LogitBoost, stumps": (
        cb.LogitBoostClassifier,
        {"estimator": "stump", "n_estimators": 200},
    ),
    "RealBoost, trees": (cb.RealBoostClassifier, {**TREE, "n_estimators": 50}),
    "RealBoost, stumps": (
        cb.RealBoostClassifier,
        {"estimator": "stump", "n_estimators": 200},
    ),
    "RealBoost, tables": (
        cb.RealBoostClassifier,
        {"estimator": "lookup", "n_estimators": 100},
    ),
    "AdaBoost, trees": (cb.AdaBoostClassifier, {**TREE, "n_estimators": 50}),
    "AdaBoost, stumps": (cb.AdaBoostClassifier, {"n_estimators": 200}),
    "CostBoost, rounds as needed": (cb.CostBoostClassifier, {"random_state": 0}),
    "CostBoost, 50 rounds": (cb.CostBoostClassifier, {"random_state": 0, "n_estimators": 50}),
}
TRUE = [1] * 4 + [-1] * 4 + [0] * (N_FEATURES - 8)
CONSTRAINTS: dict[str, dict[str, Any]] = {
    "none": {},
    "eight true directions": {"monotonic_cst": TRUE},
    "eight false directions": {"monotonic_cst": [-d for d in TRUE]},
    "pairwise": {"interaction_cst": "pairwise"},
}


def data(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The probability rises with four features and falls with four others, two of them together."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, N_FEATURES))
    score = np.tanh(X[:, :4]).sum(axis=1) - np.tanh(X[:, 4:8]).sum(axis=1)
    score += 0.5 * np.maximum(X[:, 0], 0) * np.maximum(X[:, 1], 0) + X[:, 8] * X[:, 9]
    return X, (score + 2 * rng.normal(size=rows) > 1).astype(int)


def cpu_seconds(cls: Any, options: dict[str, Any], X: np.ndarray, y: np.ndarray) -> float:
    begin = time.process_time()
    cls(n_jobs=1, **options).fit(X, y)
    return time.process_time() - begin


def times(rows: int, repeats: int) -> None:
    X, y = data(rows, 0)
    print(
        f"CPU time of a fit of {rows:,} x {N_FEATURES}, in multiples of that without constraints.\n"
    )
    print(f"| fit | seconds | {' | '.join(list(CONSTRAINTS)[1:])} |")
    print("|---" * (len(CONSTRAINTS) + 1) + "|")
    for name, (cls, options) in FITS.items():
        best = dict.fromkeys(CONSTRAINTS, np.inf)
        for _ in range(repeats):  # in turns, so that all of them meet the same load
            for kind, constraint in CONSTRAINTS.items():
                best[kind] = min(best[kind], cpu_seconds(cls, {**options, **constraint}, X, y))
        none = best.pop("none")
        ratios = " | ".join(f"{one / none:.2f}" for one in best.values())
        print(f"| {name} | {none:.2f} | {ratios} |", flush=True)


def costs(runs: int) -> None:
    """Mean cost of CostBoost on test rows, where the constraints are true."""
    saved = []
    for seed in range(runs):
        X, y = data(21_000, seed)
        train, test = slice(0, 1_000), slice(1_000, None)
        found = []
        for constraint in ({}, {"monotonic_cst": TRUE}):
            clf = cb.CostBoostClassifier(fn_cost=5, random_state=0, **constraint)
            predicted = clf.fit(X[train], y[train]).predict(X[test])
            found.append(mean_cost(y[test], predicted, fn_cost=5, fp_cost=1))
        saved.append((found[0], found[1]))
    free, bound = np.transpose(saved)
    change = bound - free
    error = change.std(ddof=1) / np.sqrt(runs)
    print(
        f"\nCostBoost, 1,000 training rows, {runs} runs: mean cost {free.mean():.4f} without and "
        f"{bound.mean():.4f} with the true directions (change {change.mean():+.4f}, standard error "
        f"{error:.4f})."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--runs", type=int, default=10)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    times(given.rows, given.repeats)
    costs(given.runs)


if __name__ == "__main__":
    main()
