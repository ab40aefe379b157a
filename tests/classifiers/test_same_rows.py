"""Rows that were written again share a fold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.model_selection import StratifiedKFold

from costboost import CostBoostClassifier
from costboost._core.tables import read_training
from costboost._core.training.copies import copies_of, folds_of_copies, written_again
from costboost._core.training.folds import FOLDS_SEED, split_rows
from costboost.algorithms import AdaBoostClassifier

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 4))
Y = (RNG.random(400) < 1 / (1 + np.exp(-2 * X[:, 0]))).astype(int)


def table(data: Any) -> Any:
    return read_training("costboost", data)[0]


def parts(data: Any, y: np.ndarray, split: Any = None) -> list[Any]:
    return split_rows(split, y, np.ones(len(y)), lambda: 0, None, copies_of(table(data)))


@pytest.mark.parametrize("twice", [
    np.repeat(np.arange(400), 2), np.tile(np.arange(400), 2), RNG.integers(0, 400, 400),
], ids=["in turn", "concatenated", "bootstrap"])  # fmt: skip
@pytest.mark.parametrize("split", [None, 3, 0.3, "loo"])
def test_copies_are_in_the_same_part(twice: np.ndarray, split: Any) -> None:
    for kept, held in parts(X[twice], Y[twice], split):
        assert not set(twice[kept]) & set(twice[held])
        assert split == "loo" or set(Y[twice[kept]]) == set(Y[twice[held]]) == {0, 1}


@pytest.mark.parametrize("twice", [np.tile(np.arange(400), 2), RNG.integers(0, 400, 800)])
def test_folds_of_copies_are_stratified(twice: np.ndarray) -> None:
    y = Y[twice]
    for _, held in parts(X[twice], y):
        assert held.size == pytest.approx(len(y) / 5, rel=0.05)
        assert y[held].mean() == pytest.approx(y.mean(), rel=0.05)


def test_without_copies_folds_are_the_usual_ones() -> None:
    assert copies_of(table(X)) is None
    usual = StratifiedKFold(5, shuffle=True, random_state=FOLDS_SEED).split(X, Y)
    for (kept, held), (usual_kept, usual_held) in zip(parts(X, Y), usual, strict=True):
        assert_array_equal(kept, usual_kept)
        assert_array_equal(held, usual_held)


def test_rows_of_few_values_are_divided_as_usual() -> None:
    """Equal rows whose labels differ by chance are rows of the population."""
    few = RNG.integers(0, 3, (400, 4))
    y = (RNG.random(400) < 0.2 + 0.2 * few[:, 0]).astype(int)
    assert copies_of(table(few)) is not None
    usual = StratifiedKFold(5, shuffle=True, random_state=FOLDS_SEED).split(few, y)
    for (kept, held), (usual_kept, usual_held) in zip(parts(few, y), usual, strict=True):
        assert_array_equal(kept, usual_kept)
        assert_array_equal(held, usual_held)


def test_labels_tell_rows_written_again_from_rows_of_few_values() -> None:
    copies, code = np.array([0, 0, 2, 2, 4, 5, 6, 7, 8, 9]), np.arange(10) // 2 % 2
    assert written_again(copies, code) is copies
    assert written_again(np.arange(10), code) is None
    assert written_again(copies, np.where(np.arange(10) == 1, 1 - code, code)) is None


def test_one_row_among_many_copies_has_another_label() -> None:
    copies = np.repeat(np.arange(100), 2)
    code = copies % 2
    code[0] = 1 - code[0]  # an error of entry
    assert written_again(copies, code) is copies


def test_few_values_give_folds_with_all_classes() -> None:
    """Thirty distinct rows, one of which is half of all, each with its own label."""
    X = np.r_[np.zeros((200, 2)), RNG.integers(0, 6, (200, 2))]
    y = (X[:, 0] * 6 + X[:, 1]) % 5 == 1
    for rows in (rows for part in parts(X, y) for rows in part):
        assert set(y[rows]) == {0, 1}


def test_copies_are_separated_where_a_class_has_no_others() -> None:
    X, y = np.r_[np.zeros((10, 1)), np.arange(1, 41)[:, None]], np.repeat([1, 0], [10, 40])
    for kept, held in parts(X, y):
        assert set(y[kept]) == set(y[held]) == {0, 1}


def test_missing_values_text_and_zeros() -> None:
    frame = pd.DataFrame({
        "number": [0.0, -0.0, np.nan, np.nan, 1.0, 1.0],
        "text": ["a", "a", "b", "b", "c", None],
        "kind": pd.Categorical(["u", "u", "v", "v", "u", "u"]),
    })  # fmt: skip
    assert_array_equal(copies_of(table(frame)), [0, 0, 2, 2, 4, 5])
    near = np.array([[1.0], [np.nextafter(1.0, 2)], [1.0]])
    assert_array_equal(copies_of(table(near)), [0, 1, 0])


def test_the_largest_groups_are_dealt_first() -> None:
    groups = np.repeat(np.arange(6), [6, 5, 4, 3, 2, 1])
    found = folds_of_copies(np.zeros(21, dtype=int), groups, 2, 0)
    assert [held.size for _, held in found] == [6 + 3 + 2, 5 + 4 + 1]


def test_rows_written_twice_keep_their_probabilities() -> None:
    """They had a log loss that was greater by a third, as their copies were trained on."""
    fresh = RNG.normal(size=(4_000, 4))
    truth = 1 / (1 + np.exp(-2 * fresh[:, 0]))

    def loss(data: np.ndarray, y: np.ndarray, **given: Any) -> float:
        clf = CostBoostClassifier(random_state=0).fit(data, y, **given)
        p = np.clip(clf.predict_proba(fresh)[:, 1], 1e-9, 1 - 1e-9)
        return float(-np.mean(truth * np.log(p) + (1 - truth) * np.log(1 - p)))

    once, twice = loss(X, Y), loss(np.r_[X, X], np.r_[Y, Y])
    assert twice < once + 0.02


@pytest.mark.parametrize("split", [None, 0.3])
def test_several_classes_and_other_classifiers(split: Any) -> None:
    """Labels of copies are as good as weights of 2, up to the draws of folds."""
    y = np.digitize(X[:, 0] + RNG.normal(size=400), [-0.5, 0.5])
    for cls in (CostBoostClassifier, AdaBoostClassifier):
        clf = cls(calibration="platt", calibration_split=split, n_estimators=5, random_state=0)
        for of in (Y, y):
            probability = clf.fit(np.r_[X, X], np.r_[of, of]).predict_proba(X)
            assert np.isfinite(probability).all()
