"""sun2005: AdaC1, AdaC2 and AdaC3 on four medical data sets with a rare class.

The claims are those of Sun, Wong & Wang (2005).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedKFold

from costboost import algorithms
from costboost.app.plots.drawing import GREY, style
from costboost_lab.arrays import Floats
from costboost_lab.studies import (
    Cell,
    Check,
    Departure,
    Figure,
    Frame,
    Options,
    Record,
    Study,
    Table,
    Verdict,
    paper_table,
    read_claims,
)
from costboost_lab.studies.statistics import (
    Labels,
    all_of,
    class_measures,
    fit_quietly,
    load_problem,
    reproduced_if,
    unjudged,
    verdict_numeric,
    verdict_ordinal,
    where_all_agree,
)

# ---- methods, costs and cells --------------------------------------------------------------------

DATA = ("breast_cancer_ljubljana", "hypothyroid", "pima", "sick_euthyroid")
LEARNERS = ("stump", "tree")
RATIOS = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)
"""Costs of a false positive; a false negative costs 1."""
STAGES = (1, 5, 10, 20, 50)
"""Numbers of rounds after which an ensemble is measured."""
N_FOLDS = 5
N_REPEATS = 10


class Method(NamedTuple):
    """An algorithm of the comparison."""

    algorithm: str
    parameters: Mapping[str, Any] = MappingProxyType({})
    """Besides costs and base learner."""
    has_costs: bool = True


AS_PRINTED = MappingProxyType({"initial_weights": "uniform"})
"""The paper starts its algorithms with equal weights."""
METHODS = {
    "AdaBoost": Method("AdaBoost", has_costs=False),
    "AdaC1": Method("AdaC1", AS_PRINTED),
    "AdaC2": Method("AdaC2", AS_PRINTED),
    "AdaC3": Method("AdaC3", AS_PRINTED),
    "AdaCost": Method("AdaCost", {"max_cost": 1.0}),
    "AdaCost (0.5)": Method("AdaCost", {"max_cost": 0.5}),
    "CSB1": Method("CSB1"),
    "CSB2": Method("CSB2"),
}


class Formulas(NamedTuple):
    """Where the paper puts the cost c of a row."""

    in_exponent: bool
    """The weights of equations 5 and 7, exp(-c y F), instead of exp(-y F)."""
    as_factor: bool
    """The weights of equations 6 and 7: a factor c in every round."""


FORMULAS = {
    "AdaC1": Formulas(in_exponent=True, as_factor=False),
    "AdaC2": Formulas(in_exponent=False, as_factor=True),
    "AdaC3": Formulas(in_exponent=True, as_factor=True),
}
RANDOM = "random problems"
N_RANDOM, N_QUICK = 40, 5
"""Numbers of random problems on which formulas are checked, in full and in quick studies."""


def cells(options: Options) -> list[Cell]:
    """Formulas on random problems, then every repeat with all data sets, learners and methods."""
    quick = options.quick
    data = tuple(options.data) or (STUDY.quick_data if quick else DATA)
    repeats = options.repeats or (2 if quick else N_REPEATS)
    learners = (options.learner,) if options.learner else LEARNERS
    checks: list[Cell] = [
        {"part": "formulas", "data": RANDOM, "learner": "stump", "method": method, "repeat": k}
        for k in range(N_QUICK if quick else N_RANDOM)
        for method in (*FORMULAS, "AdaCost")
    ]
    part = "quick" if quick else "table"
    return checks + [
        {"part": part, "data": name, "learner": learner, "method": method, "repeat": repeat}
        for repeat in range(repeats)
        for name in data
        for learner in learners
        for method in METHODS
    ]


def compute(cell: Cell, seed: int) -> list[Record]:
    """Measures of one method in one repeat, or deviations from formulas on a random problem."""
    method = str(cell["method"])
    if cell["part"] == "formulas":
        return [deviations(method, seed)]
    data, learner = str(cell["data"]), str(cell["learner"])
    ratios = RATIOS[:7:3] if cell["part"] == "quick" else RATIOS
    stages = STAGES[:3] if cell["part"] == "quick" else STAGES
    problem = load_problem(data)
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed % 2**32)
    splits = list(folds.split(problem.X, problem.y))
    share = float(problem.y.mean())
    records: list[Record] = []
    for fp_cost in ratios if METHODS[method].has_costs else ratios[:1]:
        predicted = np.zeros((len(stages), len(problem.y)), dtype=np.int64)
        by_fold, learners = [], []
        for train, test in splits:
            clf = classifier(method, learner, stages[-1], fp_cost, problem.categorical)
            fit_quietly(clf, problem.X[train], problem.y[train])
            learners.append(clf.n_iter_)
            after = list(clf.staged_predict(problem.X[test]))
            predicted[:, test] = [after[min(stage, len(after)) - 1] for stage in stages]
            by_fold.append([class_measures(problem.y[test], row) for row in predicted[:, test]])
        for k, rounds in enumerate(stages):
            f_of_folds = float(np.mean([fold[k]["f_measure"] for fold in by_fold]))
            found = class_measures(problem.y, predicted[k])
            records.append(
                {
                    "fp_cost": fp_cost,
                    "rounds": rounds,
                    **found,
                    "f_of_folds": f_of_folds,
                    "learners": float(np.minimum(learners, rounds).mean()),
                    "positive_share": share,
                }
            )
    return records


def classifier(
    method: str, learner: str, rounds: int, fp_cost: float, categorical: list[int]
) -> Any:
    """An unfitted classifier; a false negative costs 1."""
    chosen = METHODS[method]
    costs = {"fn_cost": 1.0, "fp_cost": fp_cost} if chosen.has_costs else {}
    return getattr(algorithms, f"{chosen.algorithm}Classifier")(
        estimator=learner,
        n_estimators=rounds,
        categorical_features=categorical or None,
        n_jobs=1,
        **costs,
        **chosen.parameters,
    )


# ---- formulas of section 3 -----------------------------------------------------------------------


def deviations(method: str, seed: int) -> Record:
    """Deviations of an algorithm from the paper's formulas on a small random problem."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(60, 3)).round(1)
    y = (X[:, 0] + random.normal(size=60) > 0.3).astype(np.int64)
    fp_cost = float(random.uniform(0.1, 0.6))
    equal = fit_quietly(classifier(method, "stump", 8, 1.0, []), X, y)
    blind = fit_quietly(classifier("AdaBoost", "stump", 8, 1.0, []), X, y)
    keeping = classifier(method, "stump", 8, fp_cost, []).set_params(negative_step="keep")
    clf = fit_quietly(keeping, X, y)
    found: dict[str, float] = {"unit_cost_deviation": _greatest_difference(equal, blind, X)}
    formulas = FORMULAS.get(method)
    if formulas is not None:
        found |= _steps(clf, formulas, X, y, np.where(y == 1, 1.0, fp_cost))
        if formulas.in_exponent:
            found |= _bound_excess(random)
    return found


