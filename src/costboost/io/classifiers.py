"""Model file kinds of boosting classifiers: their parameters and fitted models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost._core.calibration.base import Calibrator
from costboost._core.calibration.per_class import ClassCalibrators
from costboost._core.calibration.softmax import SoftmaxCalibrator
from costboost._core.engine.class_trees import ScoreTrees
from costboost._core.engine.ensemble import Ensemble
from costboost._core.engine.lines import Lines
from costboost._core.model import BinaryModel, OneVsRestModel, ScoresModel
from costboost._core.model.constraints import MOST_ON_A_PATH
from costboost._core.model.fitted import NEEDS_ALL_VALUES
from costboost._core.model.providers import ClassTrees, SumOfLearners
from costboost._core.parameters.estimators import DRAWING, ESTIMATORS
from costboost._core.rules.record import STARTS, NetCosts
from costboost._core.tables import Coder
from costboost.algorithms import CLASSES
from costboost.classifiers.base import (
    BoostingClassifier,
    check_for_fit,
    rule_of,
    rule_of_several,
)
from costboost.classifiers.checks import refuse_costs_of_two
from costboost.io.parts import (
    FARTHEST,
    FOR_TRAINING,
    check_coders,
    check_features,
    check_features_in,
    check_threads,
    kept_fingerprint,
    make,
    parameter_parts,
    refuse_strange,
)
from costboost.io.tree import Fields, Kind, NotPlainError

N_CLASSES = 2
LEAST_CLASSES = 3
ROUNDING = 1e-9
"""Relative tolerance of the sum of the steps, which depends on the order of summation."""
OF_TWO = (
    "classes positive_index n_features_in feature_names_in learner categories ensemble "
    "estimator_weights estimator_errors votes stop_reason train_cost validation_score shares "
    "stage_ends stage_slopes stage_shifts calibrator chosen initial_weights n_rounds prior "
    "sampling costs right_costs row_costs clipped_share held_out seed background "
    "random_state fingerprint monotonic interactions"
)
"""What is stored of a model of two classes, in the order of the files."""
OF_SEVERAL = (
    "classes n_features_in feature_names_in learner matrix by_cost changeable sampling "
    "fingerprint categories ensemble estimator_weights estimator_errors stop_reason "
    "train_cost validation_score shares stage_ends stage_slopes calibrator chosen n_rounds "
    "prior held_out seed background random_state interactions"
)
"""What is stored of a model with a score for each class, in the order of the files."""
MAY_BE_NULL = {"calibrator", "fingerprint"}
"""Fields of a model that are stored even if they are None."""


# ---- writing -------------------------------------------------------------------------------------


def _parts(clf: BoostingClassifier) -> Mapping[str, Any]:
    model = getattr(clf, "model_", None)
    wraps = clf.estimator is not None and not isinstance(clf.estimator, str)
    if wraps or getattr(model, "learner", None) == "wrapped":
        inner = type(clf.estimator).__name__ if wraps else "scikit-learn classifier"
        raise NotPlainError(f"boosts a {inner}")
    refuse_strange(clf, {"model_"})
    if model is None:
        return parameter_parts(clf)
    if isinstance(model, OneVsRestModel):
        return {**parameter_parts(clf), **_parts_of_several(clf, model)}
    return {**parameter_parts(clf), **_parts_of_one(model)}


def _parts_of_one(model: BinaryModel | ScoresModel) -> dict[str, Any]:
    """The fields of a model, each with an underscore appended to its name."""
    names = (OF_TWO if isinstance(model, BinaryModel) else OF_SEVERAL).split()
    named = {name: getattr(model, {"categories": "coders"}.get(name, name)) for name in names}
    return {"n_iter_": model.n_iter} | {
        f"{name}_": value
        for name, value in named.items()
        if value is not None or name in MAY_BE_NULL
    }


def _parts_of_several(clf: BoostingClassifier, model: OneVsRestModel) -> dict[str, Any]:
    parts = {
        "n_features_in_": model.n_features_in,
        "classes_": model.classes,
        "n_iter_": model.n_iter,
        "stop_reason_": model.stop_reason,
        "learner_": model.learner,
        "fingerprint_": model.fingerprint,
        "one_vs_rest_": OneVsRest(clf.estimators_, model.matrix, model.by_cost, model.changeable),
    }
    if model.feature_names_in is not None:
        parts["feature_names_in_"] = model.feature_names_in
    if model.sampling is not None:
        parts["sampling_"] = model.sampling
    return parts


# ---- reading -------------------------------------------------------------------------------------


def _classifier(cls: type[BoostingClassifier], fields: Fields) -> BoostingClassifier:
    clf = make(cls, fields)
    _check_parameters(clf)
    if "one_vs_rest_" in fields:
        clf.model_ = _several(clf, fields)
    elif "matrix_" in fields:
        clf.model_ = _scores(clf, fields)
    elif "classes_" in fields:
        clf.model_ = _binary(clf, fields)
        _check_probabilities(clf.model_)
    return clf


def _check_parameters(clf: BoostingClassifier) -> None:
    """Check the parameters as `fit` does, and that `n_jobs` is not too large."""
    if clf.estimator is not None and not isinstance(clf.estimator, str):
        raise ValueError("estimator must be the name of a weak learner")
    check_for_fit(clf)
    check_threads(clf)


def _training(
    clf: BoostingClassifier, fields: Fields, coders: Sequence[Any], n_iter: int, n_classes: int
) -> dict[str, Any]:
    """Read the parts of a model that describe its training, whatever the number of classes."""
    several = "shares_" in fields  # an average of several ensembles
    return {
        **check_features_in(fields, len(coders)),
        "fingerprint": kept_fingerprint(fields),
        "classes": fields.labels("classes_", n_classes),
        "stop_reason": fields.text("stop_reason_"),
        "estimator_errors": fields.floats("estimator_errors_", n_iter),
        "train_cost": fields.floats("train_cost_", None if several else n_iter),
        "validation_score": fields.floats("validation_score_", n_iter)
        if "validation_score_" in fields
        else None,
        "chosen": _chosen(clf, fields),
        "n_rounds": fields.whole("n_rounds_", 1 if several else max(1, n_iter)),
        "sampling": _sampling(fields, n_classes),
        "shares": _shares(fields) if several else None,
        "held_out": fields.number("held_out_", 0.0, 1.0) if "held_out_" in fields else None,
        "seed": fields.whole("seed_", 0) if "seed_" in fields else None,
        "random_state": fields.whole("random_state_", 0) if "random_state_" in fields else None,
    }


def _binary(clf: BoostingClassifier, fields: Fields) -> BinaryModel:
    """Read a model of two classes."""
    n_iter = fields.whole("n_iter_", 0)
    coders = check_coders(fields, "categories_")
    steps = fields.numbers("estimator_weights_", n_iter)
    votes = _votes(fields, steps)
    ensemble = _ensemble(fields, coders, steps)
    rule = rule_of(clf)
    return BinaryModel(
        rule=rule,
        votes=votes,
        provider=SumOfLearners(
            learner=fields.text("learner_", ESTIMATORS),
            coders=coders,
            ensemble=ensemble,
            combine=getattr(rule, "combine", None),
            background=_background(fields, ensemble),
        ),
        **_training(clf, fields, coders, n_iter, N_CLASSES),
        estimator_weights=steps,
        calibrator=_calibrator(fields),
        initial_weights=fields.text("initial_weights_", ("auto", *STARTS)),
        positive_index=fields.whole("positive_index_", 0, N_CLASSES - 1),
        prior=fields.number("prior_", 0.0, 1.0),
        **_model_costs(fields),
        row_costs=fields.a("row_costs_", bool) if "row_costs_" in fields else None,
        clipped_share=fields.number("clipped_share_", 0.0, 1.0)
        if "clipped_share_" in fields
        else None,
        **(_stages(fields, n_iter) if "stage_ends_" in fields else {}),
        **_constraints(fields, len(coders)),
    )


def _constraints(fields: Fields, n_features: int) -> dict[str, Any]:
    """Read the directions of features, and which of them may interact, if files have them."""
    found: dict[str, Any] = {}
    if "monotonic_" in fields:
        monotonic = fields.array("monotonic_", np.int8, (n_features,))
        if not np.isin(monotonic, (-1, 0, 1)).all():
            raise ValueError("monotonic_ must be -1, 0 or 1 for each feature")
        found["monotonic"] = monotonic
    if "interactions_" in fields:
        groups = fields.take("interactions_")
        named = type(groups) is str and groups in MOST_ON_A_PATH
        if not named and not (
            type(groups) is tuple
            and all(
                type(group) is tuple and all(type(f) is int and 0 <= f < n_features for f in group)
                for group in groups
            )
        ):
            raise ValueError(
                f"interactions_ must be one of {', '.join(MOST_ON_A_PATH)} or groups of features "
                f"from 0 to {n_features - 1}"
            )
        found["interactions"] = groups
    return found


def _model_costs(fields: Fields) -> dict[str, Any]:
    """Read the net costs of mistakes, and the costs of right predictions if there are any."""
    costs, right = fields.a("costs_", NetCosts), None
    if "right_costs_" in fields:
        right = fields.a("right_costs_", tuple)
        if len(right) != 2 or not all(type(c) is float and np.isfinite(c) for c in right):
            raise ValueError("right_costs_ must be two numbers")
    else:
        for name, cost in costs._asdict().items():
            if cost <= 0:
                raise ValueError(
                    f"{name} must be a finite number, at least 5e-324, got {cost}; only beside "
                    "right_costs_ may it be less"
                )
    return {"costs": costs, "right_costs": right}


def _sampling(fields: Fields, n_classes: int) -> NDArray[np.float64] | None:
    """Read the share of the rows of each class that the training data kept."""
    if "sampling_" not in fields:
        return None
    return fields.numbers("sampling_", n_classes, np.finfo(np.float64).tiny, 1.0)


def _ensemble(fields: Fields, coders: Sequence[Coder | None], steps: NDArray[np.float64]) -> Any:
    ensemble = fields.take("ensemble_")
    if type(ensemble) not in (Ensemble, Lines):
        raise ValueError("ensemble_ must be Trees or Lines")
    _check_learners(ensemble, coders, steps, 1)
    return ensemble


def _background(fields: Fields, ensemble: Ensemble | Lines) -> NDArray[Any] | None:
    """Read the rows at each node, or the mean of each line's feature; old files have none."""
    if "background_" not in fields:
        return None
    if isinstance(ensemble, Lines):
        return fields.numbers("background_", len(ensemble), -FARTHEST, FARTHEST)
    reached = fields.array("background_", np.int32, (ensemble.feature.size,))
    inner = np.flatnonzero(ensemble.feature >= 0)
    child = ensemble.left[inner]
    below = reached[child].astype(np.int64) + reached[child + 1]
    if np.any(reached < 0) or np.any(reached[ensemble.first[:-1]] == 0):
        raise ValueError("background_ must be numbers of rows, of which a root has some")
    if np.any(below != reached[inner]):
        raise ValueError("background_ must count each row of a node in one of its children")
    return reached


