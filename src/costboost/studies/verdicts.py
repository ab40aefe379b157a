"""The register of claims with the verdicts on them, and where each verdict comes from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from costboost.studies.running import (
    RUN,
    StudyRun,
    folder_of,
    judge,
    kept_verdict,
    load_run,
    verdict_of,
)
from costboost.studies.study import Claim, Verdict, all_claims

SHIPPED = Path(__file__).with_name("verdicts.json")
"""Verdicts of full runs, which come with the package: by study, versions, date and verdicts."""
NOT_CHECKED, NOT_RUN = "not checked", "not run yet"


@dataclass(frozen=True)
class Judged:
    """A claim with its verdict."""

    claim: Claim
    verdict: Verdict | None
    """None if the claim is not checked, or its study has not been run."""
    source: str
    """Where the verdict comes from, or why there is none."""
    quick: bool = False
    """Whether it is the verdict of a quick run, which is not that of the study."""

    @property
    def outcome(self) -> str:
        """Outcome in words, also for claims without a verdict."""
        if self.verdict is None:
            return NOT_RUN if self.claim.check is not None else NOT_CHECKED
        return f"{self.verdict.outcome} (quick run)" if self.quick else self.verdict.outcome


def judged_claims(out: Path | None = None) -> list[Judged]:
    """All claims, with verdicts from the results under ``out``, or else those of the package.

    Results of a quick run are used only if there are neither full results nor a verdict in the
    package.
    """
    shipped = read_shipped()
    claims = all_claims()
    names = {claim.study for claim in claims if claim.check is not None and claim.study}
    runs = {name: _runs(out, name) for name in names}
    return [_judged(claim, runs.get(claim.study or "", {}), shipped) for claim in claims]


def _runs(out: Path | None, name: str) -> dict[bool, StudyRun]:
    """Runs of a study whose results are under a folder, by whether they are quick."""
    if out is None:
        return {}
    folders = {quick: folder_of(out, name, quick) for quick in (False, True)}
    return {quick: load_run(path) for quick, path in folders.items() if (path / RUN).exists()}


def _judged(claim: Claim, runs: Mapping[bool, StudyRun], shipped: Mapping[str, Any]) -> Judged:
    if claim.check is None:
        return Judged(claim, None, claim.why_not)
    if False in runs:
        return _of_run(claim, runs[False])
    kept = shipped.get(claim.study or "")
    if kept is not None and claim.name in kept["verdicts"]:
        source = f"the package ({kept['versions']}; {kept['date']})"
        return Judged(claim, verdict_of(kept["verdicts"][claim.name]), source)
    if True in runs:
        return _of_run(claim, runs[True])
    return Judged(claim, None, f"costboost study {claim.study}")


def _of_run(claim: Claim, run: StudyRun) -> Judged:
    return Judged(claim, judge(claim, run.frame), f"the results in {run.folder}", run.options.quick)


# ---- verdicts of the package ---------------------------------------------------------------------


def read_shipped() -> dict[str, Any]:
    """Content of `SHIPPED`, by study; empty if the package has none."""
    if not SHIPPED.exists():
        return {}
    content: dict[str, Any] = json.loads(SHIPPED.read_text("utf-8"))
    return content


def shipped_text(runs: Iterable[StudyRun]) -> str:
    """Content of `SHIPPED` with the verdicts of full runs instead of those of the same studies."""
    content = read_shipped()
    for run in runs:
        if not run.options.quick:
            content[run.study.name] = {
                "versions": "; ".join(sorted(set(run.frame["versions"]))),
                "date": run.date,
                "command": run.command,
                "verdicts": {name: kept_verdict(one) for name, one in run.verdicts.items()},
            }
    return json.dumps(dict(sorted(content.items())), indent=1) + "\n"
