"""Numbers of the plots, computed without matplotlib."""
