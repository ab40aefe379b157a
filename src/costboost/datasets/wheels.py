"""Data sets that other Python packages carry. Their files are read; none of their code is run."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from costboost.datasets.records import Record, Wheel
from costboost.datasets.tidying import plain


def locate(wheel: Wheel) -> list[Path] | None:
    """The files in the installed package, or None if it is not there or not complete."""
    try:
        package = distribution(wheel.distribution)
    except PackageNotFoundError:
        return None
    paths = [Path(str(package.locate_file(file))) for file in wheel.files]
    return paths if all(path.is_file() for path in paths) else None


def read(record: Record, wheel: Wheel, paths: list[Path]) -> Any:
    """The table with the columns and labels of the record."""
    try:
        table = READERS[wheel.reader](record, wheel, paths)
        if wheel.labels:
            table["target"] = [wheel.labels[plain(label)] for label in table["target"]]
    except (EOFError, KeyError, OSError, ValueError, zlib.error) as error:
        message = f"the package {wheel.distribution} does not hold {record.name!r} as expected"
        raise ValueError(f"{message} ({type(error).__name__}: {error})") from error
    return table


def read_tables(record: Record, wheel: Wheel, paths: list[Path]) -> Any:
    """Text files with one row a line, without a header or with one to be skipped."""
    import pandas as pd

    places = wheel.part_names or ("",) * len(paths)
    parts = [
        read_table(record, wheel, path).assign(**({wheel.parts: place} if place else {}))
        for path, place in zip(paths, places, strict=True)
    ]
    return pd.concat(parts, ignore_index=True)


def read_table(record: Record, wheel: Wheel, path: Path) -> Any:
    import pandas as pd

    names = [name for entry in wheel.names for name in _columns(entry, record)]
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


def _columns(entry: str, record: Record) -> tuple[str, ...]:
    return record.columns if entry == "*" else (entry,)


def read_faces(record: Record, wheel: Wheel, paths: list[Path]) -> Any:
    """Pictures in an array: the first half are faces, the second half are not."""
    import numpy as np
    import pandas as pd

    pictures = np.load(paths[0], allow_pickle=False)
    pixels = pictures.reshape(len(pictures), -1).round(6)
    faces = np.arange(len(pictures)) < len(pictures) // 2
    return pd.DataFrame(pixels, columns=list(record.columns)).assign(target=faces.astype(int))


def read_breast_cancer(record: Record, wheel: Wheel, paths: list[Path]) -> Any:
    """scikit-learn's own loader."""
    from sklearn.datasets import load_breast_cancer

    table = load_breast_cancer(as_frame=True).frame
    return table.set_axis([*record.columns, "target"], axis=1)


READERS: dict[str, Callable[[Record, Wheel, list[Path]], Any]] = {
    "table": read_tables,
    "faces": read_faces,
    "breast_cancer": read_breast_cancer,
}
