"""Model files: fitted classifiers as plain data on disk, and back."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from costboost.files.models import load, load_with_metadata, save

__all__ = ["load", "load_with_metadata", "save"]


def __getattr__(name: str) -> Any:
    """Names are imported when they are first used: the command line needs `files.disk` at once."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from costboost.files import models

    return getattr(models, name)
