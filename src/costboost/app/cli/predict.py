"""``predict``: the predictions of a model for a file of any length."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

from costboost.app.cli import progress, terminal
from costboost.app.cli.action_predictor import ActionPredictor
from costboost.app.cli.actions import with_actions
from costboost.app.cli.costs import refuse_other_costs, with_other_costs
from costboost.app.cli.given import Given
from costboost.app.cli.model_files import load_model
from costboost.app.cli.output_files import check_distinct, check_writable, open_output
from costboost.app.cli.prediction_lines import PredictionLines
from costboost.app.cli.predictors import MulticlassPredictor, Predictor, TwoClassPredictor
from costboost.app.cli.prevalence import model_at_prevalence
from costboost.app.cli.unseen import UnseenCategories
from costboost.app.reading.clusters import open_client
from costboost.app.reading.columns import select_names
from costboost.app.reading.data_layout import DataLayout
from costboost.app.reading.errors import InputError
from costboost.app.reading.partitions import open_rows
from costboost.app.reading.table_source import TableSource


def run(given: Given) -> None:
    if given.safe_csv and given.json:
        raise InputError("--safe-csv is for CSV: leave it out, or --json")
    inputs = given.model, given.data, given.costs.cost_matrix, given.actions
    check_distinct(None if given.out == "-" else given.out, *inputs)
    check_writable(given.fit_prices, *inputs, given.out)
    model, trained = load_model(given.model)
    layout = with_other_costs(given, model, trained)
    if given.prevalence:
        model = model_at_prevalence(given, model, trained)
    predictor = predictor_of(given, model, trained, layout)
    with (
        open_client(given.get("scheduler"), given.get("workers")) as client,
        open_rows(given.data, given.reading, client) as source,
    ):
        keep = select_names(given.keep, source.names, source.name)
        lines = PredictionLines(
            predictor,
            layout,
            UnseenCategories(model, layout),
            keep,
            given.json,
            given.safe_csv,
            given.max_rows,
        )
        _write(lines, source, given.out)
    lines.unseen.print_notes()
    predictor.finish()


def predictor_of(given: Given, model: Any, trained: DataLayout, layout: DataLayout) -> Predictor:
    """The predictor of actions, if the model or the options have some; else that of classes."""
    acting = with_actions(given, model, trained)
    if acting is not None:
        refuse_other_costs(acting, trained, layout)
        return ActionPredictor(given, acting, trained)
    kind = MulticlassPredictor if layout.multiclass else TwoClassPredictor
    return kind(model, layout, layout != trained)


def _write(lines: PredictionLines, source: TableSource, out: str | None) -> None:
    """Write the predictions of a file, and show the progress."""
    lines.check(source)
    _note_unused(lines.layout, (*lines.keep, *lines.predictor.types), source)
    silent = out is None and sys.stdout.isatty()
    with open_output(out) as write, progress.progress_bar("predicting", silent) as update:
        for text in _with_head(lines, source):
            write(text)
            if update is not None and source.share_read is not None:
                update(source.share_read)
    if out is not None:
        terminal.info(f"{lines.n_rows:,} predictions: {out}")


def _with_head(lines: PredictionLines, source: TableSource) -> Iterator[bytes]:
    """The head after the first batch was predicted, so that nothing is written if that fails."""
    each = lines.of(source)
    first = next(each, b"")
    yield lines.head()
    yield first
    yield from each


def _note_unused(layout: DataLayout, others: Sequence[str], source: TableSource) -> None:
    used = {*layout.feature_names, layout.target, *layout.cost_columns, *others}
    unused = [name for name in source.names if name not in used]
    if unused:
        listed = ", ".join(map(repr, unused[:5])) + (", ..." if len(unused) > 5 else "")
        number = terminal.plural(len(unused), "column")
        terminal.note(f"{number} that the model does not use: {listed}")
