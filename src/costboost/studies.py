"""The experiments of the papers, from costboost-lab."""

from costboost._lab import required

with required("costboost.studies"):
    from costboost_lab.studies import StudyRun, all_claims, find_study, run

__all__ = ["StudyRun", "all_claims", "find_study", "run"]
