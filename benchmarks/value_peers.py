"""Classifiers of other libraries for value.py, each as it is and calibrated in four ways.

Parameters are the defaults. LightGBM, XGBoost, HistGradientBoosting and CatBoost take categories as
they are; scikit-learn's other classifiers get a column of 0 and 1 for each. Platt's sigmoid is
fitted to margins where a classifier has them, as scikit-learn does with a `decision_function`.

`CalibratedClassifierCV` takes the mean of one calibrated model for each fold, or, with
``ensemble=False``, calibrates one model of all rows by the scores of all folds. Both are computed
from the same six fits.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import (
    AdaBoostClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.metaestimators import available_if

from costboost_lab.studies.statistics import nominal

FOLDS = 5
ADABOOST_ROUNDS = 100  # of scikit-learn's AdaBoost: as many as our classifiers have
METHODS = {"Platt": "sigmoid", "isotonic": "isotonic"}
ONE_MODEL = ", one model"

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Peer:
    """A classifier of another library; ``margin`` is None where it has probabilities alone."""

    name: str
    make: Callable[[int], Any]
    """seed -> unfitted classifier of one thread."""
    margin: Callable[[Any, Any], Values] | None
    native: bool = False
    """Whether `fit` takes the names of categories, which then are integers."""
    random: bool = True
    """Whether the seed changes the model."""

    @property
    def forms(self) -> list[str]:
        """Names of what `forms_of` finds."""
        ways = [f"{self.name} {way}{form}" for way in METHODS for form in ("", ONE_MODEL)]
        return [self.name, *ways]


class Learner(ClassifierMixin, BaseEstimator):
    """A peer as a classifier of scikit-learn, with a `decision_function` if it has margins.

    Columns without a value are left out: HistGradientBoosting refuses them.
    """

    def __init__(self, peer: Peer, seed: int) -> None:
        self.peer = peer
        self.seed = seed

    def fit(self, X: Any, y: NDArray[np.int64]) -> "Learner":
        self.columns_ = X.columns[X.notna().any()]
        names = {"cat_features": nominal(X[self.columns_])} if self.peer.native else {}
        self.model_ = self.peer.make(self.seed).fit(self._taken(X), y, **names)
        self.classes_ = np.unique(y)
        return self

    def _taken(self, X: Any) -> Any:
        X = X[self.columns_]
        if not self.peer.native:
            return X
        return X.assign(**{name: X[name].cat.codes.astype(int) for name in nominal(X)})

    def predict_proba(self, X: Any) -> Values:
        found: Values = self.model_.predict_proba(self._taken(X))
        return found

    def predict(self, X: Any) -> NDArray[np.int64]:
        return (self.predict_proba(X)[:, 1] > 0.5).astype(np.int64)

    @available_if(lambda self: self.peer.margin is not None)
    def decision_function(self, X: Any) -> Values:
        return np.asarray(self.peer.margin(self.model_, self._taken(X)), dtype=np.float64)

    def scores(self, X: Any) -> Values:
        """What scikit-learn calibrates."""
        if self.peer.margin is None:
            return self.predict_proba(X)[:, 1]
        return self.decision_function(X)


# ---- calibration ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Forecast:
    """Probabilities of the positive class, and processor seconds of the fits behind them."""

    system: str
    probability: Values
    seconds: float


def forms_of(peer: Peer, X: Any, y: NDArray[np.int64], new: Any, seed: int) -> Iterator[Forecast]:
    """All forms of a peer, trained on the rows X and applied to the new rows."""
    model, whole = trained(peer, X, y, seed)
    yield Forecast(peer.name, model.predict_proba(new)[:, 1], whole)
    of_new, held_out, of_folds, spent = model.scores(new), np.empty(y.size), [], 0.0
    folds = [rows for _, rows in StratifiedKFold(FOLDS).split(y[:, None], y)]
    for rows in folds:
        kept = np.delete(np.arange(y.size), rows)
        fold, seconds = trained(peer, X.iloc[kept], y[kept], seed)
        held_out[rows] = fold.scores(X.iloc[rows])
        of_folds.append(fold.scores(new))
        spent += seconds
    for name, method in METHODS.items():
        each = [
            calibrated(method, held_out[rows], y[rows], scores)
            for rows, scores in zip(folds, of_folds, strict=True)
        ]
        yield Forecast(f"{peer.name} {name}", np.mean(each, axis=0), spent)
        one = calibrated(method, held_out, y, of_new)
        yield Forecast(f"{peer.name} {name}{ONE_MODEL}", one, spent + whole)


def trained(peer: Peer, X: Any, y: NDArray[np.int64], seed: int) -> tuple[Learner, float]:
    start = time.process_time()
    model = Learner(peer, seed).fit(X, y)
    return model, time.process_time() - start


class Scores(ClassifierMixin, BaseEstimator):
    """A fitted classifier whose scores are the only column of its rows."""

    classes_ = np.array([0, 1])

    def fit(self, X: Values, y: NDArray[np.int64]) -> "Scores":
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def decision_function(self, X: Values) -> Values:
        return X[:, 0]

    def predict(self, X: Values) -> NDArray[np.int64]:
        return (X[:, 0] > 0).astype(np.int64)


def calibrated(method: str, scores: Values, y: NDArray[np.int64], new: Values) -> Values:
    """Probabilities of new scores by a calibrator of scikit-learn."""
    model = CalibratedClassifierCV(FrozenEstimator(Scores()), method=method, cv=2)
    found: Values = model.fit(scores[:, None], y).predict_proba(new[:, None])[:, 1]
    return found


def disagreement(X: Any, y: NDArray[np.int64]) -> float:
    """Greatest difference from the probabilities of `CalibratedClassifierCV` itself."""
    found = []
    for name in ("HistGradientBoosting", "random forest"):
        forms = {one.system: one.probability for one in forms_of(PEERS[name], X, y, X, 0)}
        for way, method in METHODS.items():
            for ensemble, form in ((True, ""), (False, ONE_MODEL)):
                model = CalibratedClassifierCV(
                    Learner(PEERS[name], 0), method=method, cv=FOLDS, ensemble=ensemble
                )
                p = model.fit(X, y).predict_proba(X)[:, 1]
                found.append(np.abs(p - forms[f"{name} {way}{form}"]).max())
    return float(np.max(found))


# ---- the classifiers -----------------------------------------------------------------------------


def lightgbm(seed: int) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_jobs=1, random_state=seed, verbose=-1)


def lightgbm_small_trees(seed: int) -> Any:
    return lightgbm(seed).set_params(num_leaves=8)


def lightgbm_stochastic(seed: int) -> Any:
    """With rows and columns drawn for every tree, twice as many trees and smaller steps."""
    return lightgbm(seed).set_params(
        n_estimators=200,
        learning_rate=0.03,
        colsample_bytree=0.4,
        subsample=0.6,
        subsample_freq=1,
    )


def xgboost(seed: int) -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(n_jobs=1, random_state=seed, enable_categorical=True)


def catboost(seed: int) -> Any:
    from catboost import CatBoostClassifier

    return CatBoostClassifier(
        thread_count=1, random_seed=seed, verbose=False, allow_writing_files=False
    )


def hist_gradient_boosting(seed: int) -> Any:
    return HistGradientBoostingClassifier(random_state=seed)


def random_forest(seed: int) -> Any:
    return make_pipeline(numbers(), RandomForestClassifier(n_jobs=1, random_state=seed))


def sklearn_adaboost(seed: int) -> Any:
    return make_pipeline(
        numbers(), AdaBoostClassifier(n_estimators=ADABOOST_ROUNDS, random_state=seed)
    )


def logistic_regression(seed: int) -> Any:
    return make_pipeline(numbers(), StandardScaler(), LogisticRegression(max_iter=1000))


def numbers() -> Any:
    """A column of 0 and 1 for each category, and medians in place of missing values."""
    of_categories = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return make_column_transformer(
        (of_categories, make_column_selector(dtype_include="category")),
        remainder=SimpleImputer(strategy="median"),
    )


def _decision(model: Any, X: Any) -> Values:
    return model.decision_function(X)  # type: ignore[no-any-return]


def _raw_score(model: Any, X: Any) -> Values:
    return model.predict(X, raw_score=True)  # type: ignore[no-any-return]


def _output_margin(model: Any, X: Any) -> Values:
    return model.predict(X, output_margin=True)  # type: ignore[no-any-return]


def _formula(model: Any, X: Any) -> Values:
    return model.predict(X, prediction_type="RawFormulaVal")  # type: ignore[no-any-return]


PEERS = {
    peer.name: peer
    for peer in (
        Peer("LightGBM", lightgbm, _raw_score, random=False),
        Peer("LightGBM 8 leaves", lightgbm_small_trees, _raw_score, random=False),
        Peer("LightGBM stochastic", lightgbm_stochastic, _raw_score),
        Peer("XGBoost", xgboost, _output_margin, random=False),
        Peer("HistGradientBoosting", hist_gradient_boosting, _decision),
        Peer("CatBoost", catboost, _formula, native=True),
        Peer("random forest", random_forest, None),
        Peer("sklearn AdaBoost", sklearn_adaboost, _decision, random=False),
        Peer("logistic regression", logistic_regression, _decision, random=False),
    )
}


def installed(peer: Peer) -> bool:
    """Whether the library of a peer is there."""
    try:
        peer.make(0)
    except ImportError:
        return False
    return True


def tiny_rows() -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """Rows made at random, with a category and missing values."""
    rng = np.random.default_rng(0)
    values, group = rng.standard_normal((300, 3)), rng.integers(0, 4, 300)
    values[::10, 0] = np.nan
    X = pd.DataFrame(values, columns=["a", "b", "c"]).assign(group=pd.Categorical(group))
    y = values[:, 1] + (group == 2) + rng.standard_normal(300) > 0.5
    return X, y.astype(np.int64)
