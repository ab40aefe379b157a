"""Ranks of methods over data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from costboost.metrics import average_ranks
from costboost.metrics.checks import check_numbers
from costboost.plots import drawing
from costboost.plots.display import Display, maker
from costboost.plots.documentation import documented
from costboost.plots.numbers.tables import check_names, read_table


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class RankDisplay(Display):
    r"""Average rank of each method over data sets, best on top, and its rank on every data set.

    .. math:: R_j = \frac1N \sum_{i=1}^N r_{ij}

    with rank 1 for the best method of a data set; ties share their mean rank.

    Take it to show which methods do well throughout. Ranks forget by how much a method is better;
    whether differences are more than chance is the matter of :class:`CriticalDifferenceDisplay`.

    Make one with ``from_values``.

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
            data frame or a dict has the names of the methods too.
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
        """Draw the ranks.

        Parameters
        ----------
        {ax}
        points : bool, default True
            Whether to draw the rank on each data set too.
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
        """A point for each data set; its area says how many share the rank."""
        ranks = self.ranks[:, order]
        places = np.broadcast_to(np.arange(ranks.shape[1]), ranks.shape)
        spots, counts = np.unique(
            np.column_stack([ranks.ravel(), places.ravel()]), axis=0, return_counts=True
        )
        usual = {"s": 14 * counts, "color": "black", "alpha": 0.6, "linewidth": 0, "zorder": 3}
        return ax.scatter(spots[:, 0], spots[:, 1], **{**usual, **(kw or {})})
