"""The parts of the two-class page that do not change with the sliders."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from costboost._core.baselines import Difference
from costboost._core.costs.ranges import CostRange
from costboost.app.report import drawing, plot_data
from costboost.app.report.importance import MOST_FEATURES, SHUFFLES, Importance, worth_to_two
from costboost.app.report.interactive import cost_text, rule_names, threshold_of
from costboost.app.report.markup import (
    LEVEL,
    Style,
    big,
    escape,
    facts,
    figure,
    number,
    plural,
    section,
    share,
    short,
    table,
)
from costboost.app.report.numbers import (
    TwoClassPredictions,
    best_without_model,
    boosting_of,
    goal_model,
    goal_result,
    outcome,
    without_model,
)
from costboost.app.report.words import (
    INTERVAL,
    Cautions,
    Provenance,
    Words,
    goal_words,
)
from costboost.decisions.operating import goal_of
from costboost.metrics import (
    area_under_brier_curve,
    brier_decomposition,
    calibration_error,
    gini_score,
    ks_score,
    score_bands,
)

FIRST_SHAPES = 12
"""Number of features shown at once; the others are in a collapsed element."""
MOST_BARS = 20
SHAPES = "Effect of each feature"
ORIGIN = "Where the numbers come from"


def against(saved: Difference, style: Style, name: str, mark: str = "strong") -> str:
    """Savings compared with other predictions in words, with an interval; the name is HTML.

    The amount is put into an element ``mark``.
    """
    if saved.money == 0:
        return f"as much as {name}"
    word, ends = ("less", (saved.low, saved.high))
    if saved.money < 0:
        word, ends = ("more", (-saved.high, -saved.low))
    amount, high = (escape(style.money(v)) for v in (abs(saved.money), ends[1]))
    low = number(ends[0], style.total)
    return f"<{mark}>{amount} {word}</{mark}> than {name} ({LEVEL} interval {low} to {high})"


# ---- curves --------------------------------------------------------------------------------------


def curves(rows: TwoClassPredictions, words: Words) -> str:
    """Cost curves and ROC curve, with the point that moves with the sliders."""
    found = outcome(rows, rows.predicted)
    greatest = rows.greatest_cost
    now = (rows.greatest_cost_of(False) / greatest, found.net_cost / greatest)
    brier, envelope = plot_data.brier(rows), plot_data.envelope(rows)
    is_fixed = rows.limit is None
    fixed = (1 - found.recall, found.fpr) if is_fixed else None
    legend = [
        ("now", "these costs"),
        ("c1", "this model (Brier curve)"),
        ("c2 dashed", "best threshold on these rows (cost curve)"),
        ("trivial", words.always(rows.label, True)),
        ("trivial dotted", words.always(rows.other, False)),
    ]
    if is_fixed:
        legend.insert(1, ("c0", "this classifier's fixed predictions"))
    caption = (
        "What the decisions cost if misses are costlier (left) or false alarms are (right); lower "
        "is better. Cost is a share of the cost of being wrong on every row, called Q; the axis is "
        "the share of false alarms in that cost, called skew z. Part of the gap between the curves "
        "is chance. A hollow point lies above the picture."
    )
    skew = figure("Cost at every ratio of costs", drawing.skews(brier, envelope, fixed, now),
                  legend, caption)  # fmt: skip
    roc = figure(
        "Positives found against false alarms",
        drawing.roc(plot_data.roc(rows), (found.fpr, found.recall)),
        [("now", "these costs"), ("c0", "all thresholds (ROC curve)"), ("trivial", "guessing")],
        "Costly misses move the point up to the right, costly false alarms down to the left.",
    )
    return f'<div class="cards">{skew}{roc}</div>'


# ---- probabilities -------------------------------------------------------------------------------


def probabilities(model: Any, X: Any, y: Any, rows: TwoClassPredictions, words: Words) -> str:
    """Calibration, net benefit and margins."""
    truth = rows.positive.astype(int)
    p, weight = rows.probability, rows.weight
    parts = brier_decomposition(truth, p, sample_weight=weight)
    error = calibration_error(truth, p, strategy="quantile", sample_weight=weight)
    area = area_under_brier_curve(truth, p, by="skew", sample_weight=weight)
    legend = [("c0", f"these rows, with {LEVEL} intervals"), ("trivial", "perfect")]
    if threshold_of(rows) is not None:
        legend.append(("now-line", "threshold at these costs"))
    caption = (
        "Ten groups of about equally many rows: on the line, as many are positive as the "
        f"probabilities state. Brier score {number(parts.brier, 5)}: "
        f"{number(parts.calibration, 5)} for calibration and {number(parts.refinement, 5)} for "
        f"refinement. Expected calibration error {number(error, 5)}; Brier score at balanced "
        f"priors {number(area, 5)}."
    )
    found = plot_data.reliability(rows.positive, p, weight)
    picture = drawing.reliability(found, threshold_of(rows))
    first = figure("Are the probabilities right?", picture, legend, caption)
    margin = figure(
        "Margins",
        drawing.margins(plot_data.margin_shares(model, X, y, rows)),
        [("c0", f"positive ({rows.label})"), ("c1 dashed", f"negative ({rows.other})")],
        "How clearly the learners vote for the true class of a row: 1 if all do, below 0 if the "
        "majority is wrong. A prediction by cost can be right with a margin below 0.",
    )
    return section("probabilities", "Probabilities and margins",
                   f'<div class="cards">{first}{_benefit(rows, words)}{margin}</div>')  # fmt: skip


def _benefit(rows: TwoClassPredictions, words: Words) -> str:
    """Decision curve: net benefit at every threshold."""
    legend = [
        ("c0", "this model"),
        ("trivial", words.always(rows.label, True)),
        ("trivial dotted", words.always(rows.other, False)),
    ]
    if threshold_of(rows) is not None:
        legend.append(("now-line", "threshold at these costs"))
    caption = (
        "Positives found minus false alarms, weighed by the threshold, for each row (net benefit, "
        "decision curve). The model is worth using where its line is above the other two."
    )
    picture = drawing.decision(plot_data.decision(rows), threshold_of(rows))
    return figure("Worth at every threshold", picture, legend, caption)


# ---- rounds --------------------------------------------------------------------------------------


def rounds(
    model: Any,
    X: Any,
    rows: TwoClassPredictions,
    style: Style,
    words: Words,
    random_state: Any,
) -> str:
    """Cost after each round, and what the features are worth."""
    held = plot_data.progress(model, X, rows, random_state)
    worth = importances(model, worth_to_two(model, X, rows, random_state), style, words)
    same = boosting_of(model) is model and not rows.per_row and rows.right is None
    model = boosting_of(model)
    best = best_without_model(rows)
    trivial = outcome(rows, without_model(rows)[best]).net_cost / float(rows.weight.sum())
    same = same and tuple(model.model_.costs) == (rows.fn_cost, rows.fp_cost)
    train = np.asarray(model.train_cost_) if same else None
    if train is not None and train.size != held.cost.size:  # not recorded for every round
        train = None
    name = rule_names(rows, words)[best]
    legend = [("c0", "these rows"), ("trivial", name)]
    if train is not None:
        legend.insert(1, ("c1 dashed", "training rows"))
    beyond = "" if rows.right is None else ", beyond the cost of right predictions"
    where = f"on {held.n_rows:,} of them, drawn at random" if held.sampled else "on all of them"
    caption = (
        f"At the costs given, {where}{beyond}. After the last round "
        f"{escape(style.money(float(held.cost[-1]), mean=True))} a row. Do not choose the number "
        "of rounds by it: rows used for a choice are training rows. early_stopping=True chooses it "
        "on rows held out from the training."
    )
    first = figure("Mean cost round by round", drawing.progress(held, train, trivial, name), legend,
                   caption)  # fmt: skip
    return section("rounds", "Training, round by round",
                   f'<div class="cards">{first}{worth}</div>')  # fmt: skip


def importances(model: Any, found: Importance, style: Style, words: Words) -> str:
    """Bar chart of what the features are worth in money; empty if the model uses none."""
    if not found.features.size:
        return ""
    shown = found.features[:MOST_BARS]
    names = plot_data.names(model)
    unit = f" in {escape(style.unit)}" if style.unit else ""
    caption = (
        f"What these {escape(words.rows)} would cost more{unit} if the values of a feature were "
        f"shuffled among them, with {LEVEL} intervals: measured on {plural(found.n_rows, 'row')}, "
        f"over {SHUFFLES} shuffles. Features that say the same "
        "stand in for each other here, and each of them looks worth less than all."
    )
    if found.n_used > len(shown):
        caption += f" The first {len(shown)} of {found.n_used} features that the model uses"
        few = found.n_used > MOST_FEATURES
        caption += f"; {MOST_FEATURES} of them were measured." if few else "."
    picture = drawing.importances([names[j] for j in shown], found.lost[:MOST_BARS], style.unit)
    return figure("What the features are worth", picture, [], caption)


# ---- shapes --------------------------------------------------------------------------------------


def shapes(model: Any, X: Any, rows: TwoClassPredictions, random_state: Any) -> str:
    """Pictures of the effect of each feature on what decides."""
    effects = plot_data.effects(model, X, rows, random_state)
    if not effects.found:
        why = effects.why_none or "the ensemble is a constant"
        return section("shapes", SHAPES, f"<p>No pictures here: {escape(why)}.</p>")
    unit, average = effects.scale.unit, effects.scale.probability
    if effects.exact:
        words = (
            "The score is a sum of one function for each feature, drawn here exactly. Values above "
            "0 favour the positive class, values below 0 the negative one; the mean over these "
            "rows is 0. "
        )
    else:
        words = (
            "In trees features interact, so that the score is not a sum of functions of one "
            "feature. The pictures show the mean score if a feature had a value in all of "
            f"{effects.n_rows} rows (partial dependence), minus its mean. "
        )
    if average is not None:
        words += (
            f"They are in log-odds of the probability of {escape(rows.label)}, which decides: what "
            "the feature adds for a row whose other features are average, which has a probability "
            f"of {share(average)}. "
        )
    words += (
        "The axes range from the 1st to the 99th percentile of these rows; grey bars show their "
        "distribution. Categories are sorted by frequency, and pale if they have fewer than "
        f"{drawing.ENOUGH} rows, too few for a reliable effect."
    )
    names = plot_data.names(model)
    directions = dict(enumerate(model.model_.constraints.directions or ()))
    low = min(float(e.y.min(initial=0.0)) for e in effects.found)
    high = max(float(e.y.max(initial=0.0)) for e in effects.found)
    room = 0.06 * (high - low)
    ends = low - room, high + room
    cards = [
        _shape(e, names[e.feature], ends, k, directions.get(e.feature, 0), unit)
        for k, e in enumerate(effects.found)
    ]
    more = ""
    if len(cards) > FIRST_SHAPES:
        rest = f'<div class="cards shapes">{"".join(cards[FIRST_SHAPES:])}</div>'
        summary = f"<summary>{len(cards) - FIRST_SHAPES} more features</summary>"
        more = f"<details>{summary}{rest}</details>"
    left = effects.n_features - len(cards)
    note = f'<p class="soft">{plural(left, "feature")} of less weight left out.</p>' if left else ""
    first = f'<div class="cards shapes">{"".join(cards[:FIRST_SHAPES])}</div>'
    return section("shapes", SHAPES, f"<p>{words}</p>", first, more, note)


def _shape(
    effect: plot_data.Effect,
    name: str,
    reach: tuple[float, float],
    k: int,
    direction: int,
    unit: str,
) -> str:
    picture = drawing.shape(effect, name, reach, f"shape-{k}", unit)
    caption = f"changes the {unit} by up to {short(float(f'{effect.range:.3g}'))}"
    if effect.missing is not None:
        caption += f"; a missing value adds {short(float(f'{effect.missing:.3g}'))}"
    if direction:
        caption += f"; never {'falls' if direction > 0 else 'rises'}, by constraint"
    if isinstance(effect.x, list) and len(effect.x) > drawing.MOST_CATEGORIES:
        most = drawing.MOST_CATEGORIES
        caption += f"; the {most} most frequent of {len(effect.x)} categories"
    return figure(name, picture, [], caption)


def origin(
    model: Any, rows: TwoClassPredictions, style: Style, known: Provenance, cautions: Cautions
) -> str:
    """Section on the rows, the costs and the classifier."""
    about = measured(model, rows, style, known, cautions) + training(model, rows, known.trained_on)
    return section("origin", ORIGIN, f'<div class="cards">{about}</div>')


def training(model: Any, rows: TwoClassPredictions, trained_on: Mapping[str, Any]) -> str:
    """The classifier, its settings, and the caller's description of the data."""
    around, model = model, boosting_of(model)
    outer = {} if around is model else {type(around).__name__: settings(around)}
    mine: dict[str, Any] = (
        outer
        | _goal(around, rows)
        | {
            "classifier": type(model).__name__,
            "settings": settings(model),
            "weak learner": learners(model),
            "rounds": f"{model.n_iter_} ({model.stop_reason_})",
            "calibration": model.calibration or "none",
            "features": model.n_features_in_,
            "share of positives in training": share(model.model_.prior),
            "costs in training": _training_costs(model),
        }
        | constraints(model)
    )
    if _example_costs(model):
        mine["costs in training"] += " (means over rows)"
    return f'<div class="card"><h3>Trained</h3>{facts({**trained_on, **mine})}</div>'


