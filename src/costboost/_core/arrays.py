"""Names of the types of arrays with one value for each row, and of labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Codes = NDArray[np.intp]
"""Numbers of classes, or of actions."""
Indices = NDArray[np.intp]
"""Numbers of rows."""
Label = int | str
"""A label of a class in a file."""
