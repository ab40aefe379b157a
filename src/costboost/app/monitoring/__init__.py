"""Comparison of new rows with a reference."""
