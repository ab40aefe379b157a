"""Arrays and models made to do harm are refused before there is a model."""

from __future__ import annotations

import io
import json
import struct
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from files.crafting import STUMPS, at, content, file_of, load, saved

import costboost
from costboost._core.engine._kernels import most_tests_on_a_path
from costboost.algorithms import CGAdaClassifier, LogitBoostClassifier
from costboost.export import to_onnx, to_shap
from costboost.io import archive
from costboost.io.tree import array_bytes, read_array

THREE = "three classes: AdaMECClassifier"
SCORES = "three classes: CostBoostClassifier"
TREES = "tree with categories"
RIDDLE = {"type": "Distribution", "name": "os", "args": [], "kwds": {"type": "dict", "items": []}}
"""A distribution that is none."""


# ---- arrays --------------------------------------------------------------------------------------


def npy_of(dtype: str, shape: str, order: str = "False", body: bytes = b"", pad: int = 0) -> bytes:
    header = f"{{'descr': {dtype}, 'fortran_order': {order}, 'shape': {shape}, }}{' ' * pad}\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + body


@pytest.mark.parametrize(
    "data",
    [
        npy_of("'|O'", "(1,)", body=bytes(8)),
        npy_of("'<U1'", "(1,)", body=bytes(4)),
        npy_of("'<c16'", "(1,)", body=bytes(16)),
        npy_of("'<f16'", "(1,)", body=bytes(16)),
        npy_of("'>f8'", "(1,)", body=bytes(8)),
        npy_of("'<f1'", "(1,)", body=bytes(1)),
        npy_of("'<M8[D]'", "(1,)", body=bytes(8)),
        npy_of("[('a', '<f8')]", "(1,)", body=bytes(8)),
        npy_of("'<f8'", "(1,)", "True", bytes(8)),
        npy_of("'<f8'", "(2,)", body=bytes(8)),
        npy_of("'<f8'", "(-1,)", body=bytes(8)),
        npy_of("'<f8'", "(999999999999, 999999999999)", body=bytes(8)),
        npy_of("'<f8'", "(1,)", body=bytes(9)),
        npy_of("'<f8'", "__import__('os').abort()", body=bytes(8)),
        npy_of("'|b1'", "(1,)", body=b"\x02"),
        npy_of("'<f8'", "(1,)", body=bytes(8))[:20],
        b"\x93NUMPY\x02\x00" + npy_of("'<f8'", "(1,)", body=bytes(8))[8:],
        b"",
    ],
)
def test_arrays_that_are_not_plain(data: bytes) -> None:
    with pytest.raises(
        ValueError, match=r"not a NumPy file|does not have|must be 0 or 1|no numbers"
    ):
        read_array(data)


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "<i4", ">i4", ">f8", "f2", "f4", "u8"])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (0, 4), (1, 1, 2)])
def test_arrays_come_back(dtype: str, shape: tuple[int, ...]) -> None:
    array = np.random.default_rng(0).integers(0, 2, shape).astype(dtype)
    for one in (array, np.asfortranarray(array), array[..., ::-1] if shape else array):
        found = read_array(array_bytes(one))
        assert found.dtype == one.dtype.newbyteorder("=")
        assert found.shape == one.shape
        assert found.flags.writeable
        np.testing.assert_array_equal(found, one)


# ---- the model -----------------------------------------------------------------------------------


def put(tree: Any, arrays: list[Any], where: str, value: Any) -> None:
    """Set a part of the content: a JSON value, or an array if there is one."""
    *path, last = where.split(".")
    for key in path:
        tree = tree[key]
    if isinstance(tree.get(last), dict) and tree[last]["type"] == "array":
        number = tree[last]["number"]
        arrays[number] = value(arrays[number]) if callable(value) else value
    else:
        tree[last] = value


