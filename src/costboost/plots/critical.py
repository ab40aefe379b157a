"""Critical difference diagrams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from costboost.metrics import friedman_test, nemenyi
from costboost.metrics.checks import check_numbers
from costboost.plots import drawing
from costboost.plots.display import Display, documented, maker
from costboost.plots.numbers.predictions import check_names, read_table

STEP = 0.30
"""Inches between the names of neighbouring methods."""
BAR = 0.16
"""Inches between neighbouring bars."""
SIDE = 0.05
"""Room on either side of the ruler, as a share of it."""


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class CriticalDifferenceDisplay(Display):
    r"""Average ranks on a line; a bar joins methods that do not differ significantly.

    Two methods differ, by Nemenyi's test, if their ranks are further apart than

    .. math:: \mathrm{CD} = q_\alpha \sqrt{\frac{k(k+1)}{6N}}

    for k methods on N data sets. The p-value of Friedman's test is below the diagram: if it
    is large, there may be no difference at all.

    Use it to compare all methods with one another over at least about five data sets. To compare
    several methods with a single one, Nemenyi's test is too strict; for two methods use
    ``scipy.stats.wilcoxon``.

    Create it with ``from_values``.

    Parameters
    ----------
    average_ranks : array of shape (n_methods,)
        Mean ranks, 1 for the best.
    critical_difference : float
        Least difference of ranks that is significant.
    groups : list of tuples of int
        Indices of methods that do not differ: the bars.
    names : list of str
        Names of the methods.
    alpha : float, default 0.05
        Level of the test.
    n_datasets : int, optional
        Number of data sets.
    pvalue : float, optional
        The p-value of Friedman's test in Iman and Davenport's form.

    Attributes
    ----------
    {axes}
    bars_ : list of matplotlib Line2D
        One for each group.
    labels_ : list of matplotlib Text
        The names, best first.
    cd_line_ : matplotlib Line2D
        A line whose length is the critical difference.

    References
    ----------
    J. Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006. N.
    Nikolaou et al., "Cost-sensitive boosting algorithms: Do we really need them?", Machine
    Learning 104, 2016, figure 6.

    Examples
    --------
    >>> from costboost.plots import CriticalDifferenceDisplay
    >>> display = CriticalDifferenceDisplay.from_values([[0.1, 0.2, 0.9]] * 10)
    >>> display.groups
    [(0, 1), (1, 2)]
    """

    average_ranks: Any
    critical_difference: float
    groups: Sequence[Sequence[int]]
    names: Sequence[str]
    alpha: float = 0.05
    n_datasets: int | None = None
    pvalue: float | None = None

    def __post_init__(self) -> None:
        self.average_ranks = check_numbers("average_ranks", self.average_ranks).ravel()
        self.names = check_names(self.names, (), self.average_ranks.size)

    @classmethod
    @maker
    def from_values(
        cls,
        values: Any,
        *,
        names: Sequence[str] | None = None,
        alpha: float = 0.05,
        greater_is_better: bool = False,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Rank methods by a measure, and test which differ.

        Parameters
        ----------
        {values}
        {names}
        alpha : float, default 0.05
            Probability that some pair of equal methods differs by chance.
        {greater_is_better}
        {plot}

        {returns}
        """
        table, own = read_table(values, names)
        found = nemenyi(table, alpha=alpha, greater_is_better=greater_is_better)
        n, k = table.shape
        return cls(
            average_ranks=found.average_ranks,
            critical_difference=found.critical_difference,
            groups=found.groups,
            names=own,
            alpha=alpha,
            n_datasets=n,
            pvalue=friedman_test(table).f_pvalue if k > 2 and n > 1 else None,
        ).plot(ax=ax, **options)

    @documented
    def plot(self, ax: Any = None) -> Self:
        """Plot the diagram.

        Parameters
        ----------
        {ax}

        Returns
        -------
        self
        """
        k = self.average_ranks.size
        rows, bars = (k + 1) // 2, len(self.groups)
        below = 0.25 + BAR * bars + STEP * rows
        longest = max(len(name) for name in self.names)
        ax = self._begin(ax, (min(14.0, 6.0 + 0.15 * longest), below + 1.1))
        # One unit of y is one inch, and the line of ranks is at 0.
        ax.set(xlim=(1 - SIDE * (k - 1), k + SIDE * (k - 1)), ylim=(-below - 0.1, 0.8))
        ax.axis("off")
        self._draw_ruler(ax, k)
        self.cd_line_ = self._draw_difference(ax)
        self.bars_ = [self._draw_bar(ax, group, m) for m, group in enumerate(self.groups)]
        self.labels_ = self._draw_names(ax, 0.25 + BAR * bars)
        ax.text(
            0.5, 0, self._note(), ha="center", va="top", color=drawing.GREY, transform=ax.transAxes
        )
        return self

    def _draw_ruler(self, ax: Any, k: int) -> None:
        ax.plot([1, k], [0, 0], color="black", linewidth=1.2)
        for rank in range(1, k + 1):
            ax.plot([rank, rank], [0, 0.09], color="black", linewidth=1.0)
            if (rank - 1) % (1 + (k - 1) // 10) == 0:
                ax.text(rank, 0.13, str(rank), ha="center", va="bottom")
        for half in np.arange(1.5, k):
            ax.plot([half, half], [0, 0.05], color="black", linewidth=0.8)

    def _draw_difference(self, ax: Any) -> Any:
        """The critical difference, above the ruler."""
        ends = (1, 1 + self.critical_difference)
        line = ax.plot(ends, [0.5, 0.5], color=drawing.COLOURS[1], linewidth=2.0, marker="|")[0]
        text = f"CD = {self.critical_difference:.2f}"
        ax.text(ends[0], 0.56, text, ha="left", va="bottom", color=drawing.COLOURS[1])
        return line

    def _draw_bar(self, ax: Any, group: Sequence[int], m: int) -> Any:
        ranks = self.average_ranks[list(group)]
        ends, height = (ranks.min() - 0.03, ranks.max() + 0.03), -0.14 - BAR * m
        style = {"color": drawing.COLOURS[0], "linewidth": 4.0, "solid_capstyle": "butt"}
        return ax.plot(ends, [height, height], **style)[0]

    def _draw_names(self, ax: Any, top: float) -> list[Any]:
        """Names of the better half on the left, of the others on the right, with lines to them."""
        k = self.average_ranks.size
        order = np.argsort(self.average_ranks, kind="stable")
        half = (k + 1) // 2
        drawn = []
        for place, method in enumerate(order):
            left = place < half
            row = place if left else k - 1 - place
            height, rank = -top - STEP * (row + 0.5), float(self.average_ranks[method])
            end = ax.get_xlim()[0 if left else 1]  # names are beside the axes: the layout sees them
            style = {"color": drawing.GREY, "linewidth": 0.9, "zorder": 1}
            ax.plot([rank, rank, end], [0, height, height], **style)
            text = (
                f"{self.names[method]}  ({rank:.2f})"
                if left
                else f"({rank:.2f})  {self.names[method]}"
            )
            side = {"ha": "right"} if left else {"ha": "left"}
            gap = (-0.01 if left else 0.01) * (k - 1)
            drawn.append(ax.text(end + gap, height, text, va="center", **side))
        return drawn

    def _note(self) -> str:
        ranks, test = ["mean rank (1 is best)"], [f"joined: no difference at level {self.alpha:g}"]
        if self.n_datasets is not None:
            ranks.append(f"{self.n_datasets} data sets")
        if self.pvalue is not None:
            test.append(f"Friedman p = {self.pvalue:.2g}")
        return "; ".join(ranks) + "\n" + "; ".join(test)
