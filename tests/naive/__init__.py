"""Every binary algorithm of the library, transcribed: slow, plain, the judge of the fast engine.

Nothing here comes from the library, and nothing is clever. Each algorithm is meant to be read
beside its formula in the paper that introduced it. Papers cited: Masnadi = Masnadi-Shirazi and
Vasconcelos 2007; Nikolaou = Nikolaou et al. 2016; Nyga = Nyga 2010; Sun = Sun, Wong and Wang 2005.
"""

from naive.fitting import DISCRETE, JOINT, NEWTON, REAL, REGULARISED, fit
from naive.learners import first_of_least, quantile_cuts
from naive.logistic import logistic_coefficients, logistic_curve
from naive.model import Constant, NaiveModel, Node, Split, Stump, bins_of, normalised
from naive.regularised import SoftMargin

__all__ = [
    "DISCRETE",
    "JOINT",
    "NEWTON",
    "REAL",
    "REGULARISED",
    "Constant",
    "NaiveModel",
    "Node",
    "SoftMargin",
    "Split",
    "Stump",
    "bins_of",
    "first_of_least",
    "fit",
    "logistic_coefficients",
    "logistic_curve",
    "normalised",
    "quantile_cuts",
]
