"""Classifiers around another classifier: parameters of the inner one, delegated methods, folds.

Their thresholds, costs and plans follow from predictions for rows that the inner classifier was not
trained on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from inspect import signature
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, check_cv
from sklearn.utils import check_consistent_length, check_random_state, get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from costboost._core.arrays import Flags, Indices
from costboost._core.backends.dask.collections import refuse_collections
from costboost._core.checks import (
    check_folds,
    group_codes,
    one_class_allowed,
    quoted,
    refuse_divided_groups,
    refuse_unread,
)
from costboost._core.costs import Costs, known_costs
from costboost._core.names import COST_NAMES, RIGHT
from costboost._core.rules.record import NetCosts
from costboost._core.tables.sparse import checked_sparse
from costboost._core.threads.processes import in_processes
from costboost.classifiers.base import BoostingClassifier
from costboost.classifiers.checks import (
    check_two_classes,
    check_weights,
    positive_class,
    training_costs,
)
from costboost.classifiers.lazy import by_blocks
from costboost.classifiers.predictions import Derived, Predictions, positives_and_probabilities
from costboost.decisions.goals import HeldOut
from costboost.metrics.checks import Floats, check_numbers
from costboost.metrics.costs import decides_by_cost, predict_by_cost

SHARED = {
    "pos_label": """
pos_label : label, default=None
    The positive class; by default that of the estimator, or else the greater one of the two in
    sorted order.
""",
    "folds": """
random_state : int, RandomState or None, default=None
    Seed of the folds.
n_jobs : int or None, default=None
    Processes in which folds are trained; None is one.
""",
    "two_classes": """
classes_ : array of shape (2,)
    The labels, sorted.
""",
    "features": """
n_features_in_ : int
    Features seen in `fit`.
feature_names_in_ : array of str
    Their names, if they have any.
""",
    "labelled_rows": """
X : array, data frame or sparse matrix of shape (n_samples, n_features)
    Whatever the estimator takes.
y : array of shape (n_samples,)
    Two classes, any labels.
""",
    "groups": """
groups : array of shape (n_samples,), optional
    Labels of groups of rows that belong together; no fold separates rows of a group. The
    estimator gets them too if its `fit` takes groups; inside a pipeline, by metadata
    routing.
