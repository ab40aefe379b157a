"""The numbers of the plots, computed without matplotlib."""
