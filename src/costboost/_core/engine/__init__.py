"""The engine: bins, kernels, and trained ensembles as plain arrays. It knows no algorithm."""
