"""Classifier that meets a goal at least cost, on held-out rows or with a guarantee.

A guarantee states the confidence with which the operating point meets the goal on the population.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from math import ceil, log
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, bdtrc, ndtri
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from costboost._core.arithmetic import expit
from costboost._core.arrays import Indices
from costboost._core.costs import Costs, known_costs
from costboost._core.docstrings import sharing
from costboost._core.model.log_odds import threshold_log_odds
from costboost._core.model.threshold import signed
from costboost._core.wording import amount
from costboost.classifiers.checks import costs_of_fit
from costboost.decisions.goals import (
    Goal,
    HeldOut,
    Points,
    PointSearch,
    check_goal,
    fold_values,
    interval,
)
from costboost.decisions.wrapping import (
    SHARED,
    CostPredictions,
    FoldedData,
    check_estimator,
    check_grid,
    clone_for_costs,
    has_cost_parameters,
    positive_score,
    predicted_positive,
    read_data,
)
from costboost.metrics.checks import Floats

# ---- p-values of goals on the population, which guarantees are made of ---------------------------

LARGEST_BET = 0.75
"""Largest bet, as a share of the bet that could lose the whole capital in one row."""


def rate_pvalues(against: Any, n: Any, share: float) -> Floats:
    """P-values of "at least this share of rows count against the goal", from so many of n rows.

    The probability of at most ``against`` successes of a binomial distribution; 1 where n is 0.
    """
    against, n = np.broadcast_arrays(np.asarray(against, float), np.asarray(n, float))
    if share >= 1:
        return np.where(against < n, 0.0, 1.0)
    return np.where(n > 0, bdtr(np.minimum(against, n), n.astype(np.int64), share), 1.0)


def precision_pvalues(hits: Any, n: Any, at_least: float) -> Floats:
    """P-values of "the precision is below ``at_least``", from the hits among n alarms.

    The probability of at least so many successes of a binomial distribution; 1 where n is 0.
    """
    hits, n = np.broadcast_arrays(np.asarray(hits, float), np.asarray(n, float))
    if at_least <= 0:
        return np.zeros(hits.shape)
    tail = bdtrc(np.maximum(hits - 1, 0), n.astype(np.int64), at_least)
    return np.where((n > 0) & (hits > 0), tail, 1.0)


def betting_pvalues(loss: Floats, at_most: float, level: float) -> Floats:
    r"""P-values of "the mean loss is above ``at_most``", from independent losses in [0, 1].

    A gambler bets on every row that its loss is below ``at_most``. If the mean is above it, the
    capital :math:`\prod_i (1 + \lambda_i (b - L_i))` exceeds :math:`1 / \alpha` at any time with
    probability :math:`\alpha` at most, whatever the distribution. The bets :math:`\lambda_i` depend
    on the rows before.

    Parameters
    ----------
    loss : array of shape (..., n_rows)
        Losses in random order.
    at_most : float
        The bound b.
    level : float
        The level at which the bets have the greatest power.

    References
    ----------
    Waudby-Smith, I. & Ramdas, A. (2024). Estimating means of bounded random variables by betting.
    Journal of the Royal Statistical Society B 86(1), 1-27.
    """
    if at_most >= 1:
        return np.zeros(loss.shape[:-1])
    n = loss.shape[-1]
    count = np.arange(1, n + 1) + 1.0  # and one row of mean 1/2 and variance 1/4 before the first
    mean = (0.5 + np.cumsum(loss, axis=-1)) / count
    variance = (0.25 + np.cumsum((loss - mean) ** 2, axis=-1)) / count
    before = np.concatenate([np.full((*loss.shape[:-1], 1), 0.25), variance[..., :-1]], axis=-1)
    bet = np.minimum(np.sqrt(2 * log(1 / level) / (n * before)), LARGEST_BET / (1 - at_most))
    capital = np.cumsum(np.log1p(bet * (at_most - loss)), axis=-1)
    greatest = np.maximum(capital.max(axis=-1, initial=0.0), 0.0)
    return np.asarray(np.exp(-greatest))


def first_passes(pvalues: Floats, level: float) -> int:
    """Number of hypotheses that fixed-sequence testing rejects: those before the first above."""
    above = np.flatnonzero(~(pvalues <= level))
    return int(above[0]) if above.size else int(pvalues.size)


# ---- numbers of rows that guarantees need --------------------------------------------------------


def rows_for_rate(share: float, level: float) -> int | None:
    """Fewest rows from which a rate of failures below ``share`` can be inferred, or None."""
    if share <= 0:
        return None
    return 1 if share >= 1 else max(1, ceil(log(level) / log(1 - share) - 1e-9))


def rows_for_cost(at_most: float, level: float) -> int | None:
    """Fewest rows without a loss from which a mean in [0, 1] can be bounded, or None."""
    if at_most <= 0:
        return None
    n = 1
    while betting_pvalues(np.zeros(n), at_most, level) > level:
        n += max(1, n // 50)
    return n


# ---- guarantees ----------------------------------------------------------------------------------

ORDERING = 0.2
"""Share of the held-out rows that order the thresholds of a fixed sequence; the others test."""
LONGEST = 200
"""Most thresholds of a fixed sequence whose costs are tested."""


def search_guaranteed(clf: Any, data: FoldedData, goal: Goal) -> PointSearch:
    """Thresholds, and which of them meet the goal on the population with its confidence.

    The classifier of all points is the one that was trained without the held-out rows.
    """
    weight = data.held.weight
    if not np.all(weight == weight[0]):
        raise ValueError(
            "a guarantee is about rows drawn at random, each of which counts once: sample_weight "
            "must be the same for all rows whose weight is not 0"
        )
    model, score = data.fitted_on_split(clone(clf.estimator))
    held = replace(data.held, weight=np.ones(score.size), rows_per_weight=1.0)
    order = check_random_state(clf.random_state).permutation(score.size)
    counts = data.weight > 0
    right = None if data.right is None else data.right[counts]
    span = cost_span(data.cost[counts], right)
    points = _GUARANTEES[goal.name](goal, held, score, order, span)
    return PointSearch(points, lambda k: score > points.at[k], lambda k: model)


Span = tuple[float, float]
"""Least and greatest cost of a row."""


def cost_span(cost: Floats, right: Floats | None) -> Span:
    """Least and greatest cost that a prediction can have on any of the rows.

    From the net costs of errors, and the costs of right predictions if they cost anything.
    """
    rights = np.zeros(cost.size) if right is None else right
    possible = np.concatenate([rights, rights + cost])
    return float(possible.min()), float(possible.max())


def guarantee_rate(
    goal: Goal, held: HeldOut, score: Floats, order: Indices, span: Span | None = None
) -> Points:
    """All thresholds, of which those are allowed that pass the binomial test of recall or fpr.

    A rate of one class is monotone in the threshold: if the extreme threshold that passes meets the
    goal, so do all beyond it. Any of them may be taken, such as the cheapest.
    """
    thresholds, outcomes = held.thresholded(score)
    of_class = "positive" if goal.name == "recall" else "negative"
    n = int(outcomes.positives if goal.name == "recall" else outcomes.negatives)
    found = outcomes.hits if goal.name == "recall" else outcomes.alarms
    sides = []
    if goal.at_least is not None:
        sides.append((1 - goal.at_least, n - found))
    if goal.at_most is not None:
        sides.append((goal.at_most, found))
    level = goal.level / len(sides)
    allowed = np.ones(thresholds.size, dtype=bool)
    for share, against in sides:
        _check_enough(goal, n, rows_for_rate(share, level), f"held-out {of_class} rows")
        allowed &= rate_pvalues(against, n, share) <= level
    if not allowed.any():
        raise ValueError(
            f"{goal}, cannot be guaranteed by {n} held-out {of_class} rows, since the range is too "
            "narrow; widen it or hold out more rows"
        )
    return Points("threshold", thresholds, outcomes, allowed)


def guarantee_precision(
    goal: Goal, held: HeldOut, score: Floats, order: Indices, span: Span | None = None
) -> Points:
    """Thresholds in a fixed sequence, of which those before the first failure are allowed.

    The sequence leads from the threshold with the most evidence for the goal to the cheapest one.
    """
    assert goal.at_least is not None
    at_least, level = goal.at_least, goal.level
    first, rest = _ordering_and_testing(held, order)
    _check_enough(
        goal, rest.size, rows_for_rate(1 - at_least, level), "rows to test", first.size + rest.size
    )
    at, seen = held.take(first).thresholded(score[first])
    at, seen = at[:-1], seen.take(slice(0, -1))  # at the last one, no row is predicted positive
    evidence = (seen.hits - at_least * seen.predicted_positive) / np.sqrt(
        seen.predicted_positive + 1
    )
    start, cheapest = int(np.argmax(evidence)), int(np.argmin(seen.cost))
    step = 1 if start <= cheapest else -1
    walk = np.arange(start, cheapest + step, step)
    others = np.setdiff1d(np.arange(at.size), walk)
    sequence = np.concatenate([walk, others[np.argsort(seen.cost[others], kind="stable")]])
    tested = held.take(rest).above(score[rest], at[sequence])
    pvalues = precision_pvalues(tested.hits, tested.predicted_positive, at_least)
    return _sequence_points(goal, held, score, at, sequence, pvalues, rest.size)


def guarantee_cost(
    goal: Goal, held: HeldOut, score: Floats, order: Indices, span: Span | None = None
) -> Points:
    """Thresholds in the order of their cost, of which those before the first failure are allowed.

    The bound is that of betting on losses in the span, by default that of the held-out rows.
    """
    assert goal.at_most is not None
    least, greatest = cost_span(held.cost, held.right) if span is None else span
    level, width = goal.level, greatest - least
    first, rest = _ordering_and_testing(held, order)
    at_most = (goal.at_most - least) / width
    _check_enough(
        goal, rest.size, rows_for_cost(at_most, level), "rows to test", first.size + rest.size
    )
    at, seen = held.take(first).thresholded(score[first])
    sequence = np.argsort(seen.cost, kind="stable")[:LONGEST]
    wrong = (score[rest] > at[sequence, None]) != held.positive[rest]
    right = 0.0 if held.right is None else held.right[rest]
    loss = (right + wrong * held.cost[rest] - least) / width
    pvalues = betting_pvalues(np.clip(loss, 0.0, 1.0), at_most, level)
    return _sequence_points(goal, held, score, at, sequence, pvalues, rest.size)


_GUARANTEES: dict[str, Callable[[Goal, HeldOut, Floats, Indices, Span | None], Points]] = {
    "recall": guarantee_rate,
    "precision": guarantee_precision,
    "fpr": guarantee_rate,
    "cost": guarantee_cost,
}
"""Guarantees by the values of the parameter ``target``."""


def _ordering_and_testing(held: HeldOut, order: Indices) -> tuple[Indices, Indices]:
    """Held-out rows that order thresholds, and those that test them."""
    n = max(1, round(ORDERING * order.size))
    return order[:n], order[n:]


def _check_enough(goal: Goal, n: int, needed: int | None, what: str, n_held: int = 0) -> None:
    """Raise ValueError if the rows could not guarantee the goal even without an error."""
    if needed is None:
        raise ValueError(f"{goal}, cannot be guaranteed by any number of rows")
    if n >= needed:
        return
    if n_held:  # some of the held-out rows do not test
        n, needed, what = n_held, ceil(needed / (1 - ORDERING)), "held-out rows"
    raise ValueError(
        f"{goal}, needs at least {needed} {what}, but there are {n}; bring more rows, hold out a "
        "greater share of them by cv=, or take a lower goal or guarantee"
    )


def _sequence_points(
    goal: Goal,
    held: HeldOut,
    score: Floats,
    at: Floats,
    sequence: Indices,
    pvalues: Floats,
    n_tested: int,
) -> Points:
    """Points of the thresholds, of which the first ones of the sequence are allowed."""
    allowed = np.zeros(at.size, dtype=bool)
    allowed[sequence[: first_passes(pvalues, goal.level)]] = True
    points = Points("threshold", at, held.above(score, at), allowed)
    if not allowed.any():
        raise ValueError(_not_proven(goal, points, int(sequence[0]), n_tested, held.positive.size))
    return points


def _not_proven(goal: Goal, points: Points, k: int, n_tested: int, n_held: int) -> str:
    """Message for a goal that the first threshold of a sequence does not meet surely enough."""
    reached = float(goal.target.value(points.outcomes)[k])
    text = (
        f"{goal}, is not proven by the {n_tested} rows that test it: the best {goal.target.name} "
        f"is {amount(reached)} ({points.describe(k)})"
    )
    low, high = (float(end[k]) for end in goal.target.bounds(points.outcomes, 1.0))
    least, most = goal.range
    beyond = reached - least if goal.at_most is None else most - reached
    error = (high - low) / 2
    if beyond > 0:
        needed = n_held * (-float(ndtri(goal.level)) * error / beyond) ** 2 / (1 - ORDERING)
        return f"{text}; about {max(needed, n_held + 1):.0f} held-out rows might do"
    return f"{text}; take another goal"


# ---- the classifier ------------------------------------------------------------------------------


@sharing(SHARED)
@dataclass(eq=False, repr=False)
class OperatingPointClassifier(CostPredictions, ClassifierMixin, BaseEstimator):
    r"""Classifier that meets a goal, such as a recall of at least 0.95, at least cost.

    .. math::

        \min_\theta\ \text{mean cost}(\theta) \quad \text{such that} \quad
        \text{recall}(\theta) \ge 0.95

    where :math:`\theta` is the threshold on the probability, or the cost ratio that the classifier
    is trained for. Both are searched on rows held out by cross-validation, pooled over the folds;
    then the classifier is trained on all rows. If the goal cannot be met, `fit` raises a ValueError
    with the best value that can.

    Use it if the requirement is a rate and not a cost: a share of the sick that must be found, or a
    share of the alarms that must be true. If both costs are known and there is no such requirement,
    no search is needed: decide by the costs, as `CostBoostClassifier` and all calibrated
    classifiers do.

    The goal is met on the held-out rows. On other rows the value will be a little above or below
    it, about equally often; with a ``margin`` the goal holds more often. With a ``guarantee`` it
    holds on the population that the rows were drawn from, with that confidence.

    Parameters
    ----------
    estimator : classifier
        Any scikit-learn classifier for two classes, also a pipeline.
    target : {"recall", "precision", "fpr", "cost"}, default="recall"
        The measure that the goal is set for: the share of the positive rows that are predicted
        positive, the share of the rows predicted positive that are positive, the share of the
        negative rows that are predicted positive, or the mean cost of a row.
    at_least, at_most : float, default=None
        The goal. Rates are from 0 to 1. With both, the value must lie in between.
    method : {"auto", "threshold", "refit"}, default="auto"
        "threshold" moves the threshold on ``predict_proba``, or on ``decision_function`` if there
        are no probabilities, and trains the classifier once for each fold and once on all rows.
        "refit" keeps the classifier's own decision and trains it for each of ``fn_costs``. "auto"
        takes the threshold where the classifier has scores.
    fn_cost, fp_cost : float, default=1.0
        Cost of a false negative (miss) and of a false positive (false alarm). Of all points that
        meet the goal, the cheapest is taken. `fit` takes arrays with one cost for each row.
    tp_cost, tn_cost : float, default=0.0
        Cost of a true positive and of a true negative; a gain is a negative cost. They change
        ``cost_`` and a goal for the cost; points are compared by ``fn_cost - tp_cost`` and
        ``fp_cost - tn_cost``, and "refit" trains for these net costs.
    costs : Costs, default=None
        All costs in one record, instead of the four.
    fn_costs : array, default=None
        Values of the classifier's ``fn_cost`` that "refit" tries; its ``fp_cost`` is ``fp_cost``
        throughout. By default 19 ratios from 1/1000 to 1000, and the true one.
    margin : float, default=0.0
        Number of standard errors by which the goal must be met.
    guarantee : float, default=None
        Confidence, such as 0.95, with which the goal must hold on the population: of 100 fits on
        other rows, 95 at least meet it there. One share of the rows is held out, the point is
        chosen on it, and the classifier is not trained on it afterwards. See the notes.
    {pos_label}
    cv : int, float, splitter or iterable of splits, default=None
        A number of stratified folds, which are shuffled, or the folds themselves; 5 by default.
        With repeated folds, every row counts as often as it is held out. With a guarantee, the
        share of the rows that are held out, drawn at random, or a splitter with one split; by
        default a third, or all rows for a classifier in a ``FrozenEstimator``.
    {folds}

    Attributes
    ----------
    threshold_ : float
        Rows whose score is above it are predicted positive. With "threshold" only.
    fn_cost_, fp_cost_ : float
        The costs that the classifier is trained for. With "refit" only.
    achieved_ : float
        Value of the target on the held-out rows of all folds.
    interval_ : tuple of two floats
        95% interval of the target: ``achieved_`` plus and minus Student's t times the standard
        error of the mean over the folds, cut to the possible range. With a guarantee, the range
        that is guaranteed.
    fold_values_ : array of shape (n_folds,)
        Value of the target in each fold, NaN where it is not defined.
    cost_ : float
        Mean cost of a held-out row.
    measures_ : dict
        Recall, precision, fpr and cost on the held-out rows.
    cv_results_ : dict of arrays
        Recall, precision, fpr and cost for every threshold, or for every training cost.
    method_ : str
        "threshold" or "refit".
    estimator_ : classifier
        Trained on all rows; with a guarantee, on those that are not held out.
    {two_classes}
    {features}

    Notes
    -----
    All thresholds halfway between two neighbouring scores of held-out rows are tried. Of equally
    cheap points, the one that meets the goal by the most is taken.

    The margin is counted in standard errors of the rows, not of the folds: the goal must be met by
    the Wilson score bound at z = ``margin`` for a rate, and by the mean plus ``margin`` standard
    errors for a cost. With sample weights, the number of rows is the effective sample size
    :math:`(\sum w)^2 / \sum w^2`.

    A guarantee assumes that the held-out rows and those to be predicted are independent draws from
    one population; it is void after a drift, or if rows belong together. It is exact in finite
    samples and does not need good probabilities. For recall and fpr the thresholds are those that
    pass a binomial test on the rows of the class; since the rate is monotone in the threshold, the
    cheapest of them may be taken. For precision and cost, a fifth of the held-out rows puts the
    thresholds into a sequence, the others test one after the other, and the cheapest threshold
    before the first failure is taken: fixed-sequence testing, by binomial tails for a precision, by
    betting bounds for a cost. A mean cost is bounded with the least and the greatest cost among the
    rows of `fit`, which are assumed to be those of the population. Rows of different
    ``sample_weight`` are refused. If a class has no more than some hundred held-out rows, the price
    of a guarantee in mean cost is considerable.

    References
    ----------
    Angelopoulos, A. N., Bates, S., Candes, E. J., Jordan, M. I. & Lei, L. (2021). Learn then test:
    calibrating predictive algorithms to achieve risk control. arXiv 2110.01052.

    Masnadi-Shirazi, H. & Vasconcelos, N. (2007). Cost-sensitive boosting. Technical report
    SVCL-TR 2007/06, UCSD; section 2.2.

    Nyga, D. (2010). Ensemble learning for classification of imbalanced data. Master's thesis,
    TU Muenchen; section 3.3.

    Waudby-Smith, I. & Ramdas, A. (2024). Estimating means of bounded random variables by betting.
    Journal of the Royal Statistical Society B 86(1), 1-27.

    Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference.
    Journal of the American Statistical Association 22(158), 209-212.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from costboost import OperatingPointClassifier
    >>> from costboost.algorithms import AdaMECClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)  # 0 is malignant
    >>> clf = OperatingPointClassifier(
    ...     AdaMECClassifier(pos_label=0, n_estimators=50), at_least=0.99, random_state=0
    ... ).fit(X, y)
    >>> print(f"recall {clf.achieved_:.3f}, precision {clf.measures_['precision']:.3f}")
    recall 0.991, precision 0.854
    >>> clf.set_params(at_least=0.95, guarantee=0.95, cv=0.5).fit(X, y).method_
    'threshold'
    """

    _inner: ClassVar[str] = "estimator_"

    estimator: Any
    _: KW_ONLY
    target: str = "recall"
    at_least: float | None = None
    at_most: float | None = None
    method: str = "auto"
    fn_cost: float = 1.0
    fp_cost: float = 1.0
    tp_cost: float = 0.0
    tn_cost: float = 0.0
    costs: Any = None
    fn_costs: Any = None
    margin: float = 0.0
    guarantee: float | None = None
    pos_label: Any = None
    cv: Any = None
    random_state: Any = None
    n_jobs: int | None = None

    @sharing(SHARED)
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        fn_cost: Any = None,
        fp_cost: Any = None,
        tp_cost: Any = None,
        tn_cost: Any = None,
        groups: Any = None,
        costs: Any = None,
    ) -> Self:
        """Find the operating point on held-out rows, and train on all rows.

        With a guarantee, the held-out rows stay untrained.

        Parameters
        ----------
        {labelled_rows}
        sample_weight : array of shape (n_samples,), optional
            How often each row counts, in training and in the goal.
        fn_cost, fp_cost, tp_cost, tn_cost : number or array of shape (n_samples,), optional
            Costs instead of those of the constructor; arrays give each row its own. Points are
            compared by them; the estimator gets them only if it requests them by metadata routing.
        {groups}
        costs : Costs, optional
            All costs in one record, instead of the four.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If the goal cannot be met; the message has the best value that can, or the number of
            rows that a guarantee needs.
        """
        check_estimator(self.estimator)
        goal, method = check_goal(self), check_method(self)
        known = costs_of_fit(self, known_costs(costs, fn_cost, fp_cost, tp_cost, tn_cost))
        data = read_data(self, X, y, sample_weight, known, groups, costs)
        if goal.guarantee is None:
            search = SEARCHES[method](self, data)
        else:
            search = search_guaranteed(self, data, goal)
        chosen = search.points.choose(goal)
        fitted = search.fitted(chosen)

        self.estimator_, self.classes_, self.method_ = fitted, data.classes, method
        self._goal, self._points, self._label = goal, search.points, data.label
        self._costs = data.mean_costs
        self._keep(chosen)
        self.fold_values_ = fold_values(data.held, search.predicted(chosen), goal.target)
        least = -np.inf if goal.name == "cost" and data.right is not None else 0.0
        self.interval_ = interval(self.achieved_, self.fold_values_, goal.target.most, least)
        if goal.guarantee is not None:
            self.interval_ = goal.range if least == 0 else (least, goal.range[1])
        self._remember_features()
        if search.points.is_trivial(chosen):
            warnings.warn(
                f"the cheapest way to meet the goal, {goal}, gives every row the same prediction "
                f"({search.points.describe(chosen)})",
                UserWarning,
                stacklevel=2,
            )
        return self

    def _keep(self, chosen: int) -> None:
        """Set the fitted attributes of the chosen point."""
        for name in ("threshold_", "fn_cost_", "fp_cost_"):
            self.__dict__.pop(name, None)
        at = float(self._points.at[chosen])
        if self.method_ == "threshold":
            self.threshold_ = at
        else:
            self.fn_cost_, self.fp_cost_ = at, self._costs.net.fp
        found = self._points.outcomes.measures()
        self.measures_ = {name: float(values[chosen]) for name, values in found.items()}
        self.achieved_, self.cost_ = self.measures_[self.target], self.measures_["cost"]

    @property
    def cv_results_(self) -> dict[str, NDArray[np.float64]]:
        """All points, with their recall, precision, fpr and cost on the held-out rows."""
        check_is_fitted(self)
        name = "threshold" if self.method_ == "threshold" else "fn_cost"
        return {name: self._points.at, **self._points.outcomes.measures()}

    @property
    def decides_by_cost(self) -> bool:
        """Always False: an operating point is chosen for all rows together."""
        return False

    def _predictions(self, X: Any, given: dict[str, Any]) -> NDArray[Any]:
        estimator = self._fitted()
        if self.method_ == "refit":
            self._refuse_costs(given)
            return np.asarray(estimator.predict(X))
        return super()._predictions(X, given)

    def _can_score(self) -> bool:
        """Whether there is a score to compare with the operating point."""
        inner = getattr(self, "estimator_", self.estimator)
        if getattr(self, "method_", self.method) != "refit" and hasattr(inner, "predict_proba"):
            return True
        return super()._can_score()

    def _scores(self, X: Any, given: dict[str, Any]) -> NDArray[Any]:
        """Score minus the threshold, or minus both where the positive class is the first one."""
        estimator = self._fitted()
        if self.method_ == "refit":
            self._refuse_costs(given)
            return np.asarray(estimator.decision_function(X))
        score, threshold = self._threshold(X, given)
        far = score - threshold if np.isfinite(threshold) else expit(score) - (threshold > 0)
        return signed(
            far if self.classes_[1] == self._label else -far, self._second(score, threshold)
        )

    def _threshold(self, X: Any, given: dict[str, Any]) -> tuple[Floats, float]:
        """Score of each row for the positive class, and the threshold."""
        return positive_score(self._fitted(), X, self._label), self._at(given)

    def _at(self, given: dict[str, Any]) -> float:
        """The threshold, under other costs if they are given."""
        if not given:
            return self.threshold_
        points = self._under(given)
        return float(points.at[points.choose(self._goal)])

    def _limits(self, X: Any, given: dict[str, Any]) -> Any:
        if self.method_ == "refit":
            self._refuse_costs(given)
            return None
        return threshold_log_odds(self._at(given))

    def _second(self, score: Floats, threshold: float) -> NDArray[np.bool_]:
        """Whether each row is predicted to be of the second class."""
        return np.asarray((score > threshold) == (self.classes_[1] == self._label))

    def _refuse_costs(self, given: dict[str, Any]) -> None:
        if given:
            raise ValueError(
                "other costs need another fit with method='refit'; take method='threshold'"
            )

    def _under(self, given: dict[str, Any]) -> Points:
        """Operating points under other costs."""
        if self._goal.guarantee is not None and self._goal.name == "cost":
            raise ValueError(
                "a mean cost is guaranteed under the costs of fit alone; fit again for others"
            )
        if any(np.ndim(cost) for cost in given.values()):
            raise ValueError(
                "fn_cost and fp_cost must be numbers here: one threshold applies to all rows. To "
                "decide by costs of rows, call predict of estimator_"
            )
        positive = int(self.classes_[1] == self._label)
        costs = self._costs.with_given(given, 1, self.classes_, positive)
        outcomes = self._points.outcomes.under(*costs.net, costs.right)
        return replace(self._points, outcomes=outcomes)


def goal_of(clf: OperatingPointClassifier) -> Goal:
    """The goal that a fitted classifier was given."""
    goal: Goal = clf._goal
    return goal


def costs_of(clf: OperatingPointClassifier) -> Costs:
    """Costs that a goal was set for, each the mean over the class that it applies to."""
    costs: Costs = clf._costs
    return costs


# ---- searches for the operating point ------------------------------------------------------------

RATIOS = np.geomspace(1e-3, 1e3, 19)
"""Default ratios of the training costs that are tried."""


def search_thresholds(clf: Any, data: FoldedData) -> PointSearch:
    """Try every threshold on the scores of held-out rows."""
    (score,) = data.out_of_fold([clf.estimator], positive_score, clf.n_jobs)
    thresholds, outcomes = data.held.thresholded(score)
    return PointSearch(
        Points("threshold", thresholds, outcomes),
        lambda k: score > thresholds[k],
        lambda k: data.fitted(clone(clf.estimator)),
    )


def search_training_costs(clf: Any, data: FoldedData) -> PointSearch:
    """Try a classifier for each training cost, with its own decision."""
    data.refuse_dominance()
    net = data.mean_costs.net
    grid = check_grid(clf.fn_costs, np.append(RATIOS * net.fp, net.fn))
    data = data.without_costs()

    def model(k: int) -> Any:
        return clone_for_costs(clf.estimator, float(grid[k]), net.fp, data.stated)

    models = [model(k) for k in range(grid.size)]
    predicted = data.out_of_fold(models, predicted_positive, clf.n_jobs)
    points = Points("training fn_cost", grid, data.held.decided(predicted))
    return PointSearch(points, lambda k: np.asarray(predicted[k]), lambda k: data.fitted(model(k)))


SEARCHES: dict[str, Callable[[Any, FoldedData], PointSearch]] = {
    "threshold": search_thresholds,
    "refit": search_training_costs,
}
"""Searches by the values of the parameter ``method``."""


def check_method(clf: Any) -> str:
    """Validate the parameter ``method``, and replace "auto" by the search to be made."""
    if clf.method not in ("auto", *SEARCHES):
        words = ", ".join(map(repr, ("auto", *SEARCHES)))
        raise ValueError(f"method must be one of {words}, got {clf.method!r}")
    scores = any(hasattr(clf.estimator, name) for name in ("predict_proba", "decision_function"))
    method = clf.method
    if method == "auto":
        method = "threshold" if scores else "refit"
    lacks = None
    if method == "threshold" and not scores:
        lacks = "neither predict_proba nor decision_function, so that it has no threshold to move"
    if method == "refit" and not has_cost_parameters(clf.estimator):
        lacks = "no fn_cost and fp_cost, so that it cannot be trained for other costs"
    if lacks:
        raise ValueError(f"{type(clf.estimator).__name__} has {lacks}")
    if method == "refit" and clf.guarantee is not None:
        raise ValueError(
            "a guarantee is for a threshold: take method='threshold' and a classifier with "
            "predict_proba or decision_function"
        )
    return str(method)
