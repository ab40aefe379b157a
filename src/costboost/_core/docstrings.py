"""Descriptions of parameters that several docstrings share."""

from __future__ import annotations

import re
import textwrap
from ast import literal_eval
from collections.abc import Callable, Mapping
from dataclasses import fields
from textwrap import dedent, indent
from typing import Any, TypeVar

T = TypeVar("T")

PLACE = re.compile(r"^( *)\{(\w+)\}$", re.MULTILINE)
"""A line with nothing but a name in braces."""


def filled(docstring: str, entries: Mapping[str, str]) -> str:
    """Replace placeholders in a docstring by descriptions of the same indentation."""

    def entry(place: re.Match[str]) -> str:
        text = entries.get(place[2])
        return place[0] if text is None else indent(dedent(text).strip("\n"), place[1])

    return PLACE.sub(entry, docstring)


def sharing(entries: Mapping[str, str]) -> Callable[[T], T]:
    """Decorator of functions and classes that fills the placeholders of their docstrings."""

    def documented(described: T) -> T:
        described.__doc__ = filled(described.__doc__ or "", entries)
        return described

    return documented


# ---- parameters of boosting classifiers, and of methods for several classes ----------------------

LEARNERS = {
    "stump": '"stump": one feature, one threshold',
    "tree": '"tree"',
    "lookup": '"lookup": one feature cut into bins with a value each',
    "linear": '"linear": a line in one feature',
    "logistic": '"logistic": a logistic regression on one feature, voting',
    "wrapped": "or any scikit-learn classifier",
}
PARAMETERS = """
estimator : {kinds}, default=None
{learners}
resample : bool, default=False
    Fit a scikit-learn classifier that takes no ``sample_weight`` to as many rows as there are,
    drawn by the weights with replacement. Steps and weights are those of all rows.
n_estimators : int, default=100
    Greatest number of boosting rounds.
fn_cost, fp_cost : float, default=1.0
    Cost of a false negative (a positive row predicted negative) and of a false positive, in any
    unit; above 0, unless ``tp_cost`` or ``tn_cost`` is given. `fit` takes arrays with one cost for
    each row, under whose means `predict` decides if it is given no costs.
tp_cost, tn_cost : float, default=0.0
    Cost of a true positive (a positive row predicted positive) and of a true negative; a gain is a
    negative cost. Training and decisions depend on ``fn_cost - tp_cost`` and ``fp_cost - tn_cost``.
    Rows for which one of these is not above 0 are decided for the prediction that is never the
    costlier one; classifiers that train by cost give them no weight. `fit` takes arrays.
clip_costs : float or None, default=None
    Quantile, such as 0.99, to which outlying costs of rows are lowered in training; decisions
    take costs as they are. It applies to each of the two net costs that differ from row to row.
cost_matrix : array of shape (n_classes, n_classes), default=None
    ``cost_matrix[i, j]`` is the cost of predicting class j where class i is true, both in the order
    of ``classes_``, instead of ``fn_cost`` and ``fp_cost``, for any number of classes.
costs : Costs, default=None
    All costs in one record, instead of the others: `Costs.outcomes` for two classes, `Costs.matrix`
    for any number.
pos_label : label, default=None
    The positive class; by default the greater one of the two in sorted order, not the rarer one.
learning_rate : float, default=1.0
    Shrinks every step.
initial_weights : {"auto", "uniform", "cost", "balanced"}, default="auto"
    Initial weights, times the sample weights: all the same, the cost of the row, or half of the
    total for each class. "auto" is {start}.
negative_step : {"stop", "keep"}, default="stop"
    What to do with a weak learner whose step is negative: stop training without it, or add it.
max_depth : int or None, default=3
    Greatest depth of a tree, for ``estimator="tree"``.
max_leaf_nodes : int or None, default=None
    Greatest number of leaves of a tree, which is grown best gain first.
min_samples_leaf : int, default=1
    Fewest rows on either side of a split. If all sample weights are whole numbers, a row counts
    as many times as its weight.
splitter : {"best", "random"}, default="best"
    How stumps and trees choose thresholds. ``"random"`` draws one threshold for each feature and
    split, between the least and the greatest value of the rows to be split, and takes the best of
    these (extremely randomised trees). One such tree is worse, but many small ones differ more from
    each other, and their sum is smoother.
max_features : int, float, "sqrt", "log2" or None, default=None
    Number of features that compete for each split of a tree, drawn at random for each: a number, a
    share of the features, the square root or the logarithm of their number; None for all. Features
    that are constant in training do not count and are never drawn. If no split on those drawn gains
    anything, more are drawn until one does. Stumps and tables draw for each round. For
    ``estimator="stump"``, ``"tree"`` and ``"lookup"``.
subsample : float, default=1.0
    Share of the rows on which the weak learner of a round is found, above 0 and at most 1. Each row
    is drawn with this probability, afresh in every round; steps and weights are those of all rows
    (stochastic gradient boosting). For the same weak learners as ``max_features``.
l2_regularization : float, default=0.0
    Added to the weight of a leaf, the sum of p (1 - p) over its rows, in leaf values and in the
    gain of splits: leaf values are shrunk, most of all those of small leaves. Only for boosting by
    Newton steps (LogitBoost, CSLB, CS-LogitBoost and CostBoost), whose leaves are means.
max_bins : int, default=255
    Greatest number of bins of a feature, not counting the one for missing values; at most 255. A
    feature with no more distinct values than that is cut between any two of them, others are cut at
    quantiles; of more categories the rarest share a bin. The lookup learner takes 16 unless another
    number than 255 is given.
categorical_features : "from_dtype", None, or list of columns, default="from_dtype"
    Which features are categories: columns of text or of a categorical type, none, or the given
    ones (by position, name or mask). An object column is text if all its values are, missing ones
    aside; text next to numbers is refused.
monotonic_cst : array of int, dict or None, default=None
    Direction of each feature: 1 if greater values must not lower the probability of the positive
    class, -1 if they must not raise it, 0 for no constraint; an array of shape (n_features,), or a
    dict by column name. It holds for every row and at every value, whatever the calibration. The
    probability of a row whose value is missing is not compared with others. For two classes and
    ``estimator="stump"``, ``"tree"`` or ``"lookup"``, not for categories.
interaction_cst : "pairwise", "no_interactions", list of groups or None, default=None
    Which features may interact: each path of a tree tests features of one group only. A group is a
    list of columns (by position or name); those in none of the groups are one more. ``"pairwise"``
    allows two features on a path, ``"no_interactions"`` one. Stumps and tables have one anyway.
early_stopping : bool, default=False
    End the fit when the score on held-out rows no longer improves. The model keeps all rounds up to
    there.
validation_fraction : float or None, default=0.1
    Share of the rows, or of the ``groups`` of `fit`, held out for early stopping; None watches the
    training rows.
n_iter_no_change : int, default=10
    Rounds without improvement before the fit ends.
tol : float, default=1e-7
    Least increase of the score that counts as an improvement.
scoring : str, callable or None, default=None
    Score to watch: minus the mean cost (of CostBoostClassifier, whose training does not use costs,
    minus the log loss), or any scikit-learn scorer, which must not change the rows it is given.
calibration : None, "platt", "isotonic", "beta", "logistic", "log-odds" or "auto", default=None
    Learn probabilities from the scores of rows that the ensemble was not trained on. A calibrated
    classifier decides by its probability and the costs, which can then be changed in `predict`.
    "auto" is "beta" where held-out rows are evidence for it, else "log-odds".
calibration_split : None, float, int, "loo", splitter or list of pairs, default=None
    The rows to calibrate on: 5 folds by default, another number of folds, leave-one-out, any
    scikit-learn splitter or (train, test) pairs, with all of which every row is also trained on; or
    a share of the rows, held out once, on which the ensemble is not trained. With ``groups`` given
    to `fit`, folds and shares are of whole groups.
warm_start : bool, default=False
    Continue the ensemble of the last fit, on the same data, instead of starting from the beginning.
    Steps are found anew under the parameters of this fit, and the calibrator is fitted again.
random_state : int, RandomState or None, default=None
    Seed of the rows that are held out once, for early stopping or as a share for calibration, of
    the rows and features that are drawn, and of random weak learners. The folds of calibration do
    not depend on it.
n_jobs : int or None, default=None
    Threads; None takes all that are available, and one for small data. The model does not depend on
    it.
verbose : int, default=0
    1 shows a progress bar. The logger ``"costboost"`` reports fits and folds at the level INFO, and
    rounds at DEBUG.
"""

