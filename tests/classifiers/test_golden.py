"""The golden vectors: scores that two independent references agree on, to 1e-6."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from costboost import algorithms as cb

GOLDEN = Path(__file__).parents[1] / "golden"
EXPECTED: dict[str, Any] = json.loads((GOLDEN / "expected.json").read_text())
CLASSIFIERS: dict[str, tuple[Any, dict[str, Any]]] = {
    "adaboost": (cb.AdaBoostClassifier, {}),
    "cgada": (cb.CGAdaClassifier, {}),
    "adamec": (cb.AdaMECClassifier, {}),
    "asymada": (cb.AsymAdaClassifier, {}),
    "csb0": (cb.CSB0Classifier, {}),
    "csb1": (cb.CSB1Classifier, {}),
    "csb2": (cb.CSB2Classifier, {}),
    "adacost": (cb.AdaCostClassifier, {}),
    "adacost_beta2": (cb.AdaCostClassifier, {"beta": "ting"}),
    "adac1": (cb.AdaC1Classifier, {}),
    "adac1_uniform_keep": (
        cb.AdaC1Classifier,
        {"initial_weights": "uniform", "negative_step": "keep"},
    ),
    "adac1_nyga_uniform_keep": (
        cb.AdaC1Classifier,
        {"initial_weights": "uniform", "negative_step": "keep", "step": "nyga"},
    ),
    "adac2": (cb.AdaC2Classifier, {}),
    "adac2_uniform": (cb.AdaC2Classifier, {"initial_weights": "uniform"}),
    "adac3": (cb.AdaC3Classifier, {}),
    "realboost": (cb.RealBoostClassifier, {}),
    "realboost_error": (cb.RealBoostClassifier, {"criterion": "error"}),
    "rareboost": (cb.RareBoostClassifier, {}),
    "gentleboost": (cb.GentleBoostClassifier, {}),
    "csra": (cb.CSRAClassifier, {}),
    "csga": (cb.CSGAClassifier, {}),
    "logitboost": (cb.LogitBoostClassifier, {}),
    "cslb": (cb.CSLBClassifier, {}),
    "csada": (cb.CSAdaClassifier, {}),
    "csada_balanced": (cb.CSAdaClassifier, {"initial_weights": "balanced"}),
    "adadb": (cb.AdaDBClassifier, {}),
    "csrealboost": (cb.CSRealBoostClassifier, {"estimator": "stump"}),
    "csrealboost_balanced": (
        cb.CSRealBoostClassifier,
        {"estimator": "stump", "initial_weights": "balanced"},
    ),
    "cslogitboost": (cb.CSLogitBoostClassifier, {}),
    "cslogitboost_margin": (cb.CSLogitBoostClassifier, {"weighting": "margin"}),
    "cslogitboost_stump": (cb.CSLogitBoostClassifier, {"estimator": "stump"}),
    "weightboost": (cb.WeightBoostClassifier, {"beta": 0.5}),
    "adaboostreg": (cb.AdaBoostRegClassifier, {"C": 1.0, "p": 1.0}),
}


@pytest.mark.complete
@pytest.mark.filterwarnings("ignore:.* ignores costs", "ignore:.* added no learner")
@pytest.mark.parametrize("algorithm", CLASSIFIERS)
@pytest.mark.parametrize("problem", EXPECTED)
def test_golden_vectors(problem: str, algorithm: str) -> None:
    data = np.load(GOLDEN / f"{problem}.npz")
    expected = EXPECTED[problem]
    classifier, options = CLASSIFIERS[algorithm]
    clf = classifier(
        n_estimators=expected["n_estimators"],
        fn_cost=expected["fn_cost"],
        fp_cost=expected["fp_cost"],
        **options,
    ).fit(data["X"], data["y"], sample_weight=data["sample_weight"])
    for rows, key in (("X", "decision_function_train"), ("X_test", "decision_function_test")):
        wanted = np.array(expected[key][algorithm])
        score = clf.raw_score(data[rows])
        if not wanted.any():  # no learner could be added: the fallback applies
            assert clf.n_iter_ == 0
            assert np.all(np.abs(score) == 1)
        else:
            np.testing.assert_allclose(score, wanted, rtol=0, atol=1e-6)


def test_the_vectors_tell_the_algorithms_apart() -> None:
    """Guards the test above: an engine that ignored the costs would be seen."""
    scores = [expected["decision_function_test"] for expected in EXPECTED.values()]
    differ = [not np.allclose(one["adaboost"], one["cgada"]) for one in scores]
    assert sum(differ) >= 3  # not where costs are equal, nor where one stump is perfect


def test_every_vector_is_used() -> None:
    keys = {key for one in EXPECTED.values() for key in one["decision_function_train"]}
    assert keys == set(CLASSIFIERS)
