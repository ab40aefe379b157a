"""Base class of the boosting classifiers: parameters and fit."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import check_scoring
from sklearn.utils import check_random_state

from costboost._core import tables
from costboost._core.arithmetic import Floats
from costboost._core.backends.dask import refuse_scoring, training_table
from costboost._core.backends.dask.collections import in_memory
from costboost._core.checks import group_codes, only_class, some, warn, warn_of_one_class
from costboost._core.costs import Costs, check_matrix, known_costs
from costboost._core.fingerprints import fingerprint
from costboost._core.model import BinaryModel, OneVsRestModel, ScoresModel, SeveralModel
from costboost._core.model.background import with_background
from costboost._core.model.constraints import constraints_of
from costboost._core.model.fitted import NEEDS_ALL_VALUES
from costboost._core.model.prevalence import check_sampling
from costboost._core.parameters.boosting import BoostingParameters
from costboost._core.parameters.parameter import check_parameters
from costboost._core.rules.record import NetCosts, Rule, SeveralRule
from costboost._core.tables import Features, Table
from costboost._core.training import (
    Problem,
    Seed,
    SeveralClasses,
    are_relative,
    fit_binary,
    fit_one_vs_rest,
    fit_scores,
)
from costboost._core.training.continuing import check_continued, check_same_constraints
from costboost._core.training.plan import Choice, Fixed, Plan, Rounds, Traits
from costboost._core.training.progress import logged_fit
from costboost._core.training.relations import check_learner, refuse_directions
from costboost.classifiers.checks import (
    check_span,
    check_target,
    check_weights,
    clipped,
    costs_of_fit,
    positive_class,
    refuse_costs_of_two,
    trained_rows,
    training_costs,
    usual_weight,
    warn_of_dominance,
    warn_of_few_costly_rows,
    width_of,
)
from costboost.classifiers.predictions import Predictions


@dataclass(kw_only=True, eq=False, repr=False)
class BoostingClassifier(BoostingParameters, Predictions, ClassifierMixin, BaseEstimator):
    """Base of the boosting classifiers; not meant to be used by itself."""

    rule: ClassVar[Rule]
    rule_of_several: ClassVar[SeveralRule | None] = None
    """The rule for more than two classes; None if each class is set against the rest."""
    fgd_consistent: ClassVar[bool]
    cost_consistent: ClassVar[bool]
    asymmetry_preserving: ClassVar[bool]
    reference: ClassVar[str]
    advice: ClassVar[str] = ""
    """When to use the classifier, and when not."""
    _traits: ClassVar[Traits] = Traits()
    _without_estimator: ClassVar[str] = ""
    """What ``estimator=None`` means, if it is not one learner of the rule."""

    # ---- fit -------------------------------------------------------------------------------------

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        fn_cost: Any = None,
        fp_cost: Any = None,
        tp_cost: Any = None,
        tn_cost: Any = None,
        sampling: Any = None,
        groups: Any = None,
        costs: Any = None,
    ) -> Self:
        """Train the ensemble.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            NaN stands for a missing value. A Dask array or data frame is trained on where it is:
            on the workers of the cluster, if there is a client. The model is the same.
        y : array of shape (n_samples,)
            Two classes or more, any labels. With more than two, each class is set against the rest,
            unless the algorithm has a score for each class.
        sample_weight : array of shape (n_samples,), optional
            How often each row counts: a weight of 2 is the row written twice. Rows of weight 0
            take no part. Weights that are not all whole numbers are relative: where rows are
            counted, as in ``min_samples_leaf``, each row counts as one.
        fn_cost, fp_cost, tp_cost, tn_cost : number or array of shape (n_samples,), optional
            Costs for this fit instead of those of the constructor; arrays give each row its own.
            For two classes only; with more, give ``cost_matrix`` to the constructor, or ``costs``.
        sampling : mapping, optional
            Share of the rows of a class that these data kept, if rows of the population were left
            out at random: ``{"negative": 0.1}``, or labels as keys. Probabilities and decisions are
            then those of the population; training, ``train_cost_`` and early stopping use the rows
            as they are. Only for a classifier that decides by cost.
        groups : array of shape (n_samples,), optional
            Labels of groups of rows that belong together, such as the visits of a patient. Rows
            held out for calibration, for the weights of weak learners or for early stopping are
            then whole groups.
        costs : Costs, optional
            All costs in one record, instead of the four.

        Returns
        -------
        self
        """
        self._check()
        plan = self._plan()
        earlier = vars(self).get("model_") if self.warm_start else None
        if earlier is not None:
            check_continued(earlier, plan, width_of(X))
        if plan.scorer is not None:
            refuse_scoring(X)
        y, sample_weight, groups, *four = in_memory(
            y, sample_weight, groups, fn_cost, fp_cost, tp_cost, tn_cost
        )
        known = costs_of_fit(self, known_costs(costs, *four))
        with (
            self._training_table(X) as (table, features),
            logged_fit(type(self).__name__, table),
        ):
            given = y, sample_weight, known, sampling, groups
            self.model_ = self._trained(table, features, plan, earlier, *given)
        self.__dict__.pop("reference_", None)  # of the model before
        return self

    def _trained(
        self,
        table: Table,
        features: Features,
        plan: Plan,
        earlier: Any,
        y: Any,
        sample_weight: Any,
        given: dict[str, Any],
        sampling: Any,
        groups: Any,
    ) -> BinaryModel | SeveralModel:
        """The model of the rows of a table."""
        if not plan.wraps:
            table = table.read_once()
        classes, label = check_target(y)
        if label.size != table.n_rows:
            raise ValueError(f"y has {label.size} labels, but X has {table.n_rows} rows")
        weight = check_weights(sample_weight, table.n_rows)
        constraints = constraints_of(self.monotonic_cst, self.interaction_cst, features)
        if constraints != plan.constraints:
            plan = plan.changed(constraints=constraints)
        rows = {
            "table": table,
            "features": features,
            "classes": classes,
            "weight": weight,
            "usual_weight": usual_weight(sample_weight),
            "groups": group_codes(groups, table.n_rows),
        }
        fit = self._fit_two if len(classes) <= 2 else self._fit_several
        model = fit(rows, label, plan, earlier, given, sampling)
        if model.learner != "wrapped":
            counting = None if weight is None else weight > 0
            model = replace(model, fingerprint=fingerprint(table, model.coders, counting))
            model = with_background(model, table, counting, self.n_jobs)
        return model

    def _fit_two(
        self,
        rows: dict[str, Any],
        label: NDArray[Any],
        plan: Plan,
        earlier: Any,
        given: dict[str, Any],
        sampling: Any,
    ) -> BinaryModel:
        """Train on checked rows of two classes."""
        classes, weight = rows["classes"], rows["weight"]
        index = positive_class(classes, self.pos_label)
        costs = training_costs(self, given, classes, index, label.size)
        differ = _differ(costs)
        positive = np.asarray(label == classes[index]).view(np.uint8)
        kept = self._kept(sampling, classes, index, plan)
        if earlier is not None:
            check_same_constraints(earlier, plan)
        rule, start = plan.rule, plan.parameters.initial_weights
        costs, share = clipped(costs, self.clip_costs, positive, weight)
        problem = Problem(
            positive_index=index,
            positive=positive,
            costs=costs.net,
            relative=are_relative(weight, rows["usual_weight"]),
            trained=trained_rows(costs.net, positive, rule, start, plan.name),
            **rows,
        )
        check_span(problem.training_part().costs, rule)
        if rule.trains_by_cost(start) and problem.per_row_costs:
            warn_of_few_costly_rows(problem.counting().training_part().cost, plan.name)
        self._warn_of_ignored_costs(problem.costs, plan)
        n_positive = problem.counting().positive.sum()
        if not 0 < n_positive < problem.counting().n_rows:
            raise ValueError(
                "y has one class only among the rows whose sample_weight is not 0; a classifier "
                "needs rows of two classes"
            )
        continued = isinstance(earlier, BinaryModel) and self._continues(earlier)
        model = fit_binary(problem, plan, earlier if continued else None)
        surely_both = _surely_predicts_both(model, problem, plan)
        model = _with_right_costs(model, problem, costs)
        model = replace(model, row_costs=True) if differ else model
        if share is not None or kept is not None:
            model = replace(model, clipped_share=share, sampling=kept)
        by_cost = model.decides_by_cost
        if by_cost and warn_of_dominance(costs.net, model.classes, model.positive_index, plan.name):
            return model
        if model.n_iter and not surely_both:
            counting = problem.counting()

            def decide(rows: NDArray[np.intp]) -> NDArray[Any]:
                part = counting if rows.size == counting.n_rows else counting.take(rows)
                return model.predicted(part.own_table, part.costs, self.n_jobs)

            self._warn_of_one_class(counting.n_rows, decide)
        return model

    def _fit_several(
        self,
        rows: dict[str, Any],
        label: NDArray[Any],
        plan: Plan,
        earlier: Any,
        given: dict[str, Any],
        sampling: Any,
    ) -> SeveralModel:
        """Train on checked rows of more than two classes."""
        classes = rows["classes"]
        refuse_costs_of_two(self, given, len(classes))
        refuse_directions(plan.constraints, len(classes))
        several = SeveralClasses(
            code=np.searchsorted(classes, label),
            matrix=check_matrix(given.get("cost_matrix", self.cost_matrix), classes),
            **rows,
        )
        kept = self._kept(sampling, classes, None, plan)
        if earlier is not None:
            check_same_constraints(earlier, plan)
        if isinstance(earlier, SeveralModel) and not np.array_equal(earlier.classes, classes):
            raise ValueError(
                "warm_start goes on with the same classes, but they were "
                f"{some(earlier.classes)} and are {some(classes)} now; refit with "
                "warm_start=False"
            )
        rule = self._rule_of_several()
        model: SeveralModel
        if rule is None:
            model = self._fit_each_class(several, plan, earlier)
        else:
            check_learner(self, rule, plan.learner)
            continued = isinstance(earlier, ScoresModel) and self._continues(earlier)
            known = earlier if continued else None
            model = fit_scores(several, plan.changed(rule=rule), known)
        model = replace(model, sampling=kept)
        if model.n_iter:

            def decide(rows: NDArray[np.intp]) -> NDArray[Any]:
                whole = rows.size == several.table.n_rows
                part = several.table if whole else several.table.take(rows)
                return model.predicted(part, model.matrix, self.n_jobs)

            self._warn_of_one_class(several.table.n_rows, decide)
        return model

    def _kept(self, sampling: Any, classes: Any, positive: int | None, plan: Plan) -> Floats | None:
        """Share of the rows of each class that the data kept; None if all were kept."""
        kept = check_sampling(sampling, classes, positive)
        if kept is not None and not plan.rule.decides_by_cost and not plan.calibrates:
            raise ValueError(
                f"{type(self).__name__} takes no sampling: its decision is that of a score trained "
                "for fixed costs, and its probabilities are not calibrated. Take "
                "CostBoostClassifier, or calibration='platt'."
            )
        return kept

    def _fit_each_class(self, several: SeveralClasses, plan: Plan, earlier: Any) -> OneVsRestModel:
        """Train a model for each class against the rest."""
        n_classes = len(several.classes)
        known: list[BinaryModel | None] = [None] * n_classes
        if isinstance(earlier, OneVsRestModel):
            states = earlier.random_states
            known = [one if self._continues(one) else None for one in earlier.members]
        else:
            seeds = check_random_state(self.random_state).randint(2**31 - 1, size=n_classes)
            states = tuple(int(seed) for seed in seeds)
        return fit_one_vs_rest(several, plan, states, known)

    def _warn_of_one_class(self, n_rows: int, decide: Any) -> None:
        """Warn if all training rows are predicted to be of one class."""
        label = only_class(n_rows, decide)
        if label is not None:
            warn_of_one_class(type(self).__name__, label, self.one_class_remedy())

    def one_class_remedy(self) -> str | None:
        """What may help if all rows are predicted to be of one class; None if calibrated."""
        if self.calibration is not None:
            return None
        usual = type(self).calibration
        if usual is not None:
            return f"its default, calibration={usual!r}"
        return "CostBoostClassifier, or calibration='platt'"

    def _warn_of_ignored_costs(self, costs: NetCosts, plan: Plan) -> None:
        unequal = np.any(np.asarray(costs.fn) != np.asarray(costs.fp))
        if unequal and plan.rule.cost_blind and not plan.calibrates:
            warn(
                f"{plan.name} ignores costs: fn_cost and fp_cost differ, but neither its "
                "training nor its predict uses them. Take CostBoostClassifier, which decides by "
                "cost, calibration='platt', after which any classifier does, or an algorithm that "
                "trains by cost, such as CGAdaClassifier.",
            )

    # ---- parameters ------------------------------------------------------------------------------

    def _check(self) -> None:
        check_parameters(self)
        check_learner(self, self._rule(), self._learner_name())

    def _plan(self) -> Plan:
        """The fit under the parameters of the classifier."""
        earlier = vars(self).get("model_") if self.warm_start else None
        usual = self._usual_rounds()
        parameters = Fixed.of(self)
        plan = Plan(
            name=type(self).__name__,
            parameters=parameters if usual is None else replace(parameters, n_estimators=usual),
            rule=self._rule(),
            learner=self._learner_name(),
            traits=self._traits,
            scorer=self._scorer() if self.early_stopping else None,
            seed=Seed(
                self.random_state,
                getattr(earlier, "seed", None),
                getattr(earlier, "random_state", None),
            ),
            rounds=None if usual is None else Rounds(usual),
        )
        return replace(plan, members=tuple(map(plan.member, self._choices())))

    def _choices(self) -> Sequence[Choice]:
        """The members among which calibration may choose, if there are several."""
        return ()

    def _usual_rounds(self) -> int | None:
        """Rounds by which ensembles usually end, if their number is not given; else None."""
        return None

    def _scorer(self) -> Any:
        """The user's score of a model for early stopping; None if there is none."""
        if self.scoring is None:
            return None
        scorer = check_scoring(self, self.scoring)

        def score(model: Any, watched: Problem) -> float:
            clf = copy.copy(self)
            clf.model_ = model
            if watched.code is None:
                labels = model.labels(watched.positive.astype(bool))
            else:
                labels = model.classes[watched.code]
            options = {} if watched.weight is None else {"sample_weight": watched.weight}
            assert model.known_table is not None
            return float(scorer(clf, model.known_table.X, labels, **options))

        return score

    def _continues(self, earlier: BinaryModel | ScoresModel) -> bool:
        """Whether a warm start continues an earlier model."""
        return earlier.n_iter > 0

    def _rule(self) -> Rule:
        """The rule under the parameters of the classifier."""
        return self.rule

    def _rule_of_several(self) -> SeveralRule | None:
        """The rule for more than two classes, under the parameters of the classifier."""
        return self.rule_of_several

    def _wraps(self) -> bool:
        return self.estimator is not None and not isinstance(self.estimator, str)

    def _learner_name(self) -> str:
        if self._wraps():
            return "wrapped"
        choices = self._choices()
        learner = choices[0].changes["estimator"] if choices else self.rule.learner
        return self.estimator or learner

    @contextmanager
    def _training_table(self, X: Any) -> Iterator[tuple[Table, Features]]:
        """X as a table; one on a cluster is freed at the end."""
        name, raw = type(self).__name__, self._wraps()
        with training_table(name, X, raw, self._learner_name()) as (table, features):
            if not raw:
                tables.warn_of_text(table, self.categorical_features, self.max_bins)
            if self._learner_name() in NEEDS_ALL_VALUES:
                table.refuse_missing(NEEDS_ALL_VALUES[self._learner_name()])
            yield table, features

    def __setstate__(self, state: Any) -> None:
        """Give an unpickled or copied model the rule of the classifier's parameters."""
        super().__setstate__(state)
        model = vars(self).get("model_")
        if model is not None:
            scores = isinstance(model, ScoresModel)
            self.model_ = model.with_rule(self._rule_of_several() if scores else self._rule())

    # ---- scikit-learn ----------------------------------------------------------------------------

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self._learner_name() in NEEDS_ALL_VALUES:
            tags.input_tags.allow_nan = False
        return tags