def _greatest_difference(one: Any, other: Any, X: Floats) -> float:
    """Greatest difference of two classifiers' scores, after the rounds that both have."""
    pairs = zip(one.staged_raw_score(X), other.staged_raw_score(X), strict=False)
    greatest = max(float(np.abs(a - b).max()) for a, b in pairs)
    return greatest if one.n_iter_ == other.n_iter_ else max(greatest, 1.0)


def _steps(clf: Any, formulas: Formulas, X: Floats, y: Labels, cost: Floats) -> dict[str, float]:
    """Deviation of steps from equations 11, 17 and 22, and steps against conditions 12, 18, 23."""
    sign = 2 * y - 1
    factor = cost if formulas.as_factor else np.ones_like(cost)
    inside = cost if formulas.in_exponent else np.ones_like(cost)
    before = np.zeros(len(y))
    deviation, against, negative = 0.0, 0, 0
    for t, (score, step) in enumerate(
        zip(clf.staged_raw_score(X), clf.estimator_weights_, strict=True)
    ):
        weight = factor**t * np.exp(-inside * sign * before)
        weight /= weight.sum()
        right = np.sign(sign * (score - before) * step)
        edge = float((weight * factor * inside * right).sum())
        total = float((weight * factor).sum())
        expected = 0.5 * np.log((total + edge) / (total - edge))
        deviation = max(deviation, abs(float(expected) - float(step)))
        against += int((step > 0) != (edge > 0))
        negative += int(step < 0)
        before = score
    return {
        "step_deviation": deviation,
        "steps_against_condition": against,
        "negative_steps": negative,
        "steps": len(clf.estimator_weights_),
    }


def _bound_excess(random: np.random.Generator) -> dict[str, float]:
    """By how much inequality 10 is violated for costs of at most 1, and for costs above 1."""
    right = random.choice([-1.0, 1.0], size=50)
    weight = random.dirichlet(np.ones(50))
    step = float(random.uniform(0.1, 2.0))

    def excess(cost: Floats) -> float:
        exact = (weight * np.exp(-step * cost * right)).sum()
        edge = cost * right
        bound = (weight * ((1 + edge) * np.exp(-step) + (1 - edge) * np.exp(step)) / 2).sum()
        return float(exact - bound)

    return {
        "bound_excess_up_to_1": excess(random.uniform(0, 1, size=50)),
        "bound_excess_above_1": excess(random.uniform(1.5, 3, size=50)),
    }


# ---- results -------------------------------------------------------------------------------------