""",
}
"""Descriptions that the docstrings of the classifiers around another one share."""


# ---- parameters of the inner classifier ----------------------------------------------------------


def parameter_paths(estimator: Any, name: str) -> list[str]:
    """Names of a parameter in `get_params`: of the estimator, or of the outermost inside it."""
    found = [path for path in estimator.get_params() if path.split("__")[-1] == name]
    nearest = min((path.count("__") for path in found), default=0)
    return [path for path in found if path.count("__") == nearest]


def has_cost_parameters(estimator: Any) -> bool:
    """Whether the estimator, or one inside it, has the parameters ``fn_cost`` and ``fp_cost``."""
    return bool(parameter_paths(estimator, "fn_cost")) and bool(
        parameter_paths(estimator, "fp_cost")
    )


def cost_parameters(estimator: Any, fn_cost: float, fp_cost: float, label: Any) -> dict[str, Any]:
    """Parameters that train the estimator for these costs, and for this label unless it is None."""
    values: dict[str, Any] = {"fn_cost": fn_cost, "fp_cost": fp_cost}
    params = estimator.get_params()
    for name in RIGHT:  # the two others are net costs
        if any(params[path] != 0 for path in parameter_paths(estimator, name)):
            values[name] = 0.0
    if label is not None:
        values["pos_label"] = label
    found = {
        path: value for name, value in values.items() for path in parameter_paths(estimator, name)
    }
    records = (
        path.removesuffix("fn_cost") + "costs" for path in parameter_paths(estimator, "fn_cost")
    )
    return found | {path: None for path in records if params.get(path) is not None}


def clone_for_costs(estimator: Any, fn_cost: float, fp_cost: float, label: Any) -> Any:
    """Unfitted copy of the estimator with these costs as its parameters."""
    return clone(estimator).set_params(**cost_parameters(estimator, fn_cost, fp_cost, label))


def positive_label(estimator: Any, pos_label: Any) -> Any:
    """The positive class that ``pos_label`` or the estimator states, or None."""
    if isinstance(pos_label, np.ndarray) and pos_label.ndim:
        raise ValueError(f"pos_label must be a single label, got an array: {pos_label!r}")
    if isinstance(estimator, FrozenEstimator):
        estimator = estimator.estimator
    params = estimator.get_params()
    inside = [params[path] for path in parameter_paths(estimator, "pos_label")]
    stated = [label for label in inside if label is not None]
    if pos_label is None:
        return stated[0] if stated else None
    if any(label != pos_label for label in stated):
        raise ValueError(
            f"pos_label is {pos_label!r}, but that of the estimator is {stated[0]!r}; they must be "
            "the same class"
        )
    return pos_label


def check_estimator(estimator: Any) -> None:
    """Raise ValueError unless the argument is an instance of a scikit-learn classifier."""
    methods = ("fit", "predict", "get_params", "set_params")
    if isinstance(estimator, type) or not all(hasattr(estimator, name) for name in methods):
        raise ValueError(f"estimator must be a scikit-learn classifier, got {estimator!r}")


def check_grid(fn_costs: Any, default: Floats) -> Floats:
    """Validate the training costs to try; sorted, each once."""
    if fn_costs is None:
        return np.unique(default)
    costs = check_numbers("fn_costs", fn_costs)
    if costs.ndim != 1 or costs.size == 0 or not np.all(np.isfinite(costs) & (costs > 0)):
        raise ValueError(f"fn_costs must be a list of numbers above 0, got {fn_costs!r}")
    return np.unique(costs)


# ---- the classifier inside: its decisions, and methods that are delegated to it ------------------


def _inner_has(method: str) -> Callable[[Any], bool]:
    """Condition for `available_if`: the classifier inside has a method."""

    def check(self: Any) -> bool:
        inner = getattr(self, self._inner, self.estimator)
        getattr(inner, method)  # raises the AttributeError of the inner classifier
        return True

    return check


def _has_scores(clf: Any) -> bool:
    """Condition for `available_if`: the classifier has scores."""
    return bool(clf._can_score())


def layers(model: Any) -> Iterator[Any]:
    """The fitted model and the classifiers inside it, one inside the other."""
    yield model
    while isinstance(model, Delegating):
        model = model._fitted()
        yield model


def inner_of(clf: Delegating) -> tuple[Any, str]:
    """The fitted classifier inside, and the name of the attribute that holds it."""
    return clf._fitted(), clf._inner


def decide_positive(
    model: Any, X: Any, costs: Mapping[str, Any], label: Any, prevalence: Any = None
) -> tuple[NDArray[np.bool_], Floats]:
    """Rows predicted to be of a class, by these costs if the model takes them; its probabilities.

    With a prevalence, both are those at that prevalence.
    """
    named = dict(costs) if decides_by_cost(model) else {}
    if isinstance(model, BoostingClassifier):
        return positives_and_probabilities(model, X, named, prevalence)
    own = {} if prevalence is None else {"prevalence": prevalence}
    if own:
        predicted = model.predict(X, **named, **own)
    else:
        predicted = predict_by_cost(model, X, named, label) if named else model.predict(X)
    column = int(np.flatnonzero(model.classes_ == label)[0])
    probability = np.asarray(model.predict_proba(X, **own), dtype=float)[:, column]
    return np.asarray(predicted == label), probability


def given_prevalence(method: Any, prevalence: Any) -> dict[str, Any]:
    """The prevalence as an argument of a method; a ValueError if it takes none."""
    if prevalence is None:
        return {}
    if not takes_prevalence(method):
        raise ValueError(
            f"{type(method.__self__).__name__} inside takes no prevalence; classifiers of "
            "costboost that decide by cost do, and ActionClassifier around any classifier that is "
            "trained in its fit"
        )
    return {"prevalence": prevalence}


def takes_prevalence(method: Any) -> bool:
    """Whether a method has the parameter ``prevalence``."""
    return "prevalence" in signature(method).parameters


class Delegating(Derived):
    """Mixin that delegates probabilities, scores, tags and metadata to the classifier inside."""

    _inner: ClassVar[str]
    """Name of the attribute with the fitted classifier."""
    estimator: Any

    def _fitted(self) -> Any:
        check_is_fitted(self, self._inner)
        return getattr(self, self._inner)

    def _remember_features(self) -> None:
        """Copy number and names of the features from the fitted classifier."""
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(self._fitted(), name):
                setattr(self, name, getattr(self._fitted(), name))

    @available_if(_inner_has("predict_proba"))  # type: ignore[untyped-decorator]
    @by_blocks
    def predict_proba(self, X: Any, prevalence: Any = None) -> NDArray[Any]:
        """Probability of each class by the classifier inside, in the order of ``classes_``.

        Parameters
        ----------
        X : array, data frame, sparse matrix or Dask collection of shape (n_samples, n_features)
        prevalence : number, mapping, array or "estimate", optional
            Shares of the classes among these rows, as in `CostBoostClassifier.predict_proba`; only
            if the classifier inside takes them, or in an `ActionClassifier`.
        """
        return self._probabilities(X, prevalence)

    def _probabilities(self, X: Any, prevalence: Any) -> NDArray[Any]:
        inner = self._fitted()
        given = given_prevalence(inner.predict_proba, prevalence)
        return inner.predict_proba(X, **given)  # type: ignore[no-any-return]

    predict_log_proba = available_if(_inner_has("predict_proba"))(Derived.predict_log_proba)

    @available_if(_has_scores)  # type: ignore[untyped-decorator]
    @by_blocks
    def decision_function(
        self,
        X: Any,
        fn_cost: Any = None,
        fp_cost: Any = None,
        tp_cost: Any = None,
        tn_cost: Any = None,
        costs: Any = None,
    ) -> NDArray[Any]:
        """Score of each row; above 0 exactly where ``classes_[1]`` is predicted.

        It is the score of the classifier inside; of an `OperatingPointClassifier` with a threshold,
        the distance from it; of an `EstimatedCostClassifier`, the expected saving of predicting
        ``classes_[1]`` instead of ``classes_[0]``.

        Parameters
        ----------
        X : array, data frame, sparse matrix or Dask collection of shape (n_samples, n_features)
        fn_cost, fp_cost, tp_cost, tn_cost : number or array of shape (n_samples,), optional
            Costs as in `predict`.
        costs : Costs, optional
            All costs in one record, instead of the four.
        """
        return self._scores(X, known_costs(costs, fn_cost, fp_cost, tp_cost, tn_cost))

    def _can_score(self) -> bool:
        """Whether there are scores; raises the AttributeError of the classifier inside if not."""
        return _inner_has("decision_function")(self)

    def _scores(self, X: Any, given: dict[str, Any]) -> NDArray[Any]:
        return self._fitted().decision_function(X, **given)  # type: ignore[no-any-return]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.classifier_tags.multi_class = False
        if hasattr(self.estimator, "__sklearn_tags__"):
            inner = get_tags(self.estimator).input_tags
            for name in ("sparse", "allow_nan", "categorical", "string", "pairwise"):
                setattr(tags.input_tags, name, getattr(inner, name))
        return tags

    def get_metadata_routing(self) -> Any:
        """Return the router: `fit` uses weights and costs, and passes on what is requested."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return (
            MetadataRouter(owner=self)
            .add_self_request(self)
            .add(estimator=self.estimator, method_mapping=mapping)
        )


