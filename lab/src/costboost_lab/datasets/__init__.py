"""Data sets of the papers with their costs, and synthetic problems.

``load(name)`` searches for a data set on this machine and then on OpenML; ``available()`` lists the
names.
"""

from costboost_lab.datasets.loading import available, load
from costboost_lab.datasets.records import Record, record
from costboost_lab.datasets.synthetic import (
    make_banana,
    make_clusters,
    make_gaussians,
    make_ten_points,
    make_three_points,
)

__all__ = [
    "Record",
    "available",
    "load",
    "make_banana",
    "make_clusters",
    "make_gaussians",
    "make_ten_points",
    "make_three_points",
    "record",
]
