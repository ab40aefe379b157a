"""costboost: cost-sensitive boosting, exact to the papers and fast."""

import logging as _logging
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from costboost.public import *  # noqa: F403
    from costboost.public import __all__ as __all__

__version__ = "0.2.0"

_PUBLIC_MODULES = (
    "algorithms", "calibration", "datasets", "export", "inspection", "metrics", "monitoring",
    "multiclass", "plots", "reading", "report", "studies", "theory",
)  # fmt: skip

_logging.getLogger(__name__).addHandler(_logging.NullHandler())  # silent unless the program logs


def __getattr__(name: str) -> Any:
    """Names are imported when they are first used, so that the command line answers at once."""
    if name != "__all__" and name.startswith("__"):
        raise AttributeError(f"module 'costboost' has no attribute {name!r}")
    room = f"{__name__}.{name}"
    if find_spec(room):
        return import_module(room)
    names = _public()
    if name not in names:
        raise AttributeError(f"module 'costboost' has no attribute {name!r}")
    globals().update(names)
    return names[name]


def _public() -> dict[str, Any]:
    """The one list of public names is that of `costboost.public`."""
    room = import_module("costboost.public")
    return {"__all__": room.__all__, **{name: getattr(room, name) for name in room.__all__}}


def __dir__() -> list[str]:
    return sorted({*_public()["__all__"], *_PUBLIC_MODULES})
