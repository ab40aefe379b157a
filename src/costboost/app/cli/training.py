"""``fit``, ``goal`` and ``compare``: classifiers from options, training, measuring, writing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from threading import get_ident
from typing import Any

import numpy as np
from sklearn.utils.validation import has_fit_parameter

from costboost._core.checks import one_class_allowed
from costboost._core.loop import listening
from costboost._core.model.prevalence import SIDES
from costboost._core.training.folds import FOLDS, hold_out
from costboost._core.wording import amount, decimals_for, number, percent
from costboost.app.cli import output
from costboost.app.cli.actions import ActionOptions, cost_columns, show_report
from costboost.app.cli.catalogue import classifier_class, name_of
from costboost.app.cli.evaluation import Evaluation, ReportOptions, evaluate, facts_on_rows
from costboost.app.cli.layouts import (
    Layout,
    check_savable,
    inner_classifier,
    not_saved,
    save_model,
    without_actions,
)
from costboost.app.cli.options import OptionRecord, ProblemOptions
from costboost.app.cli.output import check_writable, write_each
from costboost.app.cli.predictions import parse_shares
from costboost.app.cli.problems import (
    LabelledRows,
    TrainingData,
    data_notes,
    print_unseen,
    read_rows,
    read_training_data,
)
from costboost.app.monitoring.reference import ATTRIBUTE, reference
from costboost.app.reading.columns import select_names
from costboost.app.reading.errors import InputError
from costboost.app.reading.partitions import PartitionedFeatures
from costboost.classifiers.base import BoostingClassifier, alternatives_of, rule_of_several
from costboost.comparing.comparing import (
    AT_HALF,
    BY_COST,
    LIKELIEST,
    WITHOUT_MODEL,
    Comparison,
    Estimate,
)
from costboost.decisions import OperatingPointClassifier
from costboost.decisions.actions import ActionClassifier, costs_of
from costboost.decisions.reports import DecisionReport
from costboost.metrics.costs import decides_by_cost

# ---- classifiers from options --------------------------------------------------------------------


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
    features = [column.name for column in layout.columns]
    rising, falling = (
        select_names(names, features, what="feature")
        for names in (options.increasing, options.decreasing)
    )
    both = sorted({*rising} & {*falling})
    if both:
        raise InputError(f"column {both[0]!r} is named in --increasing and in --decreasing")
    directed = dict.fromkeys(rising, 1) | dict.fromkeys(falling, -1)
    named = [one for one in options.interactions if one in NAMED_INTERACTIONS]
    if named and len(options.interactions) > 1:
        raise InputError(f"--interactions {named[0]} cannot be given with other ones")
    groups = [
        [] if named else select_names([text], features, what="feature")
        for text in options.interactions
    ]
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
    (target, bound), value = goal
    bounds: dict[str, Any] = {bound: value, **surety}
    costs: dict[str, Any] = {
        name: float(cost) for name, cost in layout.cells.items() if not isinstance(cost, str)
    }
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
    with output.progress_bar(text) as update:
        if update is None:
            yield
            return
        n_classes = len(np.unique(y))
        n_ensembles = n_fits * sum(count_ensembles(model, n_classes) for model in models)
        with listening(RoundListener(update, n_ensembles)):
            yield


class RoundListener:
    """Converts rounds of ensembles into the share of all rounds done; a thread trains one."""

    def __init__(self, update: Callable[[float], None], n_ensembles: int) -> None:
        self.update, self.n_ensembles, self.n_begun = update, n_ensembles, 0
        self.shares: dict[int, float] = {}
        """Share of the last ensemble of each thread."""

    def __call__(self, n_done: int, n_rounds: int) -> None:
        self.n_begun += n_done == 1
        self.shares[get_ident()] = n_done / n_rounds
        n_ended = self.n_begun - len(self.shares)
        share = (n_ended + sum([*self.shares.values()])) / self.n_ensembles
        self.update(min(share, MAX_SHOWN))


def count_ensembles(model: Any, n_classes: int) -> int:
    """The number of ensembles that a fit trains, if none stops early."""
    if not isinstance(model, BoostingClassifier):
        inner = getattr(model, "estimator", None)  # of a goal: folds, and all rows
        if not isinstance(inner, BoostingClassifier):
            return 1 if getattr(model, "calibration", None) is None else FOLDS + 1
        n_fits = FOLDS + 1 if getattr(model, "guarantee", None) is None else 1
        return n_fits * count_ensembles(inner, n_classes)
    choices = alternatives_of(model)
    folds = 0 if model.calibration is None else choices * FOLDS
    one_vs_rest = n_classes > 2 and rule_of_several(model) is None
    return (folds + (choices == 1 or not folds)) * (n_classes if one_vs_rest else 1)


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
    (decides,) = found.decides.values()
    rows = [
        [name, decides[name], _with_interval(found.estimate(name))]
        + [_without_interval(found.estimate(name, measure)) for measure in measures.values()]
        for name in order
    ]
    head = ["algorithm", "decides", "mean cost [95%]", *measures]
    output.table(head, rows, numbers=1 + len(measures), wraps=1)
    if len(order) > 1:
        output.write()
        output.write(_cheapest(found, order))
        for text in (*_others(found, order), *_decisions(decides.values())):
            output.write(text)


def _cheapest(found: Comparison, order: Sequence[str]) -> str:
    """Which of all rows costs least, and which may cost as little."""
    best, *others = order
    beside = [name for name in others if not _is_beyond_chance(found.difference(name, best))]
    if beside:
        return (
            f"{best} costs least here, but the difference from these may be chance: "
            f"{'; '.join(beside)}."
        )
    more = amount(found.difference(others[0], best).mean)
    return f"{best} costs least of all. The next is {others[0]}: {more} more per row."


def _others(found: Comparison, order: Sequence[str]) -> Iterator[str]:
    """How much the algorithms and the rules without a model cost beyond the first row."""
    best = order[0]
    kinds = {
        "The cheapest of the algorithms compared": found.ranked,
        "The cheapest rule without a model": [name for name in WITHOUT_MODEL if name in order],
    }
    for title, names in kinds.items():
        first = next((name for name in order if name in names), best)
        if first != best:
            difference = found.difference(first, best)
            if difference.mean == 0:
                yield f"{title}: {first}, as much as {best}."
                continue
            more = amount(difference.mean)
            doubt = "" if _is_beyond_chance(difference) else ", which may be chance"
            yield f"{title}: {first}, {more} more per row than {best}{doubt}."


def _decisions(decides: Iterable[str]) -> Iterator[str]:
    """That some of the algorithms decide without regard to costs, and others by them."""
    found = set(decides)
    blind = found & {AT_HALF, LIKELIEST}
    if blind and BY_COST in found:
        yield (
            f'Rows that decide "{min(blind)}" take the likelier class, whatever mistakes cost: '
            "what they cost more than others may be due to that, and not to their probabilities."
        )


def _is_beyond_chance(difference: Estimate) -> bool:
    return difference.low is not None and difference.low > 0


def _mean(estimate: Estimate | None) -> float:
    return float("inf") if estimate is None else estimate.mean


def _with_interval(estimate: Estimate | None) -> str:
    if estimate is None or estimate.low is None or estimate.high is None:
        return _without_interval(estimate)
    decimals = decimals_for(estimate.mean, estimate.low, estimate.high)
    mean, low, high = (number(one, decimals) for one in estimate if one is not None)
    return f"{mean} [{low}, {high}]"


def _without_interval(estimate: Estimate | None) -> str:
    return "-" if estimate is None else f"{estimate.mean:.3f}"


# ---- one model: hold rows out, train, measure and write ------------------------------------------

MakeClassifier = Callable[[TrainingData], Any]
"""Makes an unfitted classifier for a file."""


@dataclass(frozen=True)
class TrainOptions(OptionRecord):
    """Options of a command that trains one model."""

    data: str
    problem: ProblemOptions
    seed: int = 0
    test: str | None = None
    test_size: float = 0.25
    refit: bool = False
    out: str | None = None
    report: str | None = None
    page: ReportOptions = field(default_factory=ReportOptions)
    json: bool = False
    client: Any = None
    """The client of a Dask cluster that the rows are read on, if there is one."""
    sampling: Sequence[str] = ()
    """Shares of the rows of classes that the data have kept, as LABEL=SHARE."""
    actions: ActionOptions = field(default_factory=ActionOptions)
    describe: Callable[[Any], Mapping[str, Any]] = lambda model: {}
    """Further facts about a fitted model for JSON, and a line "text" for people."""


def read_and_note(
    path: str, options: ProblemOptions, client: Any = None, need_costs: bool = True
) -> TrainingData:
    """Read a file to train on, and print what looks wrong in it."""
    with output.spinner(f"reading {path}"):
        data = read_training_data(path, options, client)
    for text in (*data.notes, *data_notes(data, need_costs)):
        output.note(text)
    return data


def train(options: TrainOptions, make: MakeClassifier) -> None:
    """Train and measure a model, print the result, write the files."""
    inputs = options.data, options.test, options.problem.cost_matrix, options.actions.actions
    check_writable(options.out, *inputs)
    check_writable(options.report, *inputs, options.out)
    with output.collected_notes() as notes:
        by_actions = options.actions.actions is not None  # the predictions are not used
        data = read_and_note(options.data, options.problem, options.client, not by_actions)
        rows, held_out = _split(options, data)
        options.actions.check(data.rows, data.layout)
        model = make(data)
        if options.out is not None:
            check_savable(model)
        sampling = _sampling(options, data)
        with nullcontext() if not by_actions else one_class_allowed():
            _fit(model, rows, sampling)
        with output.spinner(f"deciding on {len(held_out):,} rows"):
            found = evaluate(model, held_out, data.layout)
            acts = options.actions.report(model, held_out, data.layout)
        if options.test is not None:
            print_unseen(model, data.layout, held_out.X)
        error = output.output_error(lambda: _show(options, data, model, len(rows), found, acts))
    files: list[tuple[str | None, Callable[[], str]]] = [
        (options.out, lambda: _save(options, data, model, held_out, rows, make, sampling)),
        (options.report, lambda: _report(options, data, model, held_out, len(rows), notes)),
    ]
    if options.refit:  # it takes as long as the first training, and may be interrupted
        files.reverse()
    write_each({path: write for path, write in files if path is not None})
    if options.out is None:
        output.info(not_saved(model))
    if error is not None:  # raised only now: training may have taken hours
        raise error


def _split(options: TrainOptions, data: TrainingData) -> tuple[LabelledRows, LabelledRows]:
    """Rows to train on, and rows held out."""
    from sklearn.model_selection import StratifiedShuffleSplit

    if options.test is not None:
        reading = options.problem.reading
        return data.rows, read_rows(options.test, data.layout, reading, options.client)
    y, size = data.rows.y, options.test_size
    rarest = int(np.unique(y, return_counts=True)[1].min())
    if not 0 < size < 1:
        raise InputError(f"--test-size must be a share between 0 and 1, got {size:g}")
    if rarest < 2 or min(size, 1 - size) * y.size < 2:
        raise InputError(
            f"the rarest class has {rarest} of {y.size} rows: too few to hold some of them out"
        )
    if data.rows.groups is not None:
        codes = np.unique(y, return_inverse=True)[1]
        train, held_out = hold_out(codes, size, options.seed, data.rows.groups)
        return data.rows.take(np.sort(train)), data.rows.take(np.sort(held_out))
    split = StratifiedShuffleSplit(1, test_size=size, random_state=options.seed)
    train, held_out = next(split.split(np.zeros((y.size, 1)), y))
    return data.rows.take(np.sort(train)), data.rows.take(np.sort(held_out))


def _sampling(options: TrainOptions, data: TrainingData) -> dict[str, Any]:
    """The argument of `fit` for data of which rows were left out; empty if all were kept."""
    if not options.sampling:
        return {}
    labels = np.unique(data.rows.y).tolist()
    shares = parse_shares("--sampling", options.sampling, labels, SIDES if len(labels) == 2 else ())
    output.note(
        "rows of DATA were left out (--sampling): probabilities and decisions are those of all "
        "rows, but the costs below are those of the rows that were kept"
    )
    return {"sampling": shares}


def _fit(model: Any, rows: LabelledRows, sampling: Mapping[str, Any], again: str = "") -> Any:
    """Fit a classifier with the costs of the rows, and show the progress."""
    given = {**rows.row_costs, **sampling}
    if rows.groups is not None:
        given["groups"] = rows.groups
    if sampling and not has_fit_parameter(model, "sampling"):
        raise InputError(f"{type(model).__name__} takes no --sampling; CostBoost does")
    with training_progress([model], rows.y, f"training {again}on {len(rows):,} rows"):
        return model.fit(rows.training_X, rows.y, **given)


# ---- results -------------------------------------------------------------------------------------


def _show(
    options: TrainOptions,
    data: TrainingData,
    model: Any,
    n_trained: int,
    found: Evaluation,
    acts: DecisionReport | None,
) -> None:
    description = options.describe(model)
    by_classes = acts is None or data.layout.states_costs
    if options.json:
        facts = _facts(options, data, model, n_trained, found, by_classes, description)
        output.write_json(facts | _facts_on_actions(acts))
        return
    features = output.plural(len(data.layout.columns), "feature")
    output.write(f"{type(model).__name__}, {features}, trained on {n_trained:,} rows.")
    if by_classes:
        output.write(found.opening)
    for text in _clipping_notes(model):
        output.write(f"{text[0].upper()}{text[1:]}.")
    if "text" in description:
        output.write(description["text"])
    if by_classes:
        output.write()
        found.show()
    if acts is not None:
        output.write()
        show_report(acts)
        if not by_classes:
            output.cautions(found.cautions.on_rows)


def _facts(
    options: TrainOptions,
    data: TrainingData,
    model: Any,
    n_trained: int,
    found: Evaluation,
    by_classes: bool,
    description: Mapping[str, Any],
) -> dict[str, Any]:
    layout = data.layout
    costs = {"cost_matrix": layout.matrix} if layout.multiclass else layout.cells
    clipped = getattr(inner_classifier(model), "clipped_share_", None)
    return {
        "data": data.name,
        "target": layout.target,
        "classifier": type(model).__name__,
        "n_trained": n_trained,
        "features": [column.name for column in layout.columns],
        **(costs if by_classes else {}),
        **({} if clipped is None else {"clipped_share": clipped}),
        "held_out": found.facts() if by_classes else facts_on_rows(found),
        **{key: value for key, value in description.items() if key != "text"},
        "model": options.out,
        "report": options.report,
    }


def _facts_on_actions(acts: DecisionReport | None) -> dict[str, Any]:
    """What the actions cost, and what they save compared with the best rule without a model."""
    if acts is None:
        return {}
    without = {
        "decision": acts.against,
        "by_costs": acts.by_costs,
        "saved": acts.saved._asdict(),
    }
    return {"actions": acts.to_dict(), "without_model": without}


def _clipping_notes(model: Any) -> list[str]:
    """The share of the training rows whose costs were lowered, if any could be."""
    share = getattr(inner_classifier(model), "clipped_share_", None)
    if share is None:
        return []
    return [f"costs of {percent(share)} of the rows were lowered (--clip-costs)"]


REFERENCE_ROWS = 50_000
"""Held-out rows that the reference of monitoring is made of, at most."""


def _keep_reference(
    options: TrainOptions, data: TrainingData, model: Any, held_out: LabelledRows
) -> Any:
    """A summary of held-out rows that is kept with the model, for ``costboost monitor``."""
    inner = inner_classifier(without_actions(model))
    if data.layout.multiclass or not decides_by_cost(inner) or options.sampling:
        return None  # nothing that could be monitored, or rows that are not those of the population
    step = -(-len(held_out) // REFERENCE_ROWS)
    rows = held_out.take(np.arange(0, len(held_out), step))
    X = rows.X.in_memory() if isinstance(rows.X, PartitionedFeatures) else rows.X
    costs: dict[str, Any] = dict(rows.costs)
    if isinstance(model, ActionClassifier):
        costs = {"action_costs": costs_of(model).filled(cost_columns(rows, data.layout))}
    return reference(model, X, rows.y, **costs).to_dict()


def _save(
    options: TrainOptions,
    data: TrainingData,
    model: Any,
    held_out: LabelledRows,
    rows: LabelledRows,
    make: MakeClassifier,
    sampling: Mapping[str, Any],
) -> str:
    """Write the model that was measured, or one that is trained on all rows."""
    assert options.out is not None
    saved = options.actions.classifier(model, data.layout) or model
    kept = _keep_reference(options, data, saved, held_out)
    which = "as measured above"
    if options.refit:
        model, rows = _fit(make(data), data.rows, sampling, "again "), data.rows
        saved = options.actions.classifier(model, data.layout) or model
        if kept is not None:
            setattr(saved, ATTRIBUTE, kept)
        which = "trained again on all rows"
    save_model(saved, data.layout, options.out, n_rows=len(rows))
    return f"model: {options.out} ({which})"


def _report(
    options: TrainOptions,
    data: TrainingData,
    model: Any,
    held_out: LabelledRows,
    n_trained: int,
    notes: list[str],
) -> str:
    assert options.report is not None
    with output.spinner("writing the report"):
        made = options.page.make(
            options.actions.classifier(model, data.layout) or model,
            held_out,
            data.layout,
            trained_on=f"{n_trained:,} rows of {data.name}",
            provenance=_provenance(options, data),
            notes=[*notes, *_clipping_notes(model)],
        )
    return f"report: {made.write(options.report)}"


def _provenance(options: TrainOptions, data: TrainingData) -> dict[str, Any]:
    """Where the rows of a report come from."""
    found = {"data": data.name if options.test is None else options.test}
    if options.test is None:
        found["held out"] = f"{percent(options.test_size)} of the rows, drawn at random"
    found["target"] = data.layout.target
    if options.out is not None and not options.refit:
        found["model file"] = options.out
    return found
