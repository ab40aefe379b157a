"""Calibration: the distance of predicted probabilities from observed frequencies."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import isotonic_regression

from costboost.cluster.collections import takes_collections
from costboost.metrics.checks import Floats, check_probabilities, documented, levels


@documented
@takes_collections
def calibration_error(
    y_true: Any,
    y_prob: Any,
    *,
    n_bins: int = 10,
    strategy: str = "uniform",
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Expected calibration error: mean distance between probability and frequency over bins.

    .. math:: \mathrm{ECE} = \sum_b \frac{n_b}{n}\, \left|\bar p_b - \bar y_b\right|

    with the mean probability and the share of positives in each bin.

    Parameters
    ----------
    {y_true}
    {y_prob}
    n_bins : int, default 10
        Number of bins; empty ones do not count.
    strategy : {"uniform", "quantile"}, default "uniform"
        Bins of equal width, or of about equal weight; rows of equal probability share a bin.
    {pos_label}
    {sample_weight}

    Returns
    -------
    float

    Notes
    -----
    The value depends on the bins, and on a finite sample it is above 0 even for perfect
    probabilities. :func:`brier_decomposition` needs no bins.

    References
    ----------
    M. P. Naeini, G. F. Cooper, M. Hauskrecht, "Obtaining well calibrated probabilities using
    Bayesian binning", AAAI 2015.

    Examples
    --------
    >>> from costboost.metrics import calibration_error
    >>> calibration_error([0, 0, 1, 1], [0.25, 0.25, 0.75, 0.75])
    0.25
    """
    if isinstance(n_bins, bool) or not isinstance(n_bins, (int, np.integer)) or n_bins < 1:
        raise ValueError(f"n_bins must be a whole number of at least 1, got {n_bins!r}")
    if not isinstance(strategy, str) or strategy not in BINNINGS:
        raise ValueError(f"strategy must be one of {', '.join(BINNINGS)}, got {strategy!r}")
    p, positive, negative = levels(check_probabilities(y_true, y_prob, pos_label, sample_weight))
    weight = positive + negative
    bins = BINNINGS[strategy](p, weight, int(n_bins))
    surplus = np.bincount(bins, p * weight - positive)
    return float(np.abs(surplus).sum() / weight.sum())


def _same_width(p: Floats, weight: Floats, n_bins: int) -> NDArray[np.intp]:
    """Bins that are closed on the right, as in scikit-learn's calibration_curve."""
    return np.asarray(np.searchsorted(np.linspace(0, 1, n_bins + 1)[1:-1], p))


def _same_weight(p: Floats, weight: Floats, n_bins: int) -> NDArray[np.intp]:
    """Bins of about equal weight, by the weight below each probability."""
    upto = np.cumsum(weight)
    below = np.append(0.0, upto[:-1]) / upto[-1]
    return np.asarray(np.minimum((n_bins * below).astype(np.intp), n_bins - 1))


BINNINGS = {"uniform": _same_width, "quantile": _same_weight}


class BrierDecomposition(NamedTuple):
    """Calibration and refinement parts of the Brier score."""

    calibration: float
    """Gain of replacing the probabilities by the frequencies of their groups; 0 if calibrated."""
    refinement: float
    """Remaining part: the variance of the labels within the groups."""

    @property
    def brier(self) -> float:
        """Sum of the two parts, which is the Brier score."""
        return self.calibration + self.refinement


@documented
@takes_collections
def brier_decomposition(
    y_true: Any,
    y_prob: Any,
    *,
    groups: str = "isotonic",
    pos_label: Any = None,
    sample_weight: Any = None,
) -> BrierDecomposition:
    r"""Decomposition of the Brier score into calibration and refinement.

    .. math::

        \underbrace{\frac1n \sum_i (p_i - y_i)^2}_{\text{Brier score}} =
        \underbrace{\frac1n \sum_i
            \left[(p_i - y_i)^2 - (\bar y_{g(i)} - y_i)^2\right]}_{\text{calibration}}
        + \underbrace{\sum_g \frac{n_g}{n} \bar y_g (1 - \bar y_g)}_{\text{refinement}}

    with the share of positives :math:`\bar y_g` of each group g of rows.

    Parameters
    ----------
    y_true : array of shape (n_samples,)
        Labels of two classes, coded 1 for the positive one and 0.
    {y_prob}
    groups : {"isotonic", "scores"}, default "isotonic"
        "scores": rows of equal probability, as in the classical decomposition; the calibration part
        is then the mean of :math:`(p_i - \bar y_{g(i)})^2`. If all probabilities differ, the whole
        score is calibration. "isotonic": the blocks of isotonic regression; the
        calibration part is then the gain of the best monotone correction.
    {pos_label}
    {sample_weight}

    Returns
    -------
    BrierDecomposition
        With ``calibration``, ``refinement`` and their sum ``brier``.

    References
    ----------
    A. H. Murphy, "A new vector partition of the probability score", Journal of Applied Meteorology
    12, 1973. T. Dimitriadis, T. Gneiting, A. I. Jordan, "Stable reliability diagrams for
    probabilistic classifiers", PNAS 118, 2021.

    Examples
    --------
    >>> from costboost.metrics import brier_decomposition
    >>> brier_decomposition([0, 0, 1, 1, 1, 0], [0.25, 0.25, 0.25, 0.75, 0.75, 0.75])
    BrierDecomposition(calibration=0.0069..., refinement=0.2222...)
    """
    if groups not in ("isotonic", "scores"):
        raise ValueError(f"groups must be 'isotonic' or 'scores', got {groups!r}")
    rows = check_probabilities(y_true, y_prob, pos_label, sample_weight)
    p, positive, negative = levels(rows)
    weight = positive + negative
    share, rate = weight / weight.sum(), positive / weight
    corrected: Floats = rate
    if groups == "isotonic":
        corrected = isotonic_regression(rate, sample_weight=weight, y_min=0, y_max=1)
    calibration = float(share @ ((p - corrected) * (p + corrected - 2 * rate)))
    refinement = float(share @ (corrected * (1 - corrected)))
    return BrierDecomposition(max(0.0, calibration), refinement)


def wilson_interval(share: Floats, n: Floats | float, z: float) -> tuple[Floats, Floats]:
    """Wilson's score interval of shares of n rows, at z standard errors; NaN if n is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = z**2 / np.asarray(n, dtype=float)
        middle = (share + ratio / 2) / (1 + ratio)
        half = np.sqrt(np.maximum(share * (1 - share), 0) * ratio + ratio**2 / 4) / (1 + ratio)
        return middle - half, middle + half
