"""The methods of fitted boosting classifiers: scores, probabilities, decisions, explanations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from costboost._core import tables
from costboost._core.arithmetic import Floats, log
from costboost._core.backends.dask.collections import in_memory
from costboost._core.checks import of_one_type, warn
from costboost._core.costs import Costs, known_costs
from costboost._core.costs.record import OUTCOMES
from costboost._core.explaining import (
    Comparison,
    Explanation,
    check_output,
    explain_several,
    explain_two,
    keeps_background,
)
from costboost._core.model import BinaryModel, FittedModel, OneVsRestModel, SeveralModel
from costboost._core.model.prevalence import ESTIMATE, check_prevalence
from costboost._core.model.shares import estimated_shares
from costboost._core.rules.record import Rule
from costboost._core.tables import Table
from costboost._core.tables.unseen import warn_of_unseen
from costboost.classifiers.checks import refuse_costs_of_two
from costboost.classifiers.lazy import by_blocks


class Derived:
    """Mixin of the methods that follow from `predict` and `predict_proba`."""

    @by_blocks
    def predict_log_proba(self: Any, X: Any, prevalence: Any = None) -> Floats:
        """Natural logarithm of `predict_proba`; minus infinity where that is 0."""
        return np.asarray(log(self.predict_proba(X, prevalence)))

    def score(self: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy of `predict`, as of all classifiers of scikit-learn, whatever mistakes cost.

        A search without ``scoring`` maximises it; if mistakes differ in cost, a warning states so.
        `costboost.metrics.make_cost_scorer` is the scorer for costs.

        Parameters
        ----------
        X : array, data frame, sparse matrix or Dask collection of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), optional

        Returns
        -------
        float
            Of a Dask collection, only labels, predictions and weights are brought into memory.
        """
        if self._has_unequal_costs():
            warn(
                f"score of {type(self).__name__} is the accuracy, in which all mistakes count the "
                "same, although their costs differ: a search without scoring= may choose models "
                "that cost more. Pass scoring=make_cost_scorer(...) of costboost.metrics, or "
                "scoring='accuracy'"
            )
        y, predicted, weight = in_memory(y, self.predict(X), sample_weight)
        return float(accuracy_score(of_one_type(y), predicted, sample_weight=weight))

    def _has_unequal_costs(self: Any) -> bool:
        """Whether mistakes that the classifier takes into account differ in cost."""
        record = getattr(self, "costs", None)
        if isinstance(record, Costs) and record.form == OUTCOMES:
            return bool(np.any(record.net.fn != record.net.fp))
        return bool(getattr(self, "fn_cost", 1.0) != getattr(self, "fp_cost", 1.0))