class CostPredictions(Delegating):
    """Mixin of the predictions of two classes by scores, under other costs if they are given."""

    classes_: NDArray[Any]
    _label: Any

    @by_blocks
    def predict(
        self,
        X: Any,
        fn_cost: Any = None,
        fp_cost: Any = None,
        tp_cost: Any = None,
        tn_cost: Any = None,
        costs: Any = None,
    ) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : array, data frame, sparse matrix or Dask collection of shape (n_samples, n_features)
        fn_cost, fp_cost, tp_cost, tn_cost : number or array of shape (n_samples,), optional
            Costs instead of those of `fit`. An `OperatingPointClassifier` takes numbers, with
            method "threshold" only: the threshold is then the one that meets the goal at least cost
            under them. An `EstimatedCostClassifier` does not estimate a cost that is given.
        costs : Costs, optional
            All costs in one record, instead of the four.
        """
        return self._predictions(X, known_costs(costs, fn_cost, fp_cost, tp_cost, tn_cost))

    def _predictions(self, X: Any, given: dict[str, Any]) -> NDArray[Any]:
        return np.asarray(self.classes_[(self._scores(X, given) > 0).astype(np.intp)])

    explain = available_if(_inner_has("explain"))(Predictions.explain)

    def _explained(
        self,
        X: Any,
        others: tuple[Any, str | None],
        output: str,
        given: dict[str, Any],
        prevalence: Any,
    ) -> Any:
        """The explanation of the classifier inside, with the thresholds of these decisions."""
        for name, value in (("cost_matrix", given.get("cost_matrix")), ("prevalence", prevalence)):
            if value is not None:
                raise ValueError(f"{type(self).__name__} takes no {name}")
        limits = self._limits(X, given)
        own = limits is not None
        shown = "log-odds" if own and output == "decision" else output
        found = self._fitted().explain(X, *others, shown)
        if found.output_names != str(self._label):
            found = found.opposite(str(self._label))
        if own:
            every = np.array(np.broadcast_to(limits, len(found.values)))
            found.thresholds = None if output == "score" else every
        return found

    def _limits(self, X: Any, given: dict[str, Any]) -> Any:
        """The log-odds above which rows are predicted positive: a number, or one for each row.

        None if the classifier inside decides.
        """
        raise NotImplementedError


# ---- training data cut into folds ----------------------------------------------------------------

FOLDS = 5
"""Default number of folds."""
HELD_OUT_SHARE = 1 / 3
"""Default share of the rows that are held out for a guarantee."""

Split = tuple[Indices, Indices]


def make_splits(
    cv: Any,
    X: Any,
    positive: Flags,
    counts: Flags,
    random_state: Any,
    groups: Indices | None = None,
) -> list[Split]:
    """Training rows and held-out rows of each fold, restricted to the rows that count.

    Every training part has rows of both classes, and so do all held-out rows together. No group is
    in both parts of a split.
    """
    if cv is None or isinstance(cv, Integral):
        n_folds = FOLDS if cv is None else cv
        splits = _stratified(n_folds, positive, counts, random_state, groups)
    elif isinstance(cv, str) or not (hasattr(cv, "split") or hasattr(cv, "__iter__")):
        raise ValueError(
            f"cv must be a number of folds, a splitter or a list of splits, got {cv!r}"
        )
    else:
        splits = _given_splits(cv, X, positive, counts, groups)
        refuse_divided_groups(f"cv={quoted(cv)}", splits, groups)
    for train, _ in splits:
        if not _both(positive[train]):
            raise ValueError(
                "cv makes a training part that has rows of one class only; take fewer folds or "
                "a stratified splitter"
            )
    if not _both(positive[np.concatenate([held for _, held in splits])]):
        raise ValueError("cv holds out rows of one class only; a goal needs rows of both")
    return splits


def make_split(
    cv: Any, estimator: Any, X: Any, positive: Flags, counts: Flags, random_state: Any
) -> list[Split]:
    """Training rows and held-out rows of the one split that a guarantee is based on.

    A share is drawn at random and not by class, so that the held-out rows are independent. For a
    classifier that is fitted already, all rows are held out by default.
    """
    rows = np.flatnonzero(counts)
    if cv is None and isinstance(estimator, FrozenEstimator):
        splits = [(rows, rows)]
    elif cv is None or (isinstance(cv, Real) and not isinstance(cv, Integral)):
        splits = [_drawn(HELD_OUT_SHARE if cv is None else float(cv), rows, random_state)]
    elif isinstance(cv, Integral):
        raise ValueError(_no_folds(cv))
    else:
        splits = make_splits(cv, X, positive, counts, random_state)
        if len(splits) != 1:
            raise ValueError(_no_folds(cv))
    for part, name in zip(splits[0], ("trains with", "holds out"), strict=True):
        if not _both(positive[part]):
            raise ValueError(
                f"cv {name} rows of one class only; bring more rows or another share of them"
            )
    return splits


def _drawn(share: float, rows: Indices, random_state: Any) -> Split:
    if not 0 < share < 1:
        raise ValueError(f"cv must be a share of the rows between 0 and 1, got {share!r}")
    order = check_random_state(random_state).permutation(rows)
    n_held = max(1, round(share * rows.size))
    return order[n_held:], order[:n_held]


def _no_folds(cv: Any) -> str:
    return (
        f"a guarantee needs rows that took no part in the training, and cv={quoted(cv)} makes "
        "folds, after which the classifier is trained on all rows; pass a share of the rows to be "
        "held out, such as cv=0.3, or a splitter with one split"
    )


def _stratified(
    n_folds: Any, positive: Flags, counts: Flags, random_state: Any, groups: Indices | None
) -> list[Split]:
    if isinstance(n_folds, (bool, np.bool_)) or n_folds < 2:
        raise ValueError(f"cv must be a number of folds of at least 2, got {n_folds!r}")
    rows = np.flatnonzero(counts)
    rarest = int(min(positive[rows].sum(), (~positive[rows]).sum()))
    if rarest < n_folds:
        raise ValueError(
            f"cv={n_folds} needs at least {n_folds} rows of each class, but the smaller one has "
            f"{rarest}; take fewer folds or more rows"
        )
    seed = check_random_state(random_state).randint(2**31 - 1)
    if groups is None:
        folds = StratifiedKFold(int(n_folds), shuffle=True, random_state=seed)
        return [(rows[a], rows[b]) for a, b in folds.split(rows[:, None], positive[rows])]
    own = groups[rows]
    if np.unique(own).size < n_folds:
        raise ValueError(
            f"cv={n_folds} needs at least {n_folds} groups, but there are {np.unique(own).size}; "
            "take fewer folds"
        )
    by_group = StratifiedGroupKFold(int(n_folds), shuffle=True, random_state=seed)
    return [(rows[a], rows[b]) for a, b in by_group.split(rows[:, None], positive[rows], own)]


def _given_splits(
    cv: Any, X: Any, positive: Flags, counts: Flags, groups: Indices | None
) -> list[Split]:
    """Splits of a splitter, or those that the user gives."""

    def splits() -> list[Split]:
        own = () if groups is None else (groups,)
        found = check_cv(cv, positive, classifier=True).split(X, positive, *own)
        return [(_rows(train, counts), _rows(held, counts)) for train, held in found]

    return check_folds(f"cv={quoted(cv)}", counts.size, splits)


def _rows(part: Any, counts: Flags) -> Indices:
    """Indices of the rows of a part that count."""
    rows: Indices = np.arange(counts.size)[np.asarray(part)]
    return rows[counts[rows]]


def _both(positive: Flags) -> bool:
    return bool(0 < positive.sum() < positive.size)


@dataclass(frozen=True)
class GivenFolds:
    """Splitter that returns given splits."""

    splits: list[Split]

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """Iterate over the splits."""
        return iter(self.splits)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of splits."""
        return len(self.splits)


