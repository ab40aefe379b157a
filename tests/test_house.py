"""The house rules of CONTRIBUTING.md, as far as they can be checked automatically."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import costboost
from costboost import algorithms, multiclass, rules

pytestmark = pytest.mark.complete

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "costboost"
MODULES = sorted(SOURCE.rglob("*.py"))

MAY_IMPORT: dict[str, set[str]] = {
    "docstrings": set(),
    "caching": set(),
    "checks": set(),
    "wording": set(),
    "tables": {"caching", "checks"},
    "engine": {"caching", "tables"},
    "fingerprints": {"engine", "tables"},
    "arithmetic": {"engine"},
    "cells": {"arithmetic", "caching"},
    "costs": {"arithmetic", "checks", "engine"},
    "rules": {"arithmetic", "cells", "engine"},
    "baselines": {"arithmetic", "costs", "rules"},
    "threads": {"engine"},
    "backends": {"arithmetic", "caching", "checks", "engine", "rules", "tables", "threads"},
    "rows": {"arithmetic", "backends", "caching", "engine", "rules", "threads"},
    "learners": {
        "arithmetic", "backends", "caching", "cells", "engine", "rows", "rules", "tables",
        "threads",
    },
    "loop": {"arithmetic", "cells", "learners", "rows", "rules"},
    "calibration": {"arithmetic", "checks"},
    "metrics": {"baselines", "checks", "backends", "docstrings", "rules"},
    "model": {
        "arithmetic", "caching", "calibration", "checks", "costs", "engine", "fingerprints",
        "rules", "tables", "threads",
    },
    "training": {
        "arithmetic", "calibration", "checks", "costs", "engine", "learners", "loop", "model",
        "rows", "rules", "tables", "threads",
    },
    "explaining": {"arithmetic", "engine", "model", "rules", "threads"},
    "classifiers": {
        "arithmetic", "calibration", "checks", "backends", "costs", "docstrings", "explaining",
        "fingerprints", "model", "rules", "tables", "threads", "training",
    },
    "multiclass": {
        "arithmetic", "calibration", "checks", "classifiers", "backends", "costs", "docstrings",
        "engine", "fingerprints", "learners", "model", "tables", "threads", "training",
    },
    "decisions": {
        "arithmetic", "baselines", "checks", "classifiers", "backends", "costs", "docstrings",
        "engine", "metrics", "model", "rules", "tables", "wording",
    },
    "comparing": {
        "baselines", "checks", "classifiers", "backends", "costs", "decisions", "metrics", "rules",
        "tables", "wording",
    },
    "algorithms": {"classifiers", "multiclass", "rules"},
    "files": {
        "algorithms", "calibration", "classifiers", "decisions", "engine", "fingerprints",
        "learners", "model", "multiclass", "rules", "tables",
    },
    "datasets": {"checks", "files"},
    "export": {
        "algorithms", "arithmetic", "calibration", "classifiers", "engine", "explaining", "files",
        "model", "multiclass", "rules", "tables",
    },
    "reading": {"checks", "backends", "costs", "files", "tables"},
    "inspection": {"checks", "costs", "reading", "tables", "wording"},
    "theory": {
        "algorithms", "arithmetic", "cells", "classifiers", "engine", "loop", "model", "rows",
        "rules",
    },
    "plots": {"costs", "decisions", "docstrings", "metrics", "theory", "wording"},
    "report": {
        "baselines", "checks", "classifiers", "costs", "decisions", "engine", "explaining", "files",
        "fingerprints", "inspection", "metrics", "model", "multiclass", "rules", "wording",
    },
    "monitoring": {
        "baselines", "checks", "classifiers", "backends", "decisions", "files", "model", "report",
        "rules", "wording",
    },
    "studies": {
        "algorithms", "caching", "calibration", "checks", "classifiers", "backends", "costs",
        "datasets", "decisions", "engine", "files", "metrics", "model", "multiclass", "plots",
        "report", "tables", "theory", "threads",
    },
    "public": {"algorithms", "classifiers", "comparing", "decisions", "files"},
    "__init__": {"public"},
    "cli": {
        "algorithms", "baselines", "checks", "classifiers", "comparing", "costs", "datasets",
        "decisions", "explaining", "export", "files", "inspection", "loop", "metrics", "model",
        "monitoring", "multiclass", "reading", "report", "studies", "theory", "training", "wording",
    },
    "__main__": {"cli"},
}  # fmt: skip
"""Packages that each package may import, lower ones first; each may import from itself."""


def name_of(path: Path) -> str:
    return str(path.relative_to(SOURCE))


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Modules that a file imports anywhere, and the names imported from them."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are written in full"
            yield node.module or "", tuple(alias.name for alias in node.names)


# ---- imports -------------------------------------------------------------------------------------


def test_rooms_are_in_order() -> None:
    known: set[str] = set()
    for room, others in MAY_IMPORT.items():
        assert others <= known, f"{room} would import from a room above it"
        known.add(room)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_go_one_way(path: Path) -> None:
    room = room_of(path)
    assert room in MAY_IMPORT, f"{room} has no place in MAY_IMPORT yet"
    for module, names in imports(path):
        parts = module.split(".")
        if parts[0] != "costboost":
            continue
        rooms = {parts[1]} if len(parts) > 1 else set(names) - {"__version__"}
        unwelcome = rooms - MAY_IMPORT[room] - {room}
        assert not unwelcome, f"{room} must not import {unwelcome}"


def test_the_loop_imports_only_the_protocols_of_learners() -> None:
    known = {module for module, _ in imports(SOURCE / "loop.py") if ".learners" in module}
    assert known <= {"costboost.learners"}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_nothing_private_of_scikit_learn(path: Path) -> None:
    for module, names in imports(path):
        if module.split(".")[0] == "sklearn":
            private = [name for name in (*module.split("."), *names) if name.startswith("_")]
            assert not private, f"{module}: {private}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_cached_properties_take_no_lock(path: Path) -> None:
    locked = [names for module, names in imports(path) if module == "functools"]
    assert not [names for names in locked if "cached_property" in names]


def test_importing_loads_no_more_than_scikit_learn() -> None:
    ours, theirs = (loaded_by(module) for module in ("costboost", "sklearn.ensemble"))
    assert not {name.split(".")[0] for name in ours - theirs} - {"costboost", "sklearn", "scipy"}
    assert len(ours) <= len(theirs) + len(MODULES) + 20


def loaded_by(module: str) -> set[str]:
    code = f"import sys, {module}; print(*(m for m in sys.modules if m.isascii()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    standard = sys.stdlib_module_names
    return {name for name in done.stdout.split() if name.split(".")[0] not in standard}


# ---- algorithms ----------------------------------------------------------------------------------

RULES = {name: value for name, value in vars(rules).items() if isinstance(value, rules.Rule)}
WORDS = {word.lower() for name, rule in RULES.items() for word in (name, rule.name)}
NAMED = re.compile("|".join(sorted(map(re.escape, WORDS))))


def conditions(path: Path) -> Iterator[ast.expr]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, (ast.If, ast.IfExp, ast.While, ast.Assert)):
            yield node.test
        elif isinstance(node, ast.comprehension):
            yield from node.ifs
        elif isinstance(node, ast.Match):
            yield node.subject
        elif isinstance(node, ast.match_case) and node.guard is not None:
            yield node.guard
        elif isinstance(node, ast.MatchValue):
            yield node.value


def test_rules_are_found() -> None:
    assert {"adaboost", "cgada", "adamec"} <= WORDS


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_algorithm_name_in_a_condition(path: Path) -> None:
    for test in conditions(path):
        written = ast.unparse(test).lower()
        assert not NAMED.search(written), f"line {test.lineno}: {ast.unparse(test)}"
        assert "rule.name" not in written, f"line {test.lineno}: {ast.unparse(test)}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_there_is_one_boosting_loop(path: Path) -> None:
    """Only the states of the loop apply the rounds of a rule."""
    if name_of(path) != "loop.py":
        assert not re.search(r"\brule\.(update|advance)\(", path.read_text())


# ---- private attributes and shards ---------------------------------------------------------------

PLAIN = {"_asdict", "_replace", "_fields", "_make"}
"""Methods of named tuples, which are not private."""
ESTIMATORS = {
    "classifiers": algorithms.CLASSES,
    "multiclass": algorithms.METHODS,
    "decisions": (
        costboost.ActionClassifier,
        costboost.CostSearchCV,
        costboost.OperatingPointClassifier,
    ),
}
"""The rooms that define estimators."""


def private_names(room: str) -> set[str]:
    """Private attributes and methods that the estimators of a room define."""
    own = [c for cls in ESTIMATORS[room] for c in cls.__mro__ if c.__module__.startswith("costb")]
    return {name for c in own for name in vars(c) if re.match("_[a-z]", name)} - PLAIN


def attributes(path: Path) -> Iterator[tuple[str, str]]:
    """Attributes that a file reads or writes: the object, and the name."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Attribute):
            yield ast.unparse(node.value), node.attr


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_private_attributes_of_estimators_are_not_used_elsewhere(path: Path) -> None:
    home = room_of(path)
    own = {name for of, name in attributes(path) if of == "self"}
    for room in set(ESTIMATORS) - {home}:
        private = private_names(room) - own
        touched = [f"{of}.{name}" for of, name in attributes(path) if name in private]
        strange = [one for one in touched if one.split(".")[0] not in {"self", "cls", "super()"}]
        assert not strange, f"{strange[0]} is private to {room}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_training_does_not_use_estimators(path: Path) -> None:
    if room_of(path) in {"training", "model", "rows", "loop", "rules", "learners"}:
        assert "clf" not in path.read_text()


