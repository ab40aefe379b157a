"""How much of costboost common calls walk through: files, calls of functions, depth.

``python tests/walks.py`` prints a line for each walk, with ``--functions N`` also the functions
that are called most. `tests/test_walks.py` has a budget for each.

Only calls of functions that are defined in files of costboost count, and of their frames the depth
is taken: they do not depend on the machine, nor on versions of other packages as long as these call
back as often. Every step of a generator is a call. Comprehensions are none, as they have frames of
their own only before Python 3.12. A walk is taken once before, so that nothing is imported in it.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

from sklearn.datasets import load_breast_cancer, load_wine
from typer.testing import CliRunner

import costboost
from costboost.app.cli.application import app

PACKAGE = str(Path(costboost.__file__).parent)
COMPREHENSIONS = {"<listcomp>", "<setcomp>", "<dictcomp>"}


@dataclass
class Walk:
    """Calls of functions of costboost while another function runs."""

    functions: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Number of calls by file and name."""
    depth: int = 0
    """Most frames of such functions at a time."""
    _now: int = 0

    @property
    def calls(self) -> int:
        """Number of all calls."""
        return self.functions.total()

    @property
    def files(self) -> int:
        """Number of files that the functions are in."""
        return len({file for file, _ in self.functions})

    def note(self, frame: FrameType, event: str, _: Any) -> None:
        """Count a call, as a function for `sys.setprofile`."""
        code = frame.f_code
        if not code.co_filename.startswith(PACKAGE) or code.co_name in COMPREHENSIONS:
            return
        if event == "call":
            self.functions[code.co_filename.removeprefix(PACKAGE), code.co_qualname] += 1
            self._now += 1
            self.depth = max(self.depth, self._now)
        elif event == "return":
            self._now -= 1


def walk(work: Callable[[], Any]) -> Walk:
    """The calls that are made while a function runs for the second time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        work()
        found, before = Walk(), sys.getprofile()
        sys.setprofile(found.note)
        try:
            work()
        finally:
            sys.setprofile(before)
    return found


# ---- walks ---------------------------------------------------------------------------------------


def fit(load: Callable[..., Any]) -> None:
    costboost.CostBoostClassifier(random_state=0, n_jobs=1).fit(*load(return_X_y=True))


FOLDER = TemporaryDirectory()


@cache
def data() -> str:
    """The name of a CSV file with wdbc."""
    path = Path(FOLDER.name) / "data.csv"
    load_breast_cancer(as_frame=True).frame.to_csv(path, index=False)
    return str(path)


def fit_with_report() -> None:
    page = str(Path(FOLDER.name) / "page.html")
    words = ["fit", data(), "-t", "target", "--fn-cost", "10", "--jobs", "1", "--report", page]
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert done.exit_code == 0, done.stderr


WALKS: dict[str, Callable[[], None]] = {
    "fit of two classes": lambda: fit(load_breast_cancer),
    "fit of three classes": lambda: fit(load_wine),
    "costboost fit --report": fit_with_report,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--functions", type=int, default=0, help="how many of them are listed")
    n_functions = parser.parse_args().functions
    for name, work in WALKS.items():
        found = walk(work)
        print(f"{name}: {found.files} files, {found.calls:,} calls, depth {found.depth}")
        for (file, function), n in found.functions.most_common(n_functions):
            print(f"  {n:7,}  {file} {function}")


if __name__ == "__main__":
    main()
