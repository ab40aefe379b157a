"""Fit, predict, memory and size of CostBoostClassifier against trees of its peers.

Every figure is measured in a process of its own, so that processor time and peak memory are those
of one system. Peers are taken plain and with Platt's calibration over five folds. `engine.py
--costboost` prints the tables.
"""

import argparse
import json
import pickle
import resource
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from time import perf_counter, process_time
from typing import Any

import numpy as np
from printing import duration, figure, markdown
from systems import Size, make_data
from timing import log

SIZES = [
    Size(1_000, 20, 3),
    Size(10_000, 20, 3),
    Size(100_000, 20, 1),
    Size(1_000_000, 20, 1),
    Size(100_000, 200, 1),
]
PREDICTED_ROWS = 100_000
SINGLE_ROWS = 200
OURS, REFERENCE, PLAIN = "CostBoost", "LightGBM Platt", "LightGBM"


def lightgbm(n_threads: int) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_jobs=n_threads, verbose=-1)


def xgboost(n_threads: int) -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(n_jobs=n_threads)


def hist_gradient_boosting(n_threads: int) -> Any:
    """Has no n_jobs: it follows OMP_NUM_THREADS, which `measured` sets."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(early_stopping=False)


def catboost(n_threads: int) -> Any:
    from catboost import CatBoostClassifier

    return CatBoostClassifier(thread_count=n_threads, verbose=False, allow_writing_files=False)


def costboost(n_threads: int) -> Any:
    from costboost import CostBoostClassifier

    return CostBoostClassifier(n_jobs=n_threads, random_state=0)


PEERS = {
    "LightGBM": lightgbm,
    "XGBoost": xgboost,
    "HistGradientBoosting": hist_gradient_boosting,
    "CatBoost": catboost,
}
NAMES = [OURS, *(f"{name}{form}" for name in PEERS for form in ("", " Platt"))]


def make(name: str, n_threads: int) -> Any:
    """A system by its name, unfitted."""
    from sklearn.calibration import CalibratedClassifierCV

    if name == OURS:
        return costboost(n_threads)
    plain = PEERS[name.removesuffix(" Platt")](n_threads)
    return CalibratedClassifierCV(plain, cv=5) if name.endswith(" Platt") else plain


@dataclass(frozen=True)
class Figures:
    """Seconds of a fit and of predictions, and megabytes."""

    fit_cpu: float
    fit_wall: float
    predict_cpu: float
    predict_wall: float
    one_row: float
    memory: float
    size: float


def measure(name: str, size: Size, n_threads: int) -> Figures:
    """The figures of one system, in this process; times are the least of some repeats."""
    X, y = make_data(size)
    X = X.astype(np.float64)
    make(name, n_threads).fit(X[:500], y[:500])  # libraries are loaded
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    fits = []
    for _ in range(size.repeats):
        model = make(name, n_threads)
        fits.append(timed(lambda model=model: model.fit(X, y)))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    rows = make_data(Size(PREDICTED_ROWS, size.features, 1))[0].astype(np.float64)
    model.predict_proba(rows[:100])
    predictions = [timed(lambda: model.predict_proba(rows)) for _ in range(3)]
    singles = [
        timed(lambda k=k: model.predict_proba(rows[k : k + 1]))[1] for k in range(SINGLE_ROWS)
    ]
    return Figures(
        *map(min, zip(*fits, strict=True)),
        *map(min, zip(*predictions, strict=True)),
        one_row=float(np.median(singles)),
        memory=memory / 1024,
        size=len(pickle.dumps(model)) / 2**20,
    )


def timed(work: Any) -> tuple[float, float]:
    """Processor and wall seconds."""
    cpu, wall = process_time(), perf_counter()
    work()
    return process_time() - cpu, perf_counter() - wall


def measured(name: str, size: Size, n_threads: int) -> Figures | None:
    """The figures of one system, from a process of its own; None if it fails."""
    import os

    given = [name, size.rows, size.features, size.repeats, n_threads]
    log(" ".join(map(str, given)))
    done = subprocess.run(
        [sys.executable, __file__, *map(str, given)],
        env=os.environ | {"OMP_NUM_THREADS": str(n_threads)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        log(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "no message")
        return None
    return Figures(**json.loads(done.stdout.splitlines()[-1]))


def tables(names: Sequence[str], sizes: Sequence[Size], threads: Sequence[int]) -> Iterator[str]:
    """A table for each size and number of threads, and the ratios that are goals."""
    for size in sizes:
        for n_threads in threads:
            found = {name: measured(name, size, n_threads) for name in names}
            lines = [
                [
                    name,
                    duration(one.fit_cpu),
                    duration(one.fit_wall),
                    duration(one.predict_cpu),
                    duration(one.predict_wall),
                    duration(one.one_row),
                    f"{one.memory:.0f} MB",
                    f"{one.size:.1f} MB",
                ]
                for name, one in found.items()
                if one is not None
            ]
            yield f"{size.name}, threads: {n_threads}; predictions of 100,000 rows, and of one."
            heads = ["system", "fit, CPU", "fit", "predict, CPU", "predict", "one row"]
            yield markdown([*heads, "memory", "pickle"], lines)
            yield "\n".join(ratios(found))


def ratios(found: dict[str, Figures | None]) -> Iterator[str]:
    ours = found.get(OURS)
    for peer, what in ((REFERENCE, "fit_cpu"), (PLAIN, "predict_cpu")):
        theirs = found.get(peer)
        if ours is not None and theirs is not None:
            ratio = getattr(theirs, what) / getattr(ours, what)
            yield f"- {what.removesuffix('_cpu')}, {peer} / {OURS}: {figure(ratio)}x"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=NAMES)
    for option in ("rows", "features", "repeats", "threads"):
        parser.add_argument(option, type=int)
    given = parser.parse_args()
    size = Size(given.rows, given.features, given.repeats)
    print(json.dumps(asdict(measure(given.name, size, given.threads))))


if __name__ == "__main__":
    main()
