"""The examples in docstrings are run."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import pkgutil

import pytest

import costboost_lab

MODULES = [m.name for m in pkgutil.walk_packages(costboost_lab.__path__, "costboost_lab.")]


@pytest.mark.complete
@pytest.mark.parametrize("name", MODULES)
def test_doctests(name: str) -> None:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert not failed, out.getvalue()
