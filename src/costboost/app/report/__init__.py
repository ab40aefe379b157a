"""The page on the cost of decisions."""
