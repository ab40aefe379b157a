"""costboost: cost-sensitive boosting, exact to the papers and fast.

The names that a user needs first; the algorithms of the literature are in `costboost.algorithms`.
"""

import logging as _logging
from importlib import import_module as _import_module
from importlib.util import find_spec as _find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from costboost._core.costs import Costs
    from costboost.classifiers.costboost import CostBoostClassifier
    from costboost.comparing import compare
    from costboost.decisions import (
        ActionClassifier,
        CostSearchCV,
        EstimatedCostClassifier,
        OperatingPointClassifier,
        estimate_prevalence,
    )
    from costboost.io import load, save

__all__ = [
    "ActionClassifier",
    "CostBoostClassifier",
    "CostSearchCV",
    "Costs",
    "EstimatedCostClassifier",
    "OperatingPointClassifier",
    "__version__",
    "compare",
    "estimate_prevalence",
    "load",
    "save",
]

__version__ = "0.2.0"

_HOMES = {
    "ActionClassifier": "decisions",
    "CostBoostClassifier": "classifiers.costboost",
    "CostSearchCV": "decisions",
    "Costs": "_core.costs",
    "EstimatedCostClassifier": "decisions",
    "OperatingPointClassifier": "decisions",
    "compare": "comparing",
    "estimate_prevalence": "decisions",
    "load": "io",
    "save": "io",
}
"""The module of each name."""

_PUBLIC_MODULES = (
    "algorithms", "calibration", "datasets", "explaining", "export", "inspection", "metrics",
    "monitoring", "multiclass", "plots", "reading", "report", "studies", "theory",
)  # fmt: skip

_logging.getLogger(__name__).addHandler(_logging.NullHandler())  # silent unless the program logs


def __getattr__(name: str) -> Any:
    """Names are imported when they are first used, so that the command line answers at once."""
    if name in _HOMES:
        value = getattr(_import_module(f"{__name__}.{_HOMES[name]}"), name)
        return globals().setdefault(name, value)
    if not name.startswith("__") and _find_spec(f"{__name__}.{name}"):
        return _import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'costboost' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_PUBLIC_MODULES})
