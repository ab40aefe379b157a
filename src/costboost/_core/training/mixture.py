"""Weighted sums of the scores of several ensembles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from costboost._core.arithmetic import Floats, matrix_product


def mixed(scores: Sequence[Floats], weights: Floats) -> Floats:
    """The weighted sum of several scores."""
    if scores[0].ndim == 1:
        return matrix_product(np.column_stack(scores), weights)
    total = weights[0] * scores[0]
    for weight, one in zip(weights[1:].tolist(), scores[1:], strict=True):
        total = total + weight * one
    return np.asarray(total)
