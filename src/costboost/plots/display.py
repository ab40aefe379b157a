"""What all displays have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar, cast

from costboost.plots import drawing
from costboost.plots.documentation import documented

F = TypeVar("F", bound=Callable[..., object])


@dataclass(kw_only=True, eq=False, repr=False)
class Display:
    """Numbers that can be drawn. Makers compute them, ``plot`` draws them."""

    def _begin(self, ax: Any, size: tuple[float, float] = drawing.SIZE) -> Any:
        """The axes to draw on, which the display remembers."""
        self.ax_ = drawing.axes(ax, size)
        self.figure_ = self.ax_.figure
        return self.ax_


def maker(function: F) -> F:
    """A class method that makes a display: without matplotlib it says so before it computes."""

    @wraps(function)
    def make(*args: Any, **options: Any) -> Any:
        drawing.pyplot()
        return function(*args, **options)

    return cast(F, documented(make))
