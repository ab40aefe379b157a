"""Ranks of methods over data sets, by themselves and against the size of the ensembles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from costboost.metrics import average_ranks, pareto_front
from costboost.metrics.checks import check_numbers
from costboost.plots import drawing
from costboost.plots.display import Display, documented, maker
from costboost.plots.drawing import place_labels
from costboost.plots.numbers.predictions import check_names, means, read_table


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
        values : array or data frame of shape (n_datasets, n_methods), or dict of lists
            A measure of each method on each data set, such as the area under the Brier curve. A
            data frame or a dict also contains the names of the methods.
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

        Returns
        -------
        self
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

        Returns
        -------
        self
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
