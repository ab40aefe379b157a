"""A training that needs what a back end does not offer is an error that names it."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

import numpy as np
import pytest
from divided import model
from numpy.typing import NDArray

from costboost._core.backends.data import HoldsPairs
from costboost._core.backends.local import LocalData
from costboost._core.backends.offers import NEEDED_FOR, NotOffered, check_offered
from costboost._core.backends.order import messages_of
from costboost._core.backends.protocol import Backend, KeepsClassWeights, KnowsRows, SumsBins
from costboost._core.backends.several import Several, SeveralShards, answering
from costboost._core.backends.shard import PairShard, Shard
from costboost._core.engine.binning import positives_first
from costboost.algorithms import AdaCostClassifier, AdaMECClassifier, LogitBoostClassifier
from costboost.multiclass import GBSEClassifier

V = TypeVar("V")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 4)).round(1)
Y = (X[:, 0] + RNG.normal(size=90) > 0).astype(int)
THREE = RNG.integers(0, 3, 90)
RUNS = [(0, 30), (30, 90)]


class Stumps(KnowsRows[V], SumsBins, KeepsClassWeights[V], Protocol[V]):
    """What stumps need that are found under weights of the classes, and nothing else."""


class Divides(Protocol):
    """Sets of rows of the nodes of a tree over pairs, without sums."""

    divide = HoldsPairs.divide
    release = HoldsPairs.release


class Runs(SeveralShards):
    """Shards of rows that belong to given runs of the problem."""

    def arranged(self, values: NDArray[Any], positive: NDArray[np.uint8]) -> NDArray[Any]:
        return np.concatenate([positives_first(values[a:b], positive[a:b]) for a, b in RUNS])


@pytest.fixture
def few_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of trainings, and their pairs, are in two shards that offer little."""

    def opened(data: LocalData, rows: Any, positive: NDArray[np.uint8], *given: Any) -> Any:
        numbers = np.arange(positive.size) if rows is None else rows
        shards = [Shard(data.take(numbers[a:b], positive[a:b], 1)) for a, b in RUNS]
        return answering(Runs, Stumps)(shards)

    def pairs(data: LocalData, weight: NDArray[np.int64], counting: bool) -> Any:
        return answering(Several, Divides)([PairShard(data.binned, weight, counting)])

    monkeypatch.setattr(LocalData, "open", opened)
    monkeypatch.setattr(LocalData, "pairs", pairs)
    monkeypatch.setattr(LocalData, "pair_trees", None)


def test_what_it_offers_can_be_trained(request: pytest.FixtureRequest) -> None:
    clf = AdaMECClassifier(n_estimators=20, estimator="stump", fn_cost=3)
    expected = model(clf.fit(X, Y))
    request.getfixturevalue("few_messages")
    assert model(clf.fit(X, Y)) == expected


@pytest.mark.usefixtures("few_messages")
@pytest.mark.parametrize(
    ("clf", "y", "part"),
    [
        (AdaMECClassifier(estimator="tree"), Y, "HoldsNodes"),
        (AdaMECClassifier(estimator="stump", subsample=0.5), Y, "DrawsRows"),
        (LogitBoostClassifier(estimator="stump"), Y, "SumsLosses"),
        (LogitBoostClassifier(estimator="stump"), THREE, "SumsLosses"),
        (GBSEClassifier(n_estimators=2), THREE, "HoldsPairs"),
    ],
)
def test_what_it_lacks_is_named(clf: Any, y: NDArray[Any], part: str) -> None:
    with pytest.raises(
        NotOffered, match=f"does not offer {part}, as it has no '.*: it is needed for .*; "
    ):
        clf.fit(X, y)
    assert not hasattr(clf, "model_")


@pytest.mark.usefixtures("few_messages")
def test_costs_of_rows_need_sums_of_vectors() -> None:
    clf = AdaCostClassifier(estimator="stump")
    with pytest.raises(NotOffered, match="SumsVectors"):
        clf.fit(X, Y, fn_cost=RNG.random(90) + 0.5)


def test_every_part_of_the_protocol_can_be_needed() -> None:
    """All messages but those of `KnowsRows`, which every training sends."""
    named = {name for part in NEEDED_FOR for name in messages_of(part)}
    assert named == {*messages_of(Backend), *messages_of(HoldsPairs)} - {*messages_of(KnowsRows)}


def test_a_shard_offers_everything() -> None:
    check_offered(Shard.__new__(Shard), [one for one in NEEDED_FOR if one is not HoldsPairs])
    check_offered(PairShard.__new__(PairShard), [HoldsPairs])
