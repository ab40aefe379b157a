"""What calibration.py compares: two ensembles, ways to hold rows out, and calibrators.

Rows are held out and calibrators fitted as ``calibration_split=`` and ``calibration=`` do it, but
the ensembles are trained once for all calibrators, which saves four fifths of the time.
`disagreement` checks that the probabilities are those of the classifiers themselves.
"""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.model_selection import LeaveOneOut, StratifiedKFold, train_test_split
from threadpoolctl import threadpool_limits
from value_data import Split, load, sizes
from value_systems import RATIOS, tiny_problem

from costboost.algorithms import AdaMECClassifier, LogitBoostClassifier
from costboost.calibration import CALIBRATORS
from costboost.metrics import savings
from costboost_lab.studies import Cell

NONE = "none"
LOGISTIC = "none, logistic"
FOLDS = "5 folds"
LOO = "leave one out"
COSTS = [f"cost_{ratio}" for ratio in RATIOS]
LOO_ROWS, LOO_CELLS = 300, 15_000  # the most with which leaving one out is tried

Rows = np.ndarray


@dataclass(frozen=True)
class Base:
    """An ensemble whose ``predict_proba``, uncalibrated, is the score that calibrators get."""

    name: str
    model: Any
    usual: str
    """The calibration that is compared over ways of holding out."""
    links: dict[str, Any]
    """Other formulas for the probability of the ensemble, by name."""


BASES = [
    Base(
        "AdaMEC",
        AdaMECClassifier(probability="votes", n_jobs=1),
        "platt",
        {LOGISTIC: AdaMECClassifier(probability="logistic", n_jobs=1)},
    ),
    Base(
        "LogitBoost",
        LogitBoostClassifier(estimator="tree", learning_rate=0.1, n_jobs=1),
        "log-odds",
        {},
    ),
]
BY_NAME = {base.name: base for base in BASES}

WAYS: dict[str, Any] = {  # calibration_split by name
    "10%": 0.1,
    "20%": 0.2,
    "33%": 1 / 3,
    "50%": 0.5,
    "3 folds": 3,
    FOLDS: 5,
    "10 folds": 10,
    LOO: "loo",
}


def ways_for(name: str) -> list[str]:
    """Leaving one out is for the smallest sets only."""
    rows, features, _ = sizes()[name]
    small = rows <= LOO_ROWS and rows * features <= LOO_CELLS
    return [way for way in WAYS if way != LOO or small]


def parts(split: Any, y: np.ndarray, number: int) -> Iterable[tuple[Rows, Rows]]:
    """Rows to train on and rows to score; the ones that a classifier of this seed takes."""
    rows, seed = np.arange(len(y)), np.random.RandomState(number).randint(2**31 - 1)
    if split == "loo":
        return LeaveOneOut().split(rows)
    if isinstance(split, int):
        return StratifiedKFold(split, shuffle=True, random_state=seed).split(rows, y)
    kept, held = train_test_split(rows, test_size=split, stratify=y, random_state=seed)
    return [(np.sort(kept), np.sort(held))]


@dataclass
class Clock:
    """Seconds of the processor that were spent inside: one thread works, others may be about."""

    seconds: float = 0.0

    def __enter__(self) -> "Clock":
        self._start = time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds += time.process_time() - self._start


@dataclass(frozen=True)
class Scored:
    """Scores of the held-out rows and of the test rows, and what it took to get them."""

    held: np.ndarray
    y: np.ndarray
    test: np.ndarray
    seconds: float


def certainty(model: Any, X: Any) -> np.ndarray:
    return model.predict_proba(X)[:, 1]


def trained(model: Any, split: Split, rows: Rows, clock: Clock) -> Any:
    with clock:
        return clone(model).fit(split.train.frame.iloc[rows], split.train.y[rows])


