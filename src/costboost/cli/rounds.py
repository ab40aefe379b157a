"""How far a training is, for those who watch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from costboost.classifiers.base import BoostingClassifier
from costboost.classifiers.calibrating import FOLDS
from costboost.cli import console
from costboost.loop import listening

ALMOST = 0.99
"""Shown until all is done, however many ensembles there turn out to be."""


@contextmanager
def following(models: Sequence[Any], y: Any, text: str, times: int = 1) -> Iterator[None]:
    """A bar with the time left while the models are fitted, each so many times."""
    with console.advancing(text) as tell:
        if tell is None:
            yield
            return
        n_classes = len(np.unique(y))
        share = Share(tell, times * sum(ensembles(model, n_classes) for model in models))
        with _counting(models), listening(share):
            yield


class Share:
    """Turns rounds of one ensemble after the other into the share of all that is done."""

    def __init__(self, tell: Callable[[float], None], n_ensembles: int) -> None:
        self.tell, self.n_ensembles, self.begun = tell, n_ensembles, 0

    def __call__(self, done: int, n_rounds: int) -> None:
        self.begun += done == 1
        share = (self.begun - 1 + done / n_rounds) / self.n_ensembles
        self.tell(min(share, ALMOST))


def ensembles(model: Any, n_classes: int) -> int:
    """How many ensembles a fit trains, if none is given up on the way."""
    if not isinstance(model, BoostingClassifier):
        inner = getattr(model, "estimator", None)  # that of a goal: folds, and all rows
        around = isinstance(inner, BoostingClassifier)
        return (FOLDS + 1) * ensembles(inner, n_classes) if around else 1
    choices = len(model._choices())
    folds = 0 if model.calibration is None else choices * FOLDS
    return (folds + (choices == 1 or not folds)) * (n_classes if n_classes > 2 else 1)


@contextmanager
def _counting(models: Sequence[Any]) -> Iterator[None]:
    """Methods that boost by themselves count their rounds only if they are to show them."""
    counted = [model for model in models if not isinstance(model, BoostingClassifier)]
    counted = [model for model in counted if "verbose" in model.get_params(deep=False)]
    for model in counted:
        model.verbose = 1
    try:
        yield
    finally:
        for model in counted:
            model.verbose = 0