SHARD_MEMORY = {
    node.attr
    for path in (SOURCE / "backends" / "shard").glob("*.py")
    for node in ast.walk(ast.parse(path.read_text()))
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    if node.attr.startswith("_")
}
"""What a shard keeps for itself."""


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_only_back_ends_touch_the_memory_of_shards(path: Path) -> None:
    """All other modules send messages: see `costboost.backends.protocol`."""
    if room_of(path) not in {"backends", "engine"}:
        touched = {name for of, name in attributes(path) if of != "self"} & SHARD_MEMORY
        assert not touched, f"{touched} of shards"


# ---- the public face -----------------------------------------------------------------------------

HERE = sorted(set(costboost.__all__) - {"__version__"})
FUNCTIONS = [name for name in HERE if not isinstance(getattr(costboost, name), type)]
PUBLIC = sorted([*HERE, *multiclass.__all__])
CLASSES = sorted(set(PUBLIC) - set(FUNCTIONS))
BOOSTING = [name for name in HERE if hasattr(getattr(costboost, name), "rule")]


def public(name: str) -> Any:
    return getattr(costboost if name in HERE else multiclass, name)


def test_public_names_are_the_documented_ones() -> None:
    page = (ROOT / "docs" / "api.md").read_text()
    listed = re.findall(r"^   (\w+)$", page, re.MULTILINE)
    assert sorted(listed) == PUBLIC
    assert "`costboost.__version__`" in page


