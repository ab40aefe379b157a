"""A model that is explained, with the classes whose scores or probabilities are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from costboost._core.arrays import Label
from costboost._core.explaining import Explanation, keeps_background
from costboost._core.model import BinaryModel, ScoresModel
from costboost._core.model.providers import Learners
from costboost.app.cli import terminal
from costboost.app.cli.given import Given
from costboost.app.cli.model_files import inner_classifier
from costboost.app.cli.predictors import positive_column
from costboost.app.reading.data_layout import DataLayout
from costboost.app.reading.errors import InputError, unknown
from costboost.app.reading.formats import open_table
from costboost.app.reading.labelled import RowsRead, read_whole
from costboost.classifiers.base import BoostingClassifier

N_BACKGROUND = 50
"""Background rows for models that keep none; enough for two digits of a mean."""
TOP = 15
"""Features printed by default."""


@dataclass(frozen=True)
class ExplainedClass:
    """A class whose score or probability is explained."""

    clf: BoostingClassifier
    label: Label
    column: int
    """The column of the class in `predict_proba` of the whole model."""
    two: bool
    """Whether the classifier has two classes, and this one is positive."""

    @property
    def model(self) -> BinaryModel | Learners:
        """The fitted model of the score."""
        model = self.clf.model_
        if isinstance(model, ScoresModel):
            return model.provider.of_class(self.column)
        assert isinstance(model, BinaryModel)
        return model

    @property
    def among_all(self) -> bool:
        """Whether the classifier has a score for each class, instead of one against the rest."""
        return isinstance(self.clf.model_, ScoresModel)


def explained_classes(
    model: Any, layout: DataLayout, label: str | None = None
) -> list[ExplainedClass]:
    """The positive class of two; of more classes the one that is named, or all."""
    inner = inner_classifier(model)
    if not isinstance(inner, BoostingClassifier):
        raise InputError(
            f"{type(inner).__name__} votes for decisions and has no score of a class that could be "
            "explained"
        )
    if not layout.multiclass:
        if label is not None:
            raise InputError("--class is for models of more than two classes")
        column = positive_column(model, layout)
        assert layout.positive is not None
        return [ExplainedClass(inner, layout.positive, column, True)]
    labels = [str(known) for known in layout.classes]
    if label is not None and label not in labels:
        raise unknown("class", label, labels, " in the model")
    each = getattr(inner, "estimators_", [inner] * len(labels))
    return [
        ExplainedClass(clf, known, column, False)
        for column, (known, clf) in enumerate(zip(layout.classes, each, strict=True))
        if label in (None, str(known))
    ]


@dataclass(frozen=True)
class ExplainedModel:
    """What is explained, and how it is asked for."""

    given: Given
    model: Any
    layout: DataLayout
    classes: list[ExplainedClass]
    changed_costs: bool
    """Whether other costs than those of training are given."""

    @property
    def top(self) -> int:
        """Features that are printed."""
        return self.given.top or TOP

    def read_rows(self) -> RowsRead:
        """All rows of DATA."""
        with open_table(self.given.data, self.given.reading) as source:
            return read_whole(source, self.layout)

    def explanation(self, X: Any, rows: Any, costs: Mapping[str, Any]) -> Explanation:
        """The explanation of decisions on X, compared with what the model keeps or with rows.

        Models of version 0.2 and before keep nothing.
        """
        model, background = self.model, None
        if not keeps_background(inner_classifier(model).model_):
            background = spread(rows, N_BACKGROUND)
            terminal.note(
                "the model keeps no background, as those of version 0.2 and before: compared with "
                f"{background.num_rows} rows of the data"
            )
        whole = model if hasattr(model, "explain") else inner_classifier(model)
        explanation: Explanation = whole.explain(X, background, **costs)
        return explanation


def spread(X: Any, max_rows: int) -> Any:
    """At most this number of rows, evenly spread over the file."""
    if X.num_rows <= max_rows:
        return X
    return X.take(np.linspace(0, X.num_rows - 1, max_rows).astype(np.int64))
