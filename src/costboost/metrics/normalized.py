"""Cost as a share of the greatest possible."""

from __future__ import annotations

from typing import Any

import numpy as np

from costboost.metrics.documentation import documented
from costboost.metrics.stakes import Costs, Stakes


@documented
def normalized_cost(
    y_true: Any,
    y_pred: Any,
    *,
    skew: float | None = None,
    fn_cost: Any = None,
    fp_cost: Any = None,
    cost_matrix: Any = None,
    costs: Any = None,
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Cost as a share of the greatest possible, Q in [0, 1].

    .. math::

        Q = \mathrm{FNR} (1 - z) + \mathrm{FPR}\, z, \qquad
        z = \frac{\pi_- C_-}{\pi_- C_- + \pi_+ C_+}

    with the shares :math:`\pi` of the classes in ``y_true``. With equal costs it is the error rate.

    With a cost for each row, the rates weigh rows by their costs; then, as above, Q is the cost
    divided by that of being wrong everywhere. In the same way with more classes: 0 stands for the
    cheapest decision on every row, 1 for the dearest.

    Parameters
    ----------
    skew : float in [0, 1], optional
        The skew z to evaluate under, instead of that of the data. At 1/2 the two classes count the
        same: Q is the error rate at balanced priors. Two classes only.
    {costs}

    Returns
    -------
    float
        0 where no decision can cost anything.

    References
    ----------
    N. Nikolaou et al., "Cost-sensitive boosting algorithms: Do we really need them?", Machine
    Learning 104, 2016, eq. 26-27. C. Drummond, R. C. Holte, "Explicitly representing expected
    cost", KDD 2000.

    Examples
    --------
    >>> from costboost.metrics import normalized_cost
    >>> normalized_cost([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], skew=0.2)
    0.45
    >>> normalized_cost([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], fn_cost=8, fp_cost=1)
    0.45
    """
    if skew is not None and fn_cost is None and cost_matrix is None and costs is None:
        fn_cost = 1.0  # the skew has the costs in it
    given = Costs(fn_cost, fp_cost, cost_matrix, costs, labels, pos_label)
    stakes = given.stakes(y_true, y_pred, sample_weight)
    if skew is not None:
        return _under_skew(stakes, given, skew)
    least, greatest = stakes.least(), stakes.greatest()
    if greatest <= least:
        return 0.0
    return min(1.0, max(0.0, (stakes.total() - least) / (greatest - least)))


def _under_skew(stakes: Stakes, given: Costs, skew: float) -> float:
    if not given.two_classes:
        raise ValueError("skew is for two classes; leave out cost_matrix and costs, or skew")
    if not 0 <= skew <= 1:
        raise ValueError(f"skew must be from 0 to 1, got {skew!r}")
    if_negative, if_positive = stakes.always()
    missed, alarmed = (
        float(stakes.weight @ np.where(stakes.chosen == said, stakes.of_rows(), 0.0))
        for said in (0, 1)
    )
    parts = (
        ("positive", missed, if_negative, 1 - skew),
        ("negative", alarmed, if_positive, skew),
    )
    q = 0.0
    for name, cost, at_stake, share in parts:
        if share > 0 and at_stake == 0:
            raise ValueError(
                f"no {name} row has weight and cost, but at skew={skew:g} they make up "
                f"{share:g} of Q"
            )
        q += share * cost / at_stake if share > 0 else 0.0
    return float(q)
