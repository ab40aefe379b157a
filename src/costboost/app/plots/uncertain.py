"""Costs of decisions against a cost that is uncertain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from costboost.app.plots import drawing
from costboost.app.plots.descriptions import documented
from costboost.app.plots.display import LineDisplay, Look, maker
from costboost.app.plots.numbers.bands import Band
from costboost.decisions.actions import ActionClassifier, uncertain_decisions

BAND_NOTE = "other costs within their ranges"


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class UncertainCostDisplay(LineDisplay):
    r"""Expected cost of decisions while one uncertain cost moves through its range.

    The line is the expected cost of a row for the decisions that the classifier makes without
    knowledge of the cost; the band is where it can be if all other uncertain costs move through
    their ranges, too. The dashed line is the expected cost if the cost were known before the
    decisions, with all others at their means. The gap between the lines is what that knowledge is
    worth.

    Use it to see whether an uncertain cost matters, and whether it is worth the effort to find out
    more about it. The share of decisions that depend on it at all is that of
    `costboost.ActionClassifier.robustness`.

    Create it with ``from_estimator``.

    Parameters
    ----------
    cost : array
        Values of the cost, in ascending order.
    decided : Band
        Expected cost of the decisions, with ``lower`` and ``upper`` limits.
    known : array of the length of ``cost``
        Expected cost if the cost is known.
    cell : tuple (truth, action)
        The cost that moves.
    of_rows : bool, default False
        Whether ``cost`` is a share of the range, since rows have ranges of their own.
    {classifier_name}

    Attributes
    ----------
    {axes}
    line_ : matplotlib Line2D
        The decisions.
    band_ : matplotlib PolyCollection or None
        The band.
    known_line_ : matplotlib Line2D
        Decisions with the cost known.

    References
    ----------
    Savage, L. J. (1951). The theory of statistical decision. Journal of the American Statistical
    Association 46(253), 55-67.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from costboost import ActionClassifier, CostBoostClassifier
    >>> from costboost.plots import UncertainCostDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)  # 0 is malignant
    >>> costs = {
    ...     0: {"operate": 0, "biopsy": 5, "discharge": (50, 400)},
    ...     1: {"operate": 40, "biopsy": 5, "discharge": 0},
    ... }
    >>> clf = ActionClassifier(CostBoostClassifier(random_state=0), costs=costs).fit(X, y)
    >>> display = UncertainCostDisplay.from_estimator(clf, X)
    >>> print(display.cell, display.cost[[0, -1]])
    (0, 'discharge') [ 50. 400.]
    """

    cost: Any
    decided: Band
    known: Any
    cell: tuple[Any, str]
    of_rows: bool = False
    name: str | None = None

    def __post_init__(self) -> None:
        self.cost = np.asarray(self.cost, dtype=np.float64)
        self.known = np.asarray(self.known, dtype=np.float64)
        for values, what in ((self.decided.middle, "decided"), (self.known, "known")):
            if np.shape(values) != self.cost.shape:
                raise ValueError(
                    f"{what} must have one value for each of the {self.cost.size} costs, got an "
                    f"array of shape {np.shape(values)}"
                )

    @classmethod
    @maker
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        cell: tuple[Any, str] | None = None,
        costs: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Plot the expected cost of the decisions for some rows.

        Parameters
        ----------
        estimator : ActionClassifier
            Fitted, with at least one cost that is a range or a distribution. A distribution moves
            through its central 95% interval.
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
        cell : tuple (truth, action), optional
            The cost that moves. Default: that with the greatest effect on the expected cost.
        costs : pandas frame or dict of dicts, optional
            Costs of these rows, as for ``predict``.
        {drawing}

        {returns}
        """
        if not isinstance(estimator, ActionClassifier):
            raise ValueError(
                f"estimator must be an ActionClassifier, got a {type(estimator).__name__}; others "
                "have no uncertain costs"
            )
        found = uncertain_decisions(estimator, X, costs).move(cell)
        return cls(
            cost=found.cost,
            decided=Band(found.decided, found.lower, found.upper),
            known=found.known,
            cell=found.cell,
            of_rows=found.of_rows,
            name=name,
        ).plot(ax=ax, **options)

    def _draw(self, ax: Any, look: Look) -> None:
        before = f"{look.name}, " if look.name else ""
        colour = drawing.style(len(drawing.drawn(ax, "curve")) // 2)["color"]
        self.line_ = drawing.curve(
            ax,
            self.cost,
            self.decided.middle,
            look.line_kw,
            label=f"{before}as decided",
            color=colour,
        )
        note = BAND_NOTE if self._has_band else ""
        self.band_ = drawing.band(ax, self.cost, self.decided, self.line_, look.band_kw, note=note)
        self.known_line_ = drawing.curve(
            ax,
            self.cost,
            self.known,
            look.line_kw,
            label=f"{before}if the cost were known",
            color=colour,
            linestyle="--",
        )
        truth, action = self.cell
        what = f"cost of {action!r} where {truth!r} is true"
        drawing.label(
            ax, f"{what}, share of its range" if self.of_rows else what, "expected cost of a row"
        )
        ax.autoscale(axis="x", tight=True)

    @property
    def _has_band(self) -> bool:
        """Whether another cost is uncertain, too."""
        lower, upper = self.decided.lower, self.decided.upper
        return lower is not None and upper is not None and bool(np.any(upper > lower))
