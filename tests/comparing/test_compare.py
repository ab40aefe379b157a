"""compare: the measures of scikit-learn, the costs in the right places, ranks over data sets."""

from __future__ import annotations

import json
from functools import partial
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from numpy.testing import assert_allclose
from scipy import sparse, stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    brier_score_loss,
    confusion_matrix,
    f1_score,
    precision_score,
    recall_score,
)
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from costboost import Costs, CostSearchCV, OperatingPointClassifier
from costboost import (
    compare as compare_with_baselines,
)
from costboost._core.baselines import BY_COSTS
from costboost.algorithms import (
    AdaBoostClassifier,
    AdaC2Classifier,
    AdaMECClassifier,
    CGAdaClassifier,
    LogitBoostClassifier,
)
from costboost.comparing import Comparison
from costboost.comparing.comparing import WITHOUT_MODEL
from costboost.metrics import average_ranks, friedman_test, mean_cost
from costboost.multiclass import GBSEClassifier

compare = partial(compare_with_baselines, baselines=False)


def problem(seed: int = 0, n: int = 200) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 3))
    return X, (X[:, 0] + random.normal(size=n) > 0.7).astype(int)


X, y = problem()
CV = StratifiedKFold(4, shuffle=True, random_state=0)
SPLITS = list(CV.split(X, y))
SMALL = AdaMECClassifier(n_estimators=5)


class Recorder(ClassifierMixin, BaseEstimator):
    """Remembers what it was given."""

    fitted: list[Any] = []  # noqa: RUF012
    predicted: list[Any] = []  # noqa: RUF012

    def fit(self, X: Any, y: Any, fn_cost: Any = None, fp_cost: Any = None) -> Any:
        self.classes_ = np.unique(y)
        Recorder.fitted.append((np.asarray(X), fn_cost, fp_cost))
        return self

    def predict(self, X: Any, fn_cost: Any = None, fp_cost: Any = None) -> Any:
        Recorder.predicted.append((np.asarray(X), fn_cost, fp_cost))
        return np.full(len(X), self.classes_[1])


# ---- measures ------------------------------------------------------------------------------------


def test_measures_are_those_of_scikit_learn() -> None:
    found = compare({"lr": LogisticRegression()}, X, y, fn_cost=5, cv=CV).values["data"]["lr"]
    for k, (train, held) in enumerate(SPLITS):
        model = LogisticRegression().fit(X[train], y[train])
        y_pred = model.predict(X[held])
        expected = {
            "cost": mean_cost(y[held], y_pred, fn_cost=5, fp_cost=1),
            "brier": brier_score_loss(y[held], model.predict_proba(X[held])[:, 1]),
        }
        for key, score in (
            ("precision", precision_score), ("recall", recall_score), ("f1", f1_score)
        ):  # fmt: skip
            expected[f"{key}_positive"] = score(y[held], y_pred)
            expected[f"{key}_negative"] = score(y[held], y_pred, pos_label=0)
        for measure, value in expected.items():
            assert_allclose(found[measure][k], value, rtol=1e-12)
        assert found["seconds"][k] > 0


def test_intervals_are_corrected_for_shared_rows() -> None:
    found = compare([SMALL], X, y, fn_cost=5, cv=CV)
    values = found.values["data"]["AdaMECClassifier"]["cost"]
    assert values is not None
    half = stats.t.ppf(0.975, 3) * values.std(ddof=1) * sqrt(1 / 4 + 1 / 3)
    estimate = found.estimate("AdaMECClassifier")
    assert estimate is not None
    assert_allclose(estimate, [values.mean(), values.mean() - half, values.mean() + half])


def test_differences_are_paired() -> None:
    found = compare({"a": SMALL, "b": LogisticRegression()}, X, y, fn_cost=5, cv=CV)
    a, b = (found.values["data"][name]["cost"] for name in "ab")
    assert a is not None
    assert b is not None
    assert_allclose(found.difference("a", "b").mean, (a - b).mean())
    assert_allclose(found.difference("b", "a").low, -found.difference("a", "b").high)
    nothing = found.difference("a", "a")
    assert nothing == (0.0, 0.0, 0.0)


