"""Drawing of curves, measures and scores."""
