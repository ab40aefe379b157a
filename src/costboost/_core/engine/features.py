"""The features that an ensemble reads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from costboost._core.engine.ensemble import Ensemble
from costboost._core.engine.lines import Lines


def tested_features(ensemble: Ensemble | Lines) -> NDArray[np.intp]:
    """The features that an ensemble reads, in increasing order; the first one if it reads none."""
    features = np.unique(ensemble.feature[ensemble.feature >= 0]).astype(np.intp)
    return features if features.size else np.zeros(1, dtype=np.intp)


def renumbered(ensemble: Ensemble | Lines, features: NDArray[np.intp]) -> Ensemble | Lines:
    """The ensemble for rows that have only the given features."""
    place = np.searchsorted(features, ensemble.feature).astype(np.int32)
    return replace(ensemble, feature=np.where(ensemble.feature >= 0, place, ensemble.feature))
