"""Monitoring of a model on new rows: two passes over them, and what follows from both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from costboost.checks import Floats
from costboost.classifiers.cost_cells import GivenCosts
from costboost.decisions.actions import ActionClassifier
from costboost.decisions.prevalence import (
    PrevalenceEstimate,
    estimate,
    positive_index,
    reference_shares,
)
from costboost.model.prevalence import odds_factor, reweighted
from costboost.monitoring.costs import (
    Batch,
    CostSums,
    Decided,
    Interval,
    Z,
    check_model,
    decided,
    in_batches,
)
from costboost.monitoring.reference import (
    PROBABILITY,
    ColumnSketch,
    Drift,
    ProbabilitySketch,
    Recalibration,
    Reference,
    adjusted_drifts,
    columns_of,
    compare_columns,
    feature_names,
    kept_reference,
    recalibrate,
    recalibrated,
)
from costboost.monitoring.result import SHIFT, Monitoring

Batches = Callable[[], Iterator[Batch]]


def monitor(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    fn_cost: Any = None,
    fp_cost: Any = None,
    tp_cost: Any = None,
    tn_cost: Any = None,
    action_costs: Any = None,
    reference: Reference | None = None,
    alarm: float | None = None,
    unit: str = "",
) -> Monitoring:
    r"""Compare the decisions of a model on new rows with those that were expected, in money.

    Without labels, the expected cost of each decision follows from the calibrated probability,
    :math:`E(c) = p\,c_{+} + (1 - p)\,c_{-}`. It is right if the probabilities still hold, as they
    do if only the features have changed (covariate shift). If only the prevalence has changed, that
    is estimated (see `costboost.estimate_prevalence`), and so are the cost at this prevalence and
    the loss from decisions that do not take it into account. Features are compared with those of
    the held-out rows. A change of the relation between features and classes (concept drift) cannot
    be seen without labels.

    With labels, costs are measured, and the probabilities are checked: calibration in the large and
    calibration slope (Cox 1958).

    Parameters
    ----------
    model : classifier
        Fitted, of two classes, with calibrated probabilities, or an `ActionClassifier` around one:
        then the decisions are actions, each row decided alone.
    X : array, data frame, sparse matrix or Dask collection of shape (n_samples, n_features)
        The new rows. A Dask collection is read twice, block by block.
    y : array of shape (n_samples,), optional
        Their labels, if they are known.
    fn_cost, fp_cost, tp_cost, tn_cost : number or array of shape (n_samples,), optional
        Costs of the outcomes. Default: those of training. Not for actions.
    action_costs : pandas frame or dict of dicts, optional
        For an `ActionClassifier`, costs of these rows, as ``costs`` of its ``predict``.
    reference : Reference, optional
        Summary of held-out rows. Default: the one that is kept with the model, see `reference`.
    alarm : float, optional
        Expected loss of all rows together above which ``alarmed`` is True, if a change is beyond
        chance.
    unit : str, default=""
        Unit of the costs, for texts.

    Returns
    -------
    Monitoring
        ``print`` shows a summary; ``to_dict()`` is for programs.

    References
    ----------
    Cox, D. R. (1958). Two further applications of a model for binary regression. Biometrika 45,
    562-565.

    Saerens, M., Latinne, P. & Decaestecker, C. (2002). Adjusting the outputs of a classifier to new
    a priori probabilities: a simple procedure. Neural Computation 14(1), 21-41.

    Benjamini, Y. & Hochberg, Y. (1995). Controlling the false discovery rate. Journal of the Royal
    Statistical Society B 57(1), 289-300.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from costboost import CostBoostClassifier
    >>> from costboost.monitoring import monitor, reference
    >>> X, y = make_classification(3000, random_state=0)
    >>> clf = CostBoostClassifier(n_estimators=20, random_state=0).fit(X[:1000], y[:1000])
    >>> _ = reference(clf, X[1000:2000], y[1000:2000])
    >>> found = monitor(clf, X[2000:], alarm=100)
    >>> found.alarmed, len(found.drifted)
    (False, 0)
    """
    costs = GivenCosts(fn_cost, fp_cost, tp_cost, tn_cost)
    batches = in_batches(Batch(X, y, costs, action_costs))
    return monitor_batches(model, batches, reference=reference, alarm=alarm, unit=unit)


def monitor_batches(
    model: Any,
    batches: Batches,
    *,
    reference: Reference | None = None,
    alarm: float | None = None,
    unit: str = "",
) -> Monitoring:
    """Monitor rows that are read in batches, twice; ``batches()`` iterates over them."""
    check_model(model)
    if alarm is not None and not (np.isfinite(alarm) and alarm >= 0):
        raise ValueError(f"alarm must be a cost of at least 0, got {alarm!r}")
    old = kept_reference(model) if reference is None else reference
    first = _FirstPass(model, old)
    for batch in batches():
        first.add(batch)
    if not first.sums.n_rows:
        raise ValueError("there are no rows to monitor")
    found = first.prevalence()
    again = recalibrate(first.probabilities) if first.sums.n_labelled else None
    second = _SecondPass(float(first.prior[first.positive]), found, again)
    for batch in batches():
        second.add(decided(model, batch))
    sums = first.sums
    error = 0.0 if old is None else old.cost_error
    return Monitoring(
        n_rows=sums.n_rows,
        n_labelled=sums.n_labelled,
        alarms=sums.predicted / sums.n_rows,
        base=sums.base,
        expected_cost=sums.expected_cost(error),
        expected_savings=sums.expected_savings(error),
        prevalence=found,
        shifted_cost=second.shifted_cost(error),
        realised_cost=sums.realised_cost,
        realised_savings=sums.realised_savings,
        in_the_large=None
        if again is None
        else Interval.around(again.in_the_large, again.in_the_large_error),
        slope=None if again is None else Interval.around(*again.slope),
        calibration_p_value=None if again is None else again.p_value,
        loss=second.loss(),
        drifts=first.drifts(),
        reference=old,
        alarm=alarm,
        unit=unit,
        actions=sums.shares if isinstance(model, ActionClassifier) else {},
    )


def _prior(model: Any, old: Reference | None) -> Floats:
    """Shares of the classes that probabilities refer to: of training, or of the reference rows."""
    try:
        return reference_shares(model)
    except ValueError:
        if old is None or not 0 < old.prevalence < 1:
            raise
        return reference_shares(model, old.prevalence)


class _FirstPass:
    """Sums of costs, sketches of features and of probabilities."""

    def __init__(self, model: Any, old: Reference | None) -> None:
        self.model, self.old = model, old
        self.prior, self.positive = _prior(model, old), positive_index(model)
        self.sums, self.probabilities = CostSums(), ProbabilitySketch()
        self.new: dict[str, ColumnSketch] = (
            {} if old is None else {one.name: one.empty() for one in old.columns}
        )

    def add(self, batch: Batch) -> None:
        """Add the rows of a batch."""
        found = decided(self.model, batch)
        self.sums.add(*found)
        self.probabilities.add(found.probability, found.truth)
        if self.old is None:
            return
        for name, values in columns_of(batch.X, feature_names(self.model)):
            if name in self.new:
                self.new[name].add(values)
        self.new[PROBABILITY].add(found.probability)

    def prevalence(self) -> PrevalenceEstimate:
        """Estimated share of the positive class."""
        p, n, _ = self.probabilities.table()
        k = self.positive
        columns = np.column_stack([1 - p, p] if k == 1 else [p, 1 - p])
        found = estimate(columns, self.prior, self.model.classes_, k, n)
        return PrevalenceEstimate(**{**vars(found), "n_rows": self.sums.n_rows})

    def drifts(self) -> list[Drift]:
        """Comparison of all columns with the reference."""
        if self.old is None:
            return []
        pairs = [(one, self.new[one.name]) for one in self.old.columns]
        return adjusted_drifts([compare_columns(*pair) for pair in pairs])


class _SecondPass:
    """Costs of the decisions, and of the best ones, by probabilities that new rows suggest."""

    def __init__(
        self, prior: float, found: PrevalenceEstimate, again: Recalibration | None
    ) -> None:
        inner = np.clip([found.value, *found.interval], 1e-9, 1 - 1e-9)
        self.factors = [odds_factor(prior, float(share)) for share in inner]
        self.unchanged = found.interval[0] <= prior <= found.interval[1]
        self.others: list[Floats] = []
        if again is not None:
            self.unchanged, self.others = again.p_value >= SHIFT, again.region()
        self.n_rows, self.variance = 0, 0.0
        self.stay, self.best = np.zeros((2, len(self.factors) + len(self.others)))

    def add(self, rows: Decided) -> None:
        """Add the rows of a batch."""
        p, costs = rows.probability, rows.costs
        others = [reweighted(p, factor) for factor in self.factors]
        others += [recalibrated(p, coefficients) for coefficients in self.others]
        self.n_rows += p.size
        gap = np.subtract(*costs.of_decision(rows.codes))
        self.variance += float((others[0] * (1 - others[0]) * gap**2).sum())
        for k, q in enumerate(others):
            self.stay[k] += costs.expected(rows.codes, q).sum()
            self.best[k] += costs.least(q).sum()

    def shifted_cost(self, calibration_error: float) -> Interval:
        """Expected cost of a row at the estimated prevalence.

        The interval adds the error of the prevalence to that of the rows.
        """
        error = np.hypot(np.sqrt(self.variance) / self.n_rows, calibration_error)
        value, *ends = (self.stay[:3] / self.n_rows).tolist()
        below = min(0.0, *(end - value for end in ends))
        above = max(0.0, *(end - value for end in ends))
        return Interval(
            value,
            value - float(np.hypot(Z * error, below)),
            value + float(np.hypot(Z * error, above)),
        )

    def loss(self) -> Interval:
        """Expected loss of all rows from deciding as the model does."""
        lost: Floats = np.maximum(self.stay - self.best, 0.0)
        value, *ends = (lost[len(self.factors) :] if self.others else lost).tolist()
        return Interval(value, 0.0 if self.unchanged else min(value, *ends), max(value, *ends))
