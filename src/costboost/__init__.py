"""costboost: cost-sensitive boosting, exact to the papers and fast."""

from costboost.classifiers.adaboost import AdaBoostClassifier, AdaMECClassifier, CGAdaClassifier

__version__ = "0.1.0"

__all__ = ["AdaBoostClassifier", "AdaMECClassifier", "CGAdaClassifier", "__version__"]
