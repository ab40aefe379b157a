"""Losses and theoretical properties of the algorithms, from costboost-lab."""

from costboost._lab import required

with required("costboost.theory"):
    from costboost_lab.theory import Audit, Finding, Loss, Table, audit, losses, table

__all__ = ["Audit", "Finding", "Loss", "Table", "audit", "losses", "table"]
