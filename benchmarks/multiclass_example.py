"""The worked examples of docs/studies/multiclass.md: letters, and connections with KDD's own costs.

Prints mean cost on a third of the rows held out, seconds to fit and the greatest memory of the
process so far; with --page, into the page.
"""

import argparse
import resource
import time
from pathlib import Path
from typing import Any

import numpy as np
from multiclass_data import SETS, Split, split
from printing import environment, insert, markdown, publish
from sklearn.ensemble import BaggingClassifier
from sklearn.tree import DecisionTreeClassifier
from timing import log

from costboost import CostBoostClassifier
from costboost.multiclass import DSEClassifier, GBSEClassifier, MetaCostClassifier

PAGE = Path(__file__).parents[1] / "docs" / "studies" / "multiclass.md"
KDD_CLASSES = ["dos", "normal", "probe", "r2l", "u2r"]
KDD_COSTS = np.array([[0, 2, 1, 2, 2], [2, 0, 1, 2, 2], [2, 1, 0, 2, 2], [2, 4, 2, 0, 2],
                      [2, 3, 2, 2, 0]])  # fmt: skip
"""The matrix of the KDD Cup 1999, rows are the truth, classes in sorted order."""


def systems(data: Split) -> dict[str, Any]:
    tree = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2)
    bag = BaggingClassifier(tree, 30, max_samples=2 / 3, bootstrap=False, random_state=0)
    options = {"cost_matrix": data.matrix, "random_state": 0}
    known = GBSEClassifier(calibration="dirichlet", **options)
    return {
        "BaggingClassifier (ignores costs)": bag,
        "MetaCostClassifier(relabel=False)": MetaCostClassifier(relabel=False, **options),
        "CostBoostClassifier()": CostBoostClassifier(**options),
        "DSEClassifier()": DSEClassifier(**options),
        "GBSEClassifier()": GBSEClassifier(**options),
        'GBSEClassifier(sampling="weight")': GBSEClassifier(sampling="weight", **options),
        'GBSEClassifier(calibration="dirichlet")': known,
    }


def rows(data: Split) -> list[list[str]]:
    lines = []
    for name, clf in systems(data).items():
        own = isinstance(clf, BaggingClassifier)
        X, X_test = data.numbers if own else (data.X, data.X_test)
        start = time.perf_counter()
        clf.fit(X, data.y)
        seconds = time.perf_counter() - start
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        cost = data.cost(clf.predict(X_test))
        lines.append([name, f"{cost:.4g}", f"{seconds:.1f}", f"{memory:.2f}"])
        log(f"{name}: {cost:.4g}, {seconds:.1f} s")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=["letter", "kdd99"], metavar="SET")
    parser.add_argument("--page", action="store_true", help="write the tables into docs/")
    given = parser.parse_args()
    for name in given.sets:
        X, y = SETS[name]()
        data = split(X, y, 0)
        if name == "kdd99":
            assert list(np.unique(y)) == KDD_CLASSES
            data = Split(data.X, data.y, data.X_test, data.y_test, KDD_COSTS)
        title = f"{name}: {len(data.X):,} rows to train, {len(np.unique(y))} classes. "
        parts = [title + environment(), markdown(["", "mean cost", "seconds", "GB"], rows(data))]
        if given.page:
            insert(name, parts, PAGE)
        publish(parts, None)


if __name__ == "__main__":
    main()