# ---- selected and held-out rows ------------------------------------------------------------------


def take(X: Any, rows: Indices) -> Any:
    """Select rows of an array, data frame, Arrow table, sparse matrix or list."""
    if isinstance(X, Costs):
        return X.rows(rows)
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "tocsr"):
        return checked_sparse(X).tocsr()[rows]
    if hasattr(X, "schema"):  # polars and pyarrow
        return X.take(rows) if hasattr(X, "take") else X[rows]
    values = np.asarray(X)
    if values.ndim == 0:
        raise ValueError(f"X must have rows and columns, got {X!r}")
    return values[rows]


def held_out(
    splits: Sequence[Split], positive: Flags, weight: Floats, cost: Floats, right: Floats | None
) -> HeldOut:
    """Held-out rows of all folds, one fold after the other."""
    rows = np.concatenate([held for _, held in splits])
    fold = np.repeat(np.arange(len(splits)), [held.size for _, held in splits])
    once = weight[np.unique(rows)]
    effective = once.sum() ** 2 / (once @ once)  # Kish's effective sample size
    pooled = weight[rows]
    right = None if right is None else right[rows]
    effective /= pooled.sum()
    return HeldOut(positive[rows], pooled, cost[rows], fold, float(effective), right)


# ---- out-of-fold predictions ---------------------------------------------------------------------


