"""Options and commands as records, which typer parses, describes and completes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
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
    """An option or an argument of a command."""

    spelling: str
    """As the help shows it: "--out, -o MODEL" for an option, "DATA" or "[DATA]" for an argument."""
    help: str
    type: Any = str | None
    default: Any = None
    name: str = ""
    """Name among the values that the user gives; by default that of the spelling."""
    panel: str | None = None
    least: float | None = None
    complete: Callable[[str], list[str]] | None = None
    read: Callable[[str], Any] | None = None
    """Makes the value of what is typed, or raises an InputError."""

    def __post_init__(self) -> None:
        words = self.words or (f"--{(self.metavar or '').strip('[]').lower()}",)
        name = words[0].split("/")[0].removeprefix("--").replace("-", "_")
        object.__setattr__(self, "name", self.name or name)

    @property
    def words(self) -> tuple[str, ...]:
        """What the user types before the value; nothing for an argument."""
        words = self.spelling.replace(",", " ").split()
        return tuple(word for word in words if word.startswith("-"))

    @property
    def metavar(self) -> str | None:
        """What stands for the value; None if the help shows its type, or both words of a flag."""
        *_, last = self.spelling.split()
        if not last.startswith("-"):
            return last
        return "" if self.type is bool and "/" not in last else None

    def value(self, typed: Any) -> Any:
        """The value of what is typed; a tuple if the option may be repeated."""
        read = self.read or (lambda text: text)
        if self.type == REPEATED:
            return tuple(map(read, typed or ()))
        return typed if typed is None else read(typed)

    def as_parameter(self) -> Parameter:
        """The parameter of a function that typer makes the option from."""
        kind: Callable[..., Any] = typer.Option if self.words else typer.Argument
        about = kind(
            *self.words,
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


def flag(spelling: str, help: str, panel: str | None = None) -> Option:
    """An option without a value."""
    return Option(spelling, help, bool, default=False, panel=panel)


def in_panel(panel: str, *options: Option) -> tuple[Option, ...]:
    """Options that the help shows below a heading."""
    return tuple(replace(option, panel=panel) for option in options)


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
        """The value of each option, of what is typed or its default."""
        values = {o.name: o.value(typed.get(o.name, o.default)) for o in self.options}
        return Given(values, max_memory)

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
