"""Rows to try the command line with, and how a command ends."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence

import numpy as np

Run = Callable[..., "Ran"]


class Ran:
    """How a command ended."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


def table(n_rows: int = 400, seed: int = 0) -> dict[str, list[object]]:
    """Rows with numbers, text, a date, missing values and costs of their own."""
    random = np.random.default_rng(seed)
    income = random.normal(50, 15, n_rows).round(2)
    city = random.choice(["Rome", "Oslo", 'San "Sur", Lima'], n_rows)
    day = random.integers(1, 28, n_rows)
    bad = income + 10 * (city == "Rome") + random.normal(0, 8, n_rows) < 42
    return {
        "id": [f"r{k}" for k in range(n_rows)],
        "income": [None if k % 17 == 0 else x for k, x in enumerate(income.tolist())],
        "city": [None if k % 23 == 0 else x for k, x in enumerate(city.tolist())],
        "zip": [f"{k % 7:05d}" for k in range(n_rows)],
        "day": [f"2024-03-{d:02d}" for d in day.tolist()],
        "amount": random.gamma(2, 50, n_rows).round(2).tolist(),
        "default": np.where(bad, "yes", "no").tolist(),
    }


def to_csv(columns: dict[str, list[object]]) -> str:
    def cell(value: object) -> str:
        text = "" if value is None else str(value)
        return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\n') else text

    rows = zip(*columns.values(), strict=True)
    return "\n".join(",".join(map(cell, row)) for row in [tuple(columns), *rows]) + "\n"


def failed(run: Run, *words: object) -> str:
    """The one line of error of a command that ends with exit code 1."""
    done = run(*words)
    assert done.code == 1, (done.out[:500], done.err)
    lines = [line for line in done.err.splitlines() if not line.startswith("note: ")]
    assert len(lines) == 1, done.err
    assert lines[0].startswith("error: ")
    assert "Traceback" not in done.err
    assert done.out == ""
    return lines[0]


def loaded(words: Sequence[str], before: str = "") -> set[str]:
    """The modules that a command has imported when it ends, run in a process of its own.

    ``before`` is code that is run first.
    """
    code = (
        f"{before}\nimport sys\nfrom costboost.app.cli.commands import app\n"
        f"try:\n    app({list(words)!r})\nexcept SystemExit:\n    print()\n"
        "print(*(m for m in sys.modules if m.isascii()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


LARGE = {"sklearn", "scipy", "pandas", "costboost.public", "costboost.classifiers"}
"""Modules that take long to import."""
