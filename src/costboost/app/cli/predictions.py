"""``predict`` and ``monitor``: predictions for the rows of a file, and whether they still hold.

``predict`` writes labels, probabilities and expected costs as CSV or JSON lines. ``monitor``, and
an estimate of the prevalence for ``predict``, read the file in batches and then once more.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from costboost._core.arrays import Flags, Label
from costboost._core.checks import Floats
from costboost._core.costs import expected
from costboost._core.model.prevalence import ESTIMATE
from costboost._core.model.shares import warn_at_boundary
from costboost.app.cli import output
from costboost.app.cli.layouts import Layout
from costboost.app.cli.options import MOST_ROWS, check_cost_columns
from costboost.app.cli.output import open_output
from costboost.app.cli.problems import UnseenCategories, named_columns, read_costs
from costboost.app.monitoring.monitor import Monitoring, monitor_batches
from costboost.app.monitoring.monitor import write as write_page
from costboost.app.monitoring.reference import Batch, ProbabilitySketch
from costboost.app.reading.columns import KINDS, as_text, is_text
from costboost.app.reading.errors import InputError, unknown
from costboost.app.reading.formats import open_table
from costboost.app.reading.partitions import Part, Partitions, open_part
from costboost.app.reading.sources import Format, ReadOptions
from costboost.app.report.numbers import predict_classes, takes_costs
from costboost.classifiers.base import BoostingClassifier
from costboost.classifiers.checks import GivenCosts
from costboost.decisions.actions import ActionClassifier, costs_of
from costboost.decisions.prevalence import (
    PrevalenceEstimate,
    at_prevalence,
    estimate,
    positive_index,
    reference_shares,
    refuse_uncalibrated,
    rows_of_calibration,
)
from costboost.decisions.wrapping import decide_positive
from costboost.metrics.costs import decides_by_cost

# ---- predictions ---------------------------------------------------------------------------------


def decide(model: Any, layout: Layout, X: Any, costs: Mapping[str, Any]) -> tuple[Flags, Floats]:
    """The rows predicted positive, by these costs if the model takes them, and probabilities."""
    return decide_positive(model, X, GivenCosts(**costs), layout.label)


def positive_column(model: Any, layout: Layout) -> int:
    """The column of the positive class in `predict_proba`."""
    return int(np.flatnonzero(model.classes_ == layout.label)[0])


class Predictions(NamedTuple):
    """Predictions of some rows."""

    code: NDArray[np.intp]
    """Positions of the labels among those of the predictor."""
    numbers: list[Floats]
    """Probabilities and expected costs, in the order of the predictor's head."""


class Predictor(Protocol):
    """A model and the costs that it decides by."""

    labels: list[Label]
    head: tuple[str, ...]
    """Names of the columns that are predicted; the label is the first."""

    def __call__(self, table: Any, X: Any, name: str, rows: range) -> Predictions:
        """Predict rows; ``rows`` are their numbers in the file ``name``."""
        ...


class TwoClassPredictor:
    """Predicts the label, the probability of the positive class and the expected cost."""

    head: tuple[str, ...] = ("label", "probability", "expected_cost")

    def __init__(self, model: Any, layout: Layout, changed_costs: bool) -> None:
        if changed_costs and not decides_by_cost(model):
            raise fixed_costs(model)
        self.model, self.layout = model, layout
        self.pass_costs = changed_costs or bool(layout.cost_columns)
        other = model.classes_[1 - positive_column(model, layout)]
        self.labels = [other.item() if hasattr(other, "item") else other, layout.label]

    def __call__(self, table: Any, X: Any, name: str, rows: range) -> Predictions:
        layout = self.layout
        costs = read_costs(table, layout, name, rows)
        positive, p = decide(self.model, layout, X, costs if self.pass_costs else {})
        alarm, miss = (1 - p) * costs["fp_cost"], p * costs["fn_cost"]
        if layout.gains:
            alarm, miss = alarm + p * costs["tp_cost"], miss + (1 - p) * costs["tn_cost"]
        cost = np.where(positive, alarm, miss)
        return Predictions(positive.astype(np.intp), [p, cost])


