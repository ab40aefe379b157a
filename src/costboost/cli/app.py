"""The application: commands, global options, exit codes."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from costboost import __version__
from costboost.cli import console
from costboost.cli.catalogue import algorithms, datasets, study
from costboost.cli.commands import compare, explain, export, fit, goal, monitor, predict, report
from costboost.cli.options import flag, option, set_max_memory
from costboost.cli.output import EXPECTED, message_of
from costboost.reading.errors import one_line
from costboost.reading.sources import ReadOptions

MISTAKE, DEFECT, INTERRUPTED, PIPE_CLOSED = 1, 70, 130, 141
USAGE: type[Exception] = typer.BadParameter.__mro__[2]
"""Typer's error for wrong options, which it prints by itself."""
DEBUG = "COSTBOOST_TRACEBACK"
"""Environment variable that makes errors show a traceback."""


class Commands(TyperGroup):
    """Runs a command; errors that the user can correct end in one line, not in a traceback."""

    def invoke(self, ctx: Any) -> Any:
        try:
            with console.warnings_as_notes():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            console.error("interrupted; no file is left half-written")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:  # the reader has stopped; print nothing, also at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(PIPE_CLOSED) from None
        except EXPECTED as error:
            if os.environ.get(DEBUG):
                raise
            console.error(message_of(error))
            raise typer.Exit(MISTAKE) from None
        except (typer.Exit, typer.Abort, USAGE):
            raise
        except Exception as error:
            if os.environ.get(DEBUG):
                raise
            console.error(
                f"this is a defect of costboost, {type(error).__name__}: {one_line(error)}; with "
                f"{DEBUG}=1 in the environment it shows where"
            )
            raise typer.Exit(DEFECT) from None


def _print_version(requested: bool) -> None:
    if requested:
        sys.stdout.write(f"costboost {__version__}\n")
        raise typer.Exit


app = typer.Typer(
    name="costboost",
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


@app.callback()
def costboost(
    version: Annotated[
        bool, flag("Show the version.", "--version", callback=_print_version, is_eager=True)
    ] = False,
    max_memory: Annotated[
        str,
        option(
            "SIZE",
            "Memory that a packed or binary file may take once it is unpacked, such as 8G; "
            "comes before the command.",
            "--max-memory",
            envvar="COSTBOOST_MAX_MEMORY",
        ),
    ] = str(ReadOptions.max_memory),
) -> None:
    """Cost-sensitive boosting: models that make mistakes cheap instead of few.

    Results go to standard output, all else to standard error. The exit code is 0 if all went
    well, 1 for a mistake that a message names, 2 for wrong options, 3 for an alarm of monitor,
    130 after Ctrl-C.
    """
    set_max_memory(max_memory)


for command in (
    fit,
    predict,
    compare,
    goal,
    monitor,
    explain,
    export,
    report,
    algorithms,
    datasets,
    study,
):
    app.command()(command)
