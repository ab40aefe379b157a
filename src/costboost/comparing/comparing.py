"""Several classifiers, trained and measured on the same folds."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import brier_score_loss, precision_recall_fscore_support
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import has_fit_parameter

from costboost.checks import warn_deprecated
from costboost.comparing.data_sets import Matrix, Problem, read_problems
from costboost.comparing.result import MEASURES, Comparison
from costboost.decisions.folds import Rows, Split, take
from costboost.decisions.wrapping import check_estimator, has_costs, paths, positive_label, settings
from costboost.metrics import mean_cost
from costboost.metrics.checks import Floats
from costboost.metrics.scorer import decisions


def compare(
    estimators: Any,
    X: Any,
    y: Any = None,
    costs: Any = None,
    cv: Any = None,
    *,
    fn_cost: Any = None,
    fp_cost: Any = None,
    cost_matrix: Any = None,
    pos_label: Any = None,
    train_with_costs: bool = True,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> Comparison:
    """Compare classifiers by what their decisions cost, on the same folds.

    Every classifier is trained and measured on the same folds: mean cost of a decision, Brier
    score, accuracy, precision, recall and F1 of either class, and time. Over several data sets they
    are ranked as well. With more than two classes, precision, recall and F1 are left out.

    Costs are the truth about the problem. They are used to measure, and classifiers that have
    ``fn_cost`` and ``fp_cost`` are trained for them. Costs of rows are cut into folds; they reach
    every ``fit`` that takes them (inside a pipeline by metadata routing, otherwise the classifier
    is trained for their means) and every ``predict`` that decides by cost.

    Parameters
    ----------
    estimators : dict, list of pairs, or list of classifiers
        Classifiers by name; scikit-learn's and any others that follow its conventions. Without
        names they are called by their classes.
    X : array, data frame, sparse matrix, or dict of data sets
        Rows; or several data sets, name -> ``(X, y)`` or ``(X, y, costs)``, and no ``y`` then.
        These costs are ``{"fn_cost": ..., "fp_cost": ...}``, an object with such attributes, as
        the costs of a data set of `costboost.datasets` are, or a cost matrix.
    y : array of shape (n_samples,), optional
        Two classes or more, any labels.
    costs : deprecated
        Old spelling of ``fn_cost`` and ``fp_cost``, as a pair, and of ``cost_matrix``.
    cv : int, splitter or list of splits, optional
        Default: five stratified folds, twice.
    fn_cost, fp_cost : number or array of shape (n_samples,), optional
        Cost of a miss and of a false alarm, the same for all rows or one for each. Default: 1. With
        several data sets: for those without costs of their own.
    cost_matrix : array of shape (n_classes, n_classes), optional
        With more than two classes, or for two without a positive one: ``cost_matrix[i, j]`` is the
        cost of predicting class j where class i is true, in sorted order of the classes.
        Classifiers that have ``cost_matrix`` are trained for it.
    pos_label : label, optional
        The positive class, for ``fn_cost`` and ``fp_cost``. Default: that of the classifiers, or
        else the greater label.
    train_with_costs : bool, default=True
        If False, classifiers are trained for the costs they were made with.
    n_jobs : int, optional
        Folds at a time, as in scikit-learn. More than one spoils the times.
    random_state : int, RandomState or None
        For the folds.

    Returns
    -------
    Comparison
        ``print`` shows it; ``rows()`` and ``to_dict()`` are for programs, ``difference`` for two
        classifiers and ``ranks`` for several data sets.

    Raises
    ------
    ValueError
        If something given is wrong, or a classifier fails; the message says which.

    Notes
    -----
    Intervals are those of the corrected resampled t-test: folds of one data set share rows, and
    the usual interval would be too narrow. A measure that is not defined in a fold, such as the
    precision of a class that was never predicted, counts as 0 there.

    References
    ----------
    C. Nadeau & Y. Bengio, "Inference for the generalization error", Machine Learning 52, 2003.
    J. Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from costboost import AdaBoostClassifier, CGAdaClassifier, compare
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> both = [AdaBoostClassifier(), CGAdaClassifier()]
    >>> found = compare(both, X, y, fn_cost=10, fp_cost=1, pos_label=0, random_state=0)
    >>> [round(found.estimate(name, "recall_positive").mean, 3) for name in found.estimators]
    [0.953, 0.96]
    >>> found.difference("CGAdaClassifier", "AdaBoostClassifier").mean < 0
    True
    >>> sorted(found.rows()[0])[:4]
    ['accuracy', 'accuracy_high', 'accuracy_low', 'brier']
    """
    named = _named(estimators)
    costs = _stated_costs(costs, fn_cost, fp_cost, cost_matrix, pos_label)
    label = _label(named, pos_label)
    problems = read_problems(X, y, costs, cv, label, random_state)
    jobs = [
        (name, estimator, problem, split)
        for problem in problems
        for name, estimator in named.items()
        for split in problem.splits
    ]
    found = Parallel(n_jobs=n_jobs)(delayed(trial)(*job, train_with_costs) for job in jobs)
    return Comparison(
        list(named),
        [problem.name for problem in problems],
        _gathered(problems, list(named), iter(found)),
        {problem.name: problem.held_to_trained for problem in problems},
    )


def _stated_costs(costs: Any, fn_cost: Any, fp_cost: Any, cost_matrix: Any, pos_label: Any) -> Any:
    """The costs for data sets without their own, stated in one way only."""
    pair = {"fn_cost": fn_cost, "fp_cost": fp_cost}
    pair = {name: cost for name, cost in pair.items() if cost is not None}
    if (costs is not None) + bool(pair) + (cost_matrix is not None) > 1:
        raise ValueError("costs are given twice: pass fn_cost and fp_cost, or cost_matrix")
    if costs is not None:
        warn_deprecated("compare(costs=...)", "fn_cost= and fp_cost=, or cost_matrix=")
        return costs
    if cost_matrix is None:
        return pair or None
    if pos_label is not None:
        raise ValueError(
            "pos_label goes with fn_cost and fp_cost; leave it out where cost_matrix is given"
        )
    return Matrix(cost_matrix)


def _gathered(
    problems: list[Problem], names: list[str], found: Iterable[Values]
) -> dict[str, dict[str, dict[str, Floats | None]]]:
    """Values of all folds, by data set, estimator and measure."""
    results = iter(found)
    return {
        problem.name: {name: _columns([next(results) for _ in problem.splits]) for name in names}
        for problem in problems
    }


def _columns(folds: list[Values]) -> dict[str, Floats | None]:
    columns: dict[str, Floats | None] = {}
    for measure in MEASURES:
        values = [fold[measure] for fold in folds]
        present = [value for value in values if value is not None]
        columns[measure] = np.array(present) if len(present) == len(values) else None
    return columns


def _named(estimators: Any) -> dict[str, Any]:
    """The classifiers by name."""
    if isinstance(estimators, Mapping):
        pairs = list(estimators.items())
    elif isinstance(estimators, (list, tuple)):
        pairs = [one if _is_pair(one) else (type(one).__name__, one) for one in estimators]
    else:
        raise ValueError(
            "estimators must be a dict, a list of pairs (name, classifier) or a list of "
            f"classifiers, got {type(estimators).__name__}"
        )
    if not pairs:
        raise ValueError("there are no estimators to compare")
    names = [name for name, _ in pairs]
    for name, estimator in pairs:
        check_estimator(estimator)
        if not isinstance(name, str):
            raise ValueError(f"names of estimators must be text, got {name!r}")
        if names.count(name) > 1:
            raise ValueError(f"two estimators are called {name!r}; give them names of their own")
    return dict(pairs)


def _is_pair(one: Any) -> bool:
    return isinstance(one, (tuple, list)) and len(one) == 2


def _label(named: Mapping[str, Any], pos_label: Any) -> Any:
    """The positive class as somebody has stated it, or None; all must mean the same."""
    stated = {name: positive_label(each, pos_label) for name, each in named.items()}
    said = {name: label for name, label in stated.items() if label is not None}
    if len(set(said.values())) > 1:
        raise ValueError(
            f"the estimators do not agree on the positive class: {said!r}; pass pos_label"
        )
    return next(iter(said.values()), None)


Values = dict[str, float | None]


def trial(name: str, estimator: Any, problem: Problem, split: Split, with_costs: bool) -> Values:
    """Every measure on the held-out rows."""
    train, held = split
    with warnings.catch_warnings():
        # That some of those compared ignore the costs is what the comparison is to show.
        warnings.filterwarnings("ignore", message=".*ignores costs", category=UserWarning)
        begin = perf_counter()
        try:
            model, fit_params = _prepared(estimator, problem, train, with_costs)
            model.fit(take(problem.X, train), problem.y[train], **fit_params)
            said = _decisions(model, problem, held)
            seconds = perf_counter() - begin
            probability = _probability(model, problem, held)
        except Exception as error:
            raise ValueError(
                f"{name} failed on data set {problem.name!r}: {type(error).__name__}: {error}"
            ) from error
    return _measured(problem, held, said, probability) | {"seconds": seconds}


def _prepared(
    estimator: Any, problem: Problem, train: Rows, with_costs: bool
) -> tuple[Any, dict[str, Any]]:
    """The classifier as it is to be trained, and what its `fit` is to be given."""
    model = clone(estimator)
    if problem.matrix is not None:
        wanted = dict.fromkeys(paths(model, "cost_matrix") if with_costs else (), problem.matrix)
        return model.set_params(**wanted), {}
    label = dict.fromkeys(paths(model, "pos_label"), problem.label)
    if not with_costs:
        return model.set_params(**label), {}
    if has_costs(model):
        fn, fp = problem.mean_costs(train)
        model.set_params(**settings(model, fn, fp, None))
    costs = problem.costs(train) if problem.costs_of_rows else {}
    wanted = {key: _one_each(cost, train.size) for key, cost in costs.items() if _takes(model, key)}
    return model.set_params(**label), wanted


def _takes(model: Any, key: str) -> bool:
    """Whether `fit` takes it, or passes it on to somebody who has asked for it."""
    if has_fit_parameter(model, key):
        return True
    routing = getattr(model, "get_metadata_routing", None)
    try:
        return routing is not None and key in routing().consumes("fit", [key])
    except (AttributeError, TypeError, RuntimeError, NotImplementedError):
        return False


def _one_each(cost: Any, n_rows: int) -> Any:
    return cost if np.ndim(cost) else np.full(n_rows, cost)


def _decisions(model: Any, problem: Problem, held: Rows) -> Any:
    """`predict`, told the costs of the rows by those that can decide by them."""
    X = take(problem.X, held)
    if not problem.costs_of_rows:
        return np.asarray(model.predict(X))
    return np.asarray(decisions(model, X, **problem.costs(held), pos_label=problem.label))


def _probability(model: Any, problem: Problem, held: Rows) -> Any:
    if not hasattr(model, "predict_proba"):
        return None
    shares = np.asarray(model.predict_proba(take(problem.X, held)))
    if problem.matrix is not None:
        return shares
    return shares[:, int(np.flatnonzero(model.classes_ == problem.label)[0])]


def _measured(problem: Problem, held: Rows, said: Any, probability: Any) -> Values:
    accuracy = float(np.mean(said == problem.y[held]))
    return {"accuracy": accuracy} | (_of_two if problem.matrix is None else _of_several)(
        problem, held, said, probability
    )


def _of_several(problem: Problem, held: Rows, said: Any, probability: Any) -> Values:
    """What any number of classes has; Brier's score halved, so that with two it is the same."""
    assert problem.matrix is not None
    assert problem.classes is not None
    truth, code = (np.searchsorted(problem.classes, labels) for labels in (problem.y[held], said))
    brier = None
    if probability is not None:
        apart = probability - np.eye(len(problem.classes))[truth]
        brier = float((apart**2).sum(axis=1).mean() / 2)
    undefined = {name: None for name in MEASURES if name.endswith(("_positive", "_negative"))}
    return {"cost": float(problem.matrix[truth, code].mean()), "brier": brier, **undefined}


def _of_two(problem: Problem, held: Rows, said: Any, probability: Any) -> Values:
    truth = problem.positive[held]
    called = said == problem.label
    costs = problem.costs(held)
    values: Values = {
        "cost": mean_cost(truth.astype(int), called.astype(int), pos_label=1, **costs),
        "brier": None if probability is None else float(brier_score_loss(truth, probability)),
    }
    found = precision_recall_fscore_support(truth, called, labels=[True, False], zero_division=0.0)
    for key, pair in zip(("precision", "recall", "f1"), found, strict=False):
        values[f"{key}_positive"], values[f"{key}_negative"] = map(float, pair)
    return values
