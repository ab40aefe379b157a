"""What is explained: a score, and the class that it speaks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from costboost.classifiers.base import BoostingClassifier
from costboost.cli import modelfile
from costboost.cli.deciding import column_of
from costboost.cli.layout import Layout
from costboost.metrics.checks import Floats
from costboost.reading.columns import Label
from costboost.reading.errors import InputError, unknown


@dataclass(frozen=True)
class Subject:
    """The score of one class."""

    clf: BoostingClassifier
    label: Label
    column: int
    """Its place among the probabilities of the whole model."""
    positive: bool
    """Whether the explanations of the classifier speak for it, and not against it."""

    def moves(self, X: Any, background: Any) -> Floats:
        """What each feature has added to each score, above 0 where it speaks for the class."""
        found = self.clf.explain(X, background).values
        return np.asarray(found if self.positive else -found)


def subjects(model: Any, layout: Layout, label: str | None = None) -> list[Subject]:
    """The positive class of two; of several the one that is named, or all."""
    inner = modelfile.boosting(model)
    if not isinstance(inner, BoostingClassifier):
        raise InputError(
            f"{type(inner).__name__} votes for decisions and has no score of a class: there is "
            "nothing to take apart"
        )
    if not layout.several:
        if label is not None:
            raise InputError("--class is for models of more than two classes")
        column = column_of(model, layout)
        assert layout.positive is not None
        return [Subject(inner, layout.positive, column, column == 1)]
    labels = [str(one) for one in layout.classes]
    if label is not None and label not in labels:
        raise unknown("class", label, labels, " in the model")
    return [
        Subject(clf, one, column, True)
        for column, (one, clf) in enumerate(zip(layout.classes, inner.estimators_, strict=True))
        if label in (None, str(one))
    ]
