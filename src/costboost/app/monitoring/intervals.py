"""Numbers with a 95% interval."""

from __future__ import annotations

from typing import NamedTuple

from costboost._core.baselines import Z


class Interval(NamedTuple):
    """A number with a 95% interval."""

    value: float
    low: float
    high: float

    @classmethod
    def around(cls, value: float, error: float) -> Interval:
        """Normal interval from a standard error."""
        return cls(value, value - Z * error, value + Z * error)