def test_one_split_has_no_interval() -> None:
    found = compare([SMALL], X, y, cv=[SPLITS[0]])
    estimate = found.estimate("AdaMECClassifier")
    assert estimate is not None
    assert estimate.low is None
    assert "[" not in str(found).split("\n", 1)[1]


def test_a_class_never_predicted_has_precision_0() -> None:
    found = compare([DummyClassifier()], X, y, cv=CV)
    assert found.estimate("DummyClassifier", "precision_positive") == (0.0, 0.0, 0.0)
    assert found.estimate("DummyClassifier", "recall_negative") == (1.0, 1.0, 1.0)


def test_no_probabilities_no_brier_score() -> None:
    found = compare([LinearSVC(), SMALL], X, y, cv=CV)
    assert found.estimate("LinearSVC", "brier") is None
    assert found.rows()[0]["brier"] is None
    assert "-" in str(found).splitlines()[5].split()
    with pytest.raises(ValueError, match="LinearSVC has no measure 'brier'"):
        found.difference("LinearSVC", "AdaMECClassifier", "brier")


# ---- costs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "costs",
    [
        (4, 1),
        [4.0, 1.0],
        {"fn_cost": 4},
        {"fn_cost": 4, "fp_cost": 1},
        Costs.outcomes(fn_cost=4.0, fp_cost=1.0),
    ],
    ids=repr,
)
def test_a_data_set_states_its_costs_in_many_ways(costs: Any) -> None:
    clf = [CGAdaClassifier(n_estimators=5)]
    same = compare(clf, X, y, fn_cost=4, fp_cost=1, cv=CV)
    found = compare(clf, {"own": (X, y, costs)}, fn_cost=9, cv=CV)
    assert_allclose(
        found.values["own"]["CGAdaClassifier"]["cost"],
        same.values["data"]["CGAdaClassifier"]["cost"],
    )


def test_classifiers_are_trained_for_the_costs() -> None:
    clf = CGAdaClassifier(n_estimators=5)
    pipe = make_pipeline(StandardScaler(), clf)
    found = compare({"alone": clf, "piped": pipe}, X, y, fn_cost=9, cv=CV)
    for name in ("alone", "piped"):
        values = found.values["data"][name]["recall_positive"]
        for k, (train, held) in enumerate(SPLITS):
            model = CGAdaClassifier(n_estimators=5, fn_cost=9).fit(X[train], y[train])
            assert_allclose(values[k], recall_score(y[held], model.predict(X[held])))
    assert clf.fn_cost == 1.0


def test_or_for_their_own() -> None:
    clf = CGAdaClassifier(n_estimators=5, fn_cost=3)
    found = compare([clf], X, y, fn_cost=9, cv=CV, train_with_costs=False)
    train, held = SPLITS[0]
    y_pred = clf.fit(X[train], y[train]).predict(X[held])
    expected = mean_cost(y[held], y_pred, fn_cost=9, fp_cost=1)
    assert_allclose(found.values["data"]["CGAdaClassifier"]["cost"][0], expected)


def test_costs_of_rows_go_with_their_rows() -> None:
    rows = np.arange(40.0).reshape(-1, 1)
    labels = np.tile([0, 1], 20)
    fn = 1.0 + np.arange(40)
    Recorder.fitted, Recorder.predicted = [], []
    found = compare([Recorder()], rows, labels, fn_cost=fn, fp_cost=2.0, cv=4, random_state=0)
    assert len(Recorder.fitted) == len(Recorder.predicted) == 4
    for seen, costs, others in Recorder.fitted:
        assert_allclose(costs, 1 + seen[:, 0])
        assert_allclose(others, 2.0)
        assert len(others) == len(seen)
    for seen, costs, _ in Recorder.predicted:
        assert_allclose(costs, 1 + seen[:, 0])
    assert_allclose(found.values["data"]["Recorder"]["cost"], 1.0)  # half of them false alarms at 2


