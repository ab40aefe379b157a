"""The base of calibrators of several classes, which are made from fitted attributes."""

from __future__ import annotations

from typing import Any, Self


class FittedState:
    """Base of calibrators of several classes, which are made from their fitted attributes."""

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Make a calibrator from its fitted attributes."""
        calibrator = cls()
        calibrator.__dict__.update(state)
        return calibrator