ATTRIBUTES = """
classes_ : array of shape (n_classes,)
    The labels, sorted.
estimators_ : list of classifiers
    With more than two classes, unless the algorithm has a score for each: a classifier for each
    class against the rest. The attributes below that describe rounds and weak learners are found
    on these.
model_ : BinaryModel, OneVsRestModel or ScoresModel
    The fitted model: a frozen record of everything that predictions need. The other attributes are
    views of it.
n_iter_ : int
    Number of weak learners in the ensemble.
stop_reason_ : str
    Why training stopped.
estimator_weights_ : array of shape (n_iter_,)
    The steps alpha.
estimator_errors_ : array of shape (n_iter_,)
    Weighted error of each learner under the weights of its round.
train_cost_ : array of shape (n_iter_,)
    Mean cost of the training rows after each round, decided by their own costs. Rows that are held
    out for early stopping do not count.
random_state_ : int
    Whole number that was drawn in place of ``random_state=None``, if random numbers were needed: as
    ``random_state`` it gives the same model. There is none where classes are set against the rest.
clipped_share_ : float
    With ``clip_costs``: share of the rows whose cost was lowered.
validation_score_ : array
    Score of the held-out rows after each round, with early stopping.
feature_importances_ : array of shape (n_features_in_,)
    Share of each feature in the ensemble.
class_prior_ : array of shape (n_classes,)
    Share of each class that probabilities refer to: that of the training rows by their weights, or
    of the population if `fit` was given ``sampling``.
ensemble_ : Ensemble
    The learners as plain arrays (feature, threshold, value, ...).
n_features_in_ : int
    Features seen in `fit`.
feature_names_in_ : array of str
    Their names, if they have any.
"""


