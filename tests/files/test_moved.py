"""Pickles and skops files find classes in the modules that held them in earlier versions."""

from __future__ import annotations

import pickle
import subprocess
import sys
from importlib import import_module

import pytest

from costboost import GELBoostClassifier, GLLBoostClassifier
from costboost.engine.ensemble import ScoreTrees
from costboost.explaining import Explanation
from costboost.model import OneVsRestModel, ScoresModel

MOVED = [
    ("costboost.classifiers.multinomial", GELBoostClassifier),
    ("costboost.classifiers.multinomial", GLLBoostClassifier),
    ("costboost.engine.scores", ScoreTrees),
    ("costboost.explaining.contributions", Explanation),
    ("costboost.model.one_vs_rest", OneVsRestModel),
    ("costboost.model.scores", ScoresModel),
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
