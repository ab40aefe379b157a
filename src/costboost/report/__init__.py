"""The report: one HTML file on what a classifier's decisions cost, with sliders for the costs.

Nothing in it comes from elsewhere, so that it can be mailed, printed and opened without a network.
"""

from costboost.report.page import html, write

__all__ = ["html", "write"]
