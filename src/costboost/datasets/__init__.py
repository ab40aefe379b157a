"""Small data sets with costs; those of costboost-lab have their names here, too, if installed."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from costboost._core.costs import Costs
from costboost._lab import missing

__all__ = ["available", "load", "make_payments"]


def available(*, local: bool = False) -> list[str]:
    """The names of the data sets, those of costboost-lab included if it is installed.

    Parameters
    ----------
    local : bool, default=False
        Only those that can be loaded without the network.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from costboost import datasets
    >>> {"german_credit", "tumours"} <= set(datasets.available(local=True))
    True
    """
    added = (entry.load().available(local=local) for entry in _added())
    return sorted({*SMALL, *(name for names in added for name in names)})


def load(name: str, **options: Any) -> Bunch:
    """Load a data set.

    Parameters
    ----------
    name : str
        "tumours" (569 breast masses, of scikit-learn), "german_credit" (1,000 applicants for a
        loan), or the name of a data set of costboost-lab.
    **options
        Options of `costboost_lab.datasets.load`.

    Returns
    -------
    Bunch
        - ``X``: a pandas frame, nominal columns of categorical type; ``data`` is another name
        - ``y``: an array with the labels; ``target`` is another name
        - ``frame``: both, with the labels in the column "target"
        - ``pos_label``: the positive label
        - ``costs``: `Costs` of each outcome
        - ``description``, ``name``

    References
    ----------
    Street, Wolberg and Mangasarian (1993). Nuclear feature extraction for breast tumor diagnosis.
    SPIE 1905, 861-870. Hofmann (1994). Statlog (German Credit Data). UCI Machine Learning
    Repository. Both CC BY 4.0.

    Examples
    --------
    >>> from costboost import datasets
    >>> data = datasets.load("german_credit")
    >>> data.X.shape, data.pos_label, int((data.y == data.pos_label).sum()), data.costs.fn_cost
    ((1000, 20), 'bad', 300, 5.0)
    """
    if name in SMALL and not options:
        return SMALL[name]()
    for entry in _added():
        return entry.load().load(name, **options)
    raise missing(f"the data set {name!r} is none of {', '.join(sorted(SMALL))}; any other")


def make_payments(
    n_rows: int = 12_000, *, random_state: Any = None
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Make up payments, of which one in 25 is a fraud: amount, hour, four signals.

    A fraud is likelier at night, where the third signal is high, and where the first two agree.

    Parameters
    ----------
    n_rows : int, default=12_000
        Number of payments.
    random_state : int, Generator or None
        Seed of the random numbers.

    Returns
    -------
    X : array of shape (n_rows, 6)
    y : array of shape (n_rows,)
        Which of them are frauds.

    Examples
    --------
    >>> from costboost.datasets import make_payments
    >>> X, y = make_payments(random_state=0)
    >>> X.shape, int(y.sum())
    ((12000, 6), 446)
    """
    rng = np.random.default_rng(random_state)
    X = np.column_stack([rng.lognormal(4, 1, n_rows), rng.normal(size=(n_rows, 5))])
    X[:, 1] = rng.uniform(0, 24, n_rows)
    risk = 1.5 * np.cos(X[:, 1] * np.pi / 12) + 1.2 * X[:, 2] * X[:, 3] + 0.8 * X[:, 4]
    return X, rng.random(n_rows) < 1 / (1 + np.exp(4.5 - risk))


# ---- the small sets ------------------------------------------------------------------------------


def _tumours() -> Bunch:
    from sklearn.datasets import load_breast_cancer

    frame = load_breast_cancer(as_frame=True).frame
    frame["target"] = np.where(frame["target"] == 0, "M", "B")
    return _bunch(
        "tumours",
        frame.rename(columns=lambda name: name.replace(" ", "_")),
        "M",
        Costs.outcomes(fn_cost=20.0, fp_cost=1.0),
        "Thirty measures of cell nuclei in a picture of a breast mass; positive is M, malignant. "
        "The costs are made up: a tumour that is missed costs 20 times a needless examination.",
    )


def _german_credit() -> Bunch:
    import pandas as pd

    with (files(__name__) / "german_credit.csv.gz").open("rb") as file:
        frame = pd.read_csv(file, compression="gzip")
    nominal = frame.columns[:-1][[kind.kind not in "if" for kind in frame.dtypes[:-1]]]
    return _bunch(
        "german_credit",
        frame.astype(dict.fromkeys(nominal, "category")),
        "bad",
        Costs.outcomes(fn_cost=5.0, fp_cost=1.0),
        "Applicants for a loan; positive is a bad risk. Nominal values are the codes of the "
        "original, such as A11. The costs came with the data.",
    )


def _bunch(name: str, frame: Any, positive: str, costs: Costs, description: str) -> Bunch:
    X, y = frame.drop(columns="target"), frame["target"].to_numpy(str)
    return Bunch(
        X=X,
        y=y,
        data=X,
        target=y,
        frame=frame,
        pos_label=positive,
        costs=costs,
        description=description,
        name=name,
    )


SMALL: dict[str, Callable[[], Bunch]] = {"german_credit": _german_credit, "tumours": _tumours}


# ---- those of costboost-lab ----------------------------------------------------------------------


def _added() -> Any:
    """Entry points of modules with data sets: ``available()``, ``load(name)``."""
    return entry_points(group="costboost.datasets")


def __getattr__(name: str) -> Any:
    """Other names are those of costboost-lab: `record`, synthetic problems."""
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    for entry in _added():
        return getattr(entry.load(), name)
    raise missing(f"{__name__}.{name}")