class FittedAttribute:
    """A fitted attribute: a view of the field of the model with the same name.

    It raises an AttributeError, as an attribute that was never set does, before `fit` and where the
    model has no such value.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, clf: Any, owner: type | None = None) -> Any:
        if clf is None:
            return self
        value = getattr(vars(clf).get("model_"), self.name.removesuffix("_"), None)
        if value is None:
            raise AttributeError(f"{type(clf).__name__!r} object has no attribute {self.name!r}")
        return value


class Staged(Derived):
    """Mixin of classifiers that train in rounds, with learners of their own or around others."""

    classes_: Any = FittedAttribute()
    n_features_in_: Any = FittedAttribute()
    feature_names_in_: Any = FittedAttribute()
    n_iter_: Any = FittedAttribute()
    model_: Any
    n_jobs: int | None
    stop_reason_: Any = FittedAttribute()
    train_cost_: Any = FittedAttribute()

    def staged_predict_proba(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Probability of each class after each round; all use the calibrator of the last."""
        table, model = self._read(X), self.model_
        yield from map(model.probabilities, model.stages(table, self.n_jobs))

    def staged_score(self: Any, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Accuracy after each round."""
        y = of_one_type(np.asarray(y))
        for predicted in self.staged_predict(X):
            yield float(accuracy_score(y, predicted, sample_weight=sample_weight))

    @property
    def decides_by_cost(self) -> bool:
        """Whether `predict` of the fitted classifier takes costs other than those of training."""
        check_is_fitted(self)
        return bool(self.model_.decides_by_cost)

    def _has_unequal_costs(self) -> bool:
        check_is_fitted(self)
        return bool(self.model_.costs_differ)

    def _read(self, X: Any) -> Table:
        return read_rows(self, X)

    def _at(self, prevalence: Any, table: Table) -> Any:
        """The model with probabilities for the given shares of the classes, or as it is."""
        model = self.model_
        if prevalence is None:
            return model
        model.check_prevalence_taken(type(self).__name__)
        if isinstance(prevalence, str) and prevalence == ESTIMATE:
            probability = model.probabilities(model.last(table, self.n_jobs))
            shares = estimated_shares(probability, model.class_prior, model.calibration_rows)
        else:
            shares = check_prevalence(prevalence, model.classes, model.positive_index)
        return model.at_prevalence(shares)

    def _probabilities(self, X: Any, prevalence: Any) -> Floats:
        """Probability of each class, under the given shares of the classes."""
        table = self._read(X)
        model = self._at(prevalence, table)
        probabilities: Floats = model.probabilities(model.last(table, self.n_jobs))
        return probabilities

    def _predicted(self, X: Any, given: Mapping[str, Any], prevalence: Any) -> NDArray[Any]:
        """The class of each row under the given costs and shares of the classes."""
        table = self._read(X)
        model = self._at(prevalence, table)
        self._warn_of_mean_costs(given)
        costs = self._costs(model, given, table.n_rows)
        labels: NDArray[Any] = model.classes[model.codes(model.last(table, self.n_jobs), costs)]
        return labels

    def _staged_predicted(self, X: Any, given: Mapping[str, Any]) -> Iterator[NDArray[Any]]:
        """The class of each row after each round, under the given costs."""
        table, model = self._read(X), self.model_
        self._warn_of_mean_costs(given)
        costs = self._costs(model, given, table.n_rows)
        for stage in model.stages(table, self.n_jobs):
            yield model.classes[model.codes(stage, costs)]

    def _warn_of_mean_costs(self, given: Mapping[str, Any]) -> None:
        """Warn if a model of rows with different costs decides by their means."""

    def _costs(self, model: Any, given: Mapping[str, Any], n_rows: int) -> Any:
        """Costs of the decision: the given ones, or those of training."""
        return model.costs_for(type(self).__name__, given, n_rows)

    def __sklearn_tags__(self: Any) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = tags.input_tags.allow_nan = True
        if self._wraps():
            inner = get_tags(self.estimator).input_tags
            tags.input_tags.sparse = inner.sparse
            tags.input_tags.allow_nan = inner.allow_nan
        return tags


class Predictions(Staged):
    """The methods of a fitted classifier; everything they need is in ``model_``."""

    model_: BinaryModel | SeveralModel
    rule: ClassVar[Rule]
    ensemble_: Any = FittedAttribute()
    estimator_weights_: Any = FittedAttribute()
    estimator_errors_: Any = FittedAttribute()
    validation_score_: Any = FittedAttribute()
    shares_: Any = FittedAttribute()
    clipped_share_: Any = FittedAttribute()
    random_state_: Any = FittedAttribute()
    class_prior_: Any = FittedAttribute()

    @property
    def estimators_(self) -> list[Self]:
        """With more than two classes, a classifier for each class against the rest."""
        clf: Any = self
        model = vars(clf).get("model_")
        if not isinstance(model, OneVsRestModel):
            raise AttributeError(f"{type(clf).__name__!r} object has no attribute 'estimators_'")
        members = []
        for one, random_state in zip(model.members, model.random_states, strict=True):
            own = {"cost_matrix": None, "costs": None, "random_state": random_state}
            member = type(clf)(**(clf.get_params(deep=False) | own))
            member.model_ = one
            members.append(member)
        return members

    @by_blocks
    def decision_function(
        self,
        X: Any,
        fn_cost: Any = None,
        fp_cost: Any = None,
        cost_matrix: Any = None,
        tp_cost: Any = None,
        tn_cost: Any = None,
        prevalence: Any = None,
        costs: Any = None,
    ) -> NDArray[np.float64]:
        """How far the score of each row is beyond the decision threshold.

        As everywhere in scikit-learn, it is above 0 exactly where `predict` returns
        ``classes_[1]``; that is the positive class unless ``pos_label`` names the other one. A
        classifier whose decision is the sign of its score returns the score F itself, see
        `raw_score`. One that decides by cost returns F minus the score at which both decisions
        have the same expected cost. With row costs, each row has its own threshold. Costs of
        classes shift all rows alike, so that no ranking, such as the ROC AUC, depends on them.

        With more than two classes there is a column for each, and the greatest is the decision: it
        is minus the expected cost of predicting the class where probabilities decide, and the
        score of the class against the rest otherwise.

        Parameters
        ----------
        X : array, data frame, sparse matrix or Dask collection of shape (n_samples, n_features)
        fn_cost, fp_cost, cost_matrix, tp_cost, tn_cost : optional
            Decide under these costs instead of those of training, as in `predict`.
        prevalence : number, mapping, array or "estimate", optional
            Shares of the classes among the rows to be predicted, as in `predict_proba`.
        costs : Costs, optional
            Costs in one record, as in `predict`.

        Returns
        -------
        array of shape (n_samples,) or (n_samples, n_classes)
            All values are finite.
        """
        table = self._read(X)
        model = self._at(prevalence, table)
        given = known_costs(costs, fn_cost, fp_cost, tp_cost, tn_cost, cost_matrix)
        value = model.values(self._costs(model, given, table.n_rows))
        values: Floats = value(model.last(table, self.n_jobs))
        return values

    @by_blocks
    def raw_score(self, X: Any) -> NDArray[np.float64]:
        """The score F of each row: the sum of the weak learners' votes times their steps.

        It is higher for ``classes_[1]``. Unlike `decision_function` it does not depend on the costs
        of the decision, so that 0 has no meaning for a classifier that decides by cost. With more
        than two classes there is a column for each: the score of the class, or of the class against
        the rest.
        """
        table, model = self._read(X), self.model_
        return model.raw(model.last(table, self.n_jobs))

    @by_blocks
    def predict_proba(self, X: Any, prevalence: Any = None) -> NDArray[np.float64]:
        r"""Probability of each class, in the order of ``classes_``; training costs are taken out.

        Probabilities refer to the shares of the classes in ``class_prior_``. For other shares
        :math:`\pi'`, with the rows of each class being of the same kind as in training, the odds
        are

        .. math::

            \frac{p'}{1 - p'} = \frac{p}{1 - p} \cdot \frac{\pi' / (1 - \pi')}{\pi / (1 - \pi)}

        and with more than two classes :math:`p'_k \propto p_k \pi'_k / \pi_k`.

        Parameters
        ----------
        X : array, data frame, sparse matrix or Dask collection of shape (n_samples, n_features)
        prevalence : number, mapping, array or "estimate", optional
            Share of the positive class among the rows to be predicted; a mapping from labels to
            shares, or the shares in the order of ``classes_``. "estimate" finds them in X itself,
            as far as the probabilities identify them, and warns where they do not; see
            `costboost.estimate_prevalence`. Only for a classifier that decides by cost, such as
            every calibrated one.

        Returns
        -------
        array of shape (n_samples, n_classes)
        """
        return self._probabilities(X, prevalence)

    @by_blocks
    def predict(
        self,
        X: Any,
        fn_cost: Any = None,
        fp_cost: Any = None,
        cost_matrix: Any = None,
        tp_cost: Any = None,
        tn_cost: Any = None,
        prevalence: Any = None,
        costs: Any = None,
    ) -> NDArray[Any]:
        """The class of each row.

        Parameters
        ----------
        X : array, data frame, sparse matrix or Dask collection of shape (n_samples, n_features)
        fn_cost, fp_cost, tp_cost, tn_cost : number or array of shape (n_samples,), optional
            Decide under these costs instead of those of training, without refitting; only for a
            classifier that decides by cost.
        cost_matrix : array of shape (n_classes, n_classes) or (n_samples, n_classes, n_classes)
            Costs for any number of classes: rows are the truth, columns the prediction.
        prevalence : number, mapping, array or "estimate", optional
            Decide by the probabilities under these shares of the classes, as `predict_proba`
            returns them.
        costs : Costs, optional
            All costs in one record, instead of the others.
        """
        given = known_costs(costs, fn_cost, fp_cost, tp_cost, tn_cost, cost_matrix)
        return self._predicted(X, given, prevalence)

    def staged_decision_function(
        self,
        X: Any,
        fn_cost: Any = None,
        fp_cost: Any = None,
        cost_matrix: Any = None,
        tp_cost: Any = None,
        tn_cost: Any = None,
        costs: Any = None,
    ) -> Iterator[NDArray[np.float64]]:
        """How far each score is beyond the decision threshold after each round.

        The last array is that of `decision_function`.
        """
        table, model = self._read(X), self.model_
        given = known_costs(costs, fn_cost, fp_cost, tp_cost, tn_cost, cost_matrix)
        values = model.values(self._costs(model, given, table.n_rows))
        yield from map(values, model.stages(table, self.n_jobs))

    def staged_raw_score(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """The score F of each row after each round; see `raw_score`."""
        table, model = self._read(X), self.model_
        yield from map(model.raw, model.stages(table, self.n_jobs))

    def staged_predict(
        self,
        X: Any,
        fn_cost: Any = None,
        fp_cost: Any = None,
        cost_matrix: Any = None,
        tp_cost: Any = None,
        tn_cost: Any = None,
        costs: Any = None,
    ) -> Iterator[NDArray[Any]]:
        """The class of each row after each round."""
        given = known_costs(costs, fn_cost, fp_cost, tp_cost, tn_cost, cost_matrix)
        yield from self._staged_predicted(X, given)

    # ---- explanations ----------------------------------------------------------------------------

    def explain(
        self,
        X: Any,
        background: Any = None,
        feature_perturbation: str | None = None,
        output: str = "decision",
        fn_cost: Any = None,
        fp_cost: Any = None,
        cost_matrix: Any = None,
        tp_cost: Any = None,
        tn_cost: Any = None,
        prevalence: Any = None,
        costs: Any = None,
    ) -> Explanation:
        r"""What each feature of each row contributes to the decision.

        What is compared with a threshold is explained: the log-odds of the calibrated probability
        where the classifier decides by cost, else the score. Base, contributions and threshold have
        this unit, and a row is predicted positive where base and contributions add up to more than
        the threshold. A classifier around another one, such as an `OperatingPointClassifier`,
        explains the one inside, with the thresholds of its own decisions.

        The contributions to the score F are exact Shapley values,

        .. math:: F(x) = F_0 + \sum_j \phi_j(x)

        where :math:`F_0` is the mean score of a background: a feature's value is its mean gain over
        all orders in which the features of x can replace those of the background. The log-odds
        :math:`g(F(x))` are not linear in the score. Their contributions are the Shapley values
        times the slope of the line from the base to the score,

        .. math:: g(F(x)) = g(F_0) + \frac{g(F(x)) - g(F_0)}{F(x) - F_0} \sum_j \phi_j(x)

        which keeps signs and proportions of the reasons.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
        background : array, data frame or sparse matrix, optional
            Rows to compare with, such as the training rows; all of them are used. Default: sums
            over training rows that are kept with the model, and from which no row can be read.
            Models of version 0.2 and before have none: the rows of X are then compared with each
            other.
        feature_perturbation : {"interventional", "tree_path_dependent"}, optional
            What stands for a feature before it has joined: its value in a background row, or both
            sides of every test of it in a tree, in proportion to the rows that reach them there.
            The latter, which is the default without background rows and needs none, mixes the
            effects of features that depend on each other; the former is the default with them. For
            stumps both are the same.
        output : {"decision", "log-odds", "score"}
            What is explained: what decides, the log-odds of the probability of the positive class,
            or the score F, which is `raw_score` up to its sign.
        fn_cost, fp_cost, cost_matrix, tp_cost, tn_cost : optional
            Costs instead of those of training, as in `predict`; they are in the thresholds.
        prevalence : number, mapping, array or "estimate", optional
            Shares of the classes among the rows, as in `predict_proba`.
        costs : Costs, optional
            Costs in one record, as in `predict`.

        Returns
        -------
        Explanation
            ``values`` of shape (n_samples, n_features), above 0 where a feature favours the
            positive class, whichever class that is; ``base_values``, ``thresholds``, ``unit`` and
            ``data``. The plots of the package shap take it, and NumPy takes it for its values.

            With more than two classes ``values`` have the shape (n_samples, n_features, n_classes),
            above 0 where a feature favours the class. They add up to the logarithm of the
            probability of the class minus its mean over the classes. Scores are explained instead
            where they decide, and where a class has no calibrator of its own score.

        References
        ----------
        S. M. Lundberg et al., "From local explanations to global understanding with explainable AI
        for trees", Nature Machine Intelligence 2, 2020. H. Chen, S. M. Lundberg, S.-I. Lee,
        "Explaining a series of models by propagating Shapley values", Nature Communications 13,
        2022.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from costboost import CostBoostClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = CostBoostClassifier(fn_cost=4, random_state=0).fit(X, y == 2)
        >>> found = clf.explain(X[-3:])
        >>> log_odds = found.base_values + found.values.sum(axis=1)
        >>> (log_odds > found.thresholds).tolist() == clf.predict(X[-3:]).tolist()
        True
        >>> np.allclose(1 / (1 + np.exp(-log_odds)), clf.predict_proba(X[-3:])[:, 1])
        True
        """
        check_output(output)
        given = known_costs(costs, fn_cost, fp_cost, tp_cost, tn_cost, cost_matrix)
        compared = background, feature_perturbation
        return self._explained(X, compared, output, given, prevalence)

    def _explained(
        self,
        X: Any,
        others: tuple[Any, str | None],
        output: str,
        given: dict[str, Any],
        prevalence: Any,
    ) -> Explanation:
        """The explanation; ``others`` are the rows to compare with, and how."""
        table = self._read(X)
        model = self._at(prevalence, table)
        background, perturbation = others
        rows = self._compared(model, table, background)
        compared = Comparison(type(self).__name__, table, rows, perturbation, self.n_jobs)
        costs = self._costs(model, given, table.n_rows)
        if isinstance(model, SeveralModel):
            return explain_several(model, compared, output)
        return explain_two(model, compared, output, costs)

    def _compared(self, model: BinaryModel | SeveralModel, table: Table, given: Any) -> Any:
        """The rows that others are compared with; None for the sums that the model keeps."""
        if given is not None:
            return self._read(given)
        if model.learner == "wrapped" or keeps_background(model):
            return None
        if table.n_rows == 1:
            raise ValueError(
                "the model keeps no background, as those of version 0.2 and before, and a single "
                "row compared with itself is explained by nothing; pass the rows to compare it "
                "with, such as background=X_train"
            )
        warn(
            "the model keeps no background, as those of version 0.2 and before: the rows are "
            "compared with each other. Pass the rows to compare them with, such as "
            "background=X_train"
        )
        return table

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each feature in the ensemble: gains within a tree, weighted by its step."""
        check_is_fitted(self)
        return self.model_.feature_importances

    # ---- costs -----------------------------------------------------------------------------------

    def _has_unequal_costs(self) -> bool:
        blind = self.rule.cost_blind and not self.decides_by_cost  # `fit` has warned
        return not blind and super()._has_unequal_costs()

    def _announce_predict(self, given: Mapping[str, Any]) -> None:
        """Warn before the blocks of a Dask collection are predicted."""
        if not set(given) - {"prevalence"}:
            self._warn_of_mean_costs({})

    def _warn_of_mean_costs(self, given: Mapping[str, Any]) -> None:
        """Warn if a model of rows with different costs decides by their means."""
        model = self.model_
        if not given and model.row_costs and model.decides_by_cost:
            fn, fp = (float(f"{cost:.4g}") for cost in model.costs)
            warn(
                f"{type(self).__name__} was fitted with costs of rows, but predict(X) has none: it "
                f"decides by their means (net costs fn_cost={fn}, fp_cost={fp}), which costs more "
                "than to decide each row by its own. Pass fn_cost and fp_cost to predict, one for "
                "each row, or a number where all rows have the same"
            )

    def _costs(self, model: Any, given: Mapping[str, Any], n_rows: int) -> Any:
        """Costs of the decision: the given ones, or those of training."""
        if model.positive_index is None:
            refuse_costs_of_two(self, given, len(model.classes))
        return super()._costs(model, given, n_rows)


def read_rows(clf: Any, X: Any) -> Table:
    """X as a table that a fitted classifier can predict."""
    if "model_" not in vars(clf):
        check_is_fitted(clf)
    model: FittedModel = clf.model_
    if model.known_table is not None and X is model.known_table.X:
        return model.known_table
    table = tables.read(clf, X, raw=model.learner == "wrapped")
    model.refuse_missing(table)
    warn_of_unseen(table, model.coders or ())
    return table


def positives_and_probabilities(
    clf: Any, X: Any, given: Mapping[str, Any], prevalence: Any = None
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Which rows a classifier of two classes predicts positive, and their probabilities."""
    table = read_rows(clf, X)
    model = clf._at(prevalence, table)
    costs = clf._costs(model, given, table.n_rows)
    score = model.scores(table, clf.n_jobs)
    return model.positive(score, costs), model.probability(score)
