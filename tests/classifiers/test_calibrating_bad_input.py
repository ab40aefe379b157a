"""Calibration that is impossible raises a clear error and leaves the model unchanged."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold

from costboost import CostBoostClassifier
from costboost.algorithms import CLASSES, AdaBoostClassifier, CGAdaClassifier
from costboost.calibration import AUTO, CALIBRATORS

CLASSIFIERS = list(CLASSES)
rng = np.random.default_rng(0)
X = rng.normal(size=(40, 3))
Y = (X[:, 0] + 0.5 * rng.normal(size=40) > 0.5).astype(int)
RARE = int(Y.sum())
assert 5 < RARE < 20
MALFORMED = "cannot be used for these 40 rows"


def refuses(clf: Any, *messages: str, data: Any = X, y: Any = Y, **given: Any) -> None:
    """Assert that `fit` raises these messages and leaves an earlier model unchanged."""
    fitted = CGAdaClassifier(n_estimators=3, calibration="isotonic", random_state=0).fit(X, Y)
    p, called = fitted.predict_proba(X), fitted.predict(X, fn_cost=3)
    fitted.set_params(**clf.get_params(deep=False))
    before = dict(vars(fitted))
    with pytest.raises(ValueError, match="calibration") as error:
        fitted.fit(data, y, **given)
    assert error.type is ValueError
    for part in messages:
        assert part in str(error.value)
    assert all(before[name] is value for name, value in vars(fitted).items())
    assert vars(fitted).keys() == before.keys()
    assert_array_equal(fitted.predict_proba(X), p)
    assert_array_equal(fitted.predict(X, fn_cost=3), called)


def platt(split: Any = None, **options: Any) -> Any:
    options = {"n_estimators": 3, "calibration": "platt", "random_state": 0} | options
    return CGAdaClassifier(calibration_split=split, **options)


# ---- parameters ----------------------------------------------------------------------------------

NO_SPLIT: list[Any] = [
    0, 1, -3, 0.0, 1.0, -0.2, 1.5, np.nan, np.inf, -np.inf, np.float64(1), np.int64(1), True, False,
    np.True_, "folds", "LOO", "", b"loo", 1j, Decimal("0.3"), object(), StratifiedKFold, len,
]  # fmt: skip


@pytest.mark.parametrize("split", NO_SPLIT, ids=lambda split: repr(split)[:14])
def test_what_is_no_split(split: Any) -> None:
    messages = "calibration_split must be None (5 folds), a share of the rows between 0 and 1"
    refuses(platt(split), messages, f"got {split!r}")
    refuses(platt(split, calibration=None), messages)


@pytest.mark.parametrize("name", ["pratt", "Platt", "", "none", 1, True, b"platt", ["platt"]])
@pytest.mark.parametrize("cls", [AdaBoostClassifier, CostBoostClassifier])
def test_unknown_calibration(cls: Any, name: Any) -> None:
    choices = ", ".join(map(repr, [*CALIBRATORS, AUTO]))
    with pytest.raises(ValueError, match=re.escape(f"must be one of {choices}, got {name!r}")):
        cls(calibration=name).fit(X, Y)


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_every_classifier_asks(cls: Any) -> None:
    with pytest.raises(ValueError, match="calibration must be one of"):
        cls(calibration="sigmoid").fit(X, Y)
    with pytest.raises(ValueError, match="calibration_split must be"):
        cls(calibration="platt", calibration_split="all").fit(X, Y)


@pytest.mark.parametrize("split", [np.float32(0.3), np.float64(0.3), np.int8(3), np.uint64(3)])
def test_numbers_of_numpy(split: Any) -> None:
    ours, theirs = platt(split).fit(X, Y), platt(split.item()).fit(X, Y)
    assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))


# ---- too few rows --------------------------------------------------------------------------------


def test_more_folds_than_rows_of_a_class() -> None:
    folds = RARE + 1
    messages = f"calibration_split={folds} needs at least {folds} rows of each class"
    refuses(platt(folds), messages, f"the smallest one has {RARE}", "take fewer folds")
    refuses(platt(folds), messages, f"the smallest one has {RARE}", y=1 - Y)
    platt(RARE).fit(X, Y)


@pytest.mark.parametrize("split", [None, 2, "loo"])
def test_one_row_of_a_class(split: Any) -> None:
    y = np.zeros(40, dtype=int)
    y[3] = 1
    messages = "calibration needs at least 2 rows of each class", "has 1", "calibration=None"
    refuses(platt(split), *messages, y=y)
    refuses(platt(split), *messages, sample_weight=np.where(Y == 1, np.cumsum(Y) == 1, 1))
    y[5] = 1
    platt(split).fit(X, y)


@pytest.mark.parametrize("share", [0.01, 0.05, 0.95])
def test_a_share_that_is_too_small_or_too_large(share: float) -> None:
    messages = f"calibration_split={share} cannot hold out and train on rows of every class"
    refuses(platt(share), messages, f"has {RARE} rows", "give another share, folds, or more rows")


def test_every_share_that_is_accepted_has_both_classes_on_both_sides() -> None:
    for n_positive in range(2, 9):
        y = (np.arange(17) < n_positive).astype(int)
        for share in np.linspace(0.02, 0.98, 25):
            possible = min(share, 1 - share) * min(n_positive, 17 - n_positive) >= 1
            if possible:
                clf = platt(float(share), n_estimators=1).fit(X[:17], y)
                assert np.isfinite(clf.predict_proba(X)).all()
            else:
                with pytest.raises(ValueError, match=r"calibration_split=0\.\d+ cannot hold out"):
                    platt(float(share), n_estimators=1).fit(X[:17], y)


def test_rows_of_weight_zero_are_not_there_to_be_held_out() -> None:
    weight = np.where((Y == 1) & (np.cumsum(Y) > 3), 0, 1)
    refuses(platt(5), "needs at least 5 rows", "the smallest one has 3", sample_weight=weight)
    refuses(platt(0.2), "calibration_split=0.2", "has 3 rows", sample_weight=weight)
    platt(3).fit(X, Y, sample_weight=weight)


# ---- splits of the user --------------------------------------------------------------------------

BY_CLASS = np.argsort(Y, kind="stable")
ONE_CLASS_TO_TRAIN = [(np.flatnonzero(Y == 0), np.flatnonzero(Y == 1)), (np.arange(40), [0, 1])]
ONE_CLASS_TO_SCORE = [(np.arange(40), np.flatnonzero(Y == 0))]
BAD_PAIRS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "nothing": ([], ("calibration_split=[] has no folds", "give a list of pairs")),
    "no dictionary": ({}, ("calibration_split={} has no folds",)),
    "numbers": ([1, 2], ("calibration_split=[1, 2]", MALFORMED, "pairs of row numbers")),
    "shares": ((0.2, 0.8), ("calibration_split=(0.2, 0.8)", MALFORMED)),
    "singles": ([(np.arange(40),)], (MALFORMED,)),
    "triples": ([(np.arange(9), np.arange(9, 40), 1)], (MALFORMED,)),
    "words": ([("a", "b")], ("calibration_split=[('a', 'b')]", MALFORMED)),
    "fractions": ([(np.arange(40) / 2, np.arange(40))], (MALFORMED,)),
    "beyond": ([(np.arange(30), np.arange(30, 41))], (MALFORMED, "index 40 is out of bounds")),
    "short mask": ([(np.arange(39) > 3, np.arange(39) < 3)], (MALFORMED, "39")),
    "groups": (GroupKFold(3), ("GroupKFold", MALFORMED, "list(splitter.split(X, y, groups))")),
    "too many": (KFold(41), ("KFold", MALFORMED, "41")),
    "one class to train on": (
        ONE_CLASS_TO_TRAIN,
        ("rows to train on that are not of two classes",),
    ),
    "nothing to train on": ([([], np.arange(40))], ("leaves 0 rows to train on",)),
    "one class to score": (
        ONE_CLASS_TO_SCORE,
        (f"the {40 - RARE} rows that calibration_split=[(array(", "holds out are not of two"),
    ),
    "nothing to score": ([(np.arange(40), [])], ("the 0 rows that calibration_split",)),
}


@pytest.mark.parametrize("case", BAD_PAIRS)
def test_pairs_that_cannot_be_used(case: str) -> None:
    split, messages = BAD_PAIRS[case]
    refuses(platt(split), *messages)
    with pytest.raises(ValueError, match="calibration_split=") as error:
        CostBoostClassifier(n_estimators=3, calibration_split=split).fit(X, Y)
    assert all(part in str(error.value) for part in messages)


def test_a_splitter_that_is_not_stratified() -> None:
    refuses(
        platt(KFold(2)),
        "calibration_split=KFold(n_splits=2",
        "rows to train on that are not of two classes",
        "take a stratified splitter",
        data=X[BY_CLASS][RARE : RARE + 20],
        y=np.repeat([0, 1], 10),
    )


def test_errors_do_not_quote_all_rows() -> None:
    pairs = [(np.arange(5000), np.arange(5000, 10_000))]
    with pytest.raises(ValueError, match="calibration_split=") as error:
        platt(pairs).fit(X, Y)
    assert len(str(error.value)) < 400


# ---- half done -----------------------------------------------------------------------------------


def test_a_first_fit_that_fails_leaves_nothing() -> None:
    clf = platt(30)
    before = dict(vars(clf))
    with pytest.raises(ValueError, match="calibration_split=30"):
        clf.fit(X, Y)
    assert vars(clf) == before
