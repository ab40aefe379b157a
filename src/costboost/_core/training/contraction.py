"""Scores of held-out rows as an average over folds would give them.

A held-out row is scored by the ensembles of one fold, but a new one by the average over all K
folds, whose noise is 1/K of theirs. A calibrator fitted to the scores as they are would be too
flat, and where positives are rare its probabilities would be too low on average.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats

ROWS_OF_HALF_TRUST = 20
"""Harmonic mean of the sizes of the classes with which half of the noise found is believed."""


def contracted(
    score: Floats,
    truth: NDArray[np.integer],
    counts: Floats,
    seen: Floats,
    noise: float,
    n_parts: int,
) -> Floats:
    """Scores contracted towards the middle of the means of the classes.

    Where the scores of a class are normally distributed, their log-odds are proportional to the
    distance from that middle, divided by the variance W within a class. An average over K folds
    that differ by ``noise`` has the variance W - noise (1 - 1/K), and the same means: so scores are
    contracted by the ratio of the two variances.
    """
    columns = score.reshape(len(score), -1)
    sizes = np.bincount(truth, counts)
    there = sizes > 0
    means = np.zeros((sizes.size, columns.shape[1]))
    for mean, column in zip(means.T, columns.T, strict=True):
        mean[there] = np.bincount(truth, counts * column)[there] / sizes[there]
    within = sum(
        float(np.bincount(truth, counts * (column - mean[truth]) ** 2).sum())
        for mean, column in zip(means.T, columns.T, strict=True)
    )
    if not within > 0:
        return score
    share = min(noise * float(sizes.sum()) / within, 1.0)
    by = 1 - trust(truth, seen) * share * (1 - 1 / n_parts)
    middle = means[there].mean(axis=0)
    return np.asarray(middle + by * (columns - middle)).reshape(score.shape)


def trust(truth: NDArray[np.integer], seen: Floats) -> float:
    """How far the noise is believed, from 0 to 1.

    With few rows of a class the slope of the calibrator is uncertain, mostly too great, and a
    further contraction would make it greater still.
    """
    sizes = np.bincount(truth, seen)
    harmonic = np.count_nonzero(sizes) / float((1 / sizes[sizes > 0]).sum())
    return harmonic / (harmonic + ROWS_OF_HALF_TRUST)


def noise_between(scores: Floats, trained: NDArray[np.bool_], counts: Floats) -> float:
    """Mean variance of the scores that the ensembles of different folds give a row.

    ``scores`` are those of each fold (folds x rows, or folds x rows x classes). Of each row only
    the folds that ``trained`` on it are compared; 0 if these are fewer than two.
    """
    columns = scores.reshape(*trained.shape, -1)
    n = trained.sum(axis=0)
    some = (n > 1) & (counts > 0)
    if not some.any():
        return 0.0
    of, n, columns = trained[:, some, None], n[some, None], columns[:, some]
    mean = np.where(of, columns, 0.0).sum(axis=0) / n
    variance = (np.where(of, columns - mean, 0.0) ** 2).sum(axis=0) / (n - 1)
    return float(np.average(variance.sum(axis=1), weights=counts[some]))
