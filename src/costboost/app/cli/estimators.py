"""Unfitted classifiers as options describe them."""

from __future__ import annotations

from typing import Any

from costboost.algorithms import REGISTRY
from costboost.app.cli.given import Given
from costboost.app.reading.columns import select_names
from costboost.app.reading.data_layout import DataLayout
from costboost.app.reading.errors import InputError
from costboost.classifiers.base import BoostingClassifier


def make_classifier(given: Given, algorithm: str, layout: DataLayout) -> Any:
    """An unfitted classifier for files of this layout."""
    cls = REGISTRY[algorithm].cls
    settings: dict[str, Any] = {"random_state": given.seed, "n_jobs": given.jobs}
    settings |= _constraints(given, layout, cls)
    if given.rounds is not None:
        settings["n_estimators"] = given.rounds
    clip_costs = given.get("clip_costs")
    if clip_costs is not None:
        if layout.multiclass:
            raise InputError("--clip-costs is for costs of rows, which --cost-matrix has none of")
        settings["clip_costs"] = clip_costs
    if layout.multiclass:
        return cls(**layout.cost_parameters({}), **settings)
    return cls(pos_label=layout.label, **layout.constant_costs, **settings)


NAMED_INTERACTIONS = {"none": "no_interactions", "pairwise": "pairwise"}


def _constraints(given: Given, layout: DataLayout, cls: Any) -> dict[str, Any]:
    """The parameters for --increasing, --decreasing and --interactions, if any is given."""
    features = [column.name for column in layout.columns]
    rising, falling = (
        select_names(given.get(name, ()), features, what="feature")
        for name in ("increasing", "decreasing")
    )
    both = sorted({*rising} & {*falling})
    if both:
        raise InputError(f"column {both[0]!r} is named in --increasing and in --decreasing")
    directed = dict.fromkeys(rising, 1) | dict.fromkeys(falling, -1)
    interactions = given.get("interactions", ())
    named = [text for text in interactions if text in NAMED_INTERACTIONS]
    if named and len(interactions) > 1:
        raise InputError(f"--interactions {named[0]} cannot be given with other ones")
    groups = [
        [] if named else select_names([text], features, what="feature") for text in interactions
    ]
    constraints: dict[str, Any] = {}
    if directed:
        constraints["monotonic_cst"] = directed
    if groups:
        constraints["interaction_cst"] = NAMED_INTERACTIONS[named[0]] if named else groups
    if constraints and not issubclass(cls, BoostingClassifier):
        raise InputError(f"{cls.__name__} takes no constraints; CostBoost does")
    return constraints
