"""Model files: saving fitted classifiers as plain data and loading them."""

from costboost.io.models import load, load_with_metadata, save

__all__ = ["load", "load_with_metadata", "save"]
