"""The command line ``costboost``, thin over the library."""

from __future__ import annotations

import signal
import sys
from typing import Any

TERMINATED = 143


def main() -> None:
    """Run the command line; needs the extra ``cli``."""
    try:
        from costboost.cli.app import app
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in {"typer", "rich"}:
            raise
        sys.exit('error: the command line needs typer and rich: pip install "costboost[cli]"')
    except KeyboardInterrupt:
        sys.exit(130)
    signal.signal(signal.SIGTERM, _terminated)
    app()


def _terminated(*_: Any) -> None:
    """End as after Ctrl-C, so that no half-written file is left behind."""
    sys.exit(TERMINATED)
