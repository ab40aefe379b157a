"""``costboost audit``: properties of the algorithms, computed from their rules."""

from __future__ import annotations

from costboost.algorithms import REGISTRY
from costboost.app.cli import progress, terminal
from costboost.app.cli.given import Given
from costboost.app.reading.errors import InputError
from costboost_lab import theory


def run(given: Given) -> None:
    if given.name is None:
        _audit_all(given.json)
    else:
        _audit_one(given.name, given.json)


def _audit_all(as_json: bool) -> None:
    with progress.spinner("auditing"):
        audits = theory.table()
    if as_json:
        terminal.write_json(audits.rows())
        return
    terminal.write(str(audits))
    terminal.write()
    terminal.write("The evidence: costboost audit NAME.")


def _audit_one(name: str, as_json: bool) -> None:
    from costboost_lab import theory

    if REGISTRY[name].several:
        raise InputError(f"{name} is for any number of classes; the properties are those of two")
    with progress.spinner(f"auditing {name}"):
        audit = theory.audit(REGISTRY[name].cls)
    if as_json:
        evidence = {key: finding.because for key, finding in audit.evidence.items()}
        properties = dict(zip(audit.evidence, audit.verdicts, strict=True))
        terminal.write_json({"name": name, **properties, "evidence": evidence})
        return
    terminal.write(str(audit))
