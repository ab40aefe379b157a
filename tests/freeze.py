"""Trains everything that can be trained, and prints digests of what comes of it.

A change of the source that is meant to change no result reproduces all of them::

    python tests/freeze.py > before.json             # in a checkout of the commit before
    python tests/freeze.py --against before.json     # in the one after: prints what differs

The cases are all classifiers x weak learners x kinds of problems (`PROBLEMS`) x calibrations. Each
is trained on one thread and on four, with ``--dask`` also on a cluster of two workers; all must
agree. Digests are of scores after each round, of probabilities, of predictions by other costs, of
contributions to scores, of the model file and of the ONNX graph, then of a report with a fixed date
and of what the command line prints as JSON. A case that is refused counts by its message.

``--only TEXT`` takes the cases whose names contain it, ``--jobs`` works in several processes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

import costboost
from costboost.algorithms import REGISTRY
from costboost.export import to_onnx

ROUNDS = 5
N = 200
LEARNERS = ("stump", "tree", "lookup", "linear", "logistic", "wrapped")
CALIBRATIONS = (None, "platt", "isotonic", "beta")
ACTIONS = {"well": {"treat": 5, "wait": 0}, "sick": {"treat": 1, "wait": 20}}

rng = np.random.default_rng(0)
FINE = rng.normal(size=(N, 6))
X = FINE.round(1)
SCORE = X[:, 0] + X[:, 1] ** 2 + 0.5 * rng.normal(size=N)
Y = np.where(SCORE > 1, "sick", "well")
THREE = np.array(["a", "b", "c"])[np.digitize(SCORE, [0.3, 1.5])]
AMOUNTS = rng.integers(2, 40, N) / 4
WEIGHT = rng.integers(0, 12, N) / 8
MATRIX = np.array([[0.0, 1.0, 2.0], [9.0, 0.0, 3.0], [1.0, 5.0, 0.0]])
HOLES = np.where(rng.random(X.shape) < 0.1, np.nan, X)
FRAME = pd.DataFrame(HOLES[:, :4], columns=list("pqrs")).assign(
    colour=pd.Categorical(np.array(["red", "green", "blue", "grey"])[(X[:, 4] * 2).astype(int) % 4])
)


class Kind(NamedTuple):
    """A kind of problem: parameters, rows, labels, and arguments of `fit`."""

    parameters: dict[str, Any]
    rows: Any = X
    labels: Any = Y
    given: dict[str, Any] = {}  # noqa: RUF012 - never changed
    refit: dict[str, Any] | None = None
    """Parameters of a second fit that continues the first."""


COSTS = {"fn_cost": 4.0, "fp_cost": 1.0}
PROBLEMS = {
    "class costs": Kind(COSTS),
    "row costs": Kind({}, given={"fn_cost": AMOUNTS, "fp_cost": 1.5}),
    "gains": Kind({**COSTS, "tp_cost": -1.0, "tn_cost": 0.25}),
    "weights": Kind(COSTS, given={"sample_weight": WEIGHT}),
    "missing values": Kind(COSTS, HOLES),
    "categories": Kind(COSTS, FRAME),
    "three classes": Kind({"cost_matrix": MATRIX}, labels=THREE),
    "three classes, weights": Kind(
        {"cost_matrix": MATRIX}, FRAME, THREE, {"sample_weight": WEIGHT}
    ),
    "continuous": Kind(COSTS, FINE),
    "continuous, three classes": Kind({"cost_matrix": MATRIX}, FINE, THREE),
    "subsample": Kind({**COSTS, "subsample": 0.6, "max_features": 2}),
    "random thresholds": Kind({**COSTS, "splitter": "random"}, HOLES),
    "monotone": Kind({**COSTS, "monotonic_cst": [1, 0, -1, 0, 0, 0]}, HOLES),
    "interactions": Kind({**COSTS, "interaction_cst": [[0, 1], [2, 3, 4, 5]]}),
    "leaves": Kind({**COSTS, "max_leaf_nodes": 5, "max_depth": None, "min_samples_leaf": 4}),
    "resampling": Kind({**COSTS, "resample": True}),
    "few bins": Kind({**COSTS, "max_bins": 7, "learning_rate": 0.4}),
    "balanced": Kind({**COSTS, "initial_weights": "balanced", "negative_step": "keep"}),
    "early stopping": Kind({**COSTS, "early_stopping": True, "n_iter_no_change": 2}),
    "warm start": Kind({**COSTS, "warm_start": True}, refit={"n_estimators": 2 * ROUNDS}),
    "sampling": Kind({**COSTS, "calibration": "platt"}, given={"sampling": {"negative": 0.2}}),
    "groups": Kind({**COSTS, "calibration": "platt"}, given={"groups": np.arange(N) // 3}),
    "isotonic of three classes": Kind({"calibration": "isotonic"}, labels=THREE),
}
for name in CALIBRATIONS[1:]:
    PROBLEMS[f"{name} calibration"] = Kind({**COSTS, "calibration": name}, HOLES)


# ---- cases ---------------------------------------------------------------------------------------


def names() -> Iterator[str]:
    """Names of all cases: classifier, learner, problem."""
    for entry in REGISTRY.values():
        if entry.several:
            yield from (f"{entry.name} / {learner} / several" for learner in ("stump", "tree"))
            continue
        learners = ("usual",) if entry.cls.estimator is None and entry.name == "CostBoost" else ()
        for learner in (*learners, *LEARNERS):
            yield from (f"{entry.name} / {learner} / {problem}" for problem in PROBLEMS)


def outcome(name: str, client: Any = None) -> dict[str, str]:
    """Digests of a case; the threads, and the workers of a cluster, must agree."""
    cls, learner, problem = name.split(" / ")
    ways: list[Callable[[], dict[str, str]]] = [
        partial(digests, cls, learner, problem, n_jobs) for n_jobs in (1, 4)
    ]
    if client is not None:
        ways.append(partial(digests, cls, learner, problem, 1, distributed=True))
    first, *others = (attempt(way) for way in ways)
    for other in others:
        if client is not None and set(other) == {"refused"} and "refused" not in first:
            first["refused on a cluster"] = other["refused"]  # not everything can be trained there
            continue
        for part in first:
            if other.get(part) != first[part]:
                first[part] += f" but also {other.get(part)}"
    return first


def attempt(way: Callable[[], dict[str, str]]) -> dict[str, str]:
    """Digests, or what the message of a refusal is."""
    try:
        return way()
    except (ValueError, TypeError) as error:
        return {"refused": digest(f"{type(error).__name__}: {error}")}


def digests(
    cls: str, learner: str, problem: str, n_jobs: int, distributed: bool = False
) -> dict[str, str]:
    """Digests of one fit."""
    make = REGISTRY[cls].cls
    wrapped = DecisionTreeClassifier(max_depth=2)
    usual = {"usual": {}, "wrapped": {"estimator": wrapped}}.get(learner, {"estimator": learner})
    common = {"n_estimators": ROUNDS, "random_state": 3, "n_jobs": n_jobs, **usual}
    kind = Kind({"cost_matrix": MATRIX}, HOLES, THREE) if problem == "several" else None
    kind = kind or PROBLEMS[problem]
    rows = divided(kind.rows) if distributed else kind.rows
    clf = make(**{**common, **kind.parameters}).fit(rows, kind.labels, **kind.given)
    if kind.refit is not None:
        clf.set_params(**kind.refit).fit(rows, kind.labels, **kind.given)
    clf.set_params(n_jobs=None)
    return dict(parts(clf, kind))


def divided(rows: Any) -> Any:
    """The rows as a Dask collection of several partitions."""
    import dask.array
    import dask.dataframe

    if isinstance(rows, pd.DataFrame):
        return dask.dataframe.from_pandas(rows, npartitions=3)
    return dask.array.from_array(rows, chunks=(70, rows.shape[1]))


def parts(clf: Any, kind: Kind) -> Iterator[tuple[str, str]]:
    """What is compared of a fitted classifier, and its digest."""
    rows = kind.rows
    yield "labels", digest(*clf.predict(rows).tolist())
    if hasattr(clf, "staged_raw_score"):
        yield "scores", digest(*clf.staged_raw_score(rows))
        yield "decisions", digest(*clf.staged_decision_function(rows))
    if hasattr(clf, "predict_proba"):
        yield "probabilities", digest(clf.predict_proba(rows))
    for part, compute in {
        "by other costs": lambda: clf.predict(rows, fn_cost=AMOUNTS, fp_cost=2.0).tolist(),
        "contributions": lambda: clf.explain(rows[:20], background=rows[20:40]).values,
        "importances": lambda: clf.feature_importances_,
        "onnx": lambda: to_onnx(clf).SerializeToString(deterministic=True),
    }.items():
        try:
            yield part, digest(compute())
        except (ValueError, TypeError, AttributeError, NotImplementedError) as error:
            yield part, digest(str(error))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        costboost.save(clf, path)
        yield "file", digest(path.read_bytes())
        yield "file, loaded", digest(*costboost.load(path).predict(rows).tolist())


def digest(*values: Any) -> str:
    """The first digits of a hash of arrays, bytes and everything with a `repr`."""
    total = sha256()
    for value in values:
        if isinstance(value, np.ndarray):
            total.update(repr((value.dtype.str, value.shape)).encode())
            value = np.ascontiguousarray(value).tobytes()
        total.update(value if isinstance(value, bytes) else repr(value).encode())
    return total.hexdigest()[:12]


# ---- pages and the command line ------------------------------------------------------------------


def pages() -> Iterator[tuple[str, dict[str, str]]]:
    """Digests of reports and of what commands print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        frame = FRAME.assign(amount=AMOUNTS, label=Y, three=THREE)
        frame.to_csv(folder / "rows.csv", index=False)
        pd.DataFrame(MATRIX, index=list("abc"), columns=list("abc")).to_csv(folder / "costs.csv")
        two = ("rows.csv", "--target", "label", "--positive", "sick")
        fit = ("fit", "--rounds", 5, "--json", "--seed", 0)
        for case, words in {
            "fit": (*fit, *two, "--fn-cost", 4, "--out", "two"),
            "fit by amounts": (*fit, *two, "--fn-cost", "amount", "--out", "amounts"),
            "fit several": (
                *(*fit, "rows.csv", "--target", "three", "--ignore", "label"),
                *("--cost-matrix", "costs.csv", "--out", "several"),
            ),
            "predict": ("predict", "two", "rows.csv", "--json"),
            "predict by amounts": ("predict", "amounts", "rows.csv", "--json"),
            "predict several": ("predict", "several", "rows.csv", "--json"),
            "explain": ("explain", "two", "rows.csv", "--json"),
            "algorithms": ("algorithms", "--json"),
        }.items():
            words = (sys.executable, "-m", "costboost", *map(str, words))
            ran = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
            yield f"$ {case}", {"printed": digest(ran.returncode, ran.stdout)}
        yield from reports()


