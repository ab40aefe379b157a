"""Columns of every kind of finding, and the codes expected."""

from __future__ import annotations

from typing import Any

import numpy as np

N = 400
RANDOM = np.random.default_rng(0)
BAD = np.arange(N) % 5 == 0
COLUMNS: dict[str, Any] = {
    "plain": RANDOM.normal(size=N).tolist(),
    "city": [["Rome", "Oslo", "Lima"][k % 3] for k in range(N)],
    "row": list(range(N)),
    "loan_id": RANDOM.permutation(90_000)[:N].tolist(),
    "name": [f"n{k}" for k in range(N)],
    "employer": [f"firm {k % 100}" for k in range(N)],
    "seven": [7] * N,
    "word": ["x"] * N,
    "void": [None] * N,
    "leak": [100 * bool(bad) + k % 7 for k, bad in enumerate(BAD)],
    "late": ["late" if bad else "in time" for bad in BAD],
    "paid": [k % 9 if bad else None for k, bad in enumerate(BAD)],
    "digits": [f"{k % 39}.5" for k in range(N)],
    "age": ["unknown" if k % 9 == 0 else str(k % 90) for k in range(N)],
    "comma": [f"{k % 70},5" for k in range(N)],
    "money": [f"$1,{k % 90:03d}.00" for k in range(N)],
    "day": [f"{1 + k % 28}.{1 + k % 12}.2024" for k in range(N)],
    "y": np.where(BAD, "yes", "no").tolist(),
}
FOUND = {
    "plain": [], "city": [], "row": ["identifier"], "loan_id": ["identifier"],
    "name": ["identifier"], "employer": ["rare_categories"], "seven": ["constant"],
    "word": ["constant"], "void": ["empty"], "leak": ["determines_target"],
    "late": ["determines_target"], "paid": ["determines_target"], "digits": ["numbers_as_text"],
    "age": ["missing_codes"], "comma": ["decimal_comma"], "money": ["numbers_as_text"],
    "day": ["dates_as_text"],
}  # fmt: skip
