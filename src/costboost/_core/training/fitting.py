"""The training functions: from a problem and settings to a fitted model.

A model is one ensemble, one that is calibrated on held-out rows or on folds, an average over folds
and settings, or a model for each class. For an average, every fold trains an ensemble for each of
the settings. The score of a setting is the mean over the folds, and the scores of the settings are
added with the weights of the best logistic regression on the held-out rows::

    F = sum over settings s of a_s (F_s1 + ... + F_sK) / K

As every score is a sum of trees, the average is one ensemble too, and no further one is trained.

Stage t averages the first rounds of every ensemble: those that the settings would have with
``n_estimators=t``.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats
from costboost._core.arrays import Indices
from costboost._core.calibration import (
    AUTO,
    CALIBRATORS,
    ClassCalibrators,
    LogOddsCalibrator,
    SoftmaxCalibrator,
    smoothed_beta,
)
from costboost._core.checks import some, warn
from costboost._core.costs import one_against_rest
from costboost._core.engine.ensemble import Ensemble, ScoreTrees
from costboost._core.model import BinaryModel, OneVsRestModel, ScoresModel
from costboost._core.rules import Costs
from costboost._core.tables import Features, Table
from costboost._core.threads import threads
from costboost._core.training.contraction import contracted, noise_between
from costboost._core.training.copies import copies_of
from costboost._core.training.ensemble import (
    Jobs,
    Trained,
    constant_model,
    empty_model,
    train,
    with_calibrator,
    with_rounds,
)
from costboost._core.training.problem import (
    Parts,
    Problem,
    Seed,
    Settings,
    are_relative,
    is_given,
    is_share,
    split_rows,
)
from costboost._core.training.progress import Folds
from costboost._core.training.stopping import (
    STANDARD_ERRORS,
    class_costs,
    known_stages,
    likelihood_of,
    log_losses,
    mean_and_error,
    mixed,
    most_rounds,
    prefers_beta,
)

LOG = logging.getLogger(__name__)

# ---- calibration: a calibrator is fitted to scores of rows that were not trained on --------------

MIN_WEIGHT, MIN_MEAN_WEIGHT = 10, 0.1
"""Weights whose sum and mean are below these were probably scaled to a sum of 1."""


def parts_of(problem: Problem, settings: Settings) -> Parts:
    """Training rows, of both classes, and held-out rows; none has weight 0."""
    total = problem.counts.sum()
    if total < min(MIN_WEIGHT, MIN_MEAN_WEIGHT * problem.n_rows):
        warn(
            f"sample_weight adds up to {total:g} for {problem.n_rows} rows. Calibration takes "
            "weights as numbers of rows, so that there is hardly any evidence, and probabilities "
            "stay near 1/2. If the weights were scaled to such a sum, scale them to a mean of 1"
        )
    split, seed = settings.calibration_split, settings.seed
    free = problem.groups is None and not (settings.wraps or is_given(split))
    copies = copies_of(problem.own_table) if free else None
    try:
        return split_rows(split, problem.strata, problem.counts, seed, problem.groups, copies)
    except ValueError as error:
        if not problem.description:
            raise
        raise ValueError(f"{problem.description}: {error}") from error


def fit_calibrated(problem: Problem, settings: Settings, parts: Parts, earlier: Any) -> Any:
    """Train an ensemble and fit its calibrator.

    With a share held out, the ensemble is trained on the other rows. With folds, each row is scored
    by an ensemble that was not trained on it, and the final one is trained on all rows. Among
    alternative settings, those with the least log loss on held-out rows are chosen.
    """
    held = np.concatenate([rows for _, rows in parts])
    alternatives = settings.alternatives or (settings,)
    once, best = is_share(settings.calibration_split), 0
    if len(alternatives) > 1 or not once:
        progress = Folds(len(alternatives) * len(parts), settings.verbose)
        certainties = [
            _certainty(problem, replace(one, stream=(k,)), parts, progress)
            for k, one in enumerate(alternatives)
        ]
        progress.close()
        calibrators = [fitted_calibrator(settings, one, problem, held) for one in certainties]
        losses = [
            np.average(
                log_losses(calibrator.probability(one), problem.truth[held]),
                weights=problem.counts[held],
            )
            for calibrator, one in zip(calibrators, certainties, strict=True)
        ]
        best = int(np.argmin(losses))
    own = problem.take(parts[0][0]) if once else problem.counting()
    trained = train(own, alternatives[best], earlier)
    if not once:
        return trained.finished(calibrators[best])
    model = trained.model
    certainty = model.certainty(model.scores(problem.take(held).own_table, settings.n_jobs))
    return trained.finished(fitted_calibrator(settings, certainty, problem, held))


def _certainty(problem: Problem, settings: Settings, parts: Parts, progress: Folds) -> Floats:
    """Certainties of the held-out rows, from ensembles trained on the other rows."""
    certainties = []
    settings_of = [replace(settings, stream=(*settings.stream, k)) for k in range(len(parts))]
    jobs = [
        partial(_certainty_of_part, problem, own, *part)
        for own, part in zip(settings_of, parts, strict=True)
    ]
    with Jobs(jobs, problem.table.remote) as trained:
        for k, (kept, _) in enumerate(parts):
            certainties.append(trained.result(k))
            progress(f"{kept.size} rows")
    return np.concatenate(certainties)


def _certainty_of_part(
    problem: Problem, settings: Settings, kept: Indices, held: Indices
) -> Floats:
    model = train_on_part(problem, settings, kept).model
    scores = model.scores(problem.take(held).own_table, settings.n_jobs)
    certainty: Floats = model.certainty(scores)
    return certainty


def train_on_part(
    problem: Problem, settings: Settings, rows: Indices, held: Problem | None = None
) -> Trained:
    """An ensemble trained on the given rows, without a progress bar.

    The rows held out decide how long it is trained, where the settings ask for that.
    """
    return train(problem.take(rows), replace(settings, verbose=0), held=held, part=True)


def fitted_calibrator(
    settings: Settings, certainty: Floats, problem: Problem, held: Indices
) -> Any:
    """A calibrator fitted to the certainties of the held-out rows; with several classes, scores.

    With monotone features it never decreases.
    """
    assert settings.calibration is not None
    truth, counts, kind = problem.truth[held], problem.counts[held], settings.calibration
    if kind == AUTO:
        seen = problem.seen[held]
        enough = problem.code is None and likelihood_of(problem).enough(truth, seen)
        bent = enough and prefers_beta(certainty, truth, counts, seen)
        if bent:
            return smoothed_beta(certainty, truth, counts)
        kind = "log-odds"
    if problem.code is None:
        calibrator = CALIBRATORS[kind]().fit(certainty, truth, counts)
        if settings.constraints.directions is not None and not calibrator.increases:
            # by convexity the best one that does not decrease is constant
            calibrator.fit(np.full_like(certainty, 0.5), truth, counts)
        return calibrator
    if CALIBRATORS[kind] is LogOddsCalibrator:
        return SoftmaxCalibrator.fitted(certainty, truth, counts)
    return ClassCalibrators.fitted(CALIBRATORS[kind], certainty, truth, counts)


# ---- the average over folds and settings ---------------------------------------------------------

ROWS_OF_NOISE = 2**8
"""Rows, at most twice as many, on which the ensembles of different folds are compared."""
MAX_PARTS = 10
"""Greatest number of folds whose ensembles are averaged; more would have too many trees."""
WORTH_KEEPING = 0.002
"""A setting is dropped if it lowers the log loss of held-out rows by less than this share, up to
`STANDARD_ERRORS`, once enough rows are held out."""
MOST_ROWS_OF_EVIDENCE = 2**15
"""Held-out rows that decide about it."""
MOST_ROWS_OF_LINES = 2**15
"""Held-out rows that stages are compared on."""


@dataclass
class Member:
    """The ensembles that the folds have trained with one of the settings."""

    settings: Settings
    n_stages: int
    """Number of stages of the average: ``n_estimators`` of the classifier."""
    models: list[Any] = field(default_factory=list)
    """The ensemble of each fold."""
    scores: list[Floats] = field(default_factory=list)
    """Scores of the rows that each fold held out."""

    @property
    def score(self) -> Floats:
        """Scores of the held-out rows, fold after fold."""
        return np.concatenate(self.scores)

    def stages(self, model: Any) -> NDArray[np.intp]:
        """The stage at which each learner of an ensemble is added."""
        n_rounds = self.settings.n_estimators
        return np.asarray(np.arange(model.n_iter) * self.n_stages // n_rounds + 1)

    def ends(self, model: Any, stages: Sequence[int]) -> list[int]:
        """Number of learners of an ensemble that are added up to each of the given stages."""
        ends: list[int] = np.searchsorted(self.stages(model), stages, side="right").tolist()
        return ends

    def scores_after(self, model: Any, stages: Sequence[int], table: Table) -> Iterator[Floats]:
        """Scores of a table by one of the ensembles after each of the given stages.

        An ensemble that ended early keeps its last scores.
        """
        ends = self.ends(model, stages)
        if not model.n_iter:
            shape = (table.n_rows, len(model.classes))
            zeros = np.zeros(shape if isinstance(model, ScoresModel) else shape[0])
            return iter([zeros] * len(stages))
        scores: Iterator[Floats] = model.scores_after(table, ends, self.settings.n_jobs)
        return scores


@dataclass(frozen=True)
class Average:
    """The members, their weights, and the weighted scores of the held-out rows."""

    members: list[Member]
    weights: Floats
    score: Floats
    """Weighted scores of the held-out rows, fold after fold, with the spread of new rows."""

    @property
    def weighted(self) -> list[tuple[Member, float]]:
        """The members whose weight is not 0."""
        pairs = zip(self.members, self.weights.tolist(), strict=True)
        return [(member, weight) for member, weight in pairs if weight]

    @property
    def parts(self) -> list[tuple[Member, Any, float]]:
        """The ensembles whose scores are added, their members, and the factor of each."""
        return [
            (member, model, weight / len(member.models))
            for member, weight in self.weighted
            for model in member.models
            if model.n_iter
        ]

    def merged(self) -> Merged:
        """One ensemble with all learners, stage after stage."""
        parts = self.parts
        turn = np.concatenate([member.stages(one) for member, one, _ in parts])
        ensembles = [(one.ensemble, by) for _, one, by in parts]
        ensemble: Ensemble
        if isinstance(ensembles[0][0], ScoreTrees):
            order = np.argsort(turn, kind="stable")
            n_trees = len(ensembles[0][0]) // parts[0][1].n_iter  # in a round, one for each class
            ensemble = ScoreTrees.added(ensembles, np.repeat(turn, n_trees))
        else:
            ensemble, order = Ensemble.merged(ensembles, turn)
        steps = np.concatenate([factor * one.estimator_weights for _, one, factor in parts])
        errors = np.concatenate([one.estimator_errors for _, one, _ in parts])
        ends = np.searchsorted(turn[order], np.arange(1, turn.max() + 1), side="right")
        return Merged(ensemble, steps[order], errors[order], ends.astype(np.int64))

    def noise(self, problem: Problem, parts: Parts) -> float:
        """Variance between folds of the score of a row, on rows that they were trained on.

        Rows count by q (1 - q), where q is the probability of their class: where they decide about
        the slope of a calibrator.
        """
        every = np.concatenate([rows for _, rows in parts])
        step = max(1, every.size // ROWS_OF_NOISE)
        rows, score = problem.take(every[::step]), self.score[::step].copy()
        line = likelihood_of(problem).line(score, rows.truth, rows.counts)
        own = np.exp(-line.losses(score, rows.truth))
        table = rows.own_table.read_once()
        members = [member for member, _ in self.weighted]
        weights = np.array([weight for _, weight in self.weighted])
        scores = [
            [next(one.scores_after(one.models[k], [one.n_stages], table)) for one in members]
            for k in range(len(parts))
        ]
        trained = np.array([np.isin(every[::step], kept) for kept, _ in parts])
        together = np.array([mixed(of_part, weights) for of_part in scores])
        return noise_between(together, trained, rows.seen * own * (1 - own))

    def scores_at(self, stages: Sequence[int], table: Table, parts: Parts) -> Iterator[Floats]:
        """Scores of the held-out rows after each of the given stages, fold after fold."""
        held = [table.take(rows) for _, rows in parts]
        scores = [
            (weight, member.scores_after(model, stages, part))
            for member, weight in self.weighted
            for model, part in zip(member.models, held, strict=True)
        ]
        for _ in stages:
            weighted = [weight * next(one) for weight, one in scores]
            n = len(parts)
            members = [np.concatenate(weighted[k : k + n]) for k in range(0, len(weighted), n)]
            yield np.sum(members, axis=0)


class Merged(NamedTuple):
    """Several ensembles as one: learners, their steps and errors, and where each stage ends."""

    ensemble: Ensemble
    steps: Floats
    errors: Floats
    ends: NDArray[np.int64]


def fit_average(problem: Problem, settings: Settings, parts: Parts) -> Any:
    """Average of all ensembles, calibrated on held-out rows; None if all are empty."""
    problem = replace(problem.binned(settings.first), keeps_cuts=True)
    assert problem.data is not None
    empty = empty_model(
        problem.counting().training_part(), settings.first, problem.data.binning.coders
    )
    average = _trained(problem, settings, parts)
    if not average.parts:
        return None
    held = np.concatenate([rows for _, rows in parts])
    merged = average.merged()
    known = known_stages(merged.ends.size)
    step = -(-held.size // MOST_ROWS_OF_LINES)
    compared = [(kept, rows[::step]) for kept, rows in parts]
    scores = average.scores_at(known.tolist(), problem.table, compared)
    rows = np.concatenate([rows for _, rows in compared])
    lines = likelihood_of(problem).stage_lines(
        scores, known, problem.truth[rows], problem.counts[rows]
    )
    shares: dict[str, float] = {}
    for member, share in zip(average.members, average.weights.tolist(), strict=True):
        name = member.settings.member
        shares[name] = shares.get(name, 0.0) + share
    model = with_rounds(
        empty,
        merged.steps,
        merged.errors,
        _reasons(average, settings),
        ensemble=merged.ensemble,
        stage_ends=merged.ends,
        shares=shares,
        seed=settings.seed.value,
        random_state=settings.seed.in_place,
        **lines.fields,
    )
    certainty = (
        average.score
        if isinstance(empty, ScoresModel)
        else empty.decision.certainty(average.score, 1.0, 1)
    )
    model = with_calibrator(model, fitted_calibrator(settings, certainty, problem, held))
    return replace(model, train_cost=np.array([_mean_cost(model, average, problem.take(held))]))


def _reasons(average: Average, settings: Settings) -> str:
    """Why the ensembles ended; with the rounds of each member where held-out rows decided."""
    reasons = "; ".join(sorted({one.stop_reason for _, one, _ in average.parts}))
    if settings.usual_rounds is None:
        return reasons
    rounds = [
        f"{member.settings.member} {_range(one.n_iter for one in member.models)}"
        for member, _ in average.weighted
    ]
    return f"rounds chosen on held-out rows: {', '.join(rounds)}; {reasons}"


def _range(numbers: Iterable[int]) -> str:
    """Least and greatest of some numbers."""
    ordered = sorted(numbers)
    return f"{ordered[0]}" if ordered[0] == ordered[-1] else f"{ordered[0]} to {ordered[-1]}"


def _mean_cost(model: Any, average: Average, held: Problem) -> float:
    """Mean cost of the decisions for held-out rows."""
    if isinstance(model, ScoresModel):
        costs = class_costs(model, average.score, held.truth)
        return float(np.average(costs, weights=held.counts))
    wrong = model.positive(average.score, held.costs) != held.positive.astype(bool)
    return float(np.average(wrong * held.cost, weights=held.counts))


def _trained(problem: Problem, settings: Settings, parts: Parts) -> Average:
    """Train on every part and weigh the settings; those that do not contribute are dropped."""
    settings = _with_most_rounds(settings, problem.n_rows)
    members = [Member(one, settings.n_estimators) for one in settings.alternatives]
    jobs = [
        partial(_trained_part, problem, one, (k, n), *part)
        for n, part in enumerate(parts)
        for k, one in enumerate(members)
    ]
    number = {id(member): k for k, member in enumerate(members)}
    progress, n_members = Folds(len(members) * len(parts), settings.verbose), len(members)
    n_cells = problem.n_rows * problem.table.n_features * len(jobs)
    with Jobs(jobs, problem.table.remote, threads(settings.n_jobs, n_cells)) as trained:
        for n in range(1, len(parts) + 1):
            for member in members:
                model, own = trained.result((n - 1) * n_members + number[id(member)])
                member.models.append(model)
                member.scores.append(own)
                progress(f"{member.settings.member}s")
            if len(members) > 1 and n < len(parts):
                kept = _contributing(members, problem, parts[:n])
                for k in {number[id(one)] for one in members} - {number[id(one)] for one in kept}:
                    name = settings.alternatives[k].member
                    LOG.info("%ss are left out from fold %d on", name, n + 1)
                    for later in range(n, len(parts)):
                        trained.cancel(later * n_members + k)
                members = kept
                progress.expect(len(members) * (len(parts) - n))
    progress.close()
    held = np.concatenate([rows for _, rows in parts])
    scores = [member.score for member in members]
    weights = likelihood_of(problem).mix(scores, problem.truth[held], problem.counts[held])
    average = Average(members, weights, mixed(scores, weights))
    noise = average.noise(problem, parts)
    given = average.score, problem.truth[held], problem.counts[held], problem.seen[held]
    return replace(average, score=contracted(*given, noise, len(parts)))


def _with_most_rounds(settings: Settings, n_rows: int) -> Settings:
    """The settings with the greatest number of rounds, where held-out rows decide about it."""
    if settings.usual_rounds is None:
        return settings
    alternatives = tuple(_with_most_rounds(one, n_rows) for one in settings.alternatives)
    n_rounds = settings.usual_rounds
    if settings.may_take_more_rounds:
        n_rounds = most_rounds(n_rounds, n_rows)
    return replace(settings, n_estimators=n_rounds, alternatives=alternatives)


def _trained_part(
    problem: Problem, member: Member, stream: tuple[int, int], kept: Indices, held: Indices
) -> tuple[Any, Floats]:
    """An ensemble trained on the rows kept, and its scores of those held out."""
    others = problem.take(held)
    trained = train_on_part(problem, replace(member.settings, stream=stream), kept, others)
    model = trained.model
    if trained.held is not None:
        return model, trained.held.after(trained.rounds, [model.n_iter])[0]
    last = next(member.scores_after(model, [member.n_stages], others.own_table))
    return model, last


def _contributing(members: list[Member], problem: Problem, parts: Parts) -> list[Member]:
    """The members whose scores may lower the log loss of the average on held-out rows.

    One after the other, the member whose contribution has the least upper bound is dropped, while
    that is below `WORTH_KEEPING` of the log loss.
    """
    held = np.concatenate([rows for _, rows in parts])
    likelihood = likelihood_of(problem)
    if not likelihood.enough(problem.truth[held], problem.seen[held]):
        return members
    some = slice(None, None, -(-held.size // MOST_ROWS_OF_EVIDENCE))
    rows = problem.take(held[some])
    scores = [member.score[some] for member in members]
    kept = list(range(len(members)))
    while len(kept) > 1:
        given = rows.truth, rows.counts
        losses = likelihood.mixture_losses([scores[k] for k in kept], *given)
        bounds = []
        for k in kept:
            without = likelihood.mixture_losses([scores[m] for m in kept if m != k], *given)
            gain, error = mean_and_error(without - losses, rows.counts, rows.seen)
            bounds.append(gain + STANDARD_ERRORS * error)
        if min(bounds) >= WORTH_KEEPING * np.average(losses, weights=rows.counts):
            break
        kept.pop(int(np.argmin(bounds)))
    return [members[k] for k in kept]


# ---- the training functions ----------------------------------------------------------------------


def fit_binary(
    problem: Problem, settings: Settings, earlier: BinaryModel | None = None
) -> BinaryModel:
    """Train a model of two classes, with a calibrator if the settings name one.

    If ``earlier`` is given, its ensemble is continued.
    """
    model: BinaryModel = _fitted(problem, settings, earlier)
    return model


def fit_constant(problem: Problem, settings: Settings, reason: str) -> BinaryModel:
    """A model without learners, whose probability is the share of the positives."""
    settings = settings.first
    model = constant_model(problem, settings, reason)
    shares = {settings.learner: 1.0} if settings.averages else None
    return replace(model, shares=shares)


def _fitted(problem: Problem, settings: Settings, earlier: Any) -> Any:
    """A model of two or of several classes, with a calibrator if the settings name one.

    It is of an average, or of one ensemble; there is a warning if it has no learner.
    """
    if settings.draws:
        settings.seed()  # before trainings side by side need it
    parts, model = [], None
    if settings.calibration is not None:
        problem = replace(problem, table=problem.table.read_once())
        parts = parts_of(problem, settings)
    folds = parts and not is_share(settings.calibration_split) and len(parts) <= MAX_PARTS
    if settings.averages and len(settings.alternatives) > 1 and folds:
        model = fit_average(problem, settings, parts)
    if model is None:
        if parts:
            model = fit_calibrated(problem, settings, parts, earlier)
        else:
            model = train(problem.counting(), settings.first, earlier).finished()
        if settings.averages:
            model = replace(model, shares={model.learner: 1.0})
    if not model.n_iter:
        warn(
            f"{settings.name} added no learner ({model.stop_reason}): for every row it "
            "predicts the class of least expected cost under the class shares",
        )
    return model


# ---- training with several classes: one model for each class against the rest --------------------


ONE_ROW = "one training row is too few to hold any out"


@dataclass(frozen=True, kw_only=True)
class SeveralClasses:
    """Rows of several classes, checked."""

    table: Table
    features: Features
    classes: NDArray[Any]
    code: NDArray[np.intp]
    """Number of the class of each row."""
    weight: NDArray[np.float64] | None
    """Sample weights, or None if they are constant."""
    usual_weight: float
    """The constant sample weight."""
    groups: NDArray[np.intp] | None
    """A number for the group of each row; no split separates rows of a group."""
    matrix: Floats
    """Cost of predicting class j (column) where class i (row) is true."""

    def against_rest(self) -> list[Problem]:
        """The problem of each class against the rest."""
        total = self.class_totals()
        fn_cost, fp_cost = one_against_rest(self.matrix, total / total.sum())
        relative = are_relative(self.weight, self.usual_weight)
        return [
            Problem(
                table=self.table,
                features=self.features,
                classes=np.array([False, True]),
                positive_index=1,
                positive=(self.code == c).astype(np.uint8),
                weight=self.weight,
                costs=Costs(float(fn_cost[c]), float(fp_cost[c])),
                usual_weight=self.usual_weight,
                groups=self.groups,
                relative=relative,
                description=f"class {some(self.classes[c : c + 1])} against the rest",
            )
            for c in range(len(self.classes))
        ]

    def together(self) -> Problem:
        """The problem of all classes, for rules with a score for each."""
        return Problem(
            table=self.table,
            features=self.features,
            classes=self.classes,
            positive_index=0,
            positive=np.zeros(self.table.n_rows, dtype=np.uint8),
            weight=self.weight,
            costs=Costs(1.0, 1.0),
            usual_weight=self.usual_weight,
            groups=self.groups,
            relative=are_relative(self.weight, self.usual_weight),
            code=self.code,
            matrix=self.matrix,
        )

    def class_totals(self) -> Floats:
        """Weight of the rows of each class; a ValueError if a class has none."""
        counts = np.ones(self.table.n_rows) if self.weight is None else self.weight
        total: Floats = np.bincount(self.code, counts, len(self.classes)).astype(np.float64)
        if not total.all():
            raise ValueError(
                f"class {some(self.classes[total == 0])} has no row whose sample_weight is not 0; "
                "drop its rows, or give one of them a weight"
            )
        return total

    def single_rows(self) -> NDArray[np.bool_]:
        """Which classes have only one row whose weight is not 0."""
        code = self.code if self.weight is None else self.code[self.weight > 0]
        return np.asarray(np.bincount(code, minlength=len(self.classes)) == 1)


def fit_scores(
    several: SeveralClasses, settings: Settings, earlier: ScoresModel | None = None
) -> ScoresModel:
    """Train one ensemble with a score for each class, with a calibrator if the settings name one.

    If ``earlier`` is given, its ensemble is continued.
    """
    _warn_of_ignored_costs(several.matrix, settings)
    several.class_totals()
    model: ScoresModel = _fitted(several.together(), settings, earlier)
    return model


def fit_one_vs_rest(
    several: SeveralClasses,
    settings: Settings,
    random_states: tuple[int, ...],
    earlier: Sequence[BinaryModel | None],
) -> OneVsRestModel:
    """Train a model for each class against the rest, on rows that are binned once.

    ``earlier`` holds for each class the model to continue, or None.
    """
    _warn_of_ignored_costs(several.matrix, settings)
    problems = several.against_rest()
    alone = several.single_rows() & settings.holds_out
    _warn_of_single_rows(several.classes[alone], settings)
    if settings.calibration is not None:
        table = several.table.read_once()
        problems = [replace(problem, table=table) for problem in problems]
    data = problems[0].binned(settings.first).data

    def member(c: int) -> BinaryModel:
        known = earlier[c]
        own = settings.with_seed(Seed(random_states[c], None if known is None else known.seed))
        binned = replace(problems[c], data=data)
        if alone[c]:
            return fit_constant(binned, own, ONE_ROW)
        return fit_binary(binned, own, known)

    numbers = range(len(problems))
    with Jobs([partial(member, c) for c in numbers], several.table.remote) as jobs:
        members = [jobs.result(c) for c in numbers]
    changeable = settings.rule.decides_by_cost or settings.calibration is not None
    return OneVsRestModel(
        classes=several.classes,
        n_features_in=several.features.n_features_in,
        feature_names_in=several.features.feature_names_in,
        learner=settings.first.learner,
        members=tuple(members),
        random_states=random_states,
        matrix=several.matrix,
        by_cost=changeable or not settings.rule.cost_blind,
        changeable=changeable,
    )


def _warn_of_ignored_costs(matrix: Floats, settings: Settings) -> None:
    off = matrix[~np.eye(len(matrix), dtype=bool)]
    if settings.rule.cost_blind and settings.calibration is None and np.any(off != off[0]):
        warn(
            f"{settings.name} ignores costs: those of cost_matrix differ, but neither its "
            "training nor its predict uses them. Take CostBoostClassifier, or calibration='platt', "
            "after which any classifier decides by cost.",
        )


def _warn_of_single_rows(classes: NDArray[Any], settings: Settings) -> None:
    if classes.size:
        needs = "calibration" if settings.calibration is not None else "early_stopping"
        warn(
            f"class {some(classes)} has one training row, but {needs} has to hold out rows of "
            "every class: the probability of the class is its share of the rows, the same for all. "
            "Give more rows of it, or drop it"
        )
