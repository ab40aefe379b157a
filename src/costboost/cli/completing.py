"""Names that the shell completes, found without loading what they stand for."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files

FOR_TWO = (
    "CostBoost", "AdaBoost", "AdaBoostReg", "AdaC1", "AdaC2", "AdaC3", "AdaCost", "AdaDB", "AdaMEC",
    "AsymAda", "CGAda", "CSAda", "CSB0", "CSB1", "CSB2", "CSGA", "CSLB", "CSLogitBoost", "CSRA",
    "CSRealBoost", "GentleBoost", "LogitBoost", "RareBoost", "RealBoost", "WeightBoost",
)  # fmt: skip
"""The classifiers of `costboost` itself, each against the rest if there are several classes."""
FOR_SEVERAL = ("AverageCost", "Costing", "DSE", "GBSE", "IterativeWeighting", "MetaCost")
"""The methods of `costboost.multiclass`."""


def algorithm_names() -> list[str]:
    """Those that `costboost.cli.algorithms.classes` has, whose own list would load scikit-learn."""
    return [*FOR_TWO, *FOR_SEVERAL]


def data_set_names() -> list[str]:
    """Those that `costboost.datasets.available` has."""
    folder = files("costboost").joinpath("datasets", "sets")
    return sorted(one.name.removesuffix(".toml") for one in folder.iterdir() if one.is_file())


def complete_algorithm(given: str) -> list[str]:
    """Algorithms that begin like this."""
    return _beginning(given, algorithm_names())


def complete_data_set(given: str) -> list[str]:
    """Data sets that begin like this."""
    return _beginning(given, data_set_names())


def _beginning(given: str, names: Iterable[str]) -> list[str]:
    """In the capitals of the user, since shells keep to them and the commands do not mind."""
    folded = given.casefold()
    return [given + n[len(given) :] for n in names if n.casefold().startswith(folded)]
