"""skops saves models that a model file cannot hold, trusting only classes of costboost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import skops.io
from files.examples import LABELS, NAMES, X, Y, difference, model
from numpy.testing import assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import costboost
from costboost import CostSearchCV, OperatingPointClassifier, multiclass
from costboost.algorithms import AdaBoostClassifier
from costboost.calibration import CALIBRATORS


def to_trust(clf: Any) -> set[str]:
    return set(skops.io.get_untrusted_types(data=skops.io.dumps(clf)))


def again(clf: Any, trusted: set[str]) -> Any:
    return skops.io.loads(skops.io.dumps(clf), trusted=sorted(trusted))


def ours(names: set[str]) -> bool:
    return all(name.startswith("costboost.") for name in names)


@pytest.mark.parametrize("name", NAMES)
def test_only_our_classes_have_to_be_trusted(name: str) -> None:
    names = to_trust(model(name))
    assert names
    assert ours(names), names
    assert difference(model(name), again(model(name), names)) is None


@pytest.mark.parametrize("cls", CALIBRATORS.values())
def test_calibrators(cls: Any) -> None:
    calibrator = cls().fit([0.1, 0.3, 0.4, 0.6, 0.8], [0, 0, 1, 0, 1])
    assert to_trust(calibrator) == {f"{cls.__module__}.{cls.__name__}"}
    assert difference(calibrator, again(calibrator, to_trust(calibrator))) is None


@pytest.mark.parametrize(
    "inner",
    [DecisionTreeClassifier(max_depth=2, random_state=0), GaussianNB(), LogisticRegression()],
    ids=lambda inner: type(inner).__name__,
)
def test_of_a_wrapped_learner_no_more_than_of_the_learner_itself(inner: Any) -> None:
    """Predictions of a model that `save` refuses are equal to the bit after loading."""
    clf = AdaBoostClassifier(estimator=inner, n_estimators=4, random_state=0).fit(X, Y)
    names = to_trust(clf)
    assert ours(names - to_trust(inner.fit(X, Y)))
    assert_array_equal(again(clf, names).predict_proba(X), clf.predict_proba(X))


@pytest.mark.parametrize("name", multiclass.__all__)
def test_methods_for_several_classes(name: str) -> None:
    """Most contain scikit-learn trees, which need the trusted types of a single tree."""
    clf = getattr(multiclass, name)(n_estimators=3, random_state=0).fit(X, LABELS["three"])
    names = to_trust(clf)
    assert ours(names - to_trust(DecisionTreeClassifier().fit(X, Y)))
    assert_array_equal(again(clf, names).predict_proba(X), clf.predict_proba(X))


@pytest.mark.parametrize(
    "clf",
    [
        make_pipeline(StandardScaler(), AdaBoostClassifier(n_estimators=4)),
        OperatingPointClassifier(LogisticRegression(), at_least=0.8, random_state=0),
        CostSearchCV(
            make_pipeline(StandardScaler(), AdaBoostClassifier(n_estimators=4)), fn_costs=[1]
        ),
    ],
    ids=["pipeline", "operating point", "search"],
)
def test_together_with_scikit_learn(clf: Any) -> None:
    clf.fit(X, Y)
    names = to_trust(clf)
    assert ours(names)
    assert_array_equal(again(clf, names).predict(X), clf.predict(X))


def test_searches_with_weights_and_costs_of_rows() -> None:
    """Where scikit-learn routes metadata, it must leave nothing of its own behind."""
    search = CostSearchCV(costboost.algorithms.CGAdaClassifier(n_estimators=4), fn_costs=[1, 3])
    search.fit(X, Y, sample_weight=1.0 + Y, fn_cost=2.0 + X[:, 0] ** 2)
    names = to_trust(search)
    assert ours(names), names
    other = again(search, names)
    assert difference(search, other) is None
    assert other.search_.score(X, Y) == search.search_.score(X, Y) < 0


def test_nothing_is_trusted_unasked(tmp_path: Path) -> None:
    skops.io.dump(model("tree"), tmp_path / "model.skops")
    with pytest.raises(skops.io.exceptions.UntrustedTypesFoundException, match="costboost"):
        skops.io.load(tmp_path / "model.skops")
