"""More than two classes: the classifiers that set each class against the rest, and the matrix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from costboost.classifiers.base import BoostingClassifier
from costboost.classifiers.checks import ESTIMATORS
from costboost.classifiers.one_vs_rest import OneVsRest, refuse_costs_of_two
from costboost.classifiers.scores import NEEDS_ALL_VALUES
from costboost.files.estimators import check_features_in
from costboost.files.fields import Fields
from costboost.files.fingerprints import kept_fingerprint
from costboost.files.tree import Kind

LEAST_CLASSES = 3
IN_BOTH = frozenset({"estimators_"})
"""The same classifiers as in the record, under the name that users know."""


def _parts(several: OneVsRest) -> Mapping[str, Any]:
    return dict(vars(several))


def _one_vs_rest(fields: Fields) -> OneVsRest:
    members = fields.a("members", list)
    if len(members) < LEAST_CLASSES:
        raise ValueError(f"members must be {LEAST_CLASSES} classifiers or more")
    for one in members:
        if not isinstance(one, BoostingClassifier) or type(one) is not type(members[0]):
            raise ValueError("members must be boosting classifiers, all of one class")
        if not hasattr(one, "ensemble_") or one.classes_.tolist() != [False, True]:
            raise ValueError("members must be fitted to the classes false and true")
        if one.n_features_in_ != members[0].n_features_in_:
            raise ValueError("members must have the same number of features")
    matrix = fields.array("matrix", np.float64, (len(members), len(members)))
    if not np.all(np.isfinite(matrix) & (matrix >= 0)):
        raise ValueError("matrix must be finite and not negative")
    return OneVsRest(members, matrix, fields.a("by_cost", bool), fields.a("changeable", bool))


def fitted_to_several(clf: BoostingClassifier, fields: Fields) -> dict[str, Any]:
    """The attributes that `fit` has set with more than two classes."""
    several = fields.a("one_vs_rest_", OneVsRest)
    members, learner = several.members, fields.text("learner_", ESTIMATORS)
    if type(members[0]) is not type(clf):
        raise ValueError(f"one_vs_rest_ must have members of class {type(clf).__name__}")
    if any((one._learner in NEEDS_ALL_VALUES) > (learner in NEEDS_ALL_VALUES) for one in members):
        raise ValueError("learner_ is one for missing values, those of one_vs_rest_ are not")
    refuse_costs_of_two(clf, None, None, len(members))
    state = {
        **check_features_in(fields, members[0].n_features_in_),
        **kept_fingerprint(fields),
        "classes_": fields.labels("classes_", len(members)),
        "n_iter_": fields.whole("n_iter_", 0),
        "stop_reason_": fields.text("stop_reason_"),
        "estimators_": members,
        "_learner": learner,
        "_one_vs_rest": several,
    }
    if state["n_iter_"] != max(one.n_iter_ for one in members):
        raise ValueError("n_iter_ must be the greatest of those of one_vs_rest_")
    return state


KINDS = (Kind("OneVsRest", (OneVsRest,), _parts, _one_vs_rest),)
