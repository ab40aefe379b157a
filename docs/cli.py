"""Refreshes cli.md: ``python docs/cli.py`` runs its examples and lists the options.

Every line of a ``console`` block that begins with ``$`` is run, in one folder and in the order of
the page, and what it prints is put below it; other programs than ``costboost`` by the shell. The
tables of options are written from the commands, those of several commands once.
``tests/cli/test_page.py`` compares the page with what this program would write.
"""

from __future__ import annotations

import inspect
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, get_args, get_type_hints

from typer.models import ArgumentInfo
from typer.testing import CliRunner

from costboost.app.cli.commands import app

PAGE = Path(__file__).with_name("cli.md")
BEGIN = "<!-- commands:begin, written by docs/cli.py -->"
END = "<!-- commands:end -->"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
HEAD = re.compile(r"(.*?) \| head -n (\d+)")
WIDTH = "80"


# ---- examples ------------------------------------------------------------------------------------


def examples(text: str) -> str:
    """The page with its examples run anew."""
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            return BLOCK.sub(lambda block: f"```console\n{_ran(block[1])}```", text)
        finally:
            os.chdir(here)


def _ran(block: str) -> str:
    commands = [line for line in block.splitlines() if line.startswith("$ ")]
    return "".join(f"{line}\n{output(line[2:])}" for line in commands)


def output(line: str) -> str:
    """What a line of the shell prints, on both outputs."""
    cut = HEAD.fullmatch(line)
    program, *words = shlex.split(cut[1] if cut else line)
    if program != "costboost":
        return _by_the_shell(line)
    done = CliRunner(env={"COLUMNS": WIDTH}).invoke(app, words)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    lines = [one.rstrip() for one in done.output.splitlines()]
    shown = lines[: int(cut[2])] if cut else lines
    return "".join(f"{one}\n" for one in shown)


def _by_the_shell(line: str) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        line,
        shell=True,
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"PATH": path},
    )
    return done.stdout


# ---- options -------------------------------------------------------------------------------------


def commands() -> str:
    """A section for each command, those of costboost-lab last; one for the options of several."""
    added = sorted(entry_points(group="costboost.commands"), key=lambda entry: entry.name)
    functions = [one.callback for one in app.registered_commands]
    functions += [entry.load() for entry in added]
    owners: dict[tuple[str, str], list[str]] = {}
    for function in functions:
        for row in _rows(function):
            owners.setdefault(row, []).append(function.__name__)
    parts = [part for function in functions for part in _section(function, owners)]
    return "\n".join([*parts, *_common(owners)])


def _section(function: Any, owners: dict[tuple[str, str], list[str]]) -> Iterator[str]:
    yield f"### `costboost {function.__name__}`\n"
    yield " ".join((function.__doc__ or "").split()) + "\n"
    rows = list(_rows(function))
    own = [row for row in rows if len(owners[row]) == 1]
    if own:
        yield "| | |\n|---|---|"
        yield from (f"| {name} | {text} |" for name, text in own)
        yield ""
    common = [name.split(",")[0].split(" ")[0] for name, text in rows if (name, text) not in own]
    if common:
        yield f"[Common options](#common-options): {', '.join(common)}.\n"


def _common(owners: dict[tuple[str, str], list[str]]) -> Iterator[str]:
    yield "### Common options\n"
    yield "| | | of |\n|---|---|---|"
    for (name, text), names in owners.items():
        if len(names) > 1:
            yield f"| {name} | {text} | {', '.join(names)} |"
    yield ""


def _rows(function: Any) -> Iterator[tuple[str, str]]:
    """Name and text of each argument and option of a command."""
    hints = get_type_hints(function, include_extras=True)
    for name, one in inspect.signature(function).parameters.items():
        kind, info = get_args(hints[name])
        yield _name(name, kind, info), _text(kind, info, one.default)


def _name(name: str, kind: Any, info: Any) -> str:
    if isinstance(info, ArgumentInfo):
        return f"`{info.metavar.strip('[]')}`" + (", optional" if kind is not str else "")
    first = (info.default,) if isinstance(info.default, str) else ()  # as Annotated has it
    given = (*first, *(info.param_decls or ())) or ("--" + name.replace("_", "-"),)
    words = ", ".join(f"`{one}`" for one in given)
    if kind is bool:
        return words
    plain = next((one for one in (kind, *get_args(kind)) if one in (int, float)), str)
    return f"{words} {info.metavar or {int: 'N', float: 'X', str: 'TEXT'}[plain]}"


def _text(kind: Any, info: Any, usual: Any) -> str:
    text = " ".join((info.help or "").split()).replace("|", "\\|")
    if usual is inspect.Parameter.empty:
        return text if isinstance(info, ArgumentInfo) else f"{text} Required."
    return text if usual in (None, "") or kind is bool else f"{text} Default: {usual}."


# ---- the page ------------------------------------------------------------------------------------


def page() -> str:
    """The page as it should be."""
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return f"{examples(before)}{BEGIN}\n\n{commands()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page())
