"""The experiments of the papers, each as one command: ``costboost study NAME``.

This module states what a study is, what a claim of a paper is, and where both are found. A module
of a study or of claims is loaded when it is used.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from costboost_lab.studies.running import StudyRun, run

__all__ = ["StudyRun", "all_claims", "find_study", "run"]


# ---- studies -------------------------------------------------------------------------------------

Scalar = str | int | float | bool | None
Cell = Mapping[str, Scalar]
"""One unit of work: the fields of the grid that identify it, such as data set, method, repeat."""
Record = Mapping[str, Scalar]
"""One line of results. The runner adds the fields of the cell, the seed and the versions."""
Frame = Any
"""A pandas DataFrame: a line for every record of every cell, in the order of the grid."""


@dataclass(frozen=True)
class Options:
    """What a user can choose about a study."""

    quick: bool = False
    """A miniature that runs in less than a minute and needs no download."""
    repeats: int | None = None
    """Number of repeats; None for that of the paper."""
    data: Sequence[str] = ()
    """Names of the data sets to run on; all of them are on this machine or can be downloaded."""
    learner: str | None = None
    """Base learner, for studies that offer several; None for that of the paper."""
    folder: Path | None = None
    """Folder with the user's own data, for studies that accept it."""


@dataclass(frozen=True)
class Departure:
    """A point where the study differs from the paper."""

    what: str
    why: str


@dataclass(frozen=True)
class Table:
    """A table of results, beside the figures of the paper where it printed them."""

    title: str
    frame: Frame
    """Results; the index is the first column. Columns of the paper's figures end in "(paper)"."""
    note: str = ""
    digits: int = 3


@dataclass(frozen=True)
class Figure:
    """A plot of results."""

    title: str
    draw: Callable[[Any], None]
    """Draws on the matplotlib Figure that it is given."""
    note: str = ""
    size: tuple[float, float] = (7.0, 4.2)


@dataclass(frozen=True)
class Study:
    """An experiment as a grid of cells, with everything needed to explain its results."""

    name: str
    """Name on the command line, such as "sun2005"."""
    title: str
    citation: str
    question: str
    """What the experiment is to find out, in a sentence or two for a newcomer."""
    protocol: Sequence[str]
    """What is done, a sentence or two for each step."""
    departures: Sequence[Departure]
    data: Sequence[str]
    """Names in `costboost_lab.datasets` that the full study runs on; empty if it draws its data."""
    quick_data: Sequence[str]
    """Names that ``quick`` runs on: parts of scikit-learn, or none."""
    cells: Callable[[Options], list[Cell]]
    """The grid. Every choice that affects a result is a field of the cell."""
    compute: Callable[[Cell, int], list[Record]]
    """Results of a cell, a function of the cell and its seed alone."""
    paired_by: Sequence[str]
    """Fields that determine the seed: cells that agree in them have the same splits."""
    tables: Callable[[Frame], list[Table]]
    figures: Callable[[Frame], list[Figure]]
    learners: Sequence[str] = ()
    """Base learners to choose from; the first is that of the paper."""
    takes_folder: bool = False


# ---- claims --------------------------------------------------------------------------------------

CLAIM_TEXTS = Path(__file__).parent / "claims"
"""Folder with the claims of each study in our words."""
REPRODUCED: Final = "reproduced"
NOT_REPRODUCED: Final = "not reproduced"
CANNOT_BE_JUDGED: Final = "cannot be judged"
Outcome = Literal["reproduced", "not reproduced", "cannot be judged"]
Kind = Literal["numeric", "ordinal", "structural"]


@dataclass(frozen=True)
class Verdict:
    """What the results of a study say about a claim."""

    outcome: Outcome
    measured: str
    """What was measured, beside what the paper has: "73.0 against 73.2"."""
    difference: float | None = None
    """By how much the measured value exceeds (ordinal) or misses (numeric) the claim."""
    interval: tuple[float, float] | None = None
    """95% interval of ``difference``."""
    reason: str = ""
    """Why it did not come out, or cannot be judged: protocol, aggregation, parameters, code."""


Check = Callable[[Frame], Verdict]


@dataclass(frozen=True)
class Claim:
    """A numeric, ordinal or structural claim of a paper."""

    name: str
    """Identifier, such as "S05": letter of the paper and number."""
    paper: str
    """Short citation, such as "Sun et al. 2005"."""
    place: str
    """Where in the paper: "Table 1", "section 5.2"."""
    kind: Kind
    statement: str
    """The claim in our words."""
    study: str | None = None
    """Name of the study whose results decide it; None if it is not checked."""
    check: Check | None = None
    """Verdict from the results of the study (all lines, columns as its records name them)."""
    why_not: str = ""
    """Why it is not checked."""


def read_claims(paper: str, study: str, checks: Mapping[str, Check]) -> list[Claim]:
    """Claims that ``claims/STUDY.csv`` lists, each with its check.

    Claims that are not checked have the reason in the column ``why_not``.
    """
    with (CLAIM_TEXTS / f"{study}.csv").open(encoding="utf-8", newline="") as file:
        texts = list(csv.DictReader(file))
    checked = {one["name"] for one in texts if not one["why_not"]}
    if checked != set(checks):
        raise ValueError(f"{study} has no check, or no text, for {sorted(checked ^ set(checks))}")
    return [
        Claim(
            paper=paper,
            study=study if one["name"] in checks else None,
            check=checks.get(one["name"]),
            **one,  # type: ignore[arg-type]
        )
        for one in texts
    ]


# ---- studies and claims by name ------------------------------------------------------------------

MODULES: dict[str, str] = {
    "masnadi2007-synthetic": "masnadi_synthetic",
    "masnadi2007-uci": "masnadi_uci",
    "masnadi2007-faces": "masnadi_faces",
    "nikolaou2016": "nikolaou",
    "nyga2010": "nyga",
    "sun2005": "sun",
    "abe2004": "abe",
    "decisions2026": "decisions2026",
}
"""Module of each study in costboost_lab.studies, in the order of the documentation.

It has `STUDY`, and `CLAIMS` of the paper unless these have a module of their own.
"""
CLAIMS_APART = {"nikolaou": "nikolaou_claims", "nyga": "nyga_claims"}
"""Modules of claims beside those of their studies."""
PAPER_TABLES = Path(__file__).parent / "paper_tables"


def find_study(name: str) -> Study:
    """The study of that name."""
    if name not in MODULES:
        raise ValueError(f"there is no study {name!r}; the studies are {', '.join(MODULES)}")
    study: Study = import_module(f"costboost_lab.studies.{MODULES[name]}").STUDY
    return study


def all_claims() -> list[Claim]:
    """Claims of all papers, checked or not."""
    found: list[Claim] = []
    for module in MODULES.values():
        found += import_module(f"costboost_lab.studies.{CLAIMS_APART.get(module, module)}").CLAIMS
    return found


def paper_table(name: str) -> Frame:
    """Figures printed in a paper, such as "sun2005-table1"."""
    import pandas as pd

    table: Any = pd.read_csv(PAPER_TABLES / f"{name}.csv")
    return table


def __getattr__(name: str) -> Any:
    """Import `run` and `StudyRun` at their first use, so that workers start fast."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("costboost_lab.studies.running"), name)
