"""What the tests of costboost have for commands."""

from cli.conftest import run

__all__ = ["run"]
