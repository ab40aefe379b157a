"""The engine: bins, kernels, and trained ensembles as plain arrays. It knows no algorithm."""

import sys

from costboost.engine import ensemble

sys.modules[f"{__name__}.scores"] = ensemble  # for pickles and skops files of 0.2.0
