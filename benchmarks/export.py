"""Times of predictions by onnxruntime and by costboost, and of Shapley values, as Markdown tables.

Both predict label and probabilities of the same rows with two threads. CPU time is that of all
threads; on a machine that does nothing else, two threads take half of it.
"""

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnxruntime
from printing import duration, environment, markdown, publish
from sklearn.datasets import make_classification
from timing import seconds

import costboost
from costboost.classifiers.checks import GivenCosts
from costboost.classifiers.predictions import positives_and_probabilities
from costboost.export import to_onnx

SIZES = (1, 1000, 100_000)
N_BACKGROUND, N_EXPLAINED = 100, 10_000


def problem(n_rows: int) -> tuple[Any, Any]:
    return make_classification(n_rows, 30, n_informative=15, flip_y=0.05, random_state=0)


def models() -> dict[str, Any]:
    X, y = problem(10_000)
    stumps = costboost.algorithms.AdaMECClassifier(n_estimators=500, n_jobs=2).fit(X, y)
    whole = costboost.CostBoostClassifier(random_state=0, n_jobs=2).fit(X, y)
    return {"500 stumps": stumps, f"CostBoost, {whole.n_iter_:,} trees": whole}


def session(clf: Any, exact: bool) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    options.log_severity_level = 3
    written = to_onnx(clf, exact=exact).SerializeToString()
    return onnxruntime.InferenceSession(written, options)


def row(name: str, clf: Any, n_rows: int, repeats: int) -> list[str]:
    X, _ = problem(n_rows) if n_rows > 100 else problem(100)
    X = X[:n_rows]
    ways: list[Callable[[], Any]] = [lambda: positives_and_probabilities(clf, X, GivenCosts())]
    for exact in (True, False):
        run = session(clf, exact)
        ways.append(lambda run=run: run.run(["label", "probabilities"], {"X": X}))
    for way in ways:
        way()
    times = [min(seconds(way) for _ in range(repeats)) for way in ways]
    return [name, f"{n_rows:,}", *map(duration, times)]


def explained(clf: Any, perturbation: str) -> list[str]:
    X, _ = problem(N_EXPLAINED)
    began, cpu = time.perf_counter(), time.process_time()
    clf.explain(X, X[:N_BACKGROUND], perturbation, "score")
    cpu = time.process_time() - cpu
    leaves = int((clf.ensemble_.feature < 0).sum())
    return [perturbation, f"{leaves:,}", duration(time.perf_counter() - began), duration(cpu)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--out", type=Path, help="also write the tables to this file")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    every = models()
    rows = [row(name, clf, n, options.repeats) for name, clf in every.items() for n in SIZES]
    header = ["model", "rows", "costboost", "onnxruntime", "onnxruntime, exact=False"]
    whole = list(every.values())[-1]
    ways = ["interventional", "tree_path_dependent"]
    of_values = markdown(
        ["Shapley values, 10,000 rows against 100", "leaves", "time", "CPU time"],
        [explained(whole, way) for way in ways],
    )
    publish([environment("onnxruntime"), markdown(header, rows), of_values], options.out)


if __name__ == "__main__":
    main()