class MulticlassPredictor:
    """Predicts the label, the probability of each class and the expected cost.

    A method that does not estimate probabilities gives the share of the votes for each class, and
    no expected cost.
    """

    def __init__(self, model: Any, layout: Layout, changed_costs: bool) -> None:
        by_cost = takes_costs(model)
        if changed_costs and not by_cost:
            raise fixed_costs(model)
        self.model, self.matrix = model, np.array(layout.matrix)
        self.given = self.matrix if changed_costs else None
        self.labels = list(layout.classes)
        self.has_probabilities = isinstance(model, BoostingClassifier) or by_cost
        word = "probability" if self.has_probabilities else "votes"
        shares = (f"{word}_{label}" for label in self.labels)
        self.head = ("label", *shares, *(["expected_cost"] if self.has_probabilities else []))

    def __call__(self, table: Any, X: Any, name: str, rows: range) -> Predictions:
        found = predict_classes(self.model, X, self.given)
        numbers = list(found.shares.T)
        if self.has_probabilities:
            cost = expected(found.shares, self.matrix)
            numbers.append(cost[np.arange(len(cost)), found.code])
        return Predictions(found.code, numbers)


def fixed_costs(model: Any) -> InputError:
    """The error for costs that are given to a model which cannot decide by others."""
    return InputError(
        f"{type(model).__name__} cannot be given other costs after training; see costboost "
        "algorithms for those that can"
    )


# ---- files of predictions ------------------------------------------------------------------------


@dataclass
class PredictionWriter:
    """Turns batches of a file into lines of predictions."""

    model: Any
    layout: Layout
    keep: Sequence[str] = ()
    """Columns of the file that are repeated before the predictions."""
    as_json: bool = False
    changed_costs: bool = False
    """Whether costs differ from those of training."""
    safe_csv: bool = False
    """Whether text that a spreadsheet would run as a formula gets an apostrophe before it."""
    acting: Any = None
    """Predictor of actions, if the model has some."""
    max_rows: int = MOST_ROWS
    """Rows that are predicted at most, of a file in which few bytes may be many rows."""
    n_rows: int = 0

    def __post_init__(self) -> None:
        self.unseen = UnseenCategories(self.model, self.layout)
        kind = MulticlassPredictor if self.layout.multiclass else TwoClassPredictor
        self._predict: Predictor = self.acting or kind(self.model, self.layout, self.changed_costs)
        self._label_cells = [self._cell(str(label)) for label in self._predict.labels]
        self._number_columns: set[str] | None = None
        self._names = (*self.keep, *self._predict.head)
        clash = sorted(set(self.keep) & set(self._predict.head))
        if clash:
            raise InputError(f"column {clash[0]!r} cannot be kept: a prediction has that name")

    def head(self) -> bytes:
        """The line with the names of the columns."""
        if self.as_json:
            return b""
        return (",".join(map(self._cell, self._names)) + "\n").encode()

    def check(self, source: Format | Partitions) -> None:
        """Raise an InputError if the file lacks columns."""
        self.layout.check_columns(source.names, source.name)
        check_cost_columns(self.layout.cost_columns, source.names, source.name)
        if self.acting is not None:
            self.acting.check(source.names, source.name)
        if source.is_packed:
            self._check_rows(source.n_rows or 0, source.name)

    def _check_rows(self, n_rows: float, name: str) -> None:
        """Raise an InputError if there are more rows than may be predicted."""
        if n_rows > self.max_rows:
            raise InputError(
                f"{name} has more than {self.max_rows:,} rows; if you trust it, allow more",
                "max_rows",
                10 * self.max_rows,
            )

    def lines(self, source: Format | Partitions) -> Iterator[bytes]:
        """Lines of predictions, a batch of rows or a part of a table at a time."""
        import pyarrow as pa

        if isinstance(source, Partitions):
            yield from self._lines_of_parts(source)
            return
        batches = source.batches(self._types(), self.keep)
        parts: Iterable[list[Any]] = ([batch] for batch in batches)
        if self.acting is not None and self.acting.together:
            parts = filter(None, [list(kept_within_memory(batches, source))])
        for part in parts:
            table = pa.Table.from_batches(part)
            if source.is_packed:
                self._check_rows(self.n_rows + table.num_rows, source.name)
            rows = range(self.n_rows + 1, self.n_rows + table.num_rows + 1)
            yield self._lines(table, source.name, rows)
            self.n_rows += table.num_rows

    def _lines_of_parts(self, source: Partitions) -> Iterator[bytes]:
        """Lines of predictions that the workers of a cluster make."""
        writer, parts = source.sent_to_all(self), list(source.parts)
        alone = 1 if self.as_json and self.keep else 0  # columns of numbers are found in the first
        for some in (parts[:alone], parts[alone:]):
            given = predict_part, writer, self._number_columns
            for lines, n_rows, unseen, columns in source.collected_parts(some, *given):
                self._number_columns = columns
                self.n_rows += n_rows
                self.unseen.counts.update(unseen)
                self.unseen.n_rows += n_rows
                yield lines

    def _types(self) -> dict[str, Any]:
        types = self.layout.text_types()
        types.pop(self.layout.target, None)
        text = dict.fromkeys(self.keep, KINDS["category"].text_type())
        return text | ({} if self.acting is None else self.acting.types) | types

    def _lines(self, table: Any, name: str, rows: range) -> bytes:
        import pyarrow as pa

        X = self.layout.features(table, name)
        self.unseen.add(X)
        code, found = self._predict(table, X, name, rows)
        if self.as_json:
            labels = [self._predict.labels[k] for k in code.tolist()]
            return self._json_lines(table, [labels, *(values.tolist() for values in found)])
        kept = [_repeated(table.column(column)).combine_chunks() for column in self.keep]
        kept = [_defused(column) for column in kept] if self.safe_csv else kept
        labels = pa.array(self._label_cells).take(pa.array(code))
        numbers = [pa.array(values).cast(pa.string()) for values in found]
        return _joined([*map(_quoted_column, kept), labels, *numbers])

    def _json_lines(self, table: Any, found: list[list[Any]]) -> bytes:
        if self._number_columns is None:  # from the first batch, so that a column stays the same
            self._number_columns = self._find_number_columns(table)
        kept = [json_values(table.column(one), one in self._number_columns) for one in self.keep]
        rows = zip(*kept, *found, strict=True)
        return b"".join(
            json.dumps(dict(zip(self._names, row, strict=True))).encode() + b"\n" for row in rows
        )

    def _find_number_columns(self, table: Any) -> set[str]:
        """Kept columns that hold numbers: features by their kind, other text by its values."""
        kinds = {one.name: one.kind == "number" for one in self.layout.columns}
        kinds |= dict.fromkeys(self.layout.cost_columns, True)
        known = {name for name in self.keep if kinds.get(name)}
        others = [name for name in self.keep if name not in kinds]
        return known | {name for name in others if all_numbers(table.column(name))}

    def _cell(self, text: str) -> str:
        harmful = self.safe_csv and re.match(FORMULA, text) and not re.match(CSV_NUMBER, text)
        text = f"'{text}" if harmful else text
        if any(character in text for character in '",\r\n'):
            return '"' + text.replace('"', '""') + '"'
        return text


