"""Calibrated classifiers, and their expected probabilities, computed by hand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.model_selection import (
    KFold,
)

from costboost._core.rules.record import COST_LOGISTIC
from costboost.algorithms import (
    CLASSES,
    CGAdaClassifier,
    CSAdaClassifier,
    LogitBoostClassifier,
    RealBoostClassifier,
)
from costboost.calibration import CALIBRATORS, Calibrator

CLASSIFIERS = list(CLASSES)
NAMES = list(CALIBRATORS)

EACH_WITH_ONE = pytest.mark.parametrize(
    ("cls", "calibration"),
    [(cls, NAMES[k % len(NAMES)]) for k, cls in enumerate(CLASSIFIERS)],
    ids=lambda value: value if isinstance(value, str) else value.__name__[:-10],
)
"""Every classifier, and every calibrator several times."""
FAMILIES = pytest.mark.parametrize(
    "cls", [CGAdaClassifier, CSAdaClassifier, RealBoostClassifier, LogitBoostClassifier]
)

X, Y = make_classification(
    240, n_features=6, n_informative=4, weights=[0.7], flip_y=0.1, class_sep=1.3, random_state=3
)
N = len(Y)
ROWS = np.arange(N)
SEED = np.random.RandomState(0).randint(2**31 - 1)  # the one number a fit draws from it
Pairs = Iterable[tuple[Any, Any]]


def plain(cls: Any, **options: Any) -> Any:
    """Small and without choices, so that one ensemble is what is calibrated."""
    return cls(**({"estimator": cls.rule.learner, "n_estimators": 6, "random_state": 0} | options))


def certainty(clf: Any, data: Any) -> np.ndarray:
    """The score as a number of twelve digits from 0 to 1, as the guide has it."""
    score = clf.raw_score(data)
    if clf.rule.votes:
        share = np.clip((score / np.abs(clf.estimator_weights_).sum() + 1) / 2, 0, 1)
    else:
        slope = clf.fn_cost + clf.fp_cost if clf.rule.link is COST_LOGISTIC else 2
        share = 1 / (1 + np.exp(-slope * score))
    return np.round(share, 12)


def take(values: Any, rows: np.ndarray) -> Any:
    if np.ndim(values) == 0:
        return values
    return values.iloc[rows] if hasattr(values, "iloc") else values[rows]


def by_hand(clf: Any, pairs: Pairs, data: Any = X, y: Any = Y, **given: Any) -> Calibrator:
    """The calibrator of the scores of all held-out rows, pooled."""
    one = clone(clf).set_params(calibration=None)
    scores, held_out = [], []
    for kept, held in pairs:
        own = {name: take(values, kept) for name, values in given.items()}
        one.fit(take(data, kept), y[kept], **own)
        scores.append(certainty(one, take(data, held)))
        held_out.append(held)
    rows = np.concatenate(held_out)
    weight = take(given.get("sample_weight", np.ones(len(y))), rows)
    return CALIBRATORS[clf.calibration]().fit(np.concatenate(scores), y[rows], weight)


def assert_calibrated_by(clf: Any, expected: Calibrator, data: Any = X) -> None:
    """Assert that the probabilities of a classifier are those of a calibrator."""
    ours, theirs = clf.model_.calibrator.get_state(), expected.get_state()
    assert ours.keys() == theirs.keys()
    for name in ours:
        assert_allclose(ours[name], theirs[name], rtol=1e-6, atol=1e-9, err_msg=name)
    probability = expected.probability(certainty(clf, data))
    assert_allclose(clf.predict_proba(data)[:, 1], probability, rtol=1e-6, atol=1e-9)


PAIRS = list(KFold(3, shuffle=True, random_state=5).split(X))

AMOUNT = np.random.default_rng(3).lognormal(1, 0.7, N)
