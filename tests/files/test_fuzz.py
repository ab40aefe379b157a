"""Randomly changed files raise a ValueError, or load as a model that predicts numbers."""

from __future__ import annotations

import copy
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from files.crafting import content, file_of, load, saved
from files.examples import PREDICTING, rows_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from costboost.files.archive import sealed
from costboost.files.tree import UNFIT

BASES = [
    "AdaMECClassifier", "CSLogitBoostClassifier", "WeightBoostClassifier", "CSAdaClassifier",
    "AsymAdaClassifier", "CostBoostClassifier", "tree with categories", "stump with categories",
    "lookup with a shared code", "isotonic", "beta", "platt", "balanced", "no rounds",
    "stopped early", "threshold", "refit", "search", "search in threshold",
    "three classes: AdaMECClassifier", "three classes: CostBoostClassifier",
]  # fmt: skip
assert set(BASES) <= set(PREDICTING)

NUMBERS = [
    0,
    1,
    -1,
    2,
    3,
    255,
    256,
    2**31 - 1,
    -(2**31),
    2**63,
    0.0,
    0.5,
    -1.0,
    1e-320,
    1e308,
    -1e308,
]
SINGLE = st.one_of(
    st.sampled_from([*NUMBERS, None, True, False, "", "auto", "stump", "tree", "votes", "nan"]),
    st.sampled_from([[], {}, [None], {"type": "float", "value": "nan"}]),
    st.integers(-10, 10),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=3),
)
TYPES = [
    "array", "float", "tuple", "dict", "labels", "scalar", "Trees", "Lines", "Costs", "Goal",
    "OneVsRest",
]  # fmt: skip


def places(tree: Any) -> list[tuple[Any, Any]]:
    """All (container, key) in a tree of JSON."""
    keys = range(len(tree)) if isinstance(tree, list) else list(tree)
    found = [(tree, key) for key in keys]
    for key in keys:
        if isinstance(tree[key], (list, dict)):
            found += places(tree[key])
    return found


def change_tree(data: st.DataObject, tree: Any) -> None:
    """Replace, remove or copy something in the JSON."""
    found = places(tree)
    at, key = found[data.draw(st.integers(0, len(found) - 1))]
    how = data.draw(st.sampled_from(["replace", "replace", "remove", "copy", "rename"]))
    if how == "remove":
        del at[key]
    elif how == "copy":
        other, place = found[data.draw(st.integers(0, len(found) - 1))]
        if not isinstance(other[place], (list, dict)):
            at[key] = other[place]
    elif how == "rename" and isinstance(at, dict) and "type" in at:
        at["type"] = data.draw(st.sampled_from(TYPES))
    else:
        at[key] = copy.deepcopy(data.draw(SINGLE))


def change_array(data: st.DataObject, arrays: list[NDArray[Any]]) -> None:
    """Another value, length, shape or type."""
    k = data.draw(st.integers(0, len(arrays) - 1))
    array = arrays[k].copy()
    how = data.draw(st.sampled_from(["value", "value", "value", "shift", "cut", "type", "shape"]))
    if how == "value" and array.size:
        place = data.draw(st.integers(0, array.size - 1))
        values = [*NUMBERS, np.nan, np.inf, -np.inf, array.size, array.size - 1, array.flat[0]]
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = np.array(data.draw(st.sampled_from(values)))
            array.flat[place] = value.astype(array.dtype)
    elif how == "shift":
        array = np.roll(array, data.draw(st.integers(-3, 3)))
    elif how == "cut":
        array = array[: data.draw(st.integers(0, len(array)))]
    elif how == "type":
        with np.errstate(all="ignore"):
            array = array.astype(
                data.draw(st.sampled_from(["i1", "i4", "i8", "u1", "f4", "f8", "?"]))
            )
    elif how == "shape":
        array = array.reshape(data.draw(st.sampled_from([(-1,), (1, -1), (-1, 1)])))
    arrays[k] = array


def check_loaded(clf: Any, rows: Any) -> None:
    """Assert that a model predicts without NaN."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = [clf.decision_function(rows), clf.predict_proba(rows)]
            called = clf.predict(rows)
        except ValueError:  # other features than those of the rows
            return
        assert not any(np.isnan(one).any() for one in found)
        assert set(called.tolist()) <= set(clf.classes_.tolist())
        if hasattr(clf, "staged_predict_proba"):
            assert not any(np.isnan(one).any() for one in clf.staged_predict_proba(rows))
            assert not np.isnan(clf.feature_importances_).any()
        clf.get_params()
        repr(clf)


def try_to_load(file: bytes, name: str, folder: Path) -> bool:
    """Whether a file can be loaded; errors must be those of a check."""
    try:
        clf = load(file, folder)
    except ValueError as error:
        cause: BaseException = error
        while cause.__cause__ is not None:
            cause = cause.__cause__
        assert isinstance(cause, ValueError) or not isinstance(cause, UNFIT), repr(cause)
        return False
    check_loaded(clf, rows_of(name))
    return True


SETTINGS = settings(
    deadline=None,
    derandomize=True,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@pytest.mark.parametrize("name", BASES)
@SETTINGS
@given(data=st.data())
def test_changed_content(name: str, tmp_path: Path, data: st.DataObject) -> None:
    tree, arrays = content(name)
    for _ in range(data.draw(st.integers(1, 3))):
        if data.draw(st.booleans()):
            change_array(data, arrays)
        else:
            change_tree(data, tree)
    try_to_load(file_of(tree, arrays), name, tmp_path)


@pytest.mark.parametrize("name", ["AdaMECClassifier", "tree with categories", "threshold"])
@SETTINGS
@given(data=st.data())
def test_changed_bytes_under_a_right_seal(name: str, tmp_path: Path, data: st.DataObject) -> None:
    file = bytearray(saved(name))
    for _ in range(data.draw(st.integers(1, 4))):
        k = data.draw(st.integers(0, len(file) - 65))
        file[k] = data.draw(st.integers(0, 255))
    if data.draw(st.booleans()):
        begin = data.draw(st.integers(0, len(file) - 65))
        del file[begin : begin + data.draw(st.integers(0, 40))]
    try_to_load(sealed(bytes(file)), name, tmp_path)


def test_the_unchanged_content_loads(tmp_path: Path) -> None:
    """Check that some changed files do load, so that the tests above are not trivial."""
    for name in BASES:
        assert try_to_load(file_of(*content(name)), name, tmp_path)
