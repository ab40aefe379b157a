"""The experiments of the papers, each as one command: ``costboost study NAME``."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from costboost.studies.running import StudyRun, run
    from costboost.studies.study import all_claims, find_study

__all__ = ["StudyRun", "all_claims", "find_study", "run"]


def __getattr__(name: str) -> Any:
    """Import a public name at its first use, so that workers start fast."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from costboost.studies import running

    return getattr(running, name)
