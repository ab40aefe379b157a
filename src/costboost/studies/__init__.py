"""The experiments of the papers, each as one command: ``costboost study NAME``."""
