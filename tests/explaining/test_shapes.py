"""The parts of a score add up to it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification

import costboost
from costboost._core.explaining import Categories, Line, Steps, additive
from costboost.algorithms import REGISTRY
from costboost.classifiers.predictions import read_rows


def some_rows(seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    X, y = make_classification(400, 6, n_informative=4, random_state=seed)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    frame.loc[::7, "a"] = np.nan
    frame["f"] = pd.Categorical(np.where(X[:, 5] > 0.5, "hot", np.where(X[:, 5] < 0, "cold", "")))
    return frame, y


def parts(model: Any, X: pd.DataFrame) -> np.ndarray:
    """Constant plus the shapes of all features."""
    found = additive(model.model_)
    assert found is not None
    table = read_rows(model, X)
    ((_, block),) = table.row_blocks(model.model_.coders)
    parts = [shape(np.asarray(block[:, shape.feature], dtype=float)) for shape in found.shapes]
    return found.constant + np.sum(parts, axis=0)


@pytest.mark.parametrize("estimator", ["stump", "lookup"])
@pytest.mark.parametrize("name", ["AdaMEC", "RealBoost", "LogitBoost"])
def test_shapes_add_up_to_the_score(name: str, estimator: str) -> None:
    X, y = some_rows()
    model = REGISTRY[name].cls(n_estimators=40, estimator=estimator).fit(X, y)
    found = additive(model.model_)
    assert found is not None
    kinds = {type(shape) for shape in found.shapes}
    assert kinds <= {Steps, Categories}
    assert Categories in kinds
    assert np.array_equal(parts(model, X), model.raw_score(X))


def test_shapes_point_to_the_positive_class() -> None:
    X, y = some_rows()
    model = costboost.algorithms.AdaBoostClassifier(n_estimators=20, pos_label=0).fit(X, y)
    assert np.array_equal(parts(model, X), -model.raw_score(X))


def test_lines_are_lines() -> None:
    X, y = make_classification(200, 5, random_state=1)
    model = costboost.algorithms.LogitBoostClassifier(n_estimators=20, estimator="linear").fit(X, y)
    found = additive(model.model_)
    assert found is not None
    assert {type(shape) for shape in found.shapes} == {Line}
    assert np.allclose(
        sum(shape(X[:, shape.feature]) for shape in found.shapes), model.raw_score(X)
    )


def test_trees_that_test_several_features_have_no_shapes() -> None:
    X, y = some_rows()
    model = costboost.algorithms.AdaBoostClassifier(n_estimators=10, estimator="tree").fit(X, y)
    assert additive(model.model_) is None


def test_trees_of_depth_one_have_shapes() -> None:
    X, y = some_rows()
    model = costboost.algorithms.AdaBoostClassifier(
        n_estimators=10, estimator="tree", max_depth=1
    ).fit(X, y)
    assert np.array_equal(parts(model, X), model.raw_score(X))


def test_no_round_is_a_constant() -> None:
    X = np.zeros((10, 2))
    y = np.array([0, 1] * 5)
    with pytest.warns(UserWarning, match="added no learner"):
        model = costboost.algorithms.AdaBoostClassifier().fit(X, y)
    found = additive(model.model_)
    assert found is not None
    assert found.shapes == []
    assert found.constant == model.raw_score(X)[0]


def test_a_feature_without_categories_is_missing_everywhere() -> None:
    shape = Categories(0, np.empty(0), 0.25)
    np.testing.assert_array_equal(shape(np.array([np.nan, np.nan])), [0.25, 0.25])
