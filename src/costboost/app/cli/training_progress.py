"""The progress of training, by rounds of boosting."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import get_ident
from typing import Any

import numpy as np

from costboost._core.loop.listening import listening
from costboost._core.training.folds import FOLDS
from costboost.app.cli import progress
from costboost.classifiers.base import BoostingClassifier, alternatives_of, rule_of_several

MAX_SHOWN = 0.99
"""Share that a progress bar shows at most until everything is trained."""


@contextmanager
def training_progress(models: Sequence[Any], y: Any, text: str, n_fits: int = 1) -> Iterator[None]:
    """Show a progress bar while each of the models is fitted ``n_fits`` times."""
    with progress.progress_bar(text) as update:
        if update is None:
            yield
            return
        n_classes = len(np.unique(y))
        n_ensembles = n_fits * sum(count_ensembles(model, n_classes) for model in models)
        with listening(RoundListener(update, n_ensembles)):
            yield


class RoundListener:
    """Converts rounds of ensembles into the share of all rounds done; a thread trains one."""

    def __init__(self, update: Callable[[float], None], n_ensembles: int) -> None:
        self.update, self.n_ensembles, self.n_begun = update, n_ensembles, 0
        self.shares: dict[int, float] = {}
        """Share of the last ensemble of each thread."""

    def __call__(self, n_done: int, n_rounds: int) -> None:
        self.n_begun += n_done == 1
        self.shares[get_ident()] = n_done / n_rounds
        n_ended = self.n_begun - len(self.shares)
        share = (n_ended + sum([*self.shares.values()])) / self.n_ensembles
        self.update(min(share, MAX_SHOWN))


def count_ensembles(model: Any, n_classes: int) -> int:
    """The number of ensembles that a fit trains, if none stops early."""
    if not isinstance(model, BoostingClassifier):
        inner = getattr(model, "estimator", None)  # of a goal: folds, and all rows
        if not isinstance(inner, BoostingClassifier):
            return 1 if getattr(model, "calibration", None) is None else FOLDS + 1
        n_fits = FOLDS + 1 if getattr(model, "guarantee", None) is None else 1
        return n_fits * count_ensembles(inner, n_classes)
    choices = alternatives_of(model)
    folds = 0 if model.calibration is None else choices * FOLDS
    one_vs_rest = n_classes > 2 and rule_of_several(model) is None
    return (folds + (choices == 1 or not folds)) * (n_classes if one_vs_rest else 1)
