"""The prevalence that predictions are made for, as an option states it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from costboost._core.model.prevalence import ESTIMATE
from costboost._core.model.shares import warn_at_boundary
from costboost.app.cli import terminal
from costboost.app.cli.batches import TWICE, file_batches
from costboost.app.cli.layouts import Layout
from costboost.app.cli.shares import parse_shares
from costboost.app.monitoring.sketches import ProbabilitySketch
from costboost.app.reading.errors import InputError
from costboost.app.reading.sources import ReadOptions
from costboost.decisions.prevalence import (
    PrevalenceEstimate,
    at_prevalence,
    estimate,
    positive_index,
    reference_shares,
    refuse_uncalibrated,
    rows_of_calibration,
)


def model_at_prevalence(
    model: Any,
    layout: Layout,
    texts: Sequence[str],
    path: str,
    options: ReadOptions,
    on_cluster: bool = False,
) -> Any:
    """The model for the prevalence that is given: a share, LABEL=SHARE, or "estimate"."""
    if on_cluster and list(texts) == [ESTIMATE]:
        raise InputError("--prevalence estimate reads DATA here: leave out the cluster")
    try:
        return at_prevalence(model, _given_prevalence(model, layout, texts, path, options))
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"--prevalence: {error}") from error


def _given_prevalence(
    model: Any, layout: Layout, texts: Sequence[str], path: str, options: ReadOptions
) -> Any:
    """The share of the positive class, or the shares of all by label."""
    if list(texts) == [ESTIMATE]:
        found = estimate_file(model, layout, path, options)
        if found.at_boundary:
            warn_at_boundary(found.shares == found.reference)
        shares = ", ".join(f"{label} {share:.4g}" for label, share in found.shares.items())
        terminal.note(f"estimated prevalence: {shares}")
        return found.shares
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


def estimate_file(
    model: Any, layout: Layout, path: str, options: ReadOptions
) -> PrevalenceEstimate:
    """Estimated shares of the classes among the rows of a file."""
    if path == "-":
        raise InputError(TWICE)
    refuse_uncalibrated(model)
    batches = file_batches(path, layout, None, options)
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
