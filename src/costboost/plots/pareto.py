"""Rank against size of the ensemble, and the methods that no other one beats in both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from costboost.metrics import average_ranks, pareto_front
from costboost.plots import drawing
from costboost.plots.display import Display, maker
from costboost.plots.documentation import documented
from costboost.plots.labels import place_labels
from costboost.plots.numbers.tables import check_names, means, read_table


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class ParetoDisplay(Display):
    """Average rank against size of the ensemble, and the methods that no other beats in both.

    A method is on the Pareto front if none other is as good in both and better in one. Take it
    where a smaller model is worth something: to see what rank each size can buy.

    Make one with ``from_values``.

    Parameters
    ----------
    size, rank : arrays of shape (n_methods,)
        Both better when smaller.
    names : list of str
        Names of the methods.
    x_title, y_title : str, optional
        Names of the axes, if they are something else.

    Attributes
    ----------
    front : boolean array of shape (n_methods,)
        Which methods are on the front.
    {axes}
    front_points_ : matplotlib PathCollection
        The methods on the front; the others are ``other_points_``.
    front_line_ : matplotlib Line2D
        The line that parts what is possible from what nothing reaches.
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
        """Rank methods by a measure, and draw the ranks against their sizes.

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
        """Draw the methods and the front.

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
        look = {True: (colour, "D", "Pareto front"), False: ("white", "o", "others")}
        drawn = {}
        for on, (fill, marker, label) in look.items():
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
