"""The shares of the classes among unlabelled rows, with intervals and a test against no shift."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit
from scipy.stats import chi2
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

from costboost._core.arrays import Codes
from costboost._core.backends.dask.collections import in_memory
from costboost._core.baselines import shares_of
from costboost._core.checks import check_weight, real_numbers
from costboost._core.model.prevalence import check_prevalence
from costboost._core.model.shares import Mixture, calibration_rows, warn_at_boundary
from costboost.decisions.operating import OperatingPointClassifier
from costboost.decisions.wrapping import Delegating, inner_of, layers, positive_label
from costboost.metrics.checks import Floats
from costboost.metrics.costs import decides_by_cost

BISECTIONS = 50
CONFIDENCE = 0.95
FIRST_STEP = 0.1
"""First step of the log-odds from the most likely share to the end of an interval."""
LEAST_ROWS_AT_ENDS = 0.001
"""Shares of fewer rows are 0."""
PRECISION = 1e-5
"""Relative precision of the ends of an interval."""
SMALLEST_SHOWN = 0.0001
"""Smaller p-values are printed as less than this."""


@dataclass(frozen=True)
class PrevalenceEstimate:
    """Estimated shares of the classes among unlabelled rows.

    Attributes
    ----------
    value : float
        Share of the positive class; with more than two classes, of the last one.
    interval : tuple of two floats
        Confidence interval of ``value``.
    shares : dict
        Share of each class by its label.
    intervals : dict
        Confidence interval of each share by the label.
    reference : dict
        Shares of the classes that the probabilities of the classifier refer to.
    most_likely : dict
        Shares of greatest likelihood by the label.
    at_boundary : bool
        Whether the most likely shares leave a class without rows.
    statistic : float
        Twice the log-likelihood ratio of the most likely shares against the reference, divided by
        the factor by which errors of calibration inflate its variance.
    p_value : float
        Probability of a statistic that is at least as large if the shares are those of the
        reference.
    n_rows : int
        Number of rows.
    confidence : float
        Confidence level of the intervals.
    """

    value: float
    interval: tuple[float, float]
    shares: dict[Any, float]
    intervals: dict[Any, tuple[float, float]]
    reference: dict[Any, float]
    statistic: float
    p_value: float
    n_rows: int
    confidence: float = CONFIDENCE
    most_likely: dict[Any, float] = field(default_factory=dict)
    at_boundary: bool = False

    def __str__(self) -> str:
        low, high = self.interval
        p = f"= {self.p_value:.3g}" if self.p_value >= SMALLEST_SHOWN else f"< {SMALLEST_SHOWN:g}"
        return (
            f"prevalence {self.value:.4g} ({self.confidence:.0%} interval {low:.4g} to {high:.4g}) "
            f"in {self.n_rows:,} rows; no shift: p {p}"
        )


def estimate_prevalence(
    clf: Any,
    X: Any,
    *,
    prior: Any = None,
    sample_weight: Any = None,
    confidence: float = CONFIDENCE,
    n_train: int | None = None,
) -> PrevalenceEstimate:
    r"""Estimate the shares of the classes among unlabelled rows.

    The rows are taken as a mixture of the classes, each distributed as in training, so that only
    the shares :math:`\pi'_k` differ. With the probabilities :math:`p_k(x)` of a calibrated
    classifier and the shares :math:`\pi_k` that they refer to, the log-likelihood is

    .. math:: \ell(\pi') = \sum_i \log \sum_k \pi'_k \frac{p_k(x_i)}{\pi_k}

    Its maximum is the limit of the EM iterations of Saerens et al. (2002), ``most_likely``. Where
    the probabilities hardly separate the classes it is 0 or 1 by chance, and it magnifies errors of
    the log-odds, by about :math:`1 / R^2` if the probabilities explain the share :math:`R^2` of
    the variance of the class. Therefore

    - the variance of the score includes the error of the calibration: that of the mean probability
      and of the slope of the log-odds, as if they had been fitted to a third of the training rows;
    - the interval holds all shares whose profile log-likelihood, divided by the factor by which
      this error inflates the variance, is within :math:`\chi^2_1 / 2` of the maximum, and the test
      against no shift is the likelihood ratio test, divided alike;
    - the estimate is the most probable value if shifts of the log-odds are normal around 0 with
      standard deviation 1, but not outside of the 95% confidence region. It is near the maximum
      where the rows identify it, and near the shares of training where they do not.

    If the maximum leaves a class without rows, there is a warning, and the estimate is the shares
    of training unless the test rejects these.

    Use it for new rows whose labels are not known yet, if the classes are as in training and only
    their shares may have changed. If the rows within a class have changed too, the estimate means
    nothing: see `costboost.monitoring`.

    Parameters
    ----------
    clf : classifier
        Fitted, with calibrated probabilities.
    X : array, data frame, sparse matrix or Dask collection of shape (n_samples, n_features)
        The unlabelled rows.
    prior : number, mapping or array, optional
        Shares of the classes that the probabilities refer to, as ``prevalence`` of
        `CostBoostClassifier.predict_proba`. Default: ``class_prior_`` of the classifier, which all
        of costboost's have.
    sample_weight : array of shape (n_samples,), optional
        How often each row counts.
    confidence : float, default=0.95
        Confidence level of the intervals.
    n_train : int, optional
        Number of rows that the classifier was trained and calibrated on. Default: those of
        training, which classifiers of costboost know; 1,000 for others.

    Returns
    -------
    PrevalenceEstimate
        With ``value``, ``interval``, ``shares``, ``intervals``, ``most_likely``, ``statistic`` and
        ``p_value``.

    References
    ----------
    Saerens, M., Latinne, P. & Decaestecker, C. (2002). Adjusting the outputs of a classifier to new
    a priori probabilities: a simple procedure. Neural Computation 14(1), 21-41.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_classification
    >>> from costboost import CostBoostClassifier, estimate_prevalence
    >>> X, y = make_classification(4000, n_informative=5, random_state=0)
    >>> clf = CostBoostClassifier(n_estimators=30, random_state=0).fit(X[:2000], y[:2000])
    >>> rare = np.flatnonzero(y[2000:])[:100] + 2000
    >>> new = np.concatenate([rare, np.flatnonzero(y[2000:] == 0)[:900] + 2000])
    >>> found = estimate_prevalence(clf, X[new])  # one row in ten is positive
    >>> low, high = found.interval
    >>> bool(low < 0.1 < high), bool(found.p_value < 0.001)
    (True, True)
    """
    probability, shares = probabilities_and_prior(clf, X, prior)
    weight = check_weight(sample_weight, len(probability))
    rows = rows_of_calibration(clf) if n_train is None else calibration_rows(_positive(n_train))
    given = probability, shares, clf.classes_, positive_index(clf), weight
    found = estimate(*given, confidence=confidence, rows=rows)
    if found.at_boundary:
        warn_at_boundary(found.shares == found.reference)
    return found


def probabilities_and_prior(clf: Any, X: Any, prior: Any = None) -> tuple[Floats, Floats]:
    """Probabilities of all classes, and the shares of the classes that they refer to."""
    refuse_uncalibrated(clf)
    if not hasattr(clf, "predict_proba"):
        raise ValueError(f"{type(clf).__name__} has no probabilities, but a prevalence needs them")
    shares = reference_shares(clf, prior)
    (probability,) = in_memory(clf.predict_proba(X))
    probability = np.asarray(probability, dtype=float)
    if len(probability) == 0:
        raise ValueError("X has no rows; a prevalence cannot be estimated from none")
    return probability, shares


def estimate(
    probability: Floats,
    prior: Floats,
    classes: NDArray[Any],
    positive: int,
    weight: Floats,
    confidence: float = CONFIDENCE,
    rows: float | None = None,
) -> PrevalenceEstimate:
    """Estimated shares of the classes from probabilities that refer to ``prior``.

    ``rows`` is the number of labelled rows that would calibrate as well as was done.
    """
    level = _confidence(confidence)
    counts = weight > 0
    rows = calibration_rows() if rows is None else rows
    mixture = Mixture(probability[counts], prior, weight[counts], rows)
    found = mixture.estimated()
    labels = classes.tolist()
    ends = [_interval(mixture, found.most_likely, k, level) for k in range(len(labels))]
    shares = found.shares
    ends = [  # both are known up to a precision, and one may be the end of the other
        (min(low, share), max(high, share))
        for (low, high), share in zip(ends, shares.tolist(), strict=True)
    ]
    return PrevalenceEstimate(
        value=float(shares[positive]),
        interval=ends[positive],
        shares=dict(zip(labels, shares.tolist(), strict=True)),
        intervals=dict(zip(labels, ends, strict=True)),
        reference=dict(zip(labels, prior.tolist(), strict=True)),
        statistic=mixture.statistic(found.most_likely),
        p_value=mixture.p_value(found.most_likely),
        n_rows=int(counts.sum()),
        confidence=level,
        most_likely=dict(zip(labels, found.most_likely.tolist(), strict=True)),
        at_boundary=found.at_boundary,
    )


def _positive(value: Any) -> float:
    if isinstance(value, (bool, str)) or not float(value) > 0:
        raise ValueError(f"n_train must be a number of rows above 0, got {value!r}")
    return float(value)


def _confidence(value: Any) -> float:
    if isinstance(value, (bool, str)) or not 0 < float(value) < 1:
        raise ValueError(f"confidence must be above 0 and below 1, got {value!r}")
    return float(value)


def _interval(mixture: Mixture, likely: Floats, k: int, confidence: float) -> tuple[float, float]:
    """Shares of class k whose profile log-likelihood, discounted, is near enough to the maximum."""
    most = float(chi2.ppf(confidence, 1)) / 2
    top = mixture.log_likelihood(likely)

    def held(share: float) -> bool:
        shares = mixture.with_share(k, share)
        below = top - mixture.log_likelihood(shares)
        return below <= 0 or (np.isfinite(below) and below * mixture.discount(k, shares) <= most)

    inside = float(likely[k])
    least = LEAST_ROWS_AT_ENDS / mixture.n_rows
    start = float(logit(np.clip(inside, least, 1 - least)))

    def end(sign: int) -> float:
        """Step away from the most likely share until one is not held, and bisect."""
        low, high, step = inside, inside, FIRST_STEP
        while low == high:
            further = float(expit(start + sign * step))
            if not least < further < 1 - least:
                further = (1 + sign) / 2
                if held(further):
                    return further
            low, high, step = (further, further, 1.5 * step) if held(further) else (low, further, 0)
        for _ in range(BISECTIONS):
            if abs(high - low) <= PRECISION * max(low, PRECISION):
                break
            middle = (low + high) / 2
            low, high = (middle, high) if held(middle) else (low, middle)
        return low

    return end(-1), end(1)


# ---- classifiers ---------------------------------------------------------------------------------


def reference_shares(clf: Any, prior: Any = None) -> Floats:
    """Shares of the classes that the probabilities of a fitted classifier refer to."""
    if prior is not None:
        positive = positive_index(clf) if len(clf.classes_) == 2 else None
        try:
            return check_prevalence(prior, clf.classes_, positive)
        except ValueError as error:
            raise ValueError(f"prior: {error}") from error
    found = _recorded_shares(clf)
    if found is not None:
        return found
    raise ValueError(
        f"{type(clf).__name__} does not record the shares of the classes in its training rows; "
        "give prior, such as prior=y_train.mean() where labels are 0 and 1"
    )


class SharesWithoutModel(NamedTuple):
    """Shares of the classes for `costboost._core.baselines.by_costs`."""

    values: Floats
    """Share of each class, in the order of ``classes_``."""
    of_training: bool
    """Whether they are those of the training rows, and not those of the rows to be evaluated."""


def shares_without_model(clf: Any, truth: Codes, weight: Floats) -> SharesWithoutModel:
    """Shares of the classes by which labelled rows are decided without a model.

    They are those of the training rows: ``class_prior_``, which all classifiers of costboost have,
    and which is in their files. A pipeline or a frozen classifier of another library does not
    record them. Then they are those of the labelled rows, which makes the rule a little stronger
    than it would be on new rows.

    Parameters
    ----------
    clf : fitted classifier
    truth : array of int of shape (n_rows,)
        Positions of the true classes in ``classes_``.
    weight : array of shape (n_rows,)
    """
    found = _recorded_shares(clf)
    if found is None:
        return SharesWithoutModel(shares_of(truth, weight, len(clf.classes_)), False)
    return SharesWithoutModel(found, True)


def _recorded_shares(clf: Any) -> Floats | None:
    """The shares of the classes that a classifier, or one inside it, records; None if none does."""
    for model in layers(clf):
        found = getattr(_last_step(model), "class_prior_", None)
        if found is not None:
            shares = real_numbers(found)
            return np.asarray(shares / shares.sum())
    return None


def rows_of_calibration(clf: Any) -> float | None:
    """Labelled rows that would calibrate as well as a classifier is; None if it is not known."""
    for layer in layers(clf):
        model: Any = getattr(_last_step(layer), "model_", None)
        rows: float | None = getattr(model, "calibration_rows", None)
        if rows is not None:
            return rows
    return None


def _last_step(model: Any) -> Any:
    """The classifier at the end of a pipeline, also if that is frozen; others unchanged."""
    model = model.estimator if isinstance(model, FrozenEstimator) else model
    return model.steps[-1][1] if isinstance(model, Pipeline) else model


def refuse_uncalibrated(clf: Any) -> None:
    """Raise a ValueError if a classifier of costboost does not decide by its probabilities."""
    for model in layers(clf):
        model = _last_step(model)
        if hasattr(model, "model_") and not decides_by_cost(model):
            raise ValueError(
                f"the probabilities of {type(model).__name__} are not calibrated, so that no "
                "prevalence can be estimated from them. Take CostBoostClassifier, or "
                "calibration='platt' ('dirichlet' for the methods of costboost.multiclass)"
            )


def at_prevalence(clf: Any, prevalence: Any) -> Any:
    """Copy of a fitted classifier whose probabilities and decisions are for a prevalence.

    ``prevalence`` is as in `predict_proba`, but not "estimate".
    """
    if isinstance(clf, OperatingPointClassifier):
        raise ValueError(
            "the threshold of OperatingPointClassifier was chosen for a goal, and does not follow "
            "the prevalence; search it again on rows of that prevalence"
        )
    if isinstance(clf, FrozenEstimator):
        return FrozenEstimator(at_prevalence(clf.estimator, prevalence))
    found = copy(clf)
    if isinstance(clf, Delegating):
        inner, name = inner_of(clf)
        setattr(found, name, at_prevalence(inner, prevalence))
        return found
    refuse_uncalibrated(clf)
    model: Any = getattr(clf, "model_", None)
    if model is None:
        raise ValueError(f"{type(clf).__name__} takes no prevalence; classifiers of costboost do")
    positive = getattr(model, "positive_index", 1 if len(model.classes) == 2 else None)
    found.model_ = model.at_prevalence(check_prevalence(prevalence, model.classes, positive))
    return found


def positive_index(clf: Any) -> int:
    """Index of the positive class in ``classes_``; the last if none is stated."""
    classes = clf.classes_
    for model in layers(clf):
        stated = positive_label(model, None) if hasattr(model, "get_params") else None
        if stated is not None and np.any(classes == stated):
            return int(np.argmax(classes == stated))
    return len(classes) - 1
