"""Fingerprints of training rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from costboost.files.fields import Fields
from costboost.files.tree import Kind
from costboost.fingerprints import KEPT, Fingerprint

MOST_ROWS = 2**63 - 1
FIELD = "fingerprint_"


def _fingerprint(fields: Fields) -> Fingerprint:
    keys = fields.array("keys", np.uint64, (None,))
    if not 0 < keys.size <= KEPT or np.any(keys[1:] <= keys[:-1]):
        raise ValueError(f"keys must be 1 to {KEPT} numbers, each above the last")
    n_rows = fields.whole("n_rows", keys.size, MOST_ROWS)
    n_copies = fields.whole("n_copies", 0, n_rows)
    return Fingerprint(keys, n_rows, n_copies, fields.a("whole", bool))


def kept_fingerprint(fields: Fields) -> Fingerprint | None:
    """The fingerprint of a fitted classifier, if its file has one."""
    if FIELD not in fields:
        return None
    found = fields.take(FIELD)
    if found is not None and type(found) is not Fingerprint:
        raise ValueError(f"{FIELD} must be null or a Fingerprint")
    return found


def _parts(fingerprint: Fingerprint) -> Mapping[str, Any]:
    return dict(vars(fingerprint))


KINDS = (Kind("Fingerprint", (Fingerprint,), _parts, _fingerprint),)
