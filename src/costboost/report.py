"""Report on what the decisions of a classifier cost: one HTML file with sliders for the costs.

The file loads nothing else, so that it can be mailed, printed and opened without a network.
"""

from costboost.app.report.page import html, write

__all__ = [
    "html",
    "write",
]