TWO_NAMES = {"type": "labels", "width": 1, "shape": [2], "items": ["a", "b"]}
CHANGES: list[tuple[str, str, Any, str]] = [
    (TREES, "ensemble_.left", at(0, 0), "out of a tree, or back"),
    (TREES, "ensemble_.left", at(0, -5), "out of a tree, or back"),
    (TREES, "ensemble_.left", at(0, 2**31 - 1), "out of a tree, or back"),
    (TREES, "ensemble_.left", at(0, 2), "lead to every node once"),
    (TREES, "ensemble_.left", at(-1, 3), "agree on which nodes are leaves"),
    (TREES, "ensemble_.feature", at(0, 6), "tests features other than 0 to 5"),
    (TREES, "ensemble_.feature", at(0, -2), "agree on which nodes are leaves"),
    (TREES, "ensemble_.feature", at(0, -1), "agree on which nodes are leaves"),
    (TREES, "ensemble_.feature", lambda a: a.astype(np.int64), "must be an array of int32"),
    (TREES, "ensemble_.first", at(0, 1), "cut the nodes into trees"),
    (TREES, "ensemble_.first", at(1, 10**6), "cut the nodes into trees"),
    (TREES, "ensemble_.first", at(1, 0), "cut the nodes into trees"),
    (TREES, "ensemble_.first", lambda a: a[:-1], "cut the nodes into trees"),
    (TREES, "ensemble_.first", lambda a: a[:0], "cut the nodes into trees"),
    (TREES, "ensemble_.category_set", at(0, 10**6), "a set that is not there"),
    (TREES, "ensemble_.category_set", at(0, -2), "a set that is not there"),
    (TREES, "ensemble_.category_set", at(-1, 0), "gives a leaf a set"),
    (TREES, "ensemble_.categories", at(0, 2), "must be 0 or 1"),
    (TREES, "ensemble_.categories", lambda a: a[:, :255], r"shape \(any, 256\)"),
    (TREES, "ensemble_.missing_left", at(0, 2), "must be 0 or 1"),
    (TREES, "ensemble_.value", at(-1, np.nan), r"value\[\d+\] must be a finite number, got nan"),
    (TREES, "ensemble_.value", at(-1, np.inf), r"value\[\d+\] must be a finite number, got inf"),
    (TREES, "ensemble_.value", at(-1, 1e308), "scores would overflow"),
    (TREES, "ensemble_.gain", at(0, -1.0), r"gain\[0\] must be a finite number, at least 0"),
    (TREES, "ensemble_.gain", at(0, 1e308), "feature importances would overflow"),
    (TREES, "ensemble_.value", lambda a: a[:-1], r"must be an array of float64 of shape \(\d+\)"),
    (TREES, "background_", at(0, 0), "numbers of rows, of which a root has some"),
    (TREES, "background_", at(1, -1), "numbers of rows, of which a root has some"),
    (TREES, "background_", at(1, 10**6), "count each row of a node in one of its children"),
    (TREES, "background_", lambda a: a[1:], "must be an array of int32 of shape"),
    (TREES, "background_", lambda a: a * 1.0, "must be an array of int32 of shape"),
    (TREES, "categories_", [None] * 6, "tests categories where there are none"),
    (TREES, "categories_", [None] * 5, "other than 0 to 4|n_features_in_ is 6, not 5"),
    (TREES, "categories_", [], "for every feature"),
    (STUMPS, "ensemble_.threshold", at(0, np.nan), "threshold must be a number for ordered tests"),
    (STUMPS, "ensemble_.threshold", at(1, 0.0), "threshold must be a number for ordered tests"),
    (STUMPS, "estimator_weights_", at(0, np.nan), "must be a finite number, got nan"),
    (STUMPS, "estimator_weights_", lambda a: 0 * a, "votes_ is not the sum"),
    (STUMPS, "estimator_weights_", at(0, 1e308), "votes_ is not the sum"),
    (STUMPS, "estimator_weights_", lambda a: a[1:], r"of shape \(6\)"),
    (STUMPS, "votes_", 0.0, "votes_ is not the sum"),
    (STUMPS, "n_iter_", 5, r"of shape \(5\)"),
    (STUMPS, "n_iter_", -1, "n_iter_ must be from 0 to"),
    (STUMPS, "n_iter_", True, "n_iter_ must be a whole number, got True"),
    (STUMPS, "n_rounds_", 5, "n_rounds_ must be from 6 to"),
    (STUMPS, "positive_index_", 2, "positive_index_ must be from 0 to 1, got 2"),
    (STUMPS, "prior_", 1.5, "prior_ must be a finite number, at least 0.0, at most 1.0, got"),
    (STUMPS, "prior_", 1, "prior_ must be a number with a point, got 1"),
    (STUMPS, "learner_", "wrapped", "learner_ must be one of stump, tree"),
    (STUMPS, "initial_weights_", "x", "initial_weights_ must be one of auto"),
    (STUMPS, "costs_.fn", 0.0, "fn must be a finite number, at least"),
    (STUMPS, "classes_", np.array([1, 1]), "classes_ must be different labels"),
    (STUMPS, "classes_", np.array([0, 1, 2]), r"classes_ must be 2 labels, got shape \(3,\)"),
    (STUMPS, "classes_", np.array([0.0, np.nan]), "classes_ must be texts or numbers, got nan"),
    (STUMPS, "n_features_in_", 4, "n_features_in_ is 4, not 5"),
    (STUMPS, "n_jobs", 10**6, "n_jobs must be at most 4096"),
    (STUMPS, "n_jobs", 0, "n_jobs must not be 0"),
    ("GBSE", "n_jobs", 0, "n_jobs must not be 0"),
    ("GBSE", "n_jobs", -(10**6), "n_jobs must be at most 4096"),
    (THREE, "n_jobs", 0, "n_jobs must not be 0"),
    (STUMPS, "n_estimators", "many", "n_estimators must be a whole number"),
    (STUMPS, "estimator", {"type": "AdaBoostClassifier"}, "estimator must be the name of"),
    (STUMPS, "probability", "chance", "probability must be one of 'logistic', 'votes'"),
    (STUMPS, "unheard_of", 1, "unheard_of is unknown to this costboost; a later"),
    (STUMPS, "chosen_", {"type": "dict", "items": [["x", 1]]}, "chosen_ has settings that AdaMEC"),
    (STUMPS, "requests", {"type": "dict", "items": [["transform", None]]}, "requests must be for"),
    (STUMPS, "ensemble_", {"type": "Costs", "fn": 1.0, "fp": 1.0}, "must be Trees or Lines"),
    (STUMPS, "calibrator_", {"type": "Costs", "fn": 1.0, "fp": 1.0}, "null or a calibrator"),
    (STUMPS, "fingerprint_", 1, "fingerprint_ must be null or a Fingerprint"),
    (STUMPS, "fingerprint_.keys", lambda a: a[::-1].copy(), "keys must be 1 to 2048 numbers, each"),
    (STUMPS, "fingerprint_.keys", lambda a: a[:0], "keys must be 1 to 2048 numbers"),
    (STUMPS, "fingerprint_.keys", lambda a: np.arange(3000, dtype=np.uint64), "keys must be 1 to"),
    (STUMPS, "fingerprint_.keys", lambda a: a.astype(np.int64), "keys must be an array of uint64"),
    (STUMPS, "fingerprint_.n_rows", 3, "n_rows must be from"),
    (STUMPS, "fingerprint_.n_copies", 10**6, "n_copies must be from 0"),
    (STUMPS, "fingerprint_.whole", 1, "whole must be of type bool"),
    ("GBSE", "fingerprint_", 1, "fingerprint_ must be null or a Fingerprint"),
    (THREE, "fingerprint_", 1, "fingerprint_ must be null or a Fingerprint"),
    (THREE, "classes_", TWO_NAMES, r"classes_ must be 3 labels, got shape \(2,\)"),
    (THREE, "n_iter_", 5, "n_iter_ must be the greatest of those of one_vs_rest_"),
    (THREE, "n_features_in_", 4, "n_features_in_ is 4, not 5"),
    (THREE, "fn_cost", 2.0, "fn_cost and fp_cost are for two classes"),
    (THREE, "pos_label", "red", "pos_label is for two classes"),
    (SCORES, "fn_cost", 2.0, "fn_cost and fp_cost are for two classes"),
    (SCORES, "tp_cost", -1.0, "fn_cost and fp_cost are for two classes"),
    (SCORES, "pos_label", "red", "pos_label is for two classes"),
    (THREE, "prior_", 0.5, "prior_ is unknown to this costboost"),
    (THREE, "type", "AdaBoostClassifier", "one_vs_rest_ must have members of class AdaBoostClass"),
    (THREE, "one_vs_rest_.matrix", at(1, -1.0), "matrix must be finite and not negative"),
    (THREE, "one_vs_rest_.matrix", lambda a: a[1:], r"of shape \(3, 3\)"),
    (THREE, "one_vs_rest_.members", [], "members must be 3 classifiers or more"),
    (THREE, "one_vs_rest_.members", [{"type": STUMPS}] * 3, "must be fitted to the classes false"),
    (THREE, "one_vs_rest_.members", [1, 2, 3], "members must be boosting classifiers"),
    (THREE, "one_vs_rest_", None, "one_vs_rest_ must be of type OneVsRest"),
    ("balanced", "prior_", 0.0, "prior_ must be between 0 and 1"),
    ("no rounds", "ensemble_.value", at(0, np.nan), "must be a finite number"),
    ("CSLogitBoostClassifier", "ensemble_.feature", at(0, 5), "in features other than 0 to 4"),
    ("CSLogitBoostClassifier", "ensemble_.slope", at(0, 1e308), "scores would overflow"),
    ("isotonic", "calibrator_.values_", at(0, 1.0), "must rise"),
    ("isotonic", "calibrator_.thresholds_", at(0, np.inf), r"thresholds_\[0\] must be a finite"),
    ("platt", "calibrator_.scale_", 0.0, "scale_ must be a finite number, at least"),
    ("beta", "calibrator_.a_", -1.0, "a_ must be a finite number, at least 0.0"),
    ("threshold", "threshold_", {"type": "float", "value": "nan"}, "threshold_ must be a number"),
    ("actions", "costs", [], "costs has no row for the class"),
    ("actions", "costs", [["sick", []], ["sick", []]], "costs has a label twice"),
    ("actions", "costs", [[["sick"], 1]], "costs must be pairs of a label and a value"),
    ("actions", "costs", [["sick", [["wait", RIDDLE]]]], "scipy.stats has no distribution os"),
    ("actions", "estimator_", None, "estimator_ must be a fitted classifier"),
    ("actions", "estimator", 5, "estimator must be a classifier"),
    ("actions", "uncertain", "luck", "uncertain must be one of 'mean', 'regret', got 'luck'"),
    ("actions with a reviewer", "reviewer", [["ask", []]], "for the action 'ask', which is none"),
    ("actions with a reviewer", "prices_", 3.0, "prices_ must be of type CapacityPrices"),
    ("threshold", "positive_", "neither", "positive_ must be one of the classes"),
    ("threshold", "goal_.name", "fame", "name must be one of recall"),
    ("threshold", "method_", "magic", "method_ must be one of threshold, refit"),
    ("threshold", "points_.at", at(0, np.nan), "none of them NaN"),
    ("threshold", "points_.outcomes.cost", lambda a: a[1:], r"of shape \(\d+\)"),
    ("threshold", "estimator_", {"type": "AdaMECClassifier"}, "estimator_ must be fitted"),
    ("threshold", "estimator", None, "estimator must be a classifier"),
    ("search", "best_index_", -1, "best_index_ must be from 0"),
    ("GBSE", "trees_.left", at(0, 0), "out of a tree, or back"),
    ("GBSE", "trees_.left", at(0, 10**6), "out of a tree, or back"),
    ("GBSE", "trees_.first", at(1, 10**6), "first does not cut the nodes into trees"),
    ("GBSE", "trees_.first", lambda a: a[[0, -1]], "trees_ has 1 trees after 6 rounds"),
    ("GBSE", "trees_.feature", at(0, 6), "trees_ tests features other than 0 to 5"),
    ("GBSE", "trees_.feature", at(0, -2), "feature must be that of a test, or -1 for a leaf"),
    ("GBSE", "trees_.accepts", at(0, 2), "accepts must be 0 or 1"),
    ("GBSE", "trees_.goes_left", lambda a: a[:, :3], r"goes_left must be an array of uint64"),
    ("GBSE", "bins_.n_cuts", at(0, 255), "n_cuts must be from 0 to 254"),
    ("GBSE", "bins_.n_cuts", at(0, 1), "cuts must be an array of float64"),
    ("GBSE", "bins_.cuts", lambda a: a[::-1].copy(), "cuts of feature 0 must rise"),
    ("GBSE, frame", "bins_.n_cuts", at(1, 1), "n_cuts must be 0 for a feature of categories"),
    ("GBSE", "bins_.categories", [1], "categories must be null or Categories"),
    ("GBSE", "n_classes_", 256, "n_classes_ must be from 2 to 255"),
    ("GBSE", "n_classes_", 2, r"classes_ must be 2 labels, got shape \(3,\)"),
    ("GBSE, frame", "alpha_", 0.0, "alpha_ must be null or a number above 0"),
    ("GBSE", "calibrator_", 1, "calibrator_ must be null or a DirichletCalibrator"),
    ("GBSE", "matrix_", at(1, -1.0), "matrix_ must be finite and not negative"),
    ("GBSE", "matrix_", lambda a: a[:2], "matrix_ must be an array of float64 of shape"),
    ("GBSE, calibrated", "calibrator_.codes_", at(0, 1), "codes_ must rise"),
    ("GBSE, calibrated", "calibrator_.codes_", at(2, 3), "codes_ must be below 3, got 3"),
    ("GBSE, calibrated", "calibrator_.weights_", at(0, np.nan), "weights_ be finite"),
    ("GBSE, calibrated", "calibrator_.weights_", lambda a: a[:2].copy(), "weights_ must be"),
    ("GBSE, calibrated", "calibrator_.offset_", at(0, np.inf), "offset_"),
    ("GBSE", "n_estimators", 0, "n_estimators must be"),
    ("GBSE", "estimator", {"type": "AdaBoostClassifier"}, "estimator must be null"),
    ("GBSE", "rows_used_", -1, "rows_used_ must be from 0"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "where", "value", "message"), CHANGES)
