"""What a study is: a grid of cells to compute, and the tables, figures and claims drawn from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
    """Names in `costboost.datasets` that the full study runs on; empty if it draws its data."""
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
