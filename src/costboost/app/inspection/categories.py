"""Categories of a feature, of which training may not have seen all."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

# ---- labels of a target --------------------------------------------------------------------------


def flat_dictionary(values: Any) -> Any:
    """A column of a dictionary type as one array, with one dictionary."""
    codes = values.unify_dictionaries().combine_chunks()
    return codes.chunk(0) if hasattr(codes, "chunk") else codes


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
