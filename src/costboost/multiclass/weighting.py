"""Iterative weighting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from costboost.classifiers.checks import check_integer
from costboost.multiclass.base import Counting, SamplingClassifier, greatest
from costboost.multiclass.components import Says
from costboost.multiclass.documentation import documented
from costboost.multiclass.ensembles import fit_drawn
from costboost.multiclass.gbse import ALL_ROUNDS, check_alpha
from costboost.multiclass.model import LastEnsemble, Learnt, average, step
from costboost.multiclass.problem import Codes, Problem
from costboost.multiclass.sampling import Sample
from costboost.tables import Table
from costboost.vectors import Floats

WEIGHTLESS = "no row has any importance left"


@documented(rounds="Rounds of weighting; the last one's ensemble predicts.")
@dataclass(kw_only=True, eq=False, repr=False)
class IterativeWeightingClassifier(SamplingClassifier):
    """Iterative weighting: importances move towards what the mistakes really cost.

    Every row has its cheapest label and one importance, at first the cost of the worst mistake. In
    each round a classifier h is fitted, and where it errs::

        c <- alpha C(x, h(x)) + (1 - alpha) c         alpha = 1/t, or a constant

    If that converges, the weighted error of h is its cost (Theorem 1). Each round's classifier is a
    costing ensemble of ``n_costing`` fits, and the last one predicts.

    {advice}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    importance_ : array of shape (n_samples,)
        The importances after the last round, in the unit of the costs.
    {attributes}

    References
    ----------
    Abe, N., Zadrozny, B. & Langford, J. (2004). An iterative method for multi-class cost-sensitive
    learning. KDD, 3-11.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from costboost.multiclass import IterativeWeightingClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> matrix = [[0, 1, 1], [1, 0, 1], [50, 50, 0]]
    >>> clf = IterativeWeightingClassifier(cost_matrix=matrix, n_estimators=5, random_state=0)
    >>> clf.fit(X, y).predict(X[-3:])
    array([2, 2, 2])
    """

    advice: ClassVar[str] = (
        "Take it to reproduce the paper. It often does not converge; `GBSEClassifier`, which "
        "keeps a weight for every label of a row, is its successor."
    )
    reference: ClassVar[str] = (
        "Abe, N., Zadrozny, B. & Langford, J. (2004). An iterative method for multi-class cost- "
        "sensitive learning. KDD, 3-11."
    )

    n_costing: int = 10
    alpha: float | None = None

    def _check(self) -> None:
        super()._check()
        check_integer(self, "n_costing", 1)
        check_alpha(self)

    def _learn(self, table: Table, problem: Problem, classes: NDArray[Any], verbose: int) -> Learnt:
        reads, drawn = self._reader(table), self._draws()
        X = reads(table)
        component = self._component(X, problem.n_classes, not drawn)
        row = np.arange(problem.n_rows)
        importance = problem.cost.max(axis=1)
        ensembles: list[list[Says]] = []
        rows_used, costs, reason = 0, [], ALL_ROUNDS
        counting = Counting(verbose, self.n_estimators)
        for t, random in enumerate(self._randoms(self.n_estimators), 1):
            if not importance.any():
                reason = WEIGHTLESS
                break
            sample = Sample(row, problem.label, importance)

            def fit(source: RandomState, sample: Sample = sample) -> tuple[Says, int]:
                return fit_drawn(component, sample, drawn, self.max_samples, source)

            n_fits = self.n_costing if drawn else 1
            sources = [RandomState(number) for number in random.randint(2**31 - 1, size=n_fits)]
            fits = list(self._in_parallel(fit, sources, table.n_rows * table.n_features))
            ensembles.append([member for member, _ in fits])
            rows_used += sum(n_rows for _, n_rows in fits)
            codes = greatest(average(ensembles[-1], X))
            importance = reweighed(importance, problem, codes, step(self.alpha, t))
            costs.append(problem.mean_cost(codes))
            counting(f"cost {costs[-1]:.4g}")
        counting.close(reason)
        return Learnt(
            shares=LastEnsemble(reads, ensembles),
            n_iter=len(ensembles),
            rows_used=rows_used,
            stop_reason=reason,
            train_cost=np.array(costs),
            details={"importance": importance * problem.unit},
        )


def reweighed(importance: Floats, problem: Problem, codes: Codes, a: float) -> Floats:
    """Importances after a round whose classifier predicts these codes."""
    paid = problem.cost[np.arange(problem.n_rows), codes]
    return np.where(codes != problem.label, a * paid + (1 - a) * importance, importance)
