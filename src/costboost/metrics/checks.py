"""Arguments of the measures: shared descriptions, validation, rows grouped by score."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost._core.checks import (
    Floats,
    check_finite,
    check_labels,
    check_not_negative,
    check_numbers,
    check_scores,
    check_weight,
    distinct,
    refuse_no_number,
    some,
)
from costboost._core.docstrings import filled, sharing

DESCRIPTIONS = {
    "costs": """
y_true, y_pred : array of shape (n_samples,)
    True and predicted labels.
fn_cost, fp_cost : number or array of shape (n_samples,), optional
    Cost of a false negative (miss) and of a false positive (false alarm), for all rows or for each
    row; two classes. One of the two may be left out and is then 1.
tp_cost, tn_cost : number or array of shape (n_samples,), optional
    Cost of a true positive and of a true negative, 0 if left out. If one of them is given, all four
    costs may be below 0: gains.
cost_matrix : array of shape (n_classes, n_classes), optional
    ``cost_matrix[i, j]`` is the cost of predicting class j where class i is true, classes in
    the order of ``labels``. It multiplies ``sklearn.metrics.confusion_matrix`` entry by entry.
    Abe's C(y1, y2) is its transpose.
costs : Costs or array of shape (n_samples, n_classes), optional
    All costs in one record, instead of the others. Of an array, ``costs[r, j]`` is the cost of
    predicting class j for row r; ``y_true`` may be None then.
labels : array of shape (n_classes,), optional
    Order of the classes in ``cost_matrix`` and ``costs``. Default: the labels that occur, sorted.
pos_label : label, optional
    The positive class for ``fn_cost`` and ``fp_cost``. Default: the greater one.
sample_weight : array of shape (n_samples,), optional
    How often each row counts.
""",
    "y_true": """
y_true : array of shape (n_samples,)
    Labels of two classes.
""",
    "y_prob": """
y_prob : array of shape (n_samples,)
    Probabilities of the positive class.
""",
    "by": """
by : {"skew", "cost"}, default "skew"
    Whether the curve runs over the skew z = n- C- / (n- C- + n+ C+) or over the cost proportion
    c = C- / (C- + C+).
""",
    "prior": """
prior : float, optional
    Share of positives that the probabilities belong to, such as that of the training rows.
    Default: that of the given rows. Probabilities are converted to balanced priors by skew, and
    to the share of the given rows by cost.
""",
    "row_costs": """
fn_cost, fp_cost : number or array of shape (n_samples,), optional
    Costs of a false negative and of a false positive for each row. FNR and FPR then weight rows
    by their costs, and each row has its own threshold: it is predicted positive if
    p fn_cost > (1 - p) fp_cost at the costs given, and with one of the two multiplied by a
    factor at other skews. Costs that are the same for all rows do not change the curve.
costs : Costs, optional
    Costs in one record, instead of the two; those of right predictions are subtracted.
""",
    "pos_label": """
pos_label : label, optional
    The positive class. Default: the greater one.
""",
    "sample_weight": """
sample_weight : array of shape (n_samples,), optional
    How often each row counts.
""",
    "ranked": """
y_score : array of shape (n_samples,)
    Scores that are higher for the positive class. Only their order matters.
""",
    "churn_profit": """
{y_true}
    Churners are the positive class.
{ranked}
alpha, beta : float, default 6 and 14
    Parameters of the beta density of the probability :math:`\\gamma` that a churner accepts the
    incentive; the mean is 0.3.
lifetime_value : float, default 200
    Value V of a customer.
incentive_cost : float, default 10
    Cost d of the incentive, below V.
contact_cost : float, default 1
    Cost f of contacting a customer.
{pos_label}
{sample_weight}
""",
    "verbraken_2013": """