ROUNDS = 10
"""Number of rounds that the claims are judged by."""
SINGLE = "single learner"
ORDER = (
    SINGLE, "AdaBoost", "AdaC1", "AdaC2", "AdaC3", "AdaCost", "AdaCost (0.5)", "CSB1", "CSB2",
)  # fmt: skip
COST_BLIND = (SINGLE, "AdaBoost")
PAPER_DATA = {
    "cancer": "breast_cancer_ljubljana",
    "hypothyroid": "hypothyroid",
    "pima": "pima",
    "sick_euthyroid": "sick_euthyroid",
}
PAPER_METHODS = {"HPWR": SINGLE, "AdaCost": "AdaCost"}
AVERAGE = "average"


def measured(frame: Frame, learner: str, rounds: int = ROUNDS) -> Frame:
    """Results of a base learner after a number of rounds; AdaBoost's first round is added."""
    import pandas as pd

    if frame.empty or "rounds" not in frame:
        return pd.DataFrame(
            columns=["data", "method", "repeat", "fp_cost", "precision", "recall", "f_measure"]
        )
    own = frame[(frame["part"] != "formulas") & (frame["learner"] == learner)]
    first = own[(own["method"] == "AdaBoost") & (own["rounds"] == 1)].assign(method=SINGLE)
    return pd.concat([first, own[own["rounds"] == rounds]], ignore_index=True)


def best_of_ratios(found: Frame) -> Frame:
    """Greatest F-measure over unequal costs, in percent, with its ratio, for each repeat.

    Methods without costs have one value. Of equal values the one with the mildest costs is taken.
    """
    blind = found["method"].isin(COST_BLIND)
    own = found[blind | (found["fp_cost"] < 1)]
    own = own.sort_values(
        ["data", "method", "repeat", "fp_cost"], ascending=[True, True, True, False]
    )
    best = own.loc[own.groupby(["data", "method", "repeat"], sort=True)["f_measure"].idxmax()]
    best = best[["data", "method", "repeat", "fp_cost", "f_measure", "precision", "recall"]]
    return best.assign(f_measure=100 * best["f_measure"]).reset_index(drop=True)


def of_other_repeats(found: Frame) -> Frame:
    """F-measure in percent at the unequal ratio that is best on average over the other repeats."""
    import pandas as pd

    own = found[found["method"].isin(COST_BLIND) | (found["fp_cost"] < 1)]
    lines = []
    for (data, method), group in own.groupby(["data", "method"]):
        table = group.pivot_table(index="repeat", columns="fp_cost", values="f_measure").dropna()
        for repeat in table.index:
            others = table.drop(index=repeat)
            if others.empty:
                continue
            ratio = others.mean().iloc[::-1].idxmax()
            value = 100 * table.loc[repeat, ratio]
            lines.append((data, method, repeat, ratio, value))
    return pd.DataFrame(lines, columns=["data", "method", "repeat", "fp_cost", "f_measure"])


def paper_f_measures() -> Frame:
    """Table 1 of the paper: F-measures in percent, a row for each data set and the average."""
    table = paper_table("sun2005-table1")
    table = table[table["quantity"] == "f_measure"].set_index("dataset")
    table = table.drop(columns="quantity").astype(float)
    return table.rename(index=PAPER_DATA, columns=PAPER_METHODS)


def paper_ratios() -> Frame:
    """Table 1 of the paper: cost of a false positive at the best ratio."""
    table = paper_table("sun2005-table1")
    table = table[table["quantity"] == "cost_ratio"].set_index("dataset").drop(columns="quantity")
    costs = table.map(lambda text: float(text.split(":")[1]) if isinstance(text, str) else np.nan)
    return costs.rename(index=PAPER_DATA, columns=PAPER_METHODS)


# ---- tables --------------------------------------------------------------------------------------


def tables(frame: Frame) -> list[Table]:
    """Table 1 for each base learner, the best ratios, other rounds, and ratios chosen elsewhere."""
    made = []
    for learner in _learners(frame):
        found = measured(frame, learner)
        if found.empty:
            continue
        best = best_of_ratios(found)
        made.append(_table_1(best, learner))
        made.append(_ratio_table(best, learner))
    made += _rounds_tables(frame)
    made += _honest_tables(frame)
    return made


def _learners(frame: Frame) -> list[str]:
    if frame.empty or "learner" not in frame:
        return []
    return [str(name) for name in frame[frame["part"] != "formulas"]["learner"].unique()]


def _in_order(table: Frame) -> Frame:
    return table[[name for name in ORDER if name in table.columns]]


def _table_1(best: Frame, learner: str) -> Table:
    means = _in_order(best.pivot_table(index="data", columns="method", values="f_measure"))
    means.loc[AVERAGE] = means.mean()
    printed = paper_f_measures().reindex(index=means.index, columns=means.columns)
    if not set(PAPER_DATA.values()) <= set(means.index):
        printed.loc[AVERAGE] = np.nan
    return Table(
        f"Table 1 with {learner}s: best F-measure of the positive class, in percent",
        _beside(means, printed),
        note=(
            f"Means over repeats, {ROUNDS} rounds, best of the nine unequal cost ratios on the "
            f"folds that are reported. The paper's base learner HPWR is not public: {learner}s "
            f"stand in for it, so that the column of the {SINGLE} compares one {learner} with HPWR."
        ),
        digits=2,
    )


