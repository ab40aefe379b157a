"""Descriptions that the docstrings of displays share."""

from __future__ import annotations

from costboost._core.docstrings import sharing

ROWS = {
    "estimator": """
estimator : fitted classifier
    Of this library, or of scikit-learn with the methods that are needed.
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
    "ranked_score": """
y_score : array of shape (n_samples,)
    Scores that are higher for the positive class.
""",
    "weight": """
sample_weight : array of shape (n_samples,), optional
    Weights of the rows.
""",
    "costs": """
fn_cost, fp_cost : number or array of shape (n_samples,), default 1
    Cost of a false negative and of a false positive, for all rows or for each of them.
tp_cost, tn_cost : number or array of shape (n_samples,), optional
    Costs of right predictions, 0 if left out; a gain is a negative cost.
costs : Costs, optional
    All costs in one record, instead of the four.
""",
    "marked_costs": """
fn_cost, fp_cost : number or array of shape (n_samples,), optional
    Costs of false negatives and false positives, as for ``from_predictions``.
tp_cost, tn_cost : number or array of shape (n_samples,), optional
    Costs of right predictions, as for ``from_predictions``.
costs : Costs, optional
    All costs in one record, instead of the four.
""",
    "by": """
by : {"skew", "cost"}, default "skew"
    Whether the x axis is the skew z or the cost proportion c.
""",
    "prior": """
prior : float, optional
    Share of positives for which the probabilities hold, such as that of the training rows.
    Default: that of the given rows. A cost curve does not depend on it.
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
"""Classifiers and rows."""

CHOICES = {
    "measures": """
measures : list of str
    Some of "precision", "recall", "f1", "fpr", "error", "cost", "normalized_cost".
""",
    "rounds": """
rounds : list of int, optional
    Plot the margins after these rounds, counted from 1. Default: after the last.
""",
    "per_class": """
per_class : bool, default False
    Whether to plot a curve for each class.
""",
    "values": """
values : array or data frame of shape (n_datasets, n_methods), or dict of lists
    A measure of each method on each data set. A data frame or a dict also contains the
    names of the methods.
""",
    "names": """
names : list of str, optional
    Names of the methods.
""",
    "resampling": """
confidence : float, optional
    Draw a band: a percentile bootstrap interval over the rows with this confidence, such as
    0.95. Default: no band.
n_resamples : int, default 200
    Resamples of the rows for the band.
random_state : int, RandomState or None, default None
    Seed of the resamples.
""",
    "greater_is_better": """
greater_is_better : bool, default False
    Costs and errors are better when smaller, savings and areas under ROC curves when
    greater.
""",
}
"""Choices of what is plotted."""

PICTURE = {
    "name": """
name : str, optional
    Name for the legend.
""",
    "ax": """
ax : matplotlib Axes, optional
    Axes to plot on. Default: those of a new figure.
""",
    "legend": """
legend : {"auto", "outside"}, a location of matplotlib's or None, default "auto"
    Location of the legend. "auto" and "outside": beside the axes, or below if it is wide. A
    figure without a layout engine gets matplotlib's tight layout, which makes room for it.
""",
    "line_and_band": """
line_kw, band_kw : dict, optional
    Options of matplotlib's ``plot`` for the lines and ``fill_between`` for the bands.
""",
    "line_options": """
**kwargs
    More options of the lines, such as ``color``; they override those of ``line_kw``.
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
    "itself": """
Returns
-------
self
""",
}
"""Options of plots."""

PICTURE["plot"] = PICTURE["ax"] + "**options\n    Passed on to ``plot``.\n"
PICTURE["drawing"] = PICTURE["name"] + PICTURE["plot"].lstrip("\n")

CLASSES = {
    "skew_curve": """
z, q : arrays of one length
    Skews or cost proportions, and costs there.
lower, upper : arrays of that length, optional
    Limits of a band around q.
n_runs : int, default 1
    Number of runs of which q is the mean.
area : float, optional
    The area below the curve, for the legend.
skew : float, optional
    A skew or cost proportion to mark.
name : str, optional
    Name of the curve.
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
    "ranked_band": """
lower, upper : arrays of that length, optional
    Limits of an interval band.
confidence : float, optional
    Confidence of the band, for the legend.
""",
    "ranked_share_band": """
lower, upper : arrays of shape (201,), optional
    Limits of an interval band at the shares 0, 0.005, ..., 1.
confidence : float, optional
    Confidence of the band, for the legend.
""",
    "ranked_parts": """
ax_ : matplotlib Axes
figure_ : matplotlib Figure
line_ : matplotlib Line2D
    The curve.
band_ : matplotlib PolyCollection or None
    The band.
""",
    "train_values": """
train_values : dict of Band, optional
    Measures of the training rows by name.
""",
    "class_of_measures": """
pos_label : label, optional
    The class of precision, recall and F1.
""",
    "classifier_name": """
name : str, optional
    Name of the classifier.
""",
    "class_names": """
classes : tuple (negative, positive), optional
    Names of the classes for the legend.
""",
    "measure_lines": """
ax_ : matplotlib Axes
figure_ : matplotlib Figure
cost_ax_ : matplotlib Axes or None
    Axes of the mean cost, on the right; ``ax_`` if there is no other measure.
lines_ : dict of matplotlib Line2D
    The lines by measure; those of the training rows are in ``train_lines_``.
bands_ : dict
    The bands by measure, or None for a line without one; likewise ``train_bands_``.
""",
}
"""Parameters and attributes of displays."""

documented = sharing(ROWS | CHOICES | PICTURE | CLASSES)
"""Decorator that replaces names in braces in a docstring by these descriptions."""
