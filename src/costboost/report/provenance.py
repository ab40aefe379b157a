"""Where the numbers of a page come from, as far as the caller and the page know."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any, NamedTuple

from costboost import __version__

DATA, DATE, TARGET = "data", "date", "target"


class Provenance(NamedTuple):
    """Descriptions of the held-out rows and of the training data."""

    held_out: dict[str, Any]
    trained_on: dict[str, Any]
    date: str

    def summary(self, rows: str) -> list[str]:
        """Data, number of rows, date and version, for the top of the page."""
        data = [str(self.held_out[DATA])] if DATA in self.held_out else []
        return [*data, rows, self.date, f"costboost {__version__}"]

    def around(self, known: Mapping[str, Any]) -> dict[str, Any]:
        """Facts of the caller, those that the page knows, the date and the version."""
        made = {"report made on": self.date, "costboost": __version__}
        return {**self.held_out, **known, **made}


def check_provenance(provenance: Any, trained_on: Any, y: Any) -> Provenance:
    """Read the descriptions of the caller; the name of a pandas series is the target."""
    held_out = _facts(provenance)
    name = getattr(y, "name", None)
    if TARGET not in held_out and isinstance(name, str):
        held_out[TARGET] = name
    made = held_out.pop(DATE, None)
    return Provenance(held_out, _facts(trained_on), str(made or date.today().isoformat()))


def _facts(described: Any) -> dict[str, Any]:
    stated = {DATA: described} if isinstance(described, str) else described
    return {str(k): v for k, v in (stated or {}).items()}