def _beside(ours: Frame, printed: Frame) -> Frame:
    """Our columns, each followed by that of the paper if it printed one."""
    import pandas as pd

    columns = {}
    for name in ours.columns:
        columns[name] = ours[name]
        if printed[name].notna().any():
            columns[f"{name} (paper)"] = printed[name]
    return pd.DataFrame(columns)


def _ratio_table(best: Frame, learner: str) -> Table:
    own = best[~best["method"].isin(COST_BLIND)]
    ratios = _in_order(
        own.pivot_table(index="data", columns="method", values="fp_cost", aggfunc="median")
    )
    printed = paper_ratios().reindex(index=ratios.index, columns=ratios.columns)
    return Table(
        f"Best cost of a false positive with {learner}s (a false negative costs 1)",
        _beside(ratios, printed),
        note="Median over repeats of the ratio with the greatest F-measure.",
        digits=2,
    )


def _rounds_tables(frame: Frame) -> list[Table]:
    import pandas as pd

    made = []
    for learner in _learners(frame):
        columns = {}
        for rounds in sorted({int(n) for n in frame["rounds"].dropna()} - {1}):
            best = best_of_ratios(measured(frame, learner, rounds))
            by_set = best.groupby(["method", "data"])["f_measure"].mean()
            columns[f"{rounds} rounds"] = by_set.groupby("method").mean()
        table = _in_order(pd.DataFrame(columns).T).T
        made.append(
            Table(
                f"Average over the data sets with {learner}s by number of rounds",
                table,
                note="The paper does not state the number of rounds.",
                digits=2,
            )
        )
    return made


def _honest_tables(frame: Frame) -> list[Table]:
    made = []
    for learner in _learners(frame):
        found = of_other_repeats(measured(frame, learner))
        if found.empty:
            continue
        means = _in_order(found.pivot_table(index="data", columns="method", values="f_measure"))
        means.loc[AVERAGE] = means.mean()
        made.append(
            Table(
                f"F-measure with {learner}s if the ratio is chosen on other splits, in percent",
                means,
                note=(
                    "Table 1 reports the best of several tries on the same rows. Here the ratio "
                    "is the one that is best over the other repeats."
                ),
                digits=2,
            )
        )
    return made


# ---- figures -------------------------------------------------------------------------------------


def figures(frame: Frame) -> list[Figure]:
    """F-measure, precision and recall against the cost ratio."""
    made = []
    for learner in _learners(frame):
        found = measured(frame, learner)
        if found.empty:
            continue
        made.append(
            Figure(
                f"F-measure against the cost of a false positive, {learner}s",
                partial(_draw_f_measures, found),
                note=f"Means over repeats, {ROUNDS} rounds. To the left, costs are more unequal.",
                size=(7.0, 5.6),
            )
        )
        made.append(
            Figure(
                f"Precision and recall against the cost of a false positive, AdaC2, {learner}s",
                partial(_draw_trade, found),
                note="Recall rises and precision falls as the positive class gains weight.",
            )
        )
    return made


def _panels(figure: Any, names: list[str]) -> list[tuple[Any, str]]:
    rows = -(-len(names) // 2)
    columns = min(2, len(names))
    axes = np.atleast_1d(figure.subplots(rows, columns, sharex=True)).ravel()
    for ax in axes[len(names) :]:
        ax.set_visible(False)
    return list(zip(axes, names, strict=False))


def _draw_f_measures(found: Frame, figure: Any) -> None:
    figure.set_layout_engine("constrained")
    shown = [n for n in ORDER if n not in COST_BLIND and n in set(found["method"])]
    for ax, data in _panels(figure, sorted(found["data"].unique())):
        own = found[found["data"] == data]
        blind = own[own["method"] == "AdaBoost"]["f_measure"].mean()
        ax.axhline(100 * blind, color=GREY, linewidth=1, label="AdaBoost")
        for k, name in enumerate(shown):
            line = own[own["method"] == name].groupby("fp_cost")["f_measure"].mean()
            ax.plot(line.index, 100 * line, label=name, **style(k))
        ax.set_title(data, fontsize=9)
        if ax.get_subplotspec().is_last_row():
            ax.set_xlabel("cost of a false positive", fontsize=9)
    figure.supylabel("F-measure (%)", fontsize=9)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=8, frameon=False)


def _draw_trade(found: Frame, figure: Any) -> None:
    figure.set_layout_engine("constrained")
    own = found[found["method"] == "AdaC2"]
    ax = figure.subplots()
    for k, (data, group) in enumerate(own.groupby("data")):
        means = group.groupby("fp_cost")[["precision", "recall"]].mean()
        colour = style(k)["color"]
        ax.plot(means.index, means["recall"], color=colour, label=f"{data}, recall")
        ax.plot(means.index, means["precision"], "--", color=colour, label=f"{data}, precision")
    ax.set_xlabel("cost of a false positive")
    ax.set_ylabel("precision, recall")
    figure.legend(loc="outside right upper", fontsize=8, frameon=False)


