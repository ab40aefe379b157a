"""The public boosting classifiers: each has a docstring and a rule."""

import sys

from costboost.classifiers import newton

sys.modules[f"{__name__}.multinomial"] = newton  # for pickles and skops files of 0.2.0
