"""The systems of value.py, each with the costs passed in its own way.

Peers keep their default parameters. Where the costs enter decides how often a system is fitted:

- "threshold": after the fit. Positive if the probability exceeds fp_cost / (fp_cost + fn_cost)
- "predict": after the fit, by ``predict(X, fn_cost=, fp_cost=)``
- "weights": before the fit, as sample weights. Positive if the probability exceeds 1/2
- "fit": before the fit, as parameters ``fn_cost`` and ``fp_cost``

The first two decide at every ratio from one fit, the others are fitted for each ratio.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from typing import Any, Literal

import numpy as np
from scipy.special import expit
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import brier_score_loss
from threadpoolctl import threadpool_limits
from value_data import Form, Problem, Split, load, plain_names

import costboost
from costboost.metrics import savings, total_cost
from costboost.studies import Cell

RATIOS = (2, 5, 20, 100)  # of the cost of a miss to that of a false alarm
FOLDS = 5
COSTBOOST = "CostBoost"
ADABOOST_ROUNDS = 100  # of scikit-learn's AdaBoost: as many as our classifiers have

Maker = Callable[[int, int], Any]
"""(n_threads, seed) -> unfitted classifier."""


@dataclass(frozen=True)
class System:
    """``aside`` marks a form that is compared with one of ours, and not ranked."""

    name: str
    make: Maker
    costs: Literal["threshold", "predict", "weights", "fit"]
    kind: Literal["ours", "peer"] = "ours"
    form: Form = "frame"
    aside: bool = False

    @property
    def fits_once(self) -> bool:
        return self.costs in ("threshold", "predict")


@dataclass(frozen=True)
class Trial:
    """What the decisions on the test rows cost at one ratio; ``seconds`` are of one fit (CPU)."""

    ratio: int
    cost: float
    share: float  # of what the better trivial classifier costs
    brier: float | None
    seconds: float
    n_threads: int


def trials(system: System, split: Split) -> list[Trial]:
    """One for each ratio."""
    with threadpool_limits(split.n_threads):
        return list(_trials(system, split))


def _trials(system: System, split: Split) -> Iterator[Trial]:
    X, y = split.test.rows(system.form), split.test.y
    if system.fits_once:
        model, seconds = fit(system, split, None)
        brier = brier_score_loss(y, model.predict_proba(X)[:, 1])
    for ratio in RATIOS:
        if not system.fits_once:
            model, seconds = fit(system, split, ratio)
            brier = None
        costs = {"fn_cost": ratio, "fp_cost": 1}
        y_pred = decide(system, model, X, costs)
        share = 1 - savings(y, y_pred, **costs)
        yield Trial(ratio, total_cost(y, y_pred, **costs), share, brier, seconds, split.n_threads)


def fit(system: System, split: Split, ratio: int | None) -> tuple[Any, float]:
    model = system.make(split.n_threads, split.number)
    X, y = split.train.rows(system.form), split.train.y
    options = {}
    if system.costs == "fit":
        model.set_params(fn_cost=ratio, fp_cost=1)
    elif system.costs == "weights":
        options["sample_weight"] = np.where(y == 1, float(ratio), 1.0)
    start = time.process_time()
    model.fit(X, y, **options)
    return model, time.process_time() - start


def decide(system: System, model: Any, X: Any, costs: dict[str, int]) -> np.ndarray:
    if system.costs == "predict":
        return model.predict(X, **costs)
    if system.costs == "fit":
        return model.predict(X)
    fn, fp = costs.values() if system.costs == "threshold" else (1, 1)
    return (model.predict_proba(X)[:, 1] > fp / (fp + fn)).astype(np.int64)


# ---- the systems ---------------------------------------------------------------------------------


def ours(name: str, **options: Any) -> Maker:
    def make(n_threads: int, seed: int) -> Any:
        return getattr(costboost, f"{name}Classifier")(
            n_jobs=n_threads, random_state=seed, **options
        )

    return make


class ScoresAsLogits:
    """CostBoostClassifier without the use of its calibrator."""

    def __init__(self, n_threads: int, seed: int) -> None:
        self.make = partial(ours(COSTBOOST), n_threads, seed)

    def fit(self, X: Any, y: np.ndarray) -> "ScoresAsLogits":
        self.model = self.make().fit(X, y)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        p = expit(2 * self.model.raw_score(X))
        return np.column_stack([1 - p, p])


def lightgbm(n_threads: int, seed: int) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_jobs=n_threads, random_state=seed, verbose=-1)


def lightgbm_small_trees(n_threads: int, seed: int) -> Any:
    return lightgbm(n_threads, seed).set_params(num_leaves=8)


def lightgbm_stochastic(n_threads: int, seed: int) -> Any:
    """With rows and columns drawn for every tree, twice as many trees and smaller steps."""
    return lightgbm(n_threads, seed).set_params(
        n_estimators=200,
        learning_rate=0.03,
        colsample_bytree=0.4,
        subsample=0.6,
        subsample_freq=1,
    )


def catboost(n_threads: int, seed: int) -> Any:
    from catboost import CatBoostClassifier

    return CatBoostClassifier(
        thread_count=n_threads, random_seed=seed, verbose=False, allow_writing_files=False
    )


def random_forest(n_threads: int, seed: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_jobs=n_threads, random_state=seed)


def xgboost(n_threads: int, seed: int) -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(n_jobs=n_threads, random_state=seed, enable_categorical=True)


def hist_gradient_boosting(n_threads: int, seed: int) -> Any:
    """Has no n_jobs: it follows threadpoolctl."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(random_state=seed)


