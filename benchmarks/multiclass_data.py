"""The six data sets of Abe, Zadrozny & Langford (2004) as `costboost_lab.studies` has them."""

import numpy as np
import pandas as pd

from costboost_lab.studies import abe
from costboost_lab.studies.abe import SETS, drawn_costs

__all__ = ["LARGE", "SETS", "Split", "drawn_costs", "split"]

LARGE = ("kdd99", "letter")
"""Data sets of which the paper draws a tenth of the rows for Bagging and MetaCost."""


class Split(abe.Split):
    """A split whose rows can be given to scikit-learn's trees."""

    @property
    def numbers(self) -> tuple[np.ndarray, np.ndarray]:
        """Both parts for scikit-learn's trees: a column of 0 and 1 for each category."""
        both = pd.get_dummies(pd.concat([self.X, self.X_test])).to_numpy(np.float32)
        return both[: len(self.X)], both[len(self.X) :]


def split(X: pd.DataFrame, y: np.ndarray, run: int) -> Split:
    """Two thirds to train, every class in both parts, and a cost matrix of its own."""
    return Split(**vars(abe.split(X, y, run)))
