"""The parameters of the methods for several classes, after Abe et al. (2004)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from costboost._core.parameters.boosting import (
    COLUMNS,
    COST_MATRIX,
    MOST_ROUNDS,
    SPLIT,
    VERBOSE,
)
from costboost._core.parameters.parameter import (
    Estimator,
    Flag,
    Jobs,
    Number,
    OneOf,
    OrNone,
    Random,
    Whole,
    parameter,
)

COMPONENT = Estimator("scikit-learn classifier")
FITS = Whole(1, MOST_ROUNDS)
SHARE = Number(0, 1, above=True)
UP_TO = "{name} must be None or a number up to {most}, got {value!r}"
ALPHA = OrNone(Number(0, 1, above=True, too_large=UP_TO))
SHARE_OF_HYPOTHESIS = "The share of each new hypothesis, from 0 to 1; None takes 1/t in round t."


@dataclass(kw_only=True, eq=False, repr=False)
class DecompositionParameters:
    """The parameters that all methods have."""

    estimator: Any = parameter(
        None,
        COMPONENT,
        """The component learner. None is a tree like C4.5: grown by entropy, with at least two rows
        in a leaf.""",
    )
    n_estimators: int = parameter(
        30, FITS, 'Fits to average; one with ``sampling="weight"``, where all would be equal.'
    )
    cost_matrix: Any = parameter(
        None,
        COST_MATRIX,
        """``cost_matrix[i, j]`` is the cost of predicting class j where class i is true, both in
        the order of ``classes_``: rows are the truth, columns the prediction, as in scikit-learn's
        ``confusion_matrix``. With None every mistake costs 1. `fit` also takes costs of each
        row.""",
    )
    max_depth: int | None = parameter(
        None,
        OrNone(Whole(1)),
        "Greatest depth of the built-in tree; without effect if ``estimator`` is given.",
    )
    min_samples_leaf: int = parameter(
        2,
        Whole(1),
        "Fewest rows in a leaf of the built-in tree; without effect if ``estimator`` is given.",
    )
    categorical_features: Any = parameter(
        "from_dtype",
        COLUMNS,
        """Which features are categories for the built-in tree: columns of text or of a categorical
        type, none, or the given ones (by position, name or mask).""",
    )
    calibration: str | None = parameter(
        None,
        OrNone(OneOf("dirichlet")),
        """Learn probabilities of the classes from the shares of rows that were held out: softmax(W
        log H + b), Dirichlet calibration (Kull et al. 2019). A calibrated classifier decides by its
        probability and the costs, which can then be changed in `predict`.""",
    )
    calibration_split: Any = parameter(
        None,
        SPLIT,
        """The rows to calibrate on: 5 folds by default, another number of folds, leave-one-out, any
        scikit-learn splitter or (train, test) pairs, after which the classifier is trained on all
        rows; or a share of the rows, held out once. Groups of rows are given as pairs,
        ``list(splitter.split(X, y, groups))``.""",
    )
    random_state: Any = parameter(
        None, Random(), "Seed of the samples and of the component learner."
    )
    n_jobs: int | None = parameter(
        None,
        Jobs(),
        "Threads; None takes all that are available. The model does not depend on it.",
    )
    verbose: int = parameter(0, Whole(0), VERBOSE)


@dataclass(kw_only=True, eq=False, repr=False)
class SamplingParameters(DecompositionParameters):
    """The parameters of methods whose component learner takes weights, or samples drawn by them."""

    sampling: str = parameter(
        "rejection",
        OneOf("rejection", "weight"),
        """How the component learner uses importances. "rejection" fits it to a sample in which each
        row is kept with a probability proportional to its importance; "weight" passes them as
        ``sample_weight``, without sampling.""",
    )
    max_samples: float = parameter(
        1.0,
        SHARE,
        "Multiplies the probabilities of rejection sampling, for smaller samples.",
    )


@dataclass(kw_only=True, eq=False, repr=False)
class RelationalParameters(SamplingParameters):
    """The parameters of methods that boost hypotheses on pairs of row and label."""

    estimator: Any = parameter(
        None,
        COMPONENT,
        """The component learner. None is a built-in tree over pairs of row and label, with at least
        two pairs in a leaf.""",
    )
    n_estimators: int = parameter(100, FITS, "Rounds of boosting.")
    alpha: float | None = parameter(None, ALPHA, SHARE_OF_HYPOTHESIS)
    prune: bool = parameter(
        True,
        Flag(),
        "Prune the built-in tree as C4.5 does; without effect if ``estimator`` is given.",
    )
