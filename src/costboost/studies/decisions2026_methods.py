"""Methods of decisions2026: how each learns, and how it decides at a ratio of costs.

A learner is fitted once and its probabilities are compared with the threshold that the costs imply,
as they are or after calibration; or it is fitted for each ratio, with the costs as weights of the
rows or inside the algorithm, and decides by itself. All learners keep their default parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from costboost.calibration import IsotonicCalibrator, PlattCalibrator
from costboost.checks import Floats
from costboost.metrics import savings
from costboost.registry import REGISTRY
from costboost.studies.decisions2026_data import Form, Labels, Part, Split, nominal
from costboost.studies.study import Record

RATIOS = (1, 2, 5, 10, 20, 50, 100)
"""Cost of a mistake on a positive row, in costs of a mistake on a negative row."""
FOLDS = 5
"""Folds whose held-out scores calibrate a learner."""

TRAINED = (
    "CGAda", "AsymAda", "AdaC1", "AdaC2", "AdaC3", "CSB0", "CSB1", "CSB2", "AdaCost",
    "AdaCost(beta2)", "CSAda",
)  # fmt: skip
"""Variants of Nikolaou et al. (2016) that are trained for each ratio."""
SPELLED: Mapping[str, tuple[str, dict[str, Any]]] = {
    "AdaCost(beta2)": ("AdaCost", {"beta": "ting"})
}
"""Classifier and parameters of variants that are not classes of their own."""
CALIBRATED = ("CGAda", "AsymAda")
"""Those that the paper calibrates; AdaMEC, the third, is trained once for all ratios."""
MODERN = ("LightGBM", "XGBoost", "CatBoost", "HistGradientBoosting")
PACKAGES = {"LightGBM": "lightgbm", "XGBoost": "xgboost", "CatBoost": "catboost"}
"""Package that a learner needs."""
TRAINED_BY_WEIGHT = ("LightGBM", "XGBoost", "HistGradientBoosting")
"""Modern learners that are also trained for each ratio; CatBoost takes too long for that."""
WEIGHTED = "weighted"
RAW, PLATT, ISOTONIC, VOTES = "raw", "Platt", "isotonic", "votes"


@dataclass(frozen=True)
class Fitted:
    """Probabilities of the test rows, and what is recorded about them."""

    variant: str
    probability: Floats


Method = Callable[[Split, int], Iterator[Record]]


def methods() -> dict[str, Method]:
    """The methods by name; those whose package is not installed are left out."""
    found: dict[str, Method] = {"CostBoost": costboost, "AdaMEC": adamec}
    found |= {name: _trained(name) for name in TRAINED}
    for name in MODERN:
        if name not in PACKAGES or find_spec(PACKAGES[name]) is not None:
            found[name] = _modern(name)
    return found


# ---- our own -------------------------------------------------------------------------------------


def costboost(split: Split, seed: int) -> Iterator[Record]:
    """CostBoost: fitted once, calibrated by itself."""
    model = make("CostBoost", seed).fit(split.train.frame, split.train.y)
    yield from by_threshold(split.test.y, Fitted(PLATT, positive_probability(model, split.test)))


def adamec(split: Split, seed: int) -> Iterator[Record]:
    """AdaMEC: AdaBoost with a threshold, by votes, by its logistic link, and calibrated."""
    ways = {
        VOTES: {"probability": "votes"},
        RAW: {"probability": "logistic"},
        PLATT: {"calibration": "platt"},
        ISOTONIC: {"calibration": "isotonic"},
    }
    for variant, parameters in ways.items():
        model = make("AdaMEC", seed, **parameters).fit(split.train.frame, split.train.y)
        fitted = Fitted(variant, positive_probability(model, split.test))
        yield from by_threshold(split.test.y, fitted)


def _trained(name: str) -> Method:
    """A variant that is trained for each ratio, and calibrated if the paper does so."""

    def run(split: Split, seed: int) -> Iterator[Record]:
        ways: dict[str, dict[str, Any]] = {RAW: {}}
        if name in CALIBRATED:
            ways[PLATT] = {"calibration": "platt"}
        for variant, parameters in ways.items():
            for ratio in RATIOS:
                model = make(name, seed, fn_cost=ratio, fp_cost=1, **parameters)
                model.fit(split.train.frame, split.train.y)
                predicted = model.predict(split.test.frame)
                yield {"variant": variant, **measured(split.test.y, predicted, ratio)}

    return run


def make(name: str, seed: int, **parameters: Any) -> Any:
    """One of our classifiers, by its name in the paper."""
    name, settings = SPELLED.get(name, (name, {}))
    return REGISTRY[name].cls(n_jobs=1, random_state=seed, **settings, **parameters)


# ---- modern learners -----------------------------------------------------------------------------


def _modern(name: str) -> Method:
    """A learner as it is, calibrated in two ways, and some with costs as weights of the rows."""

    def run(split: Split, seed: int) -> Iterator[Record]:
        form = FORMS.get(name, "frame")
        test = split.test.rows(form)
        model = learner(name, split.train, seed)
        train = split.train.rows(form)
        probability = model.fit(train, split.train.y).predict_proba(test)[:, 1]
        yield from by_threshold(split.test.y, Fitted(RAW, probability))
        held_out = held_out_probability(name, split.train, seed)
        for variant, calibrator in ((PLATT, PlattCalibrator()), (ISOTONIC, IsotonicCalibrator())):
            calibrator.fit(log_odds(held_out), split.train.y)
            calibrated = calibrator.probability(log_odds(probability))
            yield from by_threshold(split.test.y, Fitted(variant, calibrated))
        for ratio in RATIOS if name in TRAINED_BY_WEIGHT else ():
            weight = np.where(split.train.y == 1, float(ratio), 1.0)
            model = learner(name, split.train, seed)
            model.fit(train, split.train.y, sample_weight=weight)
            predicted = (model.predict_proba(test)[:, 1] > 0.5).astype(np.int64)
            yield {"variant": WEIGHTED, **measured(split.test.y, predicted, ratio)}

    return run


def held_out_probability(name: str, part: Part, seed: int) -> Floats:
    """Probability of each training row by a model that was not trained on it."""
    rows, result = part.rows(FORMS.get(name, "frame")), np.empty(part.y.size)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    for train, held in folds.split(part.y[:, None], part.y):
        taken = [rows.iloc[part] if hasattr(rows, "iloc") else rows[part] for part in (train, held)]
        model = learner(name, part, seed).fit(taken[0], part.y[train])
        result[held] = model.predict_proba(taken[1])[:, 1]
    return result


def log_odds(probability: Floats) -> Floats:
    """log(p / (1 - p)), with p kept 1e-12 away from 0 and 1."""
    inner = np.clip(probability, 1e-12, 1 - 1e-12)
    return np.log(inner) - np.log1p(-inner)


FORMS: Mapping[str, Form] = {"CatBoost": "catboost"}


def learner(name: str, part: Part, seed: int) -> Any:
    """A learner of another package with its default parameters and one thread."""
    if name == "LightGBM":
        from lightgbm import LGBMClassifier

        return LGBMClassifier(n_jobs=1, random_state=seed, verbose=-1)
    if name == "XGBoost":
        from xgboost import XGBClassifier

        return XGBClassifier(n_jobs=1, random_state=seed, enable_categorical=True)
    if name == "CatBoost":
        from catboost import CatBoostClassifier

        return CatBoostClassifier(
            thread_count=1, random_seed=seed, verbose=0, allow_writing_files=False,
            cat_features=list(nominal(part.frame)),
        )  # fmt: skip
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(random_state=seed)


# ---- decisions -----------------------------------------------------------------------------------


def positive_probability(model: Any, part: Part) -> Floats:
    """Probability of the positive class of each row."""
    probability: Floats = model.predict_proba(part.frame)[:, 1]
    return probability


def by_threshold(y: Labels, fitted: Fitted) -> Iterator[Record]:
    """Decisions at the threshold of each ratio, and how good the probabilities are."""
    p = fitted.probability
    inner = np.clip(p, 1e-10, 1 - 1e-10)
    quality = {
        "brier": float(np.mean((p - y) ** 2)),
        "log_loss": float(-np.mean(np.where(y == 1, np.log(inner), np.log1p(-inner)))),
    }
    for ratio in RATIOS:
        predicted = (p > 1 / (1 + ratio)).astype(np.int64)
        yield {"variant": fitted.variant, **measured(y, predicted, ratio), **quality}


def measured(y: Labels, predicted: Any, ratio: float) -> dict[str, Any]:
    """Cost of decisions as a share of that of the better constant decision."""
    predicted = np.asarray(predicted)
    return {
        "ratio": ratio,
        "cost": 1 - float(savings(y, predicted, fn_cost=ratio, fp_cost=1)),
        "missed": int(np.count_nonzero((y == 1) & (predicted == 0))),
        "false_alarms": int(np.count_nonzero((y == 0) & (predicted == 1))),
        "rows": int(y.size),
    }
