"""Report on the cost of a classifier's predictions: one HTML file with sliders for the costs.

The file loads nothing else, so that it can be mailed, printed and opened without a network.
"""

from costboost.report.page import html, write

__all__ = ["html", "write"]
