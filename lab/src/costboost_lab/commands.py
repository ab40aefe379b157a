"""The commands that costboost-lab adds, as tables: ``study``, ``datasets`` and ``audit``."""

from __future__ import annotations

from dataclasses import replace

from costboost.app.cli.checks import check_algorithm
from costboost.app.cli.given import Given
from costboost.app.cli.option import Command, Option, flag, several
from costboost.app.cli.options import JSON, LISTED
from costboost.app.reading.errors import InputError
from costboost_lab import names


def check_datasets(given: Given) -> None:
    """Raise an error for a data set that does not exist, or a file for none."""
    if given.name is not None:
        names.check_data_set(given.name)
    elif given.out is not None:
        raise InputError("name the data set: costboost datasets NAME --out FILE")


def check_study(given: Given) -> None:
    """Raise an error for a study that does not exist."""
    if given.name is not None:
        names.check_study(given.name)


DATASETS = Command(
    "datasets",
    "List the data sets of the papers, describe one, or write it to a file.",
    (
        Option(
            "name",
            "One of them, in detail.",
            "[NAME]",
            argument=True,
            complete=names.complete_data_set,
        ),
        Option("out", "Write it as CSV, costs of rows included.", "FILE", flags=("--out", "-o")),
        flag("local", "Only those that need no network."),
        JSON,
    ),
    "costboost_lab.data_set_command:run",
    check_datasets,
)
STUDY = Command(
    "study",
    """
    Run an experiment of the papers and judge their claims by it; without a name, list them.

    A run that was interrupted goes on where it ended when the command is repeated.
    """,
    (
        Option("name", "The study to run.", "[NAME]", argument=True, complete=names.complete_study),
        flag("quick", "A miniature that takes less than a minute and needs no download."),
        Option(
            "out", "Folder of the results.", "DIR", str, default="studies", flags=("--out", "-o")
        ),
        Option("jobs", "Processes. Default: one for each core.", "N", int | None),
        Option(
            "scheduler", "Compute on the Dask cluster of the scheduler at this address.", "ADDRESS"
        ),
        Option(
            "workers", "Compute on a Dask cluster of N processes on this machine.", "N", int | None
        ),
        Option("repeats", "Repeats. Default: those of the paper.", "N", int | None),
        several(
            "data",
            "A data set to run on. May be repeated. Default: all of the study.",
            "NAME",
            complete=names.complete_data_set,
        ),
        Option("learner", "The base learner. Default: that of the paper.", "NAME"),
        Option("folder", "Data of your own, for a study that takes them.", "DIR"),
        flag("fresh", "Forget what earlier runs have computed."),
        flag("claims", "List the claims of the papers with the verdicts on them."),
        JSON,
    ),
    "costboost_lab.study_command:run",
    check_study,
)
AUDIT = Command(
    "audit",
    """
    Compute from their rules which algorithms have the properties of Nikolaou's Table 4.

    FGD-consistent: weights and steps descend one loss. Cost-consistent: decides for least expected
    cost. Asymmetry-preserving: the costlier class never counts less.
    """,
    (replace(LISTED, help="One algorithm, with the evidence."), JSON),
    "costboost_lab.audit_command:run",
    check_algorithm,
)