def learners(model: Any) -> str:
    """The weak learner, or those of an average and their shares in the score."""
    shares = {name: part for name, part in (model.model_.shares or {}).items() if part > 0}
    if len(shares) < 2:
        return str(next(iter(shares), model.model_.learner))
    parts = sorted(shares.items(), key=lambda one: -one[1])
    return f"average of {', '.join(f'{name} {share(part)}' for name, part in parts)}"


def constraints(model: Any) -> dict[str, str]:
    """The constraints that training kept to, as facts."""
    words = {
        "increasing": "probability never falls with",
        "decreasing": "probability never rises with",
        "interactions": "interactions",
    }
    found = model.model_.constraints.described(plot_data.names(model))
    return {words[kind]: text for kind, text in found.items()}


def _goal(model: Any, rows: TwoClassPredictions) -> dict[str, Any]:
    """The goal of the threshold, and its value on the rows."""
    aim, aiming = goal_result(model, rows), goal_model(model)
    if aim is None or aiming is None:
        return {}
    low, high = aiming.interval_
    sure = "" if np.isnan(low) else f" ({INTERVAL} {short(low)} to {short(high)})"
    where = "in cross-validation"
    if aiming.guarantee is not None:
        where, sure = "on the rows held out for the guarantee", ""
    return {
        "goal": str(goal_of(aiming)),
        where: f"{short(aiming.achieved_)}{sure}",
        "goal here": f"{'met' if aim.met else 'missed'}: {goal_words(aim)}",
    }


