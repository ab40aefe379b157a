"""Inspection of tables before training: kinds of columns, leaks, identifiers, misread values.

`inspect_table` describes a table of pandas, polars or pyarrow and its findings, `inspect_costs`
checks costs against the frequencies of the classes. The command line prints the same findings
before it trains.
"""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost._core.arrays import Flags, Label
from costboost._core.checks import Floats, check_labels, check_not_negative, refuse_unread
from costboost._core.costs import check_matrix, one_against_rest
from costboost._core.tables import IDENTIFIER_SHARE, MAX_CODES, MIN_DISTINCT, almost_all_distinct
from costboost._core.wording import amount
from costboost.app.reading.columns import KINDS, Column, as_text, feature_type, kind_of, unusable
from costboost.app.reading.errors import COMMA, InputError, one_line, some

__all__ = ["ColumnInspection", "Finding", "TableInspection", "inspect_costs", "inspect_table"]

# ---- labels of a target --------------------------------------------------------------------------

MAX_CLASSES = 50
"""Distinct values beyond which a column is not taken for a target, unless costs name them all."""
MAX_LABEL_LENGTH = 1000
"""Characters of a label."""


class Labels(NamedTuple):
    """The labels of a target column."""

    y: NDArray[Any]
    """Labels of the rows that have one: whole numbers, or text."""
    classes: list[Label]
    """The distinct labels, sorted."""
    labelled: NDArray[np.bool_]
    """Which rows have a label."""


def read_labels(column: Any, target: str) -> Labels:
    """The labels of a column of pyarrow; whole numbers stay numbers, all else becomes text."""
    from pyarrow import types

    labelled = column.is_valid().to_numpy()
    kept = column.filter(labelled)
    whole = types.is_integer(column.type)
    if types.is_floating(column.type):
        values = kept.to_numpy()
        labelled[labelled] = ~np.isnan(values)
        values = values[~np.isnan(values)]
        whole = bool(np.all(values == np.round(values)))
        y = values.astype(np.int64) if whole else values.astype(str)
    else:
        y = kept.to_numpy() if whole else _text_labels(kept, target)
    y = y.astype(np.int64) if whole else y
    classes: list[Label] = np.unique(y).tolist()
    if len(classes) <= MAX_CLASSES:
        _check_spelling(classes, target)
    if not classes:
        raise InputError(f"column {target!r} has no labels, only missing values")
    if len(classes) == 1:
        raise InputError(
            f"every row has {classes[0]!r} in column {target!r}: there is only one class"
        )
    return Labels(y, classes, labelled)


def _check_spelling(classes: Sequence[Label], target: str) -> None:
    """Raise an InputError if labels differ only in blanks or capitals."""
    first: dict[str, Label] = {}
    for label in classes:
        known = first.setdefault(" ".join(str(label).split()).casefold(), label)
        if known != label:
            raise InputError(
                f"column {target!r} has the labels {known!r} and {label!r}, which differ only in "
                "blanks or capitals: write them alike"
            )


def _text_labels(column: Any, target: str) -> NDArray[Any]:
    """Labels that are text; in memory each is as long as the longest."""
    from pyarrow import compute

    codes = flat_dictionary(as_text(column).dictionary_encode())
    longest = compute.max(compute.utf8_length(codes.dictionary)).as_py() or 0
    if longest > MAX_LABEL_LENGTH:
        raise InputError(
            f"column {target!r} has a value of {longest:,} characters, which is no class", "target"
        )
    found: NDArray[Any] = np.array(codes.dictionary.to_pylist(), dtype=str)
    return found[codes.indices.to_numpy()] if found.size else found


def flat_dictionary(values: Any) -> Any:
    """A column of a dictionary type as one array, with one dictionary."""
    codes = values.unify_dictionaries().combine_chunks()
    return codes.chunk(0) if hasattr(codes, "chunk") else codes


# ---- findings on the values of a column ----------------------------------------------------------

