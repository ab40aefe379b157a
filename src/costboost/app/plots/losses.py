"""Losses against the margin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from costboost.app.plots import drawing
from costboost.app.plots.descriptions import documented
from costboost.app.plots.display import Display, maker
from costboost.app.plots.numbers.losses import check_margin, loss_grid, loss_values, swaps


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class LossDisplay(Display):
    r"""Loss against the margin, for both classes, and where their asymmetry swaps.

    .. math:: L_+(yF), \quad L_-(yF)

    With unequal costs a row of the costlier class should have a greater loss than one of the other
    class with the same margin. Margins at which it has a smaller loss are shaded: there the
    algorithm swaps the asymmetry of the costs.

    Use it to see what an algorithm minimises; it does not depend on data.

    Create it with ``from_estimator`` for an algorithm of this library, or with ``from_losses`` for
    any loss.

    Parameters
    ----------
    margin : array
        Margins yF, in ascending order.
    positive : array of that length
        Loss of a row of the positive class, or of any row.
    negative : array of that length, optional
        Loss of a row of the negative class, if it differs.
    positive_is_dearer : bool, optional
        Which class is the costlier one. Default: that of the greater loss at the lowest margin.
    name : str, optional
        Name of the loss.

    Attributes
    ----------
    swaps : list of pairs
        Intervals of the margin in which the asymmetry is swapped.
    {axes}
    line_ : matplotlib Line2D
        The loss of the positive class, or of any row.
    negative_line_ : matplotlib Line2D or None
        The loss of the negative class.
    spans_ : list of matplotlib patches
        The shaded intervals.

    References
    ----------
    N. Nikolaou et al., "Cost-sensitive boosting algorithms: Do we really need them?", Machine
    Learning 104, 2016, figures 1 and 2. Nyga, D. (2010). Ensemble learning for classification of
    imbalanced data. Master's thesis, TU Muenchen; figure 2.2.

    Examples
    --------
    >>> import numpy as np
    >>> from costboost.plots import LossDisplay
    >>> LossDisplay.from_losses(lambda m: np.exp(-2 * m), lambda m: np.exp(-m)).swaps
    [(0.0, 1.5)]
    """

    margin: Any
    positive: Any
    negative: Any = None
    positive_is_dearer: bool | None = None
    name: str | None = None

    def __post_init__(self) -> None:
        self.margin = check_margin(self.margin)
        self.positive = loss_values(self.positive, self.margin, "positive")
        self.swaps: list[tuple[float, float]] = []
        if self.negative is not None:
            self.negative = loss_values(self.negative, self.margin, "negative")
            self.swaps = swaps(self.margin, self.positive, self.negative, self.positive_is_dearer)

    @classmethod
    @maker
    def from_estimator(
        cls,
        algorithm: Any,
        *,
        fn_cost: float = 2.0,
        fp_cost: float = 1.0,
        round: int = 1,
        n_rounds: int | None = None,
        margin: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Plot the loss of an algorithm, derived from its rule by :func:`costboost.theory.losses`.

        It needs costboost-lab.

        Parameters
        ----------
        algorithm : classifier, class of a classifier, or rule
            It need not be fitted. Algorithms that imply no loss of the margin raise a ValueError.
        fn_cost, fp_cost : float, default 2 and 1
            Costs of false negatives and false positives.
        round : int, default 1
            The round; the losses of some algorithms change with it.
        n_rounds : int, optional
            Number of rounds. Default: ``n_estimators`` of the classifier.
        margin : array, optional
            Margins, in ascending order. Default: from -1.5 to 1.5, extended to where the asymmetry
            swaps.
        {drawing}

        {returns}
        """
        from costboost.theory import losses

        loss = losses(algorithm, fn_cost, fp_cost, n_rounds=n_rounds)
        margin = check_margin(loss_grid(loss.swap(round)) if margin is None else margin)
        title = f"{loss.name}, {fn_cost:g}:{fp_cost:g}" + (f", round {round}" if round > 1 else "")
        return cls(
            margin=margin,
            positive=loss(margin, positive=True, round=round),
            negative=loss(margin, positive=False, round=round),
            positive_is_dearer=None if fn_cost == fp_cost else fn_cost > fp_cost,
            name=title if name is None else name,
        ).plot(ax=ax, **options)

    @classmethod
    @maker
    def from_losses(
        cls,
        positive: Any,
        negative: Any = None,
        *,
        margin: Any = None,
        positive_is_dearer: bool | None = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Plot a loss that is given as functions or arrays.

        Parameters
        ----------
        positive, negative : function or array
            Loss of a row of either class: a function of an array of margins, or its values there.
            Without ``negative``, the loss is the same for both.
        margin : array, optional
            Margins, in ascending order. Default: from -1.5 to 1.5.
        positive_is_dearer : bool, optional
            Which class is the costlier one. Default: that of the greater loss at the lowest
            margin.
        {drawing}

        {returns}
        """
        display = cls(
            margin=check_margin(margin),
            positive=positive,
            negative=negative,
            positive_is_dearer=positive_is_dearer,
            name=name,
        )
        return display.plot(ax=ax, **options)

    @documented
    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        legend: str | None = "auto",
        line_kw: Mapping[str, Any] | None = None,
        span_kw: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> Self:
        """Plot the losses.

        Parameters
        ----------
        {ax}
        {name}
        {legend}
        line_kw, span_kw : dict, optional
            Options of matplotlib's ``plot`` for the lines and ``axvspan`` for the intervals in
            which the asymmetry is swapped.
        {line_options}

        {itself}
        """
        line_kw = drawing.options(line_kw, kwargs)
        ax = self._begin(ax)
        name = self.name if name is None else name
        self.line_ = self._draw(ax, self.positive, True, name, line_kw)
        self.negative_line_ = None
        if self.negative is not None:
            self.negative_line_ = self._draw(ax, self.negative, False, name, line_kw)
        usual = {"facecolor": drawing.GREY, "alpha": 0.15, "linewidth": 0, "zorder": 0}
        self.spans_ = [
            ax.axvspan(*ends, **{**usual, "label": self._interval(*ends), **(span_kw or {})})
            for ends in self.swaps
        ]
        drawing.trivial(ax, [0, 0], [0, 1], "wrong | right", ":").set_transform(
            ax.get_xaxis_transform()
        )
        drawing.label(ax, "margin yF", "loss")
        ax.autoscale(axis="x", tight=True)
        ax.set_ylim(*_limits(ax))
        drawing.legend(ax, legend)
        return self

    def _draw(self, ax: Any, loss: Any, positive: bool, name: str | None, kw: Any) -> Any:
        usual = drawing.style(len(drawing.drawn(ax, "curve")))
        label = name
        if self.negative is not None:
            usual["linestyle"] = drawing.OF_CLASS[positive]
            which = "positive class" if positive else "negative class"
            label = which if not name else f"{name}, {which}"
        return drawing.curve(ax, self.margin, loss, kw, label=label, **usual)

    def _interval(self, left: float, right: float) -> str:
        if right == self.margin[-1]:
            return f"asymmetry swapped, yF > {left:.2g}"
        if left == self.margin[0]:
            return f"asymmetry swapped, yF < {right:.2g}"
        return f"asymmetry swapped, {left:.2g} < yF < {right:.2g}"


def _limits(ax: Any) -> tuple[float, float]:
    """Limits of the axis, which exclude large losses at very negative margins."""
    lines = drawing.drawn(ax, "curve")
    highest = max(float(np.max(line.get_ydata())) for line in lines)
    lowest = min(float(np.min(line.get_ydata())) for line in lines)
    middle = max(float(np.interp(0.0, line.get_xdata(), line.get_ydata())) for line in lines)
    top = highest if middle <= 0 else min(highest, 5 * middle)
    return min(0.0, lowest), 1.05 * top
