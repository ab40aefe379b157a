"""Ensembles of ordinary classifiers on weighted samples: DSE, costing, average cost, MetaCost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from costboost.checks import check_flag
from costboost.classifiers.documentation import documented
from costboost.costs import least_expected
from costboost.multiclass.base import (
    MulticlassClassifier,
    SamplingClassifier,
    check_share,
    greatest,
)
from costboost.multiclass.components import (
    Codes,
    Component,
    FittedComponent,
    Problem,
    Sample,
    rejected,
)
from costboost.multiclass.model import Learnt, MeanShares, averages
from costboost.tables import Table

ABE_2004 = (
    "Abe, N., Zadrozny, B. & Langford, J. (2004). An iterative method for multi-class "
    "cost-sensitive learning. KDD, 3-11."
)
ALL_ROUNDS = "all rounds are done"
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

        members, rows_used = self._fits(fit, self._randoms(n_fits), table, verbose, reason)
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
    reference: ClassVar[str] = ABE_2004

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
        "Zadrozny, B., Langford, J. & Abe, N. (2003). Cost-sensitive learning by "
        "cost-proportionate example weighting. ICDM, 435-442."
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


# ---- MetaCost: labels of least expected cost under the probabilities of an ensemble --------------


@documented(
    rounds="Fits of the ensemble that estimates probabilities.",
    share="2/3",
    samples="Share of the rows that each fit of the ensemble uses.",
)
@dataclass(kw_only=True, eq=False, repr=False)
class MetaCostClassifier(MulticlassClassifier):
    """MetaCost: relabel every row with the label of least expected cost, then learn the labels.

    An ensemble fitted to samples of the rows estimates P(i|x), and the costs decide::

        label of x = argmin_j sum over i of P(i|x) C(i, j)

    With ``relabel=True`` (Domingos) one classifier is fitted to the new labels of the training rows
    and predicts. With ``relabel=False`` (Margineantu's BagCost, the variant that Abe et al. compare
    with) this rule decides on the rows to be predicted, and costs may change after training:
    ``predict(X, cost_matrix=...)``.

    {advice}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
        The new labels of the training rows, with ``relabel=True``.
    {attributes}

    Notes
    -----
    With ``relabel=True`` there is one stage, that of the final classifier, and ``train_cost_`` has
    one entry.

    Where `fit` is given costs of the rows, C(i, j) is their mean over the rows of class i.

    References
    ----------
    Domingos, P. (1999). MetaCost: a general method for making classifiers cost-sensitive. KDD,
    155-164.

    Margineantu, D. (2001). Methods for cost-sensitive learning. PhD thesis, Oregon State
    University.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from costboost.multiclass import MetaCostClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> clf = MetaCostClassifier(relabel=False, random_state=0).fit(X[::2], y[::2])
    >>> costly = [[0, 1, 1], [1, 0, 1], [500, 500, 0]]
    >>> [int((clf.predict(X, cost_matrix=m) == 2).sum()) for m in (None, costly)]
    [50, 91]
    """

    advice: ClassVar[str] = (
        "Take ``relabel=False`` where probabilities are good, costs may change or are known only "
        "later. Take ``relabel=True`` where the result must be one interpretable classifier, such "
        "as a tree."
    )
    reference: ClassVar[str] = (
        "Domingos, P. (1999). MetaCost: a general method for making classifiers cost-sensitive. "
        "KDD, 155-164."
    )

    _learns_costs: ClassVar[bool] = False

    max_samples: float = 2 / 3
    bootstrap: bool = False
    relabel: bool = True

    def _check(self) -> None:
        super()._check()
        check_share(self, "max_samples")
        check_flag(self, "bootstrap")
        check_flag(self, "relabel")

    def _learn(self, table: Table, problem: Problem, classes: NDArray[Any], verbose: int) -> Learnt:
        reads = self._reader(table)
        X = reads(table)
        component = self._component(X, problem.n_classes, False)
        *randoms, last = self._randoms(self.n_estimators + 1)

        def fit(random: RandomState) -> tuple[FittedComponent, int]:
            rows = self._drawn(problem.n_rows, random)
            return component.fit(_labelled(rows, problem.truth), random), len(rows)

        members, rows_used = self._fits(fit, randoms, table, verbose, ALL_ROUNDS)
        costs, details = [], {}
        for shares in averages(members, X):
            codes = least_expected(shares, problem.matrix)
            costs.append(problem.mean_cost(codes))
        if self.relabel:
            final = component.fit(_labelled(np.arange(len(codes)), codes), last)
            members, details = [final], {"labels": classes[codes]}
            rows_used += len(codes)
            costs = [problem.mean_cost(final.codes(X))]
        return Learnt(
            shares=MeanShares(reads, members),
            n_iter=self.n_estimators,
            rows_used=rows_used,
            stop_reason=ALL_ROUNDS,
            train_cost=np.array(costs),
            estimates=not self.relabel,
            details=details,
        )

    def _drawn(self, n_rows: int, random: RandomState) -> Codes:
        size = max(1, round(self.max_samples * n_rows))
        rows: Codes = random.choice(n_rows, size=size, replace=bool(self.bootstrap))
        return np.sort(rows)


def _labelled(rows: Codes, code: Codes) -> Sample:
    return Sample(rows, code[rows], np.ones(len(rows)))
