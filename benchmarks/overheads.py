"""Memory of three fits above their data, and the time that fingerprints of rows take."""

import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from memory import forget_peak, return_free_memory, vm_peak

from costboost import CostBoostClassifier
from costboost._core.fingerprints import fingerprint
from costboost._core.tables import DenseTable
from costboost._core.tables.frames import PandasTable
from costboost.algorithms import AdaBoostClassifier

FITS = {
    "a tree without limits, 100,000 x 28": (
        (100_000, 28),
        lambda: AdaBoostClassifier(estimator="tree", max_depth=None, n_estimators=1, n_jobs=1),
    ),
    "AdaBoost, 50 x 100,000": ((50, 100_000), lambda: AdaBoostClassifier(n_estimators=10)),
    "CostBoost, 50 x 100,000": (
        (50, 100_000),
        lambda: CostBoostClassifier(n_estimators=10, random_state=0),
    ),
}
RUNS = 5


def data(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns))
    return X, (X[:, 0] + rng.normal(size=rows) > 0).astype(int)


def peak(name: str) -> int:
    """Bytes above the data."""
    size, make = FITS[name]
    warnings.simplefilter("ignore")
    make().fit(*data(50, 20))
    X, y = data(*size)
    return_free_memory()
    forget_peak()
    before = vm_peak()
    make().fit(X, y)
    return vm_peak() - before


def best_ms(work) -> float:
    times = []
    for _ in range(RUNS):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return 1000 * min(times)


def main() -> None:
    for name in FITS:
        command = [sys.executable, str(Path(__file__)), name]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        print(f"{name}: {int(done.stdout) / 1e6:,.0f} MB above the data")
    X, y = data(200_000, 30)
    fit = best_ms(lambda: AdaBoostClassifier(n_jobs=1).fit(X, y))
    print(f"200,000 x 30, 100 stumps: {fit:.0f} ms of CPU time")
    for kind, table in (("array", DenseTable(X)), ("frame", PandasTable(pd.DataFrame(X)))):
        took = best_ms(lambda table=table: fingerprint(table, [None] * table.n_features))
        print(f"fingerprint, {kind}: {took:.0f} ms, {took / fit:.0%} of the stumps")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(peak(sys.argv[1]))
    else:
        main()