GIVEN_ROUNDS = """n_estimators : int, default=100
    Greatest number of boosting rounds.
"""
ROUNDS_BY_EVIDENCE = """n_estimators : int or None, default=None
    Number of boosting rounds of trees. With None the rows held out decide.
"""
DEFAULT = re.compile(r"^(\w+)(.* : .*, default=)(.+)$", re.MULTILINE)
"""Groups: the first name of an entry, the text up to the default, and the default."""
INDENT = "    "


def fill_in(cls: Any) -> str:
    """Docstring of a class with the shared text, the learners it takes and its defaults."""
    wraps = "wrapped" in cls.rule.learners
    kinds = "None, str or a scikit-learn classifier" if wraps else "None or str"
    text = PARAMETERS.replace("{kinds}", kinds).replace("{learners}", _learners(cls))
    text = text.replace("{start}", _start(cls.rule))
    if cls.n_estimators is None:
        text = text.replace(GIVEN_ROUNDS, ROUNDS_BY_EVIDENCE)
    parameters = DEFAULT.sub(lambda entry: _default(entry, cls), text)
    return fill(cls, parameters, ATTRIBUTES)


def _default(entry: re.Match[str], cls: Any) -> str:
    value = getattr(cls, entry[1])
    if literal_eval(entry[3]) == value:
        return entry[0]
    written = f'"{value}"' if isinstance(value, str) else repr(value)
    return f"{entry[1]}{entry[2]}{written}"


def _start(rule: Any) -> str:
    scaled = ", with ``c^(1/M)`` for the cost" if rule.spreads_costs else ""
    return f'"{rule.start.name}"{scaled}'


def _learners(cls: Any) -> str:
    own = cls._without_estimator or f'"{cls.rule.learner}"'
    listed = "; ".join(LEARNERS[name] for name in LEARNERS if name in cls.rule.learners)
    text = f"The weak learner. None is {own}. {listed}."
    return textwrap.fill(text, 96, initial_indent=INDENT, subsequent_indent=INDENT)


def fill(cls: Any, parameters: str, attributes: str) -> str:
    """Docstring of a class with the given parameters and attributes and its advice."""
    advice = textwrap.fill(getattr(cls, "advice", ""), 96)
    texts = {"advice": advice, "parameters": parameters, "attributes": attributes}
    return filled(cls.__doc__ or "", texts)


# ---- methods for several classes -----------------------------------------------------------------


Class = TypeVar("Class", bound=type[Any])

