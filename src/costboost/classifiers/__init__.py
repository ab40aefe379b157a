"""The public classifiers: each a docstring and a rule."""
