"""Systems of multiclass_native.py: probabilities of several classes, and what decisions cost.

Peers have their defaults, and categories as they are: without calibration; with a temperature, that
is softmax(a F); and with the map that CostBoost has, softmax(a F + b), with an offset for each
class. Either the mean of one calibrated model for each of five folds predicts, or "one model" of
all rows, calibrated by the scores of all folds.
"""

import time
import warnings
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from multiclass_data import drawn_costs
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, train_test_split
from value_peers import FOLDS, ONE_MODEL, PEERS, Learner, Peer

from costboost import CostBoostClassifier
from costboost._core.calibration.softmax import SoftmaxFit, log_softmax, softmax_fit
from costboost._core.costs import least_expected
from costboost.multiclass import GBSEClassifier
from costboost_lab.studies import Cell
from costboost_lab.studies.abe import plain, solar_flare

DRAWS = 20


def local(load: Callable[..., Any]) -> Callable[[], Any]:
    """A data set that is a part of scikit-learn."""

    def read_set() -> Any:
        data = load(as_frame=True)
        return data.data, data.target.to_numpy()

    return read_set


SETS: dict[str, Callable[[], Any]] = {
    "iris": local(load_iris),
    "wine": local(load_wine),
    "annealing": plain("annealing"),
    "solar_flare": solar_flare,
    "semeion": plain("semeion"),
    "digits": local(load_digits),
    "splice": plain("splice"),
    "waveform": plain("waveform"),
    "satimage": plain("satimage"),
    "letter": plain("letter"),
}


class OneVsRestCostBoostClassifier(CostBoostClassifier):
    """CostBoost as it is for other algorithms: each class against the rest."""

    rule_of_several = None


COSTBOOST, ONE_VS_REST, GBSE = "CostBoost", "CostBoost, one-vs-rest", "GBSE, 100 rounds"
ONE_CLASS = "One class for all"
OURS = {COSTBOOST: CostBoostClassifier, ONE_VS_REST: OneVsRestCostBoostClassifier}
OTHERS = ("CatBoost", "LightGBM", "XGBoost", "HistGradientBoosting")
MAPS = {", temperature": False, ", temperature and offsets": True}
"""Calibrations of several classes, and whether they have an offset for each class."""
LEARNERS = (*OTHERS, GBSE, *OURS, ONE_CLASS)
"""What is trained, the slow ones first."""


# ---- systems -------------------------------------------------------------------------------------

Forecasts = Iterator[tuple[str, np.ndarray]]


def of_peer(peer: Peer, X: Any, y: np.ndarray, new: Any, seed: int) -> Forecasts:
    """Probabilities of the new rows by all forms of a peer."""
    model = Learner(peer, seed).fit(X, y)
    yield peer.name, model.predict_proba(new)
    least = int(np.unique(y, return_counts=True)[1].min())
    of_new, fitted = model.scores(new), []
    n_folds = min(FOLDS, least)
    if n_folds < 2:
        raise ValueError("a class has a single row to train")
    for kept, held in StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(X, y):
        fold = Learner(peer, seed).fit(X.iloc[kept], y[kept])
        fitted.append((fold.scores(X.iloc[held]), y[held], fold.scores(new)))
    for name, offsets in MAPS.items():
        each = [softmax(scores, truth, later, offsets) for scores, truth, later in fitted]
        yield f"{peer.name}{name}", np.mean(each, axis=0)
        scores, truth = (np.concatenate([one[k] for one in fitted]) for k in (0, 1))
        yield f"{peer.name}{name}{ONE_MODEL}", softmax(scores, truth, of_new, offsets)


def softmax(scores: np.ndarray, code: np.ndarray, new: np.ndarray, offsets: bool) -> np.ndarray:
    """Probabilities of new scores by the softmax regression of held-out ones."""
    found: SoftmaxFit = softmax_fit([scores], code, np.ones(code.size), offsets)
    return np.exp(log_softmax(found.logits([new])))


@lru_cache(maxsize=1)
def rows(name: str, split: int = 0) -> tuple[Any, Any, np.ndarray, np.ndarray]:
    """Rows to train and to test, and their classes as numbers."""
    X, y = SETS[name]()
    code = np.unique(y, return_inverse=True)[1]
    return tuple(train_test_split(X, code, test_size=1 / 3, stratify=code, random_state=split))


def compute(cell: Cell, seed: int) -> list[dict[str, Any]]:
    """Records of a cell: the mean cost of each form of a learner under all matrices."""
    warnings.simplefilter("ignore")
    split, learner = int(cell["split"]), str(cell["learner"])
    X, X_test, y, y_test = rows(str(cell["set"]), split)
    matrices = [drawn_costs(y, np.random.default_rng([split, draw])) for draw in range(DRAWS)]
    start = time.process_time()
    if learner == ONE_CLASS:
        costs = [matrix[y_test, matrix[y].sum(axis=0).argmin()].mean() for matrix in matrices]
        return [{"system": ONE_CLASS, "cost": float(np.mean(costs)), "seconds": 0.0}]
    if learner == GBSE:
        costs = [
            matrix[y_test, gbse(matrix, split, X, y).predict(X_test)].mean() for matrix in matrices
        ]
        seconds = (time.process_time() - start) / DRAWS
        return [{"system": GBSE, "cost": float(np.mean(costs)), "seconds": seconds}]
    if learner in OURS:
        clf = OURS[learner](random_state=split, n_jobs=1).fit(X, y)
        found: Forecasts = iter([(learner, clf.predict_proba(X_test))])
    else:
        found = of_peer(PEERS[learner], X, y, X_test, split)
    records = []
    for system, shares in found:
        costs = [matrix[y_test, least_expected(shares, matrix)].mean() for matrix in matrices]
        records.append(
            {
                "system": system,
                "cost": float(np.mean(costs)),
                "log_loss": float(log_loss(y_test, shares, labels=np.arange(shares.shape[1]))),
                "seconds": time.process_time() - start,
            }
        )
    return records


def gbse(matrix: np.ndarray, seed: int, X: Any, y: np.ndarray) -> GBSEClassifier:
    clf = GBSEClassifier(cost_matrix=matrix, n_estimators=100, random_state=seed, n_jobs=1)
    return clf.fit(X, y)
