"""The systems of value.py, and what their decisions on the test rows of a split cost.

All have their default parameters, and all are trained once for all ratios: a row is positive if its
probability exceeds fp_cost / (fp_cost + fn_cost), or where `predict` of our own classifiers says so
when it is given the costs. A learner is what is trained; of a peer's, five systems are made.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.metrics import brier_score_loss
from value_data import Problem, Split, load, plain_names
from value_peers import PEERS, disagreement, forms_of, tiny_rows

from costboost.algorithms import REGISTRY
from costboost.metrics import savings
from costboost_lab.studies import Cell

RATIOS = (2, 5, 20, 100)  # of the cost of a miss to that of a false alarm
COSTBOOST = "CostBoost"
MOST_DISAGREEMENT = 1e-9


def ours(name: str, **options: Any) -> Callable[[int], Any]:
    """Maker of one of our classifiers by its seed."""

    def make(seed: int) -> Any:
        return REGISTRY[name].cls(n_jobs=1, random_state=seed, **options)

    return make


RANKED: dict[str, Callable[[int], Any]] = {
    COSTBOOST: ours(COSTBOOST),
    "AdaMEC Platt": ours("AdaMEC", calibration="platt"),
    "LogitBoost log-odds": ours("LogitBoost", calibration="log-odds"),
}
ASIDE: dict[str, Callable[[int], Any]] = {
    "CostBoost uncalibrated": ours(COSTBOOST, calibration=None),
    "CostBoost stopping early": ours(COSTBOOST, early_stopping=True),
}
"""Forms that are compared with CostBoost, and not listed among the systems."""
OURS = RANKED | ASIDE
LEARNERS = (
    COSTBOOST,
    "CatBoost",
    *(name for name in PEERS if name != "CatBoost"),
    *(name for name in OURS if name != COSTBOOST),
)
"""What is trained: the slow ones first, so that no processor waits for them at the end."""
SYSTEMS = (*RANKED, *(form for peer in PEERS.values() for form in peer.forms))
FAMILY = {form: peer.name for peer in PEERS.values() for form in peer.forms} | {
    name: name for name in OURS
}
"""Learner of each system."""


def varies(learner: str) -> bool:
    """Whether other seeds give another model that is compared."""
    return learner not in ASIDE and (learner not in PEERS or PEERS[learner].random)


@lru_cache(maxsize=1)
def _split(name: str, number: int) -> Split:
    return load(name).numbered_split(number, 1)


def compute(cell: Cell, seed: int) -> list[dict[str, Any]]:
    """Records of a learner on a split of a set; splits have other seeds of the models."""
    split = _split(str(cell["set"]), int(cell["split"]))
    return list(records(str(cell["learner"]), split, 1000 * int(cell["repeat"]) + split.number))


def records(learner: str, split: Split, seed: int) -> Iterator[dict[str, Any]]:
    """One for each system that is made of a learner, and for each ratio."""
    if learner in OURS:
        yield from _of_ours(learner, split, seed)
        return
    train, test = split.train, split.test
    for one in forms_of(PEERS[learner], train.frame, train.y, test.frame, seed):
        brier = brier_score_loss(test.y, np.clip(one.probability, 0, 1))
        for ratio in RATIOS:
            y_pred = (one.probability > 1 / (1 + ratio)).astype(np.int64)
            yield record(one.system, ratio, test.y, y_pred, brier, one.seconds)


def _of_ours(name: str, split: Split, seed: int) -> Iterator[dict[str, Any]]:
    train, test = split.train, split.test
    start = time.process_time()
    model = OURS[name](seed).fit(train.frame, train.y)
    seconds = time.process_time() - start
    brier = brier_score_loss(test.y, model.predict_proba(test.frame)[:, 1])
    for ratio in RATIOS:
        y_pred = model.predict(test.frame, fn_cost=ratio, fp_cost=1)
        yield record(name, ratio, test.y, y_pred, brier, seconds)


def record(
    system: str, ratio: int, y: np.ndarray, y_pred: np.ndarray, brier: float, seconds: float
) -> dict[str, Any]:
    """Cost as a share of the better trivial classifier's, Brier score, and seconds of a fit."""
    share = 1 - savings(y, y_pred, fn_cost=ratio, fp_cost=1)
    return {
        "system": system,
        "ratio": ratio,
        "share": round(share, 9),
        "brier": round(float(brier), 9),
        "seconds": round(seconds, 4),
    }


# ---- checks before a run -------------------------------------------------------------------------


def working(learners: Sequence[str]) -> tuple[list[str], list[str]]:
    """Learners that can be trained on a small made-up problem, and messages about the others."""
    present, messages = [], []
    split = tiny_problem().numbered_split(0, 1)
    for name in learners:
        try:
            list(records(name, split, 0))
            present.append(name)
        except Exception as error:
            messages.append(f"{name} is left out: {reason(error)}")
    if any(name in PEERS for name in present):
        check_calibration()
    return present, messages


def check_calibration() -> None:
    """The calibrated probabilities must be those of scikit-learn's own class."""
    apart = disagreement(*tiny_rows())
    if apart > MOST_DISAGREEMENT:
        raise RuntimeError(f"probabilities are {apart:.2g} apart from CalibratedClassifierCV's")


def reason(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]


def tiny_problem() -> Problem:
    X, y = tiny_rows()
    return Problem("tiny", plain_names(X), y)
