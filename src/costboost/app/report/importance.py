"""What each feature is worth on held-out rows: the money that is lost if its values are shuffled.

The shares of features in the gain of training flatter columns of many values, in which noise finds
splits by chance. Shuffling a column of rows that were not trained on takes away what the model
really gets from it, and what is lost is the difference of the costs of two sets of decisions.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from costboost._core.arrays import Indices
from costboost._core.baselines import Difference, interval
from costboost._core.names import COST_NAMES
from costboost.app.report.numbers import (
    SeveralClassPredictions,
    TwoClassPredictions,
    boosting_of,
    predict_classes,
    takes_costs,
)
from costboost.decisions.wrapping import take
from costboost.metrics.checks import Floats

MOST_ROWS = 2000
"""Rows whose decisions are made again, drawn at random if there are more."""
MOST_FEATURES = 40
"""Features that are measured, those with the greatest gain in training if there are more."""
SHUFFLES = 3
"""Shuffles of each feature, over which the money is averaged."""

SEED = 0
"""Seed of the shuffles where none is given: the same rows have the same importances."""


class Importance(NamedTuple):
    """What rows cost more if the values of a feature are shuffled among them."""

    features: Indices
    """The measured features, the most important one first."""
    lost: list[Difference]
    """Total over all held-out rows, with its 95% interval, for each of them."""
    n_rows: int
    """Number of rows that were measured, from which that of all is estimated."""
    n_used: int
    """Number of features that the model uses; the others are worth nothing."""


def worth_to_two(model: Any, X: Any, rows: TwoClassPredictions, random_state: Any) -> Importance:
    """Importance of the features for the decisions of a model of two classes."""
    random = check_random_state(SEED if random_state is None else random_state)
    chosen = _chosen(rows.rows.size, random)
    money, truth = (rows.weight * rows.cost)[chosen], rows.positive[chosen]
    costs = [cost[chosen] if np.ndim(cost) else cost for cost in (rows.fn_cost, rows.fp_cost)]
    decider, given = model, {}
    if rows.limit is not None:
        decider, given = boosting_of(model), dict(zip(COST_NAMES, (*costs, 0.0, 0.0), strict=True))

    def paid(part: Any) -> Floats:
        predicted = decider.predict(part, **given) == rows.label
        return np.asarray(np.where(predicted != truth, money, 0.0))

    scale = float(rows.weight.sum() / rows.weight[chosen].sum())
    part = take(X, rows.rows[chosen])
    return _measured(boosting_of(model), paid, part, chosen.size, scale, random)


def worth_to_several(
    model: Any, X: Any, rows: SeveralClassPredictions, random_state: Any
) -> Importance:
    """Importance of the features for the decisions of a model of several classes."""
    random = check_random_state(SEED if random_state is None else random_state)
    chosen = _chosen(rows.rows.size, random)
    matrix = rows.matrix if takes_costs(model) else None
    weight, truth = rows.weight[chosen], rows.truth[chosen]

    def paid(part: Any) -> Floats:
        code = predict_classes(model, part, matrix).code
        return np.asarray(weight * rows.matrix[truth, code])

    scale = float(rows.weight.sum() / weight.sum())
    return _measured(model, paid, take(X, rows.rows[chosen]), chosen.size, scale, random)


def _chosen(n_rows: int, random: np.random.RandomState) -> Indices:
    """All rows, or as many as are measured."""
    if n_rows <= MOST_ROWS:
        return np.arange(n_rows)
    return np.sort(random.choice(n_rows, MOST_ROWS, replace=False))


def _measured(
    model: Any, paid: Callable[[Any], Floats], X: Any, n: int, scale: float, random: Any
) -> Importance:
    """Importances, given what each of n rows costs by its decision, times a scale."""
    used = used_features(model)
    features = used[:MOST_FEATURES]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they were given when these rows were predicted
        before = paid(X)
        lost = []
        for j in features.tolist():
            orders = [random.permutation(n) for _ in range(SHUFFLES)]
            after = np.mean([paid(with_shuffled(X, j, order)) for order in orders], axis=0)
            lost.append(Difference(*(scale * money for money in interval(after - before))))
    order = sorted(range(len(lost)), key=lambda k: -lost[k].money)
    return Importance(features[order], [lost[k] for k in order], n, used.size)


def used_features(model: Any) -> Indices:
    """Features that a model uses, those of the greatest gain first; all if that is not known."""
    one = getattr(model, "estimators_", [model])[0]
    if not hasattr(getattr(one, "ensemble_", None), "importances"):
        return np.arange(model.n_features_in_)
    try:
        gain = np.asarray(model.feature_importances_)
    except AttributeError:  # scikit-learn's learners without importances
        return np.arange(model.n_features_in_)
    order = np.argsort(-gain, kind="stable")
    return np.asarray(order[gain[order] > 0], dtype=np.intp)


def with_shuffled(X: Any, j: int, order: Indices) -> Any:
    """The rows with the values of column j in another order; X is not changed."""
    if hasattr(X, "iloc"):
        frame = X.copy()
        frame.isetitem(j, X.iloc[order, j].array)
        return frame
    if hasattr(X, "tocsc"):
        columns = X.tocsc(copy=True).tolil()
        columns[:, j] = X.tocsc()[:, [j]].toarray()[order]
        return columns.tocsr()
    if hasattr(X, "set_column"):  # pyarrow
        return X.set_column(j, X.field(j), X.column(j).take(order))
    if hasattr(X, "replace_column"):  # polars
        return X.clone().replace_column(j, X.to_series(j).gather(order))
    values = X.copy()
    values[:, j] = X[order, j]
    return values
