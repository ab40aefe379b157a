"""The application with its exit codes."""

from __future__ import annotations

import os
import sys
from importlib.metadata import entry_points
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from costboost import __version__
from costboost.app.cli import terminal
from costboost.app.cli.commands import COMMANDS
from costboost.app.cli.errors import EXPECTED, message_of
from costboost.app.reading.errors import one_line
from costboost.app.reading.memory import parse_size
from costboost.app.reading.options import ReadOptions

MISTAKE, DEFECT, INTERRUPTED, PIPE_CLOSED = 1, 70, 130, 141
"""Exit codes, besides those of wrong options and of an alarm."""
USAGE: type[Exception] = typer.BadParameter.__mro__[2]
"""Typer's error for wrong options, which it prints by itself."""
DEBUG = "COSTBOOST_TRACEBACK"
"""Environment variable that makes errors show a traceback."""
LAB = ("study", "datasets", "audit")
"""Commands of costboost-lab."""


class Commands(TyperGroup):
    """Runs a command; errors that the user can correct end in one line, not in a traceback.

    Other distributions add commands by entry points, which are read for a command that is not one
    of ours, and for the list of all.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        added = entry_points(group="costboost.commands").names
        return [*super().list_commands(ctx), *sorted(added - self.commands.keys())]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in self.commands:
            return super().get_command(ctx, cmd_name)
        for entry in entry_points(group="costboost.commands", name=cmd_name):
            alone = typer.Typer(add_completion=False)
            entry.load().add_to(alone)
            return typer.main.get_command(alone)
        if cmd_name in LAB and not ctx.resilient_parsing:
            ctx.fail(f"{cmd_name} is a command of costboost-lab: pip install costboost-lab")
        return None

    def invoke(self, ctx: Any) -> Any:
        try:
            with terminal.warnings_as_notes():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            terminal.error("interrupted; no file is left half-written")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:  # the reader has stopped; print nothing, also at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(PIPE_CLOSED) from None
        except EXPECTED as error:
            if os.environ.get(DEBUG):
                raise
            terminal.error(message_of(error))
            raise typer.Exit(MISTAKE) from None
        except (typer.Exit, typer.Abort, USAGE):
            raise
        except Exception as error:
            if os.environ.get(DEBUG):
                raise
            terminal.error(
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
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            metavar="",
            help="Show the version.",
            callback=_print_version,
            is_eager=True,
        ),
    ] = False,
    max_memory: Annotated[
        str,
        typer.Option(
            "--max-memory",
            metavar="SIZE",
            help="Memory that reading a packed or binary file may take, such as 8G; comes before "
            "the command.",
            envvar="COSTBOOST_MAX_MEMORY",
        ),
    ] = str(ReadOptions.max_memory),
) -> None:
    """Cost-sensitive boosting: models that make mistakes cheap instead of few.

    Results go to standard output, all else to standard error. The exit code is 0 if all went
    well, 1 for a mistake that a message names, 2 for wrong options, 3 for an alarm of monitor, 4
    if changed features leave unknown whether there is one, 130 after Ctrl-C.
    """
    context.obj = parse_size(max_memory)


for command in COMMANDS:
    command.add_to(app)