def _check_learners(
    ensemble: Any, coders: Sequence[Coder | None], steps: NDArray[np.float64], in_a_round: int
) -> None:
    """Check that an ensemble has the learners of its rounds, and numbers that do not overflow."""
    if len(ensemble) != max(1, in_a_round * steps.size):
        raise ValueError(f"ensemble_ has {len(ensemble)} learners after {steps.size} rounds")
    if steps.size == 0 and (isinstance(ensemble, Lines) or ensemble.feature.size > 1):
        raise ValueError("ensemble_ must be a constant where no rounds were added")
    check_features(ensemble, coders)
    if steps.size and isinstance(ensemble, Ensemble):
        largest = float(np.max(ensemble.gain)) / FARTHEST * max(1.0, float(np.max(np.abs(steps))))
        if not largest * ensemble.gain.size <= 1:
            raise ValueError("gain is so large that feature importances would overflow")


def _calibrator(fields: Fields) -> Calibrator | None:
    calibrator = fields.take("calibrator_")
    if calibrator is not None and not isinstance(calibrator, Calibrator):
        raise ValueError("calibrator_ must be null or a calibrator")
    return calibrator


def _chosen(clf: BoostingClassifier, fields: Fields) -> dict[str, Any]:
    """Read the parameters that calibration chose, which must be valid parameters."""
    chosen = fields.a("chosen_", dict)
    if not set(chosen) <= set(clf.get_params(deep=False)):
        raise ValueError(f"chosen_ has settings that {type(clf).__name__} does not have")
    _check_parameters(type(clf)(**clf.get_params(deep=False) | chosen))
    return chosen