def reports() -> Iterator[tuple[str, dict[str, str]]]:
    """Digests of report pages with a fixed date."""
    from costboost.report import html

    options = {"provenance": {"date": "2000-01-01"}, "random_state": 0}
    few = {"n_estimators": ROUNDS, "random_state": 0}
    two = costboost.CostBoostClassifier(fn_cost=4.0, **few).fit(FRAME, Y)
    for case, clf, labels in (
        ("two classes", two, Y),
        ("a goal", goal(few), Y),
        ("actions", actions(few), Y),
        ("several", costboost.CostBoostClassifier(cost_matrix=MATRIX, **few), THREE),
    ):
        fitted = clf if clf is two else clf.fit(FRAME, labels)
        page = html(fitted, FRAME.iloc[::2], labels[::2], **options)
        yield f"report of {case}", {"page": digest(page)}


def goal(few: dict[str, Any]) -> Any:
    inner = costboost.CostBoostClassifier(pos_label="sick", **few)
    return costboost.OperatingPointClassifier(inner, at_least=0.8, random_state=0)


def actions(few: dict[str, Any]) -> Any:
    return costboost.ActionClassifier(costboost.CostBoostClassifier(**few), costs=ACTIONS)


# ---- the program ---------------------------------------------------------------------------------


def work(name: str) -> tuple[str, dict[str, str]]:
    warnings.simplefilter("ignore")
    return name, outcome(name)


