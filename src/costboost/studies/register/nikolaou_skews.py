"""Claims of Nikolaou et al. (2016) on the losses at some skews, and on probabilities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from costboost.studies import nikolaou_tables as results
from costboost.studies.nikolaou_tables import SHOWN, over_sets
from costboost.studies.register.nikolaou_theory import claim
from costboost.studies.statistics import FEWEST, each_of, unjudged, verdict_ordinal
from costboost.studies.study import NOT_REPRODUCED, REPRODUCED, Frame, Verdict

ALL_SETS, ALL_SKEWS = 18, 21


# ---- losses at some skews ------------------------------------------------------------------------


def greater_loss(
    pairs: Sequence[tuple[str, str]], chosen: Callable[[float], bool], frame: Frame
) -> Verdict:
    """Whether the first of each pair of methods has the greater loss at the chosen skews."""
    table = results.losses_at(frame, chosen)
    if not len(table) or not {name for pair in pairs for name in pair} <= set(table.columns):
        return unjudged("needs the four methods of figure 7")
    return each_of(
        [
            over_sets(
                f"loss of {worse} minus loss of {better}",
                (table[worse] - table[better]).to_numpy(),
            )
            for worse, better in pairs
        ]
    )


def saturated(frame: Frame) -> Verdict:
    rows = results.grid(frame)
    rows = rows[rows["variant"] == "CSB2"] if len(rows) else rows
    rows = rows[[results.moderate(z) for z in rows["skew"]]] if len(rows) else rows
    if not len(rows):
        return unjudged("needs CSB2")
    to_costly = np.where(
        rows["skew"] < 0.5, rows["share_predicted_positive"], 1 - rows["share_predicted_positive"]
    )
    share = (rows.assign(one=to_costly >= 0.99).groupby("data")["one"].mean()).to_numpy(float)
    reason = "CSB2 prefers the costlier class, but on most sets it predicts both"
    return over_sets(
        "share of CSB2's models that predict the costlier class for 99% of the rows or more, minus "
        "one half", share - 0.5, reason=reason,
    )  # fmt: skip


def adamec_by_skew(frame: Frame) -> Verdict:
    near = results.losses_at(frame, lambda z: 0.39 < z < 0.61)
    if not len(near) or not set(SHOWN) <= set(near.columns):
        return unjudged("needs the four methods of figure 7")
    rank = near[list(SHOWN)].rank(axis=1)["AdaMEC"].to_numpy(float)
    return each_of(
        [
            over_sets(
                "2.5 minus AdaMEC's rank of the four, for z from 0.4 to 0.6",
                2.5 - rank, digits=2,
            ),
            greater_loss([("AdaMEC", "AdaMEC calibrated")], results.outer, frame),
        ]
    )  # fmt: skip


def _overlapping(frame: Frame, names: Sequence[str]) -> Frame:
    """Whether calibrated AdaMEC is below every other, or its interval overlaps with the least."""
    rows = results.grid(frame)
    rows = rows[rows["variant"].isin(names)]
    table = rows.groupby(["data", "skew", "variant"])["loss"].agg(["mean", "std", "count"])
    half = 1.96 * table["std"] / np.sqrt(table["count"])
    low, high = (table["mean"] - half).unstack("variant"), (table["mean"] + half).unstack("variant")
    least = table["mean"].unstack("variant").idxmin(axis=1)
    bound = np.array([high.loc[key, name] for key, name in least.items()])
    own = low["AdaMEC calibrated"].to_numpy(float)
    return low.assign(tied=(own <= bound) | (least == "AdaMEC calibrated").to_numpy())["tied"]


def outranked_at_equal_costs(frame: Frame) -> Verdict:
    found = greater_loss(
        [("AdaMEC calibrated", name) for name in SHOWN[1:]], results.balanced, frame
    )
    if found.difference is None or results.grid(frame)["repeat"].nunique() < FEWEST:
        return unjudged(f"needs the four methods of figure 7 and {FEWEST} repeats")
    tied = _overlapping(frame, SHOWN).xs(0.5, level="skew")
    share = float(tied.mean())
    parts = [
        found,
        Verdict(
            REPRODUCED if share > 0.5 else NOT_REPRODUCED,
            f"its interval overlaps with that of the best on {share:.0%} of the data sets",
            share - 0.5,
        ),
    ]
    return each_of(parts)


def first_or_tied(frame: Frame) -> Verdict:
    rows = results.grid(frame)
    if not len(rows) or not set(SHOWN) <= set(rows["variant"]):
        return unjudged("needs the four methods of figure 7")
    if rows["repeat"].nunique() < FEWEST:
        return unjudged(f"needs at least {FEWEST} repeats for intervals")
    tied = _overlapping(frame, SHOWN)
    by_set = tied.groupby("data").mean().to_numpy(float)
    return over_sets(
        "share of the skews at which calibrated AdaMEC is first, or tied within the 95% intervals, "
        "minus 0.9", by_set - 0.9,
    )  # fmt: skip


def clearest_lead(frame: Frame) -> Verdict:
    areas = results.areas(frame)
    named = [f"nikolaou_{name}" for name in ("splice", "krvskp")] + [
        "musk2",
        "waveform",
        "spambase",
    ]
    if not len(areas) or not set(named) <= set(areas.index) or len(areas) < ALL_SETS:
        return unjudged(f"needs all {ALL_SETS} data sets")
    lead = areas[list(SHOWN[1:])].min(axis=1) - areas["AdaMEC calibrated"]
    rest = float(lead.drop(named).mean())
    return verdict_ordinal(
        "lead in area over the best of the other three on the five sets, minus the mean lead on "
        "the others",
        lead[named].to_numpy() - rest,
        "data set",
        digits=4,
    )


def ignores_asymmetry(frame: Frame) -> Verdict:
    table = results.by_skew(frame, "share_predicted_positive")
    if not len(table) or table.shape[1] < ALL_SKEWS:
        return unjudged("needs all skews")
    change = (table[table.columns[0]] - table[table.columns[-1]]).unstack("variant")
    if not set(SHOWN) <= set(change.columns):
        return unjudged("needs the four methods of figure 7")
    return over_sets(
        "change of the share predicted positive between the two extreme skews, of calibrated "
        "AdaMEC minus AdaC1",
        (change["AdaMEC calibrated"] - change["AdaC1"]).to_numpy(),
    )


# ---- probabilities, margins, counts --------------------------------------------------------------


def by_calibration_loss(frame: Frame) -> Verdict:
    rows = results.grid(frame)
    if not len(rows) or "calibration_loss" not in rows.columns:
        return unjudged("needs AdaMEC and calibrated AdaMEC")
    table = rows.pivot_table(index="data", columns="variant", values=["calibration_loss", "brier"])
    both = ("AdaMEC", "AdaMEC calibrated")
    if not {("brier", name) for name in both} <= set(table.columns):
        return unjudged("needs AdaMEC and calibrated AdaMEC")
    total = table["brier", both[0]] - table["brier", both[1]]
    part = table["calibration_loss", both[0]] - table["calibration_loss", both[1]]
    return each_of(
        [
            over_sets("decrease of the Brier score", total.to_numpy(), digits=4),
            over_sets(
                "decrease of its calibration part, minus its whole decrease",
                (part - total).to_numpy(), digits=4,
            ),
        ]
    )  # fmt: skip


def more_distorted(frame: Frame) -> Verdict:
    rows = results.grid(frame)
    if not len(rows) or "final_calibration_error" not in rows.columns:
        return unjudged("needs AdaMEC")
    own = rows[rows["variant"] == "AdaMEC"].groupby("data")
    gap = own["final_calibration_error"].mean() - own["early_calibration_error"].mean()
    return over_sets(
        "calibration error of AdaBoost's logistic probabilities after all rounds, minus that after "
        "10", gap.to_numpy(),
    )  # fmt: skip


CLAIMS = [
    claim("K24", "figure 7", "ordinal",
          "CSB2 has far greater losses than the other three at skews between 0.3 and 0.7.",
          partial(greater_loss, [("CSB2", name) for name in (*SHOWN[:2], *SHOWN[3:])],
                  results.moderate)),
    claim("K25", "figure 7", "ordinal",
          "At these skews CSB2 tends to predict one class for all rows.", saturated),
    claim("K26", "section 5.2", "ordinal",
          "At skews up to 0.1 or from 0.9 CSB2 is second to calibrated AdaMEC of the four shown.",
          partial(greater_loss,
                  [("CSB2", "AdaMEC calibrated"), ("AdaMEC", "CSB2"), ("AdaC1", "CSB2")],
                  results.extreme)),
    claim("K27", "section 5.2", "ordinal",
          "AdaC1 has the greatest losses of the four at skews below 0.2 or above 0.8.",
          partial(greater_loss, [("AdaC1", name) for name in SHOWN[:3]],
                  results.high)),
    claim("K28", "section 5.2", "ordinal",
          "Uncalibrated AdaMEC does well near equal costs, and is outranked by the calibrated one "
          "at skews up to 0.3 or from 0.7.", adamec_by_skew),
    claim("K29", "section 5.2", "ordinal",
          "At equal costs calibrated AdaMEC is outranked by the other three, on most sets within "
          "the 95% intervals.", outranked_at_equal_costs),
    claim("K30", "section 5.2", "ordinal",
          "Calibrated AdaMEC is first or tied first of the four on nearly all sets and skews (90% "
          "or more).", first_or_tied),
    claim("K31", "section 5.2", "ordinal",
          "Its lead is clearest on splice, musk2, king-rook, waveform and spambase.",
          clearest_lead),
    claim("K42", "section 3.4", "ordinal",
          "AdaBoost's probabilities are the more distorted the more weak learners there are.",
          more_distorted),
    claim("K43", "section 5.2", "ordinal",
          "Calibration lowers the Brier score, and only by its calibration part.",
          by_calibration_loss),
    claim("K44", "figure 7", "ordinal",
          "AdaC1 tends to ignore the costs: its predictions change less with the skew than those "
          "of calibrated AdaMEC.", ignores_asymmetry),
]  # fmt: skip
"""Claims on skews and probabilities."""
