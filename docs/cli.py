"""Refreshes cli.md: ``python docs/cli.py`` runs its examples and lists the options.

Every line of a ``console`` block that begins with ``$`` is run, in one folder and in the order of
the page, and what it prints is put below it; other programs than ``costboost`` by the shell. The
tables of options are written from the commands, those of several commands once.
``tests/cli/test_page.py`` compares the page with what this program would write.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path

from typer.testing import CliRunner

from costboost.app.cli.application import app
from costboost.app.cli.commands import COMMANDS
from costboost.app.cli.option import REQUIRED, Command, Option

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
    listed = [*COMMANDS, *(entry.load() for entry in added)]
    owners: dict[tuple[str, str], list[str]] = {}
    for command in listed:
        for option in command.options:
            owners.setdefault(_row(option), []).append(command.name)
    parts = [part for command in listed for part in _section(command, owners)]
    return "\n".join([*parts, *_common(owners)])


def _section(command: Command, owners: dict[tuple[str, str], list[str]]) -> Iterator[str]:
    yield f"### `costboost {command.name}`\n"
    yield " ".join(command.help.split()) + "\n"
    rows = [_row(option) for option in command.options]
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


def _row(option: Option) -> tuple[str, str]:
    """Name and text of an argument or an option."""
    text = option.help.replace("|", "\\|")
    if not option.words:
        needed = "" if option.default is REQUIRED else ", optional"
        return f"`{(option.metavar or '').strip('[]')}`{needed}", text
    words = ", ".join(f"`{word}`" for word in option.words)
    if option.type is bool:
        return words, text
    if option.default is REQUIRED:
        text += " Required."
    elif option.default not in (None, ""):
        text += f" Default: {option.default}."
    return f"{words} {option.metavar or 'N'}", text


# ---- the page ------------------------------------------------------------------------------------


def page() -> str:
    """The page as it should be."""
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return f"{examples(before)}{BEGIN}\n\n{commands()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page())
