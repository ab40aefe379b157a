"""Prints the lowest versions that pyproject.toml allows, as constraints of pip: ``make oldest``."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
EXTRAS = ("cli", "plots", "datasets", "dask", "onnx")
FLOOR = re.compile(r"([\w.-]+)(?:\[[\w,]+\])?>=([\w.]+)")
TOO_NEW = (
    "pyparsing<3.3",  # matplotlib 3.10.0 calls names that pyparsing 3.3 warns of
    "click<8.5",  # typer 0.18.0 imports names that click 8.5 warns of
)


def floors(dependencies: list[str]) -> dict[str, str]:
    """Lowest version by name; a ValueError if a dependency states none."""
    found = {}
    for dependency in dependencies:
        match = FLOOR.fullmatch(dependency)
        if match is None:
            raise ValueError(f"{dependency!r} states no lowest version; write NAME>=VERSION")
        found[match[1]] = match[2]
    return found


def dependencies() -> list[str]:
    """Those of the package and of the extras that users install."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    extras = (one for extra in EXTRAS for one in project["optional-dependencies"][extra])
    return [*project["dependencies"], *extras]


if __name__ == "__main__":
    print(*(f"{name}=={version}" for name, version in floors(dependencies()).items()), sep="\n")
    print(*TOO_NEW, sep="\n")
