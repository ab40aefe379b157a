"""Reviews of rows by somebody who may be wrong, and how often each cost is paid after one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.checks import Floats, quoted, some

REVIEW = "review"
"""Action of a reviewer whose action is not named."""
RATES = ("recall", "specificity")
ROUNDING = 1e-6
"""How far the rates of a reviewer may be from adding up to 1."""

Reviewers = dict[int, Floats]
"""For the index of each review action, P(class stated by the reviewer | true class)."""


def check_reviewers(
    reviewer: Any, actions: Sequence[str], classes: NDArray[Any], positive: Any
) -> Reviewers:
    """Validate the error rates of reviewers; None stands for no reviewers."""
    if reviewer is None:
        return {}
    if not isinstance(reviewer, Mapping) or not reviewer:
        raise ValueError(
            'reviewer must be a dict such as {"recall": 0.9, "specificity": 0.95}, or a dict of '
            f"review actions with such a dict or a confusion table each, got {quoted(reviewer)}"
        )
    by_action = {REVIEW: reviewer} if set(reviewer) <= set(RATES) else reviewer
    found: Reviewers = {}
    for action, rates in by_action.items():
        if action not in actions:
            raise ValueError(
                f"reviewer is for the action {action!r}, which is none of {', '.join(actions)}"
                + ("" if by_action is reviewer else f'; name it: {{"{actions[-1]}": {{...}}}}')
            )
        found[list(actions).index(action)] = _confusion(rates, action, classes, positive)
    if len(found) == len(actions):
        raise ValueError("reviewer leaves no action to take after a review; add one to costs")
    return found


def _confusion(rates: Any, action: str, classes: NDArray[Any], positive: Any) -> Floats:
    if isinstance(rates, Mapping) and set(rates) == set(RATES):
        if len(classes) != 2:
            raise ValueError(
                f"recall and specificity of a reviewer are rates of two classes, but there are "
                f"{len(classes)}; give a confusion table, {{true class: {{stated class: rate}}}}"
            )
        recall, specificity = (_rate(rates[name], f"{name} of {action!r}") for name in RATES)
        own = np.where(classes == positive, recall, specificity)
        return np.array([[own[0], 1 - own[0]], [1 - own[1], own[1]]])
    if hasattr(rates, "to_dict") and hasattr(rates, "index"):
        rates = rates.to_dict(orient="index")
    known = classes.tolist()
    rows = rates.values() if isinstance(rates, Mapping) else ()
    if (
        not isinstance(rates, Mapping)
        or set(rates) != set(known)
        or any(not isinstance(row, Mapping) or not set(row) <= set(known) for row in rows)
    ):
        raise ValueError(
            f'reviewer of {action!r} must be {{"recall": ..., "specificity": ...}} or a table '
            f"{{true class: {{stated class: rate}}}} for the classes {some(classes)}, got "
            f"{quoted(rates)}"
        )
    table = np.array(
        [[_rate(rates[t].get(s, 0.0), f"rate of {action!r}") for s in known] for t in known]
    )
    for truth, total in zip(known, table.sum(axis=1).tolist(), strict=True):
        if abs(total - 1) > ROUNDING:
            raise ValueError(
                f"the rates of {action!r} where {truth!r} is true must add up to 1, got {total:g}"
            )
    return table


def _rate(value: Any, what: str) -> float:
    is_number = isinstance(value, (Real, np.number)) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= 1:
        raise ValueError(f"the {what} must be a rate from 0 to 1, got {value!r}")
    return float(value)


def paid_parts(mean: Floats, reviewers: Mapping[int, Floats]) -> Floats | None:
    """How often each cell is paid for each action; None without reviewers.

    After a review the row has the action that is cheapest if the reviewer is right, by mean costs.
    """
    if not reviewers:
        return None
    k, m = mean.shape[1:]
    others = np.array([a for a in range(m) if a not in reviewers])
    correct = others[mean[:, :, others].argmin(axis=2)]
    if np.all(correct == correct[0]):
        correct = correct[:1]
    parts = np.broadcast_to(np.eye(m), (len(correct), k, m, m)).copy()
    rows = np.arange(len(correct))
    for action, rates in reviewers.items():
        for truth in range(k):
            for stated in range(k):
                parts[rows, truth, action, correct[:, stated]] += rates[truth, stated]
    return parts
