"""What a classifier around another one leaves to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from numpy.typing import NDArray
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from costboost.classifiers.logs import logs


def _can(method: str) -> Callable[[Any], bool]:
    def check(self: Any) -> bool:
        inner = getattr(self, self._inner, self.estimator)
        getattr(inner, method)  # the inner AttributeError says why not
        return True

    return check


def given_costs(fn_cost: Any, fp_cost: Any) -> dict[str, Any]:
    """The costs that are not None, by name."""
    costs = {"fn_cost": fn_cost, "fp_cost": fp_cost}
    return {name: cost for name, cost in costs.items() if cost is not None}


class Delegating:
    """Probabilities, scores and tags of the classifier inside."""

    _inner: ClassVar[str]
    """Name of the attribute with the fitted classifier."""
    estimator: Any

    def _fitted(self) -> Any:
        check_is_fitted(self, self._inner)
        return getattr(self, self._inner)

    def _remember_features(self) -> None:
        """Take over what the fitted classifier knows of its features."""
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(self._fitted(), name):
                setattr(self, name, getattr(self._fitted(), name))

    @available_if(_can("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Probability of each class, in the order of ``classes_``: those of the classifier."""
        return self._fitted().predict_proba(X)  # type: ignore[no-any-return]

    @available_if(_can("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> NDArray[Any]:
        """Natural logarithm of `predict_proba`; minus infinity where that is 0."""
        return logs(self.predict_proba(X))

    @available_if(_can("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any, fn_cost: Any = None, fp_cost: Any = None) -> NDArray[Any]:
        """Score of each row: that of the classifier, under other costs if they are given."""
        costs = given_costs(fn_cost, fp_cost)
        return self._fitted().decision_function(X, **costs)  # type: ignore[no-any-return]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.classifier_tags.multi_class = False
        if hasattr(self.estimator, "__sklearn_tags__"):
            inner = get_tags(self.estimator).input_tags
            for name in ("sparse", "allow_nan", "categorical", "string", "pairwise"):
                setattr(tags.input_tags, name, getattr(inner, name))
        return tags
