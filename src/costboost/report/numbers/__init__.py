"""Numbers of the report, computed without drawing."""
