"""Every binary algorithm of the library, transcribed: slow, plain, the judge of the fast engine.

Nothing here comes from the library, and nothing is clever. Each algorithm is meant to be read
beside its formula in the paper that introduced it. Papers cited: Masnadi = Masnadi-Shirazi and
Vasconcelos 2007; Nikolaou = Nikolaou et al. 2016; Nyga = Nyga 2010; Sun = Sun, Wong and Wang 2005.

Algorithms of other papers, formulas and readings in the docstrings of the modules: AdaCC1, AdaCC2,
AdaUBoost and average expected cost in `uneven`; SAMME, SAMME.C2, AdaC2.M1 and BAdaCost in
`multiclass`, Lp-CSB in `pnorm`, both over the learners of `votes`; multinomial LogitBoost and the
guess-averse losses in `scores`.
"""

from naive.fitting import DISCRETE, JOINT, NEWTON, REAL, REGULARISED, fit
from naive.learners import first_of_least, quantile_cuts
from naive.logistic import logistic_coefficients, logistic_curve
from naive.model import Constant, NaiveModel, Node, Split, Stump, bins_of, normalised
from naive.multiclass import fit_votes
from naive.pnorm import fit_lpcsb
from naive.regularised import SoftMargin
from naive.scores import fit_scores
from naive.uneven import UNEVEN

__all__ = [
    "DISCRETE",
    "JOINT",
    "NEWTON",
    "REAL",
    "REGULARISED",
    "UNEVEN",
    "Constant",
    "NaiveModel",
    "Node",
    "SoftMargin",
    "Split",
    "Stump",
    "bins_of",
    "first_of_least",
    "fit",
    "fit_lpcsb",
    "fit_scores",
    "fit_votes",
    "logistic_coefficients",
    "logistic_curve",
    "normalised",
    "quantile_cuts",
]
