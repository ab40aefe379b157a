"""Processor seconds of a fit of CostBoostClassifier and of LightGBM with Platt's calibration.

One thread, the sets and splits of value.py; the least of some fits that take turns, so that other
work on the machine matters little.
"""

import argparse
import time
import warnings
from pathlib import Path
from statistics import median
from typing import Any

from printing import duration, environment, insert, markdown, publish
from running import available
from sklearn.calibration import CalibratedClassifierCV
from threadpoolctl import threadpool_limits
from value_data import chosen_sets, load
from value_peers import FOLDS, PEERS, Learner
from value_systems import COSTBOOST, OURS

CALIBRATED = ("LightGBM", "LightGBM 8 leaves")
DOCS = Path(__file__).parents[1] / "docs"
REPEATS = 3
PAUSE = 0.2
"""Seconds until the threads of the system before are asleep; their waiting is processor time."""
ENOUGH = 1.5
"""Seconds after which the fits on a set need no more turns than these."""


def made(name: str) -> Any:
    """CostBoost, or a peer with Platt's calibration over five folds."""
    if name == COSTBOOST:
        return OURS[COSTBOOST](0)
    return CalibratedClassifierCV(Learner(PEERS[name], 0), cv=FOLDS)


def seconds(name: str, X: Any, y: Any) -> float:
    time.sleep(PAUSE)
    start = time.process_time()
    made(name).fit(X, y)
    return time.process_time() - start


def measured(name: str, repeats: int) -> list[float]:
    """Least seconds of each system, ours first, on a split of a set."""
    train = load(name).numbered_split(0, 1).train
    turns: list[list[float]] = []
    with threadpool_limits(1):
        while len(turns) < repeats or sum(map(sum, turns)) < ENOUGH:
            systems = (COSTBOOST, *CALIBRATED)
            turns.append([seconds(one, train.frame, train.y) for one in systems])
    return [min(turn) for turn in zip(*turns, strict=True)]


def main() -> None:
    warnings.simplefilter("ignore")  # those of the systems about the data
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", metavar="NAME", help="only these data sets")
    parser.add_argument("--repeats", type=int, default=REPEATS, help="least number of turns")
    parser.add_argument("--page", action="store_true", help="write the table into docs/")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the Markdown here as well")
    chosen = parser.parse_args()
    rows, ratios = [], []
    for name in available(chosen.sets or chosen_sets()):
        ours, *theirs = measured(name, chosen.repeats)
        ratios.append([one / ours for one in theirs])
        cells = [f"{duration(one)} ({one / ours:.2f}x)" for one in theirs]
        rows.append([name, duration(ours), *cells])
    of_peers = [[row[k] for row in ratios] for k in range(len(CALIBRATED))]
    rows.append(["median", "", *(f"{median(one):.2f}x" for one in of_peers)])
    rows.append(["least", "", *(f"{min(one):.2f}x" for one in of_peers)])
    text = "Processor seconds of a fit, one thread (in brackets: theirs / ours)."
    heads = ["set", COSTBOOST, *(f"{name} Platt" for name in CALIBRATED)]
    parts = [environment("lightgbm"), text, markdown(heads, rows)]
    if chosen.page:
        insert("sets", parts, DOCS / "studies" / "speed.md")
        insert("sets", [*parts[:2], markdown(heads, rows[-2:])], DOCS / "speed.md")
    publish(parts, chosen.out)


if __name__ == "__main__":
    main()
