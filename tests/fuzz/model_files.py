"""Mutants of model files: changed in their content, with all checksums right, or in their bytes.

`case` makes the mutant of a number and loads it. ``load`` may raise a ValueError of a check; what
it loads must predict numbers for the rows that the model was trained on.
"""

from __future__ import annotations

import copy
import io
import pickle
import random
import tempfile
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
from files.crafting import Content, content, file_of, manifest_of, members, packed, saved
from files.examples import LABELS, NAMES, ROWS, X, rows_of
from numpy.typing import NDArray
from sklearn.linear_model import Ridge

import costboost
from costboost.app.reading.data_layout import DataLayout
from costboost.app.reading.errors import InputError
from costboost.calibration import CALIBRATORS
from costboost.io import archive, load_with_metadata
from costboost.io.models import CLASSES
from costboost.io.seal import N_DIGITS, sealed
from costboost.io.strict_json import read_json
from costboost.io.tree import UNFIT

N_ROWS = 24
NUMBERS: list[Any] = [0, 1, -1, 2, 3, 7, 64, 255, 256, 2**31 - 1, -(2**31), 2**32, 2**53, 2**63]
NUMBERS += [-(2**63), 2**64, 10**400, 0.0, -0.0, 0.5, -1.0, 5e-324, 1e-320, 1e16, 1e308, -1e308]
WORDS: list[Any] = ["", "auto", "stump", "tree", "votes", "nan", "inf", "-inf", "int64", "<U3"]
WORDS += ["positive", "balanced", "raise", "__class__", "\ud800", "x" * 300, "0"]
SETTINGS: list[Any] = [
    "stump",
    "tree",
    "lookup",
    "linear",
    "logistic",
    "votes",
    "platt",
    "isotonic",
]
SETTINGS += ["dirichlet", "random", "keep", "stop", "sqrt", "loo", "balanced", "uniform", "cost"]
SETTINGS += ["no_interactions", "pairwise", "newton", "sick", "red", 0, 1, 2, 3, 7, 0.1, 0.5, 3.0]
SETTINGS += [None, True, False, [0, 0, 1], [[0, 1]], {"type": "tuple", "items": [1, 2]}]
"""Values that parameters may have, each of them only some."""
VALUES: list[Any] = [None, True, False, [], {}, [None], [[]], {"type": "float", "value": "nan"}]
VALUES += [{"type": "float", "value": "inf"}, {"type": "array", "number": 0}, {"type": "tuple"}]
VALUES += [{"type": "tuple", "items": []}, {"type": "dict", "items": [["a", 1]]}]
TYPES = [
    "array", "float", "tuple", "dict", "labels", "scalar", "masked", "Trees", "Lines", "Categories",
    "Costs", "Fingerprint", "Goal", "Points", "Outcomes", "OneVsRest", "Bins", "PairTrees",
    "CapacityPrices", "Distribution", "AdaBoostClassifier", "CostBoostClassifier", "GBSEClassifier",
    "LogOddsCalibrator", "IsotonicCalibrator", "ActionClassifier", "CostSearchCV", "Ridge", "os",
]  # fmt: skip
PARAMETERS = {
    cls.__name__: sorted(signature(cls).parameters) for cls in CLASSES if hasattr(cls, "get_params")
}
"""Names of the parameters of each estimator that a file can hold."""
DTYPES = ["i1", "i2", "i4", "i8", "u1", "u4", "u8", "f2", "f4", "f8", "c16", "?", "S3"]


# ---- content -------------------------------------------------------------------------------------


def places(tree: Any) -> list[tuple[Any, Any]]:
    """All (container, key) in a tree of JSON."""
    keys = range(len(tree)) if isinstance(tree, list) else list(tree)
    found = [(tree, key) for key in keys]
    for key in keys:
        if isinstance(tree[key], (list, dict)):
            found += places(tree[key])
    return found


