"""Monitoring of a model on new rows, by two passes over them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import chdtrc

from costboost._core.baselines import Z
from costboost._core.checks import Floats
from costboost._core.model.prevalence import odds_factor, reweighted
from costboost._core.model.shares import TRAINING_ROWS, calibration_rows
from costboost.app.monitoring.batches import (
    Batch,
    Decided,
    batch_of,
    check_model,
    decided,
    in_batches,
)
from costboost.app.monitoring.columns import columns_of
from costboost.app.monitoring.costs import (
    CostSums,
    expected_cost,
    if_positive_or_negative,
    least_cost,
)
from costboost.app.monitoring.errors import MiscalibrationError, logits, miscalibration
from costboost.app.monitoring.findings import SHIFT, Monitoring
from costboost.app.monitoring.intervals import Interval
from costboost.app.monitoring.recalibration import Recalibration, recalibrate, recalibrated
from costboost.app.monitoring.reference import (
    Reference,
    feature_names,
    kept_reference,
    refuse_same_names,
)
from costboost.app.monitoring.sketches import (
    ColumnSketch,
    Drift,
    ProbabilitySketch,
    adjusted_drifts,
    compare_columns,
)
from costboost.decisions.actions import ActionClassifier
from costboost.decisions.prevalence import (
    PrevalenceEstimate,
    estimate,
    positive_index,
    reference_shares,
    rows_of_calibration,
)

SHARES_TRIED = 9
"""Prevalences within the interval at which features are compared."""


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
    costs: Any = None,
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
    costs : Costs, optional
        All costs in one record, instead of the four. For an `ActionClassifier`, costs of the
        actions on these rows, as in its ``predict``.
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
    four = fn_cost, fp_cost, tp_cost, tn_cost
    batches = in_batches(batch_of(model, X, y, costs, *four))
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
    found, sums = first.prevalence(), first.sums
    unexplained = first.unexplained(found)
    wrong = miscalibration(
        sums.information / sums.n_rows, first.rows, None if old is None else old.measured
    )
    again = recalibrate(first.probabilities) if sums.n_labelled else None
    p_value = None if again is None else again.p_value(wrong)
    believed = sums.n_labelled > 0 or not unexplained
    second = _SecondPass(float(first.prior[first.positive]), found, again, p_value, believed)
    for batch in batches():
        second.add(decided(model, batch))
    return Monitoring(
        n_rows=sums.n_rows,
        n_labelled=sums.n_labelled,
        alarms=sums.predicted / sums.n_rows,
        base=sums.base,
        expected_cost=sums.expected_cost(wrong),
        expected_savings=sums.expected_savings(wrong),
        prevalence=found,
        shifted_cost=second.shifted_cost(wrong),
        realised_cost=sums.realised_cost,
        realised_savings=sums.realised_savings,
        in_the_large=None
        if again is None
        else Interval.around(again.in_the_large, again.in_the_large_error),
        slope=None if again is None else Interval.around(*again.slope),
        calibration_p_value=p_value,
        loss=second.loss(),
        drifts=first.drifts(),
        reference=old,
        alarm=alarm,
        unit=unit,
        actions=sums.shares if isinstance(model, ActionClassifier) else {},
        unexplained=unexplained,
        prior=float(first.prior[first.positive]),
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
        known = rows_of_calibration(model)
        self.rows = calibration_rows() if known is None else known
        self.sums = CostSums(float(self.prior[self.positive]))
        self.probabilities = ProbabilitySketch()
        self.new: dict[str, ColumnSketch] = {}
        if old is not None:
            self.new = {one.name: one.empty() for one in old.features}
            self.own = old.probability.empty()

    def add(self, batch: Batch) -> None:
        """Add the rows of a batch."""
        found = decided(self.model, batch)
        self.sums.add(*found)
        self.probabilities.add(found.probability, found.truth)
        if self.old is None:
            return
        columns = list(columns_of(batch.X, feature_names(self.model)))
        names = [name for name, _ in columns]
        refuse_same_names(names)
        missing = [name for name in self.new if name not in names]
        if missing:
            raise ValueError(
                f"the reference has the column {missing[0]!r}, which these rows do not have: it is "
                "damaged, or of another model"
            )
        for name, values in columns:
            if name in self.new:
                self.new[name].add(values)
        self.own.add(found.probability)

    def prevalence(self) -> PrevalenceEstimate:
        """Share of the positive class, by labels if there are any."""
        if self.sums.n_labelled:
            return self._of_labels()
        p, n, _ = self.probabilities.table()
        k, old = self.positive, self.old
        base, rows = self.prior[k], self.rows
        if old is not None and old.mean_probability is not None:
            base = (rows * base + old.n_rows * old.mean_probability) / (rows + old.n_rows)
            rows += old.n_rows
        columns, shares = self._in_order(p), self._in_order(np.asarray(base))
        found = estimate(columns, shares, self.model.classes_, k, n, rows=rows)
        return self._from(found, float(base))

    def _in_order(self, values: Floats) -> Floats:
        """Values of both classes, in their order, from those of the positive class."""
        pair = (1 - values, values) if self.positive == 1 else (values, 1 - values)
        return np.stack(pair, axis=-1)

    def _from(self, found: PrevalenceEstimate, base: float) -> PrevalenceEstimate:
        """The estimate with its shift from the shares of training instead of a base.

        The base is what the mean probability of rows as in training is.
        """
        factor = odds_factor(base, float(self.prior[self.positive]))

        def moved(share: float) -> float:
            return float(reweighted(np.array([share]), factor)[0])

        low, high = map(moved, found.interval)
        values = moved(found.value), moved(found.most_likely[self._label])
        return self._estimate(
            values, (low, high), found.statistic, found.p_value, found.at_boundary
        )

    def _of_labels(self) -> PrevalenceEstimate:
        """Share of the labels with Wilson's interval, and the test against that of training.

        The share of training is known as well as by the rows of training and of the reference.
        """
        n, share = self.sums.n_labelled, self.sums.positives / self.sums.n_labelled
        prior = float(self.prior[self.positive])
        n_known = self.rows * TRAINING_ROWS
        pooled = (share * n + prior * n_known) / (n + n_known)
        variance = pooled * (1 - pooled) * (1 / n + 1 / n_known)
        statistic = 0.0 if variance == 0 else (share - prior) ** 2 / variance
        center, scale = (share + Z**2 / (2 * n)) / (1 + Z**2 / n), Z / (1 + Z**2 / n)
        half = scale * np.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
        ends = max(0.0, min(share, center - half)), min(1.0, max(share, center + half))
        return self._estimate((share, share), ends, statistic, float(chdtrc(1, statistic)))

    @property
    def _label(self) -> Any:
        """The positive class."""
        return self.model.classes_.tolist()[self.positive]

    def _estimate(
        self,
        values: tuple[float, float],
        ends: tuple[float, float],
        statistic: float,
        p_value: float,
        at_boundary: bool = False,
    ) -> PrevalenceEstimate:
        """Of both classes, from the share and the most likely share of the positive one."""
        labels, (low, high) = self.model.classes_.tolist(), ends
        here, other = self.positive, 1 - self.positive
        return PrevalenceEstimate(
            value=values[0],
            interval=ends,
            shares={labels[here]: values[0], labels[other]: 1 - values[0]},
            intervals={labels[here]: ends, labels[other]: (1 - high, 1 - low)},
            reference=dict(zip(labels, self.prior.tolist(), strict=True)),
            statistic=statistic,
            p_value=p_value,
            n_rows=self.sums.n_labelled or self.sums.n_rows,
            most_likely={labels[here]: values[1], labels[other]: 1 - values[1]},
            at_boundary=at_boundary,
        )

    def drifts(self) -> list[Drift]:
        """Comparison of all columns with the reference."""
        if self.old is None:
            return []
        found = [compare_columns(one, self.new[one.name]) for one in self.old.features]
        own = replace(compare_columns(self.old.probability, self.own), of_model=True)
        return adjusted_drifts([*found, own])

    def unexplained(self, found: PrevalenceEstimate) -> list[Drift]:
        """Features that have changed from what they would be at any prevalence in the interval.

        Those at the prevalence that explains most of them; as in the comparison with the reference
        if that does not know the classes of its rows.
        """
        drifted = [one for one in self.drifts() if one.found and not one.of_model]
        if self.old is None or not drifted:
            return []
        low, high = found.interval
        fewest = drifted
        for share in [found.value, *np.linspace(low, high, SHARES_TRIED).tolist()]:
            there = [(one.at_share(share), self.new[one.name]) for one in self.old.features]
            pairs = [(old, new) for old, new in there if old is not None]
            if not pairs:
                break
            beyond = adjusted_drifts([compare_columns(*pair) for pair in pairs])
            fewest = min(fewest, [one for one in beyond if one.found], key=len)
        return fewest


class _SecondPass:
    """Costs of the decisions, and of the best ones, by probabilities that new rows suggest."""

    def __init__(
        self,
        prior: float,
        found: PrevalenceEstimate,
        again: Recalibration | None,
        p_value: float | None,
        believed: bool,
    ) -> None:
        value = found.value if believed else prior
        inner = np.clip([value, *found.interval], 1e-9, 1 - 1e-9)
        self.factors = [odds_factor(prior, float(share)) for share in inner]
        self.unchanged = not believed or found.p_value >= SHIFT
        self.others: list[Floats] = []
        if again is not None and p_value is not None:
            self.unchanged, self.others = p_value >= SHIFT, again.region()
        self.n_rows, self.variance, self.gradient = 0, 0.0, np.zeros(2)
        self.stay, self.best = np.zeros((2, len(self.factors) + len(self.others)))

    def add(self, rows: Decided) -> None:
        """Add the rows of a batch."""
        p, costs = rows.probability, rows.costs
        others = [reweighted(p, factor) for factor in self.factors]
        others += [recalibrated(p, coefficients) for coefficients in self.others]
        self.n_rows += p.size
        gap = np.subtract(*if_positive_or_negative(costs, rows.codes))
        variance = others[0] * (1 - others[0])
        self.variance += float((variance * gap**2).sum())
        self.gradient += np.stack([variance, variance * logits(p)]) @ gap
        for k, q in enumerate(others):
            self.stay[k] += expected_cost(costs, rows.codes, q).sum()
            self.best[k] += least_cost(costs, q).sum()

    def shifted_cost(self, wrong: MiscalibrationError) -> Interval:
        """Expected cost of a row at the estimated prevalence.

        The interval adds the error of the prevalence to those of the rows and of the calibration.
        """
        calibration = wrong.of(self.gradient / self.n_rows)
        error = np.hypot(np.sqrt(self.variance) / self.n_rows, calibration)
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
