"""onnxruntime computes scores, probabilities and decisions with the bits of the classifiers."""

from __future__ import annotations

import json
import sys
import warnings
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from export import onnx_cases as cases
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

import costboost
from costboost import algorithms
from costboost._core import arithmetic
from costboost.algorithms import REGISTRY
from costboost.export import to_onnx
from costboost.multiclass import GBSEClassifier

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

pytestmark = [
    pytest.mark.complete,
    pytest.mark.filterwarnings("ignore:.*added no learner:UserWarning"),
]

BOOSTING = [entry for entry in algorithms.REGISTRY.values() if not entry.several]
NAMES = [entry.name for entry in BOOSTING]


def learners_of(name: str) -> list[str | None]:
    return [
        one
        for one in cases.LEARNERS
        if one is None or one in algorithms.REGISTRY[name].rule.learners
    ]


def every() -> list[tuple[str, str | None, str | None, int]]:
    """All classifiers, learners, calibrations and numbers of classes that go together."""
    return [
        (name, learner, calibration, k)
        for name in NAMES
        for learner, calibration, k in product(learners_of(name), cases.CALIBRATIONS, (2, 3))
        if k == 2 or learner in (None, "tree")
    ]


def some_of_each() -> list[tuple[str, str | None, str | None, int]]:
    """Every classifier once, and learners, calibrations and numbers of classes in turn."""
    chosen = []
    for n, name in enumerate(NAMES):
        own = learners_of(name)
        k = 3 if n % 4 == 3 else 2
        learner = None if k == 3 else own[n % len(own)]
        chosen.append((name, learner, cases.CALIBRATIONS[n % len(cases.CALIBRATIONS)], k))
    return chosen


def check(name: str, learner: str | None, calibration: str | None, n_classes: int) -> None:
    own = {} if learner is None else {"estimator": learner}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf, X = cases.fitted(name, n_classes, calibration=calibration, **own)
        cases.assert_same_bits(clf, X)


@pytest.mark.parametrize(("name", "learner", "calibration", "n_classes"), some_of_each())
def test_some_of_every_classifier(
    name: str, learner: str | None, calibration: str | None, n_classes: int
) -> None:
    check(name, learner, calibration, n_classes)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "learner", "calibration", "n_classes"), every())
def test_every_classifier(
    name: str, learner: str | None, calibration: str | None, n_classes: int
) -> None:
    check(name, learner, calibration, n_classes)


@pytest.mark.parametrize("calibration", cases.CALIBRATIONS)
def test_every_calibrator_of_a_stack(calibration: str | None) -> None:
    clf, X = cases.fitted("CostBoost", calibration=calibration, n_estimators=6)
    cases.assert_same_bits(clf, X)


def test_ten_classes() -> None:
    """NumPy adds eight and more terms in another order than fewer."""
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(400, 3)))
    y = random.integers(0, 10, 400)
    clf = costboost.CostBoostClassifier(n_estimators=3, random_state=0).fit(X.to_numpy(), y)
    run = cases.session(to_onnx(clf))
    found = run.run(["probabilities"], {"X": X.to_numpy()})[0]
    np.testing.assert_array_equal(found, clf.predict_proba(X.to_numpy()))
    matrix = random.uniform(0, 3, (10, 10))
    np.fill_diagonal(matrix, 0)
    label = run.run(["label"], {"X": X.to_numpy(), "cost_matrix": matrix[None]})[0]
    np.testing.assert_array_equal(label, clf.predict(X.to_numpy(), cost_matrix=matrix))


# ---- exponentials and logarithms -----------------------------------------------------------------

SPECIAL = [
    0.0, -0.0, 1.0, -1.0, 0.5, 0.3, 0.65, 0.41, -0.29, 1e-17, -1e-17, 2.0**-54, -(2.0**-54), 5e-324,
    1e-320, 2.0**-1022, 1e308, -1e308, 708.0, -708.0, 709.78, 709.79, -745.13, -745.14, -720.5,
    np.inf, -np.inf, np.nan,
]  # fmt: skip


@pytest.fixture(scope="module")
def functions() -> dict[str, Any]:
    """A session for each function, of one vector x."""
    from costboost.export import graph as graphs

    made = {}
    for name in ("exp", "log", "log1p", "expit", "logit"):
        graph = graphs.Graph()
        graph.rename(getattr(arithmetic, name)(graphs.Symbol(graph, "x")), "y")
        helper, double = graph.helper, partial(graphs.double, graph.helper)
        written = helper.make_graph(
            graph.nodes, name, [double("x", ["n"])], [double("y", ["n"])],
            initializer=list(graph.constants.values()),
        )  # fmt: skip
        opsets = [helper.make_opsetid("", graphs.OPSET)]
        made[name] = cases.session(
            helper.make_model(written, opset_imports=opsets, ir_version=graphs.IR_VERSION)
        )
    return made


