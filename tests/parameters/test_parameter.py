"""Parameters: each is stated once, and all that is derived from it agrees."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB

from costboost._core.calibration import AUTO, CALIBRATORS
from costboost._core.parameters.boosting import BoostingParameters
from costboost._core.parameters.decomposition import DecompositionParameters, SamplingParameters
from costboost._core.parameters.estimators import ESTIMATORS
from costboost._core.parameters.parameter import (
    Between,
    Estimator,
    Flag,
    Jobs,
    Kind,
    Number,
    OneOf,
    OrNone,
    Random,
    Whole,
    check_parameters,
    parameters_of,
)
from costboost._core.rules.record import STARTS
from costboost._core.training.binned import CONSTRUCTORS
from costboost._core.training.plan import Fixed
from costboost.algorithms import CLASSES, METHODS, AdaBoostClassifier
from costboost.multiclass.base import CALIBRATORS as OF_METHODS
from costboost.multiclass.components import SAMPLING

# ---- kinds ---------------------------------------------------------------------------------------

GOOD: list[tuple[Kind, str, list[Any]]] = [
    (Whole(1), "int", [1, 2**70, np.int8(3)]),
    (Whole(2, 255), "int", [2, 255, np.uint8(255)]),
    (Number(0), "float", [0, 0.0, 1e308, np.float32(0.5), True + 1]),
    (Number(0, 1, above=True), "float", [1, 5e-324]),
    (Between(0, 1), "float", [0, 1, 0.5]),
    (OneOf("best", "random"), '{"best", "random"}', ["best", "random"]),
    (Flag(), "bool", [True, False, np.True_]),
    (OrNone(Whole(1)), "int or None", [None, 1]),
    (OrNone(OneOf("a")), 'None or "a"', [None, "a"]),
    (OrNone(OneOf("a", "b", "c")), 'None, "a", "b" or "c"', [None, "b"]),
    (Estimator("estimator", ("stump",)), "estimator", [None, "stump", GaussianNB()]),
    (Jobs(), "int or None", [None, -1, 1, 10**400]),
    (Random(), "int, RandomState or None", [None, 0, np.random.RandomState(0)]),
]
BAD: list[tuple[Kind, Any, str]] = [
    (Whole(1), 0, "x must be a whole number of at least 1, got 0"),
    (Whole(1), True, "x must be a whole number of at least 1, got True"),
    (Whole(1), 1.0, "x must be a whole number of at least 1, got 1.0"),
    (Whole(2, 255), 256, "x must be a whole number from 2 to 255, got 256"),
    (Number(0), -1, "x must be a number of at least 0, got -1"),
    (Number(0), float("nan"), "x must be a number of at least 0, got nan"),
    (Number(0), float("inf"), "x must be a number of at least 0, got inf"),
    (Number(0, above=True), 0.0, "x must be a number above 0, got 0.0"),
    (Number(0, 1), 1.5, "x must be at most 1, got 1.5"),
    (Number(0, 1, too_large="{name}={value!r} > {most}"), 2, "x=2 > 1"),
    (Between(1, 100), 0.5, "x must be a number from 1 to 100, got 0.5"),
    (Between(0, 1, above=True, words="a share"), 0, "x must be a share, got 0"),
    (OneOf("best", "random"), "any", "x must be one of 'best', 'random', got 'any'"),
    (OneOf("best"), None, "x must be one of 'best', got None"),
    (Flag(), 1, "x must be True or False, got 1"),
    (OrNone(Whole(1)), 0, "x must be a whole number of at least 1, got 0"),
    (Estimator("", ("stump",)), "tree", "x must be one of 'stump', got 'tree'"),
    (Estimator(""), "tree", "x must be None or a scikit-learn classifier, got 'tree'"),
    (Estimator("", ("a",)), 7, "x must be None, one of 'a', or a scikit-learn classifier, got 7"),
    (Estimator(""), GaussianNB, "x must be None or a scikit-learn classifier, got <class"),
    (Jobs(), 0, "n_jobs must not be 0; None or -1 takes all threads, 1 only one"),
    (Jobs(), 1.5, "x must be a whole number, got 1.5"),
    (Random(), "lucky", "'lucky' cannot be used to seed"),
]


@pytest.mark.parametrize(("kind", "described", "values"), GOOD, ids=range(len(GOOD)))
def test_what_a_parameter_may_be(kind: Kind, described: str, values: list[Any]) -> None:
    assert kind.described == described
    for value in values:
        kind.check("x", value)


@pytest.mark.parametrize(("kind", "value", "message"), BAD, ids=range(len(BAD)))
def test_what_it_may_not_be(kind: Kind, value: Any, message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        kind.check("x", value)
    assert str(caught.value).startswith(message)


# ---- the parameters of classifiers ---------------------------------------------------------------


@pytest.mark.parametrize("cls", [*CLASSES, *METHODS], ids=lambda cls: cls.__name__)
def test_defaults_are_allowed_and_described(cls: Any) -> None:
    parameters = parameters_of(cls)
    assert {name: one.default for name, one in parameters.items()} == cls().get_params()
    for name, (default, kind, text) in parameters.items():
        kind.check(name, default)
        assert not text or text.rstrip().endswith((".", "}"))


def test_names_are_those_of_what_they_choose() -> None:
    boosting, methods = parameters_of(BoostingParameters), parameters_of(DecompositionParameters)
    assert choices(boosting["initial_weights"].kind) == ("auto", *STARTS)
    assert choices(boosting["calibration"].kind) == (*CALIBRATORS, AUTO)
    assert choices(methods["calibration"].kind) == tuple(OF_METHODS)
    assert choices(parameters_of(SamplingParameters)["sampling"].kind) == tuple(SAMPLING)
    assert set(ESTIMATORS) == set(CONSTRUCTORS)


def choices(kind: Any) -> tuple[str, ...]:
    found: tuple[str, ...] = (kind.kind if isinstance(kind, OrNone) else kind).choices
    return found


def test_another_default_keeps_the_description() -> None:
    class Slow(AdaBoostClassifier):
        learning_rate = 0.1

    usual = parameters_of(AdaBoostClassifier)["learning_rate"]
    assert parameters_of(Slow)["learning_rate"].text == usual.text


def test_the_first_sentence_is_a_line_of_help() -> None:
    parameters = parameters_of(BoostingParameters)
    assert parameters["n_estimators"].summary == "Greatest number of boosting rounds."
    assert parameters["subsample"].summary == (
        "Share of the rows on which the weak learner of a round is found, above 0 and at most 1."
    )


def test_parameters_are_known_without_numpy() -> None:
    program = (
        "import sys; from costboost._core.parameters.boosting import BoostingParameters;"
        "from costboost._core.parameters.decomposition import DecompositionParameters;"
        "assert not {'numpy', 'sklearn'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


# ---- the copy that training reads ----------------------------------------------------------------


def test_training_reads_a_copy_that_cannot_change() -> None:
    clf = AdaBoostClassifier(max_depth=2, fn_cost=7.0)
    fixed = Fixed.of(clf)
    clf.set_params(max_depth=5)
    assert (fixed.max_depth, fixed.fn_cost, fixed.n_estimators) == (2, 7.0, 100)
    with pytest.raises(FrozenInstanceError):
        fixed.max_depth = 3
    deeper = replace(fixed, max_depth=9)
    assert (deeper.max_depth, fixed.max_depth, deeper.fn_cost) == (9, 2, 7.0)
    assert vars(pickle.loads(pickle.dumps(deeper))) == vars(deeper)


def test_a_checked_classifier_is_not_changed() -> None:
    clf = AdaBoostClassifier(n_estimators=np.int64(5))
    check_parameters(clf)
    assert type(clf.n_estimators) is np.int64
    assert clone(clf).get_params() == clf.get_params()