# ---- the study -----------------------------------------------------------------------------------

STUDY = Study(
    name="sun2005",
    title="AdaC1, AdaC2 and AdaC3 on four medical data sets",
    citation=(
        "Sun, Y., Wong, A. K. C. & Wang, Y. (2005). Parameter inference of cost-sensitive boosting "
        "algorithms. MLDM, 21-30."
    ),
    question=(
        "A rare class is often the important one: the patients who are ill. If mistakes on it cost "
        "more in training, is it recognised better, and which way of putting the costs into "
        "AdaBoost is best?"
    ),
    protocol=(
        "Four medical data sets with 5% to 35% positive rows; the ill patients are the positive "
        "class.",
        "Five-fold cross-validation. A false negative costs 1, and a false positive costs "
        "1, 0.9, ..., 0.1: ten ratios.",
        "Each algorithm is measured by the F-measure of the positive class at the ratio that is "
        "best on the same folds.",
        f"Repeated {N_REPEATS} times with other folds, the same for all algorithms. Intervals are "
        "over these repeats.",
    ),
    departures=(
        Departure(
            "Stumps and trees of depth 3 are the base learners.",
            "The paper's base learner, HPWR, is not public. Both stand-ins are shown; a claim "
            "is only judged if they agree.",
        ),
        Departure(
            "10 rounds, and results after 5, 20 and 50 as well.",
            "The paper does not state the number of rounds. AdaC2 and AdaC3 multiply the weights "
            "by the costs in every round, so that the best ratio depends on it. 10 was chosen "
            "after a look at results of several numbers of rounds.",
        ),
        Departure(
            "The best ratio is chosen among the nine unequal ones.",
            "At 1:1 AdaC1, AdaC2, AdaC3 and CSB2 are AdaBoost and could not do worse than it, but "
            "the paper prints lower figures for AdaC2 and CSB2.",
        ),
        Departure(
            "The F-measure is that of all rows, each predicted by the fold that held it out.",
            "The paper does not state whether it averages over folds. The mean over folds is in "
            "the results as `f_of_folds`.",
        ),
        Departure(
            "Numeric features are not discretised beforehand; missing values are a bin of their "
            "own.",
            "The base learners of the library need no discretisation.",
        ),
        Departure(
            "AdaCost is shown with costs of at most 1, as in the paper, and of at most 0.5.",
            "With a cost of 1, correct predictions of the positive class have no effect on the "
            "weights, and training mostly stops at once. An ensemble without learners predicts "
            "the class with the lower expected cost for all rows.",
        ),
        Departure(
            f"{N_REPEATS} repeats instead of one run.",
            "Without repeats there would be no intervals.",
        ),
    ),
    data=DATA,
    quick_data=("wdbc",),
    cells=cells,
    compute=compute,
    paired_by=("data", "repeat"),
    tables=tables,
    figures=figures,
    learners=LEARNERS,
)


# ---- claims --------------------------------------------------------------------------------------

PAPER_SETS = tuple(PAPER_DATA.values())
CANCER, HYPOTHYROID, PIMA, SICK = PAPER_SETS
NEW = ("AdaC1", "AdaC2", "AdaC3")
OLD = ("AdaCost", "CSB1", "CSB2")
STAND_IN = (
    "most likely the base learner: HPWR, which finds rules over several features, is replaced; the "
    "number of rounds is not stated either"
)
CSB2_ROW = (
    "CSB2 is AdaBoost at 1:1 and changes little near it, so that a best ratio far below AdaBoost "
    "is hard to obtain; costs of at most 1 instead of at least 1 do not change this. The printed "
    "row does not agree with its printed average either"
)


# ---- claims: results in the form that the checks need --------------------------------------------


def each(check: Check) -> Check:
    """A check that is made with each base learner, stumps and trees, which must agree."""

    def whole(frame: Frame) -> Verdict:
        if frame.empty or "learner" not in frame:
            return unjudged("needs results of the study")
        learners = _learners(frame)
        return where_all_agree(learners, lambda name: check(measured(frame, name)), "base learner")

    return whole


def values(best: Frame, method: str, data: str) -> Floats:
    """F-measures in percent, one for each repeat; empty if there are none."""
    own = best[(best["method"] == method) & (best["data"] == data)].sort_values("repeat")
    return np.asarray(own["f_measure"], dtype=np.float64)


def averages(best: Frame, method: str) -> Floats:
    """Average over the four data sets, one for each repeat; empty if a set is missing."""
    columns = [values(best, method, data) for data in PAPER_SETS]
    if not columns[0].size or len({column.size for column in columns}) > 1:
        return np.array([])
    return np.asarray(np.mean(columns, axis=0))


