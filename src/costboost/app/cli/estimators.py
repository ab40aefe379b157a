"""Unfitted classifiers as options describe them."""

from __future__ import annotations

from typing import Any

from costboost.app.cli.catalogue import classifier_class
from costboost.app.cli.layouts import Layout
from costboost.app.cli.options import ProblemOptions
from costboost.app.reading.columns import select_names
from costboost.app.reading.errors import InputError
from costboost.classifiers.base import BoostingClassifier


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
