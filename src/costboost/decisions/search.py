"""Search for the training costs under which a classifier has the least true cost."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV

from costboost._core.checks import (
    one_class_allowed,
    only_class,
    warn_of_one_class,
)
from costboost._core.costs import Costs, known_costs
from costboost._core.docstrings import sharing
from costboost._core.parameters.parameter import Flag
from costboost._core.threads.processes import jobs_for_joblib
from costboost.classifiers.base import BoostingClassifier
from costboost.classifiers.checks import costs_of_fit
from costboost.classifiers.lazy import by_blocks
from costboost.decisions.goals import are_least
from costboost.decisions.wrapping import (
    SHARED,
    Delegating,
    FoldedData,
    GivenFolds,
    check_estimator,
    check_grid,
    cost_parameters,
    given_prevalence,
    has_cost_parameters,
    read_data,
    take,
)
from costboost.metrics import mean_cost
from costboost.metrics.checks import Floats
from costboost.metrics.costs import decides_by_cost

FACTORS = np.geomspace(1 / 16, 16, 17)
"""Default training costs to try, as multiples of the true cost."""


@sharing(SHARED)
@dataclass(eq=False, repr=False)
class CostSearchCV(Delegating, ClassifierMixin, BaseEstimator):
    r"""Search for the training costs that lead to the least cost under the true costs.

    .. math::

        \hat C = \arg\min_{C}\ \operatorname{mean\ cost}_{f, 1}(h_C)

    where :math:`h_C` is the classifier trained with ``fn_cost`` C, and f the true cost of a
    false negative (miss).
    The mean cost is measured on held-out rows, and averaged over the folds.

    A classifier that exaggerates costs, as AdaC2 and CSB2 do, or follows them only in part, as
    CSAda does if they differ much, is best when trained for other costs than the true ones. Use
    this search to find them, and to compare such algorithms fairly, as their authors do. A
    calibrated classifier decides by the true costs as it is, and needs no search.

    Parameters
    ----------
    estimator : classifier
        A classifier with the parameters ``fn_cost`` and ``fp_cost``, also inside a pipeline.
    fn_costs : array, default=None
        Values of its ``fn_cost`` to try; its ``fp_cost`` is ``fp_cost`` throughout. By default 17
        from 1/16 to 16 times the true one.
    fn_cost, fp_cost : float, default=1.0
        The true costs of a false negative (miss) and of a false positive (false alarm). `fit` takes
        arrays with one cost for each row.
    tp_cost, tn_cost : float, default=0.0
        The true costs of right predictions: of a true positive and of a true negative. A gain is a
        negative cost. The estimator is trained for net costs, ``fn_cost - tp_cost`` and ``fp_cost -
        tn_cost``, and ``fn_costs`` are net costs.
    costs : Costs, default=None
        All true costs in one record, instead of the four.
    {pos_label}
    cv : int, splitter or iterable of splits, default=5
        A number of stratified folds, which are shuffled, or the folds themselves.
    refit : bool, default=True
        Whether to train a classifier on all rows with the costs that were found.
    {folds}

    Attributes
    ----------
    best_fn_cost_ : float
        The training cost that was found. Of several, the one nearest to the true cost.
    best_cost_ : float
        Mean cost of a held-out row with this training cost, under the true costs.
    best_index_ : int
        Index of the training cost in ``cv_results_``.
    best_params_ : dict
        The parameters of the estimator that were found, as ``GridSearchCV`` names them.
    best_score_ : float
        Minus ``best_cost_``.
    cv_results_ : dict of arrays
        Results of scikit-learn's ``GridSearchCV``, where scores are minus the mean cost, with
        ``fn_cost`` and ``mean_test_cost`` added.
    best_estimator_ : classifier
        Trained on all rows. With ``refit`` only.
    search_ : GridSearchCV
        The underlying search.
    {two_classes}
    {features}

    References
    ----------
    Masnadi-Shirazi, H. & Vasconcelos, N. (2007). Cost-sensitive boosting. Technical report
    SVCL-TR 2007/06, UCSD; section 5.2.1 and table 1.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from costboost import CostSearchCV
    >>> from costboost.algorithms import AdaC2Classifier
    >>> X, y = load_breast_cancer(return_X_y=True)  # 0 is malignant
    >>> search = CostSearchCV(
    ...     AdaC2Classifier(pos_label=0, n_estimators=50),
    ...     fn_costs=[1, 1.1, 1.2, 1.5, 2, 5, 10],
    ...     fn_cost=10,
    ...     random_state=0,
    ... ).fit(X, y)
    >>> print(f"trained for {search.best_fn_cost_:g}, mean cost {search.best_cost_:.2f}")
    trained for 1.2, mean cost 0.15
    """

    _inner: ClassVar[str] = "best_estimator_"

    estimator: Any
    _: KW_ONLY
    fn_costs: Any = None
    fn_cost: float = 1.0
    fp_cost: float = 1.0
    tp_cost: float = 0.0
    tn_cost: float = 0.0
    costs: Any = None
    pos_label: Any = None
    cv: Any = 5
    refit: bool = True
    random_state: Any = None
    n_jobs: int | None = None

    @sharing(SHARED)
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        fn_cost: Any = None,
        fp_cost: Any = None,
        tp_cost: Any = None,
        tn_cost: Any = None,
        groups: Any = None,
        costs: Any = None,
    ) -> Self:
        """Search the training costs, and train on all rows.

        Parameters
        ----------
        {labelled_rows}
        sample_weight : array of shape (n_samples,), optional
            How often each row counts, in training and in the mean cost.
        fn_cost, fp_cost, tp_cost, tn_cost : number or array of shape (n_samples,), optional
            True costs instead of those of the constructor; arrays give each row its own. The
            estimator is always trained for one cost of each class.
        {groups}
        costs : Costs, optional
            All true costs in one record, instead of the four.

        Returns
        -------
        self
        """
        check_estimator(self.estimator)
        Flag().check("refit", self.refit)
        if not has_cost_parameters(self.estimator):
            raise ValueError(
                f"{type(self.estimator).__name__} has no fn_cost and fp_cost to be searched"
            )
        known = costs_of_fit(self, known_costs(costs, fn_cost, fp_cost, tp_cost, tn_cost))
        data = read_data(self, X, y, sample_weight, known, groups, costs)
        data.refuse_dominance()
        true_cost = data.mean_costs.net.fn
        grid = check_grid(self.fn_costs, FACTORS * true_cost)
        pick = _Nearest(grid, true_cost)
        with one_class_allowed():  # some of the costs that are tried may be far off
            self.search_ = _run(self, data.without_costs(), grid, pick)
        self.classes_ = data.classes
        scores = self.search_.cv_results_["mean_test_score"]
        self.cv_results_ = {**self.search_.cv_results_, "fn_cost": grid, "mean_test_cost": -scores}
        self.best_index_ = pick(self.cv_results_)
        self.best_fn_cost_ = float(grid[self.best_index_])
        self.best_cost_ = -float(scores[self.best_index_])
        self.__dict__.pop("best_estimator_", None)
        if self.refit:
            self.best_estimator_ = self.search_.best_estimator_
            self._remember_features()
            self._warn_of_one_class(data.X, len(data.y))
        return self

    @property
    def best_params_(self) -> dict[str, Any]:
        """Parameters of the estimator that lead to the least cost."""
        return dict(self.cv_results_["params"][self.best_index_])

    @property
    def best_score_(self) -> float:
        """Minus the mean cost of a held-out row with the best parameters."""
        return -self.best_cost_

    def _warn_of_one_class(self, X: Any, n_rows: int) -> None:
        """Warn if the best classifier predicts one class for all rows."""
        model = self.best_estimator_
        label = only_class(n_rows, lambda rows: np.asarray(model.predict(take(X, rows))))
        if label is not None:
            remedy = (
                model.one_class_remedy() if isinstance(model, BoostingClassifier) else "other costs"
            )
            warn_of_one_class(type(self).__name__, label, remedy)

    @by_blocks
    def predict(
        self,
        X: Any,
        fn_cost: Any = None,
        fp_cost: Any = None,
        tp_cost: Any = None,
        tn_cost: Any = None,
        prevalence: Any = None,
        costs: Any = None,
    ) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : array, data frame, sparse matrix or Dask collection of shape (n_samples, n_features)
        fn_cost, fp_cost, tp_cost, tn_cost : number or array of shape (n_samples,), optional
            Passed on to the classifier inside; only if it decides by cost.
        prevalence : number, mapping, array or "estimate", optional
            Shares of the classes among these rows, as in `predict_proba`.
        costs : Costs, optional
            All costs in one record, instead of the four.
        """
        known = known_costs(costs, fn_cost, fp_cost, tp_cost, tn_cost)
        inner = self._fitted()
        given = given_prevalence(inner.predict, prevalence)
        return np.asarray(inner.predict(X, **known, **given))

    @property
    def decides_by_cost(self) -> bool:
        """Whether `predict` takes costs other than those of training, as the classifier inside."""
        return decides_by_cost(self._fitted())

    def _fitted(self) -> Any:
        if hasattr(self, "search_") and not hasattr(self, "best_estimator_"):
            raise NotFittedError(
                "this CostSearchCV was fitted with refit=False, which leaves no classifier to "
                "predict with; take refit=True"
            )
        return super()._fitted()


