"""MetaCost: labels of least expected cost under the probabilities of an ensemble."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from costboost.classifiers.checks import check_flag
from costboost.costs import least_expected
from costboost.multiclass.base import MulticlassClassifier, check_share
from costboost.multiclass.components import FittedComponent, Sample
from costboost.multiclass.documentation import documented
from costboost.multiclass.gbse import ALL_ROUNDS
from costboost.multiclass.model import Learnt, MeanShares, averages
from costboost.multiclass.problem import Codes, Problem
from costboost.tables import Table


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

        cells = table.n_rows * table.n_features
        members, rows_used = self._fits(fit, randoms, cells, verbose, ALL_ROUNDS)
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
