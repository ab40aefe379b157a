"""Checks of the parameters of classifiers."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from costboost._core.calibration import AUTO, CALIBRATORS
from costboost._core.checks import (
    MOST_ROUNDS,
    check_choice,
    check_flag,
    check_integer,
    check_number,
)
from costboost._core.model import OneVsRestModel
from costboost._core.model.constraints import Constraints, check_constraints, is_monotonic
from costboost._core.rules.multinomial import MultinomialRule
from costboost._core.rules.record import STARTS, NewtonRule, Rule
from costboost._core.threads import NO_THREADS
from costboost._core.training import Settings
from costboost._core.training.folds import is_given, is_share

ESTIMATORS = ("stump", "tree", "lookup", "linear", "logistic")

MOST_RATE = 1e100
"""Greatest learning rate; sums of still larger steps would be infinite."""


def check_parameters(clf: Any) -> None:
    """Check the parameters that every boosting classifier has."""
    if not (clf.n_estimators is None and type(clf).n_estimators is None):
        check_integer(clf, "n_estimators", 1, MOST_ROUNDS)
    check_integer(clf, "max_bins", 2, 255)
    check_integer(clf, "min_samples_leaf", 1)
    check_integer(clf, "n_iter_no_change", 1)
    if clf.max_depth is not None:
        check_integer(clf, "max_depth", 1)
    if clf.max_leaf_nodes is not None:
        check_integer(clf, "max_leaf_nodes", 2)
    check_constraints(clf.monotonic_cst, clf.interaction_cst)
    check_choice(clf, "splitter", ("best", "random"))
    check_max_features(clf.max_features)
    check_number(clf, "subsample", 0, strict=True)
    if clf.subsample > 1:
        raise ValueError(
            f"subsample must be above 0 and at most 1, got {clf.subsample!r}: it is the share of "
            "the rows that each round draws"
        )
    check_number(clf, "l2_regularization", 0, strict=False)
    check_jobs(clf)
    check_number(clf, "learning_rate", 0, strict=True)
    if clf.learning_rate > MOST_RATE:
        raise ValueError(f"learning_rate must be at most {MOST_RATE:g}, got {clf.learning_rate!r}")
    check_number(clf, "tol", 0, strict=False)
    if clf.validation_fraction is not None:
        check_number(clf, "validation_fraction", 0, strict=True)
        if clf.validation_fraction >= 1:
            raise ValueError(
                f"validation_fraction must be below 1, got {clf.validation_fraction!r}: some rows "
                "have to be left to train on"
            )
    check_choice(clf, "initial_weights", ("auto", *STARTS))
    check_choice(clf, "negative_step", ("stop", "keep"))
    check_flag(clf, "early_stopping")
    check_flag(clf, "warm_start")
    check_flag(clf, "resample")
    check_integer(clf, "verbose", 0)
    check_random_state(clf.random_state)
    check_estimator(clf, ESTIMATORS)


def check_max_features(value: Any) -> None:
    """Check that ``max_features`` is None, a number or share of features, or a known name."""
    if isinstance(value, (bool, np.bool_)):
        good = False
    elif isinstance(value, Real):
        good = bool(0 < value <= 1 if is_share(value) else value >= 1)  # type: ignore[operator]
    else:
        good = value is None or (isinstance(value, str) and value in ("sqrt", "log2"))
    if not good:
        raise ValueError(
            "max_features must be None (all features), a number of features of at least 1, a "
            f"share of them above 0 and at most 1, 'sqrt' or 'log2', got {value!r}"
        )


DRAWING_LEARNERS = ("stump", "tree", "lookup")
"""Weak learners that are found on the bins of a sample of rows and features."""
UNUSED = {"splitter": "best", "max_features": None, "subsample": 1, "l2_regularization": 0}
"""Parameters of these learners, and the values at which they have no effect."""


def check_randomised(clf: Any, rule: Rule, learner: str) -> None:
    """Raise a ValueError if rows or features are drawn, or leaves shrunk, where they cannot be."""
    what = "a scikit-learn classifier" if learner == "wrapped" else f"estimator={learner!r}"
    for name, usual in UNUSED.items():
        value = getattr(clf, name)
        having = DRAWING_LEARNERS[:2] if name == "splitter" else DRAWING_LEARNERS
        if value != usual and learner not in having:
            listed = ", ".join(map(repr, having[:-1]))
            raise ValueError(
                f"{name}={value!r} has no effect on {what}; take estimator={listed} or "
                f"{having[-1]!r}, or leave {name} at its default"
            )
    if clf.l2_regularization and not isinstance(rule, (NewtonRule, MultinomialRule)):
        raise ValueError(
            f"l2_regularization={clf.l2_regularization!r} is for boosting by Newton steps, as in "
            f"LogitBoostClassifier and CostBoostClassifier, but {rule.name} has no leaves that are "
            "means of a regression; leave it at 0"
        )


def check_constrained(clf: Any, rule: Rule, learner: str) -> None:
    """Raise a ValueError if the weak learner or the rule cannot keep to the constraints."""
    monotonic = is_monotonic(clf.monotonic_cst)
    names = ["monotonic_cst"] * monotonic + ["interaction_cst"] * (clf.interaction_cst is not None)
    if names and learner not in DRAWING_LEARNERS:
        what = "a scikit-learn classifier" if learner == "wrapped" else f"estimator={learner!r}"
        raise ValueError(
            f"{names[0]} is not possible for {what}; take estimator='stump', 'tree' or 'lookup', "
            f"or leave {names[0]} out"
        )
    if monotonic and clf.negative_step == "keep":
        raise ValueError(
            "monotonic_cst is not possible with negative_step='keep': a negative step reverses the "
            "direction of a weak learner; take negative_step='stop'"
        )
    if monotonic and getattr(rule, "combine", None) is not None:
        raise ValueError(
            f"monotonic_cst is not possible for {rule.name}, whose score is not a sum of weak "
            "learners: one that rises may lower it; take AdaBoostClassifier or CostBoostClassifier"
        )


def refuse_directions(constraints: Constraints, n_classes: int) -> None:
    """Raise a ValueError if features have directions and there are several classes."""
    if constraints.directions is not None:
        raise ValueError(
            f"monotonic_cst is for two classes, but y has {n_classes}: a feature that raises the "
            "score of one class against the rest may still lower its probability. Leave it out, or "
            "fit a classifier of the class of interest against the rest"
        )


def check_same_constraints(earlier: Any, settings: Settings) -> None:
    """Raise a ValueError if a warm start would continue a model of other constraints."""
    if earlier is None or not earlier.n_iter or (settings.averages and settings.alternatives):
        return
    if earlier.constraints != settings.constraints:
        raise ValueError(
            "warm_start goes on with the same monotonic_cst and interaction_cst, but they are "
            "others now; refit with warm_start=False"
        )


def check_estimator(clf: Any, names: tuple[str, ...] = ()) -> None:
    """Check that ``estimator`` is None, one of the names, or a scikit-learn classifier."""
    estimator = clf.estimator
    if names and isinstance(estimator, str):
        check_choice(clf, "estimator", names)
        return
    is_classifier = hasattr(estimator, "fit") and hasattr(estimator, "predict")
    if estimator is not None and (isinstance(estimator, type) or not is_classifier):
        listed = f"None, one of {', '.join(map(repr, names))}," if names else "None"
        raise ValueError(
            f"estimator must be {listed} or a scikit-learn classifier, got {estimator!r}"
        )


def check_learner(clf: Any, rule: Rule, learner: str) -> None:
    """Raise a ValueError if the rule cannot boost the weak learner."""
    if learner not in rule.learners:
        others = ", ".join(repr(name) for name in rule.learners if name != "wrapped")
        what = "a scikit-learn classifier" if learner == "wrapped" else f"estimator={learner!r}"
        raise ValueError(f"{rule.name} cannot boost {what}; take one of {others}")
    if clf.resample and learner != "wrapped":
        raise ValueError(
            "resample=True is for scikit-learn estimators that take no sample_weight; the built-in "
            f"{learner} learner takes weights: leave it out"
        )
    check_randomised(clf, rule, learner)
    check_constrained(clf, rule, learner)


def check_calibration(clf: Any, names: tuple[str, ...] = (*CALIBRATORS, AUTO)) -> None:
    """Check the parameters ``calibration`` and ``calibration_split``."""
    if clf.calibration is not None:
        check_choice(clf, "calibration", names)
    split: Any = clf.calibration_split
    if isinstance(split, (bool, np.bool_, bytes, type)):
        good = False
    elif isinstance(split, Real):
        good = bool(0 < split < 1 if is_share(split) else split >= 2)  # type: ignore[operator]
    elif isinstance(split, str):
        good = split == "loo"
    else:
        good = split is None or is_given(split)
    if not good:
        raise ValueError(
            "calibration_split must be None (5 folds), a share of the rows between 0 and 1, a "
            "number of folds of at least 2, 'loo', a splitter or a list of (train, test) pairs, "
            f"got {split!r}"
        )


def check_jobs(clf: Any) -> None:
    """Check that ``n_jobs`` is None or a whole number other than 0."""
    if clf.n_jobs is None:
        return
    check_integer(clf, "n_jobs", None)
    if clf.n_jobs == 0:
        raise ValueError(NO_THREADS)


def check_continued(earlier: Any, settings: Settings, n_features: int | None) -> None:
    """Raise a ValueError if a warm start cannot continue a fitted model with these settings."""
    if isinstance(earlier, OneVsRestModel):
        for one in earlier.members:
            check_continued(one, settings, n_features)
        return
    if not earlier.n_iter or (settings.averages and settings.alternatives):
        return
    if settings.learner != earlier.learner:
        raise ValueError(
            f"warm_start goes on with the same weak learner, but estimator was {earlier.learner} "
            f"and is {settings.learner} now; refit with warm_start=False"
        )
    if n_features is not None and n_features != earlier.n_features_in:
        raise ValueError(
            f"warm_start goes on with the same data, but X has {n_features} features instead "
            f"of {earlier.n_features_in}; refit with warm_start=False"
        )
    if settings.n_estimators < earlier.n_iter:
        raise ValueError(
            f"n_estimators={settings.n_estimators} must be at least the {earlier.n_iter} rounds "
            "already there when warm_start=True"
        )
    held_out = earlier.held_out or 0.0
    if settings.share_held_out != held_out:
        raise ValueError(
            "warm_start goes on with the same rows, but calibration held out a share of "
            f"{held_out:g} of them and is to hold out {settings.share_held_out:g} now; "
            "refit with warm_start=False"
        )
