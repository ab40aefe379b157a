"""The worked examples of docs/multiclass.md: letters with drawn costs, connections with KDD's own.

Prints mean cost on a third of the rows held out, seconds to fit and the greatest memory of the
process so far.
"""

import resource
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from multiclass_data import SETS, Split, split
from printing import environment, markdown
from sklearn.ensemble import BaggingClassifier
from sklearn.tree import DecisionTreeClassifier

from costboost.multiclass import DSEClassifier, GBSEClassifier, MetaCostClassifier

KDD_CLASSES = ["dos", "normal", "probe", "r2l", "u2r"]
KDD_COSTS = np.array([[0, 2, 1, 2, 2], [2, 0, 1, 2, 2], [2, 1, 0, 2, 2], [2, 4, 2, 0, 2],
                      [2, 3, 2, 2, 0]])  # fmt: skip
"""The matrix of the KDD Cup 1999, rows are the truth, classes in sorted order."""


def bagging(data: Split) -> tuple[Any, np.ndarray, np.ndarray]:
    tree = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2)
    X, X_test = data.numbers
    return (
        BaggingClassifier(tree, 30, max_samples=2 / 3, bootstrap=False, random_state=0),
        X,
        X_test,
    )


def rows(data: Split) -> list[list[str]]:
    options = {"cost_matrix": data.matrix, "random_state": 0}
    systems = {
        "BaggingClassifier (ignores costs)": bagging(data),
        "MetaCostClassifier(relabel=False)": MetaCostClassifier(relabel=False, **options),
        "DSEClassifier()": DSEClassifier(**options),
        "GBSEClassifier()": GBSEClassifier(**options),
        'GBSEClassifier(sampling="weight")': GBSEClassifier(sampling="weight", **options),
    }
    lines = []
    for name, system in systems.items():
        clf, X, X_test = system if isinstance(system, tuple) else (system, data.X, data.X_test)
        start = time.perf_counter()
        clf.fit(X, data.y)
        seconds = time.perf_counter() - start
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        cost = data.cost(clf.predict(X_test))
        lines.append([name, f"{cost:.4g}", f"{seconds:.1f}", f"{memory:.2f}"])
    return lines


def main(names: Sequence[str]) -> None:
    print(environment(), "\n")
    for name in names:
        X, y = SETS[name]()
        data = split(X, y, 0)
        if name == "kdd99":
            assert list(np.unique(y)) == KDD_CLASSES
            data = Split(data.X, data.y, data.X_test, data.y_test, KDD_COSTS)
        print(f"{name}: {len(data.X)} rows to train, {len(np.unique(y))} classes\n")
        print(markdown(["", "mean cost", "seconds", "GB"], rows(data)), "\n")


if __name__ == "__main__":
    main(sys.argv[1:] or ("letter", "kdd99"))
