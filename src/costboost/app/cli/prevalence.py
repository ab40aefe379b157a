"""The prevalence that predictions are made for, as an option states it."""

from __future__ import annotations

from typing import Any

import numpy as np

from costboost._core.model.prevalence import ESTIMATE
from costboost._core.model.shares import warn_at_boundary
from costboost.app.cli import terminal
from costboost.app.cli.batches import file_batches
from costboost.app.cli.given import Given
from costboost.app.cli.shares import parse_shares
from costboost.app.monitoring.sketches import ProbabilitySketch
from costboost.app.reading.data_layout import DataLayout
from costboost.app.reading.errors import InputError
from costboost.decisions.prevalence import (
    PrevalenceEstimate,
    at_prevalence,
    estimate,
    positive_index,
    reference_shares,
    refuse_uncalibrated,
    rows_of_calibration,
)


def model_at_prevalence(given: Given, model: Any, layout: DataLayout) -> Any:
    """The model for the prevalence that is given: a share, LABEL=SHARE, or "estimate"."""
    if given.on_cluster and given.prevalence == (ESTIMATE,):
        raise InputError("--prevalence estimate reads DATA here: leave out the cluster")
    try:
        return at_prevalence(model, _prevalence(given, model, layout))
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"--prevalence: {error}") from error


def _prevalence(given: Given, model: Any, layout: DataLayout) -> Any:
    """The share of the positive class, or the shares of all by label."""
    texts = given.prevalence
    if texts == (ESTIMATE,):
        estimated = estimate_file(given, model, layout)
        if estimated.at_boundary:
            warn_at_boundary(estimated.shares == estimated.reference)
        shares = ", ".join(f"{label} {share:.4g}" for label, share in estimated.shares.items())
        terminal.note(f"estimated prevalence: {shares}")
        return estimated.shares
    if any("=" in text for text in texts):
        return parse_shares("--prevalence", texts, model.classes_.tolist())
    if len(texts) != 1:
        raise InputError("--prevalence is one share, LABEL=SHARE for each class, or estimate")
    try:
        return float(texts[0])
    except ValueError:
        raise InputError(
            f"--prevalence must be a share, LABEL=SHARE or estimate, got {texts[0]!r}"
        ) from None


def estimate_file(given: Given, model: Any, layout: DataLayout) -> PrevalenceEstimate:
    """Estimated shares of the classes among the rows of DATA."""
    batches = file_batches(given, layout)
    refuse_uncalibrated(model)
    prior, classes, k = reference_shares(model), model.classes_, positive_index(model)
    known = rows_of_calibration(model)
    if len(classes) > 2:
        rows = np.concatenate([model.predict_proba(batch.X) for batch in batches()])
        return estimate(rows, prior, classes, k, np.ones(len(rows)), rows=known)
    sketch = ProbabilitySketch()
    for batch in batches():
        sketch.add(np.asarray(model.predict_proba(batch.X))[:, k], None)
    p, n, _ = sketch.table()
    both = [1 - p, p] if k == 1 else [p, 1 - p]
    return estimate(np.column_stack(both), prior, classes, k, n, rows=known)
