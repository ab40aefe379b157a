"""Names of data sets and studies, for which nothing large is imported."""

from __future__ import annotations

from importlib.resources import files

from costboost.app.cli.algorithm_names import completions
from costboost.app.reading.errors import unknown
from costboost_lab import studies


def data_set_names() -> list[str]:
    """The names of `costboost_lab.datasets.available`, which would import NumPy."""
    folder = files("costboost_lab").joinpath("datasets", "sets")
    return sorted(path.name.removesuffix(".toml") for path in folder.iterdir() if path.is_file())


def study_names() -> list[str]:
    """The names of the studies, none of which is loaded."""
    return list(studies.MODULES)


def complete_data_set(typed: str) -> list[str]:
    """Data sets whose names begin with a text."""
    return completions(typed, data_set_names())


def complete_study(typed: str) -> list[str]:
    """Studies whose names begin with a text."""
    return completions(typed, study_names())


def check_data_set(name: str) -> None:
    """Raise an InputError if there is no data set of this name."""
    if name not in data_set_names():
        raise unknown("data set", name, data_set_names())


def check_study(name: str) -> None:
    """Raise an InputError if there is no study of this name."""
    if name not in study_names():
        raise unknown("study", name, study_names())
