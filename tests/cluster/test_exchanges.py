"""A round asks the workers as seldom as it can: once for stumps, twice for a step of Newton's."""

from __future__ import annotations

from typing import Any

import pytest
from cluster_rows import DATA, N, array

from costboost import algorithms as cb
from costboost._core.backends.dask.cluster import Cluster


@pytest.mark.parametrize(
    ("cls", "exchanges"),
    [(cb.AdaBoostClassifier, 1), (cb.AdaC2Classifier, 1), (cb.LogitBoostClassifier, 2)],
)
def test_exchanges_of_a_round_of_stumps(
    client: Any, monkeypatch: pytest.MonkeyPatch, cls: Any, exchanges: int
) -> None:
    ask, asked = Cluster.ask, [0]

    def counted(self: Cluster, *given: Any) -> list[Any]:
        asked[0] += 1
        return ask(self, *given)

    monkeypatch.setattr(Cluster, "ask", counted)
    rows, numbers = array(DATA.X, (N // 2, N // 2)), []
    for n in (5, 15):
        asked[0] = 0
        clf = cls(n_estimators=n, estimator="stump").fit(rows, DATA.y)
        assert clf.n_iter_ == n
        numbers.append(asked[0])
    assert numbers[1] - numbers[0] == 10 * exchanges
