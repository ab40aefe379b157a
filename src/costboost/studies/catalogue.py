"""Names of the studies and the modules they are in; a module is loaded when its study is used."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from costboost.studies.claims import Claim
from costboost.studies.study import Frame, Study

MODULES: dict[str, str] = {
    "masnadi2007-synthetic": "masnadi_synthetic",
    "masnadi2007-uci": "masnadi_uci",
    "masnadi2007-faces": "masnadi_faces",
    "nikolaou2016": "nikolaou",
    "nyga2010": "nyga",
    "sun2005": "sun",
    "abe2004": "abe",
    "decisions2026": "decisions2026",
}
"""Module of each study (with `STUDY`, in costboost.studies), in the order of the documentation."""
CLAIMS: tuple[str, ...] = (
    "masnadi", "masnadi_faces", "nikolaou", "nyga", "sun", "abe", "decisions2026",
)  # fmt: skip
"""Modules with the claims of a paper (`CLAIMS`), in costboost.studies.register."""
PAPER_TABLES = Path(__file__).parent / "paper_tables"


def find_study(name: str) -> Study:
    """The study of that name."""
    if name not in MODULES:
        raise ValueError(f"there is no study {name!r}; the studies are {', '.join(MODULES)}")
    study: Study = import_module(f"costboost.studies.{MODULES[name]}").STUDY
    return study


def all_claims() -> list[Claim]:
    """Claims of all papers, checked or not."""
    found: list[Claim] = []
    for module in CLAIMS:
        found += import_module(f"costboost.studies.register.{module}").CLAIMS
    return found


def paper_table(name: str) -> Frame:
    """Figures printed in a paper, such as "sun2005-table1"."""
    import pandas as pd

    table: Any = pd.read_csv(PAPER_TABLES / f"{name}.csv")
    return table
