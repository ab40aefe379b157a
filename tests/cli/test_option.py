"""Options and commands as tables."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from costboost.app.cli.commands import COMMANDS, COMPARE, EXPLAIN, FIT, PREDICT
from costboost.app.cli.names import Names
from costboost.app.cli.option import REQUIRED, Command, Option, flag
from costboost.app.reading.errors import InputError

SPELLINGS: dict[str, tuple[str, tuple[str, ...], str | None]] = {
    "--fn-cost COST": ("fn_cost", ("--fn-cost",), "COST"),
    "--out, -o MODEL": ("out", ("--out", "-o"), "MODEL"),
    "--folds": ("folds", ("--folds",), None),
    "--baselines/--no-baselines": ("baselines", ("--baselines/--no-baselines",), None),
    "DATA": ("data", (), "DATA"),
    "[NAME]": ("name", (), "[NAME]"),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_spellings(spelling: str) -> None:
    option = Option(spelling, "A text.", bool if "/" in spelling else str)
    assert (option.name, option.words, option.metavar) == SPELLINGS[spelling]


def test_names_that_differ_from_the_spelling() -> None:
    assert Option("--class LABEL", "A text.", name="label").name == "label"
    assert flag("--safe-csv", "A text.").metavar == ""


def test_values_are_what_is_typed_or_the_default() -> None:
    given = FIT.given(data="d.csv", target="y", drop=["a", "b"])
    assert (given.data, given.drop, given.categorical, given.test_size) == (
        "d.csv",
        ("a", "b"),
        (),
        0.25,
    )
    assert dict(given) == {option.name: given[option.name] for option in FIT.options}
    assert given.get("recall") is None
    with pytest.raises(AttributeError, match="the command has no option 'recall'"):
        _ = given.recall


def test_names_are_read_as_they_are_listed() -> None:
    given = COMPARE.given(data="d.csv", target="y", algorithm=["adamec", "GBSEClassifier"])
    assert given.algorithm == given.algorithms == ("AdaMEC", "GBSE")
    with pytest.raises(InputError, match="there is no algorithm 'adames'; did you mean 'AdaMEC'"):
        FIT.given(data="d.csv", target="y", algorithm="adames")


def test_completion_keeps_the_capitals_that_are_typed() -> None:
    names = Names("thing", lambda: ["Alpha", "Beta", "Almost"])
    assert names.complete("al") == ["alpha", "almost"]
    assert names.complete("AL") == ["ALpha", "ALmost"]
    assert names.complete("x") == []


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_has_a_function_and_options_of_its_own(command: Command) -> None:
    module, name = command.run.split(":")
    assert callable(getattr(import_module(module), name))
    words = [word for option in command.options for word in option.words]
    names = [option.name for option in command.options]
    assert len(set(words)) == len(words)
    assert len(set(names)) == len(names)
    assert all(option.help.endswith(".") for option in command.options)


def test_arguments_come_first_and_optional_ones_last() -> None:
    for command in COMMANDS:
        arguments = [option for option in command.options if not option.words]
        assert list(command.options[: len(arguments)]) == arguments
        needed: list[Any] = [option.default is REQUIRED for option in arguments]
        assert needed == sorted(needed, reverse=True)
    assert [option.name for option in PREDICT.options[:2]] == ["model", "data"]
    assert [option.metavar for option in EXPLAIN.options[:2]] == ["MODEL", "[DATA]"]