MIN_CATEGORY_ROWS = 10
"""Rows per category, on average, below which most categories are too rare to learn from."""
MAX_TEXT_VALUES = 10_000
"""Distinct values of a text column that are examined."""
TEXT_SHARE = 0.8
"""Share of the values that must have a form."""
IDENTIFIER_NAME = re.compile(
    r"(?i:(^|[\W_])(id|uid|uuid|guid|key|number|nr|no|index)$)"
    r"|(?i:^(id|uid|uuid|guid)[\W_])"
    r"|[a-z](Id|ID|Key|Number|Nr|No|Index)$"
)
NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
NEAR = "so that one is near another"
ISO_DATE = re.compile(r"\s*\d{4}-\d{2}-\d{2}([T\s].*)?")
"""Dates as text that files may hold; in a frame they have to be converted."""
FORMS = {
    "dates_as_text": (
        re.compile(r"\s*\d{1,4}([./-])\d{1,2}\1\d{1,4}(\s.*)?"),
        "dates",
        f"write them as 2024-12-31 in a file, or as numbers, such as days since a date, {NEAR}",
    ),
    "decimal_comma": (
        COMMA,
        "numbers with a decimal comma",
        f"convert them to numbers, {NEAR}",
    ),
    "numbers_as_text": (
        re.compile(r"\s*[+-]?[$€£]?\s?[+-]?\d[\d.,' ]*\s?[%$€£]?\s*"),
        "numbers with a unit, or with marks between thousands",
        f"write them as 1234.5, {NEAR}",
    ),
}
"""Code of the finding -> form, description and advice; the first that fits is reported."""


@dataclass(frozen=True)
class Finding:
    """Something that is probably wrong, and what to do about it.

    Parameters
    ----------
    code : str
        What was found, one of the codes listed at `inspect_table` and `inspect_costs`.
    message : str
        A sentence that names the column and the evidence.
    advice : str
        What to do.
    column : str or None, default=None
        The column, if it is about one.
    """

    code: str
    message: str
    advice: str
    column: str | None = None

    def __str__(self) -> str:
        return f"{self.message}; {self.advice}" if self.advice else self.message


def n_distinct(values: Any) -> int:
    """The number of distinct values; missing values do not count."""
    return len(values.drop_null().unique())


def value_findings(name: str, kind: str, values: Any, distinct: int) -> Iterator[Finding]:
    """Findings on a feature of a kind that depend on its values alone.

    ``values`` are those of a feature, that is float64 or a dictionary of text.
    """
    if values.null_count == len(values):
        yield Finding("empty", f"column {name!r} is empty", "nothing can be learnt from it", name)
    elif values.null_count == 0 and distinct == 1:
        message = f"column {name!r} is the same in every row"
        yield Finding("constant", message, "nothing can be learnt from it", name)
    elif kind == "category":
        yield from category_findings(name, len(values), distinct)
    elif kind == "number":
        yield from number_findings(name, values.to_numpy())


# ---- categories and text -------------------------------------------------------------------------


def category_findings(name: str, n_rows: int, distinct: int) -> Iterator[Finding]:
    """Findings on the number of categories."""
    if almost_all_distinct(distinct, n_rows):
        yield Finding(
            "identifier",
            f"column {name!r} has almost as many values as there are rows, as names and "
            "identifiers of rows have",
            "consider dropping it",
            name,
        )
    elif distinct > MIN_DISTINCT and distinct * MIN_CATEGORY_ROWS > n_rows:
        yield Finding(
            "rare_categories",
            f"column {name!r} has {distinct:,} categories in {n_rows:,} rows: most are too rare "
            "to learn from",
            "group them, or consider dropping it",
            name,
        )


