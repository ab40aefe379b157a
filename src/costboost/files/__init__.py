"""Model files: fitted classifiers as plain data on disk, and back."""

from costboost.files.models import load, load_with_metadata, save

__all__ = ["load", "load_with_metadata", "save"]
