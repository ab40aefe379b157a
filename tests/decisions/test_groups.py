"""Groups of rows that no internal split separates, and splits in the order of time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sklearn import config_context
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, TimeSeriesSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from costboost import (
    ActionClassifier,
    CostBoostClassifier,
    CostSearchCV,
    OperatingPointClassifier,
    compare,
)
from costboost._core.training import calibrated, early_stopping, folds
from costboost.algorithms import AdaMECClassifier
from costboost.multiclass import CostingClassifier, GBSEClassifier


@pytest.fixture(scope="module")
def rows() -> tuple[Any, Any, Any]:
    """Rows in 60 groups; the first feature is the number of the group."""
    random = np.random.default_rng(0)
    group = np.repeat(np.arange(60), 10)[random.permutation(600)]
    bias = random.normal(size=60)[group]
    X = np.column_stack([group, bias, random.normal(size=(600, 3))])
    y = (bias + X[:, 2] + random.normal(size=600) > 0.5).astype(int)
    return X, y, group


class Splits:
    """Records the groups on both sides of every split that training makes."""

    def __init__(self) -> None:
        self.n = 0

    def check(self, groups: Any, kept: Any, held: Any) -> None:
        self.n += 1
        assert not set(groups[kept]) & set(groups[held])


@pytest.fixture
def splits(monkeypatch: pytest.MonkeyPatch) -> Iterator[Splits]:
    found = Splits()
    split_rows, hold_out = folds.split_rows, folds.hold_out

    def recorded(
        split: Any, code: Any, counts: Any, seed: Any, groups: Any = None, copies: Any = None
    ) -> Any:
        parts = split_rows(split, code, counts, seed, groups, copies)
        for part in parts:
            found.check(groups, *part)
        return parts

    def held_out(code: Any, share: float, seed: int, groups: Any = None) -> Any:
        kept, held = hold_out(code, share, seed, groups)
        found.check(groups, kept, held)
        return kept, held

    from costboost.multiclass import base

    monkeypatch.setattr(calibrated, "split_rows", recorded)
    monkeypatch.setattr(base, "split_rows", recorded)
    monkeypatch.setattr(early_stopping, "hold_out", held_out)
    yield found
    assert found.n > 0


@pytest.mark.parametrize("split", [None, 3, 0.3, "loo", StratifiedGroupKFold(3), GroupKFold(4)])
def test_calibration_keeps_groups_together(
    rows: tuple[Any, Any, Any], splits: Splits, split: Any
) -> None:
    X, y, group = rows
    AdaMECClassifier(
        n_estimators=2, calibration="platt", calibration_split=split, random_state=0
    ).fit(X, y, groups=group)


def test_stacking_and_early_stopping_keep_groups_together(
    rows: tuple[Any, Any, Any], splits: Splits
) -> None:
    X, y, group = rows
    clf = CostBoostClassifier(n_estimators=5, early_stopping=True, random_state=0)
    clf.fit(X, y, groups=group.astype(str))
    assert splits.n > 5
    several = np.digitize(X[:, 1], [-0.5, 0.5])
    clf.fit(X, several, groups=group)
    AdaMECClassifier(n_estimators=5, early_stopping=True, random_state=0).fit(X, y, groups=group)


@pytest.mark.parametrize("method", [GBSEClassifier, CostingClassifier])
def test_methods_for_several_classes(
    rows: tuple[Any, Any, Any], splits: Splits, method: Any
) -> None:
    X, y, group = rows
    method(n_estimators=2, calibration="dirichlet", random_state=0).fit(X, y, groups=group)


class Watching(LogisticRegression):
    """Checks that no row of a group it was trained on is predicted before the last fit."""

    trained: list[set[float]] = []  # noqa: RUF012
    predicted: list[set[float]] = []  # noqa: RUF012

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        self.own_ = set(X[:, 0])
        return super().fit(X, y, sample_weight)

    def predict_proba(self, X: Any) -> Any:
        if len(X) < 600:
            assert not self.own_ & set(X[:, 0])
        return super().predict_proba(X)


def test_operating_points_searches_and_comparisons(
    rows: tuple[Any, Any, Any], splits: Splits
) -> None:
    X, y, group = rows
    watching = Watching(max_iter=1000)
    OperatingPointClassifier(watching, at_least=0.8, random_state=0).fit(X, y, groups=group)
    compare([watching], X, y, groups=group, cv=4, fn_cost=2, fp_cost=1, random_state=0)
    inner = CostBoostClassifier(n_estimators=3, random_state=0)
    OperatingPointClassifier(inner, at_least=0.8, cv=2, random_state=0).fit(X, y, groups=group)
    CostSearchCV(inner, fn_costs=[1, 2], cv=2, random_state=0).fit(X, y, groups=group)
    found = compare([inner], X, y, groups=group, cv=2, baselines=False, random_state=0)
    assert found.estimators == ["CostBoostClassifier"]
    n = splits.n
    table = {0: {"no": 0, "yes": 1}, 1: {"no": 3, "yes": 0}}
    ActionClassifier(inner, costs=table).fit(X, y, groups=group)
    assert splits.n > n


def test_pipelines_route_groups(rows: tuple[Any, Any, Any], splits: Splits) -> None:
    X, y, group = rows
    with config_context(enable_metadata_routing=True):
        clf = CostBoostClassifier(n_estimators=3, random_state=0).set_fit_request(groups=True)
        chain = make_pipeline(StandardScaler(), clf)
        chain.fit(X, y, groups=group)
        OperatingPointClassifier(chain, at_least=0.8, cv=2).fit(X, y, groups=group)
        CostSearchCV(chain, fn_costs=[1, 2], cv=2).fit(X, y, groups=group)


def test_without_groups_nothing_changes(rows: tuple[Any, Any, Any]) -> None:
    X, y, group = rows
    clf = CostBoostClassifier(n_estimators=3, random_state=0)
    plain = clf.fit(X, y).predict_proba(X)
    assert np.array_equal(clf.fit(X, y, groups=None).predict_proba(X), plain)
    assert not np.array_equal(clf.fit(X, y, groups=group).predict_proba(X), plain)


@pytest.mark.parametrize(
    "make",
    [
        lambda X, y, groups: CostBoostClassifier(n_estimators=2).fit(X, y, groups=groups),
        lambda X, y, groups: GBSEClassifier(n_estimators=2, calibration="dirichlet").fit(
            X, y, groups=groups
        ),
        lambda X, y, groups: OperatingPointClassifier(LogisticRegression(), at_least=0.5).fit(
            X, y, groups=groups
        ),
        lambda X, y, groups: compare([LogisticRegression()], X, y, groups=groups),
    ],
    ids=["boosting", "GBSE", "operating point", "compare"],
)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda g: np.zeros(600), "one group only"),
        (lambda g: g[:-1], "one label for each of the 600 rows"),
        (lambda g: np.where(g == 3, np.nan, g), "groups has no label in row"),
    ],
    ids=["one", "length", "NaN"],
)
def test_bad_groups(rows: tuple[Any, Any, Any], make: Any, change: Any, message: str) -> None:
    X, y, group = rows
    with pytest.raises(ValueError, match=message):
        make(X, y, change(group))


def test_splits_that_do_not_fit(rows: tuple[Any, Any, Any]) -> None:
    X, y, group = rows
    clf = CostBoostClassifier(n_estimators=2, calibration_split=KFold(3))
    with (
        pytest.warns(UserWarning, match="groups parameter is ignored"),
        pytest.raises(ValueError, match="into both parts; take StratifiedGroupKFold"),
    ):
        clf.fit(X, y, groups=group)
    few = CostBoostClassifier(n_estimators=2, calibration_split=4)
    with pytest.raises(ValueError, match="needs at least 4 groups, but there are 3"):
        few.fit(X, y, groups=group % 3)
    point = OperatingPointClassifier(LogisticRegression(), at_least=0.5, guarantee=0.9)
    with pytest.raises(ValueError, match="rows of a group are not"):
        point.fit(X, y, groups=group)
    apart = CostBoostClassifier(n_estimators=2, calibration_split=0.5)
    with pytest.raises(ValueError, match="some class is in too few groups"):
        apart.fit(X, y, groups=np.where(y == 1, 0, 1 + group))
    with pytest.raises(ValueError, match="groups are those of the rows of one data set"):
        compare([LogisticRegression()], {"a": (X, y)}, groups=group)


@pytest.mark.parametrize("clf", [CostBoostClassifier, AdaMECClassifier])
def test_splits_in_the_order_of_time(rows: tuple[Any, Any, Any], clf: Any) -> None:
    """Rows of the past are trained on, and later ones calibrate."""
    X, y, _ = rows
    split = TimeSeriesSplit(3)
    fitted = clf(n_estimators=5, calibration="platt", calibration_split=split, random_state=0)
    fitted.fit(X, y)
    parts = list(split.split(X))
    given = clf(n_estimators=5, calibration="platt", calibration_split=parts, random_state=0)
    assert np.array_equal(given.fit(X, y).predict_proba(X), fitted.predict_proba(X))
    point = OperatingPointClassifier(LogisticRegression(), at_least=0.5, cv=split).fit(X, y)
    assert len(point.fold_values_) == 3
