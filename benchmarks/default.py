"""Fit, predict, memory and size of CostBoostClassifier against trees of its peers.

Every figure is measured in a process of its own, so that processor time and peak memory are those
of one system. Peers are plain, with Platt's calibration over five folds, and LightGBM also with few
large steps and one calibrated model. Trees and the log loss of fresh rows state what the time has
bought. `engine.py --costboost` prints the tables.
"""

import argparse
import json
import os
import pickle
import resource
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from printing import duration, figure, insert, markdown
from systems import Size, make_data
from timing import log

SIZES = [
    Size(1_000, 20, 5),
    Size(10_000, 20, 5),
    Size(100_000, 20, 3),
    Size(1_000_000, 20, 1),
    Size(100_000, 200, 1),
]
CATBOOST_ROWS = 10_000
"""More rows are left out for CatBoost: its calibrated fits of 1,000 rounds take long."""
PREDICTED_ROWS = 100_000
FRESH = PREDICTED_ROWS + 7
"""Rows of which the predicted ones are the first: `make_data` draws others for each number."""
SINGLE_ROWS = 200
FOLDS = 5
OURS, REFERENCE, PLAIN = "CostBoost", "LightGBM Platt", "LightGBM"
FEW_STEPS = "LightGBM 30 rounds, one calibrated model"
ROOT = Path(__file__).parents[1]
PAGE, README = ROOT / "docs" / "speed.md", ROOT / "README.md"
TABLES = ROOT / "docs" / "studies" / "speed.md"
PICTURE = ROOT / "docs" / "images" / "speed-loss.png"
CAPTION = (
    "![Processor seconds of a fit and log loss of fresh rows, a panel for each size]"
    f"(images/{PICTURE.name})"
)


# ---- systems -------------------------------------------------------------------------------------


def lightgbm(n_threads: int, seed: int) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_jobs=n_threads, random_state=seed, verbose=-1)


def lightgbm_few_steps(n_threads: int, seed: int) -> Any:
    return lightgbm(n_threads, seed).set_params(n_estimators=30, learning_rate=0.3)


def xgboost(n_threads: int, seed: int) -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(n_jobs=n_threads, random_state=seed)