def gain(best: Frame, one: str, other: str, data: str) -> Floats:
    """F-measure of a method minus that of another, one for each repeat."""
    a, b = values(best, one, data), values(best, other, data)
    return a - b if a.size == b.size else np.array([])


def higher(label: str, differences: Floats, reason: str = STAND_IN) -> Verdict:
    """Verdict on the claim that differences of F-measures in percent are positive."""
    return verdict_ordinal(label, differences, "repeat", margin=0.2, digits=2, reason=reason)


def single_run(label: str, found: Floats, paper: float) -> Verdict:
    """Verdict on a number of the paper, which is one run: within 1.96 SD of single runs."""
    spread = 1.96 * float(np.std(found, ddof=1)) if found.size > 2 else 0.0
    return verdict_numeric(label, found, paper, spread, "repeat", digits=2, reason=STAND_IN)


def mostly(label: str, holds: list[bool]) -> Verdict:
    """Verdict on the claim that something holds, from whether it does in each repeat."""
    shares = np.array(holds, dtype=np.float64)
    share = f"{label}: in {int(shares.sum())} of {shares.size} repeats"
    found = verdict_ordinal(label, shares - 0.5, "repeat", reason=STAND_IN)
    return (
        found
        if not shares.size
        else Verdict(found.outcome, share, found.difference, found.interval, found.reason)
    )


# ---- claims: sections 3 and 4 --------------------------------------------------------------------


def on_random_problems(frame: Frame, methods: tuple[str, ...]) -> Frame:
    """Deviations on random problems for some methods."""
    if frame.empty or "part" not in frame:
        return frame
    return frame[(frame["part"] == "formulas") & frame["method"].isin(methods)]


def exactly(label: str, deviation: float, limit: float, n: int) -> Verdict:
    """Verdict on a deviation that should be no more than a limit."""
    outcome = reproduced_if(deviation <= limit)
    text = f"{label}: at most {deviation:.1e} in {n} random problems"
    return Verdict(outcome, text, float(deviation))


def positive_shares(frame: Frame) -> Verdict:
    parts = []
    printed = {CANCER: 29.72, PIMA: 34.90, HYPOTHYROID: 4.77, SICK: 9.26}
    for data, paper in printed.items():
        own = frame[frame["data"] == data] if "positive_share" in frame else frame[:0]
        found = 100 * np.asarray(own["positive_share"][:1]) if len(own) else np.array([])
        if not found.size:
            return unjudged(f"needs results on {data}")
        near = abs(float(found[0]) - paper) <= 0.005
        outcome = reproduced_if(near)
        text = f"{data}: {found[0]:.2f}% against {paper:.2f}%"
        parts.append(Verdict(outcome, text, float(found[0]) - paper))
    return all_of(parts)


def unit_costs(frame: Frame) -> Verdict:
    new, old = on_random_problems(frame, NEW), on_random_problems(frame, ("AdaCost",))
    if not len(new) or not len(old):
        return unjudged("needs random problems")
    same = exactly(
        "scores of AdaC1, AdaC2, AdaC3 minus AdaBoost's",
        new["unit_cost_deviation"].max(), 1e-9, len(new),
    )  # fmt: skip
    least = float(old["unit_cost_deviation"].min())
    outcome = reproduced_if(least > 1e-6)
    differs = Verdict(outcome, f"scores of AdaCost minus AdaBoost's: at least {least:.2g}", least)
    return all_of([same, differs])


def conditions(frame: Frame) -> Verdict:
    own = on_random_problems(frame, NEW)
    if not len(own):
        return unjudged("needs random problems")
    steps, negative = int(own["steps"].sum()), int(own["negative_steps"].sum())
    against = int(own["steps_against_condition"].sum())
    outcome = reproduced_if(against == 0 and negative > 0)
    if against == 0 and negative == 0:
        return unjudged("needs random problems with negative steps")
    text = f"{against} of {steps} steps, {negative} of them negative, contradict the condition"
    signs = Verdict(outcome, text, float(against))
    limit = exactly("steps minus equations 11, 17, 22", own["step_deviation"].max(), 1e-6, len(own))
    return all_of([signs, limit])


def bound(frame: Frame) -> Verdict:
    own = on_random_problems(frame, ("AdaC1", "AdaC3"))
    if not len(own):
        return unjudged("needs random problems")
    inside = float(own["bound_excess_up_to_1"].max())
    beyond = float((own["bound_excess_above_1"] > 0).mean())
    outcome = reproduced_if(inside <= 1e-12 and beyond > 0)
    text = (
        f"costs up to 1: left side minus right side at most {inside:.2g}; costs above 1: the "
        f"bound fails in {100 * beyond:.0f}% of {len(own)} random problems"
    )
    return Verdict(outcome, text, inside)


# ---- claims: Table 1 -----------------------------------------------------------------------------


