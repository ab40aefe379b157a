"""The commands that costboost-lab adds, as tables: ``study``, ``datasets`` and ``audit``."""

from __future__ import annotations

from dataclasses import replace

from costboost.app.cli.given import Given
from costboost.app.cli.option import REPEATED, Command, Option, flag
from costboost.app.cli.options import JSON, LISTED
from costboost.app.reading.errors import InputError
from costboost_lab.names import DATA_SETS, STUDIES


def check_datasets(given: Given) -> None:
    """Raise an error for a file of no data set."""
    if given.name is None and given.out is not None:
        raise InputError("name the data set: costboost datasets NAME --out FILE")


DATASETS = Command(
    "datasets",
    "List the data sets of the papers, describe one, or write it to a file.",
    (
        Option(
            "[NAME]", "One of them, in detail.", complete=DATA_SETS.complete, read=DATA_SETS.find
        ),
        Option("--out, -o FILE", "Write it as CSV, costs of rows included."),
        flag("--local", "Only those that need no network."),
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
        Option("[NAME]", "The study to run.", complete=STUDIES.complete, read=STUDIES.find),
        flag("--quick", "A miniature that takes less than a minute and needs no download."),
        Option("--out, -o DIR", "Folder of the results.", str, "studies"),
        Option("--jobs N", "Processes. Default: one for each core.", int | None),
        Option(
            "--scheduler ADDRESS", "Compute on the Dask cluster of the scheduler at this address."
        ),
        Option(
            "--workers N", "Compute on a Dask cluster of N processes on this machine.", int | None
        ),
        Option("--repeats N", "Repeats. Default: those of the paper.", int | None),
        Option(
            "--data NAME",
            "A data set to run on. May be repeated. Default: all of the study.",
            REPEATED,
            complete=DATA_SETS.complete,
        ),
        Option("--learner NAME", "The base learner. Default: that of the paper."),
        Option("--folder DIR", "Data of your own, for a study that takes them."),
        flag("--fresh", "Forget what earlier runs have computed."),
        flag("--claims", "List the claims of the papers with the verdicts on them."),
        JSON,
    ),
    "costboost_lab.study_command:run",
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
)
