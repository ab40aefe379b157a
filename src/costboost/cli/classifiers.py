"""Classifiers from options, the progress of their training, and ``compare``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from costboost.classifiers.base import BoostingClassifier, alternatives_of, rule_of_several
from costboost.cli import console
from costboost.cli.catalogue import classifier_class, name_of
from costboost.cli.layouts import Layout
from costboost.cli.problems import TrainingData
from costboost.cli.values import ProblemOptions
from costboost.comparing import Comparison, Estimate
from costboost.decisions import OperatingPointClassifier
from costboost.loop import listening
from costboost.reading.errors import InputError, unknown
from costboost.training.splitting import FOLDS


def make_classifier(
    name: str,
    layout: Layout,
    *,
    seed: int,
    jobs: int | None = None,
    rounds: int | None = None,
    clip_costs: float | None = None,
    constrained: ProblemOptions | None = None,
) -> Any:
    """An unfitted classifier for files of this layout."""
    cls = classifier_class(name)
    settings: dict[str, Any] = {"random_state": seed, "n_jobs": jobs}
    if constrained is not None:
        settings |= _constraints(constrained, layout, cls)
    if rounds is not None:
        settings["n_estimators"] = rounds
    if layout.multiclass:
        if clip_costs is not None:
            raise InputError("--clip-costs is for costs of rows, which --cost-matrix has none of")
        return cls(**layout.cost_parameters({}), **settings)
    if clip_costs is not None:
        settings["clip_costs"] = clip_costs
    numbers = {key: cost for key, cost in layout.cells.items() if not isinstance(cost, str)}
    return cls(pos_label=layout.label, **numbers, **settings)


NAMED_INTERACTIONS = {"none": "no_interactions", "pairwise": "pairwise"}


def _constraints(options: ProblemOptions, layout: Layout, cls: Any) -> dict[str, Any]:
    """The parameters for --increasing, --decreasing and --interactions, if any is given."""
    both = sorted({*options.increasing} & {*options.decreasing})
    if both:
        raise InputError(f"column {both[0]!r} is named in --increasing and in --decreasing")
    directed = dict.fromkeys(options.increasing, 1) | dict.fromkeys(options.decreasing, -1)
    named = [one for one in options.interactions if one in NAMED_INTERACTIONS]
    if named and len(options.interactions) > 1:
        raise InputError(f"--interactions {named[0]} cannot be given with other ones")
    groups = [[one.strip() for one in text.split(",")] for text in options.interactions]
    features = [column.name for column in layout.columns]
    for column in (*directed, *(one for group in groups if not named for one in group)):
        if column not in features:
            raise unknown("feature", column, features)
    found: dict[str, Any] = {}
    if directed:
        found["monotonic_cst"] = directed
    if groups:
        found["interaction_cst"] = NAMED_INTERACTIONS[named[0]] if named else groups
    if found and not issubclass(cls, BoostingClassifier):
        raise InputError(f"{cls.__name__} takes no constraints; CostBoost does")
    return found


def make_goal_classifier(
    layout: Layout,
    goal: tuple[tuple[str, str], float],
    surety: dict[str, Any],
    algorithm: str,
    settings: dict[str, Any],
) -> Any:
    """An unfitted classifier that will meet the goal, given as a target, a bound and its value.

    ``surety`` has the margin or the guarantee of the goal.
    """
    if layout.multiclass:
        raise InputError(
            f"a goal is one of two classes, but {layout.target!r} has {len(layout.classes)}: "
            f"--positive {layout.classes[-1]!r} would set that one against the rest"
        )
    if layout.cost_columns:
        raise InputError("a goal is met by one threshold for all rows: give costs as numbers")
    (target, bound), value = goal
    bounds: dict[str, Any] = {bound: value, **surety}
    costs: dict[str, Any] = {name: float(cost) for name, cost in layout.cells.items()}
    return OperatingPointClassifier(
        make_classifier(algorithm, layout, **settings),
        target=target,
        **costs,
        pos_label=layout.label,
        random_state=settings["seed"],
        **bounds,
    )


# ---- progress ------------------------------------------------------------------------------------

MAX_SHOWN = 0.99
"""Share that a progress bar shows at most until everything is trained."""


@contextmanager
def training_progress(models: Sequence[Any], y: Any, text: str, n_fits: int = 1) -> Iterator[None]:
    """Show a progress bar while each of the models is fitted ``n_fits`` times."""
    with console.progress_bar(text) as update:
        if update is None:
            yield
            return
        n_classes = len(np.unique(y))
        n_ensembles = n_fits * sum(count_ensembles(model, n_classes) for model in models)
        with _reporting_rounds(models), listening(RoundListener(update, n_ensembles)):
            yield


class RoundListener:
    """Converts rounds of one ensemble after the other into the share of all rounds done."""

    def __init__(self, update: Callable[[float], None], n_ensembles: int) -> None:
        self.update, self.n_ensembles, self.n_begun = update, n_ensembles, 0

    def __call__(self, n_done: int, n_rounds: int) -> None:
        self.n_begun += n_done == 1
        share = (self.n_begun - 1 + n_done / n_rounds) / self.n_ensembles
        self.update(min(share, MAX_SHOWN))


def count_ensembles(model: Any, n_classes: int) -> int:
    """The number of ensembles that a fit trains, if none stops early."""
    if not isinstance(model, BoostingClassifier):
        inner = getattr(model, "estimator", None)  # of a goal: folds, and all rows
        if not isinstance(inner, BoostingClassifier):
            return 1
        n_fits = FOLDS + 1 if getattr(model, "guarantee", None) is None else 1
        return n_fits * count_ensembles(inner, n_classes)
    choices = alternatives_of(model)
    folds = 0 if model.calibration is None else choices * FOLDS
    one_vs_rest = n_classes > 2 and rule_of_several(model) is None
    return (folds + (choices == 1 or not folds)) * (n_classes if one_vs_rest else 1)


@contextmanager
def _reporting_rounds(models: Sequence[Any]) -> Iterator[None]:
    """Set ``verbose`` of methods with their own loop: they report rounds only then."""
    others = [model for model in models if not isinstance(model, BoostingClassifier)]
    others = [model for model in others if "verbose" in model.get_params(deep=False)]
    for model in others:
        model.verbose = 1
    try:
        yield
    finally:
        for model in others:
            model.verbose = 0


# ---- comparison ----------------------------------------------------------------------------------

MEASURES = {
    "Brier": "brier",
    "precision": "precision_positive",
    "recall": "recall_positive",
    "seconds": "seconds",
}
MULTICLASS_MEASURES = {"Brier": "brier", "accuracy": "accuracy", "seconds": "seconds"}


def compare_algorithms(
    data: TrainingData,
    names: Sequence[str],
    n_folds: int,
    settings: Mapping[str, Any],
    baselines: bool,
) -> Comparison:
    """Each algorithm on the same folds, one after the other so that times are comparable."""
    import costboost

    classes = list(dict.fromkeys(classifier_class(name) for name in names))
    rows, layout = data.rows, data.layout
    rarest = int(np.unique(rows.y, return_counts=True)[1].min())
    if rarest < n_folds:
        raise InputError(
            f"the rarest class has {rarest} rows, too few for {n_folds} folds: take fewer (--folds)"
        )
    label = None if layout.multiclass else layout.label
    made = {name_of(cls): make_classifier(cls.__name__, layout, **settings) for cls in classes}
    text = f"comparing {len(made)} algorithms"
    with training_progress(list(made.values()), rows.y, text, n_folds):
        return costboost.compare(
            made,
            rows.X,
            rows.y,
            cv=n_folds,
            pos_label=label,
            baselines=baselines,
            random_state=settings["seed"],
            groups=rows.groups,
            **layout.cost_parameters(rows.costs),
        )


def show_comparison(found: Comparison) -> None:
    """Print a table, with the least mean cost first."""
    order = sorted(found.estimators, key=lambda name: _mean(found.estimate(name)))
    two_classes = found.estimate(order[0], "recall_positive") is not None
    measures = MEASURES if two_classes else MULTICLASS_MEASURES
    rows = [
        [name, _with_interval(found.estimate(name))]
        + [_without_interval(found.estimate(name, measure)) for measure in measures.values()]
        for name in order
    ]
    console.table(["algorithm", "mean cost [95%]", *measures], rows, numbers=1 + len(measures))
    ranked = [name for name in order if name in found.ranked]
    others = [name for name in order if name in found.baselines]
    console.write()
    if len(ranked) > 1:
        console.write(_verdict(found, ranked[0], ranked[1]))
    if others:
        console.write(_worth(found, ranked[0], others[0]))


def _verdict(found: Comparison, best: str, second: str) -> str:
    difference = found.difference(second, best)
    if difference.low is not None and difference.low > 0:
        return (
            f"{best} is the cheapest algorithm; {second} costs {difference.mean:.3g} more on each "
            "row."
        )
    return (
        f"{best} is the cheapest algorithm here, but {second} may be as cheap: chance could do as "
        "much."
    )


def _worth(found: Comparison, best: str, baseline: str) -> str:
    """What the best algorithm saves compared with the cheapest baseline."""
    difference = found.difference(baseline, best)
    low, high = difference.low, difference.high
    against = f"{baseline}, the cheapest baseline,"
    if low is not None and low > 0:
        return f"{against} costs {difference.mean:.3g} more on each row than {best}."
    if high is not None and high < 0:
        return f"{against} costs {-difference.mean:.3g} less on each row than {best}."
    return f"{against} may be as cheap as {best}: the 95% interval of the difference includes 0."


def _mean(estimate: Estimate | None) -> float:
    return float("inf") if estimate is None else estimate.mean


def _with_interval(estimate: Estimate | None) -> str:
    if estimate is None or estimate.low is None or estimate.high is None:
        return _without_interval(estimate)
    return f"{estimate.mean:.4g} [{estimate.low:.3g}, {estimate.high:.3g}]"


def _without_interval(estimate: Estimate | None) -> str:
    return "-" if estimate is None else f"{estimate.mean:.3f}"
