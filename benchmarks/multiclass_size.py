"""Time and memory of the methods for several classes on all rows of letter and KDD-99.

Each fit has a process of its own, 30 rounds, and all cores; GB is the greatest memory of that
process, data and libraries included.
"""

import multiprocessing
import resource
import sys
import time
from collections.abc import Sequence

import numpy as np
from multiclass_data import SETS, drawn_costs
from printing import environment, markdown

from costboost import multiclass

METHODS = ("GBSEClassifier", "DSEClassifier")
ROUNDS = 30


def measured(name: str, method: str) -> tuple[int, int, float, float]:
    """Rows, classes, seconds to fit, and GB."""
    X, y = SETS[name]()
    matrix = drawn_costs(y, np.random.default_rng(0))
    clf = getattr(multiclass, method)(cost_matrix=matrix, n_estimators=ROUNDS, random_state=0)
    start = time.perf_counter()
    clf.fit(X, y)
    seconds = time.perf_counter() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return len(X), len(matrix), seconds, memory


def main(names: Sequence[str]) -> None:
    print(environment(), "\n")
    lines = []
    for name in names:
        for method in METHODS:
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                rows, classes, seconds, memory = pool.apply(measured, (name, method))
            lines.append(
                [f"{name}, {method}", f"{rows:,}", str(classes), f"{seconds:.1f}", f"{memory:.2f}"]
            )
    print(markdown(["", "rows", "classes", "seconds", "GB"], lines))


if __name__ == "__main__":
    main(sys.argv[1:] or ("letter", "kdd99"))
