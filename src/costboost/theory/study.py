"""What the rounds of an algorithm imply: a loss, or none, and how the steps go with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from costboost.rules import NewtonRule
from costboost.theory import newton
from costboost.theory.algorithm import Algorithm, read
from costboost.theory.curves import Curves, ExponentialCurves, LogisticCurves
from costboost.theory.descent import ALIGNMENTS, Descent, descend
from costboost.theory.implied import Contradiction, implied
from costboost.theory.loss import Loss

SEED = 0
"""Of the paths and hypotheses that are drawn: a verdict is always the same."""


@dataclass(frozen=True)
class Study:
    """What is known of an algorithm once it has been played with."""

    algorithm: Algorithm
    curves: dict[str, Curves]
    """Of the loss, for each way to line up weights and rounds; none if there is no loss."""
    contradiction: Contradiction | None
    descent: Descent | None

    @property
    def losses(self) -> list[Loss]:
        """The loss in each way to line up the rounds that the steps leave open."""
        if self.descent is None:
            return []
        names = [name for name in self.descent.alignments if name in self.curves]
        return [self._loss(name) for name in names]

    def _loss(self, alignment: str) -> Loss:
        algorithm = self.algorithm
        costs = algorithm.costs
        curves = self.curves[alignment]
        return Loss(algorithm.name, costs.fn, costs.fp, algorithm.n_rounds, curves)


def study(algorithm: Algorithm) -> Study:
    """Play with the algorithm."""
    random = np.random.default_rng(SEED)
    if isinstance(algorithm.rule, NewtonRule):
        rounds = newton.regressions(algorithm, random)
        descent = newton.descend(algorithm, rounds, random)
        curves: dict[str, Curves] = {"before": LogisticCurves(algorithm)}
        return Study(algorithm, curves, newton.contradiction(rounds), descent)
    lines = implied(algorithm, random)
    if isinstance(lines, Contradiction):
        return Study(algorithm, {}, lines, None)
    curves = {name: ExponentialCurves(lines, name == "after") for name in ALIGNMENTS}
    return Study(algorithm, curves, None, descend(algorithm, lines, random))


def losses(
    algorithm: Any, fn_cost: float = 2.0, fp_cost: float = 1.0, *, n_rounds: int | None = None
) -> Loss:
    """The loss of an algorithm as a function of margin, class and round.

    It is derived from the rule: the weights with which the rounds leave the rows are the slope of
    the loss, so that the loss is their integral over the margin (Nikolaou et al., equation 13)::

        w = -dL / d(yF)

    The Newton family has a likelihood, and it is the loss. A loss that changes with the rounds is
    lined up with them so that the step of round t descends the loss of round t, if there is a way
    to do so; otherwise the loss of round t is that of the weights which follow it.

    Take it to see or draw what an algorithm minimises. It knows nothing of data.

    Parameters
    ----------
    algorithm : classifier, class of a classifier, or rule
        Such as ``CGAdaClassifier`` or ``AdaCostClassifier(beta="ting")``.
    fn_cost, fp_cost : float, default 2 and 1
        Costs of the two classes.
    n_rounds : int, optional
        Rounds asked for. Default: ``n_estimators`` of the classifier.

    Returns
    -------
    Loss
        To be called with ``(margin, positive, round)``; with ``ratio``, ``swap`` and ``minimiser``.

    Raises
    ------
    ValueError
        If the weights are no function of margin, class and round, so that there is no such loss.
        The message has the rows which show it.

    References
    ----------
    N. Nikolaou et al., "Cost-sensitive boosting algorithms: Do we really need them?", Machine
    Learning 104, 2016, equation 13, table 3, figures 1 and 2.

    Examples
    --------
    >>> import numpy as np
    >>> from costboost import CGAdaClassifier, CSAdaClassifier, CSB2Classifier
    >>> from costboost.theory import losses
    >>> margin = np.array([-1.0, 0.0, 1.0])
    >>> loss = losses(CGAdaClassifier, fn_cost=2, fp_cost=1)
    >>> loss(margin, positive=True).round(3), loss(margin, positive=False).round(3)
    (array([5.437, 2.   , 0.736]), array([2.718, 1.   , 0.368]))
    >>> loss = losses(CSAdaClassifier, fn_cost=2, fp_cost=1)
    >>> loss(margin, positive=True).round(3), round(abs(loss.swap()), 6)
    (array([7.389, 1.   , 0.135]), 0.0)
    >>> losses(CSB2Classifier)
    Traceback (most recent call last):
        ...
    ValueError: CSB2 implies no loss of the margin: two positive rows have the margin 0 after 3...
    """
    found = study(read(algorithm, fn_cost, fp_cost, n_rounds, 0.5))
    if not found.losses:
        assert found.contradiction is not None
        raise ValueError(
            f"{found.algorithm.name} implies no loss of the margin: {found.contradiction.because}"
        )
    return found.losses[-1]