def average_numbers(found: Frame) -> Verdict:
    best, printed = best_of_ratios(found), paper_f_measures().loc[AVERAGE]
    names = ("AdaC3", "AdaC1", "AdaC2", "AdaBoost", "CSB1")
    return all_of([single_run(n, averages(best, n), float(printed[n])) for n in names])


def best_average(found: Frame) -> Verdict:
    return _first(best_of_ratios(found))


def superior(found: Frame) -> Verdict:
    return _first(of_other_repeats(found))


def _first(best: Frame) -> Verdict:
    """Verdict on the claim that AdaC3 has the greatest average of all."""
    own = averages(best, "AdaC3")
    others = ("AdaBoost", "AdaC1", "AdaC2", *OLD)
    return all_of([_ahead(own, averages(best, n), f"average of AdaC3 minus {n}") for n in others])


def _ahead(one: Floats, other: Floats, label: str) -> Verdict:
    return higher(label, one - other if one.size == other.size else np.array([]))


def best_by_set(found: Frame) -> Verdict:
    best = best_of_ratios(found)
    claimed = {CANCER: "AdaC3", PIMA: "AdaC3", HYPOTHYROID: "AdaC2", SICK: "AdaCost"}
    parts = []
    for data, winner in claimed.items():
        rest = [n for n in ("AdaBoost", *NEW, *OLD) if n != winner]
        others = [values(best, n, data) for n in rest]
        own = values(best, winner, data)
        same = own.size and all(o.size == own.size for o in others)
        ahead = own - np.max(others, axis=0) if same else np.array([])
        parts.append(higher(f"{data}: {winner} minus the best other", ahead))
    return all_of(parts)


def beats_adaboost(found: Frame) -> Verdict:
    best = best_of_ratios(found)
    return all_of(
        [
            higher(f"{data}: {name} minus AdaBoost", gain(best, name, "AdaBoost", data))
            for name in ("AdaC1", "AdaC3")
            for data in PAPER_SETS
        ]
    )


def adac2_and_adaboost(found: Frame) -> Verdict:
    best = best_of_ratios(found)
    parts = [
        higher(f"{data}: AdaC2 minus AdaBoost", gain(best, "AdaC2", "AdaBoost", data))
        for data in (CANCER, HYPOTHYROID, PIMA)
    ]
    sick = higher(f"{SICK}: AdaBoost minus AdaC2", -gain(best, "AdaC2", "AdaBoost", SICK))
    return all_of([*parts, sick])


def gains(found: Frame) -> Verdict:
    best, printed = best_of_ratios(found), paper_f_measures()
    return all_of(
        [
            single_run(
                f"{data}: AdaC3 minus AdaBoost",
                gain(best, "AdaC3", "AdaBoost", data),
                float(printed.loc[data, "AdaC3"] - printed.loc[data, "AdaBoost"]),
            )
            for data in (CANCER, PIMA, SICK, HYPOTHYROID)
        ]
    )


def greatest_gain(found: Frame) -> Verdict:
    best = best_of_ratios(found)
    base = [values(best, "AdaBoost", data) for data in PAPER_SETS]
    gained = [gain(best, "AdaC3", "AdaBoost", data) for data in PAPER_SETS]
    if not base[0].size or len({g.size for g in gained} | {b.size for b in base}) > 1:
        return unjudged("needs AdaBoost and AdaC3 on all four sets")
    holds = np.argmin(base, axis=0) == np.argmax(gained, axis=0)
    return mostly("the set of AdaBoost's least F has AdaC3's greatest gain", holds.tolist())


def single_learner(found: Frame) -> Verdict:
    best = best_of_ratios(found)
    label = "AdaBoost minus the single learner"
    parts = [
        higher(f"{data}: {label}", gain(best, "AdaBoost", SINGLE, data))
        for data in (CANCER, HYPOTHYROID, SICK)
    ]
    pima = higher(
        f"{PIMA}: the single learner minus AdaBoost", gain(best, SINGLE, "AdaBoost", PIMA)
    )
    return all_of([*parts, pima])


def best_ratios(found: Frame, sets: tuple[str, str], low: float, high: float) -> Verdict:
    best = best_of_ratios(found)
    parts = []
    for data in sets:
        for name in NEW:
            own = best[(best["data"] == data) & (best["method"] == name)]["fp_cost"]
            holds = [low - 1e-9 <= cost <= high + 1e-9 for cost in own]
            parts.append(mostly(f"{data}, {name}: best ratio from 1:{low:g} to 1:{high:g}", holds))
    return all_of(parts)


def csb2_below(found: Frame) -> Verdict:
    best = best_of_ratios(found)
    parts = [
        higher(
            f"{data}: AdaBoost minus CSB2, beyond {least:g}",
            -gain(best, "CSB2", "AdaBoost", data) - least,
            CSB2_ROW,
        )
        for data, least in ((PIMA, 0.0), (HYPOTHYROID, 12.0), (SICK, 12.0))
    ]
    return all_of(parts)