def _shares(fields: Fields) -> dict[str, float]:
    """Read the weight of each weak learner in the score."""
    shares = fields.a("shares_", dict)
    random = [f"random {name}" for name in DRAWING]
    names = {*ESTIMATORS, *random, *(f"large {name}" for name in random)}
    if not set(shares) <= names or not all(
        isinstance(share, float) and 0 <= share <= 1 for share in shares.values()
    ):
        raise ValueError("shares_ must have a number from 0 to 1 for each weak learner")
    return shares


def _stages(fields: Fields, n_iter: int) -> dict[str, Any]:
    """Read the number of learners after each stage, and the line that rescales its score."""
    found = _ends(fields, n_iter)
    n_stages = found["stage_ends"].size
    shifts = fields.numbers("stage_shifts_", n_stages, -FARTHEST, FARTHEST)
    return {**found, "stage_shifts": shifts}


def _ends(fields: Fields, n_iter: int) -> dict[str, Any]:
    """Read the number of learners or rounds after each stage, and the factor of its scores."""
    ends = fields.array("stage_ends_", np.int64, (None,))
    if not ends.size or ends[0] < 1 or ends[-1] != n_iter or np.any(ends[1:] < ends[:-1]):
        raise ValueError("stage_ends_ must rise from at least 1 to n_iter_")
    slopes = fields.numbers("stage_slopes_", ends.size, 0.0, FARTHEST)
    return {"stage_ends": ends, "stage_slopes": slopes}