def _training_costs(model: Any) -> str:
    """Costs of training, means over rows if each row had its own."""
    costs = model.model_.stated_costs
    text = f"miss {short(costs.fn_cost)}, false alarm {short(costs.fp_cost)}"
    if costs.right is None:
        return text
    return f"{text}, hit {short(costs.tp_cost)}, right negative {short(costs.tn_cost)}"


def _example_costs(model: Any) -> bool:
    if model.costs is not None:
        return bool(model.model_.row_costs)
    own = (model.fn_cost - model.tp_cost, model.fp_cost - model.tn_cost)
    return tuple(model.model_.costs) != own


def settings(model: Any, leave_out: Collection[str] = ()) -> str:
    """Parameters that differ from the defaults."""
    known = inspect.signature(type(model)).parameters
    own = {k: v for k, v in model.get_params(deep=False).items() if k not in leave_out}
    changed = [f"{k}={v!r}" for k, v in own.items() if repr(v) != repr(known[k].default)]
    return ", ".join(changed) or "all defaults"


def measured_heading(cautions: Cautions) -> str:
    """Heading of the card on the rows."""
    return "Held out" if cautions.held_out else "Measured on"


def measured(
    model: Any, rows: TwoClassPredictions, style: Style, known: Provenance, cautions: Cautions
) -> str:
    """The rows on which the numbers were measured, their costs, date and version."""
    positives = float(rows.weight[rows.positive].sum())
    total = float(rows.weight.sum())
    weighted = not np.all(rows.weight == 1)
    pairs: dict[str, Any] = {
        "rows": plural(rows.positive.size, "row"),
        "positive class": f"{rows.label} (the other one: {rows.other})",
        "positives": f"{number(positives, style.rows)}, {share(positives / total)}",
        "cost of a miss": _cost(rows, "fn_cost", rows.stated[0], style),
        "cost of a false alarm": _cost(rows, "fp_cost", rows.stated[1], style),
        **_right_costs(rows, style),
        "cost of being wrong on every row": style.money(rows.greatest_cost),
        "model": type(model).__name__,
    }
    if weighted:
        pairs["sample weights"] = f"add up to {number(total, 2)}; all counts are sums of weights"
    return (
        f'<div class="card"><h3>{measured_heading(cautions)}</h3>{facts(known.around(pairs))}</div>'
    )


