"""The golden vectors: scores that two independent references agree on, to 1e-6."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from costboost import AdaBoostClassifier, AdaMECClassifier, CGAdaClassifier

GOLDEN = Path(__file__).parents[1] / "golden"
EXPECTED: dict[str, Any] = json.loads((GOLDEN / "expected.json").read_text())
CLASSIFIERS = {
    "adaboost": AdaBoostClassifier,
    "cgada": CGAdaClassifier,
    "adamec": AdaMECClassifier,
}


@pytest.mark.filterwarnings("ignore:AdaBoostClassifier ignores costs")
@pytest.mark.parametrize("algorithm", CLASSIFIERS)
@pytest.mark.parametrize("problem", EXPECTED)
def test_golden_vectors(problem: str, algorithm: str) -> None:
    data = np.load(GOLDEN / f"{problem}.npz")
    expected = EXPECTED[problem]
    clf = CLASSIFIERS[algorithm](
        n_estimators=expected["n_estimators"],
        fn_cost=expected["fn_cost"],
        fp_cost=expected["fp_cost"],
    ).fit(data["X"], data["y"], sample_weight=data["sample_weight"])
    train, test = clf.decision_function(data["X"]), clf.decision_function(data["X_test"])
    np.testing.assert_allclose(
        train, expected["decision_function_train"][algorithm], rtol=0, atol=1e-6
    )
    np.testing.assert_allclose(
        test, expected["decision_function_test"][algorithm], rtol=0, atol=1e-6
    )


def test_the_vectors_tell_the_algorithms_apart() -> None:
    """Guards the test above: an engine that ignored the costs would be seen."""
    scores = [expected["decision_function_test"] for expected in EXPECTED.values()]
    differ = [not np.allclose(one["adaboost"], one["cgada"]) for one in scores]
    assert sum(differ) >= 3  # not where costs are equal, nor where one stump is perfect