def out_of_fold(
    models: Sequence[Any],
    X: Any,
    y: NDArray[Any],
    splits: Sequence[Split],
    params: Mapping[str, Any],
    predict: Callable[[Any, Any], NDArray[Any]],
    n_jobs: int | None,
) -> NDArray[Any]:
    """Result of ``predict(fitted, X)`` for the held-out rows of all folds: a row for each model."""
    fits = [(model, X, y, split, params, predict) for model in models for split in splits]
    found = in_processes(_fit_and_predict, fits, n_jobs)
    n = len(splits)
    return np.array([np.concatenate(found[k : k + n]) for k in range(0, len(found), n)])


def _fit_and_predict(
    model: Any, X: Any, y: NDArray[Any], split: Split, params: Mapping[str, Any], predict: Any
) -> Any:
    train, held = split
    return predict(_fit(clone(model), X, y, train, params), take(X, held))


def _fit(model: Any, X: Any, y: NDArray[Any], rows: Indices, params: Mapping[str, Any]) -> Any:
    own = {name: take(values, rows) for name, values in params.items()}
    with one_class_allowed():  # only the chosen point is checked for a constant prediction
        return model.fit(take(X, rows), y[rows], **own)


def positive_score(model: Any, X: Any, label: Any) -> Floats:
    """Probability of a class, or a score that is higher for it if there are no probabilities."""
    if hasattr(model, "predict_proba"):
        column = int(np.flatnonzero(model.classes_ == label)[0])
        score = np.asarray(model.predict_proba(X), dtype=float)[:, column]
    else:
        score = np.asarray(model.decision_function(X), dtype=float)
        score = score if model.classes_[1] == label else -score
    if not np.isfinite(score).all():
        raise ValueError(
            f"{type(model).__name__} returns {score[~np.isfinite(score)][0]} for some rows; a "
            "threshold needs finite scores"
        )
    return score