def kept_within_memory(batches: Iterator[Any], source: Format) -> Iterator[Any]:
    """Batches that stay in memory together; an InputError if a packed file takes too much."""
    budget = source.source.budget()
    for batch in batches:
        if source.is_packed:
            budget.spend(batch.nbytes)
        yield batch


def predict_part(
    part: Part, options: ReadOptions, writer: PredictionWriter, number_columns: set[str] | None
) -> tuple[bytes, int, Counter[str], set[str] | None]:
    """Lines of predictions for a part of a table, and what the writer of all parts adds up."""
    own = replace(writer, n_rows=part.first)
    own._number_columns = number_columns
    with open_part(part, options) as source:
        lines = b"".join(own.lines(source))
    return lines, own.n_rows - part.first, own.unseen.counts, own._number_columns


def write_predictions(
    writer: PredictionWriter, source: Format | Partitions, out: str | None
) -> None:
    """Write the predictions of a file, and show the progress."""
    writer.check(source)
    grouped = () if writer.acting is None else writer.acting.types
    _note_unused(writer.layout, (*writer.keep, *grouped), source)
    silent = out is None and sys.stdout.isatty()
    with open_output(out) as write, output.progress_bar("predicting", silent) as update:
        for lines in _with_head(writer, source):
            write(lines)
            if update is not None and source.share_read is not None:
                update(source.share_read)
    if out is not None:
        output.info(f"{writer.n_rows:,} predictions: {out}")


def _with_head(writer: PredictionWriter, source: Format | Partitions) -> Iterator[bytes]:
    """The head after the first batch was predicted, so that nothing is written if that fails."""
    lines = writer.lines(source)
    first = next(lines, b"")
    yield writer.head()
    yield first
    yield from lines


def _note_unused(layout: Layout, others: Sequence[str], source: Format | Partitions) -> None:
    used = {one.name for one in layout.columns} | {layout.target, *layout.cost_columns, *others}
    unused = [name for name in source.names if name not in used]
    if unused:
        listed = ", ".join(map(repr, unused[:5])) + (", ..." if len(unused) > 5 else "")
        number = output.plural(len(unused), "column")
        output.note(f"{number} that the model does not use: {listed}")


