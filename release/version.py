#!/usr/bin/env python3
"""Prints the version, which `src/costboost/__init__.py` alone states; meson.build runs it."""

import ast
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "costboost" / "__init__.py"


def stated_version() -> str:
    """The text assigned to `__version__`; the package is read, not imported."""
    for statement in ast.parse(PACKAGE.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__version__":
            return str(ast.literal_eval(statement.value))
    raise SystemExit(f"{PACKAGE} assigns no __version__")


if __name__ == "__main__":
    print(stated_version())
