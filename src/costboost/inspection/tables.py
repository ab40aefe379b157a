"""Inspection of whole tables, and of costs against the frequencies of the classes."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.checks import Floats, check_labels, check_not_negative, refuse_unread
from costboost.costs import check_matrix, one_against_rest
from costboost.inspection.columns import (
    MAX_CLASSES,
    Finding,
    Flags,
    Labels,
    categories_leak,
    class_indicators,
    enough_rows,
    flat_dictionary,
    leak_message,
    n_distinct,
    numbers_leak,
    read_labels,
    sample_rows,
    text_findings,
    value_findings,
)
from costboost.reading.columns import KINDS, Column, feature_type, kind_of, unusable
from costboost.reading.errors import one_line, some

REPR_WIDTH = 88
UNSUPPORTED = "unsupported"
"""The kind of columns that no classifier takes."""


@dataclass(frozen=True)
class ColumnInspection:
    """A column as `inspect_table` describes it.

    Parameters
    ----------
    name : str
        Its name.
    kind : {"number", "category", "time", "instant", "clock", "unsupported"}
        What the column is to a model. Text, booleans and categorical types are categories; dates
        and times are "time", those with a time zone "instant", times of day "clock". No classifier
        takes an unsupported one, such as a column of lists.
    n_distinct : int
        Distinct values, without missing ones.
    n_missing : int
        Rows without a value.
    findings : tuple of Finding
        What is probably wrong, the most important first.
    """

    name: str
    kind: str
    n_distinct: int
    n_missing: int
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, repr=False)
class TableInspection:
    """A table as `inspect_table` describes it.

    Parameters
    ----------
    n_rows : int
        Rows that were inspected: those that have a label, if there is a target.
    columns : tuple of ColumnInspection
        The columns except the target.
    target : str or None, default=None
        The name of the target column.
    classes : mapping of label to int
        Rows of each class.
    """

    n_rows: int
    columns: tuple[ColumnInspection, ...]
    target: str | None = None
    classes: Mapping[Any, int] = field(default_factory=dict)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of all columns."""
        return tuple(finding for column in self.columns for finding in column.findings)

    def __getitem__(self, name: str) -> ColumnInspection:
        """The column of this name."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)

    def to_frame(self) -> Any:
        """A pandas frame with one row per column of the table."""
        import pandas as pd

        return pd.DataFrame(
            {
                "kind": [one.kind for one in self.columns],
                "n_distinct": [one.n_distinct for one in self.columns],
                "n_missing": [one.n_missing for one in self.columns],
                "findings": [_codes(one) for one in self.columns],
            },
            index=pd.Index([one.name for one in self.columns], name="column"),
        )

    def __repr__(self) -> str:
        head = f"{self.n_rows:,} rows, {len(self.columns):,} columns"
        if self.classes:
            counts = [f"{label}: {n:,}" for label, n in self.classes.items()]
            head += f", target {self.target!r} ({some(counts)})"
        cells = [("column", "kind", "distinct", "missing", "findings")]
        cells += [
            (one.name, one.kind, f"{one.n_distinct:,}", f"{one.n_missing:,}", _codes(one))
            for one in self.columns
        ]
        width = [max(len(row[k]) for row in cells) for k in range(4)]
        lines = [
            f"{row[0]:<{width[0]}}  {row[1]:<{width[1]}}  {row[2]:>{width[2]}}  "
            f"{row[3]:>{width[3]}}  {row[4]}".rstrip()
            for row in cells
        ]
        details = [
            textwrap.fill(f"- {finding}", REPR_WIDTH, subsequent_indent="  ")
            for finding in self.findings
        ]
        return "\n".join([head, *lines, *details])


def _codes(column: ColumnInspection) -> str:
    return ", ".join(finding.code for finding in column.findings)


def inspect_table(
    table: Any, target: Any = None, *, categorical: str | Collection[str] = ()
) -> TableInspection:
    """Describe the columns of a table, and find what should be corrected before training.

    It needs pyarrow, which the extra ``cli`` installs. The command line prints the same findings
    before it trains.

    Parameters
    ----------
    table : pandas.DataFrame, polars.DataFrame or pyarrow.Table
        The table; `costboost.reading.read_table` reads one from a file.
    target : str or array-like of shape (n_rows,), default=None
        The column with the classes, or the classes themselves. Rows without a label are left out.
        Without a target, leaks are not searched for.
    categorical : str or collection of str, default=()
        Columns whose values are names, such as postcodes: they are categories, and not expected
        to be numbers or dates.

    Returns
    -------
    TableInspection
        Kind, number of distinct and of missing values, and findings for each column. Codes of
        findings are:

        - ``"determines_target"``: the column alone separates the classes, as a column that is
          known only afterwards does
        - ``"identifier"``: almost every row has a value of its own
        - ``"rare_categories"``: most categories have too few rows to learn from
        - ``"constant"``, ``"empty"``: all values are the same, or missing
        - ``"numbers_as_text"``, ``"decimal_comma"``, ``"dates_as_text"``: text that looks like
          numbers or dates
        - ``"missing_codes"``: numbers that are text because of other values among them, which
          probably stand for missing values
        - ``"unsupported"``: no classifier takes such values

    See Also
    --------
    inspect_costs : Checks costs against the frequencies of the classes.

    Examples
    --------
    >>> import pandas as pd
    >>> from costboost.inspection import inspect_table
    >>> table = pd.DataFrame({
    ...     "customer": [f"c{k:03d}" for k in range(100)],
    ...     "income": [None if k % 10 == 0 else k * 37 % 50 for k in range(100)],
    ...     "reminders": [k % 4 + 2 * (k >= 80) * 4 for k in range(100)],
    ...     "defaulted": [k >= 80 for k in range(100)],
    ... })
    >>> found = inspect_table(table, "defaulted")
    >>> found
    100 rows, 3 columns, target 'defaulted' (false: 80, true: 20)
    column     kind      distinct  missing  findings
    customer   category       100        0  identifier
    income     number          45       10
    reminders  number           8        0  determines_target
    - column 'customer' has almost as many values as there are rows, as names and
      identifiers of rows have; consider dropping it
    - column 'reminders' alone separates the classes: if it is known only afterwards, train
      without it
    >>> [finding.code for finding in found["customer"].findings]
    ['identifier']
    """
    columns = _arrow_columns(table)
    named = {categorical} if isinstance(categorical, str) else set(categorical)
    if missing := sorted(named - set(columns)):
        raise ValueError(f"categorical names column {missing[0]!r}, which the table does not have")
    name, labels = _target(target, columns)
    if labels is not None and not labels.labelled.all():
        columns = {one: values.filter(labels.labelled) for one, values in columns.items()}
    columns.pop(name, None)
    y = None if labels is None else labels.y
    check = None if y is None else LeakCheck(y)
    found = [_inspected(one, values, check, named) for one, values in columns.items()]
    n_rows = _n_rows(table) if y is None else int(y.size)
    counts = dict(Counter(y.tolist())) if y is not None else {}
    classes = {label: counts[label] for label in sorted(counts)}
    return TableInspection(n_rows, tuple(found), name or None, classes)


def inspect_features(
    columns: Sequence[Column], X: Any, y: NDArray[Any], categorical: Collection[str] = ()
) -> Iterator[ColumnInspection]:
    """Inspect columns that were converted to features: float64, or dictionaries of text."""
    check = LeakCheck(y)
    for column in columns:
        values = X.column(column.name)
        yield _inspect_feature(column, values, check, column.name not in categorical)


def _inspect_feature(
    column: Column, values: Any, check: LeakCheck | None, may_be_numbers: bool
) -> ColumnInspection:
    name, kind, distinct = column.name, column.kind, n_distinct(values)
    varies = distinct > 1 or 0 < values.null_count < len(values)
    findings = []
    if varies and check is not None and check(kind, values):
        findings.append(Finding("determines_target", leak_message(name), "", name))
    misread = list(text_findings(name, values)) if kind == "category" and may_be_numbers else []
    findings += misread or value_findings(name, kind, values, distinct)
    return ColumnInspection(name, kind, distinct, values.null_count, tuple(findings))


class LeakCheck:
    """Whether a feature alone separates the classes ``y``."""

    def __init__(self, y: NDArray[Any]) -> None:
        self._rows = sample_rows(y)
        self._all = self._rows.size == y.size
        self._indicators: list[Flags] = [which[self._rows] for which in class_indicators(y)]
        self._enough = enough_rows(self._indicators)

    def __call__(self, kind: str, values: Any) -> bool:
        if not self._enough:
            return False
        values = values if self._all else values.take(self._rows)
        if kind != "category":
            return numbers_leak(values.to_numpy(), self._indicators)
        codes = flat_dictionary(values)
        n_codes = len(codes.dictionary)
        code = codes.indices.fill_null(n_codes).to_numpy(zero_copy_only=False)
        return categories_leak(code, n_codes, self._indicators)


# ---- tables of any library -----------------------------------------------------------------------


def _inspected(
    name: str, values: Any, check: LeakCheck | None, categorical: set[str]
) -> ColumnInspection:
    if not feature_type(values.type):
        message = unusable(name, values.type).message
        finding = Finding(UNSUPPORTED, message, "drop it, or make numbers or text of it", name)
        return ColumnInspection(name, UNSUPPORTED, 0, values.null_count, (finding,))
    column = Column(name, "category" if name in categorical else kind_of(name, values.type))
    feature = KINDS[column.kind].to_feature(values)
    return _inspect_feature(column, feature, check, name not in categorical)


def _n_rows(table: Any) -> int:
    return int(table.num_rows if hasattr(table, "num_rows") else table.shape[0])


def _target(target: Any, columns: Mapping[str, Any]) -> tuple[str, Labels | None]:
    """The name of the target among the columns, if it is one of them, and the labels."""
    import pyarrow as pa

    if target is None:
        return "", None
    if isinstance(target, str):
        if target not in columns:
            raise ValueError(f"the table has no column {target!r}; it has {some(list(columns))}")
        name, values = target, columns[target]
    else:
        name, values = "", _arrow_column("target", target)
        n_rows = len(next(iter(columns.values()))) if columns else 0
        if len(values) != n_rows:
            raise ValueError(f"target has {len(values)} labels, but the table has {n_rows} rows")
    if not feature_type(values.type) or pa.types.is_null(values.type):
        raise ValueError(f"target holds {one_line(values.type, 60)}, which are no classes")
    labels = read_labels(values, name or "target")
    if len(labels.classes) > MAX_CLASSES:
        raise ValueError(
            f"target has {len(labels.classes)} distinct values ({some(labels.classes[:3])}, ...), "
            "as a number or a name has; inspect_table needs classes"
        )
    return name, labels


def _arrow_columns(table: Any) -> dict[str, Any]:
    """The columns of a table as chunked arrays of pyarrow, by name."""
    refuse_unread("table", table)
    library = type(table).__module__.split(".")[0]
    if library == "pyarrow" and hasattr(table, "column_names"):
        names, values = table.column_names, table.columns
    elif library == "polars" and hasattr(table, "columns"):
        names, values = table.columns, [table.to_series(j) for j in range(table.width)]
    elif library == "pandas" and hasattr(table, "columns"):
        names, values = list(table.columns), [table.iloc[:, j] for j in range(table.shape[1])]
    else:
        raise ValueError(
            "table must be a pandas or polars DataFrame or a pyarrow Table, got "
            f"{type(table).__name__}"
        )
    if not names or _n_rows(table) == 0:
        raise ValueError(f"the table has {_n_rows(table)} rows and {len(names)} columns")
    repeated = [name for name, n in Counter(map(str, names)).items() if n > 1]
    if repeated:
        raise ValueError(f"the table has several columns called {repeated[0]!r}; rename them")
    return {str(n): _arrow_column(f"column {n!r}", v) for n, v in zip(names, values, strict=True)}


def _arrow_column(what: str, values: Any) -> Any:
    """Values of any library as a chunked array of pyarrow in which NaN is missing."""
    import pyarrow as pa
    from pyarrow import compute

    if hasattr(values, "to_arrow"):  # of polars
        values = values.to_arrow()
    if not isinstance(values, (pa.Array, pa.ChunkedArray)):
        try:
            values = pa.array(values, from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            raise ValueError(
                f"{what} holds values of different types: {one_line(error)}"
            ) from error
    if isinstance(values, pa.Array):
        values = pa.chunked_array([values])
    if pa.types.is_floating(values.type):
        nan = compute.is_nan(values)
        values = compute.if_else(nan, pa.scalar(None, values.type), values)
    return values


# ---- costs ---------------------------------------------------------------------------------------


def inspect_costs(
    y: Any,
    *,
    pos_label: Any = None,
    fn_cost: Any = 1.0,
    fp_cost: Any = 1.0,
    cost_matrix: Any = None,
) -> list[Finding]:
    """Check costs of mistakes against the frequencies of the classes.

    In most applications of costs the rare class is the costly one to miss. Costs that contradict
    this are probably swapped, or the wrong class is the positive one.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels.
    pos_label : label, default=None
        The positive class of two. By default the greater label.
    fn_cost, fp_cost : float or array-like of shape (n_samples,), default=1.0
        Costs of a false negative (a miss) and of a false positive (a false alarm).
    cost_matrix : array-like of shape (n_classes, n_classes), default=None
        Costs of all mistakes, true classes in rows and predictions in columns, in the order of the
        sorted labels. It takes the place of the two costs and is needed for more than two classes.

    Returns
    -------
    list of Finding
        Codes are:

        - ``"no_costs"``: all mistakes cost 1
        - ``"costs_swapped"``: missing the rare class costs less than a false alarm
        - ``"frequent_positive"``: the positive class is the frequent one, and costly to miss
        - ``"row_costs_once"``: one mistake has a cost in each row, the other costs 1
        - ``"matrix_transposed"``: missing the rarest class costs less than predicting it wrongly

    Examples
    --------
    >>> from costboost.inspection import inspect_costs
    >>> y = ["paid"] * 95 + ["default"] * 5
    >>> for finding in inspect_costs(y, pos_label="default", fn_cost=1, fp_cost=10):
    ...     print(finding.code)
    costs_swapped
    """
    labels = check_labels("y", y)
    classes, count = np.unique(labels, return_counts=True)
    if classes.size < 2:
        raise ValueError(f"y has one class only, {classes[0]!r}; costs need at least two")
    if classes.size > 2 or cost_matrix is not None:
        return list(_matrix_findings(check_matrix(cost_matrix, classes), classes, count))
    label = classes[1] if pos_label is None else pos_label
    positive = np.asarray(labels == label)
    if not positive.any():
        raise ValueError(f"pos_label={pos_label!r} is not in y, which has {classes.tolist()}")
    costs = [
        _checked(name, cost, labels.size)
        for name, cost in (("fn_cost", fn_cost), ("fp_cost", fp_cost))
    ]
    return list(_two_class_findings(label, positive, *costs))


def _checked(name: str, cost: Any, n_rows: int) -> Floats:
    values = check_not_negative(name, cost)
    if values.shape not in ((), (n_rows,)):
        raise ValueError(f"{name} has shape {values.shape}, but y has {n_rows} rows")
    return values


def _matrix_findings(
    matrix: Floats, classes: NDArray[Any], count: NDArray[np.intp]
) -> Iterator[Finding]:
    off_diagonal = matrix[~np.eye(len(matrix), dtype=bool)]
    if np.all(off_diagonal == 1) and not np.diag(matrix).any():
        yield Finding(
            "no_costs",
            f"there are {classes.size} classes ({some(classes.tolist())}), and every mistake "
            "costs 1",
            "give a cost_matrix",
        )
        return
    share = count / count.sum()
    miss, alarm = one_against_rest(matrix, share)
    rare = int(share.argmin())
    if share[rare] < share.max() and miss[rare] < alarm[rare]:
        yield Finding(
            "matrix_transposed",
            f"{classes[rare].item()!r} is the rarest class ({share[rare]:.1%} of the rows), and "
            f"missing it costs less ({miss[rare]:.3g} on average) than predicting it where "
            f"another class is true ({alarm[rare]:.3g})",
            "is the cost matrix transposed? Its rows are the true classes",
        )


def _two_class_findings(
    label: Any, positive: NDArray[np.bool_], fn_cost: Floats, fp_cost: Floats
) -> Iterator[Finding]:
    label = label.item() if hasattr(label, "item") else label
    fn = float(np.mean(np.broadcast_to(fn_cost, positive.shape)[positive]))
    fp = float(np.mean(np.broadcast_to(fp_cost, positive.shape)[~positive]))
    share = float(positive.mean())
    if fn == fp == 1:
        message = "no costs were given, so that all mistakes count the same"
        yield Finding("no_costs", message, "give fn_cost and fp_cost")
    if fn_cost.ndim and not fp_cost.ndim and fp_cost == 1:
        yield _row_costs_once("miss", "false alarm", "fp_cost", fn, fp / (fn + fp))
    elif fp_cost.ndim and not fn_cost.ndim and fn_cost == 1:
        yield _row_costs_once("false alarm", "miss", "fn_cost", fp, fp / (fn + fp))
    elif share < 0.5 and fn < fp:
        yield Finding(
            "costs_swapped",
            f"{label!r} is the rare class ({share:.1%} of the rows), and missing it costs less "
            f"({fn:g}) than a false alarm ({fp:g})",
            "are fn_cost and fp_cost swapped?",
        )
    elif share > 0.5 and fn > fp:
        yield Finding(
            "frequent_positive",
            f"{label!r} is the frequent class ({share:.1%} of the rows), and the one that is "
            "costly to miss",
            "if the rare class is the one that matters, make it pos_label",
        )


def _row_costs_once(
    mistake: str, other: str, parameter: str, mean: float, threshold: float
) -> Finding:
    return Finding(
        "row_costs_once",
        f"a {mistake} has a cost of its own in each row ({mean:.4g} on average), but a {other} "
        f"costs 1, so that rows are predicted positive from a probability of about "
        f"{threshold:.1%} on",
        f"give {parameter} in the same unit",
    )
