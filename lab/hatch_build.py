"""The dependency of costboost-lab: the costboost of its own version."""

from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class SameVersion(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        """Called by hatchling when the version is known."""
        metadata["dependencies"] = [f"costboost[cli,plots,datasets]=={metadata['version']}"]
