"""Shared descriptions are inserted into every docstring that names them."""

from __future__ import annotations

import inspect
import re
from ast import literal_eval
from typing import Any

import pytest

import costboost
from costboost import algorithms, multiclass
from costboost._core.docstrings import filled, sharing

ESTIMATORS = [
    cls
    for room in (costboost, algorithms, multiclass)
    for name in room.__all__
    if hasattr(cls := getattr(room, name), "get_params")
]
ENTRIES = {"X": "\nX : array\n    Rows.\n", "y": "y : array"}


def test_an_entry_is_indented_as_its_place_is() -> None:
    text = "Fit.\n\n    Parameters\n    ----------\n    {X}\n    {y}\n"
    assert filled(text, ENTRIES) == (
        "Fit.\n\n    Parameters\n    ----------\n    X : array\n        Rows.\n    y : array\n"
    )
    assert filled("{X}", ENTRIES) == "X : array\n    Rows."


def test_other_braces_stay() -> None:
    text = 'Takes {X} in a line, {"a", "b"},\n    {unknown}\n    and {y} here.\n'
    assert filled(text, ENTRIES) == text


def test_functions_and_classes_are_documented() -> None:
    documented = sharing(ENTRIES)

    @documented
    def function() -> None:
        """{y}"""

    @documented
    class Described:
        """Holds rows.

        {X}
        """

    @documented
    def silent() -> None: ...

    assert function.__doc__ == "y : array"
    assert Described.__doc__ is not None
    assert "        X : array\n            Rows.\n" in Described.__doc__
    assert silent.__doc__ == ""


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_defaults_are_those_of_the_class(cls: Any) -> None:
    entries = re.findall(r"^    (\w+(?:, \w+)*) : .*, default=(.+)$", cls.__doc__, re.MULTILINE)
    described = {name: value for names, value in entries for name in names.split(", ")}
    signature = inspect.signature(cls).parameters.values()
    meant = {one.name: one.default for one in signature if one.default is not one.empty}
    assert described.keys() == meant.keys()
    for name, value in described.items():
        share = re.fullmatch(r"(\d+)/(\d+)", value)
        found = int(share[1]) / int(share[2]) if share else literal_eval(value)
        assert found == meant[name], name


def test_learners_that_a_classifier_cannot_boost_are_not_offered() -> None:
    default = costboost.CostBoostClassifier.__doc__
    assert default is not None
    assert "estimator : None or str, default=None" in default
    assert "None is trees, stumps and random trees of two sizes together." in default
    assert '"logistic": a logistic regression' not in default
    other = costboost.algorithms.CGAdaClassifier.__doc__
    assert other is not None
    assert 'None is "stump".' in other
    assert '"linear"' not in other
    assert "or any scikit-learn classifier." in other.replace("\n        ", " ")
