"""The parameters that all boosting classifiers have."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from costboost._core.parameters.amounts import check_max_features, check_split
from costboost._core.parameters.estimators import ESTIMATORS
from costboost._core.parameters.parameter import (
    Between,
    Estimator,
    Flag,
    Given,
    Jobs,
    Number,
    OneOf,
    OrNone,
    Random,
    Whole,
    parameter,
)

MOST_ROUNDS = 2**31 - 1
"""Greatest number of learners; more would take years."""
MOST_RATE = 1e100
"""Greatest learning rate; sums of still larger steps would be infinite."""
MAX_BINS = 255
"""Greatest number of bins of a feature, not counting the one for missing values."""

COST = Given("float")
"""A number, or an array with a cost of each row; `fit` checks them together."""
COST_MATRIX = Given("array of shape (n_classes, n_classes)")
COLUMNS = Given('"from_dtype", None, or list of columns')
SPLIT = Given('None, float, int, "loo", splitter or list of pairs', check_split)
QUANTILE = Between(0, 1, above=True, words="a quantile above 0 and at most 1, such as 0.99")
SUBSAMPLE = Number(
    0,
    1,
    above=True,
    too_large="{name} must be above 0 and at most 1, got {value!r}: it is the share of the rows "
    "that each round draws",
)
VALIDATION_FRACTION = Number(
    0,
    math.nextafter(1, 0),
    above=True,
    too_large="{name} must be below 1, got {value!r}: some rows have to be left to train on",
)
VERBOSE = (
    '1 shows a progress bar. The logger ``"costboost"`` reports fits and folds at the level INFO, '
    "and rounds at DEBUG."
)


@dataclass(kw_only=True, eq=False, repr=False)
class BoostingParameters:
    """The parameters that all boosting classifiers have."""

    estimator: Any = parameter(None, Estimator("{kinds}", ESTIMATORS), "{learners}")
    resample: bool = parameter(
        False,
        Flag(),
        """Fit a scikit-learn classifier that takes no ``sample_weight`` to as many rows as there
        are, drawn by the weights with replacement. Steps and weights are those of all rows.""",
    )
    n_estimators: int = parameter(100, Whole(1, MOST_ROUNDS), "Greatest number of boosting rounds.")
    fn_cost: float = parameter(
        1.0,
        COST,
        """Cost of a false negative (a positive row predicted negative) and of a false positive, in
        any unit; above 0, unless ``tp_cost`` or ``tn_cost`` is given. `fit` takes arrays with one
        cost for each row, under whose means `predict` decides if it is given no costs.""",
    )
    fp_cost: float = parameter(1.0, COST)
    tp_cost: float = parameter(
        0.0,
        COST,
        """Cost of a true positive (a positive row predicted positive) and of a true negative; a
        gain is a negative cost. Training and decisions depend on ``fn_cost - tp_cost`` and
        ``fp_cost - tn_cost``. Rows for which one of these is not above 0 are decided for the
        prediction that is never the costlier one; classifiers that train by cost give them no
        weight. `fit` takes arrays.""",
    )
    tn_cost: float = parameter(0.0, COST)
    clip_costs: float | None = parameter(
        None,
        OrNone(QUANTILE),
        """Quantile, such as 0.99, to which outlying costs of rows are lowered in training;
        decisions take costs as they are. It applies to each of the two net costs that differ from
        row to row.""",
    )
    cost_matrix: Any = parameter(
        None,
        COST_MATRIX,
        """``cost_matrix[i, j]`` is the cost of predicting class j where class i is true, both in
        the order of ``classes_``, instead of ``fn_cost`` and ``fp_cost``, for any number of
        classes.""",
    )
    costs: Any = parameter(
        None,
        Given("Costs"),
        """All costs in one record, instead of the others: `Costs.outcomes` for two classes,
        `Costs.matrix` for any number.""",
    )
    pos_label: Any = parameter(
        None,
        Given("label"),
        """The positive class; by default the greater one of the two in sorted order, not the rarer
        one.""",
    )
    learning_rate: float = parameter(1.0, Number(0, MOST_RATE, above=True), "Shrinks every step.")
    initial_weights: str = parameter(
        "auto",
        OneOf("auto", "uniform", "cost", "balanced"),
        """Initial weights, times the sample weights: all the same, the cost of the row, or half of
        the total for each class. "auto" is {start}.""",
    )
    negative_step: str = parameter(
        "stop",
        OneOf("stop", "keep"),
        """What to do with a weak learner whose step is negative: stop training without it, or add
        it.""",
    )
    max_depth: int | None = parameter(
        3, OrNone(Whole(1)), 'Greatest depth of a tree, for ``estimator="tree"``.'
    )
    max_leaf_nodes: int | None = parameter(
        None,
        OrNone(Whole(2)),
        "Greatest number of leaves of a tree, which is grown best gain first.",
    )
    min_samples_leaf: int = parameter(
        1,
        Whole(1),
        """Fewest rows on either side of a split. If all sample weights are whole numbers, a row
        counts as many times as its weight.""",
    )
    splitter: str = parameter(
        "best",
        OneOf("best", "random"),
        """How stumps and trees choose thresholds. ``"random"`` draws one threshold for each feature
        and split, between the least and the greatest value of the rows to be split, and takes the
        best of these (extremely randomised trees). One such tree is worse, but many small ones
        differ more from each other, and their sum is smoother.""",
    )
    max_features: Any = parameter(
        None,
        Given('int, float, "sqrt", "log2" or None', check_max_features),
        """Number of features that compete for each split of a tree, drawn at random for each: a
        number, a share of the features, the square root or the logarithm of their number; None for
        all. Features that are constant in training do not count and are never drawn. If no split on
        those drawn gains anything, more are drawn until one does. Stumps and tables draw for each
        round. For ``estimator="stump"``, ``"tree"`` and ``"lookup"``.""",
    )
    subsample: float = parameter(
        1.0,
        SUBSAMPLE,
        """Share of the rows on which the weak learner of a round is found, above 0 and at most 1.
        Each row is drawn with this probability, afresh in every round; steps and weights are those
        of all rows (stochastic gradient boosting). For the same weak learners as
        ``max_features``.""",
    )
    l2_regularization: float = parameter(
        0.0,
        Number(0),
        """Added to the weight of a leaf, the sum of p (1 - p) over its rows, in leaf values and in
        the gain of splits: leaf values are shrunk, most of all those of small leaves. Only for
        boosting by Newton steps (LogitBoost, CSLB, CS-LogitBoost and CostBoost), whose leaves are
        means.""",
    )
    max_bins: int = parameter(
        MAX_BINS,
        Whole(2, MAX_BINS),
        """Greatest number of bins of a feature, not counting the one for missing values; at most
        255. A feature with no more distinct values than that is cut between any two of them, others
        are cut at quantiles; of more categories the rarest share a bin. The lookup learner takes 16
        unless another number than 255 is given.""",
    )
    categorical_features: Any = parameter(
        "from_dtype",
        COLUMNS,
        """Which features are categories: columns of text or of a categorical type, none, or the
        given ones (by position, name or mask). An object column is text if all its values are,
        missing ones aside; text next to numbers is refused.""",
    )
    monotonic_cst: Any = parameter(
        None,
        Given("array of int, dict or None"),
        """Direction of each feature: 1 if greater values must not lower the probability of the
        positive class, -1 if they must not raise it, 0 for no constraint; an array of shape
        (n_features,), or a dict by column name. It holds for every row and at every value, whatever
        the calibration. The probability of a row whose value is missing is not compared with
        others. For two classes and ``estimator="stump"``, ``"tree"`` or ``"lookup"``, not for
        categories.""",
    )
    interaction_cst: Any = parameter(
        None,
        Given('"pairwise", "no_interactions", list of groups or None'),
        """Which features may interact: each path of a tree tests features of one group only. A
        group is a list of columns (by position or name); those in none of the groups are one more.
        ``"pairwise"`` allows two features on a path, ``"no_interactions"`` one. Stumps and tables
        have one anyway.""",
    )
    early_stopping: bool = parameter(
        False,
        Flag(),
        """End the fit when the score on held-out rows no longer improves. The model keeps all
        rounds up to there.""",
    )
    validation_fraction: float | None = parameter(
        0.1,
        OrNone(VALIDATION_FRACTION),
        """Share of the rows, or of the ``groups`` of `fit`, held out for early stopping; None
        watches the training rows.""",
    )
    n_iter_no_change: int = parameter(
        10, Whole(1), "Rounds without improvement before the fit ends."
    )
    tol: float = parameter(
        1e-7, Number(0), "Least increase of the score that counts as an improvement."
    )
    scoring: Any = parameter(
        None,
        Given("str, callable or None"),
        """Score to watch: minus the mean cost (of CostBoostClassifier, whose training does not use
        costs, minus the log loss), or any scikit-learn scorer, which must not change the rows it is
        given.""",
    )
    calibration: str | None = parameter(
        None,
        OrNone(OneOf("platt", "isotonic", "beta", "logistic", "log-odds", "auto")),
        """Learn probabilities from the scores of rows that the ensemble was not trained on. A
        calibrated classifier decides by its probability and the costs, which can then be changed in
        `predict`. "auto" is "beta" where held-out rows are evidence for it, else "log-odds".""",
    )
    calibration_split: Any = parameter(
        None,
        SPLIT,
        """The rows to calibrate on: 5 folds by default, another number of folds, leave-one-out, any
        scikit-learn splitter or (train, test) pairs, with all of which every row is also trained
        on; or a share of the rows, held out once, on which the ensemble is not trained. With
        ``groups`` given to `fit`, folds and shares are of whole groups.""",
    )
    warm_start: bool = parameter(
        False,
        Flag(),
        """Continue the ensemble of the last fit, on the same data, instead of starting from the
        beginning. Steps are found anew under the parameters of this fit, and the calibrator is
        fitted again.""",
    )
    random_state: Any = parameter(
        None,
        Random(),
        """Seed of the rows that are held out once, for early stopping or as a share for
        calibration, of the rows and features that are drawn, and of random weak learners. The folds
        of calibration do not depend on it.""",
    )
    n_jobs: int | None = parameter(
        None,
        Jobs(),
        """Threads; None takes all that are available, and one for small data. The model does not
        depend on it.""",
    )
    verbose: int = parameter(0, Whole(0), VERBOSE)
