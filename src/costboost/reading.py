"""Tables from files: formats are detected, types inferred, contents validated.

`read_table` returns a table of pyarrow. The command line reads files in the same way, so that
what it accepts, and what it infers, is the same in Python.
"""

from costboost.app.reading.errors import InputError
from costboost.app.reading.formats import read_table

__all__ = [
    "InputError",
    "read_table",
]
