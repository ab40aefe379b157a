"""Training rows are recognised in any container; new rows are not."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.tree import DecisionTreeClassifier

import costboost
from costboost._core import fingerprints
from costboost._core.fingerprints import (
    KEPT,
    Fingerprint,
    Overlap,
    fingerprint,
    hashes_of_codes,
    row_hashes,
)
from costboost._core.tables import Coder, DenseTable, Labels, ObjectTable, SparseTable
from costboost.multiclass import GBSEClassifier

TEXT = ["Oslo", "Rome", "Lima"]


def overlap(clf: Any, X: Any) -> Overlap:
    found: Overlap | None = clf.model_.overlap(clf._read(X))
    assert found is not None
    return found


def frame(n: int, seed: int = 0) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    x = random.normal(size=(n, 3)).round(4)
    x[random.random(x.shape) < 0.1] = np.nan
    city = pd.Categorical(random.choice(TEXT, n), categories=TEXT)
    return pd.DataFrame(x, columns=list("abc")).assign(city=city)


def hashes_of(X: Any) -> Any:
    return row_hashes(DenseTable(np.asarray(X)), [None] * np.shape(X)[1])


# ---- hashes --------------------------------------------------------------------------------------


def naive_hash(row: list[float]) -> int:
    """The hash as docs/format.md describes it, in Python integers."""

    words = [0x7FC00000 if v != v else int(np.float32(v + 0.0).view(np.uint32)) for v in row]
    return naive_hash_of_words(words)


def naive_hash_of_words(words: list[int]) -> int:
    def mixed(value: int) -> int:
        z = value * 0x9E3779B97F4A7C15 % 2**64
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        return z ^ z >> 31

    total = sum((mixed(j + 1) | 1) * word for j, word in enumerate(words))
    return mixed(total % 2**64)


VALUES = st.one_of(st.floats(width=32, allow_infinity=False), st.integers(-3, 3).map(float))


@given(st.lists(st.lists(VALUES, min_size=3, max_size=3), min_size=1, max_size=8))
def test_hashes_are_those_of_the_definition(rows: list[list[float]]) -> None:
    wanted = [naive_hash(row) for row in rows]
    for order in ("C", "F"):
        assert hashes_of(np.array(rows, order=order)).tolist() == wanted
    assert hashes_of(np.array(rows, dtype=np.float32)).tolist() == wanted
    for kind in (sparse.csr_matrix, sparse.csc_matrix):
        table = SparseTable(kind(np.array(rows)))
        assert row_hashes(table, [None] * 3).tolist() == wanted


def test_signs_of_zero_and_of_missing_values_do_not_matter() -> None:
    X = np.array([[0.0, np.nan]])
    assert hashes_of(X) == hashes_of(-X)
    assert len({int(one) for one in hashes_of(np.array([[1.0, 2], [2, 1], [0, 3], [3, 0]]))}) == 4


def test_categories_are_hashed_by_their_labels() -> None:
    """Text by the first bytes of its SHA-256, numbers by their bits, as documented."""
    oslo = int.from_bytes(sha256(b"Oslo").digest()[:8], "little")
    half = int(np.float64(0.5).view(np.uint64))
    long = int.from_bytes(sha256(str(2**60 + 1).encode()).digest()[:8], "little")
    X = np.array([["Oslo", 0.5, 1.0], [None, 2**60 + 1, 1.0]], dtype=object)
    coders = [Coder(Labels.of(X[:, 0]), 9), Coder(Labels.of(X[:, 1]), 9), None]
    one = int(np.float32(1).view(np.uint32))
    wanted = [naive_hash_of_words([oslo, half, one]), naive_hash_of_words([0x7FC00000, long, one])]
    assert row_hashes(ObjectTable(X), coders).tolist() == wanted


# ---- sketches ------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 30), min_size=1, max_size=80), st.integers(1, 12))
@settings(max_examples=200)
def test_a_sketch_is_the_smallest_hashes(values: list[int], kept: int) -> None:
    X = np.array(values, dtype=float)[:, None]
    hashes = hashes_of(X).tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fingerprints, "KEPT", kept)
        found = fingerprint(DenseTable(X), [None])
    keys = sorted(set(hashes))[:kept]
    copies = [hashes.count(one) for one in hashes if one in keys]
    assert found.keys.tolist() == keys
    assert found.n_rows == len(copies)
    assert found.n_copies == sum(n > 1 for n in copies)
    assert found.whole == (len(set(hashes)) <= kept)


def test_few_rows_are_counted_exactly() -> None:
    train, new = frame(500), frame(300, seed=1)
    clf = costboost.algorithms.AdaMECClassifier(n_estimators=3).fit(train, np.arange(500) % 2)
    mixed = pd.concat([new, train[::5]], ignore_index=True)
    found = overlap(clf, mixed)
    assert found.exact
    assert (found.n_rows, found.n_seen) == (400, 100)
    assert found.beyond_chance
    assert overlap(clf, new).n_seen == 0
    assert overlap(clf, train).share == 1


def test_of_many_rows_the_share_is_estimated() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(60_000, 2))
    clf = costboost.algorithms.AdaMECClassifier(n_estimators=2).fit(X, X[:, 0] > 0)
    half = np.concatenate([X[:10_000], random.normal(size=(10_000, 2))])
    found = overlap(clf, half)
    assert not found.exact
    assert clf.model_.fingerprint is not None
    assert clf.model_.fingerprint.keys.size == KEPT
    error = np.sqrt(0.25 / found.n_known)
    assert abs(found.share - 0.5) < 4 * error
    assert found.beyond_chance
    assert overlap(clf, random.normal(size=(20_000, 2))).n_seen == 0


@pytest.mark.parametrize("n_values", [2, 5, 30])
def test_new_rows_of_data_with_copies_are_no_training_rows(n_values: int) -> None:
    """Among few different rows, new ones agree with training rows, and that is expected."""
    for seed in range(20):
        random = np.random.default_rng(seed)
        X = random.integers(0, n_values, size=(600, 3)).astype(float)
        clf = costboost.algorithms.AdaMECClassifier(n_estimators=1).fit(X[:400], np.arange(400) % 2)
        found = overlap(clf, X[400:])
        assert found.n_seen == np.isin(hashes_of(X[400:]), hashes_of(X[:400])).sum()
        assert not found.beyond_chance
    if n_values == 30:
        assert overlap(clf, X[:400]).beyond_chance


def test_rare_categories_are_not_joined() -> None:
    """4,000 zip codes share few codes of the model, but new rows have other zip codes."""
    random = np.random.default_rng(0)
    zips = np.array([f"{k:05d}" for k in random.permutation(90_000)[:8000]])
    X = pd.DataFrame({"zip": pd.Categorical(zips), "b": random.random(8000) < 0.5})
    train, new = X[:1500], X[1500:1946]
    clf = costboost.algorithms.AdaBoostClassifier(n_estimators=1).fit(train, np.arange(1500) % 2)
    assert overlap(clf, new).n_seen == 0
    assert overlap(clf, train).beyond_chance
    codes = hashes_of_codes(clf._read(new), clf.model_.coders)
    assert np.isin(codes, hashes_of_codes(clf._read(train), clf.model_.coders)).mean() > 0.9


def test_sketches_of_codes_are_used_unless_codes_are_shared() -> None:
    """Those of version 0.2, which are read from its files."""
    train, new = frame(300), frame(200, seed=1)
    clf = costboost.algorithms.AdaBoostClassifier(n_estimators=1).fit(train, np.arange(300) % 2)
    table, coders = clf._read(train), clf.model_.coders
    keys = np.unique(hashes_of_codes(table, coders))
    old = Fingerprint(keys, 300, 0, True)
    assert_array_equal(clf.model_.fingerprint.keys == keys, False)
    for rows, seen in ((train, 300), (new, 0)):
        found = old.overlap(clf._read(rows), coders)
        assert found is not None
        assert found.n_seen == seen
    shared = [*coders[:3], Coder(table.labels(3), 2)]
    assert old.overlap(table, shared) is None
    assert replace(old, of_values=True).overlap(table, shared) is not None


@pytest.mark.parametrize(("n_values", "n_train", "n_new"), [(50, 500, 10_000), (500, 1500, 5000)])
def test_chance_is_known_from_few_training_rows_only(
    n_values: int, n_train: int, n_new: int
) -> None:
    """Many new rows beside few training rows do not make a small difference beyond chance."""
    random, alarms = np.random.default_rng(0), 0
    share = 1 / np.arange(1, n_values + 1)
    for _ in range(100):
        train, new = (random.choice(n_values, n, p=share / share.sum()) for n in (n_train, n_new))
        count = np.bincount(train, minlength=n_values)
        seen, copies = int((count[new] > 0).sum()), int(count[count > 1].sum())
        alarms += Overlap(n_new, n_new, seen, n_train, copies).beyond_chance
    assert alarms == 0
    assert Overlap(n_train, n_train, n_train, n_train, n_train // 2).beyond_chance


# ---- containers and classifiers ------------------------------------------------------------------


def test_the_container_does_not_matter() -> None:
    train, y = frame(300), np.arange(300) % 2
    clf = costboost.algorithms.AdaMECClassifier(n_estimators=3).fit(train, y)
    others = {
        "polars": pl.from_pandas(train),
        "pyarrow": pa.Table.from_pandas(train),
        "single floats": train.astype(dict.fromkeys("abc", np.float32)),
        "other codes": train.assign(city=pd.Categorical(train.city, categories=TEXT[::-1])),
    }
    for name, same in others.items():
        assert overlap(clf, same).share == 1, name


def test_rows_of_weight_0_are_no_training_rows() -> None:
    X = frame(200)
    weight = np.repeat([1.0, 0.0], 100)
    clf = costboost.algorithms.AdaMECClassifier(n_estimators=3).fit(X, np.arange(200) % 2, weight)
    assert overlap(clf, X[:100]).share == 1
    assert overlap(clf, X[100:]).n_seen == 0


@pytest.mark.parametrize(
    "clf",
    [
        costboost.algorithms.AdaMECClassifier(n_estimators=3),
        costboost.CostBoostClassifier(n_estimators=3, random_state=0),
        GBSEClassifier(n_estimators=2, random_state=0),
    ],
    ids=lambda clf: type(clf).__name__,
)
def test_three_classes(clf: Any, tmp_path: Any) -> None:
    X, y = frame(240), np.arange(240) % 3
    clf.fit(X[:180], y[:180])
    costboost.save(clf, tmp_path / "m")
    for one in (clf, costboost.load(tmp_path / "m")):
        assert overlap(one, X[:180]).share == 1
        assert overlap(one, X[180:]).n_seen == 0


def test_a_learner_of_scikit_learn_reads_the_rows_itself() -> None:
    X, y = np.random.default_rng(0).normal(size=(50, 2)), np.arange(50) % 2
    clf = costboost.algorithms.AdaBoostClassifier(
        estimator=DecisionTreeClassifier(max_depth=1), n_estimators=2
    )
    clf.fit(X, y)
    assert clf.model_.overlap(clf._read(X)) is None


def test_another_fit_has_other_rows() -> None:
    X, y = np.random.default_rng(0).normal(size=(100, 2)), np.arange(100) % 2
    clf = (
        costboost.algorithms.AdaBoostClassifier(n_estimators=2)
        .fit(X[:50], y[:50])
        .fit(X[50:], y[50:])
    )
    assert overlap(clf, X[:50]).n_seen == 0
    assert overlap(clf, X[50:]).share == 1


def test_a_sketch_of_no_rows_reports_nothing() -> None:
    sketch = Fingerprint(np.array([0], dtype=np.uint64), 1, 0, False)
    found = sketch.overlap(DenseTable(np.array([[1.0]])), [None])
    assert found == Overlap(1, 0, 0, 1, 0)
    assert found is not None
    assert (found.share, found.by_chance, found.beyond_chance) == (0.0, 1 / 3, False)
    assert_array_equal(sketch.keys, [0])
