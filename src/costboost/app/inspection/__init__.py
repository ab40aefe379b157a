"""Inspection of data before training."""
