"""The house rules of CONTRIBUTING.md, as far as they can be checked automatically."""

from __future__ import annotations

import ast
import inspect
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest

import costboost
from costboost import algorithms, multiclass
from costboost._core import rules
from costboost._core.rules.record import Rule

pytestmark = pytest.mark.complete

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "costboost"
MODULES = sorted(SOURCE.rglob("*.py"))
FLOORS = {"_core", "app"}


def name_of(path: Path) -> str:
    return str(path.relative_to(SOURCE))


def room_of(path: Path) -> str:
    """The folder or file of the path on its floor."""
    parts = path.relative_to(SOURCE).parts
    return parts[parts[0] in FLOORS].removesuffix(".py")


def imports(path: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Modules that a file imports anywhere, and the names imported from them."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are written in full"
            yield node.module or "", tuple(alias.name for alias in node.names)


# ---- imports -------------------------------------------------------------------------------------


LINT = """
import sys
import tomllib
sys.meta_path = [finder for finder in sys.meta_path if "Mesonpy" not in repr(finder)]
from importlinter.cli import lint_imports
sys.exit(lint_imports(no_cache=True))
"""
"""import-linter reads folders, so that the loader of an editable install must not answer."""


def test_imports_go_one_way() -> None:
    """The floors, and the order of rooms in `costboost._core`, are stated in pyproject.toml."""
    done = subprocess.run(
        [sys.executable, "-c", LINT],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"src{os.pathsep}lab/src"},
        capture_output=True,
        text=True,
    )
    assert not done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_only_doors_import_the_lab(path: Path) -> None:
    if room_of(path) not in {"studies", "theory"}:
        assert not [module for module, _ in imports(path) if module.startswith("costboost_lab")]


def test_the_loop_imports_only_the_protocols_of_learners() -> None:
    for path in (SOURCE / "_core" / "loop").glob("*.py"):
        known = {module for module, _ in imports(path) if ".learners" in module}
        assert known <= {"costboost._core.learners.hypothesis"}


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

RULES = {
    name: value
    for module in iter_modules(rules.__path__)
    for name, value in vars(import_module(f"{rules.__name__}.{module.name}")).items()
    if isinstance(value, Rule)
}
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
    if not name_of(path).startswith("_core/loop/"):
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
    if room_of(path) in {"training", "model", "rows", "loop", "rules", "learners", "growing"}:
        assert "clf" not in path.read_text()


SHARD_MEMORY = {
    node.attr
    for path in (SOURCE / "_core" / "backends" / "shard").glob("*.py")
    for node in ast.walk(ast.parse(path.read_text()))
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    if node.attr.startswith("_")
}
"""What a shard keeps for itself."""


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_only_back_ends_touch_the_memory_of_shards(path: Path) -> None:
    """All other modules send messages: see `costboost._core.backends.protocol`."""
    if room_of(path) not in {"backends", "engine"}:
        touched = {name for of, name in attributes(path) if of != "self"} & SHARD_MEMORY
        assert not touched, f"{touched} of shards"


# ---- the public face -----------------------------------------------------------------------------

HERE = sorted({*costboost.__all__, *algorithms.__all__} - {"__version__"})
PUBLIC = sorted([*HERE, *multiclass.__all__])


def public(name: str) -> Any:
    rooms = [room for room in (costboost, algorithms, multiclass) if name in room.__all__]
    assert len(rooms) == 1, f"{name} is public in {rooms}"
    return getattr(rooms[0], name)


FUNCTIONS = [name for name in HERE if not isinstance(public(name), type)]
CLASSES = sorted(set(PUBLIC) - set(FUNCTIONS))
BOOSTING = [name for name in HERE if hasattr(public(name), "rule")]


def test_the_guide_names_the_rooms_in_their_order() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    rooms = next(one for one in contracts["contracts"] if one["name"] == "Rooms of the core")
    page = (ROOT / "docs" / "guide-engine.md").read_text()
    table = page[page.index("| rooms |") :].split("\n\n")[0].splitlines()[2:]
    named = [re.findall(r"`(\w+)`", line.split("|")[1]) for line in table]
    assert named == [re.split(r" [|:] ", layer) for layer in rooms["layers"]]


def test_public_names_are_the_documented_ones() -> None:
    page = (ROOT / "docs" / "api.md").read_text()
    listed = re.findall(r"^   (\w+)$", page, re.MULTILINE)
    assert sorted(listed) == PUBLIC
    assert "`costboost.__version__`" in page


def test_public_names_are_in_the_table_of_classes() -> None:
    page = (ROOT / "docs" / "choosing.md").read_text()
    table = [line for line in page.splitlines() if line[:3] == "| `"]
    named = {name for line in table for name in re.findall(r"`(\w+)`", line.split("|")[1])}
    assert named == set(PUBLIC)


def test_nothing_is_listed_twice_and_all_is_there() -> None:
    assert len(set(costboost.__all__)) == len(costboost.__all__)
    assert all(hasattr(costboost, name) for name in costboost.__all__)


def test_names_are_imported_when_they_are_first_used() -> None:
    assert not {"sklearn", "numpy"} & loaded_by("costboost")
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
    if find_spec("costboost_lab") is None:
        modules -= {"studies", "theory"}
    for name in modules:
        public_names = getattr(costboost, name).__all__
        assert public_names, f"{name} lists no public names"
        assert f"`costboost.{name}`" in (ROOT / "docs" / "api.md").read_text()


def test_algorithms_of_the_papers_are_listed_apart() -> None:
    assert set(algorithms.__all__) == set(BOOSTING) - {"CostBoostClassifier"}
    assert not set(algorithms.__all__) & set(dir(costboost))
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
    function = public(name)
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
    cls = public(name)
    assert isinstance(cls.rule, Rule)
    assert not {"fit", "predict", "decision_function"} & set(vars(cls))
    assert isinstance(cls.reference, str)
    for flag in ("fgd_consistent", "cost_consistent", "asymmetry_preserving"):
        assert isinstance(getattr(cls, flag), bool)