def text_findings(name: str, values: Any) -> Iterator[Finding]:
    """Findings on text that probably stands for numbers or dates."""
    distinct = as_text(values.unique())[:MAX_TEXT_VALUES].to_pylist()
    texts = [text for text in distinct if text]
    if len(texts) <= MAX_CODES:
        return
    others = [text for text in texts if not NUMBER.fullmatch(text)]
    if not others:
        message = f"column {name!r} is text, but all its values are numbers ({_quoted(texts)})"
        advice = "convert them to numbers if their order means something"
        yield Finding("numbers_as_text", message, advice, name)
        return
    if len(others) <= (1 - TEXT_SHARE) * len(texts):
        yield Finding(
            "missing_codes",
            f"column {name!r} is text because it has numbers and {_quoted(others)}",
            "if that stands for a missing value, leave it empty; if the numbers are names, the "
            "column is categorical",
            name,
        )
        return
    for code, (form, what, advice) in FORMS.items():
        if all(ISO_DATE.fullmatch(text) for text in others):
            advice = f"write them as numbers, such as days since a date, {NEAR}"
        if sum(form.fullmatch(text) is not None for text in others) > TEXT_SHARE * len(texts):
            yield Finding(
                code,
                f"column {name!r} is text that looks like {what} ({_quoted(others)}), and every "
                "value is a category",
                advice,
                name,
            )
            return


def _quoted(texts: list[str]) -> str:
    return ", ".join(repr(one_line(text, 30)) for text in texts[:2])


# ---- numbers -------------------------------------------------------------------------------------


def number_findings(name: str, x: Any) -> Iterator[Finding]:
    """Findings on numbers that identify their rows."""
    if are_long_numbers(x):
        what = "has whole numbers of 16 digits or more, as identifiers do, which features round"
    elif increases(x):
        what = "increases from row to row, as row numbers do"
    elif numbers_identify_rows(name, x):
        what = "has a different whole number in almost every row, as identifiers do"
    else:
        return
    yield Finding("identifier", f"column {name!r} {what}", "consider dropping it", name)


def are_long_numbers(x: Any) -> bool:
    """Whether all values have so many digits that floats do not hold each whole number."""
    size = np.abs(x)
    return x.size > 0 and bool(size.min() >= 2.0**53 and size.max() < 2.0**64)


def increases(x: Any) -> bool:
    """Whether the values are whole numbers, each greater than the one before."""
    return x.size > MIN_DISTINCT and bool(np.all(x == np.round(x)) and np.all(np.diff(x) > 0))


def numbers_identify_rows(name: str, x: Any) -> bool:
    """Whether almost every row has a whole number of its own, as identifiers do.

    Amounts may all be distinct, too: either the name is that of an identifier, or the range of the
    numbers hardly exceeds the number of rows, as when numbered rows were shuffled.
    """
    if x.size <= MIN_DISTINCT or not np.all(x == np.round(x)):
        return False
    if np.unique(x).size <= IDENTIFIER_SHARE * x.size:
        return False
    named = IDENTIFIER_NAME.search(name.strip()) is not None
    return named or bool(np.ptp(x) < x.size / IDENTIFIER_SHARE)


# ---- categories that training did not see --------------------------------------------------------


def count_unseen(values: Any, known: Collection[str]) -> int:
    """Rows of a categorical feature whose category is not among the known ones."""
    import pyarrow as pa
    from pyarrow import compute

    codes = flat_dictionary(values)
    value_set = pa.array(list(known), pa.string())
    new = compute.invert(compute.is_in(codes.dictionary, value_set=value_set))
    if not compute.any(new).as_py():
        return 0
    is_new = np.append(new.to_numpy(zero_copy_only=False), False)
    return int(is_new[codes.indices.fill_null(-1).to_numpy(zero_copy_only=False)].sum())


# ---- leaks: columns of which each alone separates the classes ------------------------------------


LEAK_ACCURACY = 0.999
"""Balanced accuracy of one column from which it is reported."""
MIN_LEAK_ROWS = 10
"""Rows of a class below which perfect separation means little."""
MAX_LEAK_ROWS = 100_000
"""Rows that are examined."""


def leak_message(name: Any) -> str:
    """The message for a column that alone separates the classes."""
    return (
        f"column {name!r} alone separates the classes: if it is known only afterwards, train "
        "without it"
    )


def class_indicators(y: NDArray[Any]) -> list[Flags]:
    """The rows of each class; of two classes, those of the greater one suffice."""
    classes = np.unique(y)
    return [y == label for label in (classes[1:] if classes.size == 2 else classes)]


