"""``monitor``, and the prevalence of ``predict``: files that are read in batches, twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.classifiers.cost_cells import GivenCosts
from costboost.cli import console
from costboost.cli.layouts import Layout
from costboost.cli.options import check_cost_columns
from costboost.cli.problems import named_columns, read_costs
from costboost.decisions.actions import ActionClassifier, costs_of
from costboost.decisions.prevalence import (
    PrevalenceEstimate,
    at_prevalence,
    estimate,
    positive_index,
    reference_shares,
    refuse_uncalibrated,
)
from costboost.model.prevalence import ESTIMATE
from costboost.monitoring.costs import Batch
from costboost.monitoring.monitor import monitor_batches
from costboost.monitoring.reference import ProbabilitySketch
from costboost.monitoring.result import Monitoring, write
from costboost.reading.columns import KINDS, as_text
from costboost.reading.errors import InputError, unknown
from costboost.reading.formats import open_table
from costboost.reading.sources import ReadOptions

TWICE = "the file is read twice, which standard input cannot be: write it to a file first"


def monitor_file(
    model: Any,
    layout: Layout,
    path: str,
    labels: str | None,
    options: ReadOptions,
    alarm: float | None,
    unit: str,
) -> Monitoring:
    """Monitor a model on the rows of a file, which may be larger than memory."""
    if path == "-":
        raise InputError(TWICE)
    if layout.multiclass:
        raise InputError(
            f"monitoring is for two classes, and the model has {len(layout.classes)}: train one "
            "with --positive LABEL, which is set against the rest"
        )
    acting = model if isinstance(model, ActionClassifier) else None
    batches = file_batches(path, layout, labels, options, acting)
    return monitor_batches(model, batches, alarm=alarm, unit=unit)


def file_batches(
    path: str,
    layout: Layout,
    labels: str | None,
    options: ReadOptions,
    acting: ActionClassifier | None = None,
) -> Callable[[], Iterator[Batch]]:
    """Function that iterates over the rows of a file in batches.

    ``acting`` is a model of actions, which have costs of their own.
    """

    def batches() -> Iterator[Batch]:
        import pyarrow as pa

        with open_table(path, options) as source:
            layout.check_columns(source.names, source.name)
            check_cost_columns(layout.cost_columns, source.names, source.name)
            if labels is not None and labels not in source.names:
                raise unknown("column", labels, source.names, f" in {source.name}")
            types, keep, n_rows = layout.text_types(), (), 0
            types.pop(layout.target, None)
            if labels is not None:
                keep = (labels,)  # type: ignore[assignment]
                types[labels] = KINDS["category" if layout.text_labels else "number"].text_type()
            for part in source.batches(types, keep):
                table = pa.Table.from_batches([part])
                numbers = np.arange(n_rows + 1, n_rows + table.num_rows + 1)
                n_rows += table.num_rows
                known = None if labels is None else table.column(labels).is_valid().to_numpy()
                for one in _batches_of(table, layout, labels, known, source.name, numbers):
                    yield one if acting is None else _acting(one, layout, acting)

    return batches


def _batches_of(
    table: Any,
    layout: Layout,
    labels: str | None,
    known: NDArray[np.bool_] | None,
    name: str,
    numbers: NDArray[np.intp],
) -> Iterator[Batch]:
    """Rows with labels, and rows without."""
    if labels is None or known is None:
        yield Batch(layout.features(table, name), None, _costs(table, layout, name, numbers))
        return
    for there in (known, ~known):
        if there.any():
            part = table.filter(there)
            y = _labels(part.column(labels), layout) if there is known else None
            costs = _costs(part, layout, name, numbers[there])
            yield Batch(layout.features(part, name), y, costs)


def _acting(batch: Batch, layout: Layout, clf: ActionClassifier) -> Batch:
    """Rows for a model of actions, with its costs in place of those of the classes."""
    columns = named_columns(layout, batch.costs.named)
    return batch._replace(costs=GivenCosts(), actions=costs_of(clf).filled(columns))


def _costs(table: Any, layout: Layout, name: str, numbers: NDArray[np.intp]) -> GivenCosts:
    return GivenCosts(**read_costs(table, layout, name, numbers))


def _labels(column: Any, layout: Layout) -> NDArray[Any]:
    """Labels as the model has them."""
    if layout.text_labels:
        y = np.array([text.strip() for text in as_text(column).to_pylist()], dtype=object)
    else:
        y = np.asarray(column.to_numpy(), dtype=np.float64).astype(np.int64)
    if layout.against_rest:
        return np.where(y == layout.positive, str(layout.label), layout.rest)
    return y


def show(found: Monitoring, report: str | None, as_json: bool, *words: str) -> None:
    """Print the result, and write the page with its heading and the name of the data."""
    if as_json:
        console.write_json(found.to_dict())
    else:
        console.write(str(found))
    if report is not None:
        console.info(f"report: {write(report, found, *words)}")


# ---- the prevalence of predictions ---------------------------------------------------------------


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
        shares = ", ".join(f"{label} {share:.4g}" for label, share in found.shares.items())
        console.note(f"estimated prevalence: {shares}")
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


def parse_shares(
    option: str, texts: Sequence[str], labels: Sequence[Any], others: Sequence[str] = ()
) -> dict[Any, float]:
    """Shares by label from texts of the form LABEL=SHARE."""
    known = {str(label): label for label in labels} | {name: name for name in others}
    found: dict[Any, float] = {}
    for text in texts:
        name, _, share = text.rpartition("=")
        if name not in known:
            raise unknown("class", name or text, list(known), f" for {option} LABEL=SHARE")
        try:
            found[known[name]] = float(share)
        except ValueError:
            raise InputError(f"{option} {text}: {share!r} is no number") from None
    return found


def estimate_file(
    model: Any, layout: Layout, path: str, options: ReadOptions
) -> PrevalenceEstimate:
    """Estimated shares of the classes among the rows of a file."""
    if path == "-":
        raise InputError(TWICE)
    refuse_uncalibrated(model)
    batches = file_batches(path, layout, None, options)
    prior, classes, k = reference_shares(model), model.classes_, positive_index(model)
    if len(classes) > 2:
        rows = np.concatenate([model.predict_proba(batch.X) for batch in batches()])
        return estimate(rows, prior, classes, k, np.ones(len(rows)))
    sketch = ProbabilitySketch()
    for batch in batches():
        sketch.add(np.asarray(model.predict_proba(batch.X))[:, k], None)
    p, n, _ = sketch.table()
    both = [1 - p, p] if k == 1 else [p, 1 - p]
    return estimate(np.column_stack(both), prior, classes, k, n)
