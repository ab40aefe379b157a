"""Validation of what users give: numbers, weights, labels, folds."""

from costboost._core.arrays import Floats
from costboost._core.checks.folds import (
    check_folds,
    check_group_labels,
    group_codes,
    refuse_divided_groups,
)
from costboost._core.checks.labels import check_labels, distinct, of_one_type
from costboost._core.checks.one_class import (
    SAMPLE,
    one_class_allowed,
    only_class,
    warn_of_one_class,
)
from costboost._core.checks.quoting import quoted, some
from costboost._core.checks.unread import refuse_unread
from costboost._core.checks.values import (
    LARGEST,
    as_numbers,
    check_finite,
    check_not_negative,
    check_numbers,
    check_scores,
    check_weight,
    real_numbers,
    refuse_negative,
    refuse_no_number,
)
from costboost._core.checks.warning import UnseenCategoryWarning, warn

__all__ = [
    "LARGEST",
    "SAMPLE",
    "Floats",
    "UnseenCategoryWarning",
    "as_numbers",
    "check_finite",
    "check_folds",
    "check_group_labels",
    "check_labels",
    "check_not_negative",
    "check_numbers",
    "check_scores",
    "check_weight",
    "distinct",
    "group_codes",
    "of_one_type",
    "one_class_allowed",
    "only_class",
    "quoted",
    "real_numbers",
    "refuse_divided_groups",
    "refuse_negative",
    "refuse_no_number",
    "refuse_unread",
    "some",
    "warn",
    "warn_of_one_class",
]