def test_models_that_are_not_sound(
    name: str, where: str, value: Any, message: str, tmp_path: Path
) -> None:
    tree, arrays = content(name)
    put(tree, arrays, where, value)
    with pytest.raises(ValueError, match=message):
        load(file_of(tree, arrays), tmp_path)


def test_a_column_of_lines_may_not_have_categories(tmp_path: Path) -> None:
    tree, arrays = content("CSLogitBoostClassifier")
    tree["categories_"][0] = {"type": "Categories", "labels": ["a"], "shared": False}
    with pytest.raises(ValueError, match="has lines, but a feature has categories"):
        load(file_of(tree, arrays), tmp_path)


def put_chain(depth: int, n_features: int) -> bytes:
    """The file of one tree, of which each test has a leaf on its left."""
    tree, arrays = content(STUMPS)
    tests = np.concatenate([[0], np.arange(2, 2 * depth, 2)])
    feature = np.full(2 * depth + 1, -1, dtype=np.int32)
    left, threshold = feature.copy(), np.full(feature.size, np.nan)
    feature[tests] = np.arange(depth) % n_features
    left[tests], threshold[tests] = tests + 1, np.arange(depth) // n_features
    new = {
        "first": np.array([0, feature.size], dtype=np.int32),
        "feature": feature,
        "left": left,
        "threshold": threshold,
        "missing_left": np.zeros(feature.size, dtype=np.uint8),
        "category_set": np.full(feature.size, -1, dtype=np.int32),
        "value": np.where(feature < 0, 0.5, 0.0),
        "gain": np.zeros(feature.size),
    }
    for name, array in new.items():
        put(tree, arrays, f"ensemble_.{name}", array)
    for name in ("estimator_weights_", "estimator_errors_", "train_cost_"):
        put(tree, arrays, name, lambda array: array[:1])
    tree["n_iter_"] = 1
    reached = np.zeros(feature.size, dtype=np.int32)
    reached[0] = 1
    for k in np.flatnonzero(feature >= 0):
        reached[new["left"][k] + 1] = reached[k]
    put(tree, arrays, "background_", reached)
    tree["votes_"] = float(abs(arrays[tree["estimator_weights_"]["number"]][0]))
    return file_of(tree, arrays)