def trade_off(found: Frame) -> Verdict:
    parts = []
    own = found[found["method"].isin(NEW) & found["data"].isin(PAPER_SETS)]
    for (data, name), group in own.groupby(["data", "method"]):
        by_ratio = {
            what: group.pivot_table(index="repeat", columns="fp_cost", values=what).dropna()
            for what in ("precision", "recall", "f_measure")
        }
        f = by_ratio["f_measure"]
        if len(f) < 2 or not {1.0, 0.9, 0.1} <= set(f.columns):
            return unjudged("needs all ratios in two repeats")
        label = f"{data}, {name}"
        rise = 100 * (by_ratio["recall"][0.1] - by_ratio["recall"][0.9])
        fall = 100 * (by_ratio["precision"][0.9] - by_ratio["precision"][0.1])
        parts.append(higher(f"{label}: recall at 1:0.1 minus 1:0.9", rise.to_numpy()))
        parts.append(higher(f"{label}: precision at 1:0.9 minus 1:0.1", fall.to_numpy()))
        inner = of_other_repeats(group)["f_measure"].to_numpy()
        ends = 100 * f[[1.0, 0.1]].max(axis=1).to_numpy()
        parts.append(higher(f"{label}: F at the inner ratio minus F at the ends", inner - ends))
    return all_of(parts) if parts else unjudged("needs results on the four sets")


def csb_not_satisfactory(found: Frame) -> Verdict:
    best = best_of_ratios(found)
    return all_of(
        [
            _ahead(averages(best, new), averages(best, old), f"average of {new} minus {old}")
            for old in ("CSB1", "CSB2")
            for new in NEW
        ]
    )


def adacost_between(found: Frame) -> Verdict:
    best = best_of_ratios(found)
    cost, ada = averages(best, "AdaCost"), averages(best, "AdaBoost")
    return all_of(
        [
            _ahead(cost, ada, "average of AdaCost minus AdaBoost"),
            *(_ahead(averages(best, n), cost, f"average of {n} minus AdaCost") for n in NEW),
        ]
    )


def search_bonus(found: Frame) -> Verdict:
    best, chosen = best_of_ratios(found), of_other_repeats(found)
    parts = []
    for name in NEW:
        a, b = averages(best, name), averages(chosen, name)
        parts.append(_ahead(a, b, f"{name}: best on the reported folds minus chosen elsewhere"))
    return all_of(parts)


# ---- claims: the paper's own figures -------------------------------------------------------------


def printed_averages(frame: Frame) -> Verdict:
    printed = paper_f_measures()
    differ = (printed.loc[AVERAGE] - printed.drop(index=AVERAGE).mean()).round(2)
    wrong = sorted(differ[differ.abs() > 0.011].index)
    outcome = reproduced_if(wrong == ["AdaCost", "CSB2"])
    text = ", ".join(f"{name} {differ[name]:+.2f}" for name in wrong)
    return Verdict(outcome, f"printed average minus that of the rows: {text}")


def printed_maxima(frame: Frame) -> Verdict:
    printed = paper_f_measures().drop(index=AVERAGE)
    blind = printed["AdaBoost"]
    below = [
        f"{name} on {data} ({printed.loc[data, name]:.2f})"
        for name in (*NEW, "CSB2")
        for data in printed.index
        if printed.loc[data, name] < blind[data]
    ]
    outcome = reproduced_if(bool(below))
    return Verdict(outcome, f"printed below AdaBoost: {', '.join(below)}", float(len(below)))


def printed_wins(frame: Frame) -> Verdict:
    printed = paper_f_measures().drop(index=AVERAGE)
    wins = printed.idxmax(axis=1).value_counts().to_dict()
    outcome = reproduced_if(wins == {"AdaC3": 2, "AdaC2": 1, "AdaCost": 1})
    return Verdict(outcome, ", ".join(f"{name} {n}" for name, n in wins.items()))


CHECKS: dict[str, Check] = {
    "S01": positive_shares,
    "S02": unit_costs,
    "S03": conditions,
    "S04": bound,
    "S05": each(average_numbers),
    "S06": each(best_average),
    "S07": each(best_by_set),
    "S08": each(beats_adaboost),
    "S09": each(adac2_and_adaboost),
    "S10": each(gains),
    "S11": each(greatest_gain),
    "S12": each(single_learner),
    "S13": each(partial(best_ratios, sets=(HYPOTHYROID, SICK), low=0.8, high=0.9)),
    "S14": each(partial(best_ratios, sets=(CANCER, PIMA), low=0.5, high=0.7)),
    "S15": each(csb2_below),
    "S16": each(trade_off),
    "S17": printed_averages,
    "S18": printed_maxima,
    "S19": each(search_bonus),
    "S20": each(superior),
    "S21": each(csb_not_satisfactory),
    "S22": each(adacost_between),
    "S23": printed_wins,
}
CLAIMS = read_claims("Sun et al. 2005", "sun2005", CHECKS)
