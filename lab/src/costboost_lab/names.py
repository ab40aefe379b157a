"""Names of data sets and studies, for which nothing large is imported."""

from __future__ import annotations

from importlib.resources import files

from costboost.app.cli.names import Names
from costboost_lab import studies


def data_set_names() -> list[str]:
    """The names of `costboost_lab.datasets.available`, which would import NumPy."""
    folder = files("costboost_lab").joinpath("datasets", "sets")
    return sorted(path.name.removesuffix(".toml") for path in folder.iterdir() if path.is_file())


DATA_SETS = Names("data set", data_set_names)
STUDIES = Names("study", lambda: list(studies.MODULES))
