"""The decorator of public methods for several classes, which completes their docstrings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, dataclass_transform

from costboost._core.parameters.entries import complete, entries
from costboost._core.parameters.parameter import parameters_of

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
class_prior_ : array of shape (n_classes,)
    Share of each class in the training rows; only if probabilities are estimated.
n_features_in_ : int
    Features seen in `fit`.
feature_names_in_ : array of str
    Their names, if they have any.
"""


@dataclass_transform(kw_only_default=True, eq_default=False)
def method(cls: Any) -> Any:
    """Make a dataclass of a method; fill its docstring with parameters, attributes and advice."""
    dataclass(kw_only=True, eq=False, repr=False)(cls)
    complete(cls, entries(parameters_of(cls), {}), ATTRIBUTES)
    return cls