def change_tree(draw: random.Random, tree: Any) -> None:
    """Replace, remove, copy, repeat or rename something in the JSON."""
    found = places(tree)
    at, key = draw.choice(found)
    value = at[key]
    how = draw.choice(["replace", "replace", "near", "remove", "copy", "rename", "repeat", "key"])
    if how == "remove":
        del at[key]
    elif how == "copy":
        other, place = draw.choice(found)
        if len(str(other[place])) < 2000:
            at[key] = copy.deepcopy(other[place])
    elif how == "near" and isinstance(value, (int, float)):
        half = value / 2 if abs(value) < 1e300 else value // 2
        at[key] = draw.choice([value + 1, value - 1, -value, value * 2, half, not value])
    elif how == "rename" and isinstance(at, dict) and "type" in at:
        at["type"] = draw.choice(TYPES)
    elif how == "repeat" and isinstance(value, list):
        at[key] = value * draw.choice([0, 2, 3])
    elif how == "key" and isinstance(at, dict):
        at[draw.choice([*map(str, at), "more"])] = at.pop(key)
    else:
        at[key] = copy.deepcopy(draw.choice(draw.choice([NUMBERS, WORDS, VALUES])))


def change_parameter(draw: random.Random, tree: Any) -> None:
    """Set a parameter of an estimator to a value that some parameter may have."""
    found = [
        (at[key], name)
        for at, key in [*places(tree), ([tree], 0)]
        if isinstance(at[key], dict) and str(at[key].get("type")) in PARAMETERS
        for name in PARAMETERS[at[key]["type"]]
    ]
    if found:
        at, key = draw.choice(found)
        at[key] = copy.deepcopy(draw.choice(SETTINGS))


def change_array(draw: random.Random, arrays: list[NDArray[Any]]) -> None:
    """Other values, length, shape, order or type."""
    if not arrays:
        return
    k = draw.randrange(len(arrays))
    array, how = arrays[k].copy(), draw.choice([*["value"] * 5, *ARRAY_CHANGES])
    if how == "value" and array.size:
        values = [*NUMBERS, np.nan, np.inf, -np.inf, array.size, array.size - 1, array.flat[0]]
        for _ in range(draw.choice([1, 1, 2, array.size])):
            array.flat[draw.randrange(array.size)] = _as(draw.choice(values), array.dtype)
    elif how == "swap":
        other = draw.randrange(len(arrays))
        array, arrays[other] = arrays[other], array
    elif how != "value":
        array = ARRAY_CHANGES[how](array, draw)
    arrays[k] = array