def _surely_predicts_both(model: BinaryModel, problem: Problem, plan: Plan) -> bool:
    """Whether the training cost proves that rows are predicted to be of either class.

    It is neither that of all rows being predicted positive nor that of none, beyond rounding; False
    where it is not that of the training rows, or rows have weights or costs of their own.
    """
    of_all_rows = problem.trained is None and not plan.parameters.early_stopping
    if problem.weight is not None or problem.per_row_costs or not of_all_rows:
        return False
    if model.calibrator is not None or not model.train_cost.size:
        return False
    n, n_positive = problem.n_rows, int(problem.positive.sum())
    constant = problem.costs.fn * n_positive / n, problem.costs.fp * (n - n_positive) / n
    return bool(np.abs(np.subtract(constant, model.train_cost[-1])).min() > 1e-9 * max(constant))


def _differ(costs: Costs) -> bool:
    """Whether rows have different costs."""
    each = (*costs.net, *(costs.right or ()))
    return any(bool(np.any(cost != np.ravel(cost)[0])) for cost in each if np.ndim(cost))


def _with_right_costs(model: BinaryModel, problem: Problem, costs: Costs) -> BinaryModel:
    """The model with the costs of right predictions, which ``train_cost`` then includes."""
    if costs.right is None:
        return model
    of_rows = np.where(problem.positive, *costs.right)
    counts = problem.counts if problem.trained is None else problem.counts * problem.trained
    tp, tn = (
        float(np.average(cost, weights=problem.weight) if np.ndim(cost) else cost)
        for cost in costs.right
    )
    return replace(
        model,
        right_costs=(tp, tn),
        train_cost=model.train_cost + np.average(of_rows, weights=counts),
    )


def check_for_fit(clf: Any) -> None:
    """Check the parameters of a classifier as its `fit` does."""
    clf._check()


def rule_of(clf: BoostingClassifier) -> Rule:
    """The rule under the parameters of a classifier, fitted or not."""
    return clf._rule()


def rule_of_several(clf: BoostingClassifier) -> SeveralRule | None:
    """The rule for more than two classes under the parameters of a classifier."""
    return clf._rule_of_several()


def alternatives_of(clf: BoostingClassifier) -> int:
    """Number of members that calibration trains in each fold."""
    return max(1, len(clf._choices()))