@pytest.mark.parametrize(("depth", "n_features"), [(256, 1), (255 * 5 + 1, 5), (100_000, 5)])
def test_trees_deeper_than_training_makes_them(depth: int, n_features: int, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="tests of a feature below each other; a feature has at"):
        load(put_chain(depth, n_features), tmp_path)


def test_the_deepest_trees_can_be_used(tmp_path: Path) -> None:
    clf = load(put_chain(255 * 5, 5), tmp_path)
    rows = np.random.default_rng(0).uniform(0, 300, (20, 5))
    base = clf.explain(rows, rows, output="score")
    assert np.sum(base.values, axis=1) + base.base_values == pytest.approx(clf.raw_score(rows))
    assert len(to_shap(clf, rows)["trees"][0]["feature"]) == 2 * 255 * 5 + 1


def test_the_deepest_trees_that_training_makes_come_back(tmp_path: Path) -> None:
    """Alternating labels, and weights that fall: tests cut off the rows of one value each."""
    x = np.append(np.arange(254.0), np.nan)
    y = np.arange(255) % 2
    clf = CGAdaClassifier(estimator="tree", n_estimators=1, max_depth=None)
    clf.fit(
        np.repeat(x, 2)[:, None],
        np.repeat(y, 2),
        sample_weight=np.repeat(0.97 ** np.arange(255), 2),
    )
    assert np.sum(clf.ensemble_.feature >= 0) > 250
    assert most_tests_on_a_path(clf.ensemble_.feature, clf.ensemble_.left, 1) > 100
    costboost.save(clf, tmp_path / "deep")
    assert costboost.load(tmp_path / "deep").ensemble_ == clf.ensemble_


