"""The methods for several classes, after Abe et al. (2004).

DSE, costing, average cost and MetaCost are ensembles of ordinary classifiers on weighted samples.
Iterative weighting, GBSE and Lp-CSB change importances from round to round.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, power
from costboost._core.arrays import Codes
from costboost._core.costs import least_expected
from costboost._core.parameters.decomposition import (
    ALPHA,
    FITS,
    SHARE,
    SHARE_OF_HYPOTHESIS,
    RelationalParameters,
)
from costboost._core.parameters.parameter import Between, Flag, OneOf, parameter
from costboost._core.tables import Table
from costboost._core.training.progress import LoggedRounds
from costboost.multiclass.base import (
    LastEnsemble,
    Learnt,
    MeanShares,
    MulticlassClassifier,
    RelationalShares,
    SamplingClassifier,
    average,
    averages,
    greatest,
    mixed,
    step,
    stochastic,
)
from costboost.multiclass.components import (
    SAMPLING,
    Component,
    FittedComponent,
    Problem,
    Sample,
    TreeRelations,
    WrappedRelations,
    rejected,
)
from costboost.multiclass.documented import method

# ---- ensembles of ordinary classifiers: DSE, costing, average cost -------------------------------

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
        X = table.matrix(reads)
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


@method
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


@method
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


@method
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


@method
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

    n_estimators: int = parameter(30, FITS, "Fits of the ensemble that estimates probabilities.")
    max_samples: float = parameter(
        2 / 3, SHARE, "Share of the rows that each fit of the ensemble uses."
    )
    bootstrap: bool = parameter(
        False,
        Flag(),
        "Draw the samples with replacement, as Domingos does; Abe et al. draw without.",
    )
    relabel: bool = parameter(
        True,
        Flag(),
        """Fit one classifier to the labels of least expected cost. False decides by the ensemble's
        own probabilities for every row to be predicted (BagCost), after which `predict` takes
        another ``cost_matrix``.""",
    )

    def _learn(self, table: Table, problem: Problem, classes: NDArray[Any], verbose: int) -> Learnt:
        reads = self._reader(table)
        X = table.matrix(reads)
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
            costs = [problem.mean_cost(X.mapped(final.codes))]
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


# ---- iterative methods ---------------------------------------------------------------------------


# ---- iterative weighting -------------------------------------------------------------------------


WEIGHTLESS = "no row has any importance left"


@method
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
    reference: ClassVar[str] = ABE_2004

    n_estimators: int = parameter(
        30, FITS, "Rounds of weighting; the ensemble of the last round predicts."
    )
    n_costing: int = parameter(
        10,
        FITS,
        """Fits of the costing ensemble that each round consists of; one with
        ``sampling="weight"``.""",
    )
    alpha: float | None = parameter(None, ALPHA, SHARE_OF_HYPOTHESIS)

    def _learn(self, table: Table, problem: Problem, classes: NDArray[Any], verbose: int) -> Learnt:
        reads, drawn = self._reader(table), self._draws()
        X = table.matrix(reads)
        component = self._component(X, problem.n_classes, not drawn)
        row = np.arange(problem.n_rows)
        importance = problem.cost.max(axis=1)
        ensembles: list[list[FittedComponent]] = []
        rows_used, costs, reason = 0, [], ALL_ROUNDS
        progress = LoggedRounds(self.n_estimators, verbose)
        for t, random in enumerate(self._randoms(self.n_estimators), 1):
            if not importance.any():
                reason = WEIGHTLESS
                break
            sample = Sample(row, problem.label, importance)

            def fit(source: RandomState, sample: Sample = sample) -> tuple[FittedComponent, int]:
                return fit_drawn(component, sample, drawn, self.max_samples, source)

            n_fits = self.n_costing if drawn else 1
            sources = [RandomState(number) for number in random.randint(2**31 - 1, size=n_fits)]
            fits = list(self._in_parallel(fit, sources, table))
            ensembles.append([member for member, _ in fits])
            rows_used += sum(n_rows for _, n_rows in fits)
            codes = greatest(average(ensembles[-1], X))
            importance = reweighed(importance, problem, codes, step(self.alpha, t))
            costs.append(problem.mean_cost(codes))
            progress(f"cost {costs[-1]:.4g}")
        progress.close(reason)
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


# ---- boosting of relations between rows and labels -----------------------------------------------


@dataclass(kw_only=True, eq=False, repr=False)
class RelationalClassifier(RelationalParameters, SamplingClassifier):
    """Base of the methods that boost hypotheses on pairs of row and label; not for use by itself.

    Each round weighs the pairs, positive for labels to be accepted, learns a hypothesis h(x, y),
    and mixes the labels it accepts into the shares H.
    """

    def _pair_weights(self, H: Floats, problem: Problem) -> Floats:
        """Weight of each pair at the shares H: above 0 for a label to be accepted."""
        raise NotImplementedError

    def _descends(self, H: Floats, f: Floats, problem: Problem) -> bool:
        """Whether moving the shares H towards f lowers the loss."""
        return True

    def _is_done(self, H: Floats, problem: Problem) -> bool:
        """Whether no loss is left at the shares H."""
        return False

    def _learn(self, table: Table, problem: Problem, classes: NDArray[Any], verbose: int) -> Learnt:
        k = problem.n_classes
        relations = self._relations(table, k)
        rows = relations.rows(table)
        H = np.full(problem.cost.shape, 1 / k)
        hypotheses: list[Any] = []
        rows_used, costs, reason = 0, [], ALL_ROUNDS
        progress = LoggedRounds(self.n_estimators, verbose)
        for random in self._randoms(self.n_estimators):
            weight = self._pair_weights(H, problem)
            if not np.any(weight > 0):
                reason = NOTHING_TO_GAIN
                break
            seen = SAMPLING[self.sampling](weight, self.max_samples, random)
            h = relations.find(rows, seen, random)
            accepted = relations.accepted(h, rows)
            if hypotheses and not self._descends(H, stochastic(accepted, H), problem):
                if self._draws():  # the next sample is another one
                    continue
                reason = NO_DESCENT
                break
            hypotheses.append(h)
            H = mixed(H, accepted, self.alpha, len(hypotheses))
            rows_used += int(np.count_nonzero(seen))
            costs.append(problem.mean_cost(greatest(H)))
            progress(f"cost {costs[-1]:.4g}")
            if self._is_done(H, problem):
                reason = NO_COST
                break
        progress.close(reason)
        return Learnt(
            shares=RelationalShares(relations, hypotheses, self.alpha, k),
            n_iter=len(hypotheses),
            rows_used=rows_used,
            stop_reason=reason,
            train_cost=np.array(costs),
        )

    def _relations(self, table: Table, n_classes: int) -> Any:
        if self._wraps():
            return WrappedRelations(self.estimator, n_classes, not self._draws())
        return TreeRelations(
            table,
            n_classes,
            self.max_depth,
            self.min_samples_leaf,
            bool(self.prune),
            self.categorical_features,
            self.n_jobs,
        )


NOTHING_TO_GAIN = "no label is cheaper than the ensemble on any training row"
NO_DESCENT = "no hypothesis was left that lowers the loss"
NO_COST = "the training rows have no cost left"


# ---- gradient boosting with stochastic ensembles (GBSE) ------------------------------------------

VARIANTS: dict[str, Callable[[Floats, int], Floats]] = {
    "gbse": lambda expected, k: expected,
    "gbse-t": lambda expected, k: expected / k,
}
"""The cost that a label has to beat, from the expected cost of the ensemble and k classes."""


@method
class GBSEClassifier(RelationalClassifier):
    """Gradient boosting with stochastic ensembles: the best of the methods of Abe et al.

    Every row is paired with every label. A pair is good if its label costs less than the expected
    cost of the ensemble H, and its weight is the difference of the two. A binary learner h is
    trained to separate good pairs from bad ones and is added to the ensemble::

        w(x, y) = E_{y' ~ H(x)} C(x, y') - C(x, y)       GBSE-T: the expectation divided by k
        h: learnt from ((x, y), [w >= 0]) with the weight |w|
        f(.|x) = uniform over the y with h(x, y) = 1, or H(.|x) if there are none
        H <- (1 - alpha) H + alpha f                     alpha = 1/t, or a constant

    It starts from H = 1/k and predicts the label of greatest H, which is not a probability of the
    class but a share of votes for the cheapest decision. For GBSE-T the training cost of H falls
    by a factor of exp(-gamma alpha / k) or better in each round, gamma being the edge of the
    learner over predicting every pair to be bad (Theorem 3).

    {advice}

    With ``calibration="dirichlet"`` the class of least expected cost is predicted, and costs can
    change after training.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Notes
    -----
    Abe et al. write C(y1, y2) for the cost of predicting y1 where y2 is true: the transpose of
    ``cost_matrix``. From the costs of a row its least cost is subtracted, and all are divided by
    the greatest difference: another unit, or a constant added to all costs of a row, changes only
    the rounding of the weights. With ``sampling="weight"`` the rounding may still decide between
    splits of a tree that are equally good.

    The built-in tree is grown by entropy and pruned, as C4.5 is. The label is one more categorical
    feature, of which any set can be split off; the pairs are never stored. A scikit-learn
    classifier gets the label as k columns of 0 and 1. It has to be able to learn interactions of
    label and features, which a linear model cannot.

    References
    ----------
    Abe, N., Zadrozny, B. & Langford, J. (2004). An iterative method for multi-class cost-sensitive
    learning. KDD, 3-11.

    Examples
    --------
    Each kind of mistake has its own cost.

    >>> import numpy as np
    >>> from sklearn.datasets import load_digits
    >>> from costboost.multiclass import GBSEClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> matrix = np.random.RandomState(0).uniform(0, 10, size=(10, 10))
    >>> np.fill_diagonal(matrix, 0)
    >>> for costs in (None, matrix):
    ...     clf = GBSEClassifier(cost_matrix=costs, random_state=0).fit(X[::2], y[::2])
    ...     print(f"{matrix[y[1::2], clf.predict(X[1::2])].mean():.2f}")
    0.39
    0.33
    """

    advice: ClassVar[str] = (
        "Take it where each row has costs of its own, and where mistakes among several classes "
        "cost very different amounts. Take `CostBoostClassifier`, one class against the rest, "
        "where the costs are a matrix and probabilities can be learnt: its costs are lower."
    )
    reference: ClassVar[str] = ABE_2004

    n_estimators: int = parameter(100, FITS, "Rounds of boosting; the paper takes 30.")
    variant: str = parameter(
        "gbse",
        OneOf(*VARIANTS),
        """The cost that a label has to beat: the expected cost of the ensemble, or 1/k of it, for
        which the bound of Theorem 3 (Abe et al. 2004) holds.""",
    )

    def _pair_weights(self, H: Floats, problem: Problem) -> Floats:
        expected = (H * problem.cost).sum(axis=1, keepdims=True)
        return VARIANTS[self.variant](expected, problem.n_classes) - problem.cost


# ---- boosting of p-norms (Lp-CSB) ----------------------------------------------------------------

LEAST_GAP, LEAST_LOSS = 1e-12, 1e-10
"""Shares of the greatest possible loss below which a gap, or the loss itself, is 0."""
MOST_P = 100
"""Greatest p; beyond it the weights of the first round, k^-p, would be 0 in floats."""


@method
class LpCSBClassifier(RelationalClassifier):
    """Lp-CSB: boosting of a p-norm of the costs, the successor of GBSE by its authors.

    The shares H of the labels minimise a loss that approaches the cost of the decision as p grows;
    with p = 1 it is the expected cost of a label drawn from H::

        J = sum over rows x and labels y of C(x, y) H(y|x)^p

    Every row is paired with every label. The label of least cost is to be accepted, with half of
    the weight of all others of its row, and the others are to be rejected, with the weight of the
    gradient of J; a binary learner h separates the two::

        G(x, y) = C(x, y) H(y|x)^(p - 1)
        weights of the pairs: G / 2 of a label to be rejected, their sum for the other one
        f(.|x) = uniform over the y with h(x, y) = 1, or H(.|x) if there are none
        H <- (1 - alpha) H + alpha f                     alpha = 1/t, or a constant

    It starts from H = 1/k and predicts the label of greatest H. A hypothesis along which J does not
    fall is not added, unless it is the first; with ``sampling="weight"`` training ends there.

    {advice}

    With ``calibration="dirichlet"`` the class of least expected cost is predicted, and costs can
    change after training.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Notes
    -----
    The paper was not available. The weights, the pairs and the average of hypotheses are those of
    the abstract and of the claims of the authors' patent US 8,275,721, in which the cost has the
    power 1. Where it is read as C^p, raise the costs to this power before training.

    From the costs of a row its least cost is subtracted, and all are divided by the greatest
    difference. Data space expansion is the case p = 1 with an exact learner.

    References
    ----------
    Lozano, A. C. & Abe, N. (2008). Multi-class cost-sensitive boosting with p-norm loss functions.
    KDD, 506-514.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_digits
    >>> from costboost.multiclass import LpCSBClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> matrix = np.random.RandomState(0).uniform(0, 10, size=(10, 10))
    >>> np.fill_diagonal(matrix, 0)
    >>> clf = LpCSBClassifier(cost_matrix=matrix, n_estimators=30, random_state=0)
    >>> print(f"{matrix[y[1::2], clf.fit(X[::2], y[::2]).predict(X[1::2])].mean():.2f}")
    0.34
    """

    advice: ClassVar[str] = (
        "Take it next to `GBSEClassifier`, to which it is close, where each row has costs of its "
        "own; take `CostBoostClassifier` where the costs are a matrix."
    )
    reference: ClassVar[str] = (
        "Lozano, A. C. & Abe, N. (2008). Multi-class cost-sensitive boosting with p-norm loss "
        "functions. KDD, 506-514."
    )

    p: float = parameter(
        2.0,
        Between(1, MOST_P),
        """The norm, at least 1. The greater it is, the more weight have costly labels that the
        ensemble accepts.""",
    )

    def _gradient(self, H: Floats, problem: Problem) -> Floats:
        """C H^(p - 1), the derivative of the loss in H divided by p."""
        return np.asarray(problem.cost * power(H, self.p - 1))

    def _pair_weights(self, H: Floats, problem: Problem) -> Floats:
        weight = -self._gradient(H, problem) / 2
        row = np.arange(problem.n_rows)
        weight[row, problem.label] = 0.0
        weight[row, problem.label] = -weight.sum(axis=1)
        return weight

    def _descends(self, H: Floats, f: Floats, problem: Problem) -> bool:
        gap = (self._gradient(H, problem) * (H - f)).sum()
        return bool(gap > LEAST_GAP * problem.cost.max(axis=1).sum())

    def _is_done(self, H: Floats, problem: Problem) -> bool:
        loss = (problem.cost * power(H, self.p)).sum()
        return bool(loss <= LEAST_LOSS * problem.cost.max(axis=1).sum())
