"""Claims of Masnadi-Shirazi & Vasconcelos (2007); those on faces are in `masnadi_faces`."""

from __future__ import annotations

from costboost.studies.register import masnadi_checks as gaussians
from costboost.studies.register import masnadi_uci_checks as tables
from costboost.studies.study import Claim, Paper

PAPER = "Masnadi-Shirazi & Vasconcelos 2007"
synthetic = Paper(PAPER, "masnadi2007-synthetic").claim
uci = Paper(PAPER, "masnadi2007-uci").claim

SYNTHETIC: list[Claim] = [
    synthetic(
        "M01",
        "Lemma 2",
        "structural",
        "Both cost-sensitive losses are minimised by log(P C+ / ((1 - P) C-)) / (C+ + C-).",
        gaussians.exact("distance of the minimisers", "minimisers", "exponential", "binomial"),
    ),
    synthetic(
        "M02",
        "section 4.2",
        "structural",
        "CSAda with equal costs of 1 is AdaBoost.",
        gaussians.exact("difference of scores", "equal costs", "CSAda"),
    ),
    synthetic(
        "M03",
        "section 4.3",
        "structural",
        "CS-RealBoost with equal costs of 1 is RealBoost.",
        gaussians.exact("difference of scores", "equal costs", "CSRealBoost"),
    ),
    synthetic(
        "M04",
        "Theorem 3",
        "structural",
        "Every CSAda step solves the hyperbolic equation, and stump and step are chosen jointly.",
        gaussians.exact(
            "residual of the equation and loss above that of the best stump",
            "steps",
            "equation",
            "loss above the least",
        ),
    ),
    synthetic(
        "M05",
        "section 4.2",
        "numeric",
        "Bisection finds the CSAda step in about 6 iterations on average.",
        gaussians.bisection,
    ),
    synthetic(
        "M06",
        "section 4.5",
        "structural",
        "Weights of CSAda and CS-RealBoost after M rounds are the initial ones times exp(-c y F).",
        gaussians.exact("difference of weighted errors", "weights", "CSAda", "CSRealBoost"),
    ),
    synthetic(
        "M07",
        "section 4.5",
        "structural",
        "CS-LogitBoost weights fall off as exp(-2 |F|) from its own zero level.",
        gaussians.decay,
    ),
    synthetic(
        "M08",
        "section 5.1.1",
        "structural",
        "On the two Gaussians the best boundary is -log(C+ / C-) / 2.",
        gaussians.optimum,
    ),
    synthetic(
        "M09",
        "Figure 2",
        "ordinal",
        "After 5 rounds CS-RealBoost and CS-LogitBoost follow that line over a wide range of C+.",
        gaussians.follow,
    ),
    synthetic(
        "M10",
        "Figure 2",
        "ordinal",
        "CSAda departs from that line, most where the boundary is far from 0.",
        gaussians.departs,
    ),
    synthetic(
        "M11",
        "section 5.1.2",
        "numeric",
        "The best boundary is -0.8047 at C+ = 5 and -1.4979 at C+ = 20.",
        gaussians.printed_optima,
    ),
    synthetic(
        "M12",
        "section 5.1.2",
        "numeric",
        "CSAda trained with 4.5 reaches -0.7352 in 4 rounds (C+ = 5).",
        gaussians.printed_crossing(4.5, 4, "csada_zero_crossing_at_best_C1hat_4.5_in_4_rounds"),
    ),
    synthetic(
        "M13",
        "section 5.1.2",
        "numeric",
        "CSAda trained with 4.7 reaches -1.4993 in 2 rounds (C+ = 20).",
        gaussians.printed_crossing(4.7, 2, "csada_zero_crossing_at_best_C1hat_4.7_in_2_rounds"),
    ),
    synthetic(
        "M14",
        "section 5.1.2",
        "ordinal",
        "The best training cost of CSAda is below the true cost, far below at C+ = 20.",
        gaussians.training_cost_below,
    ),
    synthetic(
        "M15",
        "Figure 3",
        "ordinal",
        "AdaC1 and AdaCost never leave the cost-blind boundary 0, whatever the training cost.",
        gaussians.stays,
    ),
    synthetic(
        "M16", "Figure 3", "ordinal", "CSB0, AdaC2 and AdaC3 never settle.", gaussians.never_settle
    ),
    synthetic(
        "M17",
        "Figure 3",
        "ordinal",
        "CSB1 and CSB2 move towards the best boundary slowly, then oscillate or diverge.",
        gaussians.slow,
    ),
    synthetic(
        "M18",
        "Figure 3",
        "ordinal",
        "Only CSAda is near the best boundary within 50 rounds at both costs.",
        gaussians.only_csada,
    ),
    synthetic(
        "M19",
        "section 5.1.2",
        "numeric",
        "AdaC1's first two stumps at C+ = 5: thresholds 0.0152, -0.9186, steps 0.9056, 0.2404.",
        gaussians.adac1_numbers,
    ),
    synthetic(
        "M20",
        "section 5.1.2",
        "ordinal",
        "AdaC1's second threshold is near the best boundary; its step is a quarter of the first.",
        gaussians.adac1_ratio,
    ),
    synthetic(
        "M21",
        "section 3.5",
        "ordinal",
        "Asymmetry put only into the initial weights is lost as boosting goes on.",
        gaussians.asymmetry_lost,
    ),
    synthetic(
        "M22",
        "section 3.4",
        "ordinal",
        "Shifted thresholds of a cost-blind ensemble are sub-optimal away from its own boundary.",
        gaussians.shifted,
    ),
    synthetic(
        "M23",
        "section 3.4",
        "structural",
        "On separable data boosting's probabilities pile up at 0 and 1 after enough rounds.",
        gaussians.piling_up,
    ),
    synthetic(
        "M42",
        "section 5.1.2",
        "ordinal",
        "Of the older algorithms only CSB1 and CSB2 come near to CSAda.",
        gaussians.csb_comparable,
    ),
    synthetic(
        "M43",
        "section 5.1.2",
        "ordinal",
        "At C+ = 20 CS-LogitBoost and CS-RealBoost do not miss the boundary as CSAda does.",
        gaussians.no_mismatch,
    ),
    synthetic(
        "M47",
        "Lemma 1",
        "structural",
        "The exponential loss is minimised by half the log-odds.",
        gaussians.exact("distance of the minimiser", "minimisers", "cost-blind exponential"),
    ),
]

