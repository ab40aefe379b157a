"""What a model's decisions come to on rows that it has not seen."""

from __future__ import annotations

from typing import Any, Protocol

from costboost.cli.layout import Layout
from costboost.cli.measuring import several, two
from costboost.cli.problem import Rows


class Measured(Protocol):
    """Something to tell people and programs."""

    @property
    def opening(self) -> str: ...

    def show(self) -> None: ...

    def facts(self) -> dict[str, Any]: ...


def measure(model: Any, rows: Rows, layout: Layout) -> Measured:
    """Let the model decide on the rows."""
    if layout.several:
        return several.measure(model, rows, layout)
    return two.measure(model, rows, layout)
