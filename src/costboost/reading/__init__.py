"""Tables and cost matrices from files: formats are detected, types inferred, contents validated.

`read_table` returns a table of pyarrow. The command line reads files through this package, so that
what it accepts, and what it infers, is the same in Python.
"""

from costboost.reading.errors import InputError
from costboost.reading.formats import read_table

__all__ = ["InputError", "read_table"]
