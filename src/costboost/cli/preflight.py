"""Mistakes that are found before anything large is imported, so that a command fails at once."""

from __future__ import annotations

import os

from costboost.cli.columns import named
from costboost.cli.cost_options import check_cost_columns, cost_or_column
from costboost.cli.reading import opened
from costboost.cli.trouble import unknown
from costboost.cli.wishes import Wishes
from costboost.files import disk


def check_files(model: str, data: str | None) -> None:
    """An error if there is no model or no data where they should be."""
    if model != "-" and not os.path.isdir(model):
        disk.check(model)
    if data not in (None, "-") and not os.path.exists(data):
        with opened(data):
            pass


def check_names(path: str, wishes: Wishes) -> None:
    """An error if a file is not there, or lacks columns that options name.

    Only what can be read twice is looked at: standard input and pipes are not.
    """
    if path == "-" or (os.path.exists(path) and not os.path.isfile(path)):
        return
    with opened(path, wishes.encoding, wishes.separator, wishes.decimal) as source:
        name, known = source.raw.name, source.names
    if wishes.target not in known:
        raise unknown("column", wishes.target, known, f" in {name}")
    named((*wishes.categorical, *wishes.drop), known, name)
    check_cost_columns(map(cost_or_column, (wishes.fn_cost, wishes.fp_cost)), known, name)