def _votes(fields: Fields, steps: NDArray[np.float64]) -> float:
    """Read the sum of the absolute steps, the total of all votes."""
    votes = fields.number("votes_", 0.0, FARTHEST)
    total = float(np.sum(np.abs(steps / FARTHEST))) * FARTHEST
    if not abs(votes - total) <= ROUNDING * votes or (steps.size and votes == 0):
        raise ValueError("votes_ is not the sum of the sizes of estimator_weights_")
    return votes


def _check_probabilities(model: BinaryModel) -> None:
    """Check that every score the ensemble can reach has a probability and a decision."""
    ensemble, n = model.ensemble, model.n_iter
    if not 0 < model.prior < 1 and model.sampling is not None:
        raise ValueError("prior_ must be between 0 and 1 where there is sampling_")
    if not 0 < model.prior < 1 and model.initial_weights == "balanced":
        raise ValueError("prior_ must be between 0 and 1 where classes are balanced")
    reach = 1.0
    if isinstance(ensemble, Ensemble):
        reach = float(np.maximum.reduceat(np.abs(ensemble.value), ensemble.first[:-1]).sum())
    score, decision = np.array([-reach, 0.0, reach]), model.decision
    with np.errstate(all="ignore"):
        for stage in {min(n, 1), n}:
            size = float(np.abs(model.estimator_weights[:stage]).sum())
            probability = decision.probability(score, model.costs, size, stage)
            decision.positive(score, model.costs, size, stage)
            if not np.all((probability >= 0) & (probability <= 1)):
                raise ValueError("the numbers of this model give no probabilities")


# ---- several classes -----------------------------------------------------------------------------


def _scores(clf: BoostingClassifier, fields: Fields) -> ScoresModel:
    """Read a model of more than two classes with a score for each."""
    rule = rule_of_several(clf)
    if rule is None:
        raise ValueError(f"{type(clf).__name__} sets each class against the rest")
    matrix = fields.array("matrix_", np.float64, (None, None))
    n_classes, n_iter = len(matrix), fields.whole("n_iter_", 0)
    refuse_costs_of_two(clf, {}, n_classes)
    if n_classes < LEAST_CLASSES or matrix.shape[1] != n_classes:
        raise ValueError(f"matrix_ must be square, of {LEAST_CLASSES} classes or more")
    if not np.all(np.isfinite(matrix) & (matrix >= 0)):
        raise ValueError("matrix_ must be finite and not negative")
    coders = check_coders(fields, "categories_")
    steps = fields.numbers("estimator_weights_", n_iter)
    calibrator = _calibrator_of_several(fields, n_classes)
    changeable = rule.decides_by_cost or calibrator is not None
    if fields.a("by_cost_", bool) != changeable or fields.a("changeable_", bool) != changeable:
        raise ValueError("by_cost_ and changeable_ do not fit the calibrator and the classifier")
    trees = _class_trees(fields, coders, steps, n_classes)
    return ScoresModel(
        rule=rule,
        provider=ClassTrees(
            learner=fields.text("learner_", ESTIMATORS),
            coders=coders,
            ensemble=trees,
            n_scores=n_classes,
            background=_background(fields, trees),
        ),
        **_training(clf, fields, coders, n_iter, n_classes),
        matrix=matrix,
        by_cost=changeable,
        changeable=changeable,
        estimator_weights=steps,
        calibrator=calibrator,
        prior=fields.numbers("prior_", n_classes, 0.0, 1.0),
        **(_ends(fields, n_iter) if "stage_ends_" in fields else {}),
        interactions=_constraints(fields, len(coders)).get("interactions"),
    )


