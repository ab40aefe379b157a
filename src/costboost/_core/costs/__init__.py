"""What actions cost: the record of costs, its checks, and expected costs."""

from costboost._core.costs.expected import (
    LEAST_COST,
    beyond_least,
    cheapest,
    expected,
    least_expected,
    least_is_zero,
    one_against_rest,
)
from costboost._core.costs.matrices import check_matrices, check_matrix, check_row_costs
from costboost._core.costs.record import Costs, known_costs

__all__ = [
    "LEAST_COST",
    "Costs",
    "beyond_least",
    "cheapest",
    "check_matrices",
    "check_matrix",
    "check_row_costs",
    "expected",
    "known_costs",
    "least_expected",
    "least_is_zero",
    "one_against_rest",
]