def test_costs_of_rows_decide_where_the_classifier_can() -> None:
    fn = np.random.default_rng(0).uniform(1, 20, len(y))
    both = {"adamec": SMALL, "cgada": CGAdaClassifier(n_estimators=5)}
    found = compare(both, X, y, fn_cost=fn, cv=CV)
    train, held = SPLITS[0]
    model = AdaMECClassifier(n_estimators=5).fit(X[train], y[train], fn_cost=fn[train])
    y_pred = model.predict(X[held], fn_cost=fn[held], fp_cost=1.0)
    expected = mean_cost(y[held], y_pred, fn_cost=fn[held])
    assert_allclose(found.values["data"]["adamec"]["cost"][0], expected)
    model = CGAdaClassifier(n_estimators=5).fit(X[train], y[train], fn_cost=fn[train])
    expected = mean_cost(y[held], model.predict(X[held]), fn_cost=fn[held])
    assert_allclose(found.values["data"]["cgada"]["cost"][0], expected)


def test_costs_of_rows_decide_inside_pipelines_and_searches() -> None:
    fn = np.random.default_rng(0).uniform(1, 20, len(y))
    logit = LogitBoostClassifier(n_estimators=5, calibration="platt", random_state=0)
    pipe = make_pipeline(StandardScaler(), logit)
    cgada = CostSearchCV(CGAdaClassifier(n_estimators=5), fn_costs=[1, 5], cv=2, random_state=0)
    found = compare({"pipe": pipe, "search": cgada}, X, y, fn_cost=fn, cv=CV)
    train, held = SPLITS[0]
    means = {"fn_cost": float(fn[train][y[train] == 1].mean()), "fp_cost": 1.0}
    pipe.set_params(**{f"logitboostclassifier__{name}": cost for name, cost in means.items()})
    p = pipe.fit(X[train], y[train]).predict_proba(X[held])[:, 1]
    expected = mean_cost(y[held], (p * fn[held] > 1 - p).astype(int), fn_cost=fn[held])
    assert_allclose(found.values["data"]["pipe"]["cost"][0], expected)
    assert np.all(np.isfinite(found.values["data"]["search"]["cost"]))


def test_costs_of_rows_in_a_pipeline() -> None:
    """By metadata routing if it is requested, by their means otherwise."""
    fn = np.random.default_rng(0).uniform(1, 20, len(y))
    plain = make_pipeline(StandardScaler(), CGAdaClassifier(n_estimators=5))
    by_means = compare({"pipe": plain}, X, y, fn_cost=fn, cv=CV).values["data"]["pipe"]["cost"]
    with sklearn.config_context(enable_metadata_routing=True):
        asking = CGAdaClassifier(n_estimators=5).set_fit_request(fn_cost=True, fp_cost=True)
        routed = compare({"pipe": make_pipeline(StandardScaler(), asking)}, X, y, fn_cost=fn, cv=CV)
    for k, (train, held) in enumerate(SPLITS):
        model = CGAdaClassifier(n_estimators=5)
        y_pred = model.fit(X[train], y[train], fn_cost=fn[train]).predict(X[held])
        expected = mean_cost(y[held], y_pred, fn_cost=fn[held])
        assert_allclose(routed.values["data"]["pipe"]["cost"][k], expected)
        model.set_params(fn_cost=float(fn[train][y[train] == 1].mean()))
        y_pred = model.fit(X[train], y[train]).predict(X[held])
        assert_allclose(by_means[k], mean_cost(y[held], y_pred, fn_cost=fn[held]))


def test_the_positive_class_can_be_chosen() -> None:
    labels = np.where(y == 1, "bad", "good")
    found = compare([CGAdaClassifier(n_estimators=5)], X, labels, fn_cost=5, cv=CV, pos_label="bad")
    same = compare([CGAdaClassifier(n_estimators=5)], X, y, fn_cost=5, cv=CV)
    assert_allclose(
        found.values["data"]["CGAdaClassifier"]["recall_positive"],
        same.values["data"]["CGAdaClassifier"]["recall_positive"],
    )
    stated = compare(
        [CGAdaClassifier(n_estimators=5, pos_label="bad"), LogisticRegression()],
        X, labels, fn_cost=5, cv=CV,
    )  # fmt: skip
    assert_allclose(
        stated.values["data"]["CGAdaClassifier"]["cost"],
        found.values["data"]["CGAdaClassifier"]["cost"],
    )


def test_the_cost_blind_take_part_without_a_warning() -> None:
    compare([AdaBoostClassifier(n_estimators=5)], X, y, fn_cost=5, cv=CV)