def test_trees_over_pairs_whose_nodes_have_two_parents(tmp_path: Path) -> None:
    tree, arrays = content("GBSE")
    left = arrays[tree["trees_"]["left"]["number"]]
    feature = arrays[tree["trees_"]["feature"]["number"]]
    inner = np.flatnonzero(feature >= 0)
    left[inner[0]] = left[inner[1]]
    with pytest.raises(ValueError, match="has two parents"):
        load(file_of(tree, arrays), tmp_path)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a", "a"], "must be different ones"),
        ([1, True], "must be different ones"),
        ([f"{k}" for k in range(256)], "at most 255"),
        ([None], "must be texts or numbers"),
        ([["a"]], "must be texts or numbers"),
        ([{"type": "float", "value": "nan"}], "must be texts or numbers"),
    ],
)
def test_categories_that_are_none(labels: list[Any], message: str, tmp_path: Path) -> None:
    tree, arrays = content(TREES)
    tree["categories_"][1]["labels"] = labels
    with pytest.raises(ValueError, match=message):
        load(file_of(tree, arrays), tmp_path)


def test_no_more_than_is_needed_is_imported_or_run(tmp_path: Path) -> None:
    """A file that names modules and functions does not import or call them."""
    tree, arrays = content(STUMPS)
    tree["stop_reason_"] = "__import__('antigravity')"
    tree["scoring"] = "antigravity.fly"
    clf = load(file_of(tree, arrays), tmp_path)
    assert clf.scoring == "antigravity.fly"
    assert "antigravity" not in sys.modules


