"""Saving and loading."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Mapping
from typing import Any

from sklearn.utils.validation import check_is_fitted

from costboost.files import (
    archive,
    around,
    classifiers,
    disk,
    ensembles,
    estimators,
    gbse,
    npy,
    values,
)
from costboost.files.tree import NotPlainError, Reader, Writer
from costboost.version import __version__

MODELS = (*ensembles.CALIBRATOR_KINDS, *classifiers.KINDS, *gbse.KINDS, *around.KINDS)
"""What a file can be a file of."""
KINDS = (
    *values.KINDS,
    *ensembles.KINDS,
    *gbse.TREE_KINDS,
    *estimators.KINDS,
    *around.RECORDS,
    *MODELS,
)
"""All that a file can hold. Nothing else is ever made from one."""
CLASSES = {cls for kind in MODELS for cls in kind.classes}
MOST_BYTES = 2**30

SKOPS = (
    "a model file holds costboost's own data, never code. Save such a model with skops.io.dump; "
    "the guide to model files says what to trust when it is loaded"
)


class Budget:
    """Memory that a file may take before somebody has to allow it."""

    def __init__(self, n_bytes: int) -> None:
        self.n_bytes = self.left = n_bytes

    def spend(self, n_bytes: int) -> None:
        """Set some of it aside; a ValueError if there is not so much left."""
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

    The loaded model predicts the same to the last bit, and can do all that this one can. The file
    is a zip archive of JSON and NumPy arrays, which other languages can read too. It appears under
    its name when it is complete: whatever happens, there is the old file or the new one, whole.

    Take it to keep a model, to hand it on, to load it with a later version. Take ``skops`` where
    the model has scikit-learn's parts in it: a pipeline, a wrapped weak learner.

    Parameters
    ----------
    model : classifier or calibrator
        Any of costboost's own, fitted. `OperatingPointClassifier` and `CostSearchCV` if the
        classifier inside is one of costboost's.
    path : str or path-like
        Where to; by custom ``<name>.costboost``. A file that is there is replaced.
    metadata : dict, optional
        Anything that JSON can say, to be kept with the model; nothing here looks at it.
        `costboost.files.load_with_metadata` gives it back.

    Raises
    ------
    ValueError
        The model has something in it that is not plain data; the message says what.
    OSError
        The file cannot be written: no such folder, no right to, a full disk. What was there before
        is still there.

    Warns
    -----
    UserWarning
        A parameter that only another fit would look at cannot be kept: a ``RandomState``, a
        splitter, a scorer that is a function. The loaded model has the default instead.

    Examples
    --------
    >>> import costboost
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = costboost.AdaMECClassifier(n_estimators=20, pos_label=0).fit(X, y)
    >>> costboost.save(clf, "tumours.costboost")
    >>> again = costboost.load("tumours.costboost")
    >>> bool((again.decision_function(X) == clf.decision_function(X)).all())
    True
    """
    writer = Writer(KINDS)
    try:
        _check_model(model)
        tree = writer.write(model)
    except NotPlainError as error:
        raise ValueError(f"cannot save {type(model).__name__}: {error}; {SKOPS}") from error
    arrays = [npy.write(array) for array in writer.arrays]
    try:  # what could not be loaded again is not written
        _read(tree, dict(enumerate(arrays)), Budget(sys.maxsize))
        data = archive.pack(tree, arrays, __version__, metadata)
    except (TypeError, ValueError) as error:
        raise ValueError(f"cannot save {type(model).__name__}: {error}") from error
    disk.replace(path, data)
    for what in writer.left_out:
        warnings.warn(
            f"{what} cannot be kept in a model file: the saved model has the default. Only another "
            "fit would look at it",
            UserWarning,
            stacklevel=2,
        )


def _check_model(model: Any) -> None:
    if isinstance(model, type):
        raise NotPlainError(f"{model.__name__} is a class, not a model")
    if type(model) not in CLASSES:
        raise NotPlainError(f"{type(model).__name__} is none of its classes")
    check_is_fitted(model)


def load(path: str | os.PathLike[str], *, max_bytes: int = MOST_BYTES) -> Any:
    """Read a model that `save` has written.

    Nothing in the file is ever run: it says which of costboost's classes it is of, and the numbers
    for them. All of it is checked before there is a model, so that a file which was damaged, or
    made up by somebody, is an error and not a crash at the first prediction.

    Parameters
    ----------
    path : str or path-like
        The file.
    max_bytes : int, default=2**30
        Memory that the model may take. A file that would take more is not read.

    Returns
    -------
    classifier or calibrator
        As it was when it was saved.

    Raises
    ------
    ValueError
        The file is not a model file, is cut short or damaged, is of a later version, or its numbers
        make no sound model; the message says which.
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
    """A model as `load` reads it, and the metadata that `save` was given with it.

    Examples
    --------
    >>> import costboost
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = costboost.AdaMECClassifier(n_estimators=20, pos_label=0).fit(X, y)
    >>> costboost.save(clf, "tumours.costboost", metadata={"hospital": "north"})
    >>> costboost.files.load_with_metadata("tumours.costboost")[1]
    {'hospital': 'north'}
    """
    data = disk.read(path, max_bytes)
    budget = Budget(max_bytes)
    try:
        tree, arrays, metadata = archive.unpack(data, budget.spend)
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)} {error}") from error
    try:
        return _read(tree, arrays, budget), metadata
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)} holds no sound model: {error}") from error


def _read(tree: Any, arrays: dict[int, bytes], budget: Budget) -> Any:
    model = Reader(KINDS, arrays, budget.spend).read(tree)
    if type(model) not in CLASSES:
        raise ValueError(f"it is a {type(model).__name__}")
    return model
