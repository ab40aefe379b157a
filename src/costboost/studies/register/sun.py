"""Claims of Sun, Wong & Wang (2005)."""

from __future__ import annotations

from functools import partial

from costboost.studies.register import sun_checks as checks
from costboost.studies.register.sun_checks import CANCER, HYPOTHYROID, PIMA, SICK
from costboost.studies.register.sun_checks import with_each_learner as each
from costboost.studies.study import Claim, Paper

claim = Paper("Sun et al. 2005", "sun2005").claim

CLAIMS: list[Claim] = [
    claim(
        "S01",
        "section 4.2",
        "numeric",
        "29.72%, 34.90%, 4.77% and 9.26% of the rows of cancer, pima, hypothyroid and sick-"
        "euthyroid are positive.",
        checks.shares,
    ),
    claim(
        "S02",
        "section 3",
        "structural",
        "With costs of 1, AdaC1, AdaC2 and AdaC3 are AdaBoost; AdaCost is not.",
        checks.unit_costs,
    ),
    claim(
        "S03",
        "sections 3.1-3.3",
        "structural",
        "A step is positive only if correct predictions have more weight times cost (AdaC3: "
        "cost squared) than wrong ones.",
        checks.conditions,
    ),
    claim(
        "S04",
        "sections 3.1, 3.3",
        "structural",
        "The bound from which the steps of AdaC1 and AdaC3 are derived holds for costs of at "
        "most 1.",
        checks.bound,
    ),
    claim(
        "S05",
        "Table 1",
        "numeric",
        "Average F-measures: AdaC3 73.16, AdaC1 72.48, AdaC2 71.90, AdaBoost 69.13, CSB1 68.92.",
        each(checks.average_numbers),
    ),
    claim(
        "S06",
        "Table 1",
        "ordinal",
        "AdaC3 has the greatest average F-measure.",
        each(checks.best_average),
    ),
    claim(
        "S07",
        "Table 1",
        "ordinal",
        "AdaC3 is best on cancer and pima, AdaC2 on hypothyroid, AdaCost on sick-euthyroid.",
        each(checks.best_by_set),
    ),
    claim(
        "S08",
        "Table 1",
        "ordinal",
        "AdaC1 and AdaC3 have greater F-measures than AdaBoost on all four sets.",
        each(checks.beats_adaboost),
    ),
    claim(
        "S09",
        "Table 1",
        "ordinal",
        "AdaC2 has a greater F-measure than AdaBoost on three sets, and a smaller one on sick-"
        "euthyroid.",
        each(checks.adac2_and_adaboost),
    ),
    claim(
        "S10",
        "Table 1",
        "numeric",
        "AdaC3 gains 7.87 points over AdaBoost on cancer, 5.95 on pima, 1.27 on sick-"
        "euthyroid, 1.03 on hypothyroid.",
        each(checks.gains),
    ),
    claim(
        "S11",
        "Table 1",
        "ordinal",
        "The gain of AdaC3 is greatest on the set where AdaBoost's F-measure is least.",
        each(checks.greatest_gain),
    ),
    claim(
        "S12",
        "Table 1",
        "ordinal",
        "AdaBoost has a greater F-measure than its single base learner on all sets but pima.",
        each(checks.single_learner),
    ),
    claim(
        "S13",
        "Table 1",
        "ordinal",
        "On hypothyroid and sick-euthyroid the best ratio of AdaC1, AdaC2 and AdaC3 is 1:0.8 "
        "or 1:0.9.",
        each(partial(checks.best_ratios, sets=(HYPOTHYROID, SICK), low=0.8, high=0.9)),
    ),
    claim(
        "S14",
        "Table 1",
        "ordinal",
        "On cancer and pima their best ratios are from 1:0.5 to 1:0.7.",
        each(partial(checks.best_ratios, sets=(CANCER, PIMA), low=0.5, high=0.7)),
    ),
    claim(
        "S15",
        "Table 1",
        "ordinal",
        "CSB2 is below AdaBoost on three sets, by more than 12 points on hypothyroid and sick-"
        "euthyroid.",
        each(checks.csb2_below),
    ),
    claim(
        "S16",
        "section 5",
        "ordinal",
        "As the positive class gains weight, recall rises and precision falls, so that the "
        "F-measure is greatest at a ratio between the extremes.",
        each(checks.trade_off),
    ),
    claim(
        "S17",
        "Table 1",
        "numeric",
        "The printed averages of CSB2 (57.93) and AdaCost (71.24) are not those of their rows "
        "(own figures).",
        checks.printed_averages,
    ),
    claim(
        "S18",
        "Table 1",
        "structural",
        "CSB2 and AdaC2 are AdaBoost at 1:1, but their best F-measures are printed below "
        "AdaBoost's: the ratio 1:1 cannot have been among those tried, or other runs were used"
        " (own figures).",
        checks.printed_maxima,
    ),
    claim(
        "S19",
        "section 4.3",
        "ordinal",
        "The ratio is chosen on the folds that are reported, which raises the F-measures of "
        "the new algorithms above those at a ratio chosen on other splits (protocol).",
        each(checks.search_bonus),
    ),
    claim(
        "S20",
        "abstract, section 6",
        "ordinal",
        "AdaC3 recognises the rare class best of all algorithms; judged with ratios chosen on "
        "other splits.",
        each(checks.superior),
    ),
    claim(
        "S21",
        "section 5",
        "ordinal",
        "CSB1 and CSB2 are not satisfactory: their averages are below those of AdaC1, AdaC2 "
        "and AdaC3.",
        each(checks.csb_not_satisfactory),
    ),
    claim(
        "S22",
        "Table 1",
        "ordinal",
        "The average of AdaCost is above that of AdaBoost and below those of AdaC1, AdaC2 and "
        "AdaC3.",
        each(checks.adacost_between),
    ),
    claim(
        "S23",
        "section 5",
        "numeric",
        "Of the four sets AdaC3 wins two, AdaC2 and AdaCost one each (own figures).",
        checks.printed_wins,
    ),
    claim(
        "S24",
        "section 2.1",
        "structural",
        "The training error of AdaBoost is at most the mean of exp(-yF), which is the product "
        "of the normalisers.",
        why_not="It is a theorem on AdaBoost that the tests of the library check in every round.",
    ),
]
