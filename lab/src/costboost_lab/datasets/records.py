"""Records of the data sets, one TOML file in ``sets/`` for each, and costs of mistakes in them.

Costs may be numbers, the same for all rows, or arrays with an entry for each row.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

Label = int | str

RANGE = re.compile(r"(.*?)(\d+)\.\.\1(\d+)")
"""``x1..x46`` means x1, x2 and so on up to x46; ``p000..p255`` keeps the zeros."""


@dataclass(frozen=True)
class File:
    """The file ``<name>.csv.gz``: its hash and size, and the origin of its data."""

    sha256: str
    bytes: int
    origin: str


@dataclass(frozen=True)
class Wheel:
    """Location of a data set in an installable package, and the format of its files.

    ``names`` are the columns in the order of the file, ``*`` for all columns of X. With several
    files, the column ``parts`` contains for each row the name of its file from ``part_names``.
    """

    distribution: str
    files: tuple[str, ...]
    reader: str = "table"
    names: tuple[str, ...] = ("*", "target")
    separator: str = ","
    comment: str | None = None
    skip: int = 0
    parts: str = ""
    part_names: tuple[str, ...] = ()
    labels: Mapping[str, Label] = field(default_factory=dict)
    differs: str = ""


@dataclass(frozen=True)
class OpenML:
    """The copy on OpenML. Its columns are those of X in the same order, or ``columns``."""

    id: int
    target: str = "default-target"
    columns: tuple[str, ...] = ()
    labels: Mapping[str, Label] = field(default_factory=dict)
    differs: str = ""


@dataclass(frozen=True)
class Record:
    """A data set: description, expected content and sources.

    ``extra`` are columns of the file that are not features. ``leaks`` are features that reveal the
    outcome or identify the row, kept because published experiments kept them. ``against_rest`` is
    the label that Nikolaou et al. (2016) use against the rest of a multi-class data set.
    """

    name: str
    title: str
    about: str
    rows: int
    columns: tuple[str, ...]
    classes: Mapping[Label, int]
    citation: str
    licence: str
    file: File
    papers: tuple[str, ...] = ()
    nominal: tuple[str, ...] = ()
    missing: int = 0
    extra: tuple[str, ...] = ()
    leaks: tuple[str, ...] = ()
    positive: Label | None = None
    against_rest: Label | None = None
    elsewhere: str = ""
    wheel: Wheel | None = None
    openml: OpenML | None = None
    costs: Mapping[str, Any] | None = None

    @property
    def filename(self) -> str:
        return f"{self.name}.csv.gz"


@dataclass(frozen=True)
class TidyTable:
    """Features, labels, and the columns that are neither, in the form of the record."""

    X: Any
    y: NDArray[Any]
    extra: Any


def plain(value: Any) -> str:
    """A value as text, which is equal for 1, 1.0 and " 1"."""
    return str(value).strip().removesuffix(".0")


# ---- reading records -----------------------------------------------------------------------------


@cache
def names() -> tuple[str, ...]:
    """The names of all data sets, in alphabetical order."""
    folder = files("costboost_lab.datasets") / "sets"
    found = (path.name for path in folder.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in found if name.endswith(".toml")))


@cache
def record(name: str) -> Record:
    """The record of a data set; an unknown name raises a ValueError with a suggestion."""
    if name not in names():
        close = difflib.get_close_matches(str(name), names(), n=3)
        hint = f"did you mean {' or '.join(close)}?" if close else "available() lists the names"
        raise ValueError(f"there is no data set {name!r}; {hint}")
    text = (files("costboost_lab.datasets") / "sets" / f"{name}.toml").read_text(encoding="utf-8")
    return parse(name, text)


def parse(name: str, text: str) -> Record:
    """Read a record from the text of its file."""
    raw = tomllib.loads(text)
    columns = expand(raw.pop("columns"))
    nominal = raw.pop("nominal", ())
    return Record(
        name=name,
        about=_one_line(raw.pop("about")),
        citation=_one_line(raw.pop("citation")),
        columns=columns,
        nominal=columns if nominal == "all" else expand(nominal),
        classes=dict(raw.pop("classes")),
        file=_part(File, raw.pop("file")),
        wheel=_part(Wheel, raw.pop("wheel", None)),
        openml=_part(OpenML, raw.pop("openml", None)),
        **{key: _fixed(value) for key, value in raw.items()},
    )


def expand(names: Iterable[str]) -> tuple[str, ...]:
    """Names with each range such as ``x1..x46`` expanded."""
    return tuple(name for entry in names for name in _range(entry))


def _range(entry: str) -> list[str]:
    match = RANGE.fullmatch(entry)
    if match is None:
        return [entry]
    stem, first, last = match.groups()
    return [f"{stem}{k:0{len(first)}d}" for k in range(int(first), int(last) + 1)]


def _part(kind: Any, raw: dict[str, Any] | None) -> Any:
    if raw is None:
        return None
    if kind is OpenML:
        raw["columns"] = expand(raw.get("columns", ()))
    return kind(**{key: _fixed(value) for key, value in raw.items()})


def _fixed(value: Any) -> Any:
    """Convert lists to tuples, and text of several lines to one line."""
    if isinstance(value, list):
        return tuple(map(_fixed, value))
    if isinstance(value, dict):
        return {key: _fixed(entry) for key, entry in value.items()}
    return _one_line(value) if isinstance(value, str) else value


def _one_line(text: str) -> str:
    return text.replace("\n", " ")


# ---- description of a data set -------------------------------------------------------------------


def describe(record: Record) -> str:
    """Description of a data set, as a few lines of text."""
    return "\n".join(_lines(record))


def _lines(record: Record) -> Iterator[str]:
    classes = ", ".join(f"{label}: {count}" for label, count in record.classes.items())
    yield record.title
    yield ""
    yield record.about
    yield ""
    yield f"Rows: {record.rows}. Features: {len(record.columns)}, {len(record.nominal)} nominal."
    yield f"Missing values: {record.missing}."
    yield f"Classes: {classes}. Positive: {_positive(record)}."
    if record.extra:
        yield f"Not features: {', '.join(record.extra)}."
    if record.leaks:
        yield f"Features that leak: {', '.join(record.leaks)}."
    if record.costs:
        yield f"Costs ({record.costs['unit']}): {record.costs['note']}."
    yield f"Licence: {record.licence}."
    yield f"Citation: {record.citation}"
    yield f"Made from: {record.file.origin}."


def _positive(record: Record) -> str:
    """The positive label, or the one that a paper uses against the rest."""
    if len(record.classes) == 2:
        return str(record.positive)
    if record.against_rest is not None:
        return f"{record.against_rest} against the rest (Nikolaou et al.)"
    return "none"


# ---- costs of mistakes: given with a data set, or by a formula of the literature -----------------

Cost = float | NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DataSetCosts:
    """Costs of the four outcomes, as numbers or with one entry for each row.

    Attributes
    ----------
    fn, fp, tp, tn : float or array
        Cost of a false negative, false positive, true positive and true negative.
    unit : str
        The currency, or "relative" if only ratios are meaningful.
    note : str
        Source of the costs, and caveats.

    Examples
    --------
    >>> from costboost_lab.datasets import DataSetCosts
    >>> call = DataSetCosts(fn=20.0, fp=1.0, tp=1.0, unit="EUR")
    >>> call.fn_cost, call.fp_cost
    (19.0, 1.0)
    """

    fn: Cost
    fp: Cost
    tp: Cost = 0.0
    tn: Cost = 0.0
    unit: str = ""
    note: str = ""

    @property
    def fn_cost(self) -> Cost:
        """Cost of a false negative minus that of a true positive, as classifiers take it."""
        return self.fn - self.tp

    @property
    def fp_cost(self) -> Cost:
        """Cost of a false positive minus that of a true negative, as classifiers take it."""
        return self.fp - self.tn

    @property
    def cells(self) -> dict[str, Cost]:
        """All four costs by the names that `fit`, `predict` and measures take.

        ``costboost.OutcomeCosts(**data.costs.cells)`` has methods for them.
        """
        return {"tp_cost": self.tp, "fp_cost": self.fp, "fn_cost": self.fn, "tn_cost": self.tn}

    def swapped(self) -> DataSetCosts:
        """The costs if the other class is the positive one."""
        return replace(self, fn=self.fp, fp=self.fn, tp=self.tn, tn=self.tp)


@dataclass(frozen=True, eq=False)
class MatrixCosts:
    """Costs of predicting one class for a row of another: ``values[true, predicted]``.

    The classes need not be sorted. A data frame with the classes as index and columns can be given
    to a classifier, which reorders it.

    Attributes
    ----------
    labels : tuple
        The classes, in the order of rows and columns.
    values : array of shape (n_classes, n_classes)
        The costs.
    column : str
        The column of ``extra`` that holds these classes.
    unit, note : str
        As in DataSetCosts.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from costboost_lab.datasets import MatrixCosts
    >>> costs = MatrixCosts(("normal", "attack"), np.array([[0, 2], [4, 0]]), column="category")
    >>> cost_matrix = pd.DataFrame(costs.values, costs.labels, costs.labels)
    >>> int(cost_matrix.loc["attack", "normal"])  # an attack predicted as normal
    4
    """

    labels: tuple[Label, ...]
    values: NDArray[np.float64]
    column: str
    unit: str = ""
    note: str = ""


# ---- formulas ------------------------------------------------------------------------------------


def lending_costs(
    amount: Any,
    *,
    default_rate: float,
    months: Any = 24,
    interest: float = 0.0479,
    funding: float = 0.0294,
    loss_given_default: float = 0.75,
    unit: str = "",
    note: str = "",
) -> DataSetCosts:
    r"""Costs of lending, row by row; positive is a borrower who defaults.

    A default costs the share L of the amount :math:`A_i`. A good borrower who is rejected costs the
    profit :math:`r_i`, while the money goes to an average borrower instead, who may default:

    .. math::

        C_{FN,i} = L A_i, \qquad
        C_{FP,i} = \max(0,\; r_i - (1 - \pi) \bar r + \pi L \bar A),

    with :math:`\pi` the share of defaults. The profit is the present value, at the lender's own
    cost of money, of equal monthly payments at the interest rate, less the amount.

    Parameters
    ----------
    amount : array of shape (n_rows,)
        Amounts of the loans.
    default_rate : float
        The share of borrowers who default.
    months : int or array of shape (n_rows,), default=24
        The term.
    interest, funding : float
        Annual interest rates of the borrower and of the lender.
    loss_given_default : float, default=0.75
        The share of the amount that a default loses.
    unit, note : str
        Fields of the result.

    Returns
    -------
    DataSetCosts

    References
    ----------
    Correa Bahnsen, Aouada and Ottersten (2014). Example-dependent cost-sensitive logistic
    regression for credit scoring. ICMLA. Term, rates and loss are by default those of its first
    data set.

    Examples
    --------
    >>> from costboost_lab.datasets import lending_costs
    >>> costs = lending_costs([1000.0, 4000.0], default_rate=0.1)
    >>> costs.fn.round(2), costs.fp.round(2)
    (array([ 750., 3000.]), array([163.56, 221.02]))
    """
    lent = np.asarray(amount, dtype=float)
    term = np.asarray(months, dtype=float)
    payment = lent * (interest / 12) / -np.expm1(-term * np.log1p(interest / 12))
    worth = payment * -np.expm1(-term * np.log1p(funding / 12)) / (funding / 12)
    profit = worth - lent
    instead = default_rate * loss_given_default * lent.mean() - (1 - default_rate) * profit.mean()
    return DataSetCosts(
        fn=loss_given_default * lent, fp=np.maximum(0, profit + instead), unit=unit, note=note
    )


# ---- costs of a record ---------------------------------------------------------------------------


def costs_of(
    options: dict[str, Any], table: TidyTable, positive: Any
) -> DataSetCosts | MatrixCosts:
    """The costs that a record describes, for the rows of its table."""
    rest = dict(options)
    return COST_KINDS[rest.pop("kind")](table, positive, **rest)


def _by_class(table: TidyTable, positive: Any, **costs: Any) -> DataSetCosts:
    return DataSetCosts(**costs)


def _by_column(
    table: TidyTable, positive: Any, fn: str, fp: str, tp: str, tn: str, **about: str
) -> DataSetCosts:
    fn_, fp_, tp_, tn_ = (table.extra[name].to_numpy(float) for name in (fn, fp, tp, tn))
    return DataSetCosts(fn_, fp_, tp_, tn_, **about)


def _of_lending(table: TidyTable, positive: Any, amount: str, **options: Any) -> DataSetCosts:
    share = float(np.mean(table.y == positive))
    return lending_costs(table.X[amount], default_rate=share, **options)


def _of_deposits(
    table: TidyTable,
    positive: Any,
    balance: str,
    contact: float,
    share: float,
    rate: float,
    **about: Any,
) -> DataSetCosts:
    """A call costs ``contact``, a client not called the earnings on a part of the balance."""
    earned = share * rate * table.X[balance].to_numpy(float)
    return DataSetCosts(fn=np.maximum(contact, earned), fp=contact, tp=contact, **about)


def _of_mailing(
    table: TidyTable, positive: Any, gift: str, postage: float, **about: Any
) -> DataSetCosts:
    """A letter costs ``postage``, a donor without a letter the gift.

    For other rows, whose costs do not depend on it, the gift is unknown. Their entry is the mean
    gift, because classifiers need a number for every row.
    """
    gifts = table.extra[gift].to_numpy(float)
    donors = table.y == positive
    fn = np.where(donors, gifts, gifts[donors].mean())
    return DataSetCosts(fn=fn, fp=postage, tp=postage, **about)


def _of_matrix(
    table: TidyTable, positive: Any, labels: Any, values: Any, column: str, **about: str
) -> MatrixCosts:
    return MatrixCosts(tuple(labels), np.array(values, dtype=float), column, **about)


COST_KINDS: dict[str, Callable[..., DataSetCosts | MatrixCosts]] = {
    "classes": _by_class,
    "columns": _by_column,
    "lending": _of_lending,
    "deposit": _of_deposits,
    "mailing": _of_mailing,
    "matrix": _of_matrix,
}
"""Functions that make costs, by the kind that a record states."""