def test_files_without_the_newest_parameters_take_defaults(tmp_path: Path) -> None:
    """Parameters can be added without another version of the format."""
    tree, arrays = content(STUMPS)
    del tree["negative_step"], tree["verbose"]
    clf = load(file_of(tree, arrays), tmp_path)
    assert (clf.negative_step, clf.verbose) == ("stop", 0)


@pytest.mark.parametrize("name", [STUMPS, THREE, "GBSE"])
def test_the_fingerprint_may_be_left_out(name: str, tmp_path: Path) -> None:
    """Files of format version 1 have no fingerprint."""
    tree, arrays = content(name)
    keys = tree.pop("fingerprint_")["keys"]["number"]
    without = [array for k, array in enumerate(arrays) if k != keys]
    again = load(file_of(_renumbered(tree, keys), without), tmp_path)
    assert again.model_.fingerprint is None


def _renumbered(tree: Any, gone: int) -> Any:
    """The tree without an array; later arrays are renumbered."""
    if isinstance(tree, list):
        return [_renumbered(one, gone) for one in tree]
    if not isinstance(tree, dict):
        return tree
    if tree.get("type") == "array":
        return tree | {"number": tree["number"] - (tree["number"] > gone)}
    return {key: _renumbered(part, gone) for key, part in tree.items()}


