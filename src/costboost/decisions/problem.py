"""What a user gives to `fit`, checked, and cut into folds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.utils import check_consistent_length
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import has_fit_parameter

from costboost.checks import refuse_unread
from costboost.classifiers.checks import check_costs, check_two_classes, check_weights
from costboost.classifiers.collapse import one_class_allowed
from costboost.decisions.folds import Split, held_out, make_splits, out_of_fold
from costboost.decisions.outcomes import Held
from costboost.decisions.training_costs import check_estimator, positive_label
from costboost.metrics.checks import Floats


@dataclass(frozen=True)
class Problem:
    """Rows with labels, and folds of them."""

    X: Any
    y: NDArray[Any]
    classes: NDArray[Any]
    label: Any
    """The positive one of the classes."""
    stated: Any
    """The same if somebody has said so, else None."""
    fn_cost: float
    fp_cost: float
    """Costs, averaged over the rows that they are for."""
    params: dict[str, Any]
    """What else the classifier wants to be fitted with, an entry for each row."""
    weight: Floats
    cost: Floats
    """What a mistake on the row costs."""
    splits: list[Split]
    held: Held

    @property
    def is_uniform(self) -> bool:
        """Whether all rows count the same, and all of a class cost the same."""
        of_class = np.where(self.y == self.label, self.fn_cost, self.fp_cost)
        return bool(np.all(self.weight == 1) and np.all(self.cost == of_class))

    def without_costs(self) -> Problem:
        """The same for a classifier that is trained for other costs than the true ones."""
        params = {k: v for k, v in self.params.items() if k not in ("fn_cost", "fp_cost")}
        return replace(self, params=params)

    def answers(
        self, models: Sequence[Any], answer: Callable[..., NDArray[Any]], n_jobs: int | None
    ) -> NDArray[Any]:
        """What models trained on the other folds say of each held-out row."""
        return out_of_fold(
            models, self.X, self.y, self.splits, self.params, About(answer, self.label), n_jobs
        )

    def fitted(self, model: Any) -> Any:
        """The model, trained on all rows; the point it operates at is looked at elsewhere."""
        with one_class_allowed():
            return model.fit(self.X, self.y, **self.params)


@dataclass(frozen=True)
class About:
    """An answer about the positive class; a record, since it travels to other processes."""

    answer: Callable[..., NDArray[Any]]
    label: Any

    def __call__(self, model: Any, X: Any) -> NDArray[Any]:
        return self.answer(model, X, self.label)


def read_problem(
    clf: Any, X: Any, y: Any, sample_weight: Any, fn_cost: Any, fp_cost: Any
) -> Problem:
    """Everything that `fit` was given."""
    check_estimator(clf.estimator)
    stated = positive_label(clf.estimator, clf.pos_label)
    classes, which = check_two_classes(y, stated)
    refuse_unread("X", X)
    check_consistent_length(X, y)
    n, positive = which.size, which.astype(bool)
    params = _routed(clf, n, sample_weight=sample_weight, fn_cost=fn_cost, fp_cost=fp_cost)
    weight = check_weights(sample_weight, n)
    weight = np.ones(n) if weight is None else weight
    costs = check_costs(
        clf.fn_cost if fn_cost is None else fn_cost, clf.fp_cost if fp_cost is None else fp_cost, n
    )
    splits = make_splits(clf.cv, X, positive, weight > 0, clf.random_state)
    cost = np.where(positive, costs.fn, costs.fp)
    return Problem(
        X,
        np.asarray(y).ravel(),
        classes,
        classes[1] if stated is None else classes[classes == stated][0],
        stated,
        _mean(costs.fn, positive, weight),
        _mean(costs.fp, ~positive, weight),
        params,
        weight,
        cost,
        splits,
        held_out(splits, positive, weight, cost),
    )


def _mean(cost: Any, rows: NDArray[np.bool_], weight: Floats) -> float:
    return float(np.average(cost[rows], weights=weight[rows]) if np.ndim(cost) else cost)


# ---- metadata ------------------------------------------------------------------------------------


def router(clf: Any) -> MetadataRouter:
    """Who gets what: a classifier around another one uses weights and costs, and passes them on."""
    mapping = MethodMapping().add(caller="fit", callee="fit")
    return (
        MetadataRouter(owner=clf)
        .add_self_request(clf)
        .add(estimator=clf.estimator, method_mapping=mapping)
    )


def _routed(clf: Any, n_rows: int, **given: Any) -> dict[str, Any]:
    """What the estimator is to be fitted with: what it asks for, or else the weights."""
    there = {name: _per_row(value, n_rows) for name, value in given.items() if value is not None}
    if get_config()["enable_metadata_routing"]:
        return dict(process_routing(clf, "fit", **there).estimator.fit)
    if "sample_weight" not in there:
        return {}
    if not has_fit_parameter(clf.estimator, "sample_weight"):
        raise ValueError(
            f"{type(clf.estimator).__name__}.fit takes no sample_weight. If a step of it does, "
            "sklearn.set_config(enable_metadata_routing=True) and set_fit_request(sample_weight="
            "True) of that step bring the weights there"
        )
    return {"sample_weight": there["sample_weight"]}


def _per_row(value: Any, n_rows: int) -> NDArray[Any]:
    values = np.asarray(value)
    return np.full(n_rows, values) if values.ndim == 0 else values
