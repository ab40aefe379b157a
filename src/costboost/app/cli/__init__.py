"""The command line ``costboost``: parses options, calls the library and prints results."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; needs the extra ``cli``."""
    try:
        from costboost.app.cli import output
        from costboost.app.cli.commands import app
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in {"typer", "rich"}:
            raise
        sys.exit('error: the command line needs typer and rich: pip install "costboost[cli]"')
    except KeyboardInterrupt:
        sys.exit(130)
    output.open_streams()
    output.install_handlers()
    output.escape_unencodable()
    try:
        app(prog_name="costboost")  # also as python -m costboost, for completion and usage
    except SystemExit as error:
        output.exit_process(error.code)