def test_wide_models_fit_their_budget(tmp_path: Path) -> None:
    rows = np.zeros((6, 20_000))
    rows[:3, 7_777] = 1
    clf = CGAdaClassifier(n_estimators=1).fit(rows, [0, 1, 1, 1, 0, 0])
    costboost.save(clf, tmp_path / "wide")
    again = costboost.load(tmp_path / "wide", max_bytes=2**23)
    assert again.ensemble_ == clf.ensemble_


def test_a_plain_unzip_can_read_it() -> None:
    with zipfile.ZipFile(io.BytesIO(saved(TREES))) as found:
        assert found.testzip() is None
        assert found.namelist()[:2] == [archive.MANIFEST, archive.MODEL]
        tree = json.loads(found.read(archive.MODEL))
        number = tree["ensemble_"]["threshold"]["number"]
        array = np.load(io.BytesIO(found.read(f"arrays/{number}.npy")), allow_pickle=False)
    np.testing.assert_array_equal(array, content(TREES)[1][number])


def test_models_of_many_arrays_are_refused_when_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 100)  # it is 65,535
    with pytest.raises(ValueError, match="it is too large for a model file"):
        archive.pack({}, [b""] * 101, "0.1.0")


# ---- classifiers inside others -------------------------------------------------------------------


def operating_point() -> Any:
    X, y = pd.DataFrame({"a": np.arange(40.0), "b": np.arange(40) % 3}), np.arange(40) > 15
    inner = LogitBoostClassifier(n_estimators=3, calibration="platt")
    return costboost.OperatingPointClassifier(inner, at_least=0.9, random_state=0).fit(X, y)


def test_a_classifier_inside_has_the_features_of_the_one_around_it(tmp_path: Path) -> None:
    clf = operating_point()
    clf.feature_names_in_ = np.array(["a", "c"], dtype=object)
    with pytest.raises(ValueError, match="feature_names_in_ of the classifier inside are others"):
        costboost.save(clf, tmp_path / "model")  # which reads what it has written


def test_a_positive_class_that_was_not_trained_is_not_exported(tmp_path: Path) -> None:
    """The parameter may be another one after the fit, whose positive class stays."""
    clf, graphs = operating_point(), []
    for label in (None, "none"):
        costboost.save(clf.set_params(pos_label=label), tmp_path / "model")
        graph = to_onnx(costboost.load(tmp_path / "model"))
        graphs.append(graph.SerializeToString(deterministic=True))
    assert graphs[0] == graphs[1]
