"""Claims of Nyga (2010)."""

from __future__ import annotations

from functools import partial

from costboost.studies.nyga_tables import COST_BLIND, GOAL_METHODS, REGULARISED
from costboost.studies.register import nyga_checks as checks
from costboost.studies.register import nyga_theory as theory
from costboost.studies.register.nyga_theory import BANANA, CANCER
from costboost.studies.study import Claim, Paper

claim = Paper("Nyga 2010", "nyga2010").claim

CLAIMS: list[Claim] = [
    claim(
        "G01",
        "section 2.3",
        "structural",
        "AdaBoost solves the problem of three points within 4 rounds.",
        theory.solved_in_four,
    ),
    claim(
        "G02",
        "Figure 2.3",
        "ordinal",
        "AdaC1 with a cost of 3 does not settle on it within 10 rounds.",
        theory.never_settles,
    ),
    claim(
        "G03",
        "Proposition 3",
        "structural",
        "With stumps, RareBoost is RealBoost.",
        theory.rare_is_real,
    ),
    claim(
        "G04",
        "Proposition 2",
        "structural",
        "RareBoost cannot collapse if the base learner has the least training error and may be"
        " constant.",
        theory.no_collapse,
    ),
    claim(
        "G05",
        "Figure 2.1",
        "ordinal",
        "On cancer, margins grow from 10 to 50 to 100 rounds of AdaBoost, and the test error "
        "goes on falling.",
        theory.growing_margins,
    ),
    claim(
        "G06",
        "Table 3.2",
        "numeric",
        "F-measure on banana: AdaBoost .826, LogitBoost .825, GentleBoost .823, RealBoost .820.",
        partial(theory.numbers, part="imbalance", data=BANANA, methods=COST_BLIND),
    ),
    claim(
        "G07",
        "Table 3.2",
        "numeric",
        "F-measure on cancer: GentleBoost .940, LogitBoost .938, RealBoost .936, AdaBoost .933.",
        partial(theory.numbers, part="imbalance", data=CANCER, methods=COST_BLIND),
    ),
    claim(
        "G08",
        "Table 3.2",
        "ordinal",
        "The F-measures of the four algorithms without costs are within 0.007 of each other on"
        " banana and on cancer.",
        checks.close_together,
    ),
    claim(
        "G09",
        "Table 3.2",
        "ordinal",
        "On cancer the rare class has at least as much precision as recall, with all four "
        "algorithms.",
        checks.precision_above_recall,
    ),
    claim(
        "G10",
        "Table 3.2",
        "ordinal",
        "The F-measure of class -1 is above that of class +1, with all four algorithms on both"
        " sets.",
        checks.other_class_is_easier,
    ),
    claim(
        "G11",
        "section 3.3",
        "ordinal",
        "Imbalance costs the rare class recall more than precision; judged by thinning the class.",
        checks.recall_suffers,
    ),
    claim(
        "G12",
        "Table 3.3",
        "numeric",
        "F-measure on banana: AdaBoost_Reg .832, WeightBoost .827.",
        partial(theory.numbers, part="regularised", data=BANANA, methods=REGULARISED),
    ),
    claim(
        "G13",
        "Table 3.3",
        "numeric",
        "F-measure on cancer: WeightBoost .946, AdaBoost_Reg .937.",
        partial(theory.numbers, part="regularised", data=CANCER, methods=REGULARISED),
    ),
    claim(
        "G14",
        "Tables 3.2, 3.3",
        "ordinal",
        "AdaBoost_Reg has a greater F-measure than AdaBoost on banana and on cancer.",
        checks.regularised_gain,
    ),
    claim(
        "G15",
        "Table 3.3",
        "ordinal",
        "WeightBoost has a greater F-measure than AdaBoost_Reg on every set but banana; judged"
        " on cancer and banana.",
        checks.weightboost_first,
    ),
    claim(
        "G16",
        "Figure 3.4",
        "ordinal",
        "On cancer AdaBoost_Reg gets worse as C grows.",
        checks.worse_with_strength,
    ),
    claim(
        "G17",
        "section 3.3",
        "ordinal",
        "On strongly imbalanced data AdaBoost_Reg is best with C near 0; judged on thinned data.",
        checks.best_near_zero,
    ),
    claim(
        "G18",
        "Figure 3.3",
        "ordinal",
        "On banana RealBoost has a training error of 0 by round 100, and its test error rises "
        "from round 50 on.",
        checks.overfits,
    ),
    claim(
        "G19",
        "Figures 3.3, B.4",
        "ordinal",
        "On banana the training error of AdaBoost_Reg stays above 0, and its test error does "
        "not rise.",
        checks.does_not_overfit,
    ),
    claim(
        "G20",
        "Figure 3.5",
        "ordinal",
        "Precision and recall of AdaC1 oscillate against each other for 200 rounds on banana "
        "and cancer.",
        checks.oscillates,
    ),
    claim(
        "G21",
        "Table 3.4",
        "numeric",
        "Cancer: AdaC2 has precision .913, recall .963, F .937; AdaC3 .915, .966, .939.",
        partial(
            theory.numbers,
            part="costs",
            data=CANCER,
            methods=("AdaC2", "AdaC3"),
            measures=("precision", "recall", "f1"),
        ),
    ),
    claim(
        "G22",
        "Table 3.4",
        "numeric",
        "F-measure on cancer: CSRA .944, CSGA .941, CSLB .940.",
        partial(theory.numbers, part="costs", data=CANCER, methods=("CSRA", "CSGA", "CSLB")),
    ),
    claim(
        "G23",
        "Table 3.4",
        "numeric",
        "F-measure on banana: CSGA .827, CSLB .825, CSRA .823, AdaCost .822, AdaC2 .820, AdaC3"
        " .815.",
        partial(
            theory.numbers,
            part="costs",
            data=BANANA,
            methods=("CSGA", "CSLB", "CSRA", "AdaCost", "AdaC2", "AdaC3"),
        ),
    ),
    claim(
        "G24",
        "Table 3.4",
        "ordinal",
        "On cancer every algorithm with costs but AdaCost has a greater F-measure than its "
        "twin without costs.",
        checks.gains_by_costs,
    ),
    claim(
        "G25",
        "Table 3.4",
        "ordinal",
        "CSGA has the greatest F-measure, alone or tied, on four of five sets, not on cancer; "
        "judged on banana and by the thesis's figures.",
        checks.csga_first,
    ),
    claim(
        "G26",
        "Tables 3.2, 3.4",
        "ordinal",
        "AdaC2 has more recall and less precision than AdaBoost on banana and cancer.",
        checks.recall_for_precision,
    ),
    claim(
        "G27",
        "Figure 3.6",
        "ordinal",
        "With AdaC2 on cancer, recall rises and precision falls with the rounds, sooner at "
        "greater costs.",
        checks.costs_grow,
    ),
    claim(
        "G28",
        "Figure 3.6",
        "ordinal",
        "At too great a cost AdaC2 predicts nearly all rows positive: recall near 1, precision"
        " near the share of the class.",
        checks.too_great_a_cost,
    ),
    claim(
        "G29",
        "Table 3.5",
        "numeric",
        "Precision on banana at a recall of .85: CSGA .807, AdaC2 .802, CSLB .794, CSRA .793.",
        partial(
            checks.goal_numbers, data=BANANA, goal=0.85, methods=("CSGA", "AdaC2", "CSLB", "CSRA")
        ),
    ),
    claim(
        "G30",
        "Table 3.5",
        "numeric",
        "Precision on banana at a recall of .95: from .668 to .689 for all five algorithms.",
        partial(checks.goal_numbers, data=BANANA, goal=0.95, methods=GOAL_METHODS),
    ),
    claim(
        "G31",
        "Table 3.5",
        "ordinal",
        "On cancer at a recall of .95, CSRA, CSGA and CSLB have more precision than AdaC2 and "
        "AdaC3.",
        checks.goal_order,
    ),
    claim(
        "G32",
        "Table 3.5",
        "numeric",
        "Precision on cancer at a recall of 1: AdaC2 .350, AdaC3 .369, CSRA .396, CSGA .401, "
        "CSLB .389.",
        partial(checks.goal_numbers, data=CANCER, goal=1.0, methods=GOAL_METHODS),
    ),
    claim(
        "G33",
        "section 3.3, chapter 5",
        "ordinal",
        "A goal that is not reached by a greater cost of the important class is reached by a "
        "lower cost of the other one.",
        theory.ratio_only,
    ),
    claim(
        "G34",
        "section 2.3",
        "structural",
        "Costs in the exponent push the base learner towards the other class and leave no "
        "lasting bias.",
        theory.exponent_pushes_away,
    ),
    claim(
        "G35",
        "Tables 3.4, 3.5",
        "numeric",
        "The F-measures of AdaCost on cancer and of AdaC3 at the banana goals do not follow "
        "from precision and recall (own figures).",
        checks.inconsistent_figures,
    ),
    claim(
        "G36",
        "Tables 3.2, 3.4",
        "ordinal",
        "AdaC2 and AdaC3 are below AdaBoost on banana and CSLB ties with LogitBoost, although "
        "the text says that every algorithm gains (own figures).",
        checks.text_and_figures,
    ),
    claim(
        "G37",
        "chapter 5",
        "ordinal",
        "Costs in the exponent, unlike costs as factors, fail to bias training towards a "
        "class; judged by recall on thinned data.",
        theory.factor_beats_exponent,
    ),
    claim(
        "G38",
        "sections 3.3, 5",
        "ordinal",
        "The probabilistic algorithms are better than AdaBoost; judged on cancer.",
        checks.probabilistic_are_better,
    ),
    claim(
        "G39",
        "summary of chapter 3",
        "ordinal",
        "WeightBoost is better than the algorithms with costs on some sets; in the tables, on "
        "cancer.",
        checks.weightboost_and_costs,
    ),
    claim(
        "G40",
        "summary of chapter 3",
        "ordinal",
        "AdaCost does not improve on AdaBoost on cancer (.925 against .933).",
        checks.adacost_gains_nothing,
    ),
    claim(
        "G41",
        "section 3.5",
        "ordinal",
        "Every algorithm reaches the recall that is demanded on banana and cancer.",
        checks.goals_are_reached,
    ),
    claim(
        "G42",
        "Table 3.5",
        "numeric",
        "Precision on cancer at a recall of .95: AdaC2 .897, AdaC3 .892, CSRA .922, CSGA .921,"
        " CSLB .923.",
        partial(checks.goal_numbers, data=CANCER, goal=0.95, methods=GOAL_METHODS),
    ),
    claim(
        "G43",
        "Table 3.2",
        "ordinal",
        "On the airbag data, AdaBoost's F-measure of class +1 stays between .4 and .6.",
        why_not="The airbag data belong to Siemens.",
    ),
    claim(
        "G44",
        "Figure 3.8",
        "ordinal",
        "With CSGA at a cost of 10 on the intrusion data, precision and recall collapse after "
        "35 rounds.",
        why_not="The intrusion data belong to Siemens.",
    ),
    claim(
        "G45",
        "Table 3.5",
        "numeric",
        "On the fire and airbag data a precision of 1 leaves recalls of .524 to .779 and .217 "
        "to .265.",
        why_not="The fire and airbag data belong to Siemens.",
    ),
    claim(
        "G46",
        "section 3.3",
        "ordinal",
        "For two points of two classes, no cost of one class biases the ensemble, but a cost "
        "of 0 for the other does.",
        why_not=(
            "A cost of 0 is not accepted; a stump without error ends training, whatever the costs."
        ),
    ),
]
