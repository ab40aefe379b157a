"""The algorithms, each a frozen record of small pure functions: a row of the papers' table.

The functions of a rule depend on costs and cells, never on features. To add an algorithm, write the
functions that are new and ``replace`` them in the rule it resembles.
"""
