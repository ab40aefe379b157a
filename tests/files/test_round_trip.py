"""A loaded model equals the saved one, to the bit and in all its methods."""

from __future__ import annotations

import copy
import pickle
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from files.examples import (
    BOOSTING,
    FRAME,
    LABELS,
    MADE,
    NAMES,
    PREDICTING,
    ROWS,
    X,
    Y,
    difference,
    fitted,
    model,
    rows_of,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, clone
from sklearn.dummy import DummyRegressor
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import make_scorer, roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import costboost
from costboost import multiclass
from costboost._core.parameters.estimators import ESTIMATORS
from costboost.algorithms import CLASSES, AdaBoostClassifier, AdaMECClassifier, CGAdaClassifier
from costboost.calibration import CALIBRATORS
from costboost.io import classifiers, models

MANY_COSTS = ("AdaMEC", "CostBoost")
SEVERAL = [name for name in NAMES if name.startswith("three classes")]


def again(clf: Any, folder: Path) -> Any:
    """The model, saved and loaded."""
    costboost.save(clf, folder / "model.costboost")
    assert [path.name for path in folder.iterdir()] == ["model.costboost"]
    return costboost.load(folder / "model.costboost")


# ---- the same ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_all_that_is_in_a_model_comes_back(name: str, tmp_path: Path) -> None:
    assert difference(model(name), again(model(name), tmp_path)) is None


@pytest.mark.parametrize("name", PREDICTING)
def test_predictions_are_the_same_to_the_bit(name: str, tmp_path: Path) -> None:
    clf, rows = model(name), rows_of(name)
    other = again(clf, tmp_path)
    methods = [
        one for one in ("predict", "predict_proba", "decision_function") if hasattr(clf, one)
    ]
    for method in methods:
        ours, theirs = (getattr(one, method)(rows) for one in (clf, other))
        assert ours.dtype == theirs.dtype
        assert_array_equal(ours, theirs)
        assert ours.dtype.kind not in "f" or not np.isnan(theirs).any()


@pytest.mark.parametrize(
    "name", [*BOOSTING, *SEVERAL, "tree with categories", "isotonic", "no rounds"]
)
def test_a_loaded_classifier_can_do_everything(name: str, tmp_path: Path) -> None:
    clf, rows = model(name), rows_of(name)
    other = again(clf, tmp_path)
    for method in ("staged_predict", "staged_predict_proba", "staged_decision_function"):
        for ours, theirs in zip(*(getattr(one, method)(rows) for one in (clf, other)), strict=True):
            assert_array_equal(ours, theirs)
    assert_array_equal(clf.feature_importances_, other.feature_importances_)
    assert other.score(rows, clf.predict(rows)) == 1
    assert difference(pickle.loads(pickle.dumps(other)), clf) is None
    assert str(other.get_params()) == str(clf.get_params())
    assert difference(fitted(clone(other), *MADE[name][1:]), clf) is None
    with pytest.raises(ValueError, match="feature"):
        other.decision_function(rows[["size"]] if rows is FRAME else rows[:, :2])


@pytest.mark.parametrize("name", ["AdaMECClassifier", "CostBoostClassifier", "threshold", "budget"])
def test_costs_can_change_after_loading(name: str, tmp_path: Path) -> None:
    clf, rows = model(name), rows_of(name)
    other = again(clf, tmp_path)
    for costs in ({"fn_cost": 9.0}, {"fn_cost": 0.1, "fp_cost": 2.0}):
        assert_array_equal(clf.predict(rows, **costs), other.predict(rows, **costs))


@pytest.mark.parametrize("name", [f"three classes: {name}Classifier" for name in MANY_COSTS])
def test_a_matrix_can_change_after_loading(name: str, tmp_path: Path) -> None:
    clf, rows = model(name), rows_of(name)
    other, matrix = (
        again(clf, tmp_path),
        np.array([[0.0, 7.0, 1.0], [1.0, 0.0, 4.0], [8.0, 2.0, 0.0]]),
    )
    for costs in (matrix, matrix.T):
        assert_array_equal(
            clf.predict(rows, cost_matrix=costs), other.predict(rows, cost_matrix=costs)
        )
    with pytest.raises(ValueError, match="fn_cost and fp_cost are for two classes"):
        other.predict(rows, fn_cost=3.0)


def test_a_matrix_may_lie_in_any_order(tmp_path: Path) -> None:
    matrix = np.random.default_rng(0).uniform(0, 1, (3, 3)).T
    np.fill_diagonal(matrix, 0)
    clf = AdaMECClassifier(n_estimators=6, cost_matrix=matrix).fit(X, LABELS["three"])
    other = again(clf, tmp_path)
    assert difference(clf, other) is None
    assert_array_equal(clf.decision_function(X), other.decision_function(X))


def test_a_fit_of_three_classes_goes_on(tmp_path: Path) -> None:
    clf = CGAdaClassifier(n_estimators=4, random_state=0, warm_start=True).fit(X, LABELS["three"])
    other = again(clf, tmp_path)
    for one in (clf, other):
        one.set_params(n_estimators=9).fit(X, LABELS["three"])
    assert other.n_iter_ > 4
    assert difference(clf, other) is None


def test_points_and_results_of_searches_come_back(tmp_path: Path) -> None:
    for name in ("threshold", "search"):
        ours, theirs = model(name).cv_results_, again(model(name), tmp_path).cv_results_
        assert difference(ours, theirs) is None
    assert not hasattr(again(model("search"), tmp_path), "search_")


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("more", [{}, {"calibration": "platt", "calibration_split": 0.2}])
def test_a_fit_goes_on_from_a_loaded_model(name: str, more: Any, tmp_path: Path) -> None:
    cls = BOOSTING["LogitBoostClassifier" if name == "linear" else "CGAdaClassifier"]
    clf = cls(estimator=name, n_estimators=4, random_state=0, warm_start=True, **more).fit(X, Y)
    other = again(clf, tmp_path)
    for one in (clf, other):
        one.set_params(n_estimators=9).fit(X, Y)
    assert other.n_iter_ > 4
    assert difference(clf, other) is None


def test_requests_for_metadata_come_back(tmp_path: Path) -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        clf = AdaMECClassifier(n_estimators=3).fit(X, Y)
        clf.set_fit_request(fn_cost=True, sample_weight=False).set_predict_request(fn_cost="cost")
        clf.set_decision_function_request(fp_cost=True)
        around = costboost.OperatingPointClassifier(clone(clf), at_least=0.5, random_state=0)
        around.set_fit_request(fp_cost=True).fit(X, Y)
    for one in (clf, around):
        other = again(one, tmp_path)
        assert difference(one, other) is None
        assert str(other.get_metadata_routing()) == str(one.get_metadata_routing())


@pytest.mark.parametrize("name", list(CALIBRATORS))
def test_calibrators_can_be_saved_by_themselves(name: str, tmp_path: Path) -> None:
    score = np.linspace(0, 1, 240)
    labels = np.where((score > 0.4) ^ (Y > 0), "yes", "no")
    calibrator = CALIBRATORS[name]().fit(score, labels)
    other = again(calibrator, tmp_path)
    assert difference(calibrator, other) is None
    assert_array_equal(calibrator.predict_proba(score), other.predict_proba(score))


def test_numbers_of_rounds_may_be_those_of_numpy(tmp_path: Path) -> None:
    clf = AdaMECClassifier(n_estimators=np.int64(6)).fit(X, Y)
    other = again(clf, tmp_path)
    assert type(other.n_estimators) is np.int64
    assert_array_equal(clf.predict_proba(X), other.predict_proba(X))


def test_the_same_model_is_the_same_file(tmp_path: Path) -> None:
    for name in ("a", "b"):
        costboost.save(model("tree with categories"), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_saved_model_is_left_as_it_was(tmp_path: Path) -> None:
    before = copy.deepcopy(model("budget"))
    again(model("budget"), tmp_path)
    assert difference(before, model("budget")) is None


@settings(deadline=None, derandomize=True, max_examples=50)
@given(
    st.lists(st.text(max_size=5), min_size=2, max_size=2, unique=True),
    st.lists(
        st.one_of(st.text(max_size=5), st.integers(), st.booleans(), st.floats(allow_nan=False)),
        min_size=2,
        max_size=9,
        unique=True,
    ),
)
def test_labels_and_categories_may_be_anything(
    tmp_path_factory: pytest.TempPathFactory, labels: list[str], categories: list[Any]
) -> None:
    classes = np.array(labels, dtype=object)
    rows = np.empty((N_ROWS, 1), dtype=object)
    rows[:, 0] = [categories[k % len(categories)] for k in range(N_ROWS)]
    clf = CGAdaClassifier(n_estimators=3, categorical_features=[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        clf.fit(rows, classes[np.arange(N_ROWS) % 3 % 2])
    other = again(clf, tmp_path_factory.mktemp("any"))
    assert difference(clf, other) is None
    assert_array_equal(clf.predict(rows), other.predict(rows))


N_ROWS = 60


# ---- what is refused -----------------------------------------------------------------------------


def refused(clf: Any, folder: Path, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        costboost.save(clf, folder / "model.costboost")
    assert not list(folder.iterdir())


def test_wrapped_learners_are_refused_with_a_pointer_to_skops(tmp_path: Path) -> None:
    tree = DecisionTreeClassifier(max_depth=1)
    clf = AdaBoostClassifier(estimator=tree, n_estimators=3).fit(X, Y)
    refused(clf, tmp_path, r"boosts a DecisionTreeClassifier; .* skops\.io\.dump")
    refused(clf.set_params(estimator=None), tmp_path, r"boosts a scikit-learn .* skops\.io\.dump")
    around = costboost.OperatingPointClassifier(LogisticRegression(), at_least=0.5).fit(X, Y)
    refused(around, tmp_path, r"estimator is a LogisticRegression; .* skops\.io\.dump")
    inner = AdaBoostClassifier(estimator=tree, n_estimators=3)
    around = costboost.OperatingPointClassifier(inner, at_least=0.5).fit(X, Y)
    refused(around, tmp_path, r"estimator boosts a DecisionTreeClassifier; .* skops")


def test_other_things_are_refused(tmp_path: Path) -> None:
    class Own(AdaBoostClassifier):
        pass

    refused(Own(n_estimators=3).fit(X, Y), tmp_path, "Own is none of its classes.*skops")
    pipeline = make_pipeline(StandardScaler(), AdaBoostClassifier(n_estimators=3)).fit(X, Y)
    refused(pipeline, tmp_path, "Pipeline is none of its classes.*skops")
    refused(AdaBoostClassifier, tmp_path, "AdaBoostClassifier is a class, not a model")
    refused({"a": 1}, tmp_path, "dict is none of its classes")
    with pytest.raises(NotFittedError, match="not fitted"):
        costboost.save(AdaBoostClassifier(), tmp_path / "model.costboost")
    assert not list(tmp_path.iterdir())


WITH_TREES_OF_SKLEARN = [
    name for name in multiclass.__all__ if name not in ("GBSEClassifier", "LpCSBClassifier")
]


@pytest.mark.parametrize("name", WITH_TREES_OF_SKLEARN)
def test_methods_with_trees_of_scikit_learn_are_refused(name: str, tmp_path: Path) -> None:
    clf = getattr(multiclass, name)(n_estimators=2, random_state=0).fit(X, LABELS["three"])
    refused(clf, tmp_path, rf"{name} is none of its classes; .* skops\.io\.dump")


def test_gbse_on_a_learner_of_scikit_learn_is_refused(tmp_path: Path) -> None:
    tree = DecisionTreeClassifier(max_depth=3)
    clf = multiclass.GBSEClassifier(estimator=tree, n_estimators=2, random_state=0)
    clf.fit(X, LABELS["three"])
    refused(clf, tmp_path, r"boosts a DecisionTreeClassifier; .* skops\.io\.dump")
    refused(clf.set_params(estimator=None), tmp_path, r"boosts a scikit-learn .* skops\.io\.dump")


@pytest.mark.parametrize("name", ["GBSE", "GBSE, frame", "GBSE, two classes"])
def test_a_loaded_gbse_can_do_everything(name: str, tmp_path: Path) -> None:
    clf, rows = model(name), rows_of(name)
    other = again(clf, tmp_path)
    for method in ("staged_predict", "staged_predict_proba"):
        for ours, theirs in zip(*(getattr(one, method)(rows) for one in (clf, other)), strict=True):
            assert_array_equal(ours, theirs)
    assert difference(fitted(clone(other), *MADE[name][1:]), clf) is None
    with pytest.raises(ValueError, match="feature"):
        other.predict(rows.iloc[:, :2] if hasattr(rows, "iloc") else rows[:, :2])


def test_attributes_of_the_users_own_are_refused(tmp_path: Path) -> None:
    clf = AdaBoostClassifier(n_estimators=3).fit(X, Y)
    clf.note = "mine"
    refused(clf, tmp_path, "has an attribute that a file has no place for, note; remove it")


def test_categories_that_are_no_plain_values_are_refused(tmp_path: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame({"when": pd.cut(X[:, 0], 4)})
    clf = CGAdaClassifier(n_estimators=3).fit(frame, Y)
    refused(clf, tmp_path, r"categories_\[0\] has a category that is a Interval.*texts or numbers")


def test_labels_that_are_no_plain_values_are_refused(tmp_path: Path) -> None:
    clf = CGAdaClassifier(n_estimators=3).fit(X, Y)
    dates = np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]")
    clf.model_ = replace(clf.model_, classes=dates)
    refused(clf, tmp_path, r"classes_ is an array of datetime64\[D\]")


def test_a_model_that_could_not_be_loaded_is_not_written(tmp_path: Path) -> None:
    clf = CGAdaClassifier(n_estimators=3).fit(X, Y)
    refused(clf.set_params(n_estimators=-1), tmp_path, "n_estimators must be a whole number")
    clf.set_params(n_estimators=3).ensemble_.left[0] = 0
    refused(clf, tmp_path, r"ensemble_ \(Trees\): left leads out of a tree, or back")


def test_what_only_a_fit_needs_is_left_out_with_a_warning(tmp_path: Path) -> None:
    clf = AdaMECClassifier(
        n_estimators=3,
        random_state=np.random.RandomState(0),
        calibration="platt",
        calibration_split=StratifiedKFold(3),
        scoring=make_scorer(roc_auc_score),
        categorical_features=FRAME.columns[:0],
    ).fit(X, Y)
    with pytest.warns(UserWarning, match="cannot be kept in a model file") as caught:
        other = again(clf, tmp_path)
    names = [str(one.message).split("=")[0] for one in caught]
    assert sorted(names) == ["calibration_split", "categorical_features", "random_state", "scoring"]
    assert {one.filename for one in caught} == {__file__}
    assert other.random_state is None
    assert other.calibration_split is None
    assert other.categorical_features == "from_dtype"
    assert_array_equal(clf.predict_proba(X), other.predict_proba(X))


def test_splits_that_are_plain_are_kept(tmp_path: Path) -> None:
    splits = list(StratifiedKFold(3).split(X, Y))
    search = costboost.CostSearchCV(CGAdaClassifier(n_estimators=3), fn_costs=[1, 2], cv=splits)
    other = again(search.fit(X, Y), tmp_path)
    assert difference(search.cv, other.cv) is None
    one_shot = costboost.OperatingPointClassifier(
        CGAdaClassifier(n_estimators=3), at_least=0.5, cv=iter(splits)
    ).fit(X, Y)
    with pytest.warns(UserWarning, match=r"cv=<list_iterator"):
        assert again(one_shot, tmp_path).cv is None


# ---- nothing is forgotten ------------------------------------------------------------------------


def test_every_classifier_has_its_kind() -> None:
    assert {cls.__name__ for cls in classifiers.CLASSES} == set(BOOSTING)
    public = {getattr(costboost, name) for name in costboost.__all__} | set(CLASSES)
    estimators = {cls for cls in public if isinstance(cls, type) and issubclass(cls, BaseEstimator)}
    assert estimators <= models.CLASSES


@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize("regressor", [LinearRegression(positive=True), Ridge(alpha=0.3)])
def test_estimated_costs(tmp_path: Path, regressor: Any, frozen: bool) -> None:
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(200, 3)), columns=["a", "b", "c"])
    y = np.where(random.random(200) < 0.3, "gives", "none")
    gift = np.where(y == "gives", 10 + 3 * X["a"], np.nan)
    costs = costboost.Costs.direct_mail(np.maximum(gift, 0), mailing_cost=1)
    inner: Any = costboost.CostBoostClassifier(n_estimators=3, pos_label="gives")
    inner = FrozenEstimator(inner.fit(X, y)) if frozen else inner
    clf = costboost.EstimatedCostClassifier(inner, regressor, pos_label="gives")
    clf.fit(X, y, costs=costs)
    loaded = again(clf, tmp_path)
    np.testing.assert_array_equal(loaded.decision_function(X), clf.decision_function(X))
    np.testing.assert_array_equal(loaded.predict(X), clf.predict(X))
    assert loaded.estimate_costs(X) == clf.estimate_costs(X)
    assert repr(loaded.cost_estimator) == repr(regressor)
    assert repr(loaded) == repr(clf)
    loaded.fit(X, y, costs=costs)


def test_estimated_costs_of_other_regressors(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 2)), np.arange(60) % 2
    clf = costboost.EstimatedCostClassifier(
        costboost.CostBoostClassifier(n_estimators=2), DummyRegressor()
    ).fit(X, y, fn_cost=random.uniform(1, 2, 60))
    with pytest.raises(ValueError, match=r"DummyRegressor, .* LinearRegression and Ridge.*skops"):
        costboost.save(clf, tmp_path / "m.costboost")


def test_kinds_have_one_name_and_one_class_each() -> None:
    names = [kind.name for kind in models.KINDS]
    classes = [cls for kind in models.KINDS for cls in kind.classes]
    assert len(set(names)) == len(names)
    assert len(set(classes)) == len(classes)
    assert not {"array"} & set(names)


@pytest.mark.parametrize("name", [name for name in NAMES if name in (*BOOSTING, *SEVERAL)])
def test_every_attribute_of_a_fitted_classifier_has_its_place(name: str) -> None:
    clf = model(name)
    assert set(vars(clf)) - set(clf.get_params()) <= {"model_"}
    assert set(ROWS) >= {"plain"}
