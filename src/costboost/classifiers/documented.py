"""The decorator of public boosting classifiers, which completes their docstrings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, dataclass_transform

from costboost._core.parameters.boosting import BoostingParameters
from costboost._core.parameters.entries import complete, entries
from costboost._core.parameters.estimators import LEARNERS
from costboost._core.parameters.parameter import parameters_of

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


@dataclass_transform(kw_only_default=True, eq_default=False)
def classifier(cls: Any) -> Any:
    """Make a dataclass of a classifier; fill its docstring with parameters, attributes and advice.

    Parameters that not all classifiers have come first.
    """
    dataclass(kw_only=True, eq=False, repr=False)(cls)
    rule = cls.rule
    listed = "; ".join(one.words for name, one in LEARNERS.items() if name in rule.learners)
    usual = cls._without_estimator or f'"{rule.learner}"'
    wraps = "wrapped" in rule.learners
    words = {
        "kinds": "None, str or a scikit-learn classifier" if wraps else "None or str",
        "learners": f"The weak learner. None is {usual}. {listed}.",
        "start": f'"{rule.start.name}"'
        + (", with ``c^(1/M)`` for the cost" if rule.spreads_costs else ""),
    }
    shared = parameters_of(BoostingParameters)
    ordered = sorted(parameters_of(cls).items(), key=lambda pair: pair[0] in shared)
    complete(cls, entries(dict(ordered), words), ATTRIBUTES)
    return cls