def sample_rows(y: NDArray[Any]) -> NDArray[np.intp]:
    """At most `MAX_LEAK_ROWS` rows, with all rows of the rarest class if they fit."""
    if y.size <= MAX_LEAK_ROWS:
        return np.arange(y.size)
    classes, count = np.unique(y, return_counts=True)
    rare = y == classes[count.argmin()]
    order = np.random.default_rng(0).permutation(rare.size)
    first = np.argsort(~rare[order], kind="stable")[: MAX_LEAK_ROWS // 2]
    return np.union1d(order[first], order[: MAX_LEAK_ROWS // 2]).astype(np.intp)


def enough_rows(indicators: Sequence[Flags]) -> bool:
    """Whether each class, and the rest, has enough rows for a verdict."""
    return all(min(which.sum(), (~which).sum()) >= MIN_LEAK_ROWS for which in indicators)


def leaking_features(table: Any, coders: Sequence[Any], y: NDArray[np.intp]) -> Iterator[int]:
    """Features of a model's table that separate all classes, each alone; y has class codes."""
    rows = sample_rows(y)
    indicators = [which[rows] for which in class_indicators(y)]
    if not enough_rows(indicators):
        return
    for j, coder in enumerate(coders):
        values = np.asarray(table.coded(j, coder), dtype=np.float64)[rows]
        if coder is None:
            leaks = numbers_leak(values, indicators)
        else:
            code = np.where(np.isnan(values), coder.n_codes, values).astype(np.intp)
            leaks = categories_leak(code, coder.n_codes, indicators)
        if leaks:
            yield j


def numbers_leak(x: Floats, indicators: Sequence[Flags]) -> bool:
    """Whether an interval of a number separates each class from the rest."""
    return all(_best_interval(x, which) >= LEAK_ACCURACY for which in indicators)


def categories_leak(code: NDArray[np.intp], n_codes: int, indicators: Sequence[Flags]) -> bool:
    """Whether categories separate each class from the rest; the code ``n_codes`` is missing."""
    return all(_best_categories(code, n_codes, which) >= LEAK_ACCURACY for which in indicators)


def _best_interval(x: Floats, positive: Flags) -> float:
    """The best balanced accuracy of an interval, with missing values inside or outside."""
    order = np.argsort(x, kind="stable")  # missing values are last
    x, which = x[order], positive[order]
    ends = np.flatnonzero(np.append(x[1:] != x[:-1], False))
    ends = ends[~np.isnan(x[ends])]
    below_positive, below = np.cumsum(which)[ends], ends + 1.0
    recall = below_positive / which.sum()
    false_alarms = (below - below_positive) / (~which).sum()
    ahead = recall - false_alarms  # its rise from one cut to another is that of the interval
    return float(1 + ahead.max(initial=0.0) - ahead.min(initial=0.0)) / 2


def _best_categories(code: NDArray[np.intp], n_codes: int, positive: Flags) -> float:
    """The balanced accuracy of the better class of each category, if categories are few."""
    if n_codes > len(positive) / MIN_LEAK_ROWS:
        return 0.5
    hits = np.bincount(code, positive / positive.sum())
    false_alarms = np.bincount(code, ~positive / (~positive).sum())
    return float(np.maximum(hits, false_alarms).sum() / 2)


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
    found = [_inspect_column(one, values, check, named) for one, values in columns.items()]
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


# ---- costs against the frequencies of the classes ------------------------------------------------


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
        _checked_costs(name, cost, labels.size)
        for name, cost in (("fn_cost", fn_cost), ("fp_cost", fp_cost))
    ]
    return list(_two_class_findings(label, positive, *costs))


def _checked_costs(name: str, cost: Any, n_rows: int) -> Floats:
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
            f"missing it costs less ({amount(miss[rare])} on average) than predicting it where "
            f"another class is true ({amount(alarm[rare])})",
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
            f"({amount(fn)}) than a false alarm ({amount(fp)})",
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
        f"a {mistake} has a cost of its own in each row ({amount(mean)} on average), but a {other} "
        f"costs 1, so that rows are predicted positive from a probability of about "
        f"{threshold:.1%} on",
        f"give {parameter} in the same unit",
    )
