"""Explanations: their parts, as arrays, and in the plots of shap."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from costboost.algorithms import AdaMECClassifier, CSLBClassifier, CSLogitBoostClassifier
from costboost.explaining import Explanation

X, y = load_iris(return_X_y=True, as_frame=True)
X = X.iloc[::3].assign(
    kind=pd.Categorical(np.array(["low", "high", None])[np.arange(50) % 3]),
)
y = y.to_numpy()[::3]
NAMES = np.array(["setosa", "versicolor", "virginica"])


def of_two(learner: str = "tree", **options: Any) -> Any:
    return AdaMECClassifier(estimator=learner, n_estimators=5, **options).fit(X, y == 2)


def of_three(cls: Any = AdaMECClassifier, **options: Any) -> Any:
    return cls(n_estimators=5, random_state=0, **options).fit(X, NAMES[y])


# ---- parts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", ["stump", "tree"])
@pytest.mark.parametrize("pos_label", [False, True])
def test_two_classes(pos_label: bool, learner: str) -> None:
    clf = of_two(learner, pos_label=pos_label)
    found = clf.explain(X[:7], background=X, output="score")
    assert found.values.shape == (7, 5)
    assert found.feature_names == list(X.columns)
    assert found.output_names == str(pos_label)
    assert found.unit == "score"
    score = clf.raw_score(X) if pos_label else -clf.raw_score(X)
    np.testing.assert_allclose(found.base_values, score.mean())
    np.testing.assert_allclose(found.base_values + found.values.sum(axis=1), score[:7])
    np.testing.assert_array_equal(found.data[:, :4], X.iloc[:7, :4])
    assert found.display_data[:, 4].tolist() == ["low", "high", None] * 2 + ["low"]
    assert np.isnan(found.data[2, 4].astype(float))


@pytest.mark.parametrize("cls", [AdaMECClassifier, CSLBClassifier, CSLogitBoostClassifier])
def test_several_classes(cls: Any) -> None:
    """Each class has the explanation of its own classifier against the rest."""
    costs = [[0, 1, 2], [3, 0, 4], [5, 6, 0]]
    clf = of_three(cls, cost_matrix=costs, estimator="tree")
    found = clf.explain(X[:7], background=X, output="score")
    assert found.values.shape == (7, 5, 3)
    assert found.output_names == NAMES.tolist()
    score = clf.raw_score(X)
    np.testing.assert_allclose(found.base_values, np.tile(score.mean(axis=0), (7, 1)))
    np.testing.assert_allclose(found.base_values + found.values.sum(axis=1), score[:7], atol=1e-9)
    for k, one in enumerate(clf.estimators_):
        factor = one.model_.decision.slope / 2
        own = found[..., NAMES[k]]
        of_one = one.explain(X[:7], X, output="score")
        np.testing.assert_allclose(own.values, factor * of_one.values)
        assert own.base_values.shape == (7,)
        assert own.output_names == NAMES[k]


def test_arrays_have_no_names() -> None:
    found = (
        AdaMECClassifier(n_estimators=3)
        .fit(X.iloc[:, :4].to_numpy(), y == 2)
        .explain(X.iloc[:, :4].to_numpy())
    )
    assert found.feature_names is None
    assert found.display_data is None


made = Explanation(
    np.arange(24.0).reshape(4, 3, 2),
    np.arange(8.0).reshape(4, 2),
    np.arange(12).reshape(4, 3),
    np.arange(12).reshape(4, 3).astype(str),
    ["a", "b", "c"],
    ["yes", "no"],
)
slices = st.slices(4) | st.integers(-2, 1)


@given(keys=st.lists(slices, min_size=1, max_size=3), dots=st.none() | st.integers(0, 3))
@settings(deadline=None, derandomize=True)
def test_a_part_of_an_explanation_has_the_parts_of_its_parts(keys: Any, dots: Any) -> None:
    item = list(keys)
    if dots is not None and dots <= len(item):
        item.insert(dots, Ellipsis)
    found, expected = made[tuple(item)], made.values[tuple(item)]
    if not isinstance(found, Explanation):
        assert found == expected
        return
    np.testing.assert_array_equal(found.values, expected)
    whole = [slice(None)] * (3 - len(keys))
    if dots is None or dots > len(keys):
        rows, features, classes = [*keys, *whole]
    else:
        rows, features, classes = [*keys[:dots], *whole, *keys[dots:]]
    np.testing.assert_array_equal(found.base_values, made.base_values[rows, classes])
    np.testing.assert_array_equal(found.data, made.data[rows, features])
    np.testing.assert_array_equal(found.display_data, made.display_data[rows, features])
    assert found.feature_names == np.array(["a", "b", "c"])[features].tolist()
    assert found.output_names == np.array(["yes", "no"])[classes].tolist()
    again = found[0] if len(found) else found
    if isinstance(again, Explanation):
        np.testing.assert_array_equal(again.values, expected[0] if len(found) else expected)


def test_parts_by_name_mask_and_list() -> None:
    np.testing.assert_array_equal(made[:, "b", "no"].values, made.values[:, 1, 1])
    mask = np.array([True, False, True, False])
    np.testing.assert_array_equal(made[mask].base_values, made.base_values[mask])
    assert made[:, [2, 0]].feature_names == ["c", "a"]
    pairs = made[[0, 1], [1, 2]]  # NumPy's pairs are no part of an explanation
    np.testing.assert_array_equal(pairs, made.values[[0, 1], [1, 2]])
    with pytest.raises(KeyError, match="'d' is none of the features; they are a, b, c"):
        made[:, "d"]


# ---- as the array that explain once returned -----------------------------------------------------


def test_it_is_taken_for_its_values() -> None:
    found = of_two().explain(X)
    values = found.values
    np.testing.assert_array_equal(found, values)
    np.testing.assert_array_equal(abs(found[0]).argsort(), np.abs(values[0]).argsort())
    np.testing.assert_array_equal(-found + 2 * found, values)
    np.testing.assert_array_equal(np.concatenate([found, found])[:50], values)
    np.testing.assert_array_equal(np.array(found, dtype=np.float32), values.astype(np.float32))
    assert found.shape == np.shape(found) == (50, 5)
    assert len(found) == 50
    assert found.round(2).tolist() == values.round(2).tolist()
    assert found.sum() == np.sum(found) == values.sum()
    assert [row.sum() for row in found] == values.sum(axis=1).tolist()
    assert found[3, 2] == values[3, 2]
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        found.nonsense  # noqa: B018
    assert pd.DataFrame(found.values, columns=found.feature_names).shape == (50, 5)


def check_copies(found: Explanation) -> None:
    for same in (copy.copy(found), copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        np.testing.assert_array_equal(same.values, found.values)
        assert same[0].feature_names == found.feature_names
        assert type(same) is Explanation


def test_copies() -> None:
    check_copies(of_two().explain(X))


def test_shap_is_not_imported() -> None:
    code = (
        "import sys, numpy as np, costboost\n"
        "X = np.arange(20.0)[:, None]\n"
        "found = costboost.algorithms.AdaBoostClassifier().fit(X, X[:, 0] > 9).explain(X)\n"
        "assert 'shap' not in sys.modules\n"
        "assert type(found) is found.__class__ and not hasattr(found, 'abs')\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# ---- in the plots of shap ------------------------------------------------------------------------


@pytest.fixture
def shap() -> Any:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("shap")


def drawn() -> str:
    """All text of the picture."""
    figure = plt.gcf()
    figure.canvas.draw()
    texts = [text.get_text() for text in figure.findobj(plt.Text)]
    plt.close(figure)
    return " ".join(texts)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("several", [False, True])
def test_shap_draws_it(several: bool, shap: Any) -> None:
    found = of_three().explain(X)[..., 1] if several else of_two().explain(X)
    used = found.feature_names[int(np.abs(found.values).mean(axis=0).argmax())]
    shap.plots.bar(found, show=False)
    text = drawn()
    assert used in text
    assert f"{np.abs(found.values).mean(axis=0).max():.2f}" in text.replace("+", "")
    shap.plots.bar(found[0], show=False)
    assert used in drawn()
    shap.plots.beeswarm(found, show=False)
    assert used in drawn()
    shap.plots.waterfall(found[0], show=False)
    text = drawn()
    assert used in text
    assert f"{found.base_values[0]:.3f}".lstrip("-") in text
    shap.plots.scatter(found[:, used], show=False)
    assert used in drawn()
    check_copies(found)


@pytest.mark.filterwarnings("ignore")
def test_it_becomes_an_explanation_of_shap(shap: Any) -> None:
    found = of_three().explain(X)
    assert isinstance(found, shap.Explanation)
    assert isinstance(found, Explanation)
    theirs = shap.Explanation(found)
    np.testing.assert_array_equal(theirs.values, found.values)
    np.testing.assert_array_equal(found.abs.mean(0).values, np.abs(found.values).mean(axis=0))
