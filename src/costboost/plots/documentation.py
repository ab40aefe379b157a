"""Descriptions that the docstrings of several displays share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

F = TypeVar("F", bound=Callable[..., object])

ENTRIES = {
    "estimator": """\
        estimator : fitted classifier
            Of this library, or any of scikit-learn's that can say what is needed.""",
    "rows": """\
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            True labels of two classes.""",
    "cv_results": """\
        cv_results : dict
            What ``sklearn.model_selection.cross_validate`` returns with ``return_estimator=True``
            and ``return_indices=True``.
        X, y : arrays
            The rows that were cross-validated.""",
    "y_true": """\
        y_true : array of shape (n_samples,)
            True labels of two classes.""",
    "weight": """\
        sample_weight : array of shape (n_samples,), optional
            How often each row counts.""",
    "costs": """\
        fn_cost, fp_cost : number or array of shape (n_samples,), default 1
            Cost of a miss and of a false alarm, for all rows or for each of them.""",
    "pos_label": """\
        pos_label : label, optional
            The positive class. Default: that of the classifier, or else the greater one.""",
    "drawing": """\
        name : str, optional
            What to call it in the legend.
        ax : matplotlib Axes, optional
            Where to draw. Default: a new figure.
        **options
            Passed on to ``plot``.""",
    "legend": """\
        legend : {"auto", "outside"}, a location of matplotlib's or None, default "auto"
            Where the legend is. "auto": beside the axes where the figure makes room for it, as
            those with ``layout="constrained"`` do, and else where it covers least.""",
    "name": """\
        name : str, optional
            What to call it in the legend.""",
    "ax": """\
        ax : matplotlib Axes, optional
            Where to draw. Default: a new figure.""",
}
"""What stands in the place of a name in braces; methods only, hence the indent."""


def documented(function: F) -> F:
    """Write the shared parameters into a docstring."""
    text = function.__doc__ or ""
    for name, entry in ENTRIES.items():
        text = text.replace(f"        {{{name}}}\n", entry + "\n")
    function.__doc__ = text
    return function