def assert_functions(functions: dict[str, Any], x: np.ndarray) -> None:
    for name, run in functions.items():
        with np.errstate(all="ignore"):
            wanted = getattr(arithmetic, name)(x)
        np.testing.assert_array_equal(run.run(None, {"x": x})[0], wanted, err_msg=name)


def test_functions_have_our_bits(functions: dict[str, Any]) -> None:
    random = np.random.default_rng(0)
    n = 20_000
    spread = random.normal(size=n) * 10 ** random.uniform(-12, 3, n)
    near_one = 1 - 10 ** random.uniform(-16, -1, n)
    powers = 2.0 ** random.uniform(-1074, 1023, n)
    parts = [
        SPECIAL,
        spread,
        near_one,
        powers,
        random.uniform(0, 1, n),
        random.uniform(-750, 720, n),
    ]
    assert_functions(functions, np.concatenate(parts))


@given(x=st.lists(st.floats(), min_size=1, max_size=50))
def test_functions_of_any_numbers(functions: dict[str, Any], x: list[float]) -> None:
    assert_functions(functions, np.array(x))


# ---- values of all kinds -------------------------------------------------------------------------


def on_thresholds(clf: Any, dtype: Any = np.float64) -> np.ndarray:
    """Rows of a model of numbers whose values are on, just above and just below thresholds."""
    ensemble, d = clf.ensemble_, clf.n_features_in_
    columns = []
    for j in range(d):
        cut = ensemble.threshold[ensemble.feature == j]
        cut = cut[np.isfinite(cut)] if np.isfinite(cut).any() else np.zeros(1)
        cut = cut.astype(dtype)
        up, down = np.nextafter(cut, dtype(np.inf)), np.nextafter(cut, dtype(-np.inf))
        columns.append(np.concatenate([cut, up, down, [np.nan]]).astype(dtype))
    size = max(len(column) for column in columns)
    return np.column_stack([np.resize(column, size) for column in columns])


