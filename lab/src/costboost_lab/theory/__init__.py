"""Losses and theoretical properties of the algorithms, computed from their rules.

`losses` gives the loss of an algorithm as a function of margin, class and round::

    loss = losses(CGAdaClassifier, fn_cost=2, fp_cost=1)   # a class, a classifier, or a rule
    loss(margin, positive=True, round=1)                   # margins y F, one class, one round
    loss.ratio(margin, round=1)                            # costlier class over the other
    loss.swap(round=1)                                     # the margin where they cross, or None

`audit` checks the three properties of Nikolaou et al. (2016); `table` does so for their table 4.
"""

from costboost_lab.theory.auditing import Audit, Table, audit, table
from costboost_lab.theory.descent import losses
from costboost_lab.theory.loss import Finding, Loss

__all__ = ["Audit", "Finding", "Loss", "Table", "audit", "losses", "table"]