def test_public_names_are_in_the_table_of_classes() -> None:
    page = (ROOT / "docs" / "classes.md").read_text()
    table = [line for line in page.splitlines() if line[:3] == "| `"]
    named = {name for line in table for name in re.findall(r"`(\w+)`", line.split("|")[1])}
    assert named == set(PUBLIC)


def test_nothing_is_listed_twice_and_all_is_there() -> None:
    assert len(set(costboost.__all__)) == len(costboost.__all__)
    assert all(hasattr(costboost, name) for name in costboost.__all__)


def test_names_are_imported_when_they_are_first_used() -> None:
    """The one list is that of `costboost.public`, and `import costboost` does not read it."""
    assert not {"costboost.public", "sklearn", "numpy"} & loaded_by("costboost")
    taken: dict[str, Any] = {}
    exec("from costboost import *", taken)
    assert set(costboost.__all__) <= set(taken)
    with pytest.raises(AttributeError, match="no attribute 'NoSuchClassifier'"):
        _ = costboost.NoSuchClassifier


def test_dir_shows_public_names_only() -> None:
    found = set(dir(costboost))
    modules = found - set(costboost.__all__)
    assert found >= set(costboost.__all__)
    assert {"algorithms", "metrics", "multiclass", "plots"} <= modules
    for name in modules:
        public_names = getattr(costboost, name).__all__
        assert public_names, f"{name} lists no public names"
        assert f"`costboost.{name}`" in (ROOT / "docs" / "api.md").read_text()


def test_algorithms_of_the_papers_are_listed_apart() -> None:
    assert set(algorithms.__all__) == set(BOOSTING) - {"CostBoostClassifier"}
    for name in algorithms.__all__:
        assert getattr(algorithms, name) is getattr(costboost, name)
    page = (ROOT / "docs" / "api.md").read_text()
    module = ""
    where = {}
    for line in page.splitlines():
        if line.startswith(".. currentmodule:: "):
            module = line.split()[-1]
        elif re.fullmatch(r"   \w+", line):
            where[line.strip()] = module
    assert next(iter(where)) == "CostBoostClassifier"
    assert all(where[name] == "costboost.algorithms" for name in algorithms.__all__)


@pytest.mark.parametrize("name", CLASSES)
def test_docstrings_are_complete(name: str) -> None:
    doc = public(name).__doc__
    for section in ("Parameters", "Attributes", "References", "Examples"):
        assert re.search(rf"^ *{section}\n *-{{{len(section)}}}$", doc, re.MULTILINE), section
    assert not re.search(r"^ *\{\w+\}$", doc, re.MULTILINE), "a placeholder was left"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_document_their_parameters(name: str) -> None:
    function = getattr(costboost, name)
    doc = inspect.getdoc(function) or ""
    sections = dict(
        re.findall(r"^(\w+)\n-+\n(.*?)(?=^\w+\n-+\n|\Z)", doc, re.DOTALL | re.MULTILINE)
    )
    assert {"Parameters", "Examples"} <= set(sections)
    entries = re.findall(r"^(\w[\w, ]*?) : ", sections["Parameters"], re.MULTILINE)
    documented = {word for entry in entries for word in entry.split(", ")}
    assert documented == set(inspect.signature(function).parameters)


@pytest.mark.parametrize("name", CLASSES)
def test_every_parameter_is_documented(name: str) -> None:
    cls = public(name)
    section = cls.__doc__.split("Parameters\n")[1].split("Attributes\n")[0]
    entries = re.findall(r"^ {4}(\w[\w, ]*?) : ", section, re.MULTILINE)
    documented = {word for entry in entries for word in entry.split(", ")}
    assert documented == set(inspect.signature(cls).parameters)


@pytest.mark.parametrize("name", BOOSTING)
def test_a_public_class_is_a_docstring_and_a_rule(name: str) -> None:
    cls = getattr(costboost, name)
    assert isinstance(cls.rule, rules.Rule)
    assert not {"fit", "predict", "decision_function"} & set(vars(cls))
    assert isinstance(cls.reference, str)
    for flag in ("fgd_consistent", "cost_consistent", "asymmetry_preserving"):
        assert isinstance(getattr(cls, flag), bool)
