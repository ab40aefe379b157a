"""Malformed arguments of every public estimator and metric.

A case is a callable of the catalogue with one bad argument. It ends in a ValueError or TypeError
with a message, or in results that are finite numbers.
"""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import scipy.sparse
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge

import costboost
from costboost import algorithms, metrics, multiclass

random = np.random.default_rng(0)
N = 40
X = random.normal(size=(N, 3)).round(2)
Y = (X[:, 0] + random.normal(size=N) > 0).astype(int)
THREE = np.digitize(X[:, 0], [-0.5, 0.5])
PROBABILITY = 1 / (1 + np.exp(-X[:, 0]))


class Hostile:
    """An object that can neither be converted nor measured."""

    def __len__(self) -> int:
        raise RuntimeError("no length")

    def __array__(self, *given: Any, **named: Any) -> Any:
        raise RuntimeError("no array")


def with_(values: Any, at: Any, value: Any) -> Any:
    changed = np.array(values, dtype=np.result_type(values, type(value)))
    changed[at] = value
    return changed


ROWS: dict[str, Any] = {
    "None": None,
    "a number": 3.0,
    "a text": "rows",
    "a list of texts": ["a"] * N,
    "no rows": X[:0],
    "no features": X[:, :0],
    "one row": X[:1],
    "two rows": X[:2],
    "one dimension": X[:, 0],
    "three dimensions": X[None],
    "infinity": with_(X, (0, 0), np.inf),
    "minus infinity": with_(X, (3, 1), -np.inf),
    "only NaN": np.full_like(X, np.nan),
    "a column of NaN": with_(X, (slice(None), 0), np.nan),
    "huge": np.sign(X) * 1e308,
    "tiny": X * 1e-320,
    "complex": X.astype(complex),
    "objects": X.astype(object),
    "objects with a dict": with_(X.astype(object), (0, 0), {}),
    "objects with a text": with_(X.astype(object), (0, 0), "x"),
    "a huge int": with_(X.astype(object), (0, 0), 10**400),
    "texts": X.astype(str),
    "bytes": X.astype("S5"),
    "dates": np.zeros(X.shape, "M8[D]"),
    "durations": np.zeros(X.shape, "m8[s]"),
    "booleans": X > 0,
    "float16": X.astype(np.float16),
    "a record": np.zeros(N, [("a", float), ("b", int)]),
    "ragged": [[1.0, 2.0], [1.0]] * (N // 2),
    "sparse": scipy.sparse.csr_matrix(X),
    "sparse COO": scipy.sparse.coo_array(X),
    "sparse of complex": scipy.sparse.csr_matrix(X.astype(complex)),
    "masked": np.ma.array(X, mask=X > 1),
    "a frame": pd.DataFrame(X),
    "a frame without columns": pd.DataFrame(index=range(N)),
    "a frame with two equal names": pd.DataFrame(X, columns=["a", "a", "b"]),
    "a frame of texts": pd.DataFrame(X.astype(str)),
    "a frame of dates": pd.DataFrame({"a": pd.date_range("2020", periods=N)}),
    "a frame of intervals": pd.DataFrame({"a": pd.cut(X[:, 0], 3)}),
    "a frame of lists": pd.DataFrame({"a": [[1]] * N}),
    "a series": pd.Series(X[:, 0]),
    "an Arrow table": pa.table({"a": X[:, 0], "b": [[1]] * N}),
    "an empty Arrow table": pa.table({}),
    "a dict": {"a": X[:, 0]},
    "a set": {1, 2},
    "an iterator": iter(X.tolist()),
    "a hostile object": Hostile(),
    "not contiguous": X[:, ::-1],
    "read only": X.copy(),
}
ROWS["read only"].flags.writeable = False

LABELS: dict[str, Any] = {
    "None": None,
    "a number": 1,
    "a text": "labels",
    "no labels": Y[:0],
    "too few": Y[:-1],
    "too many": np.append(Y, 1),
    "one class": np.zeros(N),
    "all different": np.arange(N),
    "NaN": with_(Y.astype(float), 0, np.nan),
    "infinity": with_(Y.astype(float), 0, np.inf),
    "fractions": Y + 0.5,
    "two columns": np.column_stack([Y, Y]),
    "a column": Y[:, None],
    "None within": with_(Y.astype(object), 0, None),
    "mixed types": with_(Y.astype(object), 0, "a"),
    "tuples": [(0,)] * N,
    "lists": [[k % 2] for k in range(N)],
    "ragged": [[1], [1, 2]] * (N // 2),
    "complex": Y.astype(complex),
    "dates": Y.astype("M8[D]"),
    "bytes": Y.astype("S1"),
    "huge ints": [10**30, 0] * (N // 2),
    "huge unsigned": np.where(Y, 2**64 - 1, 0).astype(np.uint64),
    "sparse": scipy.sparse.csr_matrix(Y[:, None]),
    "a frame": pd.DataFrame({"a": Y, "b": Y}),
    "categories with NaN": pd.Series(pd.Categorical.from_codes(Y - 1, ["a"])),
    "pandas NA": pd.Series([pd.NA, 1] * (N // 2), dtype="Int64"),
    "fractions of Python": [Fraction(1, 3), Fraction(2, 3)] * (N // 2),
    "times": [datetime.datetime(2020, 1, 1), datetime.datetime(2021, 1, 1)] * (N // 2),
    "masked": np.ma.array(Y, mask=Y > 0),
    "a hostile object": Hostile(),
}

AMOUNTS: dict[str, Any] = {
    "a text": "much",
    "negative": -1.0,
    "NaN": np.nan,
    "infinity": np.inf,
    "zero": 0.0,
    "True": True,
    "a huge int": 10**400,
    "huge": 1e308,
    "tiny": 5e-324,
    "complex": 1j,
    "no numbers": np.array([]),
    "too few": np.ones(N - 1),
    "two columns": np.ones((N, 2)),
    "NaN within": with_(np.ones(N), 0, np.nan),
    "infinity within": with_(np.ones(N), 0, np.inf),
    "negative within": with_(np.ones(N), 0, -1.0),
    "all zero": np.zeros(N),
    "all but one zero": with_(np.zeros(N), 0, 1.0),
    "all huge": np.full(N, 1.7e308),
    "all tiny": np.full(N, 5e-324),
    "far apart": np.geomspace(1e-300, 1e300, N),
    "texts": np.ones(N).astype(str),
    "objects": with_(np.ones(N, object), 0, None),
    "dates": np.zeros(N, "M8[D]"),
    "a dict": {0: 1},
    "a sparse column": scipy.sparse.csr_matrix(np.ones((N, 1))),
    "a hostile object": Hostile(),
}

PARAMETERS: dict[str, Any] = {
    "a text": "no such",
    "None": None,
    "negative": -1,
    "zero": 0,
    "a half": 0.5,
    "NaN": np.nan,
    "infinity": np.inf,
    "a huge int": 10**400,
    "a huge float": 1e308,
    "True": True,
    "a list": [1, 2, 3],
    "an empty list": [],
    "a dict": {"a": 1},
    "an array": np.ones((2, 2)),
    "complex": 1j,
    "a class": costboost.algorithms.AdaBoostClassifier,
    "a function": len,
    "a hostile object": Hostile(),
}
COUNTS = {"n_estimators", "n_members", "n_rounds", "max_iter"}


# ---- estimators ----------------------------------------------------------------------------------


@cache
def estimators() -> dict[str, Any]:
    """Every public estimator, quick to fit."""
    ada = costboost.algorithms.AdaMECClassifier(n_estimators=2)
    costs = {0: {"a": 0, "b": 1, "c": 2}, 1: {"a": 5, "b": 2, "c": 0}}
    made = {
        "ActionClassifier": costboost.ActionClassifier(ada, costs=costs),
        "CostSearchCV": costboost.CostSearchCV(ada, fn_costs=[1.0, 4.0], cv=2),
        "EstimatedCostClassifier": costboost.EstimatedCostClassifier(ada, Ridge()),
        "OperatingPointClassifier": costboost.OperatingPointClassifier(ada, at_least=0.5),
    }
    names = [name for name in costboost.__all__ if name.endswith("Classifier")]
    modules = [
        (costboost, names),
        (algorithms, algorithms.__all__),
        (multiclass, multiclass.__all__),
    ]
    for module, listed in modules:
        for name in listed:
            cls = getattr(module, name)
            if name not in made and isinstance(cls, type) and is_classifier(cls()):
                few = {"n_estimators": 2} if "n_estimators" in cls().get_params() else {}
                made[name] = cls(**few)
    return made


def fit(name: str, X: Any = X, y: Any = None, **given: Any) -> None:
    """Fit an estimator, and predict."""
    clf = clone(estimators()[name])
    if name == "EstimatedCostClassifier":
        given.setdefault("fn_cost", np.abs(X[:, 0]) + 1 if X is globals()["X"] else 1.0)
    clf.fit(X, Y if y is None else y, **given)
    predict(clf, globals()["X"][:5] if clf.n_features_in_ == 3 else X)


def predict(clf: Any, X: Any) -> None:
    """Assert that predictions are finite numbers and labels of the classifier."""
    called = clf.predict(X)
    known = clf.actions_ if hasattr(clf, "actions_") else clf.classes_
    assert set(np.asarray(called).tolist()) <= set(np.asarray(known).tolist())
    for method in ("predict_proba", "decision_function"):
        if hasattr(clf, method):
            found = np.asarray(getattr(clf, method)(X))
            assert not np.isnan(found).any(), method
            assert method == "decision_function" or np.isfinite(found).all(), method


@cache
def fitted(name: str) -> Any:
    clf = clone(estimators()[name])
    given = {"fn_cost": np.abs(X[:, 0]) + 1} if name == "EstimatedCostClassifier" else {}
    return clf.fit(X, Y, **given)


def set_and_fit(name: str, parameter: str, value: Any) -> None:
    clf = clone(estimators()[name])
    setattr(clf, parameter, value)  # set_params would refuse some before fit sees them
    given = {"fn_cost": np.abs(X[:, 0]) + 1} if name == "EstimatedCostClassifier" else {}
    predict(clf.fit(X, Y, **given), X)


# ---- metrics -------------------------------------------------------------------------------------

NAMES = {
    "y_true": Y,
    "y_pred": Y,
    "y_score": PROBABILITY,
    "y_prob": PROBABILITY,
    "y_proba": PROBABILITY,
}
NAMES |= {"scores": PROBABILITY, "probability": PROBABILITY, "ranks": np.ones((4, 3))}
NAMES |= {"results": random.random((6, 3)), "losses": random.random(N), "values": random.random(N)}


def metric_arguments(function: Callable[..., Any]) -> dict[str, Any] | None:
    """Sound arguments of a metric, or None if they are not known."""
    import inspect

    found = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if name in NAMES:
            found[name] = NAMES[name]
        elif parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD:
            return None
    return found


@cache
def measured() -> dict[str, dict[str, Any]]:
    """Sound arguments of the metrics that take labels, scores or results."""
    found = {}
    for name in metrics.__all__:
        function = getattr(metrics, name)
        if callable(function) and not isinstance(function, type):
            arguments = metric_arguments(function)
            if arguments:
                found[name] = arguments
    return found


def measure(name: str, **changed: Any) -> None:
    """Assert that a metric of changed arguments is finite."""
    found = getattr(metrics, name)(**(measured()[name] | changed))
    for one in found if isinstance(found, tuple) else [found]:
        if isinstance(one, (int, float, np.ndarray)):
            assert not np.isnan(np.asarray(one, dtype=float)).any()


# ---- cases ---------------------------------------------------------------------------------------


@cache
def catalogue() -> list[tuple[str, Callable[[], None]]]:
    """All cases, each with a name."""
    found: list[tuple[str, Callable[[], None]]] = []
    for name, clf in estimators().items():
        for what, value in ROWS.items():
            found.append((f"{name}.fit X: {what}", partial(fit, name, X=value)))
            found.append((f"{name}.predict X: {what}", partial(_predict_fitted, name, value)))
        for what, value in LABELS.items():
            found.append((f"{name}.fit y: {what}", partial(fit, name, y=value)))
        for given in ("sample_weight", "fn_cost", "fp_cost"):
            for what, value in AMOUNTS.items():
                case = partial(fit, name, **{given: value})
                found.append((f"{name}.fit {given}: {what}", case))
        for parameter in clf.get_params(deep=False):
            for what, value in PARAMETERS.items():
                if parameter in COUNTS and what == "a huge int":  # as many rounds as requested
                    continue
                case = partial(set_and_fit, name, parameter, value)
                found.append((f"{name}({parameter}: {what})", case))
    for name, sound in measured().items():
        for argument in sound:
            for what, value in (LABELS | AMOUNTS).items():
                case = partial(measure, name, **{argument: value})
                found.append((f"{name} {argument}: {what}", case))
    return found


def _predict_fitted(name: str, X: Any) -> None:
    predict(fitted(name), X)


def prepare() -> None:
    catalogue()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in estimators():
            fitted(name)


def case(number: int) -> str:
    """Call what the catalogue has under a number."""
    name, call = catalogue()[number]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            call()
        except (ValueError, TypeError, NotFittedError) as error:
            if len(str(error)) < 8 or "ufunc" in str(error):
                raise AssertionError(f"{name}: a message of no help: {error!r}") from error
            return type(error).__name__
        except RuntimeError as error:
            if str(error) not in ("no length", "no array"):
                raise AssertionError(name) from error
            return "passed on"
        except Exception as error:
            raise AssertionError(name) from error
    return "finite"
