"""Monitoring: whether a deployed model still decides well, in money, with and without labels."""

from costboost.monitoring.monitor import monitor
from costboost.monitoring.reference import Reference, reference
from costboost.monitoring.result import Monitoring

__all__ = ["Monitoring", "Reference", "monitor", "reference"]
