"""Model files: saving fitted classifiers as plain data and loading them."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from costboost.files.models import load, load_with_metadata, save

__all__ = ["load", "load_with_metadata", "save"]


def __getattr__(name: str) -> Any:
    """Import a public name at its first use, so that importing `files.disk` stays fast."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from costboost.files import models

    return getattr(models, name)