def predicted_positive(model: Any, X: Any, label: Any) -> Flags:
    """Whether `predict` returns the positive label, for each row."""
    return np.asarray(model.predict(X) == label, dtype=bool)


# ---- training data of a classifier around another one --------------------------------------------


@dataclass(frozen=True)
class FoldedData:
    """Validated training data of a classifier around another one, cut into folds."""

    X: Any
    y: NDArray[Any]
    classes: NDArray[Any]
    label: Any
    """The positive class."""
    stated: Any
    """The positive class if a parameter states it, else None."""
    mean_costs: Costs
    """Costs, each averaged over the rows of the class that it applies to."""
    params: dict[str, Any]
    """Further arguments of the inner `fit`, with an entry for each row."""
    weight: Floats
    costs: Costs
    cost: Floats
    """Net cost of an error on each row."""
    right: Floats | None
    """Cost of the right prediction for each row; None if it costs nothing."""
    splits: list[Split]
    held: HeldOut

    @property
    def is_uniform(self) -> bool:
        """Whether all weights are 1, and all rows of a class have the same cost."""
        net, right = self.mean_costs.net, self.mean_costs.right
        positive = self.y == self.label
        uniform = np.all(self.weight == 1) and np.all(self.cost == net.of_class(positive))
        if right is not None:
            uniform &= np.all(self.right == np.where(positive, *right))
        return bool(uniform)

    def refuse_dominance(self) -> None:
        """Raise a ValueError if a mean net cost is not above 0, for a search of training costs."""
        net = self.mean_costs.net
        if net.fn <= 0 or net.fp <= 0:
            raise ValueError(
                "a classifier is trained for mistakes that cost more than right predictions, but "
                f"on average fn_cost - tp_cost is {net.fn:g} and fp_cost - tn_cost is "
                f"{net.fp:g}: one prediction is best for all rows"
            )

    def without_costs(self) -> FoldedData:
        """Copy without costs of rows among the arguments of the inner `fit`."""
        params = {k: v for k, v in self.params.items() if k not in (*COST_NAMES, "costs")}
        return replace(self, params=params)

    def out_of_fold(
        self, models: Sequence[Any], predict: Callable[..., NDArray[Any]], n_jobs: int | None
    ) -> NDArray[Any]:
        """Result of ``predict(fitted, X, label)`` for each held-out row: a row for each model."""
        of_label = partial(predict, label=self.label)
        return out_of_fold(models, self.X, self.y, self.splits, self.params, of_label, n_jobs)

    def fitted_on_split(self, model: Any) -> tuple[Any, Floats]:
        """Fit the model on the training rows of the one split, and score its held-out rows."""
        ((train, held),) = self.splits
        fitted = _fit(model, self.X, self.y, train, self.params)
        return fitted, positive_score(fitted, take(self.X, held), self.label)

    def fitted(self, model: Any) -> Any:
        """Fit the model on all rows, without a warning if it predicts a single class."""
        with one_class_allowed():
            return model.fit(self.X, self.y, **self.params)