# ---- folds and data ------------------------------------------------------------------------------


def test_everybody_has_the_same_folds() -> None:
    one = {"a": SMALL, "b": SMALL}
    found = compare(one, X, y, fn_cost=5, random_state=3).values["data"]
    assert len(found["a"]["cost"]) == 10
    for measure in ("cost", "brier", "f1_negative"):
        assert_allclose(found["a"][measure], found["b"][measure])
    again = compare(one, X, y, fn_cost=5, random_state=3).values["data"]
    assert_allclose(again["a"]["cost"], found["a"]["cost"])
    other = compare(one, X, y, fn_cost=5, random_state=4).values["data"]
    assert not np.allclose(other["a"]["cost"], found["a"]["cost"])


def test_data_frames_and_processes() -> None:
    frame = pd.DataFrame(X, columns=list("abc"))
    found = compare([SMALL], frame, pd.Series(y), fn_cost=5, cv=CV, n_jobs=2)
    same = compare([SMALL], X, y, fn_cost=5, cv=CV)
    assert_allclose(
        found.values["data"]["AdaMECClassifier"]["brier"],
        same.values["data"]["AdaMECClassifier"]["brier"],
    )


# ---- several data sets ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def many() -> Comparison:
    data = {f"set {k}": problem(k) for k in range(4)}
    data["costly"] = (*problem(9), (50, 1))  # type: ignore[assignment]
    three = {"adamec": SMALL, "lr": LogisticRegression(), "always 0": DummyClassifier()}
    return compare(three, data, fn_cost=4, fp_cost=1, cv=3, random_state=0)


def test_ranks_are_those_of_the_means(many: Comparison) -> None:
    means = [
        [many.values[data][name]["cost"].mean() for name in many.estimators]  # type: ignore[union-attr]
        for data in many.data_sets
    ]
    ranks = many.ranks()
    assert_allclose(list(ranks.average.values()), average_ranks(means))
    assert ranks.friedman == friedman_test(means)
    assert ranks.average["always 0"] == 3.0
    recall = many.ranks("recall_positive")
    assert recall.average["always 0"] == 3.0


def test_data_sets_can_have_costs_of_their_own(many: Comparison) -> None:
    assert many.estimate("always 0", "cost", "costly").mean > 5  # type: ignore[union-attr]
    assert many.estimate("always 0", "cost", "set 0").mean < 4  # type: ignore[union-attr]


def test_a_comparison_can_be_printed_and_stored(many: Comparison) -> None:
    text = str(many)
    for word in ("set 3: means over 3 folds", "always 0", "Brier", "F1 -", "Nemenyi", "Friedman"):
        assert word in text
    assert all(len(line) <= 100 for line in text.splitlines())
    stored = json.loads(json.dumps(many.to_dict()))
    assert stored["folds"]["costly"]["lr"]["cost"] == many.values["costly"]["lr"]["cost"].tolist()  # type: ignore[union-attr]
    frame = pd.DataFrame(many.rows())
    assert len(frame) == 15
    assert (frame["cost_low"] <= frame["cost"]).all()
    assert "0.05" in str(many.ranks())


def test_two_estimators_have_no_friedman_test() -> None:
    found = compare({"a": SMALL, "b": LogisticRegression()}, {"1": (X, y), "2": problem(1)}, cv=2)
    assert found.ranks().friedman is None
    assert "Friedman" not in str(found)


# ---- bad input -----------------------------------------------------------------------------------


class Failing(DummyClassifier):
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        raise RuntimeError("no luck")