def everything(only: str, jobs: int, dask: bool) -> Iterator[tuple[str, dict[str, str]]]:
    """All cases that are asked for, by name."""
    asked = [name for name in names() if only in name]
    if dask:
        from distributed import Client, LocalCluster

        with ExitStack() as stack:
            cluster = stack.enter_context(
                LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")
            )
            client = stack.enter_context(Client(cluster))
            warnings.simplefilter("ignore")
            yield from ((name, outcome(name, client)) for name in asked)
    else:
        with ProcessPoolExecutor(jobs) as pool:
            yield from pool.map(work, asked, chunksize=8)
    warnings.simplefilter("ignore")
    yield from ((name, parts) for name, parts in pages() if only in name)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", type=Path, help="digests of an earlier run")
    parser.add_argument("--only", default="", help="part of the names of the cases to run")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--dask", action="store_true", help="on a cluster of two workers, too")
    given = parser.parse_args()
    found = dict(everything(given.only, given.jobs, given.dask))
    unlike = [
        f"{name}: {part} depends on threads or workers"
        for name, parts in found.items()
        for part, value in parts.items()
        if "but also" in value
    ]
    if given.against is None:
        json.dump(found, sys.stdout, indent=0, ensure_ascii=False)
    else:
        before = json.loads(given.against.read_text())
        names = [name for name in before | found if given.only in name]
        unlike += [
            f"{name}: {part} differs"
            for name in names
            for part in before.get(name, {}) | found.get(name, {})
            if before.get(name, {}).get(part) != found.get(name, {}).get(part)
        ]
        print(f"{len(found)} cases, {len(unlike)} differences")
    print(*unlike, sep="\n", file=sys.stderr)
    return bool(unlike)


if __name__ == "__main__":
    sys.exit(main())
