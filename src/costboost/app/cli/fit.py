"""``fit``: train a model on a file, and measure what its decisions cost."""

from __future__ import annotations

from costboost.app.cli.estimators import make_classifier
from costboost.app.cli.given import Given
from costboost.app.cli.training import train_and_show


def run(given: Given) -> None:
    train_and_show(given, lambda layout: make_classifier(given, given.algorithm, layout))