def read_data(
    clf: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    given: dict[str, Any],
    groups: Any = None,
    record: Any = None,
) -> FoldedData:
    """Validate the arguments of `fit`, and cut the rows into folds.

    ``given`` are the costs; ``record`` is passed on to an estimator that requests ``costs``.
    """
    check_estimator(clf.estimator)
    refuse_collections(type(clf).__name__, X, y, sample_weight, groups, *given.values())
    stated = positive_label(clf.estimator, clf.pos_label)
    classes, which = check_two_classes(y, stated)
    refuse_unread("X", X)
    check_consistent_length(X, y)
    n, positive = which.size, which.astype(bool)
    codes = group_codes(groups, n)
    costs = training_costs(clf, given, classes, positive_class(classes, stated), n)
    if "cost_matrix" in given:
        given = costs.arguments
    params = _routed(clf, n, sample_weight=sample_weight, groups=groups, costs=record, **given)
    weight = check_weights(sample_weight, n)
    weight = np.ones(n) if weight is None else weight
    counts = weight > 0
    if getattr(clf, "guarantee", None) is None:
        splits = make_splits(clf.cv, X, positive, counts, clf.random_state, codes)
    elif groups is not None:
        raise ValueError(
            "a guarantee assumes rows that are independent of each other, and rows of a group are "
            "not; leave out groups or guarantee"
        )
    else:
        splits = make_split(clf.cv, clf.estimator, X, positive, counts, clf.random_state)
    cost = costs.net.of_class(positive)
    right = None if costs.right is None else np.where(positive, *costs.right)
    return FoldedData(
        X,
        np.asarray(y).ravel(),
        classes,
        classes[1] if stated is None else classes[classes == stated][0],
        stated,
        _mean_costs(costs, positive, weight),
        params,
        weight,
        costs,
        cost,
        right,
        splits,
        held_out(splits, positive, weight, cost, right),
    )


def _mean_costs(costs: Costs, positive: Flags, weight: Floats) -> Costs:
    """Costs, each averaged over the rows of the class that it applies to."""

    def means(positive_cost: Any, negative_cost: Any) -> tuple[float, float]:
        return _mean(positive_cost, positive, weight), _mean(negative_cost, ~positive, weight)

    right = None if costs.right is None else means(*costs.right)
    return Costs.from_net(NetCosts(*means(*costs.net)), right)


def _mean(cost: Any, rows: NDArray[np.bool_], weight: Floats) -> float:
    return float(np.average(cost[rows], weights=weight[rows]) if np.ndim(cost) else cost)


def _routed(clf: Any, n_rows: int, **given: Any) -> dict[str, Any]:
    """Arguments of the inner `fit`: the metadata that it requests, or the weights."""
    there = {name: _per_row(value, n_rows) for name, value in given.items() if value is not None}
    if get_config()["enable_metadata_routing"]:
        return dict(process_routing(clf, "fit", **there).estimator.fit)
    groups = {"groups": there["groups"]} if "groups" in there else {}
    if groups and not has_fit_parameter(clf.estimator, "groups"):
        groups = {}
    if "sample_weight" not in there:
        return groups
    if not has_fit_parameter(clf.estimator, "sample_weight"):
        raise ValueError(
            f"{type(clf.estimator).__name__}.fit takes no sample_weight. If a step of it does, "
            "sklearn.set_config(enable_metadata_routing=True) and set_fit_request(sample_weight="
            "True) of that step bring the weights there"
        )
    return {"sample_weight": there["sample_weight"], **groups}


def _per_row(value: Any, n_rows: int) -> Any:
    if isinstance(value, Costs):
        return value
    values = np.asarray(value)
    return np.full(n_rows, values) if values.ndim == 0 else values
