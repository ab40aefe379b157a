"""The command line ``costboost``, thin over the library."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; needs the extra ``cli``."""
    try:
        from costboost.cli import console, signals
        from costboost.cli.app import app
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in {"typer", "rich"}:
            raise
        sys.exit('error: the command line needs typer and rich: pip install "costboost[cli]"')
    except KeyboardInterrupt:
        sys.exit(130)
    signals.open_streams()
    signals.listen()
    console.any_text()
    try:
        app(prog_name="costboost")  # also as python -m costboost, for completion and usage
    except SystemExit as end:
        signals.leave(end.code)