def hist_gradient_boosting(n_threads: int, seed: int) -> Any:
    """Has no n_jobs: it follows OMP_NUM_THREADS, which `measured` sets."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(early_stopping=False, random_state=seed)


def catboost(n_threads: int, seed: int) -> Any:
    from catboost import CatBoostClassifier

    return CatBoostClassifier(
        thread_count=n_threads, random_seed=seed, verbose=False, allow_writing_files=False
    )


def costboost(n_threads: int) -> Any:
    from costboost import CostBoostClassifier

    return CostBoostClassifier(n_jobs=n_threads, random_state=0)


PEERS = {
    "LightGBM": (lightgbm, 100),
    "XGBoost": (xgboost, 100),
    "HistGradientBoosting": (hist_gradient_boosting, 100),
    "CatBoost": (catboost, 1000),
}
"""Makers, and the rounds that are the default."""
NAMES = [OURS, *(f"{name}{form}" for name in PEERS for form in ("", " Platt"))]
NAMES.insert(NAMES.index(REFERENCE) + 1, FEW_STEPS)


def peer_of(name: str) -> str:
    """The library of a system."""
    return name.split(" ")[0]


def make(name: str, n_threads: int) -> Any:
    """A system by its name, unfitted; margins are calibrated, not probabilities."""
    from sklearn.calibration import CalibratedClassifierCV
    from value_peers import PEERS as KNOWN
    from value_peers import Learner, Peer

    if name == OURS:
        return costboost(n_threads)
    maker = lightgbm_few_steps if name == FEW_STEPS else PEERS[peer_of(name)][0]
    if name in PEERS:
        return maker(n_threads, 0)
    peer = Peer(peer_of(name), partial(maker, n_threads), KNOWN[peer_of(name)].margin)
    return CalibratedClassifierCV(Learner(peer, 0), cv=FOLDS, ensemble=name != FEW_STEPS)


def trees_of(name: str, model: Any) -> str:
    """How many trees a fit has trained."""
    if name == OURS:
        return str(int(model.n_iter_))
    if name == FEW_STEPS:
        return f"{FOLDS} x 30 + 30"
    rounds = PEERS[peer_of(name)][1]
    return str(rounds) if name in PEERS else f"{FOLDS} x {rounds}"


# ---- one system in a process of its own ----------------------------------------------------------


@dataclass(frozen=True)
class Figures:
    """Seconds of a fit and of predictions, megabytes, trees, and log loss of fresh rows."""

    fit_cpu: float
    fit_wall: float
    predict_cpu: float
    predict_wall: float
    one_row: float
    memory: float
    size: float
    trees: str
    log_loss: float


def measure(name: str, size: Size, n_threads: int) -> Figures:
    """The figures of one system, in this process; times are the least of some repeats."""
    from sklearn.metrics import log_loss

    X, y = rows_of(size)
    make(name, n_threads).fit(X[:500], y[:500])  # libraries are loaded
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    fits = []
    for _ in range(size.repeats):
        model = make(name, n_threads)
        fits.append(timed(lambda model=model: model.fit(X, y)))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    rows, truth = (one[:PREDICTED_ROWS] for one in rows_of(Size(FRESH, size.features, 1)))
    loss = log_loss(truth, model.predict_proba(rows)[:, 1])
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
        trees=trees_of(name, model),
        log_loss=float(loss),
    )


def rows_of(size: Size) -> tuple[np.ndarray, np.ndarray]:
    """Rows of float64, which none of the systems has to convert."""
    X, y = make_data(size)
    return X.astype(np.float64), y


def timed(work: Any) -> tuple[float, float]:
    """Processor and wall seconds."""
    cpu, wall = process_time(), perf_counter()
    work()
    return process_time() - cpu, perf_counter() - wall


def measured(name: str, size: Size, n_threads: int) -> Figures | None:
    """The figures of one system, from a process of its own; None if it fails."""
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


# ---- tables --------------------------------------------------------------------------------------

Results = Mapping[tuple[str, int], Mapping[str, Figures]]
"""Figures of the systems by size and number of threads."""


def results(names: Sequence[str], sizes: Sequence[Size], threads: Sequence[int]) -> Results:
    found: dict[tuple[str, int], dict[str, Figures]] = {}
    for size in sizes:
        shown = [n for n in names if peer_of(n) != "CatBoost" or size.rows <= CATBOOST_ROWS]
        for n_threads in threads:
            figures = {name: measured(name, size, n_threads) for name in shown}
            found[size.name, n_threads] = {k: one for k, one in figures.items() if one is not None}
    return found


def tables(found: Results) -> Iterator[str]:
    """A table for each size and number of threads, and the ratios that are goals."""
    for (size, n_threads), systems in found.items():
        lines = [
            [
                name,
                one.trees,
                f"{one.log_loss:.4f}",
                duration(one.fit_cpu),
                duration(one.fit_wall),
                duration(one.predict_cpu),
                duration(one.predict_wall),
                duration(one.one_row),
                f"{one.memory:.0f} MB",
                f"{one.size:.1f} MB",
            ]
            for name, one in systems.items()
        ]
        yield f"{size}, threads: {n_threads}; predictions of {PREDICTED_ROWS:,} rows, and of one."
        heads = ["system", "trees", "log loss", "fit, CPU", "fit", "predict, CPU", "predict"]
        yield markdown([*heads, "one row", "memory", "pickle"], lines)
        yield "\n".join(ratios(systems))


def ratios(systems: Mapping[str, Figures]) -> Iterator[str]:
    ours = systems.get(OURS)
    for peer, what in ((REFERENCE, "fit_cpu"), (FEW_STEPS, "fit_cpu"), (PLAIN, "predict_cpu")):
        theirs = systems.get(peer)
        if ours is not None and theirs is not None:
            ratio = getattr(theirs, what) / getattr(ours, what)
            yield f"- {what.removesuffix('_cpu')}, {peer} / {OURS}: {figure(ratio)}x"


EXCERPT = (
    ("fit", "fit_wall", "10kx20"),
    ("log loss", "log_loss", "10kx20"),
    ("fit", "fit_wall", "1Mx20"),
    ("log loss", "log_loss", "1Mx20"),
    ("predict", "predict_wall", "1Mx20"),
)
"""What README.md shows: a name, a field and a size."""
OVERVIEW = tuple(
    (what, field, size.name)
    for size in SIZES
    for what, field in (
        ("fit", "fit_wall"),
        ("log loss", "log_loss"),
        ("predict", "predict_wall"),
        ("memory", "memory"),
    )
)


def shown(value: float, field: str) -> str:
    if field == "log_loss":
        return f"{value:.4f}"
    return f"{value:.0f} MB" if field == "memory" else duration(value)


def excerpt(found: Results, rows: Sequence[tuple[str, str, str]]) -> str:
    """Some figures at the greatest number of threads."""
    names = [OURS, REFERENCE, FEW_STEPS, "XGBoost Platt", "HistGradientBoosting Platt", PLAIN]
    most = max(n_threads for _, n_threads in found)
    lines = []
    for what, field, size in rows:
        systems = found.get((size, most), {})
        if all(name in systems for name in names):
            values = [shown(getattr(systems[name], field), field) for name in names]
            lines.append([what, size, *values])
    return markdown(["", "rows x features", *names], lines)


def draw(found: Results, file: Path) -> None:
    """Processor time of a fit against the log loss of fresh rows, a panel for each size."""
    from matplotlib import pyplot as plt
    from matplotlib.ticker import LogLocator, NullFormatter

    least = min(n_threads for _, n_threads in found)
    sizes = [size for size, n_threads in found if n_threads == least]
    figure_, panels = plt.subplots(
        1, len(sizes), figsize=(2.9 * len(sizes), 3.6), layout="constrained", squeeze=False
    )
    names = list(dict.fromkeys(name for size in sizes for name in found[size, least]))
    looks = {name: f"C{k}" if name != OURS else "black" for k, name in enumerate(names)}
    for size, axes in zip(sizes, panels[0], strict=True):
        for name, one in found[size, least].items():
            marker = "*" if name == OURS else "o" if name in PEERS else "s"
            axes.plot(one.fit_cpu, one.log_loss, marker, color=looks[name], label=name, ms=8)
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xlabel("processor seconds of a fit")
        axes.set_title(size, fontsize=9)
        axes.margins(0.2)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0][0].set_ylabel("log loss of fresh rows")
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure_.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False, fontsize=8)
    figure_.savefig(file, dpi=130)
    plt.close(figure_)


def write_page(found: Results, parts: Sequence[str]) -> None:
    """Tables and picture into the documentation."""
    insert("sizes", [CAPTION, parts[0], excerpt(found, OVERVIEW)], PAGE)
    insert("sizes", parts, TABLES)
    if any(size == "1Mx20" for size, _ in found):
        insert("sizes", [excerpt(found, EXCERPT)], README)
    draw(found, PICTURE)


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
