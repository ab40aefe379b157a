"""Names that parameters, options, files and messages share."""

MISTAKES, RIGHT = ("fn_cost", "fp_cost"), ("tp_cost", "tn_cost")
"""Costs of mistakes, and of right predictions; those on rows of the positive class first."""
COST_NAMES = (*MISTAKES, *RIGHT)
"""Costs of the four outcomes of two classes."""
