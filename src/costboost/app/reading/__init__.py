"""Files as tables of pyarrow."""