T. Verbraken, W. Verbeke, B. Baesens, "A novel profit maximizing metric for measuring
classification performance of customer churn prediction models", IEEE Transactions on Knowledge
and Data Engineering 25, 2013.
""",
    "credit_profit": """
{y_true}
    Defaulters are the positive class.
{ranked}
p0, p1 : float, default 0.55 and 0.1
    Probabilities that nothing, and that everything is lost when a loan defaults.
roi : float, default 0.2644
    Return on a loan that is repaid, as a share of the amount.
{pos_label}
{sample_weight}
""",
    "verbraken_2014": """
T. Verbraken, C. Bravo, R. Weber, B. Baesens, "Development and application of consumer credit
scoring models using profit-based classification measures", European Journal of Operational
Research 238, 2014.
""",
    "net_benefit_costs": """
fn_cost, fp_cost : number or array of shape (n_samples,), optional
    Costs of a false negative and of a false positive. With arrays, rows count by their costs, and
    each row has its own threshold: its odds are multiplied by the ratio of its costs, each divided
    by its mean.
costs : Costs, optional
    Costs in one record, instead of the two; those of right predictions are subtracted.
""",
    "X_y": """
X : array, data frame or sparse matrix of shape (n_samples, n_features)
y : array of shape (n_samples,)
    True labels, among ``clf.classes_``.
""",
    "vickers_2006": """
A. J. Vickers, E. B. Elkin, "Decision curve analysis: a novel method for evaluating prediction
models", Medical Decision Making 26, 2006.
""",
    "schapire_1998": """
R. E. Schapire, Y. Freund, P. Bartlett, W. S. Lee, "Boosting the margin: a new explanation for the
effectiveness of voting methods", Annals of Statistics 26, 1998.
""",
    "demsar_2006": """
J. Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006.
""",
    "method_values": """
values : array of shape (n_datasets, n_methods)
    A measure of each method on each data set.
""",
    "greater_is_better": """
greater_is_better : bool, default False
    Costs and errors are better when smaller, savings and areas under ROC curves when greater.
""",
    "alpha": """
alpha : float, default 0.05
    Probability that some pair of equal methods is found to differ.
