"""Checks of what is typed that import nothing large, so that mistakes are reported at once."""

from __future__ import annotations

import math
import os

from costboost._core import disk
from costboost.app.cli.cost_texts import numbers_or_columns
from costboost.app.cli.given import Given
from costboost.app.cli.names import SEVERAL
from costboost.app.cli.options import GOALS
from costboost.app.reading.columns import check_cost_columns, select_names
from costboost.app.reading.errors import InputError, unknown
from costboost.app.reading.formats import open_table


def check_files(given: Given) -> None:
    """Raise an error if the model file or the data file does not exist."""
    if given.model != "-" and not os.path.isdir(given.model):
        disk.check(given.model)
    data = None if given.on_cluster else given.get("data")
    if data not in (None, "-") and not os.path.exists(data):
        with open_table(data, given.reading):
            pass


def check_fit(given: Given) -> None:
    """Raise an error if the options of `fit` fit neither each other nor the columns of the file."""
    if not given.on_cluster:
        check_problem(given)
        return
    if given.report is not None:
        raise InputError(
            "--report needs its rows in memory: leave it out on a cluster, and take costboost "
            "report MODEL FILE with a file of rows that the model has not seen"
        )
    if given.actions is not None:
        raise InputError(
            "--actions needs its rows in memory: leave it out on a cluster, and take costboost "
            "predict MODEL FILE --actions FILE"
        )


def check_goal(given: Given) -> None:
    """Raise an error unless one goal is given, that can be met."""
    if given.algorithm in SEVERAL:
        raise InputError(
            f"{given.algorithm} has no threshold to move: a goal needs another algorithm"
        )
    goals = {option.name: given[option.name] for option in GOALS}
    stated = {name: value for name, value in goals.items() if value is not None}
    if len(stated) != 1:
        raise InputError("one goal is needed: --recall, --precision, --fpr or --budget")
    ((name, value),) = stated.items()
    upper = math.inf if name == "budget" else 1
    if not 0 <= value <= upper:
        expected = "at least 0" if name == "budget" else "a share from 0 to 1"
        raise InputError(f"--{name} must be {expected}, got {value:g}")
    if given.guarantee is not None and not 0 < given.guarantee < 1:
        raise InputError(
            "--guarantee must be a confidence between 0 and 1, such as 0.95, got "
            f"{given.guarantee:g}"
        )
    if given.guarantee is not None and given.margin:
        raise InputError("--margin and --guarantee both make a goal hold on new rows: take one")
    check_problem(given)


def check_problem(given: Given) -> None:
    """Raise an error if the file does not exist, or lacks columns that are named.

    Standard input and pipes can be read only once and are not checked here.
    """
    costs, path = given.costs, given.data
    if path == "-" or (os.path.exists(path) and not os.path.isfile(path)):
        return
    with open_table(path, given.reading) as source:
        where, known = source.name, source.names
    if given.target not in known:
        raise unknown("column", given.target, known, f" in {where}")
    select_names((*given.categorical, *given.drop), known, where)
    select_names((*given.get("increasing", ()), *given.get("decreasing", ())), known, where)
    if given.groups is not None and given.groups not in known:
        raise unknown("column", given.groups, known, f" in {where} for --groups")
    check_cost_columns(numbers_or_columns(costs).values(), known, where)
