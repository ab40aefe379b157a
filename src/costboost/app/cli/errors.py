"""Errors that end a command with a message."""

from __future__ import annotations

from costboost.app.reading.errors import InputError, os_reason

EXTRAS = {
    "pyarrow": "cli",
    "typer": "cli",
    "rich": "cli",
    "matplotlib": "plots",
    "pandas": "datasets",
}
"""Package -> the extra that installs it."""
EXPECTED = (OSError, ValueError, ImportError, MemoryError)
"""Errors that end a command with a message; any other is a defect of the program."""


def message_of(error: BaseException) -> str:
    """The message of one of the `EXPECTED` errors, with options instead of parameters."""
    if isinstance(error, InputError):
        return _with_option(error)
    if isinstance(error, MemoryError):
        return f"there is not enough memory {error}".strip()
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename} {error.strerror}"
    if isinstance(error, OSError) and error.errno:
        return f"the output cannot be written: {os_reason(error)}"
    if isinstance(error, ModuleNotFoundError):
        extra = EXTRAS.get((error.name or "").split(".")[0])
        if extra:
            return f'{error.name} is not installed: pip install "costboost[{extra}]"'
    return str(error) or type(error).__name__


def _with_option(error: InputError) -> str:
    if not error.parameter:
        return error.message
    option = f"--{error.parameter.replace('_', '-')}"
    if error.value is None:
        return f"{error.message}; check {option}"
    if error.parameter == "drop":
        return f"{error.message}; leave it out with {option} {error.value!r}"
    if error.parameter == "max_memory":
        return f"{error.message}: costboost {option} {error.value} ..."
    return f"{error.message}; try {option} {error.value}"
