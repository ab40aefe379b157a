"""Parts of the docstrings that the methods for several classes have in common."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeVar

from costboost.classifiers import documentation as docs

Class = TypeVar("Class", bound=type[Any])

PARAMETERS = {
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
    1 shows a progress bar.
""",
}

ATTRIBUTES = """
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
n_features_in_ : int
    Features seen in `fit`.
feature_names_in_ : array of str
    Their names, if they have any.
"""

OWN = {
    "own": "a tree like C4.5: grown by entropy, with at least two rows in a leaf",
    "rounds": 'Fits to average; one with ``sampling="weight"``, where all would be equal.',
    "many": "30",
    "share": "1.0",
    "samples": "Multiplies the probabilities of rejection sampling, for smaller samples.",
}


def documented(**words: str) -> Any:
    """Class decorator that fills in ``{parameters}`` and ``{attributes}`` of a docstring."""

    def fill(cls: Class) -> Class:
        texts_by_name = OWN | words
        texts = [PARAMETERS[field.name].strip() for field in fields(cls)]
        parameters = "\n".join(texts)
        for name, text in texts_by_name.items():
            parameters = parameters.replace(f"{{{name}}}", text)
        cls.__doc__ = docs.fill(cls, parameters, ATTRIBUTES)
        return cls

    return fill