def scored(base: Base, split: Split, way: Any, whole: tuple[Any, float]) -> Scored:
    """``whole`` is the ensemble that has seen all training rows, and its seconds."""
    X, y, clock = split.train.frame, split.train.y, Clock()
    order, scores = [], []
    for kept, held in parts(way, y, split.number):
        model = trained(base.model, split, kept, clock)
        with clock:
            scores.append(certainty(model, X.iloc[held]))
        order.append(held)
    seconds = clock.seconds
    if not isinstance(way, float):
        model, extra = whole
        seconds += extra
    rows = np.concatenate(order)
    return Scored(np.concatenate(scores), y[rows], certainty(model, split.test.frame), seconds)


def probabilities(base: Base, split: Split, ways: Iterable[str]) -> Iterator[tuple[Any, ...]]:
    """Calibration, way, P of the test rows, seconds, and held-out rows: all and of the rarer class.

    Without calibration, way and the numbers of rows are empty.
    """
    everything, clock = np.arange(len(split.train.y)), Clock()
    whole = trained(base.model, split, everything, clock)
    yield NONE, "", certainty(whole, split.test.frame), clock.seconds, "", ""
    for name, model in base.links.items():
        other = Clock()
        linked = trained(model, split, everything, other)
        yield name, "", certainty(linked, split.test.frame), other.seconds, "", ""
    for way in ways:
        found = scored(base, split, WAYS[way], (whole, clock.seconds))
        rarer = int(min(found.y.sum(), len(found.y) - found.y.sum()))
        for name, calibrator in CALIBRATORS.items():
            with Clock(found.seconds) as total:
                fitted = calibrator().fit(found.held, found.y)
            yield name, way, fitted.probability(found.test), total.seconds, len(found.y), rarer


def measures(y: np.ndarray, probability: np.ndarray) -> dict[str, float]:
    """Cost at each ratio as a share of the better trivial classifier's, Brier score, log loss."""
    found = {}
    for name, ratio in zip(COSTS, RATIOS, strict=True):
        y_pred = (probability > 1 / (1 + ratio)).astype(np.int64)
        found[name] = 1 - savings(y, y_pred, fn_cost=ratio, fp_cost=1)
    found["brier"] = brier_score_loss(y, probability)
    return found | {"log_loss": log_loss(y, probability)}  # clips 0 and 1 to 2e-16 beside them


FIELDS = [
    "set",
    "split",
    "base",
    "calibration",
    "way",
    *COSTS,
    "brier",
    "log_loss",
    "seconds",
    "held",
    "rarer",
]


@lru_cache(maxsize=1)
def _split(name: str, number: int) -> Split:
    return load(name).numbered_split(number, 1)


def compute(cell: Cell, seed: int) -> list[dict[str, Any]]:
    """Records of a cell, one for each calibration and way of holding out."""
    name, base = str(cell["set"]), BY_NAME[str(cell["base"])]
    split = _split(name, int(cell["split"]))
    records = []
    with threadpool_limits(1):
        for calibration, way, p, seconds, held, rarer in probabilities(base, split, ways_for(name)):
            found = {key: round(value, 9) for key, value in measures(split.test.y, p).items()}
            rest = {"seconds": round(seconds, 5), "held": held, "rarer": rarer}
            records.append({"calibration": calibration, "way": way} | found | rest)
    return records


def disagreement() -> float:
    """The greatest difference from the probabilities of classifiers with ``calibration=``.

    Leaving one out is left out: it would take most of a minute.
    """
    split, worst = tiny_problem().numbered_split(0, 1), 0.0
    for base in BASES:
        for name, way, p, *_ in probabilities(base, split, [way for way in WAYS if way != LOO]):
            if not way:
                continue
            options = {"calibration": name, "calibration_split": WAYS[way]}
            clf = clone(base.model).set_params(random_state=split.number, **options)
            clf.fit(split.train.frame, split.train.y)
            worst = max(worst, float(np.abs(certainty(clf, split.test.frame) - p).max()))
    return worst
