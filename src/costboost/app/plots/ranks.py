"""Ranks of methods over data sets: by themselves, against sizes, with critical differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from costboost.app.plots import drawing
from costboost.app.plots.display import Display, documented, maker
from costboost.app.plots.drawing import place_labels
from costboost.app.plots.predictions import check_names, means, read_table
from costboost.metrics import average_ranks, friedman_test, nemenyi, pareto_front
from costboost.metrics.checks import check_numbers


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class RankDisplay(Display):
    r"""Average rank of each method over data sets, best on top, and its rank on every data set.

    .. math:: R_j = \frac1N \sum_{i=1}^N r_{ij}

    with rank 1 for the best method of a data set; ties share their mean rank.

    Use it to show which methods do well throughout. Ranks do not show how much better a method is;
    whether differences are significant is shown by :class:`CriticalDifferenceDisplay`.

    Create it with ``from_values``.

    Parameters
    ----------
    ranks : array of shape (n_datasets, n_methods)
        Rank of each method on each data set.
    names : list of str
        Names of the methods.

    Attributes
    ----------
    average : array of shape (n_methods,)
        Mean ranks.
    {axes}
    bars_ : list of matplotlib patches
        The average ranks, best first.
    points_ : matplotlib PathCollection or None
        The ranks on each data set.

    References
    ----------
    J. Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006. N.
    Nikolaou et al., "Cost-sensitive boosting algorithms: Do we really need them?", Machine
    Learning 104, 2016, figure 4.

    Examples
    --------
    >>> from costboost.plots import RankDisplay
    >>> areas = {"AdaMEC": [0.12, 0.20], "CGAda": [0.15, 0.18], "CSB2": [0.30, 0.31]}
    >>> RankDisplay.from_values(areas).average
    array([1.5, 1.5, 3. ])
    """

    ranks: Any
    names: Sequence[str]

    def __post_init__(self) -> None:
        self.ranks = np.atleast_2d(check_numbers("ranks", self.ranks))
        self.names = check_names(self.names, (), self.ranks.shape[1])
        self.average = self.ranks.mean(axis=0)

    @classmethod
    @maker
    def from_values(
        cls,
        values: Any,
        *,
        names: Sequence[str] | None = None,
        greater_is_better: bool = False,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Rank methods by a measure.

        Parameters
        ----------
        {values}
        {names}
        {greater_is_better}
        {plot}

        {returns}
        """
        table, own = read_table(values, names)
        ranks = [average_ranks(row[None], greater_is_better=greater_is_better) for row in table]
        return cls(ranks=np.array(ranks), names=own).plot(ax=ax, **options)

    @documented
    def plot(
        self,
        ax: Any = None,
        *,
        points: bool = True,
        bar_kw: Mapping[str, Any] | None = None,
        point_kw: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> Self:
        """Plot the ranks.

        Parameters
        ----------
        {ax}
        points : bool, default True
            Whether to plot the rank on each data set too.
        bar_kw, point_kw : dict, optional
            Options of matplotlib's ``barh`` and ``scatter``.
        {bar_options}

        {itself}
        """
        n, k = self.ranks.shape
        bar_kw = drawing.options(bar_kw, kwargs)
        ax = self._begin(ax, (7.0, 1.4 + 0.32 * k))
        order = np.argsort(self.average, kind="stable")
        usual = {"color": "#9CC4DE", "edgecolor": drawing.COLOURS[0], "height": 0.62}
        bars = ax.barh(np.arange(k), self.average[order], **{**usual, **(bar_kw or {})})
        self.bars_ = list(bars)
        self.points_ = self._draw_points(ax, order, point_kw) if points and n > 1 else None
        for place, rank in enumerate(self.average[order]):
            ax.text(k + 0.45, place, f"{rank:.2f}", va="center", ha="left")
        ax.set(xlim=(0, k + 0.4), ylim=(k - 0.4, -0.6))
        ax.set_yticks(np.arange(k), labels=[self.names[method] for method in order])
        ax.set_xticks(np.unique(np.linspace(1, k, min(k, 15)).round()))
        drawing.label(ax, f"rank over {n} data sets (1 is best); bars and numbers: mean", "")
        return self

    def _draw_points(self, ax: Any, order: Any, kw: Mapping[str, Any] | None) -> Any:
        """Draw a point for each rank of a method; its area shows the number of data sets."""
        ranks = self.ranks[:, order]
        places = np.broadcast_to(np.arange(ranks.shape[1]), ranks.shape)
        spots, counts = np.unique(
            np.column_stack([ranks.ravel(), places.ravel()]), axis=0, return_counts=True
        )
        usual = {"s": 14 * counts, "color": "black", "alpha": 0.6, "linewidth": 0, "zorder": 3}
        return ax.scatter(spots[:, 0], spots[:, 1], **{**usual, **(kw or {})})


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class ParetoDisplay(Display):
    """Average rank against size of the ensemble, and the methods that no other beats in both.

    A method is on the Pareto front if no other one is as good in both and better in one. Use it
    where a smaller model is of value: it shows the best rank for each size.

    Create it with ``from_values``.

    Parameters
    ----------
    size, rank : arrays of shape (n_methods,)
        Both better when smaller.
    names : list of str
        Names of the methods.
    x_title, y_title : str, optional
        Labels of the axes.

    Attributes
    ----------
    front : boolean array of shape (n_methods,)
        Which methods are on the front.
    {axes}
    front_points_ : matplotlib PathCollection
        The methods on the front; the others are ``other_points_``.
    front_line_ : matplotlib Line2D
        The line through the methods on the front.
    labels_ : list of matplotlib Annotation
        The names beside the points.

    References
    ----------
    N. Nikolaou et al., "Cost-sensitive boosting algorithms: Do we really need them?", Machine
    Learning 104, 2016, figure 5.

    Examples
    --------
    >>> from costboost.plots import ParetoDisplay
    >>> areas = {"AdaMEC": [0.12, 0.20], "AsymAda": [0.11, 0.18], "CSB2": [0.30, 0.31]}
    >>> display = ParetoDisplay.from_values(areas, [40, 100, 60])
    >>> print(display.rank, display.front)
    [2. 1. 3.] [ True  True False]
    """

    size: Any
    rank: Any
    names: Sequence[str]
    x_title: str = "mean size of the ensemble (weak learners)"
    y_title: str = "mean rank (1 is best)"

    def __post_init__(self) -> None:
        n = np.size(self.rank)
        self.size, self.rank = means("size", self.size, n), means("rank", self.rank, n)
        self.names = check_names(self.names, (), n)
        self.front = pareto_front(np.column_stack([self.size, self.rank]))

    @classmethod
    @maker
    def from_values(
        cls,
        values: Any,
        size: Any,
        *,
        names: Sequence[str] | None = None,
        greater_is_better: bool = False,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Rank methods by a measure, and plot the ranks against their sizes.

        Parameters
        ----------
        {values}
        size : array of shape (n_methods,) or (n_datasets, n_methods)
            Sizes of the ensembles, such as ``n_iter_``; a table is averaged over data sets.
        {names}
        {greater_is_better}
        {plot}

        {returns}
        """
        table, own = read_table(values, names)
        rank = average_ranks(table, greater_is_better=greater_is_better)
        return cls(size=size, rank=rank, names=own).plot(ax=ax, **options)

    @documented
    def plot(
        self,
        ax: Any = None,
        *,
        legend: str | None = "auto",
        point_kw: Mapping[str, Any] | None = None,
        line_kw: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> Self:
        """Plot the methods and the front.

        Parameters
        ----------
        {ax}
        {legend}
        point_kw, line_kw : dict, optional
            Options of matplotlib's ``scatter`` for the points and ``plot`` for the front.
        {point_options}

        {itself}
        """
        point_kw = drawing.options(point_kw, kwargs)
        ax = self._begin(ax, (7.0, 5.0))
        self.front_line_ = self._draw_front(ax, line_kw)
        colour = point_kw.pop("color", drawing.COLOURS[0])
        usual = {"s": 46, "edgecolor": colour, "linewidth": 1.4, "zorder": 3}
        kinds = {True: (colour, "D", "Pareto front"), False: ("white", "o", "others")}
        drawn = {}
        for on, (fill, marker, label) in kinds.items():
            rows = self.front == on
            chosen = {**usual, "facecolor": fill, "marker": marker, "label": label}
            drawn[on] = ax.scatter(self.size[rows], self.rank[rows], **{**chosen, **point_kw})
        self.front_points_, self.other_points_ = drawn[True], drawn[False]
        ax.margins(0.12)
        if not ax.yaxis_inverted():
            ax.invert_yaxis()
        drawing.label(ax, self.x_title, self.y_title)
        drawing.legend(ax, legend, below=True)
        self.labels_ = place_labels(ax, self.size, self.rank, self.names, self.front_line_)
        return self

    def _draw_front(self, ax: Any, kw: Mapping[str, Any] | None) -> Any:
        order = np.argsort(self.size[self.front], kind="stable")
        x, y = self.size[self.front][order], self.rank[self.front][order]
        usual: dict[str, Any] = {
            "color": drawing.COLOURS[0],
            "linestyle": "--",
            "linewidth": 1.2,
        }
        return drawing.curve(ax, x, y, kw, drawstyle="steps-post", **usual)


# ---- critical difference diagrams ----------------------------------------------------------------

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

        {itself}
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
