"""The artificial study in the catalogue."""

from __future__ import annotations

import sys

import pytest
import tiny_study

from costboost_lab import studies


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the artificial study the only one of the catalogue."""
    monkeypatch.setitem(sys.modules, "costboost_lab.studies.tiny", tiny_study)
    monkeypatch.setattr(studies, "MODULES", {"tiny": "tiny"})
