"""Shapley values with their rows and names, in the form that the plots of shap take."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

Keys = dict[str, Any]

ROWS, FEATURES, CLASSES = "rows", "features", "classes"
ALONG = {
    "values": (ROWS, FEATURES, CLASSES),
    "base_values": (ROWS, CLASSES),
    "data": (ROWS, FEATURES),
    "display_data": (ROWS, FEATURES),
    "feature_names": (FEATURES,),
    "output_names": (CLASSES,),
}
"""Attributes of an explanation and their axes, before any item is selected."""


class Explanation(NDArrayOperatorsMixin):
    """Shapley values of the scores of rows, returned by `explain`.

    ``explanation[0]`` is the explanation of the first row, ``explanation[:, "age"]`` that of one
    feature, and with more than two classes ``explanation[..., k]`` that of the score of class k.
    All of them can be passed to the plots of the package shap, if it is installed, and to NumPy: in
    arithmetic, and wherever an array is expected, an explanation stands for its ``values``.

    Attributes
    ----------
    values : array of shape (n_samples, n_features) or (n_samples, n_features, n_classes)
        The Shapley values.
    base_values : array of shape (n_samples,) or (n_samples, n_classes)
        The mean score of the background. It and the values of a row add up to the row's score.
    data : array of shape (n_samples, n_features)
        The rows as numbers; categories as their codes.
    display_data : array of objects of shape (n_samples, n_features), or None
        The rows with their categories, if there are any.
    feature_names : list of str, or None
        Names of the columns, if X had names in training.
    output_names : list of str, or None
        The classes, if there are more than two.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from costboost import AdaBoostClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = AdaBoostClassifier(n_estimators=3).fit(X, y == 2)
    >>> explanation = clf.explain(X)
    >>> explanation.values.shape, explanation.base_values.shape
    ((150, 4), (150,))
    >>> print(f"{explanation[-1, 'petal width (cm)']:.2f}")
    2.16
    """

    def __init__(
        self,
        values: Any,
        base_values: Any,
        data: Any,
        display_data: Any = None,
        feature_names: Any = None,
        output_names: Any = None,
        axes: tuple[str, ...] = (),
    ) -> None:
        self.values = values
        self.base_values = base_values
        self.data = data
        self.display_data = display_data
        self.feature_names = feature_names
        self.output_names = output_names
        self._axes = axes or ALONG["values"][: np.ndim(values)]

    # ---- selection -------------------------------------------------------------------------------

    def __getitem__(self, item: Any) -> Any:
        keys = self._keys(item if isinstance(item, tuple) else (item,))
        if keys is None:  # NumPy would combine the axes
            return self.values[item]
        parts = {name: self._part(name, keys) for name in ALONG}
        left = tuple(axis for axis in self._axes if not isinstance(keys[axis], int))
        return Explanation(**parts, axes=left) if left else parts["values"]

    def _keys(self, items: tuple[Any, ...]) -> Keys | None:
        """Key along each axis; None if NumPy would combine the axes."""
        dots = [k for k, one in enumerate(items) if one is Ellipsis]
        if dots:
            rest = len(self._axes) - len(items) + 1
            items = (*items[: dots[0]], *[slice(None)] * rest, *items[dots[0] + 1 :])
        if len(items) > len(self._axes):
            return None
        items = (*items, *[slice(None)] * (len(self._axes) - len(items)))
        keys = {axis: self._key(axis, one) for axis, one in zip(self._axes, items, strict=True)}
        arrays = [key for key in keys.values() if not isinstance(key, (int, slice))]
        mixed = len(arrays) > 1 or any(np.ndim(key) != 1 for key in arrays)
        return None if mixed else keys

    def _key(self, axis: str, key: Any) -> Any:
        """Key as an integer, a slice or an array; names become indices."""
        if isinstance(key, str) and axis != ROWS:
            names = self.feature_names if axis == FEATURES else self.output_names
            if names is None or key not in names:
                known = "none is named" if names is None else f"they are {', '.join(names[:5])}"
                raise KeyError(f"{key!r} is none of the {axis}; {known}")
            return list(names).index(key)
        if isinstance(key, (int, np.integer)) and not isinstance(key, bool):
            return int(key)
        return key if isinstance(key, slice) else np.asarray(key)

    def _part(self, name: str, keys: Keys) -> Any:
        part = getattr(self, name)
        own = tuple(keys[axis] for axis in ALONG[name] if axis in self._axes)
        if part is None or not own:
            return part
        if isinstance(part, list):
            chosen = np.array(part, dtype=object)[own]
            return chosen if isinstance(chosen, str) else chosen.tolist()
        return part[own]

    # ---- as an array -----------------------------------------------------------------------------

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        found = np.asarray(self.values, dtype=dtype)
        return found.copy() if copy and found is self.values else found

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        arrays = [np.asarray(one) if type(one) is Explanation else one for one in inputs]
        return getattr(ufunc, method)(*arrays, **options)

    def __setitem__(self, item: Any, value: Any) -> None:
        self.values[item] = value

    def __len__(self) -> int:
        return len(self.values)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in (*ALONG, "_axes"):
            raise AttributeError(name)
        if hasattr(np.ndarray, name):
            return getattr(self.values, name)
        if SHAP in sys.modules:
            return getattr(self._of_shap(), name)
        raise AttributeError(f"'Explanation' object has no attribute {name!r}")

    def __repr__(self) -> str:
        names = "" if self.feature_names is None else f" of {self.feature_names}"
        return f"<Explanation, values of shape {np.shape(self.values)}{names}>"

    def __reduce__(self) -> Any:
        return Explanation, (*(getattr(self, name) for name in ALONG), self._axes)

    # ---- as an explanation of shap ---------------------------------------------------------------

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """The class of shap's explanations if shap is imported: its plots check the class."""
        return getattr(sys.modules.get(SHAP), "Explanation", Explanation)

    def _of_shap(self) -> Any:
        parts = {name: getattr(self, name) for name in ALONG}
        if (
            CLASSES not in self._axes
        ):  # shap expects output names only if there is an axis of classes
            parts["output_names"] = None
        return sys.modules[SHAP].Explanation(**parts)


SHAP = "shap"
