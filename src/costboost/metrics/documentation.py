"""Descriptions that the docstrings of several measures share."""

from __future__ import annotations

from costboost.docstrings import sharing

documented = sharing(
    {
        "costs": """
y_true, y_pred : array of shape (n_samples,)
    True and predicted labels.
fn_cost, fp_cost : number or array of shape (n_samples,), optional
    Cost of a miss and of a false alarm, for all rows or for each of them; two classes. One of the
    two may be left out and is then 1; without any costs there is nothing to measure.
cost_matrix : array of shape (n_classes, n_classes), optional
    ``cost_matrix[i, j]`` is the cost of predicting class j where class i is true, classes in
    the order of ``labels``. It multiplies ``sklearn.metrics.confusion_matrix`` entry by entry.
    Abe's C(y1, y2) is its transpose.
costs : array of shape (n_samples, n_classes), optional
    ``costs[r, j]`` is the cost of predicting class j for row r. ``y_true`` may be None then.
labels : array of shape (n_classes,), optional
    Order of the classes in ``cost_matrix`` and ``costs``. Default: those that occur, sorted.
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
    Default: that of the given rows. Probabilities are moved from there to balanced priors by
    skew, and to the share of the given rows by cost.
""",
        "row_costs": """
fn_cost, fp_cost : number or array of shape (n_samples,), optional
    Costs of a false negative and of a false positive for each row. Then rows count by their costs
    in FNR and FPR, and each has a threshold of its own, so that a row is predicted positive if
    p fn_cost > (1 - p) fp_cost at the costs given, and with one of them multiplied by a
    factor elsewhere. Costs that are the same for all rows do not change the curve.
""",
        "pos_label": """
pos_label : label, optional
    The positive class. Default: the greater one.
""",
        "sample_weight": """
sample_weight : array of shape (n_samples,), optional
    How often each row counts.
""",
        "X_y": """
X : array, data frame or sparse matrix of shape (n_samples, n_features)
y : array of shape (n_samples,)
    True labels, among ``clf.classes_``.
""",
    }
)
"""Writes them where a docstring has their names in braces."""
