"""Mistakes that are found before anything large is imported, so that a command fails at once."""

from __future__ import annotations

import os

from costboost.cli.cost_options import check_cost_columns, cost_or_column
from costboost.cli.options import read_options
from costboost.cli.wishes import Wishes
from costboost.files import disk
from costboost.reading.columns import select_names
from costboost.reading.errors import unknown
from costboost.reading.tables import open_table


def check_files(model: str, data: str | None) -> None:
    """An error if there is no model or no data where they should be."""
    if model != "-" and not os.path.isdir(model):
        disk.check(model)
    if data not in (None, "-") and not os.path.exists(data):
        with open_table(data, read_options()):
            pass


def check_names(path: str, wishes: Wishes) -> None:
    """An error if a file is not there, or lacks columns that options name.

    Only what can be read twice is looked at: standard input and pipes are not.
    """
    if path == "-" or (os.path.exists(path) and not os.path.isfile(path)):
        return
    with open_table(path, wishes.reading) as source:
        name, known = source.name, source.names
    if wishes.target not in known:
        raise unknown("column", wishes.target, known, f" in {name}")
    select_names((*wishes.categorical, *wishes.drop), known, name)
    check_cost_columns(map(cost_or_column, (wishes.fn_cost, wishes.fp_cost)), known, name)
