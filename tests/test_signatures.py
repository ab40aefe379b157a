"""The signatures of public names are those of `signatures.txt`, so that changes are seen.

``python tests/test_signatures.py`` writes the file. Types are left out: mypy checks them, and their
text depends on the version of Python.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from difflib import unified_diff
from importlib import import_module
from pathlib import Path
from typing import Any

import costboost

KEPT = Path(__file__).with_name("signatures.txt")
OF_THE_LAB = {"studies", "theory"}


def public_modules() -> list[str]:
    """The modules that users import from, without those of the lab."""
    names = set(dir(costboost)) - set(costboost.__all__) - OF_THE_LAB
    return ["costboost", *(f"costboost.{name}" for name in sorted(names))]


def listing() -> str:
    """A line for every public function and class, then for every method of the classes."""
    lines, methods = [], dict[str, str]()
    for module in public_modules():
        contents = import_module(module)
        for name in sorted(contents.__all__):
            value = getattr(contents, name)
            if callable(value):
                lines.append(f"{module}.{name}{without_types(value)}")
            if inspect.isclass(value):
                methods |= {one.__qualname__: without_types(one) for one in methods_of(value)}
    lines += ["", *(f"{name}{signature}" for name, signature in sorted(methods.items()))]
    return "".join(f"{line}\n" for line in lines)


def methods_of(cls: type) -> Iterator[Callable[..., Any]]:
    """The public methods of a class that are defined in costboost, in it or in a base."""
    for name in dir(cls):
        member = inspect.getattr_static(cls, name)
        function = member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
        if name.startswith("_") or not inspect.isfunction(function):
            continue
        if function.__module__.startswith("costboost"):
            yield function


def without_types(function: Callable[..., Any]) -> str:
    """The names, kinds and defaults of the parameters."""
    signature, empty = inspect.signature(function), inspect.Parameter.empty
    parameters = [one.replace(annotation=empty) for one in signature.parameters.values()]
    return str(inspect.Signature(parameters))


def test_signatures_are_those_that_are_kept() -> None:
    kept, found = (text.splitlines(keepends=True) for text in (KEPT.read_text(), listing()))
    changes = "".join(unified_diff(kept, found))
    assert not changes, f"{changes}\npython tests/{Path(__file__).name} accepts these changes"


if __name__ == "__main__":
    KEPT.write_text(listing())