""",
}
"""Parameters and references that several docstrings share; some contain others."""


documented = sharing({name: filled(text, DESCRIPTIONS) for name, text in DESCRIPTIONS.items()})
"""Decorator that replaces names in braces in the docstring of a measure by these descriptions."""


__all__ = [
    "Floats",
    "Levels",
    "Scored",
    "check_both_classes",
    "check_cost",
    "check_in_unit_interval",
    "check_known_labels",
    "check_labels",
    "check_not_negative",
    "check_numbers",
    "check_pos_label",
    "check_probabilities",
    "check_same_length",
    "check_scored",
    "check_weight",
    "counting",
    "distinct",
    "documented",
    "levels",
    "run_starts",
    "some",
]

LIGHTEST = 1e-290
"""Weights below this share of the greatest weight are treated as 0: shares would underflow."""


class Scored(NamedTuple):
    """Class, score and weight of rows; rows of weight 0 are left out."""

    positive: NDArray[np.bool_]
    score: Floats
    weight: Floats | None
    """None if every row has weight 1."""


def check_scored(y_true: Any, score: Any, name: str, pos_label: Any, sample_weight: Any) -> Scored:
    """Validate labels of two classes, finite scores and weights."""
    labels = check_labels("y_true", y_true)
    values = check_scores(name, score)
    check_same_length(labels.size, name, values.size)
    positive = np.asarray(labels == _positive_label(labels, pos_label), dtype=np.bool_)
    if sample_weight is None:
        return Scored(positive, values, None)
    weight = check_weight(sample_weight, labels.size)
    counts = counting(weight, labels.size)
    return Scored(positive[counts], values[counts], weight[counts])


def counting(sample_weight: Any, n_rows: int) -> NDArray[np.bool_]:
    """Rows whose weight is not negligible compared with the greatest weight."""
    weight = check_weight(sample_weight, n_rows)
    return np.asarray(weight > LIGHTEST * weight.max())


def check_probabilities(y_true: Any, y_prob: Any, pos_label: Any, sample_weight: Any) -> Scored:
    """Validate labels of two classes, probabilities and weights."""
    rows = check_scored(y_true, y_prob, "y_prob", pos_label, sample_weight)
    check_in_unit_interval("y_prob", rows.score)
    return rows


def check_in_unit_interval(name: str, values: Floats) -> None:
    """Raise ValueError if a value is not from 0 to 1."""
    outside = (values < 0) | (values > 1)
    if outside.any():
        value = values[outside][0]
        raise ValueError(
            f"{name} must be probabilities from 0 to 1, got {value:g}; calibrate first"
        )


def check_both_classes(rows: Scored) -> Scored:
    """Raise ValueError if all rows are of one class, where an error rate is undefined."""
    if not 0 < rows.positive.sum() < rows.positive.size:
        which = "positive" if rows.positive.any() else "negative"
        raise ValueError(
            f"every row that counts is {which}; the rates of misses and of false alarms need rows "
            "of both classes"
        )
    return rows


def check_cost(name: str, value: Any, n_rows: int, gains: bool = False) -> Floats:
    """Validate the cost of an outcome: one number, or one for each row; with gains any sign."""
    refuse_no_number(name, value)
    cost = check_finite(name, value) if gains else check_not_negative(name, value)
    if cost.shape not in ((), (n_rows,)):
        raise ValueError(
            f"{name} must be one number or one for each of the {n_rows} rows, got an array of "
            f"shape {cost.shape}"
        )
    return cost


def _positive_label(labels: NDArray[Any], pos_label: Any) -> Any:
    classes = distinct(labels)
    if len(classes) > 2:
        raise ValueError(
            f"y_true has {len(classes)} classes, {some(classes)}; this measure is for two"
        )
    if pos_label is not None:
        check_pos_label(classes, pos_label)
        return pos_label
    if len(classes) == 1 and not any(classes[0] == label for label in (-1, 0, 1)):
        raise ValueError(
            f"y_true has one class only, {some(classes)}, which may be the positive or the "
            "negative one; pass pos_label"
        )
    return classes[1] if len(classes) == 2 else 1


def check_pos_label(classes: NDArray[Any], pos_label: Any) -> None:
    """Raise ValueError if the positive label is none of two classes."""
    if len(classes) == 2 and not np.any(classes == pos_label):
        raise ValueError(f"pos_label is {pos_label!r}, but the classes are {some(classes)}")


def check_known_labels(y: Any, classes: NDArray[Any]) -> NDArray[Any]:
    """Validate labels, all of which must be among the classes of a model."""
    labels = check_labels("y", y)
    unknown = ~np.isin(labels, classes)
    if unknown.any():
        raise ValueError(
            f"y contains {labels[unknown].tolist()[0]!r}, but the classes of the model are "
            f"{some(classes)}"
        )
    return labels


def check_same_length(n_rows: int, name: str, n_other: int) -> None:
    """Raise ValueError if ``y_true`` and another argument differ in length."""
    if n_other != n_rows:
        raise ValueError(f"y_true has {n_rows} rows, but {name} has {n_other}")


# ---- rows grouped by score -----------------------------------------------------------------------


class Levels(NamedTuple):
    """Distinct scores in increasing order, and the weight of each class at each score."""

    score: Floats
    positive: Floats
    negative: Floats


def levels(rows: Scored) -> Levels:
    """Group rows by score."""
    order = np.argsort(rows.score)
    score, positive = rows.score[order], rows.positive[order]
    first = run_starts(score)
    weight = np.ones(score.size) if rows.weight is None else rows.weight[order]
    sides = (np.add.reduceat(weight * side, first) for side in (positive, ~positive))
    return Levels(score[first], *sides)


def run_starts(values: Floats) -> NDArray[np.intp]:
    """Positions where runs of equal values begin."""
    return np.append(0, np.flatnonzero(values[1:] != values[:-1]) + 1)
