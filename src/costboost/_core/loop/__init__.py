"""The rounds of boosting: one loop, with a state for each family of rules."""