def test_more_than_two_classes() -> None:
    """Costs by the matrix, accuracy and Brier's score as scikit-learn has them."""
    X, _ = problem(n=240)
    y = np.array(["a", "b", "c"])[np.digitize(X[:, 0] + X[:, 1], [-0.5, 0.8])]
    matrix = np.array([[0, 1, 2], [3, 0, 1], [9, 9, 0]])
    cv = StratifiedKFold(3, shuffle=True, random_state=0)
    clf, plain = AdaMECClassifier(n_estimators=10), LogisticRegression()
    found = compare({"ours": clf, "theirs": plain}, X, y, cost_matrix=matrix, cv=cv).values["data"]
    for k, (train, held) in enumerate(cv.split(X, y)):
        models = {
            "ours": AdaMECClassifier(n_estimators=10, cost_matrix=matrix).fit(X[train], y[train]),
            "theirs": plain.fit(X[train], y[train]),
        }
        for name, model in models.items():
            y_pred = model.predict(X[held])
            paid = (confusion_matrix(y[held], y_pred) * matrix).sum() / len(held)
            p = model.predict_proba(X[held])
            truth = y[held][:, np.newaxis] == model.classes_
            brier = np.mean(np.sum((truth - p) ** 2, axis=1)) / 2
            assert_allclose(found[name]["cost"][k], paid)
            assert_allclose(found[name]["accuracy"][k], np.mean(y_pred == y[held]))
            assert_allclose(found[name]["brier"][k], brier)
            assert found[name]["recall_positive"] is None


