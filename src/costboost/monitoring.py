"""Monitoring: whether a deployed model still decides well, in money, with and without labels."""

from costboost.app.monitoring.monitor import Monitoring, monitor
from costboost.app.monitoring.reference import Reference, reference

__all__ = [
    "Monitoring",
    "Reference",
    "monitor",
    "reference",
]
