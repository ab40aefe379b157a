"""Tables before training: kinds of columns, with findings on each.

`inspect_table` describes a table of pandas, polars or pyarrow. The command line prints the same
findings before it trains.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from numpy.typing import NDArray

from costboost.app.inspection.arrow_columns import arrow_column, arrow_columns, count_rows
from costboost.app.inspection.labels import MAX_CLASSES, Labels, read_labels
from costboost.app.inspection.leaks import LeakCheck, leak_message
from costboost.app.inspection.values import Finding, n_distinct, text_findings, value_findings
from costboost.app.reading.columns import KINDS, Column, feature_type, kind_of, unusable
from costboost.app.reading.errors import one_line, some

# ---- whole tables --------------------------------------------------------------------------------

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
                "findings": [_finding_codes(one) for one in self.columns],
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
            (one.name, one.kind, f"{one.n_distinct:,}", f"{one.n_missing:,}", _finding_codes(one))
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


def _finding_codes(column: ColumnInspection) -> str:
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
    columns = arrow_columns(table)
    named = {categorical} if isinstance(categorical, str) else set(categorical)
    if missing := sorted(named - set(columns)):
        raise ValueError(f"categorical names column {missing[0]!r}, which the table does not have")
    name, labels = _target(target, columns)
    if labels is not None and not labels.labelled.all():
        columns = {one: values.filter(labels.labelled) for one, values in columns.items()}
    columns.pop(name, None)
    y = None if labels is None else labels.y
    check = None if y is None else LeakCheck(y)
    found = [_inspect_column(one, values, check, named) for one, values in columns.items()]
    n_rows = count_rows(table) if y is None else int(y.size)
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


# ---- columns and target of tables of any library -------------------------------------------------


def _inspect_column(
    name: str, values: Any, check: LeakCheck | None, categorical: set[str]
) -> ColumnInspection:
    if not feature_type(values.type):
        message = unusable(name, values.type).message
        finding = Finding(UNSUPPORTED, message, "drop it, or make numbers or text of it", name)
        return ColumnInspection(name, UNSUPPORTED, 0, values.null_count, (finding,))
    column = Column(name, "category" if name in categorical else kind_of(name, values.type))
    feature = KINDS[column.kind].to_feature(values)
    found = _inspect_feature(column, feature, check, name not in categorical)
    return replace(found, n_distinct=n_distinct(values)) if column.kind == "number" else found


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
        name, values = "", arrow_column("target", target)
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