def test_two_classes_by_a_matrix_are_two_classes() -> None:
    X, y = problem()
    clf = AdaMECClassifier(n_estimators=5)
    pair, matrix = (
        compare([clf], X, y, cv=3, random_state=0, **costs).values["data"]["AdaMECClassifier"]
        for costs in ({"fn_cost": 5}, {"cost_matrix": [[0, 1], [5, 0]]})
    )
    for measure in ("cost", "brier", "accuracy"):
        assert_allclose(matrix[measure], pair[measure])
    assert matrix["recall_positive"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((LogisticRegression(), X, y), "estimators must be a dict"),
        (([], X, y), "no estimators"),
        (([LogisticRegression], X, y), "estimator must be a scikit-learn classifier"),
        (([SMALL, SMALL], X, y), "two estimators have the name 'AdaMECClassifier'"),
        (({1: SMALL}, X, y), "names of estimators must be text, got 1"),
        (([SMALL], X), "without y, X must be a dict of data sets"),
        (([SMALL], {}), "dict of data sets"),
        (([SMALL], {"a": X}), "data set 'a' must be"),
        (([SMALL], {"a": (X,)}), "got tuple of 1"),
        (([SMALL], X, np.zeros(len(y))), "one class only"),
        (([SMALL], X[:-1], y), "inconsistent numbers of samples"),
        (([SMALL], {"a": (X, y, 5)}), "costs must be a pair"),
        (([SMALL], {"a": (X, y, {"miss": 5})}), "costs as a dict"),
        (([SMALL], X, y, 1), "cv must be a number of folds of at least 2, .* got 1"),
        (([SMALL], X, y, "five"), "cv must be"),
        (([SMALL], X, y, 150), "150 stratified folds need at least 150 rows"),
        (([SMALL], X, y, []), "cv makes no folds"),
        (([SMALL], X, y, [(np.flatnonzero(y), [0])]), "all classes to train on"),
        (([Failing()], X, y, CV), "Failing failed on data set 'data': RuntimeError: no luck"),
        (
            ([CGAdaClassifier(pos_label=0), AdaMECClassifier(pos_label=1)], X, y),
            "do not agree on the positive class",
        ),
    ],
)
def test_bad_input_is_named(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compare(*arguments)


@pytest.mark.parametrize(
    ("labels", "given", "message"),
    [
        (y, {"fn_cost": 0}, "fn_cost must be above 0"),
        (y, {"fn_cost": "5"}, "fn_cost must be a number .*, got the text '5'"),
        (y, {"fn_cost": [1.0, 2.0]}, "fn_cost must be one number or one for each of the 200"),
        (y, {"fn_cost": 5, "cost_matrix": np.eye(2)}, "costs are given twice"),
        (y, {"cost_matrix": 1 - np.eye(2), "pos_label": 1}, "pos_label goes with fn_cost"),
        (y, {"cost_matrix": 1 - np.eye(3)}, "shape"),
        (np.arange(len(y)) % 3, {"fn_cost": 10}, "3 classes 0, 1, 2, pass cost_matrix"),
    ],
)
def test_bad_costs_are_named(labels: Any, given: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compare([SMALL], X, labels, cv=CV, **given)


def test_a_query_is_no_data() -> None:
    with pytest.raises(ValueError, match=r"X is a polars LazyFrame.*X\.collect\(\)"):
        compare([SMALL], pl.DataFrame(X).lazy(), y, fn_cost=5)


def test_questions_without_an_answer() -> None:
    found = compare([SMALL], X, y, cv=2)
    with pytest.raises(ValueError, match="estimator must be one of 'AdaMECClassifier', got 'me'"):
        found.estimate("me")
    with pytest.raises(ValueError, match="measure must be one of 'cost'"):
        found.estimate("AdaMECClassifier", "beauty")
    with pytest.raises(ValueError, match="ranks need two data sets"):
        found.ranks()
    two = compare([SMALL, LinearSVC()], {"a": (X, y), "b": (X, y)}, cv=2)
    with pytest.raises(ValueError, match="data_set must be one of 'a', 'b', got None"):
        two.estimate("LinearSVC")
    with pytest.raises(ValueError, match="LinearSVC has no measure 'brier', so it has no rank"):
        two.ranks("brier")


# ---- how predictions are made ----


class OwnRule(ClassifierMixin, BaseEstimator):
    """Has neither scores nor probabilities."""

    def fit(self, X: Any, y: Any) -> Any:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return self.classes_[(np.asarray(X)[:, 0] > 0).astype(int)]


def test_every_row_states_how_it_decides() -> None:
    logistic = LogisticRegression()
    ways = {
        "by cost": [SMALL, make_pipeline(StandardScaler(), SMALL), GridSearchCV(SMALL, {}, cv=2)],
        "at 1/2": [logistic, make_pipeline(StandardScaler(), logistic), AdaBoostClassifier()],
        "at 1/2, trained for costs": [AdaC2Classifier(), CalibratedClassifierCV(SMALL, cv=2)],
        "by score": [LinearSVC()],
        "by score, trained for costs": [CGAdaClassifier()],
        "own rule": [OwnRule()],
        "own threshold": [
            FixedThresholdClassifier(logistic, threshold=0.2),
            TunedThresholdClassifierCV(logistic, cv=2),
        ],
        "own threshold, trained for costs": [
            OperatingPointClassifier(logistic, target="recall", at_least=0.8)
        ],
    }
    named = {f"{way} {k}": one for way, some in ways.items() for k, one in enumerate(some)}
    costs = {"fn_cost": 3.0, "fp_cost": np.ones(y.size)}
    found = compare_with_baselines(named, X, y, cv=2, random_state=0, **costs)
    decides = found.decides["data"]
    assert {name: decides[name] for name in named} == {name: name[:-2] for name in named}
    assert [decides[name] for name in NAMES] == ["one class", "one class", "by cost"]
    assert [row["decides"] for row in found.rows()] == list(decides.values())
    assert "at 1/2, trained for costs" in str(found)
    own = compare({"a": SMALL}, X, y, cv=2, fn_cost=3.0, train_with_costs=False)
    assert own.decides == {"data": {"a": "by own costs"}}


def test_ways_of_deciding_among_several_classes() -> None:
    labels = np.digitize(X[:, 0], [-0.5, 0.5])
    votes = GBSEClassifier(n_estimators=2, random_state=0)
    classifiers = {"votes": votes, "cost": SMALL, "likeliest": LogisticRegression()}
    matrix = [[0, 1, 1], [1, 0, 1], [9, 9, 0]]
    found = compare_with_baselines(classifiers, X, labels, cv=2, cost_matrix=matrix)
    decides = found.decides["data"]
    assert decides["votes"] == "likeliest class, trained for costs"
    assert decides["cost"] == decides["logistic regression"] == "by cost"
    assert decides["likeliest"] == "likeliest class"
    assert decides["one class for all rows"] == "one class"


# ---- baselines -----------------------------------------------------------------------------------

NAMES = ["all rows negative", "all rows positive", "logistic regression"]
PEER = "LightGBM, calibrated"


def test_baselines_are_rows_without_ranks() -> None:
    data = {"one": problem(1), "two": problem(2)}
    found = compare_with_baselines({"a": SMALL, "b": AdaBoostClassifier(n_estimators=3)}, data)
    assert found.estimators[:5] == ["a", "b", *NAMES]
    assert found.baselines[:3] == NAMES
    assert set(found.baselines) - {PEER} == set(NAMES)
    assert set(found.ranks().average) == {"a", "b"}
    assert found.to_dict()["baselines"] == found.baselines
    assert NAMES[0] in str(found)


@pytest.mark.parametrize("label", [0, 1])
def test_constant_predictions_cost_what_they_must(label: int) -> None:
    amount = np.random.default_rng(0).uniform(1, 9, y.size)
    given = {"fn_cost": amount, "fp_cost": 2.0, "pos_label": label}
    found = compare_with_baselines({"a": SMALL}, X, y, cv=CV, **given)
    for k, (_, held) in enumerate(SPLITS):
        positive = y[held] == label
        expected = amount[held][positive].sum() / held.size, 2.0 * np.mean(~positive)
        for name, cost in zip(NAMES, expected, strict=False):
            assert_allclose(found.values["data"][name]["cost"][k], cost)


@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize("of_rows", [False, True])
def test_logistic_regression_predicts_the_class_of_least_cost(label: int, of_rows: bool) -> None:
    random = np.random.default_rng(0)
    fn = random.uniform(1, 9, y.size) if of_rows else 4.0
    found = compare_with_baselines(
        {"a": SMALL}, X, y, cv=CV, fn_cost=fn, pos_label=label, train_with_costs=False
    )
    for k, (train, held) in enumerate(SPLITS):
        model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
        p = model.fit(X[train], y[train] == label).predict_proba(X[held])[:, 1]
        cost = fn[held] if of_rows else fn
        truth, positive = y[held] == label, p * cost > (1 - p) * 1.0
        expected = mean_cost(truth.astype(int), positive.astype(int), fn_cost=cost, fp_cost=1.0)
        assert_allclose(found.values["data"]["logistic regression"]["cost"][k], expected)


@pytest.mark.parametrize("label", [0, 1])
def test_costs_of_rows_have_a_rule_without_a_model(label: int) -> None:
    """Its decisions are by the costs of the rows and the shares of the classes in training."""
    amount = np.random.default_rng(0).uniform(0.1, 9, y.size)
    given = {"fn_cost": amount, "fp_cost": 2.0, "pos_label": label}
    found = compare_with_baselines({"a": SMALL}, X, y, cv=CV, **given)
    for k, (train, held) in enumerate(SPLITS):
        share, truth = np.mean(y[train] == label), (y[held] == label).astype(int)
        positive = (share * amount[held] > (1 - share) * 2.0).astype(int)
        assert 0 < positive.mean() < 1
        cost = mean_cost(truth, positive, fn_cost=amount[held], fp_cost=2.0)
        assert_allclose(found.values["data"][BY_COSTS]["cost"][k], cost)
    assert BY_COSTS not in compare_with_baselines({"a": SMALL}, X, y, cv=2, fn_cost=3).estimators
    assert set(WITHOUT_MODEL) & set(found.estimators) == {*NAMES[:2], BY_COSTS}


def test_baselines_take_any_rows() -> None:
    random = np.random.default_rng(3)
    n = 120
    number = np.where(random.random(n) < 0.2, np.nan, random.normal(size=n))
    text = random.choice(["a", "b", "c"], n)
    label = ((text == "a") ^ (random.random(n) < 0.1)).astype(int)
    frame = pd.DataFrame({"number": number, "text": text, "same": 1.0})
    for rows in (frame, pl.from_pandas(frame)):
        found = compare_with_baselines({"a": SMALL}, rows, label, cv=3)
        assert found.estimate("logistic regression").mean < 0.25
    matrix = sparse.random(n, 50, density=0.2, random_state=0, format="csc")
    matrix.data[0] = np.nan
    found = compare_with_baselines({"a": SMALL}, matrix, label, cv=3)
    assert np.isfinite(found.values["data"]["logistic regression"]["cost"]).all()


def test_the_class_for_all_rows_is_the_cheapest_of_training() -> None:
    labels = np.repeat(["x", "y", "z"], [100, 60, 40])
    matrix = [[0, 1, 1], [1, 0, 1], [9, 9, 0]]
    found = compare_with_baselines({"a": SMALL}, X, labels, cv=2, cost_matrix=matrix)
    costs = found.values["data"]["one class for all rows"]["cost"]
    assert_allclose(costs, 160 / 200)
    assert "precision" not in str(found)
