"""Options and commands as records, which typer parses, describes and completes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from inspect import Parameter, Signature, cleandoc
from typing import Annotated, Any

import typer

from costboost.app.cli.given import Given
from costboost.app.reading.options import ReadOptions

REQUIRED = Parameter.empty
"""The default of what must be typed."""
REPEATED = list[str] | None


@dataclass(frozen=True)
class Option:
    """An option or an argument: its name among the values that the user gives, and its text."""

    name: str
    help: str
    metavar: str | None = None
    type: Any = str | None
    panel: str | None = None
    default: Any = None
    flags: tuple[str, ...] = ()
    """What is typed; by default the name after two dashes."""
    least: float | None = None
    complete: Callable[[str], list[str]] | None = None
    argument: bool = False

    @property
    def spellings(self) -> tuple[str, ...]:
        """What the user types; empty for an argument."""
        return () if self.argument else self.flags or (f"--{self.name.replace('_', '-')}",)

    def as_parameter(self) -> Parameter:
        """The parameter of a function that typer makes the option from."""
        kind: Callable[..., Any] = typer.Argument if self.argument else typer.Option
        about = kind(
            *self.spellings,
            help=self.help,
            metavar=self.metavar,
            min=self.least,
            rich_help_panel=self.panel,
            autocompletion=self.complete,
        )
        annotation = Annotated[self.type, about]  # type: ignore[name-defined]
        return Parameter(
            self.name, Parameter.KEYWORD_ONLY, default=self.default, annotation=annotation
        )


def flag(name: str, help: str, panel: str | None = None) -> Option:
    """An option without a value."""
    spelling = f"--{name.replace('_', '-')}"
    return Option(name, help, "", bool, panel, default=False, flags=(spelling,))


def several(name: str, help: str, metavar: str, panel: str | None = None, **more: Any) -> Option:
    """An option that may be repeated."""
    return Option(name, help, metavar, REPEATED, panel, **more)


@dataclass(frozen=True)
class Command:
    """A command: its options, and where the function is that runs it."""

    name: str
    help: str
    options: Sequence[Option]
    run: str
    """Module and function, such as "costboost.app.cli.fit:run"; imported when it is run."""
    check: Callable[[Given], None] | None = None
    """Reports mistakes at once: it imports nothing large."""

    def given(self, max_memory: str | int = ReadOptions.max_memory, **typed: Any) -> Given:
        """The values of all options, or their defaults; a tuple of those that may be repeated."""
        values = {option.name: option.default for option in self.options} | typed
        lists = [option.name for option in self.options if option.type == REPEATED]
        return Given(values | {name: tuple(values[name] or ()) for name in lists}, max_memory)

    def add_to(self, application: typer.Typer) -> None:
        """Add the command to an application, whose context has the memory that files may take."""

        def call(context: typer.Context, **typed: Any) -> None:
            given = self.given(context.obj, **typed)
            if self.check is not None:
                self.check(given)
            module, name = self.run.split(":")
            getattr(import_module(module), name)(given)

        first = Parameter("context", Parameter.KEYWORD_ONLY, annotation=typer.Context)
        parameters = [first, *(option.as_parameter() for option in self.options)]
        call.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        call.__annotations__ = {}  # typer would take those of call for those of the options
        application.command(self.name, help=cleandoc(self.help))(call)
