"""Names of algorithms, data sets and studies, found without importing what they stand for."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from importlib.resources import files

from costboost.reading.errors import unknown
from costboost.studies import catalogue

SUFFIX = "Classifier"
FIRST = "CostBoost"


def algorithm_names() -> list[str]:
    """The names of `costboost.registry`, which would import scikit-learn."""
    return [FIRST, *_public_names("algorithms.py"), *multiclass_names()]


def multiclass_names() -> list[str]:
    """The names of the methods of `costboost.multiclass`."""
    return _public_names("multiclass", "__init__.py")


def _public_names(*path: str) -> list[str]:
    """The classifiers in ``__all__`` of a module, read from its source."""
    source = files("costboost").joinpath(*path).read_text(encoding="utf-8")
    listed = ast.literal_eval(source[source.index("__all__ = ") + len("__all__ = ") :].strip())
    return [name.removesuffix(SUFFIX) for name in listed]


def data_set_names() -> list[str]:
    """The names of `costboost.datasets.available`, which would import NumPy."""
    folder = files("costboost").joinpath("datasets", "sets")
    return sorted(one.name.removesuffix(".toml") for one in folder.iterdir() if one.is_file())


def complete_algorithm(given: str) -> list[str]:
    """Algorithms whose names begin with a text."""
    return _completions(given, algorithm_names())


def complete_data_set(given: str) -> list[str]:
    """Data sets whose names begin with a text."""
    return _completions(given, data_set_names())


def complete_study(given: str) -> list[str]:
    """Studies whose names begin with a text."""
    return _completions(given, catalogue.MODULES)


def _completions(given: str, names: Iterable[str]) -> list[str]:
    """Names that begin with a text, with its capitals: shells keep them, commands ignore them."""
    folded = given.casefold()
    return [given + n[len(given) :] for n in names if n.casefold().startswith(folded)]


def short_name(name: str) -> str:
    """The listed name of a classifier; capitals and the suffix are ignored."""
    by_folded = {one.casefold(): one for one in algorithm_names()}
    folded = name.casefold().removesuffix(SUFFIX.casefold())
    if folded not in by_folded:
        raise unknown("algorithm", name, algorithm_names())
    return by_folded[folded]


def is_multiclass_name(name: str) -> bool:
    """Whether a name is that of a class of `costboost.multiclass`."""
    return short_name(name) in multiclass_names()
