"""costboost: cost-sensitive boosting, exact to the papers and fast."""
# ruff: noqa: F405

from importlib import import_module
from typing import TYPE_CHECKING, Any

from costboost.version import __version__

if TYPE_CHECKING:
    from costboost.public import *  # noqa: F403

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegClassifier",
    "AdaC1Classifier",
    "AdaC2Classifier",
    "AdaC3Classifier",
    "AdaCostClassifier",
    "AdaDBClassifier",
    "AdaMECClassifier",
    "AsymAdaClassifier",
    "CGAdaClassifier",
    "CSAdaClassifier",
    "CSB0Classifier",
    "CSB1Classifier",
    "CSB2Classifier",
    "CSGAClassifier",
    "CSLBClassifier",
    "CSLogitBoostClassifier",
    "CSRAClassifier",
    "CSRealBoostClassifier",
    "CostBoostClassifier",
    "CostSearchCV",
    "GentleBoostClassifier",
    "LogitBoostClassifier",
    "OperatingPointClassifier",
    "RareBoostClassifier",
    "RealBoostClassifier",
    "WeightBoostClassifier",
    "__version__",
    "compare",
    "load",
    "save",
]

_ROOMS = (
    "calibration", "comparing", "datasets", "decisions", "files", "metrics", "multiclass",
    "plots", "report", "rules", "theory",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    """Names are imported when they are first used, so that the command line answers at once."""
    if name in __all__:
        value = getattr(import_module("costboost.public"), name)
    elif name in _ROOMS:
        return import_module(f"costboost.{name}")
    else:
        raise AttributeError(f"module 'costboost' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_ROOMS})
