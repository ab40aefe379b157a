"""The dependencies of costboost-lab, among them the costboost of its own version."""

from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class Dependencies(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        """Called by hatchling when the version is known."""
        same = f"costboost[cli,plots]=={metadata['version']}"
        metadata["dependencies"] = [same, "pandas>=2.3"]
