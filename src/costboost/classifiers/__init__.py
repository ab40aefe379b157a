"""The public boosting classifiers: each has a docstring and a rule."""
