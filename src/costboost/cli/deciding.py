"""What a model of two classes decides, and how probable that is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from costboost.classifiers.base import BoostingClassifier
from costboost.classifiers.limits import decides_by_cost
from costboost.cli.layout import Layout
from costboost.metrics.checks import Floats
from costboost.report.numbers.two_classes import Flags


def takes_costs(model: Any) -> bool:
    """Whether `predict` can be told the costs of rows."""
    return isinstance(model, BoostingClassifier) and decides_by_cost(model)


def decided(model: Any, layout: Layout, X: Any, costs: Mapping[str, Any]) -> tuple[Flags, Floats]:
    """Which rows are called positive, by these costs if the model can, and their probability."""
    costs = costs if takes_costs(model) else {}
    if isinstance(model, BoostingClassifier):
        return model._called(X, costs.get("fn_cost"), costs.get("fp_cost"))
    called = np.asarray(model.predict(X) == layout.label)
    return called, np.asarray(model.predict_proba(X))[:, column_of(model, layout)]


def column_of(model: Any, layout: Layout) -> int:
    """Which column of the probabilities is that of the positive class."""
    return int(np.flatnonzero(model.classes_ == layout.label)[0])