# ---- CSV -----------------------------------------------------------------------------------------

SPECIAL = '[",\r\n]'
FORMULA = "^[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]"
"""Beginnings of text that spreadsheets may run as a formula, by OWASP's list."""
CSV_NUMBER = r"^[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?$"


def _repeated(column: Any) -> Any:
    """A column as text; whole numbers with all their digits."""
    import pyarrow as pa
    from pyarrow import compute

    if not pa.types.is_floating(column.type):
        return as_text(column)
    exact = compute.less(compute.abs(column), 2.0**53)
    whole = compute.and_(compute.equal(column, compute.round(column)), exact).fill_null(False)
    digits = compute.if_else(whole, column, None).cast(pa.int64())
    return compute.coalesce(digits.cast(pa.string()), column.cast(pa.string()))


def _defused(column: Any) -> Any:
    """Text with an apostrophe before what a spreadsheet would run as a formula."""
    from pyarrow import compute

    column = column.fill_null("")
    harmful = compute.and_not(
        compute.match_substring_regex(column, FORMULA),
        compute.match_substring_regex(column, CSV_NUMBER),
    )
    return compute.if_else(harmful, compute.binary_join_element_wise("'", column, ""), column)


def _quoted_column(column: Any) -> Any:
    """Text in quotation marks where CSV needs them; missing values are empty."""
    from pyarrow import compute

    column = column.fill_null("")
    doubled = compute.replace_substring(column, '"', '""')
    quoted = compute.binary_join_element_wise('"', doubled, '"', "")
    return compute.if_else(compute.match_substring_regex(column, SPECIAL), quoted, column)


def _joined(columns: list[Any]) -> bytes:
    """Columns of text as the lines of a CSV file."""
    import pyarrow as pa
    from pyarrow import compute

    lines = compute.binary_join_element_wise(*columns, ",")
    ended = compute.binary_join_element_wise(lines, "", "\n").cast(pa.large_string())
    _, _, text = ended.buffers()
    return bytes(text)


# ---- JSON ----------------------------------------------------------------------------------------

JSON_NUMBER = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$"
"""A number as JSON writes it; 00501 is a name."""


def all_numbers(column: Any) -> bool:
    """Whether all values of a text column are numbers, except those that are missing."""
    from pyarrow import compute

    if not is_text(column.type) or column.null_count == len(column):
        return False
    return bool(compute.all(compute.match_substring_regex(as_text(column), JSON_NUMBER)).as_py())


def json_values(column: Any, text_is_number: bool) -> list[Any]:
    """The values of a column for JSON: dates and times are text, NaN and infinity are null."""
    from pyarrow import types

    if is_text(column.type):
        values: list[Any] = as_text(column).to_pylist()
        return [_parsed_number(one) for one in values] if text_is_number else values
    if types.is_floating(column.type):
        return [_finite(one) for one in column.to_pylist()]
    plain = types.is_integer(column.type) or types.is_boolean(column.type)
    return list((column if plain else as_text(column)).to_pylist())


def _parsed_number(text: str | None) -> Any:
    """The number that a text is; other text unchanged."""
    if text is None or not re.match(JSON_NUMBER, text.strip()):
        return text
    return int(text) if re.fullmatch(r"-?[0-9]+", text.strip()) else _finite(float(text))


def _finite(value: float | None) -> float | int | None:
    """A float without a fraction as an integer; None for NaN and infinity."""
    if value is None or not math.isfinite(value):
        return None
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


# ---- monitoring: files that are read in batches, twice -------------------------------------------

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
                for one in _monitored_batches(table, layout, labels, known, source.name, numbers):
                    yield one if acting is None else _acting(one, layout, acting)

    return batches


def _monitored_batches(
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


def show_monitoring(found: Monitoring, report: str | None, as_json: bool, *words: str) -> None:
    """Print what monitoring found, and write the page with its heading and the name of the data."""
    if as_json:
        output.write_json(found.to_dict())
    else:
        output.write(str(found))
    if report is not None:
        output.info(f"report: {write_page(report, found, *words)}")


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
        if found.at_boundary:
            warn_at_boundary(found.shares == found.reference)
        shares = ", ".join(f"{label} {share:.4g}" for label, share in found.shares.items())
        output.note(f"estimated prevalence: {shares}")
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
