"""Pickles and skops files find classes in the modules that held them in earlier versions."""

from __future__ import annotations

import pickle
import subprocess
import sys
from importlib import import_module

import pytest

from costboost import ActionClassifier, CGAdaClassifier, GELBoostClassifier, GLLBoostClassifier
from costboost.engine.ensemble import ScoreTrees
from costboost.explaining import Explanation
from costboost.inspection import Finding
from costboost.model import BinaryModel, OneVsRestModel, ScoresModel
from costboost.moved import PRESENT
from costboost.multiclass import CostingClassifier
from costboost.rules.real import MultinomialRule

MOVED = [
    ("costboost.classifiers.adaboost", CGAdaClassifier),
    ("costboost.classifiers.multinomial", GELBoostClassifier),
    ("costboost.classifiers.newton", GLLBoostClassifier),
    ("costboost.engine.scores", ScoreTrees),
    ("costboost.explaining.contributions", Explanation),
    ("costboost.inspection.columns", Finding),
    ("costboost.model.binary", BinaryModel),
    ("costboost.model.one_vs_rest", OneVsRestModel),
    ("costboost.model.scores", ScoresModel),
    ("costboost.multiclass.ensembles", CostingClassifier),
    ("costboost.rules.newton", MultinomialRule),
]
each_path = pytest.mark.parametrize(("module", "cls"), MOVED)


def named(module: str, name: str) -> bytes:
    """A pickle that consists of the name of a class."""
    return f"c{module}\n{name}\n.".encode()


@each_path
def test_old_names_are_the_classes(module: str, cls: type) -> None:
    assert pickle.loads(named(module, cls.__name__)) is cls
    assert getattr(import_module(module), cls.__name__) is cls


@each_path
def test_old_names_are_found_before_anything_is_imported(module: str, cls: type) -> None:
    code = f"import pickle; print(pickle.loads({named(module, cls.__name__)!r}).__module__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == cls.__module__


@pytest.mark.parametrize("old", PRESENT)
def test_earlier_modules_are_present_ones(old: str) -> None:
    present = import_module(PRESENT[old])
    assert import_module(old) is present
    assert present.__name__ == PRESENT[old]
    assert present.__spec__ is not None
    assert present.__spec__.name == PRESENT[old]


def test_no_module_has_an_earlier_name_and_a_present_one() -> None:
    assert not set(PRESENT) & set(PRESENT.values())
    with pytest.raises(ModuleNotFoundError, match=r"costboost\.model\.nothing"):
        import_module("costboost.model.nothing")
    assert ActionClassifier.__module__ == "costboost.decisions.actions"