def _right_costs(rows: TwoClassPredictions, style: Style) -> dict[str, str]:
    if rows.right is None:
        return {}
    tp, tn = rows.right
    return {
        "cost of a hit": _cost(rows, "tp_cost", tp, style),
        "cost of a right negative": _cost(rows, "tn_cost", tn, style),
        "cost of right predictions of all rows": style.money(rows.right_cost),
    }


def cost_of_outcome(rows: TwoClassPredictions, name: str, cost: Any, style: Style) -> str:
    """Format a cost as it was given, with its unit; a range if it is uncertain."""
    if name not in rows.ranges or rows.per_row:
        return cost_text(rows, cost, style)
    found = rows.ranges[name]
    unit = f" {style.unit}" if style.unit else ""
    ends = (found.low, found.high, found.mean)
    low, high, mean = (number(float(one), style.mean) for one in ends)
    return f"{low} to {high}{unit} ({mean} on average)"


def _cost(rows: TwoClassPredictions, name: str, cost: Any, style: Style) -> str:
    """Cost of an outcome over the rows of its class."""
    found = rows.ranges.get(name, CostRange(cost, cost, cost))
    kinds = ["uncertain"] if name in rows.ranges else []
    if np.ndim(cost):
        kinds.append("differs by row")
    if not kinds:
        return style.money(float(cost), mean=True)
    of = rows.positive == (name in ("fn_cost", "tp_cost"))
    low, mean, high = (np.broadcast_to(end, of.shape)[of] for end in (found.low, cost, found.high))
    ends = (low.min(), high.max(), mean.mean())
    least, most, middle = (style.money(float(v), mean=True) for v in ends)
    return f"{', '.join(kinds)}: {least} to {most}, {middle} on average"


