"""The parameters of classifiers, each stated once: default, values, description."""
