"""One classifier on one fold: trained on the one part, measured on the other."""

from __future__ import annotations

import warnings
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import brier_score_loss, precision_recall_fscore_support
from sklearn.utils.validation import has_fit_parameter

from costboost.comparing.estimates import MEASURES
from costboost.comparing.problems import Problem
from costboost.decisions.folds import Rows, Split, take
from costboost.decisions.training_costs import has_costs, paths, settings
from costboost.metrics import mean_cost
from costboost.metrics.predicting import decisions

Values = dict[str, float | None]


def trial(name: str, estimator: Any, problem: Problem, split: Split, with_costs: bool) -> Values:
    """Every measure on the held-out rows."""
    train, held = split
    with warnings.catch_warnings():
        # That some of those compared ignore the costs is what the comparison is to show.
        warnings.filterwarnings("ignore", message=".*ignores costs", category=UserWarning)
        begin = perf_counter()
        try:
            model, fit_params = _prepared(estimator, problem, train, with_costs)
            model.fit(take(problem.X, train), problem.y[train], **fit_params)
            said = _decisions(model, problem, held)
            seconds = perf_counter() - begin
            probability = _probability(model, problem, held)
        except Exception as error:
            raise ValueError(
                f"{name} failed on data set {problem.name!r}: {type(error).__name__}: {error}"
            ) from error
    return _measured(problem, held, said, probability) | {"seconds": seconds}


def _prepared(
    estimator: Any, problem: Problem, train: Rows, with_costs: bool
) -> tuple[Any, dict[str, Any]]:
    """The classifier as it is to be trained, and what its `fit` is to be given."""
    model = clone(estimator)
    if problem.matrix is not None:
        wanted = dict.fromkeys(paths(model, "cost_matrix") if with_costs else (), problem.matrix)
        return model.set_params(**wanted), {}
    label = dict.fromkeys(paths(model, "pos_label"), problem.label)
    if not with_costs:
        return model.set_params(**label), {}
    if has_costs(model):
        fn, fp = problem.mean_costs(train)
        model.set_params(**settings(model, fn, fp, None))
    costs = problem.costs(train) if problem.costs_of_rows else {}
    wanted = {key: _one_each(cost, train.size) for key, cost in costs.items() if _takes(model, key)}
    return model.set_params(**label), wanted


def _takes(model: Any, key: str) -> bool:
    """Whether `fit` takes it, or passes it on to somebody who has asked for it."""
    if has_fit_parameter(model, key):
        return True
    routing = getattr(model, "get_metadata_routing", None)
    try:
        return routing is not None and key in routing().consumes("fit", [key])
    except (AttributeError, TypeError, RuntimeError, NotImplementedError):
        return False


def _one_each(cost: Any, n_rows: int) -> Any:
    return cost if np.ndim(cost) else np.full(n_rows, cost)


def _decisions(model: Any, problem: Problem, held: Rows) -> Any:
    """`predict`, told the costs of the rows by those that can decide by them."""
    X = take(problem.X, held)
    if not problem.costs_of_rows:
        return np.asarray(model.predict(X))
    return np.asarray(decisions(model, X, **problem.costs(held), pos_label=problem.label))


def _probability(model: Any, problem: Problem, held: Rows) -> Any:
    if not hasattr(model, "predict_proba"):
        return None
    shares = np.asarray(model.predict_proba(take(problem.X, held)))
    if problem.matrix is not None:
        return shares
    return shares[:, int(np.flatnonzero(model.classes_ == problem.label)[0])]


def _measured(problem: Problem, held: Rows, said: Any, probability: Any) -> Values:
    accuracy = float(np.mean(said == problem.y[held]))
    return {"accuracy": accuracy} | (_of_two if problem.matrix is None else _of_several)(
        problem, held, said, probability
    )


def _of_several(problem: Problem, held: Rows, said: Any, probability: Any) -> Values:
    """What any number of classes has; Brier's score halved, so that with two it is the same."""
    assert problem.matrix is not None
    assert problem.classes is not None
    truth, code = (np.searchsorted(problem.classes, labels) for labels in (problem.y[held], said))
    brier = None
    if probability is not None:
        apart = probability - np.eye(len(problem.classes))[truth]
        brier = float((apart**2).sum(axis=1).mean() / 2)
    undefined = {name: None for name in MEASURES if name.endswith(("_positive", "_negative"))}
    return {"cost": float(problem.matrix[truth, code].mean()), "brier": brier, **undefined}


def _of_two(problem: Problem, held: Rows, said: Any, probability: Any) -> Values:
    truth = problem.positive[held]
    called = said == problem.label
    costs = problem.costs(held)
    values: Values = {
        "cost": mean_cost(truth.astype(int), called.astype(int), pos_label=1, **costs),
        "brier": None if probability is None else float(brier_score_loss(truth, probability)),
    }
    found = precision_recall_fscore_support(truth, called, labels=[True, False], zero_division=0.0)
    for key, pair in zip(("precision", "recall", "f1"), found, strict=False):
        values[f"{key}_positive"], values[f"{key}_negative"] = map(float, pair)
    return values