def sklearn_adaboost(n_threads: int, seed: int) -> Any:
    from sklearn.ensemble import AdaBoostClassifier

    return AdaBoostClassifier(n_estimators=ADABOOST_ROUNDS, random_state=seed)


def empulse(n_threads: int, seed: int) -> Any:
    """On its own default, XGBoost. AGPL: it is compared with, nothing of it is used."""
    from empulse.models import CSBoostClassifier
    from xgboost import XGBClassifier

    return CSBoostClassifier(XGBClassifier(n_jobs=n_threads, random_state=seed))


def calibrated(make: Maker, method: str = "sigmoid") -> Maker:
    def make_calibrated(n_threads: int, seed: int) -> Any:
        return CalibratedClassifierCV(make(n_threads, seed), method=method, cv=FOLDS)

    return make_calibrated


def two_ways(name: str, make: Maker, form: Form = "frame") -> list[System]:
    isotonic = calibrated(make, "isotonic")
    return [
        System(f"{name} Platt", calibrated(make), "threshold", "peer", form),
        System(f"{name} isotonic", isotonic, "threshold", "peer", form),
    ]


def four_ways(name: str, make: Maker) -> list[System]:
    return [
        System(name, make, "threshold", "peer"),
        *two_ways(name, make),
        System(f"{name} weighted", make, "weights", "peer"),
    ]


SYSTEMS = [
    System(COSTBOOST, ours(COSTBOOST), "predict"),
    System("AdaMEC votes", ours("AdaMEC", probability="votes"), "predict"),
    System("AdaMEC Platt", ours("AdaMEC", calibration="platt"), "predict"),
    System("LogitBoost log-odds", ours("LogitBoost", calibration="log-odds"), "predict"),
    System("CGAda", ours("CGAda"), "fit"),
    System("CSAda", ours("CSAda"), "fit"),
    System("AsymAda", ours("AsymAda"), "fit"),
    *four_ways("LightGBM", lightgbm),
    *four_ways("XGBoost", xgboost),
    *four_ways("HistGradientBoosting", hist_gradient_boosting),
    *two_ways("LightGBM 8 leaves", lightgbm_small_trees),
    *two_ways("LightGBM stochastic", lightgbm_stochastic),
    *two_ways("random forest", random_forest, "codes"),
    *two_ways("CatBoost", catboost, "codes"),
    System("sklearn AdaBoost Platt", calibrated(sklearn_adaboost), "threshold", "peer", "codes"),
    System("empulse CSBoost", empulse, "fit", "peer", "codes"),
    System("LogitBoost", ours("LogitBoost"), "threshold", aside=True),
    System("CostBoost uncalibrated", ours(COSTBOOST, calibration=None), "predict", aside=True),
    System("CostBoost scores as logits", ScoresAsLogits, "threshold", aside=True),
    System("CostBoost stopping early", ours(COSTBOOST, early_stopping=True), "predict", aside=True),
]
BY_NAME = {system.name: system for system in SYSTEMS}
CALIBRATION = {  # uncalibrated and calibrated form of the same model
    "CostBoost uncalibrated": COSTBOOST,
    "CostBoost scores as logits": COSTBOOST,
    "LogitBoost": "LogitBoost log-odds",
    "AdaMEC votes": "AdaMEC Platt",
    "LightGBM": "LightGBM Platt",
    "XGBoost": "XGBoost Platt",
    "HistGradientBoosting": "HistGradientBoosting Platt",
}


@lru_cache(maxsize=1)
def _split(name: str, number: int, threads: int) -> Split:
    return load(name).numbered_split(number, threads)


def compute(cell: Cell, seed: int, threads: int) -> list[dict[str, Any]]:
    """Records of a cell: the trials of a system on a split of a set."""
    split = _split(str(cell["set"]), int(cell["split"]), threads)
    return [record(one) for one in trials(BY_NAME[str(cell["system"])], split)]


def record(trial: Trial) -> dict[str, Any]:
    return asdict(trial) | {
        "share": round(trial.share, 9),
        "brier": None if trial.brier is None else round(trial.brier, 9),
        "seconds": round(trial.seconds, 5),
    }


def working(systems: Sequence[System]) -> tuple[list[System], list[str]]:
    """Systems that can fit a small made-up problem, and messages about the others."""
    present, messages = [], []
    split = tiny_problem().numbered_split(0)
    for system in systems:
        try:
            trials(system, split)
            present.append(system)
        except Exception as error:
            messages.append(f"{system.name} is left out: {reason(error)}")
    return present, messages


def reason(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]


def tiny_problem() -> Problem:
    import pandas as pd

    rng = np.random.default_rng(0)
    values, group = rng.standard_normal((300, 3)), rng.integers(0, 4, 300)
    values[::10, 0] = np.nan
    X = pd.DataFrame(values).assign(group=pd.Categorical(group))
    y = values[:, 1] + (group == 2) + rng.standard_normal(300) > 0.5
    return Problem("tiny", plain_names(X), y.astype(np.int64))