@dataclass(frozen=True)
class _Nearest:
    """Index of the cheapest training cost; of several, the one nearest to the true cost."""

    grid: Floats
    true_cost: float

    def __call__(self, results: dict[str, Any]) -> int:
        cost = -np.asarray(results["mean_test_score"])
        cheap = np.flatnonzero(are_least(cost))
        return int(cheap[np.argmin(np.abs(np.log(self.grid[cheap] / self.true_cost)))])


@dataclass(frozen=True)
class _MinusCost:
    """Scorer of the fitted search: a record, which can be saved without pickling a function."""

    costs: Costs
    label: Any

    def __call__(self, model: Any, X: Any, y: Any) -> float:
        return -mean_cost(y, model.predict(X), costs=self.costs, pos_label=self.label)


def _run(clf: CostSearchCV, data: FoldedData, grid: Floats, pick: _Nearest) -> GridSearchCV:
    """Search over the grid, scored by the cost under the true costs."""
    means = data.mean_costs
    settings = [cost_parameters(clf.estimator, float(c), means.net.fp, data.stated) for c in grid]
    plain = _MinusCost(means, data.label)
    search = GridSearchCV(
        clone(clf.estimator),
        [{path: [value] for path, value in one.items()} for one in settings],
        scoring=plain,
        cv=GivenFolds(data.splits),
        refit=pick if clf.refit else False,
        n_jobs=jobs_for_joblib(clf.n_jobs, len(settings) * len(data.splits)),
        error_score="raise",
    )
    if data.is_uniform and not data.params:
        return search.fit(data.X, data.y)
    with config_context(enable_metadata_routing=True):
        if data.params and hasattr(search.estimator, "set_fit_request"):
            search.estimator.set_fit_request(**dict.fromkeys(data.params, True))
        # Not make_cost_scorer: the predictions compared are those by the costs of training. Under
        # separate names, so that the estimator needs no request for them.
        scorer = make_scorer(mean_cost, greater_is_better=False, pos_label=data.label)
        search.scoring = scorer.set_score_request(sample_weight="true_weight", costs="true_costs")
        true = {"true_weight": data.weight, "true_costs": data.costs}
        search.fit(data.X, data.y, **data.params, **true)
    search.scoring = search.scorer_ = (
        plain  # weights and costs of this fit do not apply to other rows
    )
    _forget_requests(search, clf.estimator)
    return search


def _forget_requests(search: GridSearchCV, given: Any) -> None:
    """Remove the metadata requests that were made for the search, and not by the user."""
    for estimator in (search.estimator, getattr(search, "best_estimator_", None)):
        if estimator is not None and "_metadata_request" not in vars(given):
            vars(estimator).pop("_metadata_request", None)
