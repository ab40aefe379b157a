"""The tables of docs/algorithms.md agree with the rules."""

from __future__ import annotations

import re
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from pages import script

from costboost._core import rules
from costboost._core.rules.record import STARTS, Rule, SeveralRule
from costboost.algorithms import CLASSES


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    return script("algorithms")


def rules_of(generator: Any) -> list[Rule]:
    return [v.rule for cls in generator.classes() for v in generator.variants(cls)]


def test_the_page_is_up_to_date(generator: Any) -> None:
    assert generator.PAGE.read_text() == generator.page(), "run: python docs/algorithms.py"


def test_docstrings_and_the_page_name_the_start(generator: Any) -> None:
    """Of every class, `initial_weights="auto"` is the start of its record."""
    for cls in generator.classes():
        entry = (cls.__doc__ or "").split("initial_weights : ")[1].split("negative_step")[0]
        assert f'"auto" is "{cls.rule.start.name}"' in " ".join(entry.split()), cls
    rows = generator.PAGE.read_text().split("is not always the start")[1]
    starts = {rule.name: rule.start.name for rule in rules_of(generator)}
    named = re.findall(r"^\| ([\w, -]+) \| (\w+),? .*\| `\"(\w+)\"`", rows, re.MULTILINE)
    found = {name: auto for names, auto, _ in named for name in names.split(", ")}
    assert found == {name: starts[name] for name in found}
    assert {"AdaC1", "AdaC2", "AdaC3", "CSAda", "CS-RealBoost", "CSRA", "CSGA"} == set(found)
    assert all(auto != paper for _, auto, paper in named)


def test_every_public_class_is_in_the_tables(generator: Any) -> None:
    assert set(generator.classes()) == set(CLASSES)
    assert all(f"| `{cls.__name__}` |" in generator.tables() for cls in generator.classes())


def test_every_variant_is_in_the_tables(generator: Any) -> None:
    """All records are the rule of some class with some choice."""
    modules = [
        import_module(f"{rules.__name__}.{part.name}") for part in iter_modules(rules.__path__)
    ]
    records = [rule for part in modules for rule in vars(part).values() if isinstance(rule, Rule)]
    several = [rule for rule in records if isinstance(rule, SeveralRule)]
    assert len(several) > 3
    names = {getattr(cls.rule_of_several, "name", "") for cls in generator.classes()}
    assert all(rule.name in names for rule in several)
    named = [rule for rule in records if rule not in several]
    shown = rules_of(generator)
    assert len(named) > 20
    for rule in named:
        if rule not in shown:  # one that the class makes anew with a parameter of its own
            assert any(
                (rule.name, rule.step) == (other.name, getattr(other, "step", None))
                for other in shown
            )
    assert {"beta", "step", "criterion", "probability", "weighting"} <= {
        name
        for cls in generator.classes()
        for name in cls().get_params()
        if generator.choices(cls, name)
    }


def test_every_rule_has_one_family(generator: Any) -> None:
    assert {generator.family(rule) for rule in rules_of(generator)} == set(generator.ROUNDS)


def test_a_formula_is_the_beginning_of_a_docstring(generator: Any) -> None:
    def long() -> None:
        """a / b, b = 1.5: the ratio.

        More.
        """

    def short() -> None:
        """a. b; c."""

    def silent() -> None: ...

    assert generator.opening(long) == "a / b, b = 1.5"
    assert generator.opening(short) == "a"
    with pytest.raises(ValueError, match="silent must begin with its formula"):
        generator.opening(silent)


def test_the_starts_are_those_of_the_page() -> None:
    cost, share = np.array([3.0, 1.0]), np.array([0.2, 0.8])
    expected = {"uniform": np.ones(2), "cost": cost, "balanced": 1 / (2 * share)}
    tilt = {"uniform": 0.0, "cost": np.log(3), "balanced": np.log(0.8 / 0.2)}
    assert expected.keys() == STARTS.keys()
    for name, start in STARTS.items():
        np.testing.assert_allclose(start.weight(cost, share), expected[name])
        np.testing.assert_allclose(start.tilt(np.log(3), 0.2), tilt[name])