def _as(value: Any, dtype: np.dtype[Any]) -> Any:
    """A value as an array of the type would hold it; what cannot be held is cut off."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if isinstance(value, int) and dtype.kind in "iu":
            bits = 8 * dtype.itemsize
            value %= 2**bits
            return value - 2**bits if dtype.kind == "i" and value >= 2 ** (bits - 1) else value
        if isinstance(value, int) and abs(value) > 10**300:
            return np.array(np.inf).astype(dtype)
        return np.array(value).astype(dtype)


def _cast(array: NDArray[Any], draw: random.Random) -> NDArray[Any]:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return array.astype(draw.choice(DTYPES))


ARRAY_CHANGES: dict[str, Callable[[NDArray[Any], random.Random], NDArray[Any]]] = {
    "shift": lambda array, draw: np.roll(array, draw.randint(-3, 3)),
    "turn": lambda array, draw: array[::-1].copy(),
    "cut": lambda array, draw: array[: draw.randint(0, len(array))],
    "longer": lambda array, draw: np.concatenate([array, array[: draw.randint(0, len(array))]]),
    "type": _cast,
    "shape": lambda array, draw: array.reshape(draw.choice([(-1,), (1, -1), (-1, 1)])),
    "same": lambda array, draw: np.full_like(array, array.flat[0]) if array.size else array,
    "swap": lambda array, draw: array,
}


# ---- bytes ---------------------------------------------------------------------------------------


def changed_bytes(draw: random.Random, data: bytes) -> bytes:
    """The bytes with a few changes."""
    changed = bytearray(data)
    for _ in range(draw.randint(1, 4)):
        if changed:
            changed[draw.randrange(len(changed))] = draw.choice([0, 1, 127, 128, 255, 10, 34, 44])
    if changed and draw.random() < 0.3:
        begin = draw.randrange(len(changed))
        del changed[begin : begin + draw.randint(0, 40)]
    if changed and draw.random() < 0.2:
        begin = draw.randrange(len(changed))
        changed[begin:begin] = changed[begin : begin + draw.randint(0, 60)]
    return bytes(changed)


def changed_file(draw: random.Random, name: str) -> bytes:
    """The file with changed bytes under a right seal."""
    return sealed(changed_bytes(draw, saved_file(name)[:-N_DIGITS]) + b"0" * 64)


def changed_member(draw: random.Random, name: str) -> bytes:
    """The file with a changed member that its manifest describes: JSON or an array as bytes."""
    parts = members(saved_file(name))
    one = draw.choice(list(parts))
    how = draw.random()
    if how < 0.7:
        parts[one] = changed_bytes(draw, parts[one])
    elif how < 0.8:
        parts.pop(one)
    elif how < 0.9:
        parts[draw.choice(["arrays/0.npy", "arrays/99.npy", "more.json"])] = parts[one]
    else:
        parts[one] = b""
    return packed([(archive.MANIFEST, manifest_of(parts, format_version=2)), *parts.items()])


def changed_content(draw: random.Random, name: str) -> bytes:
    """The file of a changed model."""
    tree, arrays = base(name)
    for _ in range(draw.choice([1, 1, 1, 2, 3])):
        how = draw.random()
        if how < 0.4:
            change_array(draw, arrays)
        elif how < 0.8:
            change_tree(draw, tree)
        else:
            change_parameter(draw, tree)
    return file_of(tree, arrays)


# ---- models --------------------------------------------------------------------------------------

OTHERS = [
    "estimated costs",
    "from the command line",
    *(f"calibrator: {one}" for one in CALIBRATORS),
]
BASES = [*NAMES, *OTHERS]


@cache
def other(name: str) -> Any:
    """A model that the examples of the tests of files do not have."""
    if name == "estimated costs":
        clf = costboost.EstimatedCostClassifier(
            costboost.algorithms.AdaMECClassifier(n_estimators=4), Ridge(), fp_cost=2.0
        )
        amount = np.abs(X[:, 0]) * 10 + 1
        return clf.fit(X, LABELS["int"], fn_cost=amount)
    if name == "from the command line":
        return costboost.algorithms.AdaMECClassifier(n_estimators=4).fit(X, LABELS["text"])
    probability = np.linspace(0.01, 0.99, len(X))
    return CALIBRATORS[name.removeprefix("calibrator: ")]().fit(probability, LABELS["int"])


LAYOUT = {
    "columns": [{"name": f"x{k}", "kind": "number"} for k in range(5)],
    "target": "y",
    "positive": "well",
    "against_rest": False,
    "fn_cost": 1.0,
    "fp_cost": "price",
    "classes": [],
    "matrix": [],
}


@cache
def _base(name: str) -> bytes:
    """JSON and arrays of a model's file, pickled: that is copied faster than by deepcopy."""
    return pickle.dumps(_content(name))


def _content(name: str) -> Content:
    if name in NAMES:
        return content(name)
    tree = members(saved_file(name))
    arrays = [tree.pop(f"arrays/{k}.npy") for k in range(len(tree)) if f"arrays/{k}.npy" in tree]
    return read_json(tree[archive.MODEL], lambda _: None), [_array(one) for one in arrays]


def _array(data: bytes) -> NDArray[Any]:
    return np.load(io.BytesIO(data), allow_pickle=False)


def base(name: str) -> Content:
    """JSON and arrays of a model's file, to be changed."""
    found: Content = pickle.loads(_base(name))
    return found


@cache
def saved_file(name: str) -> bytes:
    """The file of a model."""
    if name in NAMES:
        return saved(name)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        layout = {"layout": LAYOUT} if name == "from the command line" else None
        costboost.save(other(name), path, metadata=layout)
        return path.read_bytes()


@cache
def rows(name: str) -> Any:
    """A few rows that the model can predict."""
    of = rows_of(name) if name in NAMES else ROWS["plain"]
    return of[:N_ROWS]


# ---- cases ---------------------------------------------------------------------------------------


