"""The sets that are part of costboost are those of the papers, and lead to all others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import costboost.datasets
from costboost_lab import datasets


@pytest.mark.parametrize(("small", "name"), [("tumours", "wdbc"), ("german_credit",) * 2])
def test_small_sets_are_those_of_the_papers(small: str, name: str) -> None:
    data, known = costboost.datasets.load(small), datasets.load(name)
    pd.testing.assert_frame_equal(data.X, known.X, check_exact=True)
    np.testing.assert_array_equal(data.y, known.y)
    assert data.pos_label == known.pos_label
    if known.costs:
        assert (data.costs.fn_cost, data.costs.fp_cost) == (
            known.costs.fn_cost,
            known.costs.fp_cost,
        )
    features = data.frame.drop(columns="target")
    pd.testing.assert_frame_equal(features, data.X)
    np.testing.assert_array_equal(data.frame["target"], data.y)


def test_all_sets_have_one_door() -> None:
    assert set(costboost.datasets.available()) == {"tumours", *datasets.available()}
    local = costboost.datasets.available(local=True)
    assert set(local) == {"tumours", *datasets.available(local=True)}
    assert costboost.datasets.load("wdbc").record is datasets.record("wdbc")
    good: Any = costboost.datasets.load("german_credit", pos_label="good")
    assert good.costs.fn_cost == 1
    with pytest.raises(ValueError, match="did you mean pima"):
        costboost.datasets.load("prima")
    assert costboost.datasets.Record is datasets.Record
    with pytest.raises(AttributeError, match="has no attribute 'make_bananas'"):
        _ = costboost.datasets.make_bananas
