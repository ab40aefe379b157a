"""Base classes of displays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, ClassVar, NamedTuple, Self, TypeVar, cast

from costboost.app.plots import drawing
from costboost.app.plots.descriptions import documented
from costboost.app.plots.numbers.predictions import name_of, positive_class
from costboost.metrics.checks import Floats

F = TypeVar("F", bound=Callable[..., object])


def maker(function: F) -> F:
    """Decorate a class method that creates a display: it checks first that matplotlib is there."""

    @wraps(function)
    def make(*args: Any, **options: Any) -> Any:
        drawing.pyplot()
        return function(*args, **options)

    return cast(F, documented(make))


@dataclass(kw_only=True, eq=False, repr=False)
class Display:
    """Base class: class methods compute the numbers of a display, ``plot`` draws them."""

    def _begin(self, ax: Any, size: tuple[float, float] = drawing.SIZE) -> Any:
        """The axes to draw on, which become attributes of the display."""
        self.ax_ = drawing.axes(ax, size)
        self.figure_ = self.ax_.figure
        return self.ax_


class Look(NamedTuple):
    """Name of a line for the legend, and the user's options for it and for its band."""

    name: str | None
    line_kw: Mapping[str, Any]
    band_kw: Mapping[str, Any] | None


class NamedDisplay(Display):
    """Base class of displays with a name, which is a field of its subclasses."""

    name: str | None

    def _look(self, name: str | None, line_kw: Any, band_kw: Any, kwargs: Any) -> Look:
        """The look of the lines, from the arguments of ``plot``."""
        chosen = self.name if name is None else name
        return Look(chosen, drawing.options(line_kw, kwargs), band_kw)


class LineDisplay(NamedDisplay):
    """Base class of displays of lines with bands, which `_draw` draws on the prepared axes."""

    @documented
    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        legend: str | None = "auto",
        line_kw: Mapping[str, Any] | None = None,
        band_kw: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> Self:
        """Plot the lines.

        Parameters
        ----------
        {ax}
        {name}
        {legend}
        {line_and_band}
        {line_options}

        {itself}
        """
        ax = self._begin(ax)
        twins = self._draw(ax, self._look(name, line_kw, band_kw, kwargs))
        drawing.legend(ax, legend, twins or ())
        return self

    def _draw(self, ax: Any, look: Look) -> list[Any] | None:
        """Draw lines and bands, and label the axes; returns further axes with lines."""
        raise NotImplementedError


class CurveDisplay(NamedDisplay):
    """Base class of curves that follow from the labels of rows and what a classifier predicts."""

    _predict: ClassVar[Callable[..., Floats]]
    """Probabilities or scores of a classifier."""

    @classmethod
    @maker
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        pos_label: Any = None,
        name: str | None = None,
        **options: Any,
    ) -> Self:
        """Plot the curve of a fitted classifier.

        Parameters
        ----------
        {estimator}
        {rows}
        {pos_label}
        {name}
        **options
            Passed on to ``from_predictions``, such as ``sample_weight``, costs and ``ax``.

        {returns}
        """
        label = positive_class(estimator, pos_label)
        return cls.from_predictions(  # type: ignore[attr-defined,no-any-return]
            y,
            cls._predict(estimator, X, label),
            pos_label=label,
            name=name_of(estimator) if name is None else name,
            **options,
        )
