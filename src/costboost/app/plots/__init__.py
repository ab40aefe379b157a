"""Plots of curves, measures, scores, ranks."""