@pytest.mark.parametrize("learner", ["stump", "tree", "lookup", "logistic"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_values_on_thresholds(learner: str, dtype: str) -> None:
    X, y = cases.problem()
    numbers = X[["a", "b", "c", "d"]].to_numpy()
    clf = costboost.algorithms.AdaMECClassifier(estimator=learner, n_estimators=30).fit(numbers, y)
    rows = on_thresholds(clf, getattr(np, dtype))
    assert rows.dtype == dtype
    run = cases.session(to_onnx(clf, dtype=dtype))
    score, probabilities, label = run.run(None, {"X": rows})
    np.testing.assert_array_equal(score, clf.raw_score(rows))
    np.testing.assert_array_equal(probabilities, clf.predict_proba(rows))
    np.testing.assert_array_equal(label, clf.predict(rows))


@pytest.mark.parametrize("name", ["AdaBoost", "CostBoost"])
def test_infinite_values_are_beyond_all_thresholds(name: str) -> None:
    """`predict` refuses them; a graph cannot, and compares them as the greatest numbers."""
    X, y = cases.problem()
    numbers = X[["a", "c", "d"]].to_numpy()
    for learner in ("stump", "tree", "logistic") if name == "AdaBoost" else ("tree",):
        clf = REGISTRY[name].cls(estimator=learner, n_estimators=9)
        clf.fit(numbers, y)
        infinite = np.where(numbers > 0.5, np.inf, np.where(numbers < -0.5, -np.inf, numbers))
        great = np.nan_to_num(infinite, posinf=np.finfo(float).max, neginf=np.finfo(float).min)
        found = cases.session(to_onnx(clf)).run(["score"], {"X": infinite})[0]
        np.testing.assert_array_equal(found, clf.raw_score(great))


@pytest.mark.filterwarnings("ignore:.*categories that training had no rows of")
@pytest.mark.parametrize("estimator", ["stump", "tree", "lookup"])
def test_categories_not_seen_in_training(estimator: str) -> None:
    clf, X = cases.fitted("LogitBoost", estimator=estimator, n_estimators=20)
    other = X.assign(e=pd.Categorical(["never seen"] * len(X)))
    nothing = X.assign(e=pd.Categorical([None] * len(X)))
    for rows in (other, nothing):
        cases.assert_same_bits(clf, rows)


def test_many_categories_share_the_last_code() -> None:
    random = np.random.default_rng(0)
    X = pd.DataFrame({"t": pd.Categorical(random.integers(0, 60, 600).astype(str))})
    y = (X.t.astype(int) % 7 < 3).to_numpy() ^ (random.uniform(size=600) < 0.1)
    clf = costboost.algorithms.LogitBoostClassifier(
        max_bins=16, n_estimators=10, estimator="tree"
    ).fit(X, y)
    assert clf.model_.coders[0].shared
    cases.assert_same_bits(clf, X)


def test_categories_that_are_numbers() -> None:
    random = np.random.default_rng(0)
    X = np.column_stack([random.choice([1.5, 2.0, 7.0, np.nan], 300), random.normal(size=300)])
    y = (X[:, 0] == 2) ^ (X[:, 1] > 1)
    clf = costboost.algorithms.RealBoostClassifier(categorical_features=[0], n_estimators=5).fit(
        X, y
    )
    rows = X.copy()
    rows[:9, 0] = 3.0
    inputs = {"x0": rows[:, :1], "x1": rows[:, 1:]}
    found = cases.session(to_onnx(clf)).run(["score", "label"], inputs)
    np.testing.assert_array_equal(found[0], clf.raw_score(rows))
    np.testing.assert_array_equal(found[1], clf.predict(rows))
    with pytest.raises(ValueError, match="export with dtype="):
        to_onnx(
            costboost.algorithms.RealBoostClassifier(categorical_features=[0]).fit(X + 0.1, y),
            dtype="float32",
        )


def test_codes_in_a_matrix() -> None:
    clf, X = cases.fitted("AdaMEC", estimator="tree")
    codes = X.assign(e=X.e.cat.codes.where(X.e.notna()).astype(float)).to_numpy(dtype=float)
    assert list(clf.model_.coders[4].code_of) == list(X.e.cat.categories)
    found = cases.session(to_onnx(clf, inputs="matrix")).run(["score"], {"X": codes})[0]
    np.testing.assert_array_equal(found, clf.raw_score(X))


# ---- costs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("calibration", [None, "platt"])
@pytest.mark.parametrize("pos_label", [0, 1])
def test_costs_of_right_predictions(calibration: str | None, pos_label: int) -> None:
    X, y = cases.problem()
    clf = costboost.algorithms.AdaMECClassifier(
        n_estimators=5,
        calibration=calibration,
        pos_label=pos_label,
        fn_cost=4,
        tp_cost=1,
        tn_cost=0.5,
    ).fit(X, y)
    run, rows = cases.assert_same_bits(clf, X), cases.feed(X)
    random = np.random.default_rng(0)
    for tp in (0.0, 3.0, -2.0, 7.0):  # with 7, no prediction of the positive class pays
        tn = random.uniform(-1, 0.5, len(X))
        inputs = {"fn_cost": np.array([5.0]), "tp_cost": np.array([tp]), "tn_cost": tn}
        found = run.run(["label"], rows | inputs)[0]
        wanted = clf.predict(X, fn_cost=5.0, tp_cost=tp, tn_cost=tn)
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_sample_that_kept_few_negatives(n_classes: int) -> None:
    X, y = cases.problem(n_classes)
    kept = {0: 0.1}
    clf = costboost.CostBoostClassifier(n_estimators=5, random_state=0)
    cases.assert_same_bits(clf.fit(X, y, sampling=kept), X)


def test_costs_may_be_left_out() -> None:
    clf, X = cases.fitted("CostBoost")
    written = to_onnx(clf, costs=False)
    assert [one.name for one in written.graph.input] == list(X.columns)
    found = cases.session(written).run(["label"], cases.feed(X))[0]
    np.testing.assert_array_equal(found, clf.predict(X))


def test_a_classifier_of_fixed_costs_takes_none() -> None:
    clf, X = cases.fitted("CSAda")
    assert not clf.decides_by_cost
    assert [one.name for one in to_onnx(clf).graph.input] == list(X.columns)


# ---- other settings ------------------------------------------------------------------------------


def test_the_functions_of_the_runtime_are_close() -> None:
    clf, X = cases.fitted("CostBoost")
    exact, fast = to_onnx(clf), to_onnx(clf, exact=False)
    assert len(fast.graph.node) < len(exact.graph.node) / 4
    score, probabilities, label = cases.session(fast).run(None, cases.feed(X))
    np.testing.assert_array_equal(score, clf.raw_score(X))
    np.testing.assert_allclose(probabilities, clf.predict_proba(X), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(label, clf.predict(X))


@pytest.mark.parametrize(
    "classes", [["no", "yes"], [False, True], [-1, 5], [1.0, 2.0], ["a", "b", "ü"]]
)
def test_labels_of_all_types(classes: list[Any]) -> None:
    X, y = cases.problem(len(classes))
    clf = costboost.CostBoostClassifier(n_estimators=3, random_state=0).fit(X, np.array(classes)[y])
    cases.assert_same_bits(clf, X)


def test_no_round() -> None:
    X, y = np.zeros((10, 2)), np.array([0, 1] * 5)
    for name in ("AdaBoost", "AdaMEC"):
        clf = REGISTRY[name].cls().fit(X, y)
        assert clf.n_iter_ == 0
        found = cases.session(to_onnx(clf)).run(None, {"X": X})
        np.testing.assert_array_equal(found[0], clf.raw_score(X))
        np.testing.assert_array_equal(found[1], clf.predict_proba(X))
        np.testing.assert_array_equal(found[2], clf.predict(X))


def test_the_file_and_its_notes(tmp_path: Path) -> None:
    import onnx

    clf, _ = cases.fitted("CostBoost")
    written = to_onnx(clf, tmp_path / "model.onnx")
    again = onnx.load(tmp_path / "model.onnx")
    assert again.SerializeToString() == written.SerializeToString()
    notes = {one.key: one.value for one in again.metadata_props}
    assert json.loads(notes["classes"]) == [0, 1]
    assert json.loads(notes["positive"]) == 1
    assert json.loads(notes["categories"])["4"]["labels"] == sorted(cases.TEXTS)
    assert again.producer_name == "costboost"
    assert to_onnx(clf).SerializeToString() == written.SerializeToString()


def test_a_search_is_its_best_classifier() -> None:
    clf, X = cases.fitted("AdaMEC")
    _, y = cases.problem()
    search = costboost.CostSearchCV(clf, fn_costs=[1, 2], cv=2).fit(X, y)
    assert to_onnx(search).graph.node == to_onnx(search.best_estimator_).graph.node


POINTS: list[dict[str, Any]] = [
    {"at_least": 0.9},
    {"at_least": 0.8, "pos_label": 0},
    {"target": "precision", "at_least": 0.8, "method": "refit", "fn_costs": [0.2, 1.0]},
    {"at_least": 0.7, "guarantee": 0.7},
    {"at_least": 1.0},
]


@pytest.mark.filterwarnings("ignore:the cheapest way:UserWarning")
@pytest.mark.parametrize("goal", POINTS, ids=str)
def test_operating_points(goal: dict[str, Any]) -> None:
    X, y = cases.problem()
    inner = costboost.algorithms.LogitBoostClassifier(n_estimators=5, calibration="platt")
    clf = costboost.OperatingPointClassifier(inner, random_state=0, **goal).fit(X, y)
    assert len(set(clf.predict(X))) == 2 or goal == {"at_least": 1.0}
    written = to_onnx(clf)
    score, probabilities, label = cases.session(written).run(None, cases.feed(X))
    np.testing.assert_array_equal(score, clf.estimator_.raw_score(X))
    np.testing.assert_array_equal(probabilities, clf.predict_proba(X))
    np.testing.assert_array_equal(label, clf.predict(X))
    assert not {one.name for one in written.graph.input} & {"fn_cost", "fp_cost"}


# ---- errors --------------------------------------------------------------------------------------


def test_what_cannot_be_exported() -> None:
    X, y = cases.problem()
    numbers = X[["a", "c"]]
    wrapped = costboost.algorithms.AdaBoostClassifier(estimator=DecisionTreeClassifier(max_depth=1))
    with pytest.raises(ValueError, match="boosts scikit-learn's classifiers"):
        to_onnx(wrapped.fit(numbers, y))
    with pytest.raises(ValueError, match="GBSEClassifier cannot be exported"):
        to_onnx(GBSEClassifier(n_estimators=2).fit(numbers, y))
    with pytest.raises(ValueError, match="a fitted classifier of costboost is required"):
        to_onnx("model.costboost")
    clf, _ = cases.fitted("AdaBoost")
    with pytest.raises(ValueError, match="dtype must be"):
        to_onnx(clf, dtype="int8")
    with pytest.raises(ValueError, match="inputs must be"):
        to_onnx(clf, inputs="rows")


def test_the_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    clf, _ = cases.fitted("AdaBoost")
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'costboost\[onnx\]'"):
        to_onnx(clf)