MULTICLASS_PARAMETERS = {
    "estimator": """
estimator : scikit-learn classifier, default=None
    The component learner. None is {own}.
""",
    "n_estimators": """
n_estimators : int, default={many}
    {rounds}
""",
    "cost_matrix": """
cost_matrix : array of shape (n_classes, n_classes), default=None
    ``cost_matrix[i, j]`` is the cost of predicting class j where class i is true, both in the order
    of ``classes_``: rows are the truth, columns the prediction, as in scikit-learn's
    ``confusion_matrix``. With None every mistake costs 1. `fit` also takes costs of each row.
""",
    "sampling": """
sampling : {"rejection", "weight"}, default="rejection"
    How the component learner uses importances. "rejection" fits it to a sample in which each row is
    kept with a probability proportional to its importance; "weight" passes them as
    ``sample_weight``, without sampling.
""",
    "max_samples": """
max_samples : float, default={share}
    {samples}
""",
    "bootstrap": """
bootstrap : bool, default=False
    Draw the samples with replacement, as Domingos does; Abe et al. draw without.
""",
    "relabel": """
relabel : bool, default=True
    Fit one classifier to the labels of least expected cost. False decides by the ensemble's own
    probabilities for every row to be predicted (BagCost), after which `predict` takes another
    ``cost_matrix``.
""",
    "variant": """
variant : {"gbse", "gbse-t"}, default="gbse"
    The cost that a label has to beat: the expected cost of the ensemble, or 1/k of it, for which
    the bound of Theorem 3 (Abe et al. 2004) holds.
""",
    "alpha": """
alpha : float, default=None
    The share of each new hypothesis, from 0 to 1; None takes 1/t in round t.
""",
    "p": """
p : float, default=2.0
    The norm, at least 1. The greater it is, the more weight have costly labels that the ensemble
    accepts.
""",
    "n_costing": """
n_costing : int, default=10
    Fits of the costing ensemble that each round consists of; one with ``sampling="weight"``.
""",
    "max_depth": """
max_depth : int or None, default=None
    Greatest depth of the built-in tree; without effect if ``estimator`` is given.
""",
    "min_samples_leaf": """
min_samples_leaf : int, default=2
    Fewest rows in a leaf of the built-in tree; without effect if ``estimator`` is given.
""",
    "prune": """
prune : bool, default=True
    Prune the built-in tree as C4.5 does; without effect if ``estimator`` is given.
""",
    "categorical_features": """
categorical_features : "from_dtype", None, or list of columns, default="from_dtype"
    Which features are categories for the built-in tree: columns of text or of a categorical type,
    none, or the given ones (by position, name or mask).
""",
    "calibration": """
calibration : None or "dirichlet", default=None
    Learn probabilities of the classes from the shares of rows that were held out:
    softmax(W log H + b), Dirichlet calibration (Kull et al. 2019). A calibrated classifier decides
    by its probability and the costs, which can then be changed in `predict`.
""",
    "calibration_split": """
calibration_split : None, float, int, "loo", splitter or list of pairs, default=None
    The rows to calibrate on: 5 folds by default, another number of folds, leave-one-out, any
    scikit-learn splitter or (train, test) pairs, after which the classifier is trained on all rows;
    or a share of the rows, held out once. Groups of rows are given as pairs,
    ``list(splitter.split(X, y, groups))``.
""",
    "random_state": """
random_state : int, RandomState or None, default=None
    Seed of the samples and of the component learner.
""",
    "n_jobs": """
n_jobs : int or None, default=None
    Threads; None takes all that are available. The model does not depend on it.
""",
    "verbose": """
verbose : int, default=0
    1 shows a progress bar. The logger ``"costboost"`` reports fits and folds at the level INFO, and
    rounds at DEBUG.
""",
}

MULTICLASS_ATTRIBUTES = """
classes_ : array of shape (n_classes,)
    The labels, sorted.
model_ : MulticlassModel
    The fitted model: a frozen record of everything that predictions need. The other attributes are
    views of it.
n_iter_ : int
    Number of rounds or fits.
stop_reason_ : str
    Why training stopped.
rows_used_ : int
    Number of rows that all fits of the component learner used (Table 3 of Abe et al. 2004).
train_cost_ : array of shape (n_iter_,)
    Mean cost of the predictions for the training rows after each round, before any calibration.
class_prior_ : array of shape (n_classes,)
    Share of each class in the training rows; only if probabilities are estimated.
n_features_in_ : int
    Features seen in `fit`.
feature_names_in_ : array of str
    Their names, if they have any.
"""

MULTICLASS_WORDS = {
    "own": "a tree like C4.5: grown by entropy, with at least two rows in a leaf",
    "rounds": 'Fits to average; one with ``sampling="weight"``, where all would be equal.',
    "many": "30",
    "share": "1.0",
    "samples": "Multiplies the probabilities of rejection sampling, for smaller samples.",
}


def documented(**words: str) -> Any:
    """Class decorator that fills in ``{parameters}`` and ``{attributes}`` of a docstring."""

    def described(cls: Class) -> Class:
        texts_by_name = MULTICLASS_WORDS | words
        texts = [MULTICLASS_PARAMETERS[field.name].strip() for field in fields(cls)]
        parameters = "\n".join(texts)
        for name, text in texts_by_name.items():
            parameters = parameters.replace(f"{{{name}}}", text)
        cls.__doc__ = fill(cls, parameters, MULTICLASS_ATTRIBUTES)
        return cls

    return described
