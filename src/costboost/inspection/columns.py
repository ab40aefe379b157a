"""Checks of one column: labels of a target, identifiers, misread values, leaks."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost.checks import Floats
from costboost.reading.columns import Label, as_text
from costboost.reading.errors import COMMA, InputError, one_line
from costboost.tables.reading import (
    IDENTIFIER_SHARE,
    MAX_CODES,
    MIN_DISTINCT,
    almost_all_distinct,
)

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
        y = kept.to_numpy() if whole else _texts(kept, target)
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


def _texts(column: Any, target: str) -> NDArray[Any]:
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


# ---- findings ------------------------------------------------------------------------------------


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
FORMS = {
    "dates_as_text": (
        re.compile(r"\s*\d{1,4}([./-])\d{1,2}\1\d{1,4}(\s.*)?"),
        "dates",
        "write them as 2024-12-31, so that one day is near another",
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


# ---- categories ----------------------------------------------------------------------------------


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
    if increases(x):
        what = "increases from row to row, as row numbers do"
    elif numbers_identify_rows(name, x):
        what = "has a different whole number in almost every row, as identifiers do"
    else:
        return
    yield Finding("identifier", f"column {name!r} {what}", "consider dropping it", name)


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


# ---- new rows ------------------------------------------------------------------------------------


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


def flat_dictionary(values: Any) -> Any:
    """A column of a dictionary type as one array, with one dictionary."""
    codes = values.unify_dictionaries().combine_chunks()
    return codes.chunk(0) if hasattr(codes, "chunk") else codes


# ---- leaks: columns of which each alone separates the classes ------------------------------------


Flags = NDArray[np.bool_]

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