# ---- the order of the scores ---------------------------------------------------------------------

HEADING = "AUC, Gini, KS and score bands"
N_BANDS = 10


def ranking(rows: TwoClassPredictions, style: Style, words: Words) -> str:
    """Collapsed section with the measures and the table of the bands."""
    truth = rows.positive.astype(int)
    options = {"sample_weight": rows.weight}
    gini = gini_score(truth, rows.probability, **options)
    ks = ks_score(truth, rows.probability, **options)
    items = {
        "AUC": f"{number((gini + 1) / 2, 4)}<small>share of pairs in the right order</small>",
        "Gini": f"{number(gini, 4)}<small>2 AUC − 1</small>",
        "KS": f"{number(ks, 4)}<small>greatest distance of the shares of the classes</small>",
    }
    words_before = (
        "<p>These measures look at the order of the rows by probability only, and not at costs: a "
        "model with a greater AUC can cost more.</p>"
    )
    inside = f"{words_before}{big(items)}{_bands(rows, style, words)}"
    return section(
        "ranking",
        "Order of the scores",
        f'<details class="card"><summary>{HEADING}</summary>{inside}</details>',
    )


def _bands(rows: TwoClassPredictions, style: Style, words: Words) -> str:
    """Table of bands of the probability, the lowest first."""
    p, weight = rows.probability, rows.weight
    found = score_bands(rows.positive.astype(int), p, n_bands=N_BANDS, sample_weight=weight)
    band = np.searchsorted(found.low, p, side="right") - 1
    negative = np.bincount(band, weight * ~rows.predicted, found.low.size) / found.weight
    table_rows = [
        f'<tr><th scope="row">{number(found.low[k], 4)} to {number(found.high[k], 4)}</th>'
        f"<td>{number(found.weight[k], style.rows)}</td>"
        f"<td>{number(found.positives[k], style.rows)}</td><td>{share(found.event_rate[k])}</td>"
        f"<td>{share(negative[k])}</td><td>{share(found.approval_rate[k])}</td>"
        f"<td>{share(found.approved_event_rate[k])}</td></tr>"
        for k in range(found.low.size)
    ]
    caption = (
        "About equally many rows in each band. Event rate: share of positives. Approval rate: "
        "share of all rows in this band and those above it in the table"
    )
    approved = "predicted negative" if words.actions is None else words.actions[0]
    head = [words.rows, "positives", "event rate", f"{approved}, at the costs given",
            "approval rate", "event rate of the approved"]  # fmt: skip
    return table("Score bands", caption, head, table_rows, "probability")
