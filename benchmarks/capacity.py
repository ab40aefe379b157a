"""Times of assignments within capacities, for a million rows and four actions."""

import argparse
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from printing import duration, environment, markdown, publish

from costboost.decisions import assign

ACTIONS = ["block", "review", "call", "allow"]
REPEATS = 3


def problems(n: int) -> dict[str, tuple[Any, dict[str, int], Any]]:
    """Costs, capacity and groups by description."""
    rng = np.random.default_rng(0)
    p, amount = rng.beta(0.3, 6, n), rng.lognormal(4, 1, n)

    def costs(p: Any, amount: Any) -> Any:
        review, call = 4 + 0.1 * p * amount + (1 - p), 9 + 0.02 * p * amount
        return np.column_stack([(1 - p) * 20, review, call, p * amount])

    rare, half = {"review": n // 200, "call": n // 500}, {"review": n // 20, "call": n // 50}
    day = rng.integers(0, 100, n)
    per_day = {name: limit // 100 for name, limit in rare.items()}
    equal = costs(p.round(2), 100.0)
    tight = dict.fromkeys(ACTIONS, n // 4)
    return {
        "one capacity": (costs(p, amount), {"review": n // 200}, None),
        "one capacity, 100 groups": (costs(p, amount), {"review": n // 20_000}, day),
        "two capacities": (costs(p, amount), rare, None),
        "two capacities, ten times as large": (costs(p, amount), half, None),
        "two capacities, 100 groups": (costs(p, amount), per_day, day),
        "two capacities, 100 different rows": (equal, rare, None),
        "four capacities without a row to spare": (rng.normal(size=(n, 4)), tight, None),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--out", type=Path, help="also write the table to this file")
    options = parser.parse_args()
    rows = []
    for what, (costs, capacity, groups) in problems(options.rows).items():
        seconds = []
        for _ in range(REPEATS):
            start = perf_counter()
            plan = assign(costs, capacity, groups, ACTIONS)
            seconds.append(perf_counter() - start)
        prices = ", ".join(f"{name} {one.mean():.3g}" for name, one in plan.shadow_prices.items())
        rows.append([what, duration(min(seconds)), prices])
    table = markdown(["problem", "time", "mean shadow prices"], rows)
    publish([environment("scipy"), f"{options.rows:,} rows, four actions", table], options.out)


if __name__ == "__main__":
    main()