def _class_trees(
    fields: Fields, coders: Sequence[Coder | None], steps: NDArray[np.float64], n_classes: int
) -> ScoreTrees:
    """Read the trees, those of a round for each class in turn."""
    trees = fields.a("ensemble_", ScoreTrees)
    _check_learners(trees, coders, steps, n_classes)
    if trees.column.max() >= n_classes:
        raise ValueError(f"ensemble_ has scores of more than {n_classes} classes")
    return trees


def _calibrator_of_several(fields: Fields, n_classes: int) -> Any:
    calibrator = fields.take("calibrator_")
    if calibrator is None:
        return None
    if isinstance(calibrator, SoftmaxCalibrator):
        n_calibrated = calibrator.offset_.size
    elif isinstance(calibrator, ClassCalibrators):
        n_calibrated = len(calibrator.members_)
    else:
        raise ValueError("calibrator_ must be null or a calibrator of several classes")
    if n_calibrated != n_classes:
        raise ValueError(f"calibrator_ is for {n_calibrated} classes instead of {n_classes}")
    return calibrator


class OneVsRest(NamedTuple):
    """The classifiers of each class against the rest, as stored in files."""

    members: list[Any]
    matrix: NDArray[np.float64]
    by_cost: bool
    changeable: bool


def _members(fields: Fields) -> OneVsRest:
    members = fields.a("members", list)
    if len(members) < LEAST_CLASSES:
        raise ValueError(f"members must be {LEAST_CLASSES} classifiers or more")
    for one in members:
        if not isinstance(one, BoostingClassifier) or type(one) is not type(members[0]):
            raise ValueError("members must be boosting classifiers, all of one class")
        if not hasattr(one, "ensemble_") or one.classes_.tolist() != [False, True]:
            raise ValueError("members must be fitted to the classes false and true")
        if one.n_features_in_ != members[0].n_features_in_:
            raise ValueError("members must have the same number of features")
    matrix = fields.array("matrix", np.float64, (len(members), len(members)))
    if not np.all(np.isfinite(matrix) & (matrix >= 0)):
        raise ValueError("matrix must be finite and not negative")
    return OneVsRest(members, matrix, fields.a("by_cost", bool), fields.a("changeable", bool))


def _several(clf: BoostingClassifier, fields: Fields) -> OneVsRestModel:
    """Read a model of more than two classes."""
    several = fields.a("one_vs_rest_", OneVsRest)
    learner = fields.text("learner_", ESTIMATORS)
    if type(several.members[0]) is not type(clf):
        raise ValueError(f"one_vs_rest_ must have members of class {type(clf).__name__}")
    models = tuple(one.model_ for one in several.members)
    if any((one.learner in NEEDS_ALL_VALUES) > (learner in NEEDS_ALL_VALUES) for one in models):
        raise ValueError("learner_ is one for missing values, those of one_vs_rest_ are not")
    refuse_costs_of_two(clf, {}, len(models))
    model = OneVsRestModel(
        **check_features_in(fields, models[0].n_features_in),
        fingerprint=kept_fingerprint(fields),
        classes=fields.labels("classes_", len(models)),
        learner=learner,
        members=models,
        random_states=tuple(one.random_state for one in several.members),
        matrix=several.matrix,
        by_cost=several.by_cost,
        changeable=several.changeable,
        sampling=_sampling(fields, len(models)),
        stop_reason=fields.text("stop_reason_"),
    )
    if fields.whole("n_iter_", 0) != model.n_iter:
        raise ValueError("n_iter_ must be the greatest of those of one_vs_rest_")
    return model


KINDS = (
    *(
        Kind(cls.__name__, (cls,), _parts, partial(_classifier, cls), FOR_TRAINING | {"costs"})
        for cls in CLASSES
    ),
    Kind("OneVsRest", (OneVsRest,), lambda several: several._asdict(), _members),
)
