"""Small fitted models of every kind, and a comparison of models."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import costboost
from costboost import multiclass
from costboost._core.parameters.estimators import DRAWING
from costboost.algorithms import CLASSES
from costboost.calibration import CALIBRATORS
from costboost.classifiers.base import BoostingClassifier

BOOSTING: dict[str, type[BoostingClassifier]] = {cls.__name__: cls for cls in CLASSES}
rng = np.random.default_rng(0)
N = 240
X: NDArray[Any] = rng.normal(size=(N, 5)).round(1)
Y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=N) > 1).astype(int)
HOLES = np.where(rng.random(X.shape) < 0.1, np.nan, X)
COLOURS = np.array(["red", "green", "blue", "été", "\N{GREEK SMALL LETTER ALPHA}"])
FRAME = pd.DataFrame(
    {
        "size": HOLES[:, 0],
        "colour": pd.Categorical(COLOURS[(X[:, 1] * 2).astype(int) % 5]),
        "grade": pd.Categorical((X[:, 2] * 3).astype(int)),
        "weight": HOLES[:, 3].astype(np.float32),
        "flag": pd.Categorical(X[:, 4] > 0),
        "level": pd.Categorical((X[:, 1] * 2).round()),
    }
)
MANY = FRAME.assign(colour=pd.Categorical([f"c{k % 40}" for k in range(N)]))
ROWS = {"plain": X, "holes": HOLES, "frame": FRAME, "many": MANY}
LABELS = {
    "int": Y,
    "int8": Y.astype(np.int8) * 100,
    "bool": Y.astype(bool),
    "float": np.where(Y, 5.0, -7.0),
    "float32": np.where(Y, 3.0, -1.0).astype(np.float32),
    "text": np.where(Y, "sick", "well"),
    "objects": np.where(Y, "sick", "well").astype(object),
    "three": COLOURS[np.digitize(X[:, 0], [-0.5, 0.5])],
    "big": np.where(Y, 2**63 - 1, -(2**63)),
}


def fitted(clf: Any, rows: str = "plain", labels: str = "int", **given: Any) -> Any:
    """The classifier, fitted to one of the tables."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* ignores costs", UserWarning)
        warnings.filterwarnings("ignore", ".* added no learner", UserWarning)
        warnings.filterwarnings("ignore", "the cheapest way to meet the goal", UserWarning)
        return clf.fit(ROWS[rows], LABELS[labels], **given)


COST = "CostBoostClassifier"


