"""Without costboost-lab everything works but what is in it, which says how to install it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from cli.running import LARGE, loaded

HIDDEN = """
import sys
from importlib import metadata

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name == "costboost_lab":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hidden())
everything = metadata.entry_points
metadata.entry_points = lambda **of: metadata.EntryPoints(
    one for one in everything(**of) if one.dist.name != "costboost-lab"
)
"""
"""Begin of a program for which costboost-lab is not installed."""


def ran(code: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-c", HIDDEN + code]
    return subprocess.run(words, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("from costboost.studies import run", "costboost.studies"),
        ("import costboost; costboost.theory.audit", "costboost.theory"),
        ("from costboost.datasets import make_banana", "costboost.datasets.make_banana"),
        (
            "from costboost import datasets; datasets.load('spambase')",
            "the data set 'spambase' is none of german_credit, tumours; any other",
        ),
        (
            "from costboost.plots import LossDisplay; LossDisplay.from_estimator(None)",
            "costboost.theory",
        ),
    ],
)
def test_what_is_in_the_lab_says_so(code: str, what: str) -> None:
    done = ran(code)
    message = f"ModuleNotFoundError: {what} is in costboost-lab: pip install costboost-lab"
    assert done.stderr.splitlines()[-1] == message


COMMAND = "from costboost.app.cli import main; sys.argv[1:] = {!r}; main()"


@pytest.mark.parametrize("command", ["study", "datasets", "audit"])
@pytest.mark.parametrize("more", [(), ("--help",), ("--nonsense", "3")])
def test_its_commands_are_wrong_options(command: str, more: tuple[str, ...]) -> None:
    done = ran(COMMAND.format([command, *more]))
    assert done.returncode == 2
    assert f"{command} is a command of costboost-lab: pip install costboost-lab" in done.stderr
    assert not done.stdout


def test_help_lists_what_there_is() -> None:
    done = ran(COMMAND.format(["--help"]))
    assert done.returncode == 0
    assert "algorithms" in done.stdout
    assert "study" not in done.stdout


@pytest.mark.parametrize("words", [["--help"], ["fit", "--help"], ["study"]])
def test_help_loads_nothing_large(words: list[str]) -> None:
    found = loaded(words, HIDDEN)
    assert "costboost.app.cli.commands" in found
    assert not (LARGE | {"numpy", "pyarrow"}) & found


@pytest.mark.parametrize("words", [["fit", "--help"], ["algorithms"]])
def test_our_commands_do_not_search_installed_packages(words: list[str]) -> None:
    done = ran("metadata.entry_points = None\n" + COMMAND.format(words))
    assert (done.returncode, done.stderr) == (0, "")


def test_the_small_sets_are_there() -> None:
    code = """
from costboost import datasets
assert datasets.available() == datasets.available(local=True) == ["german_credit", "tumours"]
for name in datasets.available():
    data = datasets.load(name)
    print(len(data.X), len(data.y), data.costs.fn_cost)
"""
    assert ran(code).stdout == "1000 1000 5.0\n569 569 20.0\n"
