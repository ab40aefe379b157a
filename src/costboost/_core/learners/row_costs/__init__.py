"""Splits, tables and votes of rows that have costs of their own."""
