"""Ensembles of ordinary classifiers, each fitted to an importance-weighted sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from costboost.classifiers.checks import check_integer
from costboost.multiclass.base import Counting, SamplingClassifier, greatest
from costboost.multiclass.components import Component, FittedComponent, Sample, rejected
from costboost.multiclass.documentation import documented
from costboost.multiclass.gbse import ALL_ROUNDS, check_alpha
from costboost.multiclass.model import LastEnsemble, Learnt, MeanShares, average, averages, step
from costboost.multiclass.problem import Codes, Problem
from costboost.tables import Table
from costboost.vectors import Floats

ONE_FIT = "weights are the same for every fit: one is enough"


def fit_drawn(
    component: Component, sample: Sample, drawn: bool, share: float, random: RandomState
) -> tuple[FittedComponent, int]:
    """Fit to the sample, or to the part that rejection sampling keeps; and its number of rows."""
    if drawn:
        sample = sample.where(rejected(sample.weight, share, random))
    return component.fit(sample, random), len(sample.row)


@dataclass(kw_only=True, eq=False, repr=False)
class WeightedEnsemble(SamplingClassifier):
    """Base of the methods whose weights are fixed before training; not to be used by itself."""

    def _sample(self, problem: Problem) -> Sample:
        """The rows, their labels and their importances."""
        raise NotImplementedError

    def _learn(self, table: Table, problem: Problem, classes: NDArray[Any], verbose: int) -> Learnt:
        reads = self._reader(table)
        X = reads(table)
        drawn, sample = self._draws(), self._sample(problem)
        component = self._component(X, problem.n_classes, not drawn)
        n_fits, reason = (self.n_estimators, ALL_ROUNDS) if drawn else (1, ONE_FIT)

        def fit(random: RandomState) -> tuple[FittedComponent, int]:
            return fit_drawn(component, sample, drawn, self.max_samples, random)

        cells = table.n_rows * table.n_features
        members, rows_used = self._fits(fit, self._randoms(n_fits), cells, verbose, reason)
        costs = [problem.mean_cost(greatest(shares)) for shares in averages(members, X)]
        return Learnt(
            shares=MeanShares(reads, members),
            n_iter=n_fits,
            rows_used=rows_used,
            stop_reason=reason,
            train_cost=np.array(costs),
        )


@documented()
@dataclass(kw_only=True, eq=False, repr=False)
class DSEClassifier(WeightedEnsemble):
    """Data space expansion: every row with every label, weighted by the cost that it saves.

    An ordinary multi-class learner is fitted to the expanded sample::

        {(x, y, max_y' C(x, y') - C(x, y)) for every row x and label y}

    A classifier of least weighted error on it is one of least cost on the rows (Theorem 2). With
    rejection sampling the fit is repeated, and the probabilities of the fits are averaged.

    {advice}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Abe, N., Zadrozny, B. & Langford, J. (2004). An iterative method for multi-class cost-sensitive
    learning. KDD, 3-11.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from costboost.multiclass import DSEClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> matrix = [[0, 1, 1], [1, 0, 1], [50, 50, 0]]
    >>> clf = DSEClassifier(cost_matrix=matrix, random_state=0).fit(X, y)
    >>> clf.predict(X[-3:])
    array([2, 2, 2])
    """

    advice: ClassVar[str] = (
        "Take it as a simple reduction that needs one weighted fit. In the expanded sample each "
        "row has almost every label, which lowers accuracy: `GBSEClassifier` is nearly always "
        "better."
    )
    reference: ClassVar[str] = (
        "Abe, N., Zadrozny, B. & Langford, J. (2004). An iterative method for multi-class cost- "
        "sensitive learning. KDD, 3-11."
    )

    def _sample(self, problem: Problem) -> Sample:
        return Sample.of_pairs(problem.cost.max(axis=1, keepdims=True) - problem.cost)


@documented()
@dataclass(kw_only=True, eq=False, repr=False)
class CostingClassifier(WeightedEnsemble):
    """Costing: rows are kept in proportion to the cost of the worst mistake on them.

    Each fit sees the rows that rejection sampling leaves::

        (x, cheapest label) kept with probability max_y C(x, y) / greatest of all rows

    and the probabilities of the fits are averaged. With two classes the importance is
    ``|C(x, 0) - C(x, 1)|``, and a classifier of least weighted error is one of least cost. With
    more, one importance cannot represent the costs of different mistakes.

    {advice}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Zadrozny, B., Langford, J. & Abe, N. (2003). Cost-sensitive learning by cost-proportionate
    example weighting. ICDM, 435-442.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_breast_cancer
    >>> from costboost.multiclass import CostingClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> costs = np.where(y[:, None] == [0, 1], 0, [[1 + X[i, 3] / 100] for i in range(len(X))])
    >>> clf = CostingClassifier(random_state=0).fit(X, y, costs=costs)
    >>> clf.classes_, clf.rows_used_ < len(X) * clf.n_iter_
    (array([0, 1]), True)
    """

    advice: ClassVar[str] = (
        "Take it for two classes with costs of each row, or where the cost of a mistake depends "
        "on the true class alone."
    )
    reference: ClassVar[str] = (
        "Zadrozny, B., Langford, J. & Abe, N. (2003). Cost-sensitive learning by cost- "
        "proportionate example weighting. ICDM, 435-442."
    )

    def _sample(self, problem: Problem) -> Sample:
        return Sample(np.arange(problem.n_rows), problem.label, problem.cost.max(axis=1))


@documented()
@dataclass(kw_only=True, eq=False, repr=False)
class AverageCostClassifier(WeightedEnsemble):
    """Averaging cost: rows are kept in proportion to the mean cost of mistakes on them.

    It is `CostingClassifier` with another importance::

        (x, cheapest label) kept with probability mean_y C(x, y) / greatest of all rows

    {advice}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Breiman, L., Friedman, J. H., Olshen, R. A. & Stone, C. J. (1984). Classification and
    Regression Trees. Wadsworth.

    Abe, N., Zadrozny, B. & Langford, J. (2004). An iterative method for multi-class cost-sensitive
    learning. KDD, 3-11.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from costboost.multiclass import AverageCostClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> clf = AverageCostClassifier(cost_matrix=[[0, 1, 1], [1, 0, 1], [5, 5, 0]], random_state=0)
    >>> clf.fit(X, y).predict(X[:3])
    array([0, 0, 0])
    """

    advice: ClassVar[str] = (
        "Take it as a baseline, and where the cost of a mistake depends on the true class alone."
    )
    reference: ClassVar[str] = (
        "Breiman, L., Friedman, J. H., Olshen, R. A. & Stone, C. J. (1984). Classification and "
        "Regression Trees. Wadsworth."
    )

    def _sample(self, problem: Problem) -> Sample:
        return Sample(np.arange(problem.n_rows), problem.label, problem.cost.mean(axis=1))


# ---- iterative weighting -------------------------------------------------------------------------


WEIGHTLESS = "no row has any importance left"


@documented(rounds="Rounds of weighting; the ensemble of the last round predicts.")
@dataclass(kw_only=True, eq=False, repr=False)
class IterativeWeightingClassifier(SamplingClassifier):
    """Iterative weighting: importances move towards the costs of the mistakes made.

    Every row has its cheapest label and one importance, at first the cost of the worst mistake. In
    each round a classifier h is fitted, and the importance of the rows it misclassifies becomes::

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
        ensembles: list[list[FittedComponent]] = []
        rows_used, costs, reason = 0, [], ALL_ROUNDS
        counting = Counting(verbose, self.n_estimators)
        for t, random in enumerate(self._randoms(self.n_estimators), 1):
            if not importance.any():
                reason = WEIGHTLESS
                break
            sample = Sample(row, problem.label, importance)

            def fit(source: RandomState, sample: Sample = sample) -> tuple[FittedComponent, int]:
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
