"""Saving and loading of model files."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Mapping
from typing import Any

from sklearn.utils.validation import check_is_fitted

from costboost import __version__
from costboost._core import disk
from costboost.io import archive, around, classifiers, gbse, parts, tree
from costboost.io.tree import NotPlainError, Reader, Writer, array_bytes

MODELS = (*parts.CALIBRATOR_KINDS, *classifiers.KINDS, *gbse.KINDS, *around.KINDS)
"""Kinds of models that a file can be saved from."""
KINDS = (
    *tree.KINDS,
    *parts.KINDS,
    *gbse.TREE_KINDS,
    *around.RECORDS,
    *MODELS,
)
"""All kinds of values that a file can hold; no other object is created when it is loaded."""
CLASSES = {cls for kind in MODELS for cls in kind.classes}
MOST_BYTES = 2**30

SKOPS = (
    "a model file holds costboost's own data, never code. Save such a model with skops.io.dump; "
    "the guide to model files describes which types to trust when it is loaded"
)


class Budget:
    """Limit on the memory that loading a file may take."""

    def __init__(self, n_bytes: int) -> None:
        self.n_bytes = self.left = n_bytes

    def spend(self, n_bytes: int) -> None:
        """Reserve memory; raise a ValueError if the limit is exceeded."""
        self.left -= n_bytes
        if self.left < 0:
            raise ValueError(
                f"would take more than {self.n_bytes} bytes of memory; if you trust it, raise "
                "max_bytes"
            )


def save(
    model: Any, path: str | os.PathLike[str], *, metadata: Mapping[str, Any] | None = None
) -> None:
    """Write a fitted model to a file: numbers and texts, no code.

    The predictions of the loaded model are equal to the last bit, and it has all methods of the
    saved one. The file is a zip archive of JSON and NumPy arrays, which other languages can read
    too. It is written atomically: after an error the old file is unchanged.

    Use it to store or share a model, and to load it with a later version. Use ``skops`` if the
    model contains scikit-learn estimators: a pipeline, a wrapped weak learner.

    Parameters
    ----------
    model : classifier or calibrator
        Any of costboost's own, fitted. `ActionClassifier`, `OperatingPointClassifier`,
        `CostSearchCV` and `EstimatedCostClassifier` if the classifier inside is one of costboost's;
        the last one if costs are estimated by `LinearRegression` or `Ridge`.
    path : str or path-like
        The file to write, usually ``<name>.costboost``. An existing file is replaced.
    metadata : dict, optional
        Any values that JSON can represent, stored with the model and not used otherwise.
        `costboost.io.load_with_metadata` returns them.

    Raises
    ------
    ValueError
        The model contains something that is not plain data; the message names it.
    OSError
        The file cannot be written: the folder does not exist, permission is denied, or the disk is
        full. An existing file is unchanged.

    Warns
    -----
    UserWarning
        A parameter that is only used by `fit` cannot be stored: a ``RandomState``, a splitter, a
        scorer that is a function. The loaded model has the default instead.

    Examples
    --------
    >>> import costboost
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = costboost.algorithms.AdaMECClassifier(n_estimators=20, pos_label=0).fit(X, y)
    >>> costboost.save(clf, "tumours.costboost")
    >>> again = costboost.load("tumours.costboost")
    >>> bool((again.decision_function(X) == clf.decision_function(X)).all())
    True
    """
    writer = Writer(KINDS)
    metadata = _with_reference(model, metadata)
    try:
        _check_model(model)
        tree = writer.write(model)
    except NotPlainError as error:
        raise ValueError(f"cannot save {type(model).__name__}: {error}; {SKOPS}") from error
    arrays = [array_bytes(array) for array in writer.arrays]
    try:  # a model that cannot be loaded is not written
        _read(tree, dict(enumerate(arrays)), Budget(sys.maxsize))
        data = archive.pack(tree, arrays, __version__, metadata)
    except (TypeError, ValueError) as error:
        raise ValueError(f"cannot save {type(model).__name__}: {error}") from error
    disk.replace(path, data)
    for what in writer.left_out:
        warnings.warn(
            f"{what} cannot be kept in a model file: the saved model has the default. It is used "
            "by fit only",
            UserWarning,
            stacklevel=2,
        )


REFERENCE_KEY = "costboost reference"
"""Name of the reference of `costboost.monitoring` among the metadata of a file."""


def _with_reference(model: Any, metadata: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """The metadata with the reference that monitoring has kept with a model, if there is one."""
    if metadata is not None and REFERENCE_KEY in metadata:
        raise ValueError(f"metadata cannot have the key {REFERENCE_KEY!r}, which files use")
    reference = getattr(model, "__dict__", {}).get(parts.REFERENCE)
    return metadata if reference is None else {**(metadata or {}), REFERENCE_KEY: reference}


def _check_model(model: Any) -> None:
    if isinstance(model, type):
        raise NotPlainError(f"{model.__name__} is a class, not a model")
    if type(model) not in CLASSES:
        raise NotPlainError(f"{type(model).__name__} is none of its classes")
    check_is_fitted(model)


def load(path: str | os.PathLike[str], *, max_bytes: int = MOST_BYTES) -> Any:
    """Read a model that `save` has written.

    No code in the file is ever run: it only holds names of costboost's classes and their numbers.
    All of it is checked before the model is made, so that a damaged or malicious file raises an
    error instead of a crash at the first prediction.

    Parameters
    ----------
    path : str or path-like
        The file.
    max_bytes : int, default=2**30
        Memory that the model may take. A file that would take more is not read.

    Returns
    -------
    classifier or calibrator
        The model that was saved.

    Raises
    ------
    ValueError
        The file is not a model file, is truncated or damaged, is of a later version, or its numbers
        do not make a valid model; the message describes which.
    OSError
        The file cannot be read.

    Examples
    --------
    >>> import costboost
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = costboost.CostBoostClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> costboost.save(clf, "tumours.costboost")
    >>> costboost.load("tumours.costboost")
    CostBoostClassifier(n_estimators=20, random_state=0)
    """
    return load_with_metadata(path, max_bytes=max_bytes)[0]


def load_with_metadata(
    path: str | os.PathLike[str], *, max_bytes: int = MOST_BYTES
) -> tuple[Any, dict[str, Any]]:
    """Read a model as `load` does, and the metadata that were given to `save`.

    Examples
    --------
    >>> import costboost
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = costboost.algorithms.AdaMECClassifier(n_estimators=20, pos_label=0).fit(X, y)
    >>> costboost.save(clf, "tumours.costboost", metadata={"hospital": "north"})
    >>> costboost.io.load_with_metadata("tumours.costboost")[1]
    {'hospital': 'north'}
    """
    data = disk.read(path, max_bytes)
    budget = Budget(max_bytes)
    try:
        tree, arrays, metadata = archive.unpack(data, budget.spend)
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)} {error}") from error
    reference = metadata.pop(REFERENCE_KEY, None)
    try:
        model = _read(tree, arrays, budget)
        if isinstance(reference, dict):
            setattr(model, parts.REFERENCE, reference)
        return model, metadata
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)} holds no sound model: {error}") from error


def _read(tree: Any, arrays: dict[int, bytes], budget: Budget) -> Any:
    model = Reader(KINDS, arrays, budget.spend).read(tree)
    if type(model) not in CLASSES:
        raise ValueError(f"it is a {type(model).__name__}")
    return model