UCI: list[Claim] = [
    uci(
        "M24",
        "Table 1",
        "numeric",
        "CS-RealBoost on Cleveland heart: least eps 11.6, 14 and 15 at f = 2, 5 and 10.",
        tables.heart_numbers("eps", (11.6, 14.0, 15.0), 0.5),
    ),
    uci(
        "M25",
        "Table 1",
        "numeric",
        "The best training costs there are 1.6, 4.2 and 5.1.",
        tables.heart_numbers("training_cost", (1.6, 4.2, 5.1), 0.5),
    ),
    uci("M26", "Table 1", "ordinal", "The best training cost rises with f.", tables.rises),
    uci(
        "M27",
        "Table 2",
        "numeric",
        "Medians over ten sets: CSAda 17.57, CS-LogitBoost 16.63, CS-RealBoost 16.0.",
        tables.over_sets(tables.median_numbers),
    ),
    uci(
        "M28",
        "Table 2",
        "ordinal",
        "Each of the three new medians is below each of the six older ones.",
        tables.new_medians_below,
    ),
    uci(
        "M29",
        "Table 2",
        "numeric",
        "A new method beats all older ones on 7 (CSAda), 6 (CS-LogitBoost), 9 (CS-RealBoost) sets.",
        tables.over_sets(tables.win_numbers),
    ),
    uci(
        "M30",
        "Table 2",
        "numeric",
        "CS-RealBoost is best of all on 7 of 10 sets, CS-LogitBoost on wdbc, Wisconsin and "
        "echocardiogram.",
        tables.over_sets(tables.best_counts),
    ),
    uci(
        "M31",
        "Table 2",
        "ordinal",
        "AdaCost has the worst median and is worst on 8 of 10 sets.",
        tables.over_sets(tables.adacost_worst),
    ),
    uci(
        "M32",
        "Table 2",
        "ordinal",
        "CSB1 is the worst on the original Wisconsin breast cancer set.",
        tables.on_set("breast_w", tables.greatest_of_all("CSB1")),
    ),
    uci(
        "M33",
        "Table 2",
        "ordinal",
        "On tic-tac-toe CS-RealBoost is ahead of AdaC2, and both are far ahead of all others.",
        tables.on_set("tic_tac_toe", tables.tic_tac_toe),
    ),
    uci(
        "M34",
        "Table 2",
        "ordinal",
        "CSB0 has the greatest eps on wdbc.",
        tables.on_set("wdbc", tables.greatest_of_all("CSB0")),
    ),
    uci(
        "M40",
        "Tables 1 and 2",
        "structural",
        "Medians, numbers of wins and the mean of Table 1 follow from the figures in their rows.",
        tables.own_figures,
    ),
    uci(
        "M41",
        "abstract",
        "ordinal",
        "The new algorithms are better on UCI sets than what earlier ones could achieve.",
        tables.over_sets(tables.best_new_beats_best_old),
    ),
    uci(
        "M44",
        "section 5.2.2",
        "ordinal",
        "CSAda is the weakest of the three new algorithms on the UCI sets.",
        tables.over_sets(tables.csada_last_of_new),
    ),
    uci(
        "M45",
        "section 6",
        "ordinal",
        "The new algorithms have the smallest cost at every cost factor considered.",
        tables.at_every_factor,
    ),
    uci(
        "M46",
        "section 5.2.1",
        "ordinal",
        "CS-RealBoost has the smallest median of all nine algorithms.",
        tables.over_sets(tables.realboost_least),
    ),
]

CLAIMS = [*SYNTHETIC, *UCI]