def _made() -> dict[str, tuple[Any, str, str]]:
    """Estimator, rows and labels by name."""
    few = {"n_estimators": 6, "random_state": 0}
    ada, mec, cg = (BOOSTING[f"{name}Classifier"] for name in ("AdaBoost", "AdaMEC", "CGAda"))
    made: dict[str, tuple[Any, str, str]] = {
        name: (cls(fn_cost=3.0, **few), "plain", "int") for name, cls in BOOSTING.items()
    }
    for name in ada.rule.learners[:-1]:
        made[name] = (ada(estimator=name, **few), "plain" if name == "logistic" else "holes", "int")
    for name in DRAWING:
        made[f"{name} with categories"] = (cg(estimator=name, **few), "frame", "int")
        made[f"{name} with a shared code"] = (
            cg(estimator=name, max_bins=9, **few),
            "many",
            "text",
        )
    for name in CALIBRATORS:
        made[name] = (ada(calibration=name, calibration_split=0.3, **few), "holes", "objects")
    for name in [one for one in LABELS if one != "three"]:
        made[f"labels: {name}"] = (mec(pos_label=np.unique(LABELS[name])[0], **few), "plain", name)
    matrix = np.array([[0.0, 1.0, 2.0], [9.0, 0.0, 3.0], [1.0, 5.0, 0.0]])
    for name in (*(f"{one}Classifier" for one in ("AdaBoost", "AdaMEC", "CSLogitBoost")), COST):
        clf = BOOSTING[name](cost_matrix=matrix, **few)
        made[f"three classes: {name}"] = (clf, "plain", "three")
    made["three classes, frame"] = (
        cg(estimator="tree", calibration="platt", cost_matrix=matrix.tolist(), **few),
        "frame",
        "three",
    )
    gbse = multiclass.GBSEClassifier
    made["GBSE"] = (gbse(cost_matrix=matrix, **few), "holes", "three")
    made["GBSE, calibrated"] = (gbse(calibration="dirichlet", **few), "holes", "three")
    made["GBSE, frame"] = (gbse(alpha=0.5, variant="gbse-t", **few), "frame", "three")
    made["GBSE, two classes"] = (gbse(sampling="weight", prune=False, **few), "many", "text")
    lp = multiclass.LpCSBClassifier
    made["Lp-CSB"] = (lp(cost_matrix=matrix, **few), "holes", "three")
    made["Lp-CSB, calibrated"] = (
        lp(p=1.5, sampling="weight", calibration="dirichlet", **few),
        "frame",
        "three",
    )
    made["no rounds"] = (ada(max_bins=2, **few), "no help", "int")
    made["lines, no rounds"] = (BOOSTING["CSLogitBoostClassifier"](**few), "no help", "int")
    made["stopped early"] = (mec(early_stopping=True, **few), "plain", "int")
    made["negative steps"] = (ada(negative_step="keep", **few), "plain", "int")
    for name in ("RealBoost", "RareBoost", "CSRA", "CSRealBoost"):
        smooth = BOOSTING[f"{name}Classifier"](fn_cost=3.0, smoothing=0.02, **few)
        made[f"smoothing of {name}"] = (smooth, "holes", "int")
    for name in ("AdaC1", "AdaC3"):
        for most in (None, 1.1):
            clf = BOOSTING[f"{name}Classifier"](fn_cost=3.0, max_cost=most, **few)
            made[f"max_cost={most} of {name}"] = (clf, "plain", "int")
    made["balanced"] = (ada(initial_weights="balanced", **few), "plain", "int")
    made["numpy parameters"] = (
        cg(
            n_estimators=6,
            fn_cost=np.float64(3),
            max_depth=np.int32(2),
            categorical_features=np.array([1, 2]),
        ),
        "plain",
        "int",
    )
    operating, search = costboost.OperatingPointClassifier, costboost.CostSearchCV
    made["guaranteed"] = (
        operating(mec(**few), at_least=0.5, guarantee=0.6, random_state=0),
        "holes",
        "text",
    )
    made["threshold"] = (operating(mec(**few), at_least=0.9, random_state=0), "holes", "text")
    made["budget"] = (
        operating(mec(**few), target="cost", at_most=0.9, fn_cost=2.0, random_state=0),
        "frame",
        "objects",
    )
    made["refit"] = (
        operating(
            cg(**few), at_least=0.6, method="refit", fn_costs=[0.5, 2.0, 8.0], random_state=0
        ),
        "plain",
        "int",
    )
    made["search"] = (
        search(cg(**few), fn_costs=[1.0, 4.0], fn_cost=4, random_state=0),
        "frame",
        "text",
    )
    made["search, no refit"] = (search(cg(**few), fn_costs=[1, 4], refit=False), "plain", "int")
    made["search in threshold"] = (
        operating(search(mec(pos_label="sick", **few), fn_costs=[1, 4]), at_least=0.8),
        "plain",
        "text",
    )
    table = {"well": {"treat": 5, "test": (1.0, 2.0), "wait": 0}}
    table |= {"sick": {"treat": 0, "test": 1, "wait": (10.0, 60.0)}}
    made["actions"] = (costboost.ActionClassifier(mec(**few), costs=table), "holes", "text")
    made["actions with a reviewer"] = (
        costboost.ActionClassifier(
            BOOSTING[COST](**few),
            costs={
                0: {"treat": 5, "review": 1, "wait": 0},
                1: {"treat": 0, "review": 1, "wait": 9},
            },
            reviewer={"review": {0: {0: 0.9, 1: 0.1}, 1: {1: 1.0}}},
            uncertain="regret",
        ),
        "frame",
        "int",
    )
    return made


ROWS["no help"] = np.zeros_like(X)
MADE = _made()
NAMES = list(MADE)
PREDICTING = [name for name in NAMES if name != "search, no refit"]


@cache
def model(name: str) -> Any:
    """A fitted model, shared by all tests, which must not change it."""
    clf, rows, labels = MADE[name]
    return fitted(clf, rows, labels)


def rows_of(name: str) -> Any:
    """The table that the model was fitted to."""
    return ROWS[MADE[name][1]]


def difference(a: Any, b: Any, where: str = "") -> str | None:
    """Where two values differ in type or in a bit; None if they do not."""
    if type(a) is not type(b):
        return f"{where}: {type(a)} and {type(b)}"
    if isinstance(a, np.ma.MaskedArray):
        parts = (("values", a.data, b.data), ("mask", a.mask, b.mask))
        return _first(difference(p, q, f"{where}.{name}") for name, p, q in parts)
    if isinstance(a, np.ndarray):
        if a.dtype != b.dtype or a.shape != b.shape:
            return f"{where}: {a.dtype}{a.shape} and {b.dtype}{b.shape}"
        if a.dtype == object:
            return difference(a.tolist(), b.tolist(), where)
        return None if a.tobytes() == b.tobytes() else f"{where}: {a} and {b}"
    if isinstance(a, dict):
        if list(a) != list(b):
            return f"{where}: keys {set(a) ^ set(b) or 'in another order'}"
        return _first(difference(a[key], b[key], f"{where}[{key!r}]") for key in a)
    if isinstance(a, (list, tuple)):
        if len(a) != len(b):
            return f"{where}: {len(a)} and {len(b)} items"
        pairs = enumerate(zip(a, b, strict=True))
        return _first(difference(p, q, f"{where}[{k}]") for k, (p, q) in pairs)
    if type(a).__name__ == "MetadataRequest":
        return None if str(a) == str(b) else f"{where}: {a} and {b}"
    if hasattr(a, "__dict__"):
        own, other = (dict(sorted(vars(one).items())) for one in (a, b))
        if "search_" not in own or "search_" not in other:  # a model file does not have it
            own.pop("search_", None)
        return difference(own, other, f"{where}.{type(a).__name__}")
    return None if repr(a) == repr(b) else f"{where}: {a!r} and {b!r}"


def _first(found: Any) -> str | None:
    return next((one for one in found if one is not None), None)
