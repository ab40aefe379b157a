"""Newton boosting of several classes: against the transcription, and in every form of training."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pandas as pd
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from scipy.special import softmax
from sklearn.datasets import load_iris, load_wine

import costboost as cb
from costboost._core.rules import record
from costboost._core.rules.multinomial import GELBOOST_SEVERAL as GEL
from costboost._core.rules.multinomial import GLLBOOST_SEVERAL as GLL
from costboost._core.rules.multinomial import stationary
from costboost._core.training import SeveralClasses, fit_scores

CLOSE = {"rtol": 1e-9, "atol": 1e-9}
BOOSTERS: dict[str, Any] = {
    "multinomial": cb.algorithms.MultinomialLogitBoostClassifier,
    "gll": cb.algorithms.GLLBoostClassifier,
    "gel": cb.algorithms.GELBoostClassifier,
}
ALL = pytest.mark.parametrize("name", BOOSTERS)
FEW = settings(max_examples=12, phases=[Phase.explicit, Phase.reuse, Phase.generate])
"""The transcription takes a second for many classes."""
COSTS = np.array([[0.0, 0.5, 3.0], [2.0, 0.0, 1.0], [1.5, 0.2, 0.0]])

pytestmark = [
    pytest.mark.filterwarnings("ignore:.* ignores costs"),
    pytest.mark.filterwarnings("ignore:.* predicts .* for all"),
]


def matrix(rng: np.random.Generator, n_classes: int) -> np.ndarray:
    costs = rng.uniform(0.2, 3, (n_classes, n_classes))
    np.fill_diagonal(costs, 0.0)
    return costs


class Draw:
    """Rows of K classes, with missing values and weights without ties; one column is a category."""

    def __init__(self, seed: int, n_classes: int, n_categories: int) -> None:
        rng = np.random.default_rng(seed)
        n = 5 * n_classes + 15
        self.X = rng.normal(size=(n, 3)).round(1)
        score = self.X[:, 0] * 2 + rng.normal(size=n)
        self.X[rng.random(self.X.shape) < 0.1] = np.nan
        self.category = rng.integers(0, n_categories, n)
        score += (self.category % 2) * 2
        self.y = (score.argsort().argsort() * n_classes) // n
        self.weight = rng.uniform(0.5, 1.5, n)
        self.costs = matrix(rng, n_classes)
        self.n_categories = n_categories

    @property
    def frame(self) -> pd.DataFrame:
        """The features, with the category as a category."""
        return pd.DataFrame(self.X, columns=list("abc")).assign(
            d=pd.Categorical(self.category, categories=range(self.n_categories))
        )

    @property
    def expanded(self) -> np.ndarray:
        """The features as numbers: a column for each set of categories that may go left."""
        half = [
            chosen
            for size in range(1, self.n_categories)
            for chosen in itertools.combinations(range(self.n_categories), size)
            if 0 in chosen
        ]
        sets = [~np.isin(self.category, chosen) for chosen in half]
        return np.column_stack([self.X, *sets]).astype(float)


@pytest.mark.parametrize("learner", ["stump", "tree"])
@ALL
@FEW
@given(seed=st.integers(0, 2**32 - 1), n_classes=st.integers(3, 12), n_categories=st.integers(2, 4))
def test_it_is_the_transcription(
    name: str, learner: str, seed: int, n_classes: int, n_categories: int
) -> None:
    data = Draw(seed, n_classes, n_categories)
    # categories are split in the order of their means, which is best if leaves may be of any size
    least = 3 if n_categories == 2 else 1
    options = {"n_estimators": 3, "max_depth": 2, "min_samples_leaf": least, "learning_rate": 0.7}
    known = naive.fit_scores(
        name, data.expanded, data.y, data.costs, data.weight, learner=learner, **options
    )
    clf = BOOSTERS[name](estimator=learner, cost_matrix=data.costs, **options)
    clf.fit(data.frame, data.y, sample_weight=data.weight)
    np.testing.assert_allclose(clf.raw_score(data.frame), known.scores(data.expanded), **CLOSE)
    np.testing.assert_allclose(clf.estimator_weights_, known.steps, **CLOSE)
    stages = [naive_stage(known, data.expanded, t) for t in range(1, len(known.steps) + 1)]
    np.testing.assert_allclose(list(clf.staged_raw_score(data.frame)), stages, **CLOSE)


def naive_stage(model: Any, X: np.ndarray, n_rounds: int) -> np.ndarray:
    part = naive.scores.ScoreModel(model.n_classes, model.centred)
    part.learners, part.steps = model.learners[:n_rounds], model.steps[:n_rounds]
    return np.asarray(part.scores(X))


@pytest.mark.parametrize("learner", ["stump", "tree"])
@ALL
@FEW
@given(seed=st.integers(0, 2**32 - 1))
def test_two_classes_are_the_transcription_too(name: str, learner: str, seed: int) -> None:
    data = Draw(seed, 2, 2)
    options = {"n_estimators": 4, "max_depth": 2, "min_samples_leaf": 3}
    X = data.expanded
    known = naive.fit_scores(name, X, data.y, data.costs, data.weight, learner=learner, **options)
    clf = BOOSTERS[name](estimator=learner, cost_matrix=data.costs, **options)
    clf.fit(X, data.y, sample_weight=data.weight)
    difference = np.diff(known.scores(X), axis=1)[:, 0]
    # the score of GentleBoost, which GEL is for two classes, is twice as large
    np.testing.assert_allclose(
        clf.raw_score(X), difference if name == "gel" else difference / 2, **CLOSE
    )


def together(clf: Any, X: Any, y: Any, weight: Any) -> Any:
    """The model of several classes, even if there are two."""
    from costboost._core.tables import read_training

    table, features = read_training("fit", X)
    several = SeveralClasses(
        table=table,
        features=features,
        classes=np.unique(y),
        code=np.searchsorted(np.unique(y), y),
        weight=weight,
        usual_weight=1.0,
        groups=None,
        matrix=1 - np.eye(2),
    )
    rule = cb.algorithms.MultinomialLogitBoostClassifier.rule_of_several
    assert rule is not None
    model = fit_scores(several, clf._plan().changed(rule=rule))
    return model, table


@pytest.mark.parametrize("estimator", ["stump", "tree", "lookup"])
def test_the_symmetric_form_of_logitboost(estimator: str) -> None:
    data = Draw(5, 2, 3)
    clf = cb.algorithms.LogitBoostClassifier(n_estimators=8, estimator=estimator, learning_rate=0.5)
    clf.fit(data.frame, data.y, sample_weight=data.weight)
    model, table = together(clf, data.frame, data.y, data.weight)
    scores, binary = model.scores(table, None), clf.raw_score(data.frame)
    np.testing.assert_allclose(scores, np.column_stack([-binary, binary]), **CLOSE)
    np.testing.assert_allclose(model.estimator_weights, clf.estimator_weights_, **CLOSE)
    np.testing.assert_allclose(model.estimator_errors, clf.estimator_errors_, **CLOSE)
    np.testing.assert_allclose(
        model.probabilities(model.last(table, None)), clf.predict_proba(data.frame)
    )


# ---- probabilities -------------------------------------------------------------------------------


def test_probabilities_minimise_the_expected_loss() -> None:
    rng = np.random.default_rng(0)
    score = rng.normal(0, 1.5, (40, 3))
    for rule, loss in ((GLL, naive.scores.GLL), (GEL, naive.scores.GEL)):
        assert rule.factors is not None
        factors = rule.factors(COSTS)
        shares = rule.probability(score, factors)
        np.testing.assert_allclose(shares.sum(axis=1), 1)
        gradient = sum(
            shares[:, [y]] * loss.gradient(score, np.full(40, y), factors) for y in range(3)
        )
        np.testing.assert_allclose(gradient, 0, atol=1e-12)


def test_equal_costs_give_the_softmax() -> None:
    score = np.random.default_rng(1).normal(0, 3, (20, 5))
    ones = 1 - np.eye(5)
    np.testing.assert_allclose(GLL.probability(score, ones), softmax(score, axis=1))
    np.testing.assert_allclose(GEL.probability(score, ones), softmax(2 * score, axis=1))


def test_a_class_that_costs_nothing_has_a_probability() -> None:
    flow = np.zeros((3, 3, 1))
    flow[0, 1] = flow[1, 0] = 1.0
    shares = stationary(flow)
    assert np.all(np.isfinite(shares))
    np.testing.assert_allclose(shares[0, :2], 0.5)


@pytest.mark.parametrize("name", ["gll", "gel"])
def test_links_of_two_classes_are_inverses(name: str) -> None:
    X, y = load_iris(return_X_y=True)
    clf = BOOSTERS[name](n_estimators=3, fn_cost=4, fp_cost=0.5).fit(X[50:], y[50:])
    decision = clf.model_.decision
    p = np.array([1e-6, 0.01, 0.2, 0.5, 0.8, 0.99, 1 - 1e-6])
    scale = record.Scale(clf.model_.costs, 0.3, 1.0)
    score = decision.rule.link.score(p, scale)
    np.testing.assert_allclose(decision.rule.link.probability(score, scale), p)
    shares = {"gll": GLL, "gel": GEL}[name].probability(
        np.column_stack([-clf.raw_score(X), clf.raw_score(X)]) / (2 if name == "gel" else 1),
        np.array([[0, 0.5], [4, 0]]),
    )
    np.testing.assert_allclose(clf.predict_proba(X), shares, rtol=1e-9, atol=1e-12)


# ---- training ------------------------------------------------------------------------------------


def wine() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_wine(return_X_y=True)
    return X, y


FORMS: dict[str, dict[str, Any]] = {
    "trees": {},
    "lookup": {"estimator": "lookup"},
    "drawn": {"subsample": 0.6, "max_features": 3, "l2_regularization": 2.0},
    "random": {"splitter": "random", "estimator": "tree"},
    "stopping": {"early_stopping": True, "n_iter_no_change": 2},
    "scored": {"early_stopping": True, "scoring": "neg_log_loss"},
    "isotonic": {"calibration": "isotonic", "calibration_split": 3},
    "log-odds": {"calibration": "log-odds", "calibration_split": 0.3},
}


@pytest.mark.parametrize("form", FORMS)
@ALL
def test_threads_files_and_stages(name: str, form: str, tmp_path: Path) -> None:
    X, y = wine()
    options = {"n_estimators": 4, "cost_matrix": COSTS, "random_state": 0, **FORMS[form]}
    if name == "gel":  # GentleBoost for two classes, whose leaves are not shrunk
        options.pop("l2_regularization", None)
    one = BOOSTERS[name](n_jobs=1, **options).fit(X, y)
    two = BOOSTERS[name](n_jobs=2, **options).fit(X, y)
    assert one.model_.ensemble == two.model_.ensemble
    probability = one.predict_proba(X)
    assert np.array_equal(probability, two.predict_proba(X))
    np.testing.assert_allclose(probability.sum(axis=1), 1)
    cb.save(one, tmp_path / "model")
    again = cb.load(tmp_path / "model")
    assert np.array_equal(again.predict_proba(X), probability)
    assert np.array_equal(again.decision_function(X), one.decision_function(X))
    assert np.array_equal(list(one.staged_predict(X))[-1], one.predict(X))
    np.testing.assert_array_equal(list(one.staged_predict_proba(X))[-1], probability)
    assert one.train_cost_.shape == (one.n_iter_,)
    if "early_stopping" not in options and "calibration_split" not in options:
        assert one.train_cost_[-1] == pytest.approx(COSTS[y, one.predict(X)].mean())
    if "calibration" in options:
        assert one.decides_by_cost
        expected = (probability @ COSTS.T).argmin(axis=1)
        assert np.mean(one.predict(X, cost_matrix=COSTS.T) == expected) == 1


@ALL
def test_a_warm_start_continues(name: str) -> None:
    X, y = wine()
    clf = BOOSTERS[name](n_estimators=2, cost_matrix=COSTS, warm_start=True).fit(X, y)
    clf.set_params(n_estimators=5).fit(X, y)
    whole = BOOSTERS[name](n_estimators=5, cost_matrix=COSTS).fit(X, y)
    np.testing.assert_allclose(clf.raw_score(X), whole.raw_score(X), **CLOSE)
    with pytest.raises(ValueError, match="same classes"):
        clf.fit(X, y + 1)


@ALL
def test_whole_weights_are_copies(name: str) -> None:
    X, y = wine()
    weight = np.random.default_rng(0).integers(1, 4, y.size)
    options = {"n_estimators": 3, "cost_matrix": COSTS, "min_samples_leaf": 5}
    a = BOOSTERS[name](**options).fit(X, y, sample_weight=weight)
    b = BOOSTERS[name](**options).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(a.raw_score(X), b.raw_score(X), **CLOSE)


@ALL
def test_explanations_add_up(name: str) -> None:
    X, y = wine()
    clf = BOOSTERS[name](n_estimators=4, cost_matrix=COSTS, estimator="tree").fit(X, y)
    found = clf.explain(X[::30], background=X[::10])
    assert found.values.shape == (6, 13, 3)
    total = found.values.sum(axis=1) + found.base_values
    np.testing.assert_allclose(total, clf.raw_score(X[::30]), atol=1e-9)
    np.testing.assert_allclose(clf.raw_score(X).sum(axis=1), 0, atol=1e-9)
    assert clf.feature_importances_.sum() == pytest.approx(1)


def test_costs_that_cannot_be_used_are_refused() -> None:
    X, y = wine()
    clf = cb.algorithms.GELBoostClassifier(n_estimators=2, cost_matrix=COSTS).fit(X, y)
    with pytest.raises(ValueError, match="cannot be given other costs"):
        clf.predict(X, cost_matrix=COSTS.T)
    with pytest.raises(ValueError, match="cannot boost"):
        cb.algorithms.GELBoostClassifier(estimator="linear").fit(X, y)
    with pytest.raises(ValueError, match="cannot boost"):
        cb.algorithms.GLLBoostClassifier(estimator="linear").fit(X, y)


def test_a_class_of_one_row_and_constant_features() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(41, 2)), np.append(np.repeat([0, 1], 20), 2)
    X[y == 1] += 2
    clf = cb.CostBoostClassifier(random_state=0).fit(X, y)
    assert clf.predict_proba(X).min() >= 0
    with pytest.warns(UserWarning, match="added no learner"):
        clf = cb.algorithms.MultinomialLogitBoostClassifier().fit(
            np.zeros((6, 1)), [0, 0, 1, 1, 2, 2]
        )
    np.testing.assert_allclose(clf.predict_proba(np.zeros((1, 1))), 1 / 3)
