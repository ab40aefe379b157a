"""Classifiers around another classifier: parameters of the inner one, delegated methods."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from inspect import signature
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from costboost.classifiers.base import BoostingClassifier
from costboost.classifiers.cost_cells import GivenCosts
from costboost.classifiers.predictions import Accuracy, logs, positives_and_probabilities
from costboost.cluster.collections import by_blocks
from costboost.metrics.checks import Floats, check_numbers
from costboost.metrics.scorer import decides_by_cost, predict_by_cost

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
    for name in ("tp_cost", "tn_cost"):  # the two others are net costs
        if any(params[path] != 0 for path in parameter_paths(estimator, name)):
            values[name] = 0.0
    if label is not None:
        values["pos_label"] = label
    return {
        path: value for name, value in values.items() for path in parameter_paths(estimator, name)
    }


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
    model: Any, X: Any, costs: GivenCosts, label: Any, prevalence: Any = None
) -> tuple[NDArray[np.bool_], Floats]:
    """Rows predicted to be of a class, by these costs if the model takes them; its probabilities.

    With a prevalence, both are those at that prevalence.
    """
    named = costs.named if decides_by_cost(model) else {}
    if isinstance(model, BoostingClassifier):
        return positives_and_probabilities(model, X, GivenCosts(**named), prevalence)
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


class Delegating(Accuracy):
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

    @available_if(_inner_has("predict_proba"))  # type: ignore[untyped-decorator]
    @by_blocks
    def predict_log_proba(self, X: Any, prevalence: Any = None) -> NDArray[Any]:
        """Natural logarithm of `predict_proba`; minus infinity where that is 0."""
        return logs(self.predict_proba(X, prevalence))

    @available_if(_has_scores)  # type: ignore[untyped-decorator]
    @by_blocks
    def decision_function(
        self,
        X: Any,
        fn_cost: Any = None,
        fp_cost: Any = None,
        tp_cost: Any = None,
        tn_cost: Any = None,
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
        """
        return self._scores(X, GivenCosts(fn_cost, fp_cost, tp_cost, tn_cost))

    def _can_score(self) -> bool:
        """Whether there are scores; raises the AttributeError of the classifier inside if not."""
        return _inner_has("decision_function")(self)

    def _scores(self, X: Any, given: GivenCosts) -> NDArray[Any]:
        return self._fitted().decision_function(X, **given.named)  # type: ignore[no-any-return]

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

    @by_blocks
    def predict(
        self,
        X: Any,
        fn_cost: Any = None,
        fp_cost: Any = None,
        tp_cost: Any = None,
        tn_cost: Any = None,
    ) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : array, data frame, sparse matrix or Dask collection of shape (n_samples, n_features)
        fn_cost, fp_cost, tp_cost, tn_cost : number or array of shape (n_samples,), optional
            Costs instead of those of `fit`. An `OperatingPointClassifier` takes numbers, with
            method "threshold" only: the threshold is then the one that meets the goal at least cost
            under them. An `EstimatedCostClassifier` does not estimate a cost that is given.
        """
        return self._predictions(X, GivenCosts(fn_cost, fp_cost, tp_cost, tn_cost))

    def _predictions(self, X: Any, given: GivenCosts) -> NDArray[Any]:
        return np.asarray(self.classes_[(self._scores(X, given) > 0).astype(np.intp)])
