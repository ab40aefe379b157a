"""Descriptions that the docstrings of several displays share."""

from __future__ import annotations

from costboost.docstrings import sharing

ROWS = {
    "estimator": """
estimator : fitted classifier
    Of this library, or any of scikit-learn's that can say what is needed.
""",
    "rows": """
X : array, data frame or sparse matrix of shape (n_samples, n_features)
y : array of shape (n_samples,)
    True labels of two classes.
""",
    "cv_results": """
cv_results : dict
    What ``sklearn.model_selection.cross_validate`` returns with ``return_estimator=True``
    and ``return_indices=True``.
X, y : arrays
    The rows that were cross-validated.
""",
    "y_true": """
y_true : array of shape (n_samples,)
    True labels of two classes.
""",
    "weight": """
sample_weight : array of shape (n_samples,), optional
    How often each row counts.
""",
    "costs": """
fn_cost, fp_cost : number or array of shape (n_samples,), default 1
    Cost of a miss and of a false alarm, for all rows or for each of them.
""",
    "marked_costs": """
fn_cost, fp_cost : number or array of shape (n_samples,), optional
    Costs of a miss and of a false alarm, as for ``from_predictions``.
""",
    "by": """
by : {"skew", "cost"}, default "skew"
    Whether the curve runs over the skew z or over the cost proportion c.
""",
    "prior": """
prior : float, optional
    Share of positives that probabilities belong to, such as that of the training rows. Default:
    that of the given rows. A cost curve does not depend on it.
""",
    "pos_label": """
pos_label : label, optional
    The positive class. Default: that of the classifier, or else the greater one.
""",
    "greater_label": """
pos_label : label, optional
    The positive class. Default: the greater one.
""",
}
"""Classifiers and the rows they are asked about."""

CHOICES = {
    "measures": """
measures : list of str
    Some of "precision", "recall", "f1", "fpr", "error", "cost", "normalized_cost".
""",
    "rounds": """
rounds : list of int, optional
    Draw the margins after these rounds, counted from 1. Default: after the last.
""",
    "per_class": """
per_class : bool, default False
    Whether either class has a curve of its own.
""",
    "values": """
values : array or data frame of shape (n_datasets, n_methods), or dict of lists
    A measure of each method on each data set. A data frame or a dict has the names of the
    methods too.
""",
    "names": """
names : list of str, optional
    Names of the methods.
""",
    "greater_is_better": """
greater_is_better : bool, default False
    Costs and errors are better when smaller, savings and areas under ROC curves when
    greater.
""",
}
"""What to draw."""

PICTURE = {
    "name": """
name : str, optional
    What to call it in the legend.
""",
    "ax": """
ax : matplotlib Axes, optional
    Where to draw. Default: a new figure.
""",
    "legend": """
legend : {"auto", "outside"}, a location of matplotlib's or None, default "auto"
    Where the legend is. "auto" and "outside": beside the axes, or below if it is wide. A figure
    without a layout engine is given matplotlib's tight layout, which makes room for it.
""",
    "line_and_band": """
line_kw, band_kw : dict, optional
    Options of matplotlib's ``plot`` for the lines and ``fill_between`` for the bands.
""",
    "line_options": """
**kwargs
    More options of the lines, such as ``color``; they are preferred to those of ``line_kw``.
""",
    "bar_options": """
**kwargs
    More options of the bars, such as ``color``.
""",
    "point_options": """
**kwargs
    More options of the points, such as ``color``.
""",
    "axes": """
ax_ : matplotlib Axes
figure_ : matplotlib Figure
""",
    "returns": """
Returns
-------
display
""",
}
"""How to draw it."""

PICTURE["plot"] = PICTURE["ax"] + "**options\n    Passed on to ``plot``.\n"
PICTURE["drawing"] = PICTURE["name"] + PICTURE["plot"].lstrip("\n")

CLASSES = {
    "skew_curve": """
z, q : arrays of one length
    Skews or cost proportions, and costs there.
lower, upper : arrays of that length, optional
    Limits of a band around q.
n_runs : int, default 1
    How many runs q is the mean of.
area : float, optional
    The area below the curve, for the legend.
skew : float, optional
    A skew or cost proportion to mark.
name : str, optional
    What to call the curve.
by : {"skew", "cost"}, default "skew"
    Whether ``z`` and ``skew`` are skews or cost proportions.
positive_share : float, optional
    Share of positives among the rows; by cost proportion, the trivial classifiers depend on it.
""",
    "skew_curve_parts": """
ax_ : matplotlib Axes
figure_ : matplotlib Figure
line_ : matplotlib Line2D
    The curve.
band_ : matplotlib PolyCollection or None
    The band.
trivial_ : tuple of matplotlib Line2D
    The classifiers that predict every row negative, and positive; empty if not drawn.
skew_line_ : matplotlib Line2D or None
    The mark of the costs.
""",
    "train_values": """
train_values : dict of Band, optional
    The same of the training rows.
""",
    "class_of_measures": """
pos_label : label, optional
    The class that precision, recall and F1 are of.
""",
    "classifier_name": """
name : str, optional
    What to call the classifier.
""",
    "class_names": """
classes : tuple (negative, positive), optional
    Names of the classes for the legend.
""",
    "measure_lines": """
ax_ : matplotlib Axes
figure_ : matplotlib Figure
cost_ax_ : matplotlib Axes or None
    Those of the mean cost, on the right; ``ax_`` if nothing else is drawn.
lines_ : dict of matplotlib Line2D
    The lines by measure; those of the training rows are in ``train_lines_``.
bands_ : dict
    The bands by measure, None where there is none; likewise ``train_bands_``.
""",
}
"""What displays hold."""

documented = sharing(ROWS | CHOICES | PICTURE | CLASSES)
"""Writes them where a docstring has their names in braces."""