def mutant(number: int) -> tuple[str, bytes]:
    """The mutant of a number, and the name of the model that it was made from."""
    draw = random.Random(number)
    name = BASES[number % len(BASES)]
    how = draw.choice([*[changed_content] * 6, changed_member, changed_member, changed_file])
    return name, how(draw, name)


def prepare() -> None:
    """Fit all models, so that the processes of the cases share them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in BASES:
            base(name), saved_file(name), rows(name)


def case(number: int) -> str:
    """Load the mutant of a number; the model that it holds must predict numbers."""
    name, data = mutant(number)
    path = Path(_folder()) / "mutant.costboost"
    path.write_bytes(data)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            found, metadata = load_with_metadata(path)
        except ValueError as error:
            _check_error(error, path)
            return "refused"
        if "layout" in metadata:
            _check_layout(metadata["layout"])
        return _check_model(found, rows(name), name)


def _check_error(error: ValueError, path: Path) -> None:
    """Assert that the error is one of a check, and names the file."""
    cause: BaseException = error
    while cause.__cause__ is not None:
        cause = cause.__cause__
    assert isinstance(cause, ValueError) or not isinstance(cause, UNFIT), repr(cause)
    assert str(error).startswith(str(path)), error


def _check_layout(layout: Any) -> None:
    with suppress(InputError):
        DataLayout.from_dict(layout)


def _check_model(found: Any, X: Any, name: str) -> str:
    """Use a loaded model in all ways in which it can be used."""
    repr(found), found.get_params()
    if not hasattr(found, "predict"):
        values = found.predict_proba(np.linspace(0, 1, 50))
        assert np.isfinite(values).all()
        return "loaded"
    used = 0
    for method in ("decision_function", "predict_proba", "predict", "expected_costs"):
        if hasattr(found, method):
            used += _check_method(found, method, X)
    if hasattr(found, "feature_importances_") and used:
        assert np.isfinite(found.feature_importances_).all()
    if hasattr(found, "staged_predict_proba") and used:
        assert all(np.isfinite(one).all() for one in found.staged_predict_proba(X))
    if used:
        _check_explanation(found, X)
        _check_copies(found, X)
    return "loaded" if used else "not usable"


def _check_method(found: Any, method: str, X: Any) -> bool:
    """Whether a method takes the rows; its results must be numbers, or classes of the model."""
    try:
        values = np.asarray(getattr(found, method)(X))
    except ValueError:
        if method != "expected_costs" and _takes(found, X):
            raise
        return False
    except AttributeError:  # a search that was not refitted
        if type(found).__name__ != "CostSearchCV":
            raise
        return False
    assert len(values) == len(X)
    if method == "predict_proba":
        assert np.isfinite(values).all()
        assert ((values >= 0) & (values <= 1)).all()
    elif method != "predict":
        assert not np.isnan(values).any()
    return True


def _takes(found: Any, X: Any) -> bool:
    """Whether a model has the features of the rows, and of the kinds of their columns."""
    if getattr(found, "n_features_in_", None) != X.shape[1]:
        return False
    names = getattr(found, "feature_names_in_", None)
    columns = getattr(X, "columns", None)
    if columns is not None or names is not None:
        return columns is not None and names is not None and list(columns) == list(names)
    return True


def _check_explanation(found: Any, X: Any) -> None:
    """Shapley values are numbers where the kind of model has them."""
    if hasattr(found, "explain"):
        with suppress(ValueError):  # weak learners without explanations, or too many features
            assert np.isfinite(found.explain(X[:5]).values).all()


def _check_copies(found: Any, X: Any) -> None:
    """A model that was loaded can be saved and exported; the copy predicts the same."""
    path = Path(_folder()) / "copy.costboost"
    costboost.save(found, path)
    again = costboost.load(path)
    np.testing.assert_array_equal(again.predict(X), found.predict(X))
    with suppress(ValueError):  # what ONNX or shap cannot express
        costboost.export.to_onnx(found)
    with suppress(ValueError):
        costboost.export.to_shap(found)


@cache
def _folder() -> str:
    return tempfile.mkdtemp(prefix="costboost-fuzz-")
