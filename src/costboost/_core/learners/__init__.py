"""Weak learners: each finds, under the present weights, the hypothesis of a round."""
