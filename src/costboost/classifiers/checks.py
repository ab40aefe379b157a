"""Checks of parameters, labels, weights and costs."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from costboost.calibration import CALIBRATORS
from costboost.checks import (
    check_choice,
    check_flag,
    check_integer,
    check_number,
    quoted,
    real_numbers,
    refuse_no_number,
    refuse_unread,
    some,
)
from costboost.costs import check_matrices
from costboost.model import BinaryModel, OneVsRestModel
from costboost.rules import STARTS, Costs, NewtonRule, Rule
from costboost.threads import NO_THREADS
from costboost.training import Settings
from costboost.training.problem import is_share
from costboost.training.splitting import is_given

ESTIMATORS = ("stump", "tree", "lookup", "linear", "logistic")
CHUNK = 65_536


# ---- parameters ----------------------------------------------------------------------------------


def check_parameters(clf: Any) -> None:
    """Check the parameters that every boosting classifier has."""
    check_integer(clf, "n_estimators", 1)
    check_integer(clf, "max_bins", 2, 255)
    check_integer(clf, "min_samples_leaf", 1)
    check_integer(clf, "n_iter_no_change", 1)
    if clf.max_depth is not None:
        check_integer(clf, "max_depth", 1)
    if clf.max_leaf_nodes is not None:
        check_integer(clf, "max_leaf_nodes", 2)
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
UNUSED = {"max_features": None, "subsample": 1, "l2_regularization": 0}
"""Parameters of these learners, and the values at which they have no effect."""


def check_randomised(clf: Any, rule: Rule, learner: str) -> None:
    """Raise a ValueError if rows or features are drawn, or leaves shrunk, where they cannot be."""
    what = "a scikit-learn classifier" if learner == "wrapped" else f"estimator={learner!r}"
    for name, usual in UNUSED.items():
        value = getattr(clf, name)
        if value != usual and learner not in DRAWING_LEARNERS:
            raise ValueError(
                f"{name}={value!r} has no effect on {what}; take estimator='stump', 'tree' or "
                f"'lookup', or leave {name} at its default"
            )
    if clf.l2_regularization and not isinstance(rule, NewtonRule):
        raise ValueError(
            f"l2_regularization={clf.l2_regularization!r} is for boosting by Newton steps, as in "
            f"LogitBoostClassifier and CostBoostClassifier, but {rule.name} has no leaves that are "
            "means of a regression; leave it at 0"
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


def check_calibration(clf: Any, names: tuple[str, ...] = tuple(CALIBRATORS)) -> None:
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


def check_continued(
    earlier: BinaryModel | OneVsRestModel, settings: Settings, n_features: int | None
) -> None:
    """Raise a ValueError if a warm start cannot continue the model with these settings."""
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


# ---- data ----------------------------------------------------------------------------------------


def check_target(y: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Check y and return its classes in sorted order, at least two, and the labels."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    refuse_unread("y", y)
    y = check_labels(y)
    classes = _two_numbers(y)
    if classes is None:
        classes = sorted_labels(y)
    if len(classes) < 2:
        raise ValueError(
            f"y has one class only, {some(classes)}; a classifier needs rows of two classes"
        )
    return classes, y


def check_labels(y: Any) -> NDArray[Any]:
    """Check that y has one label for each row, and at least one row."""
    if type(y) is not np.ndarray or y.ndim != 1:
        y = column_or_1d(y, warn=True)
    if np.iscomplexobj(y):
        raise ValueError("Complex data not supported: the labels of y are complex numbers")
    if y.size == 0:
        raise ValueError("y is empty: it has 0 labels; a classifier needs rows of two classes")
    return np.asarray(y)


def sorted_labels(y: NDArray[Any]) -> NDArray[Any]:
    """Distinct labels in sorted order; raise a ValueError if a label is missing."""
    refuse_missing(y)
    try:
        check_classification_targets(y)
        return np.unique(y)
    except TypeError as error:
        raise ValueError(
            f"the labels of y cannot be sorted ({error}); make them all numbers or all text"
        ) from error


def check_two_classes(y: Any, pos_label: Any) -> tuple[NDArray[Any], NDArray[np.uint8]]:
    """The two classes in sorted order, and which rows are positive."""
    classes, y = check_target(y)
    if len(classes) > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is "
            f"{type_of_target(y)}: y has {len(classes)} classes, {some(classes)}"
        )
    return classes, np.asarray(y == classes[positive_class(classes, pos_label)]).view(np.uint8)


def positive_class(classes: NDArray[Any], pos_label: Any) -> int:
    """Index of the positive class among two classes."""
    if pos_label is None:
        return 1
    if not np.any(classes == pos_label):
        raise ValueError(f"pos_label is {pos_label!r}, but the classes of y are {some(classes)}")
    return int(np.argmax(classes == pos_label))


def _two_numbers(y: NDArray[Any]) -> NDArray[Any] | None:
    """The two classes of integer labels, found without sorting; None for any other labels."""
    if y.dtype.kind not in "biu" or y.size == 0:
        return None
    low, high = y.min(), y.max()
    if low == high:
        return None
    for begin in range(0, y.size, CHUNK):  # in parts, so that no array of all rows is made
        part = y[begin : begin + CHUNK]
        if not np.all((part == low) | (part == high)):
            return None
    return np.array([low, high], dtype=y.dtype)


def refuse_missing(y: NDArray[Any]) -> None:
    """Raise a ValueError if a label is missing or infinite."""
    if y.dtype.kind == "f" and np.isinf(y).any():
        row = int(np.flatnonzero(np.isinf(y))[0])
        raise ValueError(f"Input y contains infinity, in row {row}; a label must be finite")
    if y.dtype.kind == "f":
        missing = np.isnan(y)
    elif y.dtype.kind in "mM":
        missing = np.isnat(y)
    elif y.dtype == object:
        missing = np.array([value is None or value != value for value in y.tolist()], dtype=bool)
    else:
        return
    if missing.any():
        raise ValueError(
            f"Input y contains NaN: {int(missing.sum())} of {y.size} labels are missing, the first "
            f"in row {int(np.flatnonzero(missing)[0])}; drop those rows or label them"
        )


def check_weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64] | None:
    """Sample weights as floats, or None if they are constant."""
    if sample_weight is None:
        return None
    weight = _numbers("sample_weight", sample_weight)
    if weight.ndim == 0:
        weight = np.full(n_rows, float(weight))
    if weight.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got {weight.ndim} dimensions")
    if weight.size != n_rows:
        raise ValueError(f"sample_weight has {weight.size} values, but X has {n_rows} rows")
    _finite_not_negative("sample_weight", weight)
    if not weight.any():
        raise ValueError("sample_weight is zero for every row; at least one row must count")
    if np.all(weight == weight[0]):
        return None
    with np.errstate(over="ignore"):
        total = weight.sum()
    if np.isinf(total):
        raise ValueError(
            f"sample_weight, of up to {weight.max():g}, adds up to more than numbers can hold; "
            "divide it by its greatest value"
        )
    return weight


LARGEST_COST = 1e300


def check_costs(fn_cost: Any, fp_cost: Any, n_rows: int) -> Costs:
    """Check the two costs, each a positive number or an array with one for every row."""
    costs = Costs(_cost("fn_cost", fn_cost, n_rows), _cost("fp_cost", fp_cost, n_rows))
    check_size(costs)
    return costs


def check_size(costs: Costs) -> None:
    """Raise a ValueError if positive costs are too large or small, or too far apart, for floats."""
    for name, cost in zip(("fn_cost", "fp_cost"), costs, strict=True):
        least, most = float(np.min(cost)), float(np.max(cost))
        if least < 1 / LARGEST_COST or most > LARGEST_COST:
            raise ValueError(
                f"{name} must be from {1 / LARGEST_COST:g} to {LARGEST_COST:g}, got "
                f"{least if least < 1 / LARGEST_COST else most:g}; measure costs in another unit"
            )
    fn, fp = (float(np.mean(cost)) for cost in costs)
    if max(fn, fp) / LARGEST_COST > min(fn, fp):
        raise ValueError(
            f"one cost may be {LARGEST_COST:g} times as high as the other, but fn_cost={fn:g} and "
            f"fp_cost={fp:g} are farther apart; a mistake that costs next to nothing can be given "
            "a higher cost without any change"
        )


def check_span(costs: Costs, rule: Rule) -> None:
    """Raise a ValueError if the rounds use costs whose ratio is too large for floats."""
    least, most = min(map(np.min, costs)), max(map(np.max, costs))
    if rule.costs_in_rounds and most / LARGEST_COST > least:
        raise ValueError(
            f"for {rule.name} a row may cost {LARGEST_COST:g} times as much as another, but costs "
            f"are from {least:g} to {most:g}; a mistake that costs next to nothing can be given a "
            "higher cost without any change"
        )


def _cost(name: str, value: Any, n_rows: int) -> Any:
    if isinstance(value, (int, float)) and 0 < value <= LARGEST_COST:  # the usual case
        return float(value)
    cost = _of_rows(name, value, n_rows)
    _finite_not_negative(name, cost)
    if not np.all(cost > 0):
        where = "" if cost.ndim == 0 else f" in row {int(np.flatnonzero(cost == 0)[0])}"
        raise ValueError(
            f"{name} must be above 0, got 0{where}; a tiny cost stands for almost none"
        )
    return float(cost) if cost.ndim == 0 else cost


def check_cell(name: str, value: Any, n_rows: int) -> Any:
    """Check the cost of an outcome: a finite number, below 0 for a gain, or one for every row."""
    cost = _of_rows(name, value, n_rows)
    bad = ~np.isfinite(cost) | (np.abs(cost) > LARGEST_COST)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        where = f" in row {row}" if cost.ndim else ""
        raise ValueError(
            f"{name} must be finite and at most {LARGEST_COST:g} in size, but it contains "
            f"{cost.flat[row]:g}{where}"
        )
    return cost if cost.ndim else float(cost)


def _of_rows(name: str, value: Any, n_rows: int) -> NDArray[np.float64]:
    """A number, or one for each row, as an array of 0 or 1 dimensions."""
    refuse_no_number(name, value)
    cost = _numbers(name, value)
    if cost.ndim > 1 or (cost.ndim == 1 and cost.size != n_rows):
        raise ValueError(
            f"{name} must be one number or one for each of the {n_rows} rows, got an array of "
            f"shape {cost.shape}"
        )
    return cost


def _numbers(name: str, value: Any) -> NDArray[np.float64]:
    try:
        return real_numbers(value)
    except ValueError as error:
        raise ValueError(
            f"{name} must be a number or an array of numbers, got {quoted(value)}: {error}"
        ) from error


def _finite_not_negative(name: str, values: NDArray[np.float64]) -> None:
    for bad, what in ((np.isnan(values), "NaN"), (np.isinf(values), "infinity"), (values < 0, "")):
        if bad.any():
            row = int(np.flatnonzero(bad)[0]) if values.ndim else None
            found = what or f"{values.flat[row or 0]:g}"
            where = "" if row is None else f" in row {row}"
            raise ValueError(
                f"{name} must be finite and not negative, but it contains {found}{where}"
            )


def refuse_costs_of_two(clf: Any, given: Any, n_classes: int) -> None:
    """Raise a ValueError if parameters for two classes are given with more classes."""
    own = (clf.fn_cost, clf.fp_cost, clf.tp_cost, clf.tn_cost)
    if any(one is not None for one in given) or own != (1, 1, 0, 0):
        raise ValueError(
            f"fn_cost and fp_cost are for two classes, but y has {n_classes}; give cost_matrix: "
            "cost_matrix[i, j] is the cost of predicting class j where class i is true"
        )
    if clf.pos_label is not None:
        raise ValueError(
            f"pos_label is for two classes, but y has {n_classes}; leave it out: every class is "
            "set against the rest in turn"
        )


def costs_of_two(cost_matrix: Any, classes: NDArray[Any], positive: int, n_rows: int) -> Costs:
    """False negative and false positive costs from one cost matrix, or one for each row."""
    matrix = check_matrices(cost_matrix, classes, n_rows)
    negative = 1 - positive
    fn_cost = matrix[..., positive, negative] - matrix[..., positive, positive]
    fp_cost = matrix[..., negative, positive] - matrix[..., negative, negative]
    free = np.atleast_1d((fn_cost <= 0) | (fp_cost <= 0))
    if free.any():
        row = int(free.argmax())
        where = f" in row {row}" if matrix.ndim == 3 else ""
        raise ValueError(
            "with two classes, a mistake must cost more than the truth in both rows of "
            f"cost_matrix; a false negative costs {np.atleast_1d(fn_cost)[row]:g} more and a false "
            f"positive {np.atleast_1d(fp_cost)[row]:g}{where}"
        )
    if matrix.ndim == 3:
        return Costs(fn_cost, fp_cost)
    return Costs(float(fn_cost), float(fp_cost))


def width_of(X: Any) -> int | None:
    """Number of columns; None if X has none."""
    shape = X.shape if hasattr(X, "shape") else np.asarray(X).shape
    return shape[1] if len(shape) == 2 else None


def usual_weight(sample_weight: Any) -> float:
    """The constant sample weight."""
    return 1.0 if sample_weight is None else float(np.asarray(sample_weight, dtype=float).flat[0])
